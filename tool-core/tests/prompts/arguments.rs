//! Arguments given as strings, as MCP sends them, and invalid ones.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tool_core::schema::Leniency;
use tool_core::{FailureKind, PromptDefinition, Registry, prompt};

use super::{get_prompt, problems, prompts_of, text};

/// What kind of weather there is.
#[derive(Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Sky {
    Sun,
    Rain,
}

/// A number or a list.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "it is shown by `Debug`")]
enum Either {
    Number(u8),
    Words(Vec<String>),
}

/// A place on earth.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Place {
    #[allow(dead_code, reason = "it is shown by `Debug`")]
    name: String,
}

/// Shows what it was given.
#[prompt(name = "show.all", title = "Show")]
#[expect(clippy::too_many_arguments, reason = "one of each kind")]
fn show(
    /// A text.
    text: String,
    #[arg(range(min = 1, max = 9))] number: Option<u8>,
    #[arg(default = 1.5)] ratio: f64,
    #[arg(rename = "is-on", default)] on: bool,
    words: Option<Vec<String>>,
    numbers: Option<Vec<i64>>,
    sky: Option<Sky>,
    skies: Option<Vec<Sky>>,
    place: Option<Place>,
    map: Option<BTreeMap<String, u8>>,
    any: Option<Value>,
    date: Option<jiff::civil::Date>,
    #[arg(length(max = 3))] short: Option<String>,
    either: Option<Either>,
) -> String {
    format!(
        "{text:?} {number:?} {ratio} {on} {words:?} {numbers:?} {sky:?} {skies:?} {place:?} {map:?} {any:?} {date:?} {short:?} {either:?}"
    )
}

/// Returns the debug text of all arguments when one is given next to `text`.
#[track_caller]
fn debug_text(name: &str, value: impl Into<Value>) -> String {
    let registry = prompts_of(module_path!());
    text(&registry, "show.all", json!({"text": "", name: value.into()}))
}

/// Returns the path and keyword of the only problem of one argument.
#[track_caller]
fn problem_of(name: &str, value: impl Into<Value>) -> (String, String) {
    let registry = prompts_of(module_path!());
    let problems = problems(&registry, "show.all", json!({"text": "", name: value.into()}));
    let [problem] = &problems[..] else { panic!("{name}: {problems:?}") };
    problem.clone()
}

const NOTHING: &str = r#""" None 1.5 false None None None None None None None None None None"#;

/// Returns `NOTHING` with one part replaced.
fn with(position: usize, debug_text: &str) -> String {
    let mut parts: Vec<&str> = NOTHING.split(' ').collect();
    parts[position] = debug_text;
    parts.join(" ")
}

