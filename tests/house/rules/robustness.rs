//! Checks the table of bad inputs and faults: each row names tests that exist, or has a reason why it has none.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, File, ItemFn, LitStr, Macro};

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
            let names = self.rust.entry(file.to_owned()).or_insert_with(|| match text(file) {
                Some(source) => tests_of(&syn::parse_file(&source).unwrap()),
                None => Vec::new(),
            });
            return names.iter().any(|name| name == function);
        }
        let Some((file, title)) = name.split_once(": ") else { return false };
        text(file).is_some_and(|source| {
            ["\"", "`", "'"].iter().any(|quote| source.contains(&format!("test({quote}{title}")))
        })
    }
}

/// Reads a file, if it exists.
fn text(path: &str) -> Option<String> {
    std::fs::read_to_string(workspace::root().join(path)).ok()
}

/// Returns the names of the tests of a file: functions with an attribute `test`, also within a macro such as `proptest!`, and the
/// names in a program of tests that has a `main` of its own.
fn tests_of(file: &File) -> Vec<String> {
    let mut found = Found::default();
    found.visit_file(file);
    if found.has_main {
        found.tests.append(&mut found.texts);
    }
    found.tests
}

#[derive(Default)]
struct Found {
    tests: Vec<String>,
    texts: Vec<String>,
    has_main: bool,
}

impl Visit<'_> for Found {
    fn visit_item_fn(&mut self, function: &ItemFn) {
        if function.attrs.iter().any(is_test) {
            self.tests.push(function.sig.ident.to_string());
        }
        self.has_main |= function.sig.ident == "main";
        visit::visit_item_fn(self, function);
    }

    fn visit_lit_str(&mut self, text: &LitStr) {
        self.texts.push(text.value());
    }

    fn visit_macro(&mut self, called: &Macro) {
        self.read(called.tokens.clone());
    }
}

impl Found {
    /// Reads the tokens of a macro: a test is `#[test] fn name`, and a text is a literal.
    fn read(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut is_test = false;
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => {
                    is_test |= group.stream().to_string() == "test";
                    self.read(group.stream());
                }
                TokenTree::Ident(word) if word == "fn" => {
                    if let (true, Some(TokenTree::Ident(name))) = (is_test, tokens.get(at + 1)) {
                        self.tests.push(name.to_string());
                    }
                    is_test = false;
                }
                TokenTree::Literal(literal) => {
                    let text = syn::parse_str::<LitStr>(&literal.to_string());
                    self.texts.extend(text.map(|text| text.value()));
                }
                _ => {}
            }
        }
    }
}

fn is_test(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|name| name.ident == "test")
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
fn tests_are_found_in_functions_macros_and_programs() {
    let of = |source: &str| tests_of(&syn::parse_str(source).unwrap());
    let source = "fn helper() { x(\"a text\") } #[test] fn a() {} mod m { #[tokio::test(start_paused = true)] async fn b() {} }
        proptest! { #![config] #[test] fn c(n in 1..2) { let f = \"d\"; } fn e() {} }";
    assert_eq!(of(source), ["a", "b", "c"]);
    assert_eq!(of("fn main() { let tests = vec![trial(\"f\", g)]; run(&[(\"h\", i)]) }"), ["f", "h"]);
    let mut tests = Tests::default();
    for (name, exists) in [
        ("tests/house/rules/robustness.rs::every_row_names_tests_that_exist", true),
        ("tests/house/rules/robustness.rs::tests_of", false),
        ("tests/house/rules/nowhere.rs::tests_of", false),
        ("tests/browser/form.test.mjs: sends inputs of every shape as entered", true),
        ("tests/browser/form.test.mjs: does what nobody has heard of", false),
        ("cargo xtask test replicas", true),
        ("cargo xtask test nothing", false),
        ("every_row_names_tests_that_exist", false),
    ] {
        assert_eq!(tests.exists(name), exists, "{name}");
    }
}
