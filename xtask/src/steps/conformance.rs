//! The step that runs the MCP conformance suite.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::binaries;
use crate::clients::Clients;
use crate::conformance::{Check, Scenario, checks, scenarios};
use crate::failure::Failure;
use crate::process::Invocation;
use crate::server::Server;
use crate::tally::Tally;

/// The timeout for all scenarios of a revision.
const RUN: Duration = Duration::from_secs(300);

/// A revision of the protocol, with the expected results.
struct Revision {
    name: &'static str,
    /// The number of scored scenarios: a suite that shrinks proves less.
    scored: usize,
    /// Scenarios without a score that must pass here, too.
    additional: &'static [&'static str],
    /// The number of scenarios in which the suite compares messages with the schema of the protocol.
    on_the_wire: usize,
}

const REVISIONS: [Revision; 2] = [
    Revision {
        name: "2026-07-28",
        scored: 37,
        additional: &[
            "json-schema-2020-12",
            "http-header-validation",
            "http-custom-header-server-validation",
            "tasks-capability-negotiation",
            "tasks-dispatch-and-envelope",
            "tasks-lifecycle",
            "tasks-mrtr-composition",
            "tasks-mrtr-input",
            "tasks-request-headers",
            "tasks-request-state-removal",
            "tasks-required-task-error",
            "tasks-wire-fields",
        ],
        on_the_wire: 46,
    },
    Revision {
        name: "2025-11-25",
        scored: 30,
        additional: &["json-schema-2020-12", "server-session-lifecycle"],
        on_the_wire: 29,
    },
];

/// Runs every scored scenario of a revision and some others. Each check counts; no failures are expected.
pub(crate) fn conformance(tally: &mut Tally) -> Result<(), Failure> {
    let clients = Clients::install("tests/clients")?;
    let [program] = binaries::built(["conformance"])?;
    // The suite writes into the target folder.
    let results = program.with_file_name("conformance-results");
    for revision in &REVISIONS {
        // A new server for each run, without state of the other.
        let serve = Invocation::of(&program).arguments(["--addr", "127.0.0.1:0"]).announce();
        let server = Server::start(&serve)?;
        run(revision, &clients, &format!("{}/mcp", server.address()), &results, tally)?;
    }
    if tally.failed == 0 { Ok(()) } else { Err(Failure::Checks(tally.failed)) }
}

fn run(
    revision: &Revision,
    clients: &Clients,
    endpoint: &str,
    results: &Path,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let folder = results.join(revision.name);
    let file = |source| Failure::File { path: folder.display().to_string(), source };
    if folder.exists() {
        // Of an earlier run.
        fs::remove_dir_all(&folder).map_err(file)?;
    }
    let suite = clients
        .invocation("conformance")
        .arguments(["server", "--url", endpoint, "--requirements", revision.name, "--output-dir"])
        .arguments([&folder])
        .announce();
    // The exit code is ignored: it does not include scenarios without a score.
    let ran = suite.capture(RUN)?;
    let found = scenarios(&ran.stdout);
    if found.is_empty() {
        print!("{}{}", ran.stdout, ran.stderr);
        return Err(Failure::Status { command: suite.to_string(), status: ran.status });
    }
    let counts =
        |scenario: &&Scenario| scenario.scored || revision.additional.contains(&scenario.name.as_str());
    let mut on_the_wire = 0;
    for scenario in found.iter().filter(counts) {
        let checks = checks(&folder, &scenario.name).map_err(file)?;
        on_the_wire += usize::from(checks.iter().any(Check::is_of_wire));
        let problems: Vec<&Check> = checks.iter().filter(|check| check.is_problem()).collect();
        let holds = scenario.holds() && problems.is_empty();
        tally.passed += scenario.passed;
        tally.failed += (problems.len() as u64).max(u64::from(!holds));
        let Scenario { name, passed, failed, .. } = scenario;
        let outcome = if holds { "ok" } else { "FAILED" };
        println!("{} {name} ({} checks) ... {outcome}", revision.name, passed + failed);
        problems.iter().for_each(|problem| println!("{problem}"));
    }
    for fault in missed(revision, &found, on_the_wire) {
        tally.count(false);
        println!("{fault} ... FAILED");
    }
    Ok(())
}

/// Returns the differences from the expected results.
fn missed(revision: &Revision, found: &[Scenario], on_the_wire: usize) -> Vec<String> {
    let Revision { name, scored: due, additional, on_the_wire: due_on_the_wire } = revision;
    let mut missed = Vec::new();
    let scored = found.iter().filter(|scenario| scenario.scored).count();
    if scored != *due {
        missed.push(format!("{name}: {scored} scored scenarios ran, and {due} are due"));
    }
    if on_the_wire != *due_on_the_wire {
        missed.push(format!(
            "{name}: messages are as the schema says in {on_the_wire} scenarios, and {due_on_the_wire} are due"
        ));
    }
    let additional =
        additional.iter().filter(|additional| found.iter().all(|scenario| scenario.name != **additional));
    missed.extend(additional.map(|additional| format!("{name}: {additional} did not run")));
    missed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_missing_and_additional_scenarios() {
        let revision = Revision { name: "2026-07-28", scored: 2, additional: &["headers"], on_the_wire: 2 };
        let ran = |names: &[&str]| -> Vec<Scenario> {
            let scenario = |name: &&str| Scenario {
                name: (*name).to_owned(),
                passed: 1,
                failed: 0,
                scored: *name != "headers",
            };
            names.iter().map(scenario).collect()
        };
        assert!(missed(&revision, &ran(&["ping", "caching", "headers"]), 2).is_empty());
        assert_eq!(
            missed(&revision, &ran(&["ping", "headers"]), 2),
            ["2026-07-28: 1 scored scenarios ran, and 2 are due"]
        );
        assert_eq!(missed(&revision, &ran(&["a", "b", "c", "headers"]), 2).len(), 1);
        assert_eq!(missed(&revision, &ran(&["ping", "caching"]), 2), ["2026-07-28: headers did not run"]);
        assert_eq!(
            missed(&revision, &ran(&["ping", "caching", "headers"]), 0),
            ["2026-07-28: messages are as the schema says in 0 scenarios, and 2 are due"]
        );
    }
}
