//! Instructions of one call through the core, counted by valgrind's callgrind.
//!
//! A program that calls a tool `n` times is counted twice, with [`FEW`] and with [`MANY`] calls: the difference over the
//! difference of the calls is one call, without start-up and whatever is made on first use.

use std::process::Command;

use crate::cost;
use crate::error::Error;
use crate::leaf::{Leaf, Step};
use crate::workspace::{self, Workspace};

const FEW: u64 = 100;
const MANY: u64 = 1_100;
/// The most tools that are registered.
const TOOLS: usize = 1_000;
/// By how much a call may cost more, or less, when more tools are registered.
const TOLERANCE: f64 = 0.05;

/// What was counted, and whether the number of tools made a difference.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) section: String,
    pub(crate) alike: bool,
}

/// Counts a call with few and with many tools, and what one writes by hand.
pub(crate) fn count(workspace: &Workspace) -> Result<Counted, Error> {
    let dependencies = "serde.workspace = true\n\
                        serde_json.workspace = true\n\
                        tool-core = { workspace = true, features = [\"default\"] }\n";
    let leaf = workspace.leaf("calls", dependencies, &source())?;
    workspace.lock()?;
    eprintln!("building a program with {TOOLS} tools");
    leaf.prepare(workspace, Step::Release)?;
    let count = |name, tools| call(workspace, &leaf, name, tools);
    let by_hand = count("by_hand", 1)?;
    let mut section = format!(
        "| call | tools | instructions | by hand = 1 |\n\
         |---|--:|--:|--:|\n\
         | serde by hand: decode, call, encode | – | {by_hand:.0} | 1.00 |\n"
    );
    let mut alike = true;
    for (name, text) in [("add", "`fn add(a: i64, b: i64)`"), ("add_async", "the same as `async fn`")] {
        let [few, many] = [count(name, 10)?, count(name, TOOLS)?];
        for (tools, instructions) in [(10, few), (TOOLS, many)] {
            let part = instructions / by_hand;
            section += &format!("| {text} | {tools} | {instructions:.0} | {part:.2} |\n");
        }
        alike &= within(few, many);
    }
    let verdict = if alike { "costs the same within" } else { "does **not** cost the same within" };
    section += &format!("\nA call {verdict} {:.0} % with 10 and with {TOOLS} tools.\n", 100.0 * TOLERANCE);
    Ok(Counted { section, alike })
}

fn within(few: f64, many: f64) -> bool {
    (many / few - 1.0).abs() <= TOLERANCE
}

/// The program, with tools that nobody calls.
fn source() -> String {
    let other = |number| {
        format!(
            "\n/// Tool number {number}.\n\
             #[tool(operation = Transform)]\n\
             fn other_{number}(\n    /// First number.\n    a: i64,\n    /// Second number.\n    b: i64,\n) -> i64 {{\n    \
             a * {number} + b\n}}\n"
        )
    };
    include_str!("../support/calls.rs").to_owned() + &(0..TOOLS).map(other).collect::<String>()
}

/// The instructions of one call.
#[expect(clippy::cast_precision_loss, reason = "instructions of a thousand calls are far below 2^53")]
fn call(workspace: &Workspace, leaf: &Leaf, name: &str, tools: usize) -> Result<f64, Error> {
    let [few, many] =
        [instructions(workspace, leaf, name, tools, FEW)?, instructions(workspace, leaf, name, tools, MANY)?];
    Ok(many.saturating_sub(few) as f64 / (MANY - FEW) as f64)
}

/// The instructions of a run of the program.
fn instructions(
    workspace: &Workspace,
    leaf: &Leaf,
    name: &str,
    tools: usize,
    calls: u64,
) -> Result<u64, Error> {
    let profile = workspace.target().join("callgrind.out");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--tool=callgrind"]).arg(format!("--callgrind-out-file={}", profile.display()));
    valgrind.arg(leaf.program(workspace)).args([name, &tools.to_string(), &calls.to_string()]);
    cost::run(&mut valgrind)?;
    let text = workspace::read(&profile)?;
    total(&text).ok_or_else(|| Error::Unreadable { command: cost::line(&valgrind), expected: "`totals: 1`" })
}

/// The sum that callgrind writes at the end of its file.
fn total(profile: &str) -> Option<u64> {
    profile.lines().find_map(|line| line.strip_prefix("totals: "))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_read_from_the_profile() {
        assert_eq!(total("events: Ir\nfn=(1)\n16 3\n\ntotals: 4711\n"), Some(4711));
        assert_eq!(total("events: Ir\n"), None);
    }

    #[test]
    fn five_in_a_hundred_are_the_same() {
        assert!(within(2_000.0, 2_090.0) && within(2_000.0, 1_910.0));
        assert!(!within(2_000.0, 2_110.0) && !within(2_000.0, 1_890.0));
    }
}
