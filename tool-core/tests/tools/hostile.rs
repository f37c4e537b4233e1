//! Hostile inputs, one row each; the next call succeeds.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::{FailureKind, Registry, tool};

use crate::tools_of;

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Tagged {
    One { n: u8 },
    Two { n: u8 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    A { a: u8, c: Option<u8> },
    B { b: u8, c: Option<u8> },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Letter {
    A,
    B,
}

/// Takes inputs of many types.
#[tool(operation = Transform)]
fn takes(
    #[arg(length(max = 100))] short: Option<String>,
    #[arg(pattern = "^(a+)+$")] catastrophic: Option<String>,
    letter: Option<Letter>,
    tagged: Option<Tagged>,
    untagged: Option<Untagged>,
    map: Option<BTreeMap<String, u8>>,
    text: Option<String>,
) -> Value {
    json!([short, catastrophic, letter, tagged, untagged, map, text])
}

/// Returns the problems of arguments, or `None` if they are valid.
fn problems_of(registry: &Registry, arguments: &str) -> Option<String> {
    let failure = registry.validate("takes", arguments.as_bytes()).err()?;
    assert_ne!(failure.kind(), FailureKind::Internal);
    assert!(failure.text().len() < 2_000, "{} bytes", failure.text().len());
    registry.validate("takes", br#"{"letter":"a"}"#).unwrap();
    Some(failure.problems().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

#[test]
fn returns_the_expected_outcome_for_each_row() {
    let registry = tools_of(module_path!());
    let million = "x".repeat(1_000_000);
    let emoji = "\u{1f600}\u{301}".repeat(50);
    let keys: String = (0..10_001).map(|n| format!("\"k{n}\":1,")).collect();
    let rows = [
        (
            "19. a text far too long",
            format!(r#"{{"short":"{million}"}}"#),
            Some("/short: expected at most 100 characters, got 1000000"),
        ),
        ("20. a length in code points", format!(r#"{{"short":"{emoji}"}}"#), None),
        (
            "20. and one more",
            format!(r#"{{"short":"{emoji}x"}}"#),
            Some("/short: expected at most 100 characters, got 101"),
        ),
        ("22. a map of many keys", format!(r#"{{"map":{{{keys}"a":1}}}}"#), Some("more than 10000 members")),
        (
            "23. a constant in another case",
            r#"{"letter":"A"}"#.to_owned(),
            Some("/letter: expected one of `a`, `b`, got the string `A`"),
        ),
        (
            "23. a constant of another type",
            r#"{"letter":0}"#.to_owned(),
            Some("/letter: expected one of `a`, `b`, got `0`"),
        ),
        (
            "24. an unknown tag",
            r#"{"tagged":{"kind":"Three","n":1}}"#.to_owned(),
            Some("/tagged/kind: expected one of `One`, `Two`, got the string `Three`"),
        ),
        (
            "24. no tag",
            r#"{"tagged":{"n":1}}"#.to_owned(),
            Some("/tagged: expected an object with `kind`, `n` or an object with `kind`, `n`, got an object"),
        ),
        (
            "24. what fits no variant",
            r#"{"untagged":{"c":1}}"#.to_owned(),
            Some("/untagged: expected an object with `a` or an object with `b`, got an object"),
        ),
        (
            "25. a catastrophic pattern",
            format!(r#"{{"catastrophic":"{}b"}}"#, "a".repeat(100_000)),
            Some("/catastrophic: expected a string that matches `^(a+)+$`"),
        ),
        (
            "28. what no human sees",
            r#"{"text":"\u0000\u001b\u202e\udb40\udc41","map":{"\u0000":1}}"#.to_owned(),
            None,
        ),
    ];
    for (row, arguments, expected) in rows {
        match (problems_of(&registry, &arguments), expected) {
            (None, None) => {}
            (Some(found), Some(expected)) => assert!(found.contains(expected), "{row}: {found}"),
            (found, expected) => panic!("{row}: {found:?} and not {expected:?}"),
        }
    }
}

#[tokio::test]
async fn rejects_ambiguous_variants_and_keeps_control_characters() {
    let registry = tools_of(module_path!());
    let failure = registry.call("takes", json!({"untagged": {"a": 1, "b": 2}})).await.unwrap_err();
    assert_eq!(failure.problems()[0].path, "/untagged");
    let text = "\u{0}\u{1b}[31m\u{202e}\u{e0041}";
    let output = registry.call("takes", json!({"text": text})).await.unwrap().value();
    assert_eq!(output[6], text, "a text arrives as it was sent");
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Term {
    Number { value: i64 },
    Not { of: Box<Term> },
    Minus { of: Box<Term> },
    Twice { of: Box<Term> },
}

/// Computes a term.
#[tool(operation = Transform, name = "compute.term")]
fn compute_term(term: Term, round: Option<bool>) -> Value {
    json!([term, round])
}

/// Each level has three recursive alternatives, so explaining thirty levels would take too long.
#[test]
fn reports_deep_faults_at_the_input() {
    let registry = tools_of(module_path!());
    let nested = |leaf: Value| {
        (0..30).fold(leaf, |term, level| {
            let kind = ["not", "minus", "twice"][level % 3];
            json!({"kind": kind, "of": term})
        })
    };
    let valid = json!({"term": nested(json!({"kind": "number", "value": 1}))}).to_string();
    registry.validate("compute.term", valid.as_bytes()).unwrap();
    let wrong = json!({"term": nested(json!({"kind": "number", "value": "one"})), "rund": true}).to_string();
    let failure = registry.validate("compute.term", wrong.as_bytes()).unwrap_err();
    let places: Vec<&str> = failure.problems().iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(places, ["/term", "/rund"]);
    assert!(failure.problems()[0].message.ends_with("nested too deeply to be explained"), "{failure}");
    // A shallow fault is reported at its path.
    let failure =
        registry.validate("compute.term", br#"{"term":{"kind":"not","of":{"kind":"nut"}}}"#).unwrap_err();
    assert_eq!(failure.problems()[0].path, "/term/of/kind");
}
