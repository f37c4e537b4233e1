//! The step that tests the explorer page and the default page of a tool in a browser.

use crate::binaries;
use crate::clients::Clients;
use crate::failure::Failure;
use crate::tally::Tally;
use crate::workspace;

/// Runs `tests/browser` in Node's test runner, with the fixture of every shape and the weather example.
pub(crate) fn page(tally: &mut Tally) -> Result<(), Failure> {
    let clients = Clients::install(FOLDER)?;
    let [fixture, weather] = binaries::built(["fixture-explorer", "weather"])?;
    // One file at a time: each starts a browser.
    let result = clients
        .invocation("node")
        .folder(&workspace::root().join(FOLDER))
        .arguments(["--test", "--test-concurrency=1", "--test-reporter=tap"])
        .arguments(FILES)
        .env("FIXTURE", fixture)
        .env("WEATHER", weather)
        .announce()
        .run_reading(|line| *tally += counted(line));
    match tally {
        Tally { failed: 1.., .. } => Err(Failure::Checks(tally.failed)),
        Tally { skipped: 1.., .. } => Err(Failure::Skipped(tally.skipped)),
        Tally { passed: 0, .. } => result.and(Err(Failure::NoTests)),
        _ => result,
    }
}

const FOLDER: &str = "tests/browser";
const FILES: [&str; 8] = [
    "discover.test.mjs",
    "form.test.mjs",
    "run.test.mjs",
    "safety.test.mjs",
    "access.test.mjs",
    "steps.test.mjs",
    "tasks.test.mjs",
    "pages.test.mjs",
];

/// Parses a count of the runner's last lines, like `# pass 12`. A cancelled test counts as failed.
fn counted(line: &str) -> Tally {
    let mut tally = Tally::default();
    let Some((what, number)) = line.strip_prefix("# ").and_then(|line| line.split_once(' ')) else {
        return tally;
    };
    let number = number.parse().unwrap_or(0);
    match what {
        "pass" => tally.passed = number,
        "fail" | "cancelled" => tally.failed = number,
        "skipped" | "todo" => tally.skipped = number,
        _ => {}
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_the_closing_lines() {
        let mut tally = Tally::default();
        for line in [
            "TAP version 13",
            "ok 1 - a test",
            "# tests 8",
            "# pass 3",
            "# fail 2",
            "# cancelled 1",
            "# skipped 1",
            "# todo 1",
            "# a remark 9",
            "# pass on",
        ] {
            tally += counted(line);
        }
        assert_eq!(tally, Tally { passed: 3, failed: 3, skipped: 2 });
    }

    #[test]
    fn lists_every_test_file() {
        let folder = workspace::root().join(FOLDER);
        let mut found: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".test.mjs"))
            .collect();
        found.sort();
        let mut expected = FILES;
        expected.sort();
        assert_eq!(found, expected);
    }
}
