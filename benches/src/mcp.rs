//! What a request of MCP costs, beside rmcp's own servers and bare handlers of axum.
//!
//! The servers run side by side, each with one thread on the same core; the requests come from another core, over
//! connections that stay open, to one server after the other. What counts is the processor time of the server's process,
//! as the system tells it, over the number of requests.

mod client;
mod server;
mod source;

use std::fmt::Write as _;

use crate::cost;
use crate::error::Error;
use crate::leaf::{Leaf, Step};
use crate::mcp::client::{Era, Operation};
use crate::mcp::server::{Server, Transport};
use crate::workspace::{self, Workspace};

/// Ours, those of rmcp, and the bare handlers, which speak HTTP alone.
const KINDS: [&str; 5] = ["ours", "rmcp-stored", "rmcp-default", "bytes", "typed"];
const SPEAK_STDIO: usize = 3;
const TOOLS: [usize; 3] = [10, 100, 1_000];
/// By how much a call may cost more when more tools are registered.
const TOLERANCE: f64 = 1.1;

/// What was measured, and whether the goal is met.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) section: String,
    pub(crate) met: bool,
}

/// Builds the servers and asks them, in so many rounds.
pub(crate) fn measure(workspace: &Workspace, rounds: usize) -> Result<Measured, Error> {
    let programs = Programs::new(workspace)?;
    let mut rows = Vec::new();
    for tools in TOOLS {
        eprintln!("{tools} tools");
        for transport in Transport::ALL {
            rows.extend(programs.rows(workspace, tools, transport, rounds)?);
        }
    }
    // By operation, and then by the number of tools.
    rows.sort_by_key(|row| (row.transport, row.era, row.operation, row.tools));
    let (section, met) = render(&rows);
    Ok(Measured { section, met })
}

struct Programs {
    ours: Leaf,
    rmcp: Leaf,
    bare: Leaf,
}

impl Programs {
    fn new(workspace: &Workspace) -> Result<Self, Error> {
        let most = TOOLS[TOOLS.len() - 1];
        let rmcp = "axum = { workspace = true }\n\
                    rmcp = { workspace = true, features = [\"macros\", \"server\", \"transport-io\", \"transport-streamable-http-server\"] }\n\
                    schemars.workspace = true\n\
                    serde.workspace = true\n\
                    tokio = { workspace = true, features = [\"macros\", \"rt\"] }\n\
                    transport = { path = \"../../support/transport\" }\n";
        let ours = "tokio = { workspace = true, features = [\"macros\", \"rt\"] }\n\
                    tool-core = { workspace = true, features = [\"default\"] }\n\
                    tool-mcp.workspace = true\n\
                    transport = { path = \"../../support/transport\" }\n";
        let bare = "axum = { workspace = true }\n\
                    serde.workspace = true\n\
                    serde_json.workspace = true\n\
                    tokio = { workspace = true, features = [\"macros\", \"rt\"] }\n\
                    transport = { path = \"../../support/transport\" }\n";
        let programs = Programs {
            ours: workspace.leaf("mcp-ours", ours, &source::ours(most))?,
            rmcp: workspace.leaf("mcp-rmcp", rmcp, &source::rmcp(&TOOLS))?,
            bare: workspace.leaf("mcp-bare", bare, &source::bare())?,
        };
        workspace.lock()?;
        eprintln!("building the servers, which takes minutes");
        let leaves = [&programs.bare, &programs.rmcp, &programs.ours];
        leaves.into_iter().try_for_each(|leaf| leaf.prepare(workspace, Step::Release))?;
        Ok(programs)
    }

    /// What each request costs over one transport, in both eras.
    fn rows(
        &self,
        workspace: &Workspace,
        tools: usize,
        transport: Transport,
        rounds: usize,
    ) -> Result<Vec<Row>, Error> {
        let start =
            |leaf: &Leaf, words: &[&str], era| Server::start(&leaf.program(workspace), words, transport, era);
        let count = tools.to_string();
        let words = [count.as_str(), transport.name()];
        let mut rows = Vec::new();
        for era in Era::ALL {
            let mut servers = vec![
                start(&self.ours, &words, era)?,
                start(&self.rmcp, &[&words[..], &["stored"]].concat(), era)?,
                start(&self.rmcp, &[&words[..], &["default"]].concat(), era)?,
            ];
            if transport == Transport::Http {
                let list = workspace.target().join("list.json");
                workspace::write(&list, &client::result(&servers[0].ask_once(Operation::List)?)?)?;
                let list = list.to_string_lossy();
                servers.push(start(&self.bare, &[KINDS[3], &list], era)?);
                servers.push(start(&self.bare, &[KINDS[4], &list], era)?);
            }
            for operation in Operation::ALL {
                let kinds = if transport == Transport::Http { KINDS.len() } else { SPEAK_STDIO };
                rows.push(row(&mut servers[..kinds], (transport, era, operation, tools), rounds)?);
            }
        }
        Ok(rows)
    }
}

/// What one request costs, in the order of [`KINDS`].
struct Row {
    transport: Transport,
    era: Era,
    operation: Operation,
    tools: usize,
    microseconds: Vec<f64>,
    /// What ours costs, as a multiple of each.
    multiples: Vec<f64>,
}