#[test]
fn parses_strings_by_argument_type() {
    for (name, given, position, expected) in [
        ("text", "", 0, r#""""#),
        ("text", "5", 0, r#""5""#),
        ("text", "true", 0, r#""true""#),
        ("text", r#"["a"]"#, 0, r#""[\"a\"]""#),
        ("number", "5", 1, "Some(5)"),
        ("number", "5.0", 1, "Some(5)"),
        ("number", " 5 ", 1, "Some(5)"),
        ("number", "null", 1, "None"),
        ("ratio", "2", 2, "2"),
        ("ratio", "0.25", 2, "0.25"),
        ("is-on", "true", 3, "true"),
        ("words", r#"["AI","ML, too"]"#, 4, r#"Some(["AI", "ML, too"])"#),
        ("words", "AI, ML", 4, r#"Some(["AI", "ML"])"#),
        ("words", "AI", 4, r#"Some(["AI"])"#),
        ("words", " AI ,, ML,", 4, r#"Some(["AI", "ML"])"#),
        ("words", "", 4, "Some([])"),
        ("words", "5", 4, r#"Some(["5"])"#),
        ("numbers", "[1, 2]", 5, "Some([1, 2])"),
        ("sky", "rain", 6, "Some(Rain)"),
        ("skies", "rain,sun", 7, "Some([Rain, Sun])"),
        ("place", r#"{"name": "Oslo"}"#, 8, r#"Some(Place { name: "Oslo" })"#),
        ("map", r#"{"a": 1}"#, 9, r#"Some({"a": 1})"#),
        ("any", "5", 10, r#"Some(String("5"))"#),
        ("date", "2024-01-31", 11, "Some(2024-01-31)"),
        ("either", "5", 13, "Some(Number(5))"),
        ("either", "a, b", 13, r#"Some(Words(["a", "b"]))"#),
    ] {
        assert_eq!(debug_text(name, given), with(position, expected), "{name} = {given}");
    }
}

#[test]
fn keeps_values_that_are_not_strings() {
    assert_eq!(debug_text("number", 5), with(1, "Some(5)"));
    assert_eq!(debug_text("words", json!(["a,b"])), with(4, r#"Some(["a,b"])"#));
    assert_eq!(debug_text("any", json!(5)), with(10, "Some(Number(5))"));
}

#[test]
fn reports_invalid_arguments_with_their_path() {
    for (name, given, place, keyword) in [
        ("number", "ten", "/number", "type"),
        ("number", "10", "/number", "maximum"),
        ("numbers", "1, 2", "/numbers", "type"),
        ("numbers", r#"[1, "x"]"#, "/numbers/1", "type"),
        ("numbers", r#"{"a": 1}"#, "/numbers", "type"),
        ("sky", "snow", "/sky", "enum"),
        ("sky", "5", "/sky", "enum"),
        ("skies", "rain, snow", "/skies/1", "enum"),
        ("place", "{}", "/place/name", "required"),
        ("place", "Oslo", "/place", "type"),
        ("short", "long", "/short", "maxLength"),
        ("date", "someday", "/date", "format"),
        ("map", r#"{"a": 1, "a": 2}"#, "/map/a", "duplicate"),
        ("map", r#"{"a": 1, "\u0061": 2}"#, "/map/a", "duplicate"),
        // Text after a value cannot become another argument.
        ("map", r#"{"a": 1, "a": 2}, "text": "b""#, "/map", "type"),
        ("map", r#"{"a": 1}, "text": "b""#, "/map", "type"),
    ] {
        assert_eq!(problem_of(name, given), (place.to_owned(), keyword.to_owned()), "{name} = {given}");
    }
}

#[test]
fn reports_missing_and_unknown_arguments() {
    let registry = prompts_of(module_path!());
    let arguments = json!({"txet": "a"});
    let failure = get_prompt(&registry, "show.all", arguments.clone()).unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Input);
    assert_eq!(failure.problems()[1].suggestion.as_deref(), Some("text"));
    let [missing, unknown] = &problems(&registry, "show.all", arguments)[..] else {
        panic!("{}", failure.text())
    };
    assert_eq!((missing.0.as_str(), missing.1.as_str()), ("/text", "required"));
    assert_eq!((unknown.0.as_str(), unknown.1.as_str()), ("/txet", "additionalProperties"));
    assert_eq!(problems(&registry, "show.all", json!(["a"])), [(String::new(), "type".to_owned())]);
}

#[test]
fn parses_strings_in_a_strict_registry() {
    let here = |prompt: &PromptDefinition| prompt.source().module == module_path!();
    let builder = Registry::builder().linked().select_prompts(here).leniency(Leniency::Strict);
    let registry = builder.build().unwrap();
    let debug_text = text(&registry, "show.all", json!({"text": "", "number": "5", "words": "a,b"}));
    assert!(debug_text.starts_with(r#""" Some(5) 1.5 false Some(["a", "b"])"#), "{debug_text}");
}

mod many {
    /// Takes a great deal.
    #[tool_core::prompt]
    #[expect(clippy::too_many_arguments, reason = "more than a usual prompt has")]
    fn many(
        a0: i64,
        a1: i64,
        a2: i64,
        a3: i64,
        a4: i64,
        a5: i64,
        a6: i64,
        a7: i64,
        a8: i64,
        a9: i64,
        a10: i64,
        a11: i64,
        a12: i64,
        a13: i64,
        a14: i64,
        a15: i64,
        a16: i64,
        a17: i64,
        a18: i64,
        a19: i64,
        a20: i64,
        a21: i64,
        a22: i64,
        a23: i64,
        list: Vec<String>,
    ) -> String {
        format!(
            "{} {list:?}",
            a0 + a1
                + a2
                + a3
                + a4
                + a5
                + a6
                + a7
                + a8
                + a9
                + a10
                + a11
                + a12
                + a13
                + a14
                + a15
                + a16
                + a17
                + a18
                + a19
                + a20
                + a21
                + a22
                + a23
        )
    }

    /// Takes one.
    #[tool_core::prompt]
    fn one(n: i64) -> String {
        n.to_string()
    }

    /// Takes some.
    #[tool_core::prompt]
    fn some(list: Vec<String>) -> String {
        list.len().to_string()
    }
}

#[test]
fn parses_many_arguments() {
    let registry = prompts_of("prompts::arguments::many");
    let mut arguments: serde_json::Map<String, Value> =
        (0..24).map(|n| (format!("a{n}"), json!("1"))).collect();
    arguments.insert("list".to_owned(), json!("x, y"));
    assert_eq!(text(&registry, "many", arguments.into()), r#"24 ["x", "y"]"#);
}

#[test]
fn splits_lists_into_at_most_a_thousand() {
    let registry = prompts_of("prompts::arguments::many");
    assert_eq!(text(&registry, "some", json!({"list": "a,".repeat(1_000)})), "1000");
    assert_eq!(
        problems(&registry, "some", json!({"list": "a,".repeat(1_001)})),
        [("/list".to_owned(), "type".to_owned())]
    );
    let begin = std::time::Instant::now();
    for (name, argument) in [("one", "n"), ("some", "list")] {
        assert_eq!(
            problems(&registry, name, json!({ argument: "a,".repeat(1 << 20) })),
            [(format!("/{argument}"), "type".to_owned())]
        );
    }
    assert!(begin.elapsed() < std::time::Duration::from_secs(2), "{:?}", begin.elapsed());
}
