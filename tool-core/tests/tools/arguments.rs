//! Decoding and validation of call arguments.

use std::collections::{BTreeMap, HashMap};

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::{CallOptions, Failure, FailureKind, tool};

use crate::tools_of;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Point {
    x: f64,
    y: f64,
    label: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "lowercase")]
enum Shape {
    Circle { radius: u32 },
    Line { from: Point, to: Point },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Fahrenheit,
}

/// Repeats what it was given.
#[tool(operation = Transform)]
fn echo(
    /// A required text.
    text: String,
    /// A small number.
    #[arg(example = 7)]
    small: u8,
    #[arg(default = 20)] limit: u32,
    #[arg(default)] flags: Vec<bool>,
    #[arg(rename = "as")] unit: Option<Unit>,
    nothing_or_null: Option<Option<i64>>,
) -> Value {
    json!({"text": text, "small": small, "limit": limit, "flags": flags, "unit": unit, "n": nothing_or_null.map(|n| json!([n]))})
}

/// Draws shapes.
#[tool(operation = Transform)]
async fn draw(shapes: Vec<Shape>, names: BTreeMap<String, Point>, on: Option<Date>) -> Value {
    json!({"shapes": shapes, "names": names, "on": on})
}

/// Large numbers.
#[tool(operation = Transform)]
fn numbers(#[arg(default)] a: i64, #[arg(default)] b: u64, #[arg(default)] c: f64, d: Option<i64>) -> String {
    format!("{a} {b} {c} {d:?}")
}

/// Takes ten inputs, which is more than one tuple holds.
#[tool(operation = Transform)]
#[allow(clippy::too_many_arguments)]
fn ten(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8, i: u8, j: Option<u8>) -> Vec<u8> {
    vec![a, b, c, d, e, f, g, h, i, j.unwrap_or(10)]
}

/// Has a text that only its type can judge.
#[tool(operation = Transform)]
fn dated(day: Date, n: u8, point: Option<Point>) -> String {
    format!("{day} {n} {}", point.is_some())
}

/// Has an integer that is wider than any that JSON libraries hold.
#[tool(operation = Transform)]
fn wide(a: u128, b: i64, point: Option<Point>) -> String {
    format!("{a} {b} {}", point.is_some())
}

/// Has a default of its input's own type, and one as a text.
#[tool(operation = Transform)]
fn defaults(
    #[arg(default = 3_000_000_000)] limit: u64,
    #[arg(default = Vec::new())] tags: Vec<String>,
    #[arg(default = "2014-07-04")] day: Date,
    #[arg(default = Some(5))] few: Option<u8>,
) -> Value {
    json!([limit, tags, day, few])
}

/// Takes many.
#[tool(operation = Transform)]
fn many(bytes: Vec<u8>, points: Option<Vec<Point>>) -> usize {
    bytes.len() + points.map_or(0, |points| points.len())
}

async fn call(name: &str, arguments: &str) -> Result<Value, Failure> {
    let reply = tools_of(module_path!()).call_with(name, arguments.as_bytes(), &CallOptions::new()).await;
    reply.result.map(|output| output.value())
}

/// Returns the path and keyword of each problem.
async fn problems_of(name: &str, arguments: &str) -> Vec<(String, String)> {
    let failure = call(name, arguments).await.unwrap_err();
    failure.problems().iter().map(|problem| (problem.path.clone(), problem.keyword.clone())).collect()
}

