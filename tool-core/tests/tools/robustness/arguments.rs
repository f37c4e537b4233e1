//! Rows 1 to 28: invalid JSON and invalid arguments.

use std::collections::BTreeMap;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::{FailureKind, tool};

use super::Recorded;

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Letter {
    A,
    B,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Tagged {
    One { n: u8 },
    Two { n: u8 },
}

/// Repeats what it is given.
#[tool(operation = Transform)]
#[allow(clippy::too_many_arguments, reason = "each row needs its own")]
fn repeat(
    n: Option<i64>,
    small: Option<u8>,
    unsigned: Option<u64>,
    text: Option<String>,
    #[arg(length(max = 100))] short: Option<String>,
    #[arg(pattern = "^(a+)+$")] pattern: Option<String>,
    maybe: Option<Option<String>>,
    letter: Option<Letter>,
    tagged: Option<Tagged>,
    list: Option<Vec<u8>>,
    map: Option<BTreeMap<String, BTreeMap<String, u8>>>,
    day: Option<Date>,
    #[arg(default = 5)] defaulted: u8,
) -> Value {
    let maybe = match maybe {
        None => json!("absent"),
        Some(inner) => json!({ "given": inner }),
    };
    let given = json!({
        "n": n, "small": small, "unsigned": unsigned, "text": text, "short": short, "pattern": pattern,
        "letter": letter, "tagged": tagged, "list": list, "map": map, "day": day,
    });
    let given = given.as_object().unwrap().iter().filter(|(_, value)| !value.is_null());
    let mut given: serde_json::Map<_, _> = given.map(|(name, value)| (name.clone(), value.clone())).collect();
    given.insert("maybe".to_owned(), maybe);
    given.insert("defaulted".to_owned(), defaulted.into());
    given.into()
}

/// Takes two inputs that must be given, and a secret.
#[tool(operation = Transform)]
fn require(a: i64, b: String, #[arg(secret)] password: String) -> usize {
    let a = usize::try_from(a).unwrap_or_default();
    a + b.len() + password.len()
}

/// The expected outcome of a row.
enum Expect {
    /// Accepted, with these inputs beside the two constant ones.
    Accepted(Value),
    /// Rejected, with a failure whose text contains all of these.
    Rejected(FailureKind, &'static [&'static str]),
}

use Expect::{Accepted, Rejected};
use FailureKind::{Input, NotJson};

