//! Checks the table of bad inputs and faults: each row names tests that exist, or has a reason why it has none.

use std::collections::BTreeMap;

use super::test_names::test_names;
use crate::workspace;

const PAGE: &str = "tests/robustness.md";

/// The faults of the machine.
const FAULTS_PAGE: &str = "tests/faults.md";

/// The number of rows.
const ROWS: usize = 122;

/// The rows with a part that no test holds.
const NOT_HELD: [usize; 5] = [79, 91, 101, 107, 111];

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

/// Returns the cells of a line; `\|` is a part of a cell.
fn cells(line: &str) -> Vec<&str> {
    let bars = line.match_indices('|').map(|(at, _)| at).filter(|at| !line[..*at].ends_with('\\'));
    let bars: Vec<usize> = bars.collect();
    bars.windows(2).map(|pair| line[pair[0] + 1..pair[1]].trim()).collect()
}

/// Returns the tests in a cell.
fn tests(cell: &str) -> impl Iterator<Item = &str> {
    cell.split("<br>").map(|test| test.trim_matches('`')).filter(|test| !test.is_empty())
}

fn row(line: &str) -> Result<Row<'_>, String> {
    let cells = cells(line);
    let [number, input, outcome, named, reason] = cells[..] else {
        return Err(format!("{} cells instead of 5: {line}", cells.len()));
    };
    let number = number.parse().map_err(|_| format!("`{number}` is not the number of a row"))?;
    if input.is_empty() || outcome.is_empty() {
        return Err(format!("row {number} has no input or no outcome"));
    }
    Ok(Row { number, tests: tests(named).collect(), reason })
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
        if tests.is_empty() {
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

/// Returns what is wrong with the table of the faults of the machine; `find` returns `true` if a test exists.
fn machine_faults(page: &str, mut find: impl FnMut(&str) -> bool) -> Vec<String> {
    let mut faults = Vec::new();
    for line in page.lines().filter(|line| line.starts_with('|')).skip(2) {
        let [fault, seen, named] = cells(line)[..] else {
            faults.push(format!("not 3 cells: {line}"));
            continue;
        };
        if fault.is_empty() || seen.is_empty() || tests(named).next().is_none() {
            faults.push(format!("an empty cell: {line}"));
        }
        let missing = tests(named).filter(|test| !find(test));
        faults.extend(missing.map(|test| format!("{fault}: there is no test `{test}`")));
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
fn every_fault_of_the_machine_names_tests_that_exist() {
    let mut tests = Tests::default();
    let page = workspace::read(FAULTS_PAGE);
    let faults = machine_faults(&page, |name| tests.exists(name));
    assert!(faults.is_empty(), "{FAULTS_PAGE}:\n{}", faults.join("\n"));
    // A test of a fault that the page leaves out.
    let program = workspace::read("tests/faults/main.rs");
    let left_out = test_names(&program)
        .into_iter()
        .filter(|name| name.contains("_") && !page.contains(&format!("`tests/faults/main.rs::{name}`")));
    assert_eq!(left_out.collect::<Vec<_>>(), [""; 0], "{FAULTS_PAGE} does not name them");
}

#[test]
fn a_fault_of_the_machine_without_a_test_is_found() {
    let page = |row: &str| format!("| fault | what was seen | tests |\n|---|---|---|\n{row}\n");
    let found = |row: &str| machine_faults(&page(row), |name| name != "e");
    assert_eq!(found("| a | b | `c`<br>`d` |"), [""; 0]);
    assert_eq!(found("| a | b | |"), ["an empty cell: | a | b | |"]);
    assert_eq!(found("| a | b | `e` |"), ["a: there is no test `e`"]);
    assert_eq!(found("| a | `e` |"), ["not 3 cells: | a | `e` |"]);
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
