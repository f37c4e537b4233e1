//! Checks that each promise of `SECURITY.md` names a test or a page that exists.

use super::test_names::test_names;
use crate::workspace;

/// Returns the promises: the items under a heading "To …", up to the next section.
fn promises(page: &str) -> Vec<String> {
    let mut promises: Vec<String> = Vec::new();
    let mut is_promise = false;
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix('#') {
            is_promise = heading.trim_start_matches('#').starts_with(" To ");
        } else if is_promise && line.starts_with("- ") {
            promises.push(line.to_owned());
        } else if is_promise && line.starts_with("  ") {
            promises.last_mut().expect("an item before its second line").push_str(line);
        }
    }
    promises
}

/// Returns the text and the target of each link.
fn links(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("](").zip(text.split("](").skip(1)).map(|(before, after)| {
        let name = before.rsplit('[').next().unwrap_or(before);
        (name, after.split(')').next().unwrap_or(after))
    })
}

/// Returns what is wrong with the links of a promise; `read` returns the text of a file that exists. A link names a test of a file, a
/// program with the compile error beside it, or a page.
fn fault(promise: &str, read: impl Fn(&str) -> Option<String>) -> Option<String> {
    if links(promise).next().is_none() {
        return Some(format!("no test and no page holds: {promise}"));
    }
    links(promise).find_map(|(name, target)| {
        let path = target.split('#').next().unwrap_or(target);
        let Some(text) = read(path) else { return Some(format!("there is no {path}: {promise}")) };
        if path.ends_with(".md") {
            return None;
        }
        match name.strip_prefix('`').and_then(|name| name.strip_suffix('`')) {
            Some(test) if test_names(&text).iter().any(|name| name == test) => None,
            None if read(&path.replace(".rs", ".stderr")).is_some() => None,
            _ => Some(format!("{target} has no test {name}, or it is ignored")),
        }
    })
}

#[test]
fn every_promise_of_security_names_what_holds_it() {
    let page = workspace::read("SECURITY.md");
    let promises = promises(&page);
    assert!(promises.len() > 10, "{promises:?}");
    let faults: Vec<String> = promises
        .iter()
        .filter_map(|promise| fault(promise, |path| workspace::read_if_present(path)))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_promise_without_a_test_is_found() {
    let page = "## To you\n\n- One:\n  [`a`](b.rs), [c](d.md#e)\n- Two\n\n## Others\n\n- Three\n";
    let promises = promises(page);
    assert_eq!(promises, ["- One:  [`a`](b.rs), [c](d.md#e)", "- Two"]);
    assert_eq!(links(&promises[0]).collect::<Vec<_>>(), [("`a`", "b.rs"), ("c", "d.md#e")]);
    let fault_of = |promise: &str, source: &str| {
        let files = [("b.rs", source), ("d.md", ""), ("e.rs", "fn main() {}"), ("e.stderr", "error")];
        fault(promise, |path| Some(files.iter().find(|file| file.0 == path)?.1.to_owned()))
    };
    assert_eq!(fault_of(&promises[0], "#[tokio::test] async fn a() {}"), None);
    assert_eq!(fault_of("- One: [the error](e.rs)", ""), None);
    for source in ["#[test] fn b() {}", "fn a() {}", "#[test] #[ignore] fn a() {}"] {
        let fault = fault_of(&promises[0], source).unwrap();
        assert_eq!(fault, "b.rs has no test `a`, or it is ignored", "{source}");
    }
    let source = "#[test] fn a() {}";
    assert_eq!(fault_of(&promises[1], source).unwrap(), "no test and no page holds: - Two");
    assert_eq!(fault_of("- One: [a](b.rs)", source).unwrap(), "b.rs has no test a, or it is ignored");
    assert_eq!(fault_of("- One: [a](c.md)", source).unwrap(), "there is no c.md: - One: [a](c.md)");
}
