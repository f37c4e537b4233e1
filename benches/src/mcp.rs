//! What a request of MCP costs, beside the servers of other crates, bare handlers of axum and a bare loop over lines.
//!
//! The servers run side by side, each with one thread on the same core; the requests come from another core, over
//! connections that stay open, to one server after the other. What counts is the processor time of the server's process,
//! as the system tells it, over the number of requests.

pub(crate) mod callgrind;
mod client;
mod memory;
mod peer;
mod report;
mod server;
mod source;

use std::path::PathBuf;

use crate::cost;
use crate::error::Error;
use crate::leaf::{Leaf, Step};
use crate::mcp::client::{Era, Operation};
use crate::mcp::memory::Memory;
use crate::mcp::peer::Peer;
use crate::mcp::report::Report;
use crate::mcp::server::{Server, Transport};
use crate::workspace::{self, Workspace};

const TOOLS: [usize; 3] = [10, 100, 1_000];

/// What was measured, and whether the goals are met.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) section: String,
    pub(crate) met: bool,
}

/// Builds the servers and asks them, in so many rounds; and ours so many times for the memory that it takes.
pub(crate) fn measure(workspace: &Workspace, rounds: usize, calls: u32) -> Result<Measured, Error> {
    let peers = Workspace::open_peers()?;
    let programs = Programs::new(workspace, &peers)?;
    let mut rows = Vec::new();
    let mut scaled = Vec::new();
    for transport in Transport::ALL {
        for era in Era::ALL {
            for tools in TOOLS {
                eprintln!("{}, {}, {tools} tools", transport.title(), era.name());
                rows.extend(programs.rows(tools, transport, era, rounds)?);
            }
            scaled.push(programs.scaled(transport, era, rounds)?);
        }
    }
    eprintln!("HTTP, as a stream");
    for era in Era::ALL {
        let mut servers = programs.start_all(Transport::Http, era, Operation::Stream, 1)?;
        rows.push(row(&mut servers, (Transport::Http, era, Operation::Stream, 1), rounds)?);
    }
    // By what was asked for, and then by the number of tools.
    rows.sort_by_key(|row| (row.transport, row.era, row.operation, row.tools));
    let memory = Memory::measure(&programs, calls)?;
    let versions = vec![
        ("rmcp", workspace.version("rmcp")?),
        ("turbomcp", peers.version("turbomcp")?),
        ("tower-mcp", peers.version("tower-mcp")?),
    ];
    let (section, met) = Report { rounds, versions, rows, scaled, memory }.render();
    Ok(Measured { section, met })
}

/// The programs of the servers.
struct Programs {
    ours: PathBuf,
    rmcp: PathBuf,
    turbomcp: PathBuf,
    tower: PathBuf,
    bare: PathBuf,
    /// A file with the list that a bare server answers with.
    list: PathBuf,
}

/// Writes the crate of a server with these dependencies, beside those that all have.
fn leaf(workspace: &Workspace, name: &str, dependencies: &str, source: &str) -> Result<Leaf, Error> {
    let common = "tokio = { workspace = true, features = [\"io-util\", \"macros\", \"rt\"] }\n\
                  transport = { path = \"../../support/transport\" }\n";
    workspace.leaf(name, &(common.to_owned() + dependencies), source)
}

fn ours(workspace: &Workspace) -> Result<Leaf, Error> {
    let dependencies = "tool-core = { workspace = true, features = [\"default\"] }\n\
                        tool-mcp.workspace = true\n";
    leaf(workspace, "mcp-ours", dependencies, &source::ours(TOOLS[TOOLS.len() - 1]))
}

fn bare(workspace: &Workspace) -> Result<Leaf, Error> {
    let dependencies = "axum = { workspace = true }\n\
                        futures-util.workspace = true\n\
                        serde.workspace = true\n\
                        serde_json.workspace = true\n";
    leaf(workspace, "mcp-bare", dependencies, &source::bare())
}

impl Programs {
    fn new(workspace: &Workspace, peers: &Workspace) -> Result<Self, Error> {
        let rmcp = "axum = { workspace = true }\n\
                    rmcp = { workspace = true, features = [\"macros\", \"server\", \"transport-io\", \"transport-streamable-http-server\"] }\n\
                    schemars.workspace = true\n\
                    serde.workspace = true\n";
        let turbomcp = "turbomcp.workspace = true\n\
                        turbomcp-transport-stdio.workspace = true\n";
        let tower = "schemars.workspace = true\n\
                     serde.workspace = true\n\
                     tower-mcp.workspace = true\n";
        let leaves = [
            (workspace, bare(workspace)?),
            (workspace, ours(workspace)?),
            (workspace, leaf(workspace, "mcp-rmcp", rmcp, &source::rmcp(&TOOLS))?),
            (peers, leaf(peers, "mcp-tower", tower, &source::tower())?),
            (peers, leaf(peers, "mcp-turbomcp", turbomcp, &source::turbomcp(&TOOLS))?),
        ];
        workspace.lock()?;
        peers.lock()?;
        eprintln!("building the servers, which takes minutes");
        leaves.iter().try_for_each(|(workspace, leaf): &(_, Leaf)| leaf.prepare(workspace, Step::Release))?;
        let [bare, ours, rmcp, tower, turbomcp] = leaves.map(|(workspace, leaf)| leaf.program(workspace));
        let list = workspace.target().join("list.json");
        Ok(Programs { ours, rmcp, turbomcp, tower, bare, list })
    }

