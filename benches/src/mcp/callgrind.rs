//! Instructions of a call over MCP, and of bare handlers, by the crate that they are in; counted by valgrind's callgrind.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::Error;
use crate::leaf::Step;
use crate::mcp;
use crate::mcp::client::{Era, Operation};
use crate::mcp::peer::Peer;
use crate::mcp::server::{Server, Transport};
use crate::workspace::{self, Workspace};

const FEW: u32 = 300;
const MANY: u32 = 1_300;
const TOOLS: usize = 10;

/// What is counted: a server beside a bare one.
const COMPARED: [(Transport, Era, Operation, Peer); 5] = [
    (Transport::Http, Era::Modern, Operation::Call, Peer::Typed),
    (Transport::Http, Era::Legacy, Operation::Call, Peer::Typed),
    (Transport::Http, Era::Modern, Operation::Stream, Peer::Streamed),
    (Transport::Stdio, Era::Modern, Operation::Call, Peer::Loop),
    (Transport::Stdio, Era::Legacy, Operation::Call, Peer::Loop),
];

/// The rows: a name, and the crates that it stands for. The last row has the rest.
const GROUPS: [(&str, &[&str]); 7] = [
    ("tool-mcp", &["tool_mcp"]),
    ("tool-core, tool-serve", &["tool_core", "tool_serve"]),
    ("`serde_json`", &["serde_json", "serde_core", "serde", "itoa"]),
    (
        "hyper, http, axum, tower",
        &[
            "axum",
            "axum_core",
            "hyper",
            "hyper_util",
            "http",
            "http_body",
            "httparse",
            "httpdate",
            "tower",
            "matchit",
        ],
    ),
    ("tokio", &["tokio", "tokio_util"]),
    ("allocation and copies (libc)", &["libc"]),
    ("the rest: core, alloc, std and small crates", &[]),
];

/// Counts the instructions of each comparison.
pub(crate) fn count(workspace: &Workspace) -> Result<String, Error> {
    let leaves = [mcp::ours(workspace)?, mcp::bare(workspace)?];
    workspace.lock()?;
    eprintln!("building the servers, which takes minutes");
    leaves.iter().try_for_each(|leaf| leaf.prepare(workspace, Step::Release))?;
    let [ours, bare] = leaves.map(|leaf| leaf.program(workspace));
    // What a bare server answers to a request for the list, which is not sent.
    let list = workspace.target().join("list.json");
    workspace::write(&list, "{}")?;
    let list = list.to_string_lossy();
    let mut sections = Vec::new();
    for (transport, era, operation, peer) in COMPARED {
        let title = format!("`{}`, {}, {}", operation.title(), transport.title(), era.name());
        eprintln!("{title}");
        let tools = TOOLS.to_string();
        let medium = if operation == Operation::Stream { "stream" } else { transport.name() };
        let kind = match peer {
            Peer::Typed => "typed",
            Peer::Streamed => "stream",
            _ => "loop",
        };
        let count = |program, words: [&str; 2]| once(workspace, program, &words, (transport, era, operation));
        let of_ours = count(&ours, [&tools, medium])?;
        let of_bare = count(&bare, [kind, &list])?;
        sections.push(table(&title, peer.title(), &of_ours, &of_bare));
    }
    Ok(sections.join("\n"))
}

/// The instructions of one request, by group.
#[expect(clippy::cast_precision_loss, reason = "instructions of a thousand requests are far below 2^53")]
fn once(
    workspace: &Workspace,
    program: &Path,
    words: &[&str],
    request: (Transport, Era, Operation),
) -> Result<[f64; GROUPS.len()], Error> {
    let count = |requests| run(workspace, program, words, request, requests);
    let (few, many) = (count(FEW)?, count(MANY)?);
    Ok(std::array::from_fn(|group| many[group].saturating_sub(few[group]) as f64 / f64::from(MANY - FEW)))
}

