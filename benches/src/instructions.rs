//! Instructions of one call through the core, counted by valgrind's callgrind.
//!
//! A program that does a thing `n` times is counted twice, with [`FEW`] and with [`MANY`] times: the difference over the
//! difference of the times is once, without start-up and whatever is made on first use. A stage is the difference
//! between two things, or a part of the call that can be done alone.

use std::process::Command;

use crate::cost;
use crate::error::Error;
use crate::leaf::{Leaf, Step};
use crate::workspace::{self, Workspace};

const FEW: u64 = 100;
const MANY: u64 = 1_100;
/// How few tools are registered.
const FEW_TOOLS: usize = 10;
/// How many at most.
const TOOLS: usize = 1_000;
/// By how much a call may cost more, or less, when more tools are registered.
const TOLERANCE: f64 = 0.05;
/// How much a call may cost, as a multiple of the one by hand.
const GOAL: f64 = 2.0;

/// What was counted, and whether the number of tools made a difference.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) section: String,
    pub(crate) alike: bool,
}

/// Counts a call with few and with many tools, what each stage of it adds, and what one writes by hand.
pub(crate) fn count(workspace: &Workspace) -> Result<Counted, Error> {
    let dependencies = "serde.workspace = true\n\
                        serde_json.workspace = true\n\
                        tool-core = { workspace = true, features = [\"default\"] }\n\
                        tracing.workspace = true\n";
    let leaf = workspace.leaf("calls", dependencies, &source())?;
    workspace.lock()?;
    eprintln!("building a program with {TOOLS} tools");
    leaf.prepare(workspace, Step::Release)?;
    let count = |what, tool, tools| once(workspace, &leaf, [what, tool], tools);
    let by_hand = count("by_hand", "add", FEW_TOOLS)?;
    let [add, add_of_many] = [count("call", "add", FEW_TOOLS)?, count("call", "add", TOOLS)?];
    let [waits, waits_of_many] = [count("call", "add_async", FEW_TOOLS)?, count("call", "add_async", TOOLS)?];
    let [lookup, validate, encode] =
        ["lookup", "validate", "encode"].map(|what| count(what, "add", FEW_TOOLS));
    let [lookup, validate, encode] = [lookup?, validate?, encode?];
    let [traced, audited] = [count("traced", "add", FEW_TOOLS)?, count("audited", "add", FEW_TOOLS)?];
    let [layered, twice] = [count("layered", "add", FEW_TOOLS)?, count("layered_twice", "add", FEW_TOOLS)?];

    let mut section = "| call | tools | instructions | by hand = 1 |\n|---|--:|--:|--:|\n".to_owned();
    for (text, tools, instructions) in [
        ("serde by hand: decode, call, encode", "–", by_hand),
        ("`fn add(a: i64, b: i64)`", "10", add),
        ("`fn add(a: i64, b: i64)`", "1000", add_of_many),
        ("the same as `async fn`", "10", waits),
        ("the same as `async fn`", "1000", waits_of_many),
    ] {
        section += &format!("| {text} | {tools} | {instructions:.0} | {:.2} |\n", instructions / by_hand);
    }
    section += "\n| stage | instructions |\n|---|--:|\n";
    for (stage, instructions) in [
        ("lookup of the tool", lookup),
        ("scan and decode of the arguments", validate - lookup),
        ("encode of the output", encode),
        ("the rest: call, containment of panics, reply", add - validate - encode),
        ("more for an `async fn`: its future in a box", waits - add),
        ("more with a `tracing` subscriber that keeps nothing: the span", traced - add),
        ("more with an audit sink that keeps nothing: two digests, the time, the event", audited - add),
        (
            "more with a layer that does nothing: a second run of the pipeline, three futures in boxes",
            layered - add,
        ),
        ("more with another layer that does nothing: its future in a box", twice - layered),
    ] {
        section += &format!("| {stage} | {instructions:.0} |\n");
    }
    let alike = within(add, add_of_many) && within(waits, waits_of_many);
    let verdict = if alike { "costs the same within" } else { "does **not** cost the same within" };
    section += &format!("\nA call {verdict} {:.0} % with 10 and with {TOOLS} tools.\n", 100.0 * TOLERANCE);
    section += &format!(
        "The goal of {GOAL:.1} times the call by hand is {}.\n",
        if add <= GOAL * by_hand { "met" } else { "**missed**" }
    );
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

/// The instructions of doing a thing once.
#[expect(clippy::cast_precision_loss, reason = "instructions of a thousand calls are far below 2^53")]
fn once(workspace: &Workspace, leaf: &Leaf, words: [&str; 2], tools: usize) -> Result<f64, Error> {
    let count = |times| instructions(workspace, leaf, words, tools, times);
    Ok(count(MANY)?.saturating_sub(count(FEW)?) as f64 / (MANY - FEW) as f64)
}

/// The instructions of a run of the program.
fn instructions(
    workspace: &Workspace,
    leaf: &Leaf,
    words: [&str; 2],
    tools: usize,
    times: u64,
) -> Result<u64, Error> {
    let profile = workspace.target().join("callgrind.out");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--tool=callgrind"]).arg(format!("--callgrind-out-file={}", profile.display()));
    valgrind.arg(leaf.program(workspace)).args(words).args([tools.to_string(), times.to_string()]);
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
    fn parses_the_total_of_the_profile() {
        assert_eq!(total("events: Ir\nfn=(1)\n16 3\n\ntotals: 4711\n"), Some(4711));
        assert_eq!(total("events: Ir\n"), None);
    }

    #[test]
    fn tolerates_five_percent() {
        assert!(within(2_000.0, 2_090.0) && within(2_000.0, 1_910.0));
        assert!(!within(2_000.0, 2_110.0) && !within(2_000.0, 1_890.0));
    }
}