    /// Starts a server for one kind of request. A bare one answers with the list of the one of ours that was asked last.
    fn start(
        &self,
        peer: Peer,
        tools: usize,
        transport: Transport,
        era: Era,
        operation: Operation,
    ) -> Result<Server, Error> {
        let (count, list) = (tools.to_string(), self.list.to_string_lossy());
        let is_stream = operation == Operation::Stream;
        let medium = transport.name();
        let (program, words) = match peer {
            Peer::Ours if is_stream => (&self.ours, vec![count.as_str(), "stream"]),
            Peer::Ours => (&self.ours, vec![count.as_str(), medium]),
            Peer::RmcpStored if is_stream => (&self.rmcp, vec![&count, medium, "stream"]),
            Peer::RmcpStored => (&self.rmcp, vec![&count, medium, "stored"]),
            Peer::RmcpDefault => (&self.rmcp, vec![&count, medium, "default"]),
            Peer::TurboMcp => (&self.turbomcp, vec![&count, medium]),
            Peer::TowerMcp => (&self.tower, vec![&count, medium]),
            Peer::Bytes => (&self.bare, vec!["bytes", &list]),
            Peer::Typed => (&self.bare, vec!["typed", &list]),
            Peer::Streamed => (&self.bare, vec!["stream", &list]),
            Peer::Loop => (&self.bare, vec!["loop", &list]),
            Peer::AsyncLoop => (&self.bare, vec!["async-loop", &list]),
        };
        Server::start(&[], program, &words, transport, era)
    }

    /// Starts all servers for one kind of request.
    fn start_all(
        &self,
        transport: Transport,
        era: Era,
        operation: Operation,
        tools: usize,
    ) -> Result<Vec<Server>, Error> {
        let mut servers: Vec<Server> = Vec::new();
        for peer in Peer::of(transport, operation) {
            servers.push(self.start(*peer, tools, transport, era, operation)?);
            if *peer == Peer::Ours {
                let list = servers[0].ask_once(Operation::List)?;
                workspace::write(&self.list, &client::result(&list)?)?;
            }
        }
        Ok(servers)
    }

    /// What a call and a list cost over one transport, in one era.
    fn rows(&self, tools: usize, transport: Transport, era: Era, rounds: usize) -> Result<Vec<Row>, Error> {
        let mut servers = self.start_all(transport, era, Operation::Call, tools)?;
        let operations = [Operation::Call, Operation::List].into_iter();
        operations.map(|operation| row(&mut servers, (transport, era, operation, tools), rounds)).collect()
    }

    /// What a call costs with many tools, as a multiple of one with few.
    fn scaled(&self, transport: Transport, era: Era, rounds: usize) -> Result<Scaled, Error> {
        let [few, .., many] = TOOLS;
        let start = |tools| self.start(Peer::Ours, tools, transport, era, Operation::Call);
        let mut servers = [start(many)?, start(few)?];
        let costs = costs(&mut servers, Operation::Call, 200, rounds)?;
        Ok(Scaled { transport, era, multiple: costs[1].multiple })
    }
}

/// What one request costs with each server.
struct Row {
    transport: Transport,
    era: Era,
    operation: Operation,
    tools: usize,
    /// In the order of [`Peer::of`].
    costs: Vec<Cost>,
}

#[derive(Clone, Copy)]
struct Cost {
    microseconds: f64,
    /// What the first server takes, as a multiple of this.
    multiple: f64,
}

/// What a call costs with many tools, as a multiple of one with few.
struct Scaled {
    transport: Transport,
    era: Era,
    multiple: f64,
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
        (Operation::Call | Operation::Stream, _) | (Operation::List, ..=10) => 200,
        (Operation::List, ..=100) => 60,
        (Operation::List, _) => 15,
    };
    let costs = costs(servers, operation, requests, rounds)?;
    Ok(Row { transport, era, operation, tools, costs })
}

/// The medians of what a request costs with each server; the servers take turns.
fn costs(
    servers: &mut [Server],
    operation: Operation,
    requests: u32,
    rounds: usize,
) -> Result<Vec<Cost>, Error> {
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
    let median = |values| cost::median(values).unwrap_or_default();
    let both = costs.into_iter().zip(multiples);
    Ok(both.map(|(of, multiple)| Cost { microseconds: median(of), multiple: median(multiple) }).collect())
}
