//! Options of `#[arg(…)]`: published in the schema, and enforced in calls.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::{BuildError, CallOptions, Failure, Locator, tool};

use crate::{builder_of, strict_tools_of, tools_of};

/// Has a constraint of every kind.
#[tool(operation = Transform)]
#[allow(clippy::too_many_arguments)]
fn constrained(
    #[arg(range(min = 1, max = 9), default = 5)] small: u8,
    #[arg(range(min = -0.5, max = 1))] ratio: Option<f64>,
    #[arg(range(min = 0, max = 300))] tightened: Option<u8>,
    #[arg(range(min = 1))] nullable: Option<Option<i64>>,
    #[arg(length(min = 1, max = 3))] name: Option<String>,
    #[arg(pattern = "^[a-z]+$", example = "abc")] word: Option<String>,
    #[arg(length(max = 2))] list: Option<Vec<u8>>,
    #[arg(length(min = 1))] set: Option<BTreeSet<String>>,
    #[arg(length(min = 1, max = 2))] map: Option<BTreeMap<String, u8>>,
) -> Value {
    json!([small, ratio, tightened, nullable, name, word, list, set, map])
}

/// Has constraints that its example has to meet.
#[tool(operation = Transform)]
#[allow(clippy::too_many_arguments)]
fn exemplary(
    #[arg(range(min = 100))] large: u8,
    #[arg(range(max = -1.5))] below: f64,
    #[arg(range(min = 0.25, max = 0.5))] between: f64,
    #[arg(length(min = 6))] long: String,
    #[arg(length(max = 2))] short: String,
    #[arg(length(min = 2))] numbers: BTreeSet<i16>,
    #[arg(length(min = 3))] words: BTreeSet<String>,
    #[arg(length(min = 2))] tones: Vec<Tone>,
    #[arg(length(min = 2))] counts: BTreeMap<String, u8>,
    #[arg(length(min = 2))] names: BTreeMap<u8, String>,
    #[arg(length(max = 0))] nothing: Vec<u8>,
) -> Value {
    json!([large, below, between, long, short, numbers, words, tones, counts, names, nothing])
}