/// The instructions of a run of a server that answers so many requests.
fn run(
    workspace: &Workspace,
    program: &Path,
    words: &[&str],
    (transport, era, operation): (Transport, Era, Operation),
    requests: u32,
) -> Result<[u64; GROUPS.len()], Error> {
    let file = workspace.target().join("callgrind-mcp.out");
    let option = format!("--callgrind-out-file={}", file.display());
    let valgrind = ["valgrind", "--quiet", "--tool=callgrind", "--compress-strings=no", &option];
    let mut server = Server::start(&valgrind, program, words, transport, era)?;
    for _ in 0..requests {
        server.ask_once(operation)?;
    }
    server.stop()?;
    grouped(&file)
}

/// Adds up the instructions of the functions in a file of callgrind.
fn grouped(file: &Path) -> Result<[u64; GROUPS.len()], Error> {
    let mut groups = [0; GROUPS.len()];
    for (function, instructions) in own_instructions(&workspace::read(file)?) {
        groups[group_of(&function)] += instructions;
    }
    Ok(groups)
}

/// Returns the instructions of each function without those that it calls. A key begins with its object file if that is a library.
///
/// A cost is a line `POSITION COUNT`; one behind `calls=` is that of the called function. See the format of callgrind's files.
fn own_instructions(profile: &str) -> BTreeMap<String, u64> {
    let mut functions = BTreeMap::new();
    let (mut object, mut function, mut of_callee) = ("", String::new(), false);
    for line in profile.lines() {
        if let Some(name) = line.strip_prefix("ob=") {
            object = name;
        } else if let Some(name) = line.strip_prefix("fn=") {
            let is_library = object.contains(".so");
            function = if is_library { format!("libc::{name}") } else { name.to_owned() };
        } else if line.starts_with("calls=") {
            of_callee = true;
        } else if line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first)) {
            let count = line.split(' ').nth(1).and_then(|count| count.parse::<u64>().ok());
            if !std::mem::take(&mut of_callee) {
                *functions.entry(function.clone()).or_default() += count.unwrap_or(0);
            }
        }
    }
    functions
}

/// Returns the group of a function by the first crate in its name: `<tokio::Task as core::Future>::poll` is in tokio.
fn group_of(function: &str) -> usize {
    let name = function.trim_start_matches(['<', '&', '(', '*', '[']).trim_start_matches("mut ");
    let krate = name.split("::").next().unwrap_or(name);
    let found = GROUPS.iter().position(|(_, crates)| crates.contains(&krate));
    found.unwrap_or(GROUPS.len() - 1)
}

fn table(title: &str, bare_title: &str, ours: &[f64; GROUPS.len()], bare: &[f64; GROUPS.len()]) -> String {
    let (all, all_bare): (f64, f64) = (ours.iter().sum(), bare.iter().sum());
    let mut table =
        format!("| {title} | ours | {bare_title} | more | of all that is more |\n|---|--:|--:|--:|--:|\n");
    let mut row = |name: &str, ours: f64, bare: f64| {
        let share = 100.0 * (ours - bare) / (all - all_bare);
        table += &format!("| {name} | {ours:.0} | {bare:.0} | {:.0} | {share:.0} % |\n", ours - bare);
    };
    for (group, (name, _)) in GROUPS.iter().enumerate() {
        row(name, ours[group], bare[group]);
    }
    row("**together**", all, all_bare);
    table + &format!("\nOurs is {:.2} times the bare one.\n", all / all_bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_a_function_does_itself() {
        let profile = "events: Ir\n\nob=/program\nfl=a.rs\nfn=tool_mcp::read\n1 10\n2 5\ncfn=memcpy\n\
                       calls=1 0\n2 900\n3 1\n\nob=/lib/libc.so.6\nfn=memcpy\n0 900\n\ntotals: 916\n";
        let functions = own_instructions(profile);
        assert_eq!(functions["tool_mcp::read"], 16);
        assert_eq!(functions["libc::memcpy"], 900);
    }

    #[test]
    fn groups_functions_by_their_crate() {
        let groups = [
            "<tokio::Task as core::Future>::poll",
            "<&mut serde_json::de as X>::f",
            "core::fmt::write",
            "libc::memcpy",
        ];
        assert_eq!(
            groups.map(|name| GROUPS[group_of(name)].0),
            [
                "tokio",
                "`serde_json`",
                "the rest: core, alloc, std and small crates",
                "allocation and copies (libc)"
            ]
        );
    }
}
