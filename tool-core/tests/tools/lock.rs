//! Digest, lock and search of declared tools: stable across processes.

use std::collections::HashMap;
use std::io::Write as _;
use std::process::Command;

use tool_core::lock::{Change, DifferenceKind, Lock};
use tool_core::{Registry, tool};

/// A map whose order differs in every registry and every run.
fn weights() -> HashMap<String, u32> {
    (0..20).map(|number| (format!("weight {number}"), number)).collect()
}

mod before {
    use super::*;

    /// Sums weights up.
    #[tool(operation = Transform, alias = "add_up")]
    fn sum_up(
        /// What is summed up.
        #[arg(default = weights())]
        weights: HashMap<String, u32>,
        /// How often each counts.
        #[arg(default = 9_007_199_254_740_993_u64)]
        factor: u64,
    ) -> u64 {
        weights.len() as u64 * factor
    }

    /// Deletes a weight.
    #[tool(operation = Write, destructive = true)]
    fn delete_weight(
        /// Name of the weight.
        name: String,
    ) -> usize {
        name.len()
    }
}

mod after {
    use super::*;

    /// Sums weights up.
    #[tool(operation = Transform)]
    fn sum_up(
        /// What is summed up.
        #[arg(default = weights())]
        weights: HashMap<String, u32>,
        /// How often each counts.
        #[arg(default = 9_007_199_254_740_992_u64)]
        factor: u64,
        /// How many digits are kept.
        digits: Option<u8>,
    ) -> u64 {
        weights.len() as u64 * factor + u64::from(digits.unwrap_or_default())
    }

    /// Deletes a weight.
    #[tool(operation = Write, destructive = true, alias = "delete_weight")]
    fn remove_weight(
        /// Name of the weight.
        name: String,
    ) -> usize {
        name.len()
    }
}

fn of(part: &'static str) -> Registry {
    let module = format!("{}::{part}", module_path!());
    Registry::builder().linked().select(move |tool| tool.source().module == module).build().unwrap()
}

#[test]
fn compares_with_a_stored_lock() {
    let stored: Lock = Lock::of(&of("before")).to_string().parse().unwrap();
    assert_eq!(stored, Lock::of(&of("before")));
    assert_eq!(stored.compare(&Lock::of(&of("before"))), []);
    let differences = stored.compare(&Lock::of(&of("after")));
    let found: Vec<_> =
        differences.iter().map(|it| (it.tool.as_str(), it.location.as_str(), it.kind, it.change())).collect();
    assert_eq!(
        found,
        [
            ("remove_weight", "", DifferenceKind::ToolRenamedKept, Change::Compatible),
            ("sum_up", "alias", DifferenceKind::AliasRemoved, Change::Breaking),
            ("sum_up", "input /digits", DifferenceKind::InputAdded, Change::Compatible),
            ("sum_up", "input /factor", DifferenceKind::DefaultChanged, Change::Breaking),
        ]
    );
    assert_eq!(differences[3].text, "`default` was `9007199254740993`, is `9007199254740992`");
}

#[test]
fn has_the_digest_of_its_lock() {
    let (before, after) = (of("before"), of("after"));
    assert_eq!(Lock::of(&before).digest(), before.digest());
    assert_ne!(before.digest(), after.digest());
    let digest = before.get("sum_up").unwrap().digest().to_string();
    assert!(Lock::of(&before).to_string().contains(&format!("\"digest\": \"{digest}\"")));
}

/// Environment variable that makes a child process print its results.
const PRINT_VARIABLE: &str = "TOOL_CORE_TEST_PRINT";

fn everything() -> String {
    let registry = of("before");
    let found =
        registry.search("weight sums").iter().map(|hit| (hit.tool.name(), hit.score)).collect::<Vec<_>>();
    format!("{}\n{}\n{found:?}", registry.digest(), Lock::of(&registry))
}

#[test]
fn is_stable_across_processes() {
    if std::env::var_os(PRINT_VARIABLE).is_some() {
        return writeln!(std::io::stdout(), "<<<{}>>>", everything()).unwrap();
    }
    // Each process has its own hash seeds, and so another order of its maps.
    for _ in 0..3 {
        let mut process = Command::new(std::env::current_exe().unwrap());
        process.args(["--exact", "lock::is_stable_across_processes", "--nocapture"]).env(PRINT_VARIABLE, "1");
        let output = String::from_utf8(process.output().unwrap().stdout).unwrap();
        let printed = output.split_once("<<<").and_then(|(_, rest)| rest.split_once(">>>")).unwrap().0;
        assert_eq!(printed, everything());
    }
}
