//! Checks the table of bad inputs and faults: each row names tests that exist, or has a reason why it has none.

use std::collections::BTreeMap;

use super::test_names::test_names;
use crate::workspace;

const PAGE: &str = "tests/robustness.md";

/// The number of rows.
const ROWS: usize = 122;

/// The rows with a part that no test holds.
const NOT_HELD: [usize; 7] = [79, 91, 100, 101, 106, 107, 111];

/// The rows of these that have no test at all.
const WITHOUT_TEST: [usize; 3] = [100, 106, 107];

/// A row of the table.
struct Row<'p> {
    number: usize,
    tests: Vec<&'p str>,
    /// What no test holds, and why.
    reason: &'p str,
}

/// Returns the rows of all tables of a page.
fn rows(page: &str) -> Result<Vec<Row<'_>>, String> {
    let lines = page.lines().filter(|line| line.starts_with('|'));
    let lines = lines.filter(|line| !line.starts_with("| # ") && !line.starts_with("|---"));
    lines.map(row).collect()
}

fn row(line: &str) -> Result<Row<'_>, String> {
    // `\|` is a part of a cell.
    let bars = line.match_indices('|').map(|(at, _)| at).filter(|at| !line[..*at].ends_with('\\'));
    let bars: Vec<usize> = bars.collect();
    let cells: Vec<&str> = bars.windows(2).map(|pair| line[pair[0] + 1..pair[1]].trim()).collect();
    let [number, input, outcome, tests, reason] = cells[..] else {
        return Err(format!("{} cells instead of 5: {line}", cells.len()));
    };
    let number = number.parse().map_err(|_| format!("`{number}` is not the number of a row"))?;
    if input.is_empty() || outcome.is_empty() {
        return Err(format!("row {number} has no input or no outcome"));
    }
    let tests = tests.split("<br>").map(|test| test.trim_matches('`')).filter(|test| !test.is_empty());
    Ok(Row { number, tests: tests.collect(), reason })
}

/// Returns what is wrong with the rows of a page; `find` returns `true` if a test exists.
fn faults(page: &str, count: usize, mut find: impl FnMut(&str) -> bool) -> Vec<String> {
    let rows = match rows(page) {
        Ok(rows) => rows,
        Err(fault) => return vec![fault],
    };
    let mut faults = Vec::new();
    if !rows.iter().map(|row| row.number).eq(1..=count) {
        let numbers: Vec<usize> = rows.iter().map(|row| row.number).collect();
        faults.push(format!("the rows are not numbered from 1 to {count}: {numbers:?}"));
    }
    for Row { number, tests, reason } in rows {
        if tests.is_empty() && !WITHOUT_TEST.contains(&number) {
            faults.push(format!("row {number} has no test"));
        }
        if reason.is_empty() == NOT_HELD.contains(&number) {
            faults.push(format!("row {number}: its last cell and `NOT_HELD` contradict each other"));
        }
        let missing = tests.into_iter().filter(|test| !find(test));
        faults.extend(missing.map(|test| format!("row {number}: there is no test `{test}`")));
    }
    faults
}

/// Finds tests by the names that the table gives them, and reads each file once.
#[derive(Default)]
struct Tests {
    rust: BTreeMap<String, Vec<String>>,
}

impl Tests {
    fn exists(&mut self, name: &str) -> bool {
        if let Some(step) = name.strip_prefix("cargo xtask test ") {
            return workspace::read("xtask/src/steps.rs").contains(&format!("name: \"{step}\","));
        }
        if let Some((file, function)) = name.split_once("::") {
            let names = self.rust.entry(file.to_owned()).or_insert_with(|| {
                workspace::read_if_present(file).map_or_else(Vec::new, |source| test_names(&source))
            });
            return names.iter().any(|name| name == function);
        }
        let Some((file, title)) = name.split_once(": ") else { return false };
        workspace::read_if_present(file).is_some_and(|source| {
            ["\"", "`", "'"].iter().any(|quote| source.contains(&format!("test({quote}{title}")))
        })
    }
}

#[test]
fn every_row_names_tests_that_exist() {
    let mut tests = Tests::default();
    let faults = faults(&workspace::read(PAGE), ROWS, |name| tests.exists(name));
    assert!(faults.is_empty(), "{PAGE}:\n{}", faults.join("\n"));
}

#[test]
fn a_row_without_a_test_and_a_gap_are_found() {
    let head = "| # | input or fault | outcome | tests | not held, and why |\n|---|---|---|---|---|\n";
    let page = |rows: &str| {
        format!("# Title\n\n{head}{rows}\n## Part\n\n{head}| 2 | `a\\|b` | no | `c`<br>`d` | |\n")
    };
    let found = |rows: &str| faults(&page(rows), 2, |name| name != "e");
    assert_eq!(found("| 1 | a | b | `c` | |\n"), [""; 0]);
    assert_eq!(found("| 1 | a | b | | |\n"), ["row 1 has no test"]);
    assert_eq!(found("| 1 | a | b | `c`<br>`e` | |\n"), ["row 1: there is no test `e`"]);
    assert_eq!(
        found("| 1 | a | b | `c` | It takes a day. |\n"),
        ["row 1: its last cell and `NOT_HELD` contradict each other"]
    );
    assert_eq!(found(""), ["the rows are not numbered from 1 to 2: [2]"]);
    assert_eq!(found("| 1 | a | `c` | |\n"), ["4 cells instead of 5: | 1 | a | `c` | |"]);
    assert_eq!(found("| 1 | a | | `c` | |\n"), ["row 1 has no input or no outcome"]);
}

#[test]
fn tests_are_found_by_the_names_of_the_table() {
    let mut tests = Tests::default();
    for (name, exists) in [
        ("tests/house/rules/robustness.rs::every_row_names_tests_that_exist", true),
        ("tests/house/rules/robustness.rs::faults", false),
        ("tests/house/rules/nowhere.rs::faults", false),
        ("tests/browser/form.test.mjs: sends inputs of every shape as entered", true),
        ("tests/browser/form.test.mjs: does what nobody has heard of", false),
        ("cargo xtask test replicas", true),
        ("cargo xtask test nothing", false),
        ("every_row_names_tests_that_exist", false),
    ] {
        assert_eq!(tests.exists(name), exists, "{name}");
    }
}