fn row(
    servers: &mut [Server],
    (transport, era, operation, tools): (Transport, Era, Operation, usize),
    rounds: usize,
) -> Result<Row, Error> {
    for server in &mut *servers {
        server.check(operation, tools)?;
    }
    let requests = match (operation, tools) {
        (Operation::Call, _) | (Operation::List, ..=10) => 200,
        (Operation::List, ..=100) => 60,
        (Operation::List, _) => 15,
    };
    let mut costs = vec![Vec::new(); servers.len()];
    let mut multiples = vec![Vec::new(); servers.len()];
    // The first round makes what is made on first use.
    for round in 0..=rounds {
        let mut of_round = Vec::new();
        for server in &mut *servers {
            of_round.push(server.cost(operation, requests)?);
        }
        if round > 0 {
            for (number, cost) in of_round.iter().enumerate() {
                costs[number].push(*cost);
                multiples[number].push(of_round[0] / cost);
            }
        }
    }
    let medians = |values: Vec<Vec<f64>>| {
        values.into_iter().map(|values| cost::median(values).unwrap_or_default()).collect()
    };
    Ok(Row { transport, era, operation, tools, microseconds: medians(costs), multiples: medians(multiples) })
}

/// The tables, and whether nothing costs more than with rmcp's stored router, and a call as much with many tools as with few.
fn render(rows: &[Row]) -> (String, bool) {
    let mut section = String::new();
    let mut misses = Vec::new();
    for transport in Transport::ALL {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.transport == transport).collect();
        let Some(kinds) = rows.first().map(|row| row.microseconds.len()) else { continue };
        let _ = writeln!(section, "### {}\n", transport.title());
        section += "| request | era | tools | ours |";
        for kind in &KINDS[1..kinds] {
            let _ = write!(section, " {} | ours ÷ |", column(kind));
        }
        section += "\n|---|---|--:|--:|";
        section += &"--:|--:|".repeat(kinds - 1);
        section.push('\n');
        for row in rows {
            let (operation, era) = (row.operation.method(), row.era.name());
            let _ =
                write!(section, "| `{operation}` | {era} | {} | {:.1} µs |", row.tools, row.microseconds[0]);
            for kind in 1..kinds {
                let multiple = row.multiples[kind];
                let missed = kind == 1 && multiple > 1.0;
                let shown = if missed { format!("**{multiple:.2}**") } else { format!("{multiple:.2}") };
                let _ = write!(section, " {:.1} µs | {shown} |", row.microseconds[kind]);
                if missed {
                    misses.push(format!(
                        "{operation}, {}, {era}, {} tools: {multiple:.2} times rmcp with a stored router",
                        transport.name(),
                        row.tools
                    ));
                }
            }
            section.push('\n');
        }
        section.push('\n');
    }
    for row in
        rows.iter().filter(|row| row.operation == Operation::Call && row.tools == TOOLS[TOOLS.len() - 1])
    {
        let same = |other: &&Row| {
            (other.transport, other.era, other.operation, other.tools)
                == (row.transport, row.era, row.operation, TOOLS[0])
        };
        let Some(few) = rows.iter().find(same) else { continue };
        let multiple = row.microseconds[0] / few.microseconds[0];
        let (transport, era) = (row.transport.name(), row.era.name());
        let _ = writeln!(
            section,
            "A call with {} tools costs {multiple:.2} times one with {} ({transport}, {era}).  ",
            row.tools, few.tools
        );
        if multiple > TOLERANCE {
            misses.push(format!("a call with many tools, {transport}, {era}: {multiple:.2}"));
        }
    }
    if misses.is_empty() {
        section += "\nThe floor is held: nothing costs more than with rmcp's stored router, and a call costs the same \
                    with many tools.\n";
    } else {
        section += "\nThe floor is **missed**:\n\n";
        misses.iter().for_each(|miss| section += &format!("- {miss}\n"));
    }
    (section, misses.is_empty())
}

fn column(kind: &str) -> &str {
    match kind {
        "rmcp-stored" => "rmcp, stored router",
        "rmcp-default" => "rmcp, default",
        "bytes" => "bare, bytes",
        _ => "bare, typed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(operation: Operation, tools: usize, ours: f64, stored: f64) -> Row {
        Row {
            transport: Transport::Stdio,
            era: Era::Modern,
            operation,
            tools,
            microseconds: vec![ours, stored, 100.0],
            multiples: vec![1.0, ours / stored, ours / 100.0],
        }
    }

    #[test]
    fn reports_costs_above_the_stored_router() {
        let (section, met) = render(&[row(Operation::List, 10, 30.0, 20.0)]);
        assert!(!met && section.contains("| 20.0 µs | **1.50** | 100.0 µs | 0.30 |"), "{section}");
        assert!(section.contains("- tools/list, stdio, 2026-07-28, 10 tools: 1.50 times"), "{section}");
        let (section, met) = render(&[row(Operation::List, 10, 20.0, 20.0)]);
        assert!(met && section.contains("The floor is held"), "{section}");
    }

    #[test]
    fn reports_calls_that_cost_more_with_more_tools() {
        let calls = |many| [row(Operation::Call, 10, 20.0, 40.0), row(Operation::Call, 1_000, many, 40.0)];
        assert!(render(&calls(21.0)).1);
        let (section, met) = render(&calls(30.0));
        assert!(!met && section.contains("a call with many tools, stdio, 2026-07-28: 1.50"), "{section}");
    }
}