/// Keeps to itself what it is given.
#[tool(operation = Transform)]
fn secretive(
    #[arg(secret)] token: String,
    #[arg(secret, length(min = 4, max = 8))] pin: Option<String>,
    #[arg(secret)] birthday: Option<Date>,
    #[arg(secret)] login: Option<Login>,
    #[arg(secret)] keys: Option<BTreeMap<String, u8>>,
    #[arg(secret)] tone: Option<Tone>,
    account: Option<Account>,
) -> usize {
    let all = (pin, birthday, login, keys, tone, account);
    token.len() + usize::from(all.0.is_some())
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Login {
    user: String,
    since: Date,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Tone {
    High,
    Low,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "it is decoded, and nothing else")]
struct Account {
    name: String,
    #[schemars(extend("writeOnly" = true))]
    password: Date,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Filter {
    /// Words that must occur.
    words: Vec<String>,
    #[serde(default)]
    deep: bool,
    #[serde(rename = "max-size")]
    max_size: Option<u32>,
    since: Option<Date>,
    #[serde(flatten)]
    page: Page,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Page {
    #[serde(default = "ten")]
    limit: u32,
    cursor: Option<String>,
}

fn ten() -> u32 {
    10
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Order {
    by: String,
    descending: Option<bool>,
}

/// Finds what it is asked for.
#[tool(operation = Read)]
fn find(
    #[arg(rename = "in")] place: String,
    #[arg(flatten)] filter: Filter,
    #[arg(flatten)] order: Order,
    n: Option<u8>,
) -> Value {
    json!({"in": place, "filter": filter, "order": order, "n": n})
}

/// A sum of sums.
#[derive(Serialize, Deserialize, JsonSchema)]
enum Sum {
    Of(Box<Sum>, Box<Sum>),
    Number(i8),
}

/// Adds up.
#[tool(operation = Transform)]
fn add_up(sum: Sum) -> i64 {
    match sum {
        Sum::Of(a, b) => add_up(*a) + add_up(*b),
        Sum::Number(number) => number.into(),
    }
}

/// A filter that has filters.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Both {
    both: Vec<Both>,
    n: u8,
}

/// Finds what it is asked for, however often.
#[tool(operation = Read)]
fn find_both(#[arg(flatten)] both: Both) -> Both {
    both
}

/// The arguments of a server of rmcp whose tool has none.
#[derive(Deserialize, JsonSchema)]
struct Nothing {}

/// Counts everything.
#[tool(operation = Read)]
fn count_all(#[arg(flatten)] nothing: Nothing, #[arg(default = 7)] start: u8) -> Value {
    let Nothing {} = nothing;
    json!({"count": start})
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Region {
    North,
    South,
}

impl Locator for Region {}

/// Reads what lives under an address.
#[tool(operation = Read)]
fn located(
    #[arg(locator, header = "Region")] region: Region,
    #[arg(locator)] day: String,
    #[arg(header = "Loud")] loud: Option<bool>,
) -> String {
    format!("{day} {} {loud:?}", json!(region))
}

/// Counts words.
///
/// ```tool
/// {"words": ["a", "b"]}
/// ```
///
/// The longest one counts twice.
///
/// ```tool
/// {"words": ["a"], "twice": false, "key": "hunter2"}
/// ```
#[tool(operation = Transform)]
fn count_words(
    words: Vec<String>,
    #[arg(pattern = "^[a-z]$")] mark: Option<String>,
    twice: Option<bool>,
    #[arg(secret)] key: Option<String>,
) -> usize {
    words.len() + usize::from(twice.is_some() && key.is_some() && mark.is_some())
}

/// Has a required input that only an example makes valid.
///
/// ```tool
/// {"code": "A-1"}
/// ```
#[tool(operation = Transform)]
fn coded(#[arg(pattern = "^[A-Z]-[0-9]$")] code: String) -> String {
    code
}

async fn call(name: &str, arguments: &str) -> Result<Value, Failure> {
    let reply =
        strict_tools_of(module_path!()).call_with(name, arguments.as_bytes(), &CallOptions::new()).await;
    reply.result.map(|output| output.value())
}

/// Returns the problems of a failed call, one per line.
async fn refusal(name: &str, arguments: &str) -> String {
    let failure = call(name, arguments).await.unwrap_err();
    failure.problems().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn passes_the_check() {
    tools_of(module_path!()).check().unwrap();
}

#[test]
fn publishes_constraints() {
    let registry = tools_of(module_path!());
    let tool = registry.get("constrained").unwrap();
    let properties = &tool.input_schema()["properties"];
    assert_eq!(
        *properties,
        json!({
            "small": {"type": "integer", "minimum": 1, "maximum": 9, "default": 5},
            "ratio": {"type": "number", "minimum": -0.5, "maximum": 1},
            "tightened": {"type": "integer", "minimum": 0, "maximum": 255},
            "nullable": {"anyOf": [
                {"type": "integer", "minimum": 1},
                {"type": "null"},
            ]},
            "name": {"type": "string", "minLength": 1, "maxLength": 3},
            "word": {"type": "string", "pattern": "^[a-z]+$", "examples": ["abc"]},
            "list": {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}, "maxItems": 2},
            "set": {"type": "array", "uniqueItems": true, "items": {"type": "string"}, "minItems": 1},
            "map": {
                "type": "object",
                "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 255},
                "minProperties": 1,
                "maxProperties": 2,
            },
        })
    );
    let native = serde_json::to_value(tool.inputs()).unwrap();
    assert_eq!(native[0]["constraints"], json!({"min": 1, "max": 9}));
    assert_eq!(native[4]["constraints"], json!({"min_length": 1, "max_length": 3}));
    assert_eq!(native[5]["constraints"], json!({"pattern": "^[a-z]+$"}));
    assert_eq!(native[5]["examples"], json!(["abc"]));
    assert_eq!(native[8]["constraints"], json!({"min_length": 1, "max_length": 2}));
}

#[tokio::test]
async fn enforces_constraints() {
    for (arguments, refused) in [
        (r#"{"small":1}"#, ""),
        (r#"{"small":9.0}"#, ""),
        (r#"{"small":0}"#, "/small: expected at least 1, got `0`"),
        (r#"{"small":10}"#, "/small: expected at most 9, got `10`"),
        (r#"{"small":1e1}"#, "/small: expected at most 9, got `10`"),
        (r#"{"small":null}"#, ""),
        (r#"{"ratio":-0.5}"#, ""),
        (r#"{"ratio":1}"#, ""),
        (r#"{"ratio":1.0000001}"#, "/ratio: expected at most 1, got `1.0000001`"),
        (r#"{"tightened":255}"#, ""),
        (r#"{"tightened":256}"#, "/tightened: expected at most 255, got `256`"),
        (r#"{"nullable":null}"#, ""),
        (r#"{"nullable":1}"#, ""),
        (r#"{"nullable":0}"#, "/nullable: expected at least 1, got `0`"),
        (r#"{"name":"\ud83d\ude00\u0301\n"}"#, ""),
        (r#"{"name":"äöü"}"#, ""),
        (r#"{"name":""}"#, "/name: expected at least 1 character, got 0"),
        (r#"{"name":"abcd"}"#, "/name: expected at most 3 characters, got 4"),
        (r#"{"word":"abc"}"#, ""),
        (r#"{"word":"abC"}"#, "/word: expected a string that matches `^[a-z]+$`, got the string `abC`"),
        (r#"{"word":"abc\n"}"#, "/word: expected a string that matches `^[a-z]+$`, got the string `abc\n`"),
        (r#"{"list":[1,2]}"#, ""),
        (r#"{"list":[1,2,3]}"#, "/list: expected at most 2 items, got 3"),
        (r#"{"set":[]}"#, "/set: expected at least 1 item, got 0"),
        (r#"{"map":{}}"#, "/map: expected at least 1 member, got 0"),
        (r#"{"map":{"a":1,"b":2,"c":3}}"#, "/map: expected at most 2 members, got 3"),
    ] {
        match call("constrained", arguments).await {
            Ok(_) => assert_eq!(refused, "", "{arguments} was taken"),
            Err(failure) => {
                let problems: Vec<_> = failure.problems().iter().map(ToString::to_string).collect();
                assert_eq!(problems, [refused], "{arguments}");
            }
        }
    }
    assert_eq!(call("constrained", "{}").await.unwrap()[0], 5);
}

#[tokio::test]
async fn generates_examples_that_meet_constraints() {
    let registry = strict_tools_of(module_path!());
    for tool in registry.tools() {
        registry.validate(tool.name(), tool.example().to_string().as_bytes()).unwrap();
    }
    let example = registry.get("exemplary").unwrap().example();
    assert_eq!(
        *example,
        json!({
            "large": 100, "below": -1.5, "between": 0.5, "long": "textaa", "short": "te", "numbers": [1, 2],
            "words": ["text", "text2", "text3"], "tones": ["high", "high"], "counts": {"name1": 1, "name2": 1},
            "names": {"1": "text", "2": "text"}, "nothing": [],
        })
    );
}

#[tokio::test]
async fn hides_secrets_everywhere() {
    let registry = tools_of(module_path!());
    let tool = registry.get("secretive").unwrap();
    assert_eq!(tool.input_schema()["properties"]["token"], json!({"type": "string", "writeOnly": true}));
    let native = serde_json::to_value(tool.inputs()).unwrap();
    assert_eq!(native[0], json!({"name": "token", "type": "string", "required": true, "secret": true}));
    assert_eq!(native[6]["properties"][1]["secret"], true);
    assert_eq!(*tool.example(), json!({"token": "(secret)"}));

    for (arguments, expected) in [
        (r#"{"token":["hunter2"]}"#, "/token: expected a string, got (secret)"),
        (r#"{"token":"a","pin":"hunter2hunter2"}"#, "/pin: expected at most 8 characters, got (secret)"),
        (
            r#"{"token":"a","birthday":"hunter2"}"#,
            "/birthday: expected a string in the format `date`, such as `2024-01-31`, got (secret)",
        ),
        (
            r#"{"token":"a","login":{"user":"hunter2","since":"hunter2"}}"#,
            "/login/since: expected a string in the format `date`, such as `2024-01-31`, got (secret)",
        ),
        (
            r#"{"token":"a","login":{"user":["hunter2"],"since":"2014-01-01","hunter2":1}}"#,
            "/login/user: expected a string, got (secret)\n\
             /login: unknown property (secret): the properties are `user`, `since`",
        ),
        (r#"{"token":"a","keys":{"hunter2":256}}"#, "/keys: expected at most 255, got (secret)"),
        (r#"{"token":"a","keys":{"hunter2":1,"hunter2":1}}"#, "/keys: the same member is given twice"),
        (r#"{"token":"a","tone":"hihg"}"#, "/tone: expected one of `high`, `low`, got (secret)"),
        (
            r#"{"token":"a","account":{"name":"Ada","password":"hunter2"}}"#,
            "/account/password: expected a string in the format `date`, such as `2024-01-31`, got (secret)",
        ),
        (
            r#"{"token":"a","account":"hunter2"}"#,
            "/account: expected an object with `name`, `password`, got (secret)",
        ),
        (r#""hunter2""#, "expected an object with `token`, got (secret)"),
    ] {
        let failure = call("secretive", arguments).await.unwrap_err();
        let problems: Vec<_> = failure.problems().iter().map(ToString::to_string).collect();
        assert_eq!(problems.join("\n"), expected, "{arguments}");
        let everything = format!("{failure:?} {} {}", failure.text(), json!(failure));
        assert!(!everything.contains("hunter2"), "{everything}");
        let suggests = failure.problems().iter().any(|problem| problem.suggestion.is_some());
        assert!(!suggests, "a suggestion reveals a similar value: {everything}");
    }
}

#[tokio::test]
async fn flattens_struct_fields_into_inputs() {
    let registry = tools_of(module_path!());
    let tool = registry.get("find").unwrap();
    let schema = tool.input_schema();
    let names: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        ["in", "words", "deep", "max-size", "since", "limit", "cursor", "by", "descending", "n"]
    );
    assert_eq!(schema["required"], json!(["in", "words", "by"]));
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["properties"]["words"]["description"], "Words that must occur.");
    assert_eq!(tool.inputs().len(), 10);

    let output = call(
        "find",
        r#"{"by":"name","words":["a"],"in":"here","limit":3,"max-size":1e3,"n":7,"cursor":null}"#,
    );
    assert_eq!(
        output.await.unwrap(),
        json!({
            "in": "here",
            "filter": {"words": ["a"], "deep": false, "max-size": 1000, "since": null, "limit": 3, "cursor": null},
            "order": {"by": "name", "descending": null},
            "n": 7,
        })
    );
    let output = call("find", r#"{"in":"","words":[],"by":""}"#).await.unwrap();
    assert_eq!(output["filter"]["limit"], 10);
}

#[tokio::test]
async fn reports_problems_at_flattened_fields() {
    for (arguments, expected) in [
        (
            r#"{"in":"a","words":"b","by":1}"#,
            "/words: expected a list, got the string `b`\n/by: expected a string, got `1`",
        ),
        (r#"{"in":"a","by":"b"}"#, "/words: missing required input: expected a list"),
        (
            r#"{"in":"a","words":[],"by":"b","wrods":1}"#,
            "/wrods: unknown input `wrods`: the inputs are `in`, `words`, `deep`, `max-size`, `since`, `limit`, \
             `cursor`, `by`, `descending`, `n` (there is one with a similar name: `words`)",
        ),
        (r#"{"in":"a","words":[],"by":"b","by":"c"}"#, "/by: the same member is given twice"),
        (
            r#"{"in":"a","words":[],"by":"b","filter":{}}"#,
            "/filter: unknown input `filter`: the inputs are `in`, `words`, `deep`, `max-size`, `since`, `limit`, \
             `cursor`, `by`, `descending`, `n`",
        ),
    ] {
        assert_eq!(refusal("find", arguments).await, expected, "{arguments}");
    }
    let undecoded = refusal("find", r#"{"in":"a","words":[],"by":"b","since":"x"}"#).await;
    assert_eq!(
        undecoded,
        "/since: expected a string in the format `date`, such as `2024-01-31`, got the string `x`"
    );
}

#[tokio::test]
async fn flattens_a_struct_without_fields() {
    let registry = tools_of(module_path!());
    let schema = registry.get("count_all").unwrap().input_schema();
    assert_eq!(schema["properties"].as_object().unwrap().keys().collect::<Vec<_>>(), ["start"]);
    assert_eq!(call("count_all", "{}").await.unwrap(), json!({"count": 7}));
    let wrong = refusal("count_all", r#"{"nothing":{}}"#).await;
    assert!(wrong.starts_with("/nothing: unknown input"), "{wrong}");
}

#[tokio::test]
async fn flattens_recursive_structs() {
    let registry = tools_of(module_path!());
    let schema = registry.get("find_both").unwrap().input_schema();
    assert_eq!(schema["properties"]["both"]["items"], json!({"$ref": "#/$defs/Both"}));
    let arguments = r#"{"both":[{"both":[],"n":1}],"n":2}"#;
    assert_eq!(call("find_both", arguments).await.unwrap(), json!({"both": [{"both": [], "n": 1}], "n": 2}));
    let wrong = refusal("find_both", r#"{"both":[{"both":[],"n":"1"}],"n":2}"#).await;
    assert_eq!(wrong, "/both/0/n: expected an integer from 0 to 255, got the string `1`");
}

#[test]
fn publishes_headers_and_locators() {
    let registry = tools_of(module_path!());
    let tool = registry.get("located").unwrap();
    let properties = &tool.input_schema()["properties"];
    assert_eq!(properties["region"]["x-mcp-header"], "Region");
    assert_eq!(properties["loud"]["x-mcp-header"], "Loud");
    let locators: Vec<_> = tool.inputs().iter().map(|input| input.locator).collect();
    assert_eq!(locators, [true, true, false]);
}

#[tokio::test]
async fn reads_examples_from_doc_comments() {
    let registry = tools_of(module_path!());
    let tool = registry.get("count_words").unwrap();
    assert_eq!(tool.description(), "Counts words.\n\nThe longest one counts twice.");
    let examples = [json!({"words": ["a", "b"]}), json!({"words": ["a"], "twice": false, "key": "(secret)"})];
    assert_eq!(tool.examples(), examples);
    assert_eq!(tool.input_schema()["examples"], json!(examples));
    assert_eq!(*tool.example(), examples[0]);
    // No example can be generated for a pattern.
    let failure = call("coded", "{}").await.unwrap_err();
    assert_eq!(failure.example(), Some(&json!({"code": "A-1"})));
    assert_eq!(
        failure.problems()[0].message,
        "missing required input: expected a string that matches `^[A-Z]-[0-9]$`"
    );
}

/// Type aliases, which the macro cannot resolve.
mod refused {
    use super::*;

    pub(super) type Text = String;
    type Number = u8;
    type Flag = bool;

    const MOST: u8 = 9;

    /// Has constraints that do not belong.
    #[tool(operation = Transform)]
    fn a_misplaced(
        #[arg(range(min = 1))] text: Text,
        #[arg(length(min = 1))] number: Number,
        #[arg(pattern = "^a$")] flag: Flag,
        #[arg(range(min = 300))] byte: u8,
        #[arg(range(min = 0.5))] whole: i64,
        #[arg(length(max = 0))] letter: char,
    ) {
        let _ = (text, number, flag, byte, whole, letter);
    }

    /// Has defaults that its constraints and types forbid.
    #[tool(operation = Transform)]
    fn b_defaults(
        #[arg(range(max = MOST), default = 10)] small: u8,
        #[arg(length(max = 2), default = "abc")] short: Text,
        #[arg(default = "yes")] flag: Flag,
        #[arg(default, length(min = 1))] list: Vec<u8>,
    ) {
        let _ = (small, short, flag, list);
    }

    /// Is right in all that the macro cannot see.
    #[tool(operation = Transform)]
    fn c_right(
        #[arg(range(max = MOST), default = 9)] small: u8,
        #[arg(length(max = 3), default = "abc")] short: Text,
        #[arg(range(min = 1), default = 2)] number: Number,
    ) {
        let _ = (small, short, number);
    }
}

#[test]
fn rejects_impossible_constraints_and_defaults() {
    let errors = builder_of("tools::inputs::refused").build().unwrap_err();
    let faults: Vec<String> = errors
        .iter()
        .map(|error| match error {
            BuildError::Schema { tool, fault, .. } => format!("{tool}: {fault}"),
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(
        faults,
        [
            "a_misplaced: input `text`: `range` is for a number, and the input is of type `string`",
            "a_misplaced: input `number`: `length` is for a text, a list or a map, and the input is of type `integer`",
            "a_misplaced: input `flag`: `pattern` is for a text, and the input is of type `boolean`",
            "a_misplaced: input `byte`: no value is within its `range`, from 300 to 255",
            "a_misplaced: input `whole`: `range` of an integer takes integers",
            "a_misplaced: input `letter`: no value is within its `length`, from 1 to 0",
            "b_defaults: the default of input `small` is invalid: expected at most 9, got `10`",
            "b_defaults: the default of input `short` is invalid: expected at most 2 characters, got 3",
            "b_defaults: the default of input `flag` is invalid: expected `true` or `false`, got the string `yes`",
            "b_defaults: the default of input `list` is invalid: expected at least 1 item, got 0",
        ]
    );
}

mod faulty {
    use super::*;

    #[derive(Deserialize, JsonSchema)]
    pub(super) enum Choice {
        A { a: u8 },
        B(u8),
    }

    /// Has examples that its constraints forbid, as only the schema says.
    #[tool(operation = Transform)]
    fn b_values(
        #[arg(length(max = 2), example = "abc")] short: super::refused::Text,
        #[arg(pattern = "^[a-z]$", example = "A")] letter: Option<String>,
    ) {
        let _ = (short, letter);
    }

    /// Flattens what cannot be.
    #[tool(operation = Transform)]
    fn c_flattened(
        #[arg(flatten)] map: BTreeMap<String, u8>,
        #[arg(flatten)] number: u8,
        #[arg(flatten)] optional: Option<Order>,
        #[arg(flatten)] choice: Choice,
    ) -> usize {
        let _ = (optional, matches!(choice, Choice::A { a: 1 } | Choice::B(1)));
        map.len() + usize::from(number)
    }

    /// Has inputs of one name.
    #[tool(operation = Transform)]
    fn d_collision(by: u8, #[arg(flatten)] order: Order, #[arg(flatten)] page: Page, cursor: u8) {
        let _ = (by, order, page, cursor);
    }

    /// Has headers that no client would send.
    #[tool(operation = Transform)]
    fn e_header(#[arg(header = "List")] list: Vec<u8>) {
        let _ = list;
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "it is declared, and nothing else")]
    pub(super) struct Headed {
        #[schemars(extend("x-mcp-header" = "region"))]
        region: String,
    }

    /// Has a header twice.
    #[tool(operation = Transform)]
    fn f_headers(#[arg(header = "Region")] a: String, #[arg(flatten)] b: Headed) {
        let _ = (a, b);
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "it is declared, and nothing else")]
    pub(super) struct Point {
        x: f64,
    }

    impl Locator for Point {}

    #[derive(Deserialize, JsonSchema)]
    #[serde(transparent)]
    #[expect(dead_code, reason = "it is declared, and nothing else")]
    pub(super) struct Maybe(Option<u8>);

    impl Locator for Maybe {}

    /// Locates what cannot be located.
    #[tool(operation = Read)]
    fn g_located(#[arg(locator)] point: Point, #[arg(locator)] maybe: Maybe) {
        let _ = (point, maybe);
    }

    /// Has examples that are none.
    ///
    /// ```tool
    /// {"a": 1, "b": 1}
    /// ```
    /// ```tool
    /// {"a": 1
    ///  "c": 2}
    /// ```
    #[tool(operation = Transform)]
    fn h_examples(a: String) -> String {
        a
    }
}

#[test]
fn reports_invalid_options_when_checked() {
    let registry = tools_of("tools::inputs::faulty");
    let errors = registry.check().unwrap_err();
    let of = |name: &str| -> Vec<String> {
        let fault = |error: &BuildError| match error {
            BuildError::Schema { tool, fault, location: place } if tool == name => {
                assert!(place.contains("inputs.rs:"), "{place}");
                Some(fault.clone())
            }
            _ => None,
        };
        errors.iter().filter_map(fault).collect()
    };
    assert_eq!(
        of("b_values"),
        [
            "the example of input `short` is invalid: expected at most 2 characters, got 3",
            "the example of input `letter` is invalid: expected a string that matches `^[a-z]$`, got the string `A`",
        ]
    );
    assert_eq!(
        of("c_flattened"),
        [
            "input `map`: it cannot be flattened: the names of its members are free, as those of a map are",
            "input `number`: it cannot be flattened: its type is not a struct with named fields",
            "input `optional`: it cannot be flattened: it may be left out as a whole; let its fields be left out instead",
            "input `choice`: it cannot be flattened: its fields depend on a choice, as those of an `enum` do",
        ]
    );
    assert_eq!(
        of("d_collision"),
        [
            "input `order`: another input has the name `by`, too",
            "input `cursor`: another input has the name `cursor`, too",
        ]
    );
    assert_eq!(of("e_header").len(), 1);
    assert!(of("e_header")[0].contains("/properties/list/x-mcp-header"), "{:?}", of("e_header"));
    assert_eq!(of("f_headers").len(), 1);
    assert!(of("f_headers")[0].contains("occurs twice"), "{:?}", of("f_headers"));
    assert_eq!(
        of("g_located"),
        [
            "input `point`: it is a locator, and its schema is neither a string nor an integer",
            "input `maybe`: it is a locator, and may be left out",
        ]
    );
    assert_eq!(
        of("h_examples"),
        [
            "the example at line 3 of its description is invalid: /a: expected a string, got `1`; /b: unknown input \
             `b`: the inputs are `a`",
            "the example at line 8 of its description is not JSON: expected `,` or `}`",
        ]
    );
}

#[tokio::test]
async fn calls_tools_with_invalid_flattening() {
    let registry = tools_of("tools::inputs::faulty");
    let arguments = json!({"map": {"a": 1}, "number": 2, "optional": {"by": "n"}, "choice": {"B": 1}});
    assert_eq!(registry.call("c_flattened", arguments).await.unwrap().value(), 3);
}