fn nested(depth: usize) -> Vec<u8> {
    format!(r#"{{"text":{}{}}}"#, "[".repeat(depth), "]".repeat(depth)).into()
}

fn rows() -> Vec<(&'static str, Vec<u8>, Expect)> {
    let text = |text: &str| text.as_bytes().to_vec();
    let wrong: String = vec!["\"x\""; 1_000_000].join(",");
    let members: Vec<String> = (0..10_000).map(|n| format!(r#""k{n}":"x""#)).collect();
    let members = members.join(",");
    let maps: Vec<String> = (0..100).map(|n| format!(r#""k{n}":{{{members}}}"#)).collect();
    let maps = maps.join(",");
    let keys: String = (0..100_000).map(|n| format!(",\"k{n}\":1")).collect();
    vec![
        ("1. nothing", text(""), Accepted(json!({}))),
        ("1. white space", text(" \n\t"), Accepted(json!({}))),
        ("2. a text that ends too early", text(r#"{"n":1"#), Rejected(NotJson, &["are not JSON"])),
        ("3. no UTF-8", b"{\"text\":\"\xff\"}".to_vec(), Rejected(NotJson, &["invalid UTF-8 after 9 bytes"])),
        ("3. no UTF-8 outside of a string", b"{\"n\":1}\xff".to_vec(), Rejected(NotJson, &["invalid UTF-8"])),
        ("4. half of a surrogate pair", text(r#"{"text":"\ud800"}"#), Rejected(NotJson, &[])),
        ("4. the same in a name", text(r#"{"\ud800":1}"#), Rejected(NotJson, &[])),
        ("5. a byte order mark", text("\u{feff}{}"), Rejected(NotJson, &["byte order mark"])),
        ("6. NaN", text(r#"{"n":NaN}"#), Rejected(NotJson, &[])),
        ("6. Infinity", text(r#"{"n":-Infinity}"#), Rejected(NotJson, &[])),
        ("6. too great a number", text(r#"{"n":1e400}"#), Rejected(NotJson, &[])),
        ("7. bytes after the value", text(r#"{"n":1}{"n":2}"#), Rejected(NotJson, &[])),
        ("8. an array", text("[1]"), Rejected(Input, &["expected an object"])),
        ("8. a string", text(r#""n""#), Rejected(Input, &["expected an object"])),
        ("8. null", text("null"), Rejected(Input, &["expected an object"])),
        ("9. 128 levels", nested(128), Rejected(NotJson, &[])),
        ("9. 200 levels", nested(200), Rejected(NotJson, &[])),
        ("9. 100,000 levels", nested(100_000), Rejected(NotJson, &[])),
        ("10. a member twice", text(r#"{"n":1,"n":1}"#), Rejected(NotJson, &["/n", "twice"])),
        (
            "10. the same, spelled otherwise",
            text(r#"{"n":1,"\u006e":1}"#),
            Rejected(NotJson, &["/n", "twice"]),
        ),
        (
            "10. the same, further in",
            text(r#"{"tagged":{"kind":"One","n":1,"n":2}}"#),
            Rejected(NotJson, &["/tagged/n", "twice"]),
        ),
        ("10. a name in another case", text(r#"{"n":1,"N":1}"#), Rejected(Input, &["/N", "`n`"])),
        (
            "11. names with a meaning elsewhere",
            text(r#"{"__proto__":{},"constructor":1}"#),
            Rejected(Input, &["/__proto__", "/constructor"]),
        ),
        ("12. an unknown name", text(r#"{"unsinged":1}"#), Rejected(Input, &["/unsinged", "`unsigned`"])),
        ("14. null for what may be left out", text(r#"{"n":null,"defaulted":null}"#), Accepted(json!({}))),
        (
            "14. null that means something",
            text(r#"{"maybe":null}"#),
            Accepted(json!({"maybe": {"given": null}})),
        ),
        ("14. an empty text is a value", text(r#"{"maybe":""}"#), Accepted(json!({"maybe": {"given": ""}}))),
        ("15. 1.0", text(r#"{"n":1.0}"#), Accepted(json!({"n": 1}))),
        ("16. 1.5", text(r#"{"n":1.5}"#), Rejected(Input, &["/n"])),
        ("16. 1e3", text(r#"{"n":1e3}"#), Accepted(json!({"n": 1000}))),
        ("16. -0", text(r#"{"small":-0}"#), Accepted(json!({"small": 0}))),
        ("16. 1E0", text(r#"{"n":1E0}"#), Accepted(json!({"n": 1}))),
        ("17. i64::MAX", text(r#"{"n":9223372036854775807}"#), Accepted(json!({"n": i64::MAX}))),
        ("17. i64::MAX + 1", text(r#"{"n":9223372036854775808}"#), Rejected(Input, &["/n"])),
        (
            "17. u64::MAX",
            text(r#"{"unsigned":18446744073709551615}"#),
            Accepted(json!({"unsigned": u64::MAX})),
        ),
        ("17. u64::MAX + 1", text(r#"{"unsigned":18446744073709551616}"#), Rejected(Input, &["/unsigned"])),
        ("17. -1 without a sign", text(r#"{"unsigned":-1}"#), Rejected(Input, &["/unsigned"])),
        (
            "18. 2^53 + 1",
            text(r#"{"n":9007199254740993}"#),
            Accepted(json!({"n": 9_007_199_254_740_993_i64})),
        ),
        (
            "19. a megabyte where 100 characters may be",
            format!(r#"{{"short":"{}"}}"#, "x".repeat(1 << 20)).into(),
            Rejected(Input, &["/short: expected at most 100 characters, got 1048576"]),
        ),
        (
            "20. 100 code points",
            format!(r#"{{"short":"{}"}}"#, "\u{1f600}\u{301}".repeat(50)).into(),
            Accepted(json!({"short": "\u{1f600}\u{301}".repeat(50)})),
        ),
        (
            "21. a million wrong items",
            format!(r#"{{"list":[{wrong}]}}"#).into(),
            Rejected(Input, &["/list/0"]),
        ),
        (
            "21. a million wrong members",
            format!(r#"{{"map":{{{maps}}}}}"#).into(),
            Rejected(Input, &["/map/k0/k0", "20 problems"]),
        ),
        ("22. 100,000 names", format!(r#"{{"n":1{keys}}}"#).into(), Rejected(NotJson, &["members"])),
        ("23. another case", text(r#"{"letter":"A"}"#), Rejected(Input, &["/letter", "`a`, `b`"])),
        ("23. another type", text(r#"{"letter":{}}"#), Rejected(Input, &["/letter", "`a`, `b`"])),
        (
            "24. an unknown tag",
            text(r#"{"tagged":{"kind":"Three","n":1}}"#),
            Rejected(Input, &["`One`, `Two`"]),
        ),
        (
            "25. a pattern that takes others forever",
            format!(r#"{{"pattern":"{}b"}}"#, "a".repeat(100_000)).into(),
            Rejected(Input, &["/pattern"]),
        ),
        ("26. a day that does not exist", text(r#"{"day":"2014-02-30"}"#), Rejected(Input, &["/day"])),
        ("27. a default", text(r#"{"n":1}"#), Accepted(json!({"n": 1, "defaulted": 5}))),
        (
            "28. what no human sees",
            text(r#"{"text":"\u0000\u001b[31m\u202e\udb40\udc41"}"#),
            Accepted(json!({"text": "\u{0}\u{1b}[31m\u{202e}\u{e0041}"})),
        ),
    ]
}

#[tokio::test]
async fn returns_the_expected_outcome_for_each_row() {
    let recorded = Recorded::new(module_path!(), |builder| builder);
    for (row, arguments, expect) in rows() {
        match (recorded.call(row, "repeat", arguments).await, expect) {
            (Ok(output), Accepted(expected)) => {
                let mut all = json!({"maybe": "absent", "defaulted": 5});
                all.as_object_mut().unwrap().extend(expected.as_object().unwrap().clone());
                assert_eq!(output.value(), all, "{row}");
            }
            (Err(failure), Rejected(kind, texts)) => {
                assert_eq!(failure.kind(), kind, "{row}: {}", failure.text());
                assert!(failure.problems().len() <= 20, "{row}: {} problems", failure.problems().len());
                let most = if kind == NotJson { 512 } else { 4096 };
                assert!(failure.text().len() <= most, "{row}: {} bytes", failure.text().len());
                for text in texts {
                    assert!(failure.text().contains(text), "{row}: {text} is not in {}", failure.text());
                }
            }
            (Ok(output), Rejected(..)) => panic!("{row}: taken as {}", output.value()),
            (Err(failure), Accepted(_)) => panic!("{row}: {}", failure.text()),
        }
    }
}

#[tokio::test]
async fn row_13_reports_all_missing_inputs() {
    let recorded = Recorded::new(module_path!(), |builder| builder);
    let failure = recorded.call("13", "require", "{}").await.unwrap_err();
    let places: Vec<_> = failure.problems().iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!((failure.kind(), places), (Input, vec!["/a", "/b", "/password"]));
}

#[tokio::test]
async fn hides_secrets_in_failures_and_events() {
    let recorded = Recorded::new(module_path!(), |builder| builder);
    for (row, arguments, kind) in [
        ("a wrong neighbour", r#"{"a":"x","b":"","password":"hunter2"}"#, Some(Input)),
        ("a secret of another type", r#"{"a":1,"b":"","password":["hunter2"]}"#, Some(Input)),
        ("no JSON", r#"{"a":1,"b":"","password":"hunter2"]"#, Some(NotJson)),
        ("taken", r#"{"a":1,"b":"","password":"hunter2"}"#, None),
    ] {
        let result = recorded.call(row, "require", arguments).await;
        assert_eq!(result.err().map(|failure| failure.kind()), kind, "{row}");
    }
}
