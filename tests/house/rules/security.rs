//! Checks that each promise of `SECURITY.md` names a test or a page that exists.

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

/// Returns what is wrong with the links of a promise.
fn fault(promise: &str, read: impl Fn(&str) -> String) -> Option<String> {
    if links(promise).next().is_none() {
        return Some(format!("no test and no page holds: {promise}"));
    }
    links(promise).find_map(|(name, target)| {
        let content = read(target.split('#').next().unwrap_or(target));
        let test = name.strip_prefix('`')?.strip_suffix('`')?;
        (!content.contains(&format!("fn {test}("))).then(|| format!("{target} has no test `{test}`"))
    })
}

#[test]
fn every_promise_of_security_names_what_holds_it() {
    let page = workspace::read("SECURITY.md");
    let promises = promises(&page);
    assert!(promises.len() > 10, "{promises:?}");
    let faults: Vec<String> =
        promises.iter().filter_map(|promise| fault(promise, |path| workspace::read(path))).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_promise_without_a_test_is_found() {
    let page = "## To you\n\n- One:\n  [`a`](b.rs), [c](d.md#e)\n- Two\n\n## Others\n\n- Three\n";
    let promises = promises(page);
    assert_eq!(promises, ["- One:  [`a`](b.rs), [c](d.md#e)", "- Two"]);
    assert_eq!(links(&promises[0]).collect::<Vec<_>>(), [("`a`", "b.rs"), ("c", "d.md#e")]);
    assert_eq!(fault(&promises[0], |_| "async fn a() {}".to_owned()), None);
    assert!(fault(&promises[0], |_| "fn b() {}".to_owned()).is_some());
    assert!(fault(&promises[1], |_| String::new()).is_some());
}
