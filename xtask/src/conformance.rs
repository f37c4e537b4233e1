//! Parsing of the results of the MCP conformance suite.
//!
//! Its last lines name each scenario; details are in the `checks.json` of each scenario. It is parsed with `std` alone: the suite
//! writes each member of a check on its own line, indented by four spaces.

use std::fmt;
use std::fs;
use std::path::Path;

/// A completed scenario.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    /// `true` if the revision requires it.
    pub(crate) scored: bool,
}

impl Scenario {
    /// Returns `true` if something was checked without failures.
    pub(crate) fn holds(&self) -> bool {
        self.failed == 0 && self.passed > 0
    }
}

/// Returns the scenarios of a run, in order.
///
/// ```text
/// === SUMMARY ===
/// ✓ ping: 2 passed, 0 failed
/// ✗ tasks-lifecycle: 1 passed, 8 failed
///
/// Total: 3 passed, 8 failed
///
/// Not scored for 2026-07-28: 1 scenario(s) run, 1 failing. These do not affect conformance.
///   ✗ tasks-lifecycle (extension)
/// ```
pub(crate) fn scenarios(output: &str) -> Vec<Scenario> {
    let Some((_, summary)) = output.split_once("=== SUMMARY ===") else { return Vec::new() };
    let unscored: Vec<&str> = summary.lines().filter_map(unscored).collect();
    let ran = summary.lines().filter_map(|line| {
        let (name, counts) = marked(line)?.split_once(": ")?;
        let (passed, failed) = counts.strip_suffix(" failed")?.split_once(" passed, ")?;
        let (passed, failed) = (passed.parse().ok()?, failed.parse().ok()?);
        Some(Scenario { name: name.to_owned(), passed, failed, scored: !unscored.contains(&name) })
    });
    ran.collect()
}

fn marked(line: &str) -> Option<&str> {
    line.strip_prefix("✓ ").or_else(|| line.strip_prefix("✗ "))
}

/// Returns the name in a line like `  ✗ tasks-lifecycle (extension)`.
fn unscored(line: &str) -> Option<&str> {
    marked(line.strip_prefix("  ")?)?.split_once(" (").map(|(name, _)| name)
}

/// A check of a scenario, and its result.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Check {
    name: String,
    status: String,
    message: String,
}

impl Check {
    /// Returns `true` if the check failed or has a warning.
    pub(crate) fn is_problem(&self) -> bool {
        ["FAILURE", "WARNING"].contains(&self.status.as_str())
    }

    /// Returns `true` if every message of the server was valid by the protocol's schema.
    pub(crate) fn is_of_wire(&self) -> bool {
        self.name == "wire-schema-valid" && self.status == "SUCCESS"
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {} {}: {}", self.status.to_lowercase(), self.name, self.message)
    }
}

/// Reads the checks of a scenario from the folder of its run.
pub(crate) fn checks(folder: &Path, scenario: &str) -> std::io::Result<Vec<Check>> {
    let prefix = format!("server-{scenario}-");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // The name is followed by the time, so that no name is taken for a prefix of another.
        if name.strip_prefix(&prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
            found.extend(checks_in(&fs::read_to_string(entry.path().join("checks.json"))?));
        }
    }
    Ok(found)
}

fn checks_in(json: &str) -> Vec<Check> {
    let member = |line: &str, name: &str| {
        let value = line.strip_prefix("    \"")?.strip_prefix(name)?.strip_prefix("\": \"")?;
        let value = value.strip_suffix(',').unwrap_or(value);
        value.strip_suffix('"').map(str::to_owned)
    };
    let parts = json.split("\n  }").filter(|check| check.contains("\n    \"status\": "));
    let of = |check: &str, name: &str| check.lines().find_map(|line| member(line, name)).unwrap_or_default();
    let check = |check: &str| {
        let [name, status, message] = ["id", "status", "errorMessage"].map(|name| of(check, name));
        Check { name, status, message }
    };
    parts.map(check).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "Running requirements\n✓ before: 9 passed, 0 failed\n\n=== SUMMARY ===\n\
        ✓ ping: 2 passed, 0 failed\n✗ caching: 7 passed, 1 failed\n✓ tasks-status: 0 passed, 0 failed\n\n\
        Total: 9 passed, 1 failed\n\n\
        Not scored for 2026-07-28: 1 scenario(s) run, 0 failing. These do not affect conformance.\n  \
        ✓ tasks-status (extension)\n";

    #[test]
    fn parses_the_summary() {
        let scenario =
            |name: &str, passed, failed, scored| Scenario { name: name.to_owned(), passed, failed, scored };
        let found = scenarios(OUTPUT);
        assert_eq!(
            found,
            [
                scenario("ping", 2, 0, true),
                scenario("caching", 7, 1, true),
                scenario("tasks-status", 0, 0, false)
            ]
        );
        // A scenario without checks does not hold.
        assert_eq!(found.iter().map(Scenario::holds).collect::<Vec<_>>(), [true, false, false]);
        assert_eq!(scenarios("it fell over"), []);
    }

    const CHECKS: &str = r#"[
  {
    "id": "wire-schema-valid",
    "name": "First",
    "status": "SUCCESS",
    "specReferences": [
      {
        "id": "SEP-1"
      }
    ]
  },
  {
    "id": "second",
    "status": "FAILURE",
    "errorMessage": "Expected 5: got \"6\"",
    "details": {
      "status": "SUCCESS",
      "errorMessage": "not this one"
    }
  },
  {
    "id": "third",
    "status": "WARNING",
    "errorMessage": "Should be there"
  }
]"#;

    #[test]
    fn parses_failed_checks_without_details() {
        let checks = checks_in(CHECKS);
        let problems: Vec<String> =
            checks.iter().filter(|check| check.is_problem()).map(ToString::to_string).collect();
        assert_eq!(
            problems,
            ["  failure second: Expected 5: got \\\"6\\\"", "  warning third: Should be there"]
        );
    }

    #[test]
    fn finds_the_folder_of_a_scenario() {
        let folder = std::env::temp_dir().join(format!("xtask-conformance-{}", std::process::id()));
        for name in ["server-http-2026-07-28T00-00-00Z", "server-http-header-2026-07-28T00-00-00Z"] {
            fs::create_dir_all(folder.join(name)).unwrap();
            fs::write(folder.join(name).join("checks.json"), CHECKS).unwrap();
        }
        assert_eq!(checks(&folder, "http").unwrap().len(), 3);
        fs::remove_dir_all(&folder).unwrap();
        assert!(checks(&folder, "http").is_err());
    }
}