#[tokio::test]
async fn applies_defaults_options_and_renames() {
    let output = call("echo", r#"{"text":"a","small":1}"#).await.unwrap();
    assert_eq!(output, json!({"text":"a","small":1,"limit":20,"flags":[],"unit":null,"n":null}));
    let output =
        call("echo", r#"{"text":"","small":1,"limit":null,"as":null,"flags":[true],"nothing_or_null":null}"#);
    assert_eq!(
        output.await.unwrap(),
        json!({"text":"","small":1,"limit":20,"flags":[true],"unit":null,"n":[null]}),
        "`null` counts as left out, but for `Option<Option<T>>`, and an empty text is a value"
    );
    let output = call("echo", r#"{"text":"a","small":1,"as":"celsius","nothing_or_null":5}"#).await.unwrap();
    assert_eq!((&output["unit"], &output["n"]), (&json!("celsius"), &json!([5])));
    assert_eq!(
        call("ten", r#"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9}"#).await.unwrap(),
        json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    );
}

#[tokio::test]
async fn accepts_empty_arguments() {
    assert_eq!(call("numbers", "").await.unwrap(), "0 0 0 None");
    assert_eq!(call("numbers", " \n").await.unwrap(), "0 0 0 None");
}

#[tokio::test]
async fn parses_integers_in_every_spelling() {
    for (arguments, expected) in [
        (r#"{"a":1.0,"b":1e3,"c":2}"#, "1 1000 2 None"),
        (r#"{"a":-0,"b":-0,"d":1E0}"#, "0 0 0 Some(1)"),
        (
            r#"{"a":-9223372036854775808,"b":18446744073709551615}"#,
            "-9223372036854775808 18446744073709551615 0 None",
        ),
        (r#"{"a":9007199254740993,"d":9.007199254740993e15}"#, "9007199254740993 0 0 Some(9007199254740993)"),
        (r#"{"d":null}"#, "0 0 0 None"),
    ] {
        assert_eq!(call("numbers", arguments).await.unwrap(), expected, "{arguments}");
    }
    for (arguments, message) in [
        (r#"{"a":1.5}"#, "expected an integer, got `1.5`"),
        (
            r#"{"a":9223372036854775808}"#,
            "expected an integer, got `9223372036854775808`: out of range (-9223372036854775808 to 9223372036854775807)",
        ),
        (r#"{"b":-1}"#, "expected at least 0, got `-1`"),
        (
            r#"{"b":18446744073709551616}"#,
            "expected an integer of at least 0, got `1.8446744073709552e+19`: out of range (0 to 18446744073709551615)",
        ),
    ] {
        let failure = call("numbers", arguments).await.unwrap_err();
        assert_eq!(failure.problems()[0].message, message, "{arguments}");
        assert_eq!(failure.problems().len(), 1, "{arguments}");
    }
}

#[tokio::test]
async fn reports_every_problem_at_once() {
    let failure =
        call("echo", r#"{"small":300,"limt":1,"flags":[1,true,"x"],"as":"kelvin"}"#).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Input);
    assert!(failure.retryable());
    assert_eq!(
        failure.text(),
        "invalid input for `echo`: 6 problems\n\
         - /text: missing required input: expected a string\n\
         - /small: expected at most 255, got `300`\n\
         - /flags/0: expected `true` or `false`, got `1`\n\
         - /flags/2: expected `true` or `false`, got the string `x`\n\
         - /as: expected one of `celsius`, `fahrenheit`, got the string `kelvin`\n\
         - /limt: unknown input `limt`: the inputs are `text`, `small`, `limit`, `flags`, `as`, `nothing_or_null` \
         (there is one with a similar name: `limit`)\n\
         example of a valid call: {\"text\":\"text\",\"small\":7}"
    );
}

#[tokio::test]
async fn validates_nested_values() {
    let valid = r#"{"shapes":[{"shape":"circle","radius":1},{"shape":"line","from":{"x":0,"y":0},"to":{"x":1,"y":1,"label":null}}],"names":{"a":{"x":1,"y":2}},"on":"2014-07-04"}"#;
    assert_eq!(call("draw", valid).await.unwrap()["shapes"][1]["to"]["y"], 1.0);
    for (arguments, expected) in [
        (r#"{"shapes":[{"shape":"circle"}],"names":{}}"#, vec![("/shapes/0/radius", "required")]),
        (r#"{"shapes":[{"shape":"circel","radius":1}],"names":{}}"#, vec![("/shapes/0/shape", "enum")]),
        (
            r#"{"shapes":[{"shape":"circle","radius":1,"colour":"red"}],"names":{}}"#,
            vec![("/shapes/0/colour", "additionalProperties")],
        ),
        (r#"{"shapes":[],"names":{"a":[1,2]}}"#, vec![("/names/a", "type")]),
        (
            r#"{"shapes":[],"names":{"a/b":{"x":1,"z":1}}}"#,
            vec![("/names/a~1b/y", "required"), ("/names/a~1b/z", "additionalProperties")],
        ),
        (r#"{"shapes":[],"names":{},"on":"yesterday"}"#, vec![("/on", "format")]),
        (r#"{"shapes":{},"names":[]}"#, vec![("/shapes", "type"), ("/names", "type")]),
        (r#"[]"#, vec![("", "type")]),
    ] {
        let expected: Vec<_> =
            expected.into_iter().map(|(path, keyword)| (path.to_owned(), keyword.to_owned())).collect();
        let mut found = problems_of("draw", arguments).await;
        found.sort();
        let mut expected = expected;
        expected.sort();
        assert_eq!(found, expected, "{arguments}");
    }
}

#[tokio::test]
async fn rejects_invalid_json() {
    for arguments in [
        "{",
        "{}{}",
        "NaN",
        r#"{"a":1e400}"#,
        "\u{feff}{}",
        r#"{"d":"\ud800"}"#,
        &format!(r#"{{"a":{}}}"#, "[".repeat(100_000)),
    ] {
        let failure = call("numbers", arguments).await.unwrap_err();
        assert_eq!(failure.kind(), FailureKind::NotJson, "{}", &arguments[..arguments.len().min(40)]);
        assert!(failure.text().len() <= 512);
    }
    let reply = tools_of(module_path!()).call_with("numbers", b"{\"d\":\"\xff\"}", &CallOptions::new()).await;
    assert_eq!(reply.result.unwrap_err().kind(), FailureKind::NotJson);
}

#[tokio::test]
async fn rejects_duplicate_members_at_every_depth() {
    for (name, arguments, path) in [
        ("numbers", r#"{"a":1,"a":1}"#, "/a"),
        ("numbers", r#"{"a":1,"\u0061":2}"#, "/a"),
        ("draw", r#"{"shapes":[{"shape":"circle","radius":1,"radius":2}],"names":{}}"#, "/shapes/0/radius"),
    ] {
        let failure = call(name, arguments).await.unwrap_err();
        assert_eq!(failure.kind(), FailureKind::NotJson);
        assert_eq!(failure.problems()[0].path, path);
        assert_eq!(failure.problems()[0].keyword, "duplicate");
    }
    // A name that differs by case is unknown, and suggests the other one.
    let failure = call("numbers", r#"{"a":1,"A":2}"#).await.unwrap_err();
    assert_eq!(failure.problems()[0].suggestion.as_deref(), Some("a"));
}

#[tokio::test]
async fn limits_failures_for_large_arguments() {
    let many: String = (0..100_000).map(|n| format!("\"k{n}\":1,")).collect();
    let failure = call("numbers", &format!("{{{many}\"a\":1}}")).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::NotJson);
    assert!(failure.text().contains("more than 10000 members"), "{}", failure.text());

    let unknown: String = (0..500).map(|n| format!("\"k{n}\":1,")).collect();
    let failure = call("numbers", &format!("{{{unknown}\"a\":1}}")).await.unwrap_err();
    assert_eq!(failure.problems().len(), 20);

    let failure =
        call("echo", &format!(r#"{{"text":{{}},"small":"{}"}}"#, "x".repeat(1_000_000))).await.unwrap_err();
    assert!(failure.text().len() < 1_000, "{}", failure.text().len());
}

#[tokio::test]
async fn validates_like_a_call() {
    let registry = tools_of(module_path!());
    for arguments in
        [r#"{"text":"a","small":1}"#, r#"{"text":1}"#, "{", r#"{"text":"a","small":1,"small":1}"#]
    {
        let called = registry
            .call_with("echo", arguments.as_bytes(), &CallOptions::new())
            .await
            .result
            .map(|_| ())
            .map_err(|f| f.text());
        let validated = registry.validate("echo", arguments.as_bytes()).map(|_| ()).map_err(|f| f.text());
        assert_eq!(called, validated, "{arguments}");
    }
}

#[tokio::test]
async fn generates_valid_examples() {
    let registry = tools_of(module_path!());
    for tool in registry.tools() {
        registry.validate(tool.name(), tool.example().to_string().as_bytes()).unwrap();
    }
}

#[tokio::test]
async fn reports_type_errors_with_schema_errors() {
    for (arguments, expected) in [
        (r#"{"day":"yesterday","n":300}"#, ["/day", "/n"]),
        (r#"{"day":"yesterday","n":1,"m":1}"#, ["/day", "/m"]),
        (r#"{"m":1,"day":"yesterday","n":1}"#, ["/day", "/m"]),
        (r#"{"day":"yesterday","n":1,"point":[]}"#, ["/day", "/point"]),
    ] {
        let found = problems_of("dated", arguments).await;
        let found: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(found, expected, "{arguments}");
    }
}

#[tokio::test]
async fn keeps_integers_exact() {
    let wide = r#"{"a":340282366920938463463374607431768211455,"b":9223372036854775807.0,"point":{"x":0,"y":1.5,"label":null}}"#;
    let expected = "340282366920938463463374607431768211455 9223372036854775807 true";
    assert_eq!(call("wide", wide).await.unwrap(), expected);
}

#[tokio::test]
async fn accepts_typed_and_string_defaults() {
    let output = call("defaults", "{}").await.unwrap();
    assert_eq!(output, json!([3_000_000_000_u64, [], "2014-07-04", 5]));
    let registry = tools_of(module_path!());
    assert_eq!(
        registry.get("defaults").unwrap().input_schema()["properties"]["limit"]["default"],
        3_000_000_000_u64
    );
}

#[tokio::test]
async fn limits_problems_of_long_lists() {
    let points = vec!["{\"x\":1,\"y\":2,\"label\":\"a\"}"; 5_000].join(",");
    assert_eq!(call("many", &format!("{{\"bytes\":[],\"points\":[{points}]}}")).await.unwrap(), 5_000);
    for item in ["300", "null", "{}"] {
        let items = vec![item; 100_000].join(",");
        let found = problems_of("many", &format!("{{\"bytes\":[{items}]}}")).await;
        assert_eq!((found.len(), found[19].0.as_str()), (20, "/bytes/19"), "{item}");
    }
    // A single fault at the end is found, too.
    let items = vec!["1"; 100_000].join(",");
    assert_eq!(problems_of("many", &format!("{{\"bytes\":[{items},300]}}")).await[0].0, "/bytes/100000");
}

#[tokio::test]
async fn truncates_long_values_in_messages() {
    let long = "k".repeat(1_000_000);
    for (name, arguments) in [
        ("dated", format!(r#"{{"day":"{long}","n":1}}"#)),
        ("dated", format!(r#"{{"day":"2014-01-01{long}","n":1}}"#)),
        ("dated", format!(r#"{{"{long}":1}}"#)),
        (long.as_str(), "{}".to_owned()),
    ] {
        let failure = call(name, &arguments).await.unwrap_err();
        assert!(failure.text().len() < 1_000, "{}", failure.text().len());
    }
}

/// A port that needs no privilege.
#[derive(Debug, PartialEq, Eq, Hash, serde::Deserialize, schemars::JsonSchema)]
#[serde(try_from = "u16")]
struct Port(u16);

impl TryFrom<u16> for Port {
    type Error = String;

    fn try_from(port: u16) -> Result<Self, String> {
        match port {
            0 => Err("invalid for a server".to_owned()),
            1..1024 => Err(format!("{port} is a privileged port")),
            _ => Ok(Port(port)),
        }
    }
}

/// A word without a space in it.
#[derive(Debug, PartialEq, Eq, Hash, serde::Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String")]
struct Word(String);

impl TryFrom<String> for Word {
    type Error = &'static str;

    fn try_from(word: String) -> Result<Self, &'static str> {
        if word.contains(' ') { Err("a word has no spaces") } else { Ok(Word(word)) }
    }
}

/// Listens, and says what it hears.
#[tool(operation = Transform)]
fn listen(
    port: Option<Port>,
    ports: Option<Vec<Port>>,
    wide: Option<i128>,
    words: Option<HashMap<Word, u8>>,
    floors: Option<HashMap<u8, Vec<HashMap<Word, u8>>>>,
    #[arg(secret)] codes: Option<HashMap<Word, u8>>,
) -> String {
    format!("{port:?} {ports:?} {wide:?} {words:?} {floors:?} {}", codes.is_some())
}

#[tokio::test]
async fn reports_errors_of_custom_number_types() {
    for (arguments, expected) in [
        (r#"{"port":80}"#, "/port: expected an integer from 0 to 65535, got `80`: 80 is a privileged port"),
        // The words of a type are repeated, also where they begin like those of serde for a number that is out of range.
        (r#"{"port":0}"#, "/port: expected an integer from 0 to 65535, got `0`: invalid for a server"),
        (
            r#"{"ports":[22, 8080]}"#,
            "/ports/0: expected an integer from 0 to 65535, got `22`: 22 is a privileged port",
        ),
        // The last item ends where the list ends, so the list is reported.
        (r#"{"ports":[8080,22]}"#, "/ports: invalid list: 22 is a privileged port"),
        (r#"{"port":80000}"#, "/port: expected at most 65535, got `80000`"),
        (r#"{"wide":1e39}"#, "/wide: expected an integer, got `1e+39`: out of range"),
    ] {
        let failure = call("listen", arguments).await.unwrap_err();
        let problems: Vec<_> = failure.problems().iter().map(ToString::to_string).collect();
        assert_eq!(problems, [expected], "{arguments}");
    }
}

mod narrow {
    use super::Port;

    /// Opens a port, of which the schema admits more than the type.
    #[tool_core::tool(operation = Transform)]
    fn open_port(port: Port) -> u16 {
        port.0
    }
}

#[tokio::test]
async fn shows_no_example_that_the_types_refuse() {
    let registry = tools_of("tools::arguments::narrow");
    let failure = registry.call("open_port", json!({})).await.unwrap_err();
    assert_eq!(
        failure.text(),
        "invalid input for `open_port`: 1 problem\n- /port: missing required input: expected an integer from 0 to 65535"
    );
}

#[tokio::test]
async fn reports_errors_of_custom_types_with_schema_errors() {
    for arguments in [r#"{"port":80,"wide":"x"}"#, r#"{"wide":"x","port":80}"#] {
        let found = problems_of("listen", arguments).await;
        let paths: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["/port", "/wide"], "{arguments}");
    }
}

#[tokio::test]
async fn reports_invalid_map_keys() {
    for (arguments, expected) in [
        (r#"{"words":{"one":1,"a b":2}}"#, "/words/a b: invalid key `a b`: a word has no spaces"),
        (r#"{"floors":{"7":[],"300":[]}}"#, "/floors/300: invalid key `300`: out of range"),
        (
            r#"{"floors":{"7":[{"x":1},{"a/b":1,"c d" : 2}]}}"#,
            "/floors/7/1/c d: invalid key `c d`: a word has no spaces",
        ),
        (r#"{"codes":{"a b":2}}"#, "/codes: invalid key (secret)"),
    ] {
        let failure = call("listen", arguments).await.unwrap_err();
        let problems: Vec<_> = failure.problems().iter().map(ToString::to_string).collect();
        assert_eq!(problems, [expected], "{arguments}");
        let keywords: Vec<_> = failure.problems().iter().map(|problem| problem.keyword.as_str()).collect();
        assert_eq!(keywords, ["propertyNames"], "{arguments}");
    }
}
