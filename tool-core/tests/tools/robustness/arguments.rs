//! Rows 1 to 28: what is no JSON, and what is not what the tool takes.

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

/// What a row comes to.
enum Expect {
    /// It is taken; these are the inputs beside the two that are always there.
    Taken(Value),
    /// It is refused, and the text of the failure has all of this.
    Refused(FailureKind, &'static [&'static str]),
}

use Expect::{Refused, Taken};
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
        ("1. nothing", text(""), Taken(json!({}))),
        ("1. white space", text(" \n\t"), Taken(json!({}))),
        ("2. a text that ends too early", text(r#"{"n":1"#), Refused(NotJson, &["are not JSON"])),
        ("3. no UTF-8", b"{\"text\":\"\xff\"}".to_vec(), Refused(NotJson, &["invalid UTF-8 after 9 bytes"])),
        ("3. no UTF-8 outside of a string", b"{\"n\":1}\xff".to_vec(), Refused(NotJson, &["invalid UTF-8"])),
        ("4. half of a surrogate pair", text(r#"{"text":"\ud800"}"#), Refused(NotJson, &[])),
        ("4. the same in a name", text(r#"{"\ud800":1}"#), Refused(NotJson, &[])),
        ("5. a byte order mark", text("\u{feff}{}"), Refused(NotJson, &["byte order mark"])),
        ("6. NaN", text(r#"{"n":NaN}"#), Refused(NotJson, &[])),
        ("6. Infinity", text(r#"{"n":-Infinity}"#), Refused(NotJson, &[])),
        ("6. too great a number", text(r#"{"n":1e400}"#), Refused(NotJson, &[])),
        ("7. bytes after the value", text(r#"{"n":1}{"n":2}"#), Refused(NotJson, &[])),
        ("8. an array", text("[1]"), Refused(Input, &["expected an object"])),
        ("8. a string", text(r#""n""#), Refused(Input, &["expected an object"])),
        ("8. null", text("null"), Refused(Input, &["expected an object"])),
        ("9. 128 levels", nested(128), Refused(NotJson, &[])),
        ("9. 200 levels", nested(200), Refused(NotJson, &[])),
        ("9. 100,000 levels", nested(100_000), Refused(NotJson, &[])),
        ("10. a member twice", text(r#"{"n":1,"n":1}"#), Refused(NotJson, &["/n", "twice"])),
        (
            "10. the same, spelled otherwise",
            text(r#"{"n":1,"\u006e":1}"#),
            Refused(NotJson, &["/n", "twice"]),
        ),
        (
            "10. the same, further in",
            text(r#"{"tagged":{"kind":"One","n":1,"n":2}}"#),
            Refused(NotJson, &["/tagged/n", "twice"]),
        ),
        ("10. a name in another case", text(r#"{"n":1,"N":1}"#), Refused(Input, &["/N", "`n`"])),
        (
            "11. names with a meaning elsewhere",
            text(r#"{"__proto__":{},"constructor":1}"#),
            Refused(Input, &["/__proto__", "/constructor"]),
        ),
        ("12. an unknown name", text(r#"{"unsinged":1}"#), Refused(Input, &["/unsinged", "`unsigned`"])),
        ("14. null for what may be left out", text(r#"{"n":null,"defaulted":null}"#), Taken(json!({}))),
        (
            "14. null that means something",
            text(r#"{"maybe":null}"#),
            Taken(json!({"maybe": {"given": null}})),
        ),
        ("14. an empty text is a value", text(r#"{"maybe":""}"#), Taken(json!({"maybe": {"given": ""}}))),
        ("15. 1.0", text(r#"{"n":1.0}"#), Taken(json!({"n": 1}))),
        ("16. 1.5", text(r#"{"n":1.5}"#), Refused(Input, &["/n"])),
        ("16. 1e3", text(r#"{"n":1e3}"#), Taken(json!({"n": 1000}))),
        ("16. -0", text(r#"{"small":-0}"#), Taken(json!({"small": 0}))),
        ("16. 1E0", text(r#"{"n":1E0}"#), Taken(json!({"n": 1}))),
        ("17. i64::MAX", text(r#"{"n":9223372036854775807}"#), Taken(json!({"n": i64::MAX}))),
        ("17. i64::MAX + 1", text(r#"{"n":9223372036854775808}"#), Refused(Input, &["/n"])),
        ("17. u64::MAX", text(r#"{"unsigned":18446744073709551615}"#), Taken(json!({"unsigned": u64::MAX}))),
        ("17. u64::MAX + 1", text(r#"{"unsigned":18446744073709551616}"#), Refused(Input, &["/unsigned"])),
        ("17. -1 without a sign", text(r#"{"unsigned":-1}"#), Refused(Input, &["/unsigned"])),
        ("18. 2^53 + 1", text(r#"{"n":9007199254740993}"#), Taken(json!({"n": 9_007_199_254_740_993_i64}))),
        (
            "19. a megabyte where 100 characters may be",
            format!(r#"{{"short":"{}"}}"#, "x".repeat(1 << 20)).into(),
            Refused(Input, &["/short: expected at most 100 characters, got 1048576"]),
        ),
        (
            "20. 100 code points",
            format!(r#"{{"short":"{}"}}"#, "\u{1f600}\u{301}".repeat(50)).into(),
            Taken(json!({"short": "\u{1f600}\u{301}".repeat(50)})),
        ),
        (
            "21. a million wrong items",
            format!(r#"{{"list":[{wrong}]}}"#).into(),
            Refused(Input, &["/list/0"]),
        ),
        (
            "21. a million wrong members",
            format!(r#"{{"map":{{{maps}}}}}"#).into(),
            Refused(Input, &["/map/k0/k0", "20 problems"]),
        ),
        ("22. 100,000 names", format!(r#"{{"n":1{keys}}}"#).into(), Refused(NotJson, &["members"])),
        ("23. another case", text(r#"{"letter":"A"}"#), Refused(Input, &["/letter", "`a`, `b`"])),
        ("23. another type", text(r#"{"letter":{}}"#), Refused(Input, &["/letter", "`a`, `b`"])),
        (
            "24. an unknown tag",
            text(r#"{"tagged":{"kind":"Three","n":1}}"#),
            Refused(Input, &["`One`, `Two`"]),
        ),
        (
            "25. a pattern that takes others forever",
            format!(r#"{{"pattern":"{}b"}}"#, "a".repeat(100_000)).into(),
            Refused(Input, &["/pattern"]),
        ),
        ("26. a day that does not exist", text(r#"{"day":"2014-02-30"}"#), Refused(Input, &["/day"])),
        ("27. a default", text(r#"{"n":1}"#), Taken(json!({"n": 1, "defaulted": 5}))),
        (
            "28. what no human sees",
            text(r#"{"text":"\u0000\u001b[31m\u202e\udb40\udc41"}"#),
            Taken(json!({"text": "\u{0}\u{1b}[31m\u{202e}\u{e0041}"})),
        ),
    ]
}

#[tokio::test]
async fn every_row_has_its_outcome_and_its_event() {
    let recorded = Recorded::new(module_path!(), |builder| builder);
    for (row, arguments, expect) in rows() {
        match (recorded.call(row, "repeat", arguments).await, expect) {
            (Ok(output), Taken(expected)) => {
                let mut all = json!({"maybe": "absent", "defaulted": 5});
                all.as_object_mut().unwrap().extend(expected.as_object().unwrap().clone());
                assert_eq!(output.value(), all, "{row}");
            }
            (Err(failure), Refused(kind, texts)) => {
                assert_eq!(failure.kind(), kind, "{row}: {}", failure.text());
                assert!(failure.problems().len() <= 20, "{row}: {} problems", failure.problems().len());
                let most = if kind == NotJson { 512 } else { 4096 };
                assert!(failure.text().len() <= most, "{row}: {} bytes", failure.text().len());
                for text in texts {
                    assert!(failure.text().contains(text), "{row}: {text} is not in {}", failure.text());
                }
            }
            (Ok(output), Refused(..)) => panic!("{row}: taken as {}", output.value()),
            (Err(failure), Taken(_)) => panic!("{row}: {}", failure.text()),
        }
    }
}

#[tokio::test]
async fn row_13_everything_that_is_missing_is_told() {
    let recorded = Recorded::new(module_path!(), |builder| builder);
    let failure = recorded.call("13", "require", "{}").await.unwrap_err();
    let places: Vec<_> = failure.problems().iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!((failure.kind(), places), (Input, vec!["/a", "/b", "/password"]));
}

#[tokio::test]
async fn a_secret_is_in_no_failure_and_no_event() {
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
