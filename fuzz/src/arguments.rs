//! The arguments of declared tools.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::schema::Leniency;
use tool_core::{CallOptions, Failure, FailureKind, Problem, Registry, tool, tools};

use crate::json_rpc::has_duplicates;
use crate::validator::Validator;

/// A unit of temperatures.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Kelvin,
}

/// A shape.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    Circle { radius: f64 },
    Square { side: u16, unit: Option<Unit> },
}

/// A number or a text.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
enum Key {
    Number(i32),
    Text(String),
    Pair(bool, u8),
}

/// An address.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Address {
    street: String,
    #[serde(default)]
    number: Option<u8>,
    /// The one before.
    former: Option<Box<Address>>,
}

/// Takes integers.
#[tool(operation = Transform)]
fn integers(
    /** Small. */
    small: u8,
    /** Signed. */
    signed: i64,
    /** Large. */
    large: u64,
) -> String {
    format!("{small} {signed} {large}")
}

/// Takes numbers.
#[tool(operation = Transform)]
fn numbers(
    /** Any. */
    any: f64,
    /** With limits. */
    #[arg(range(min = 1, max = 9))]
    limited: u8,
) -> String {
    format!("{any} {limited}")
}

/// Takes texts.
#[tool(operation = Transform)]
fn texts(
    /** Any. */
    any: String,
    /** With a length. */
    #[arg(length(min = 1, max = 3))]
    short: String,
    /** With a pattern. */
    #[arg(pattern = "^[A-Z]{3}-[0-9]{2}$", example = "ABC-12")]
    code: String,
    /** One character. */
    one: char,
) -> String {
    format!("{any} {short} {code} {one}")
}

/// Takes what may be absent.
#[tool(operation = Transform)]
fn optional(
    /** A truth. */
    truth: Option<bool>,
    /** A number. */
    #[arg(default = 5)]
    number: i8,
    /** A text. */
    text: Option<String>,
) -> String {
    format!("{truth:?} {number} {text:?}")
}

/// Takes lists.
#[tool(operation = Transform)]
fn lists(
    /** Numbers. */
    #[arg(length(max = 3))]
    numbers: Vec<u16>,
    /** Pairs. */
    pairs: Vec<(bool, String)>,
    /** Three. */
    three: [i8; 3],
) -> String {
    format!("{numbers:?} {pairs:?} {three:?}")
}

/// Takes maps.
#[tool(operation = Transform)]
fn maps(
    /** By name. */
    by_name: BTreeMap<String, i32>,
    /** By number. */
    by_number: BTreeMap<u8, bool>,
) -> String {
    format!("{by_name:?} {by_number:?}")
}

/// Takes choices.
#[tool(operation = Transform)]
fn choices(
    /** A unit. */
    unit: Unit,
    /** A shape. */
    shape: Shape,
    /** A key. */
    key: Key,
) -> String {
    serde_json::to_string(&(unit, shape, key)).unwrap_or_default()
}

/// Takes objects.
#[tool(operation = Transform)]
fn objects(
    /** An address. */
    address: Address,
    /** Others. */
    others: Option<Vec<Address>>,
) -> String {
    serde_json::to_string(&(address, others)).unwrap_or_default()
}

/// Takes anything.
#[tool(operation = Transform)]
fn anything(
    /** Any. */
    value: Value,
) -> String {
    value.to_string()
}

/// Takes nothing.
#[tool(operation = Transform)]
fn nothing() -> String {
    String::new()
}

const NAMES: [&str; 10] = [
    "integers", "numbers", "texts", "optional", "lists", "maps", "choices", "objects", "anything", "nothing",
];

struct Fixture {
    registry: Registry,
    validators: Vec<Validator>,
    options: CallOptions,
}

impl Fixture {
    fn new() -> Self {
        let tools =
            tools![integers, numbers, texts, optional, lists, maps, choices, objects, anything, nothing];
        let registry = Registry::builder().tools(tools).leniency(Leniency::Strict).build();
        let registry = registry.expect("the tools are valid");
        registry.check().expect("the schemas are valid");
        let validator = |name| {
            let schema = registry.get(name).expect("a tool").input_schema();
            Validator::new(schema, true).expect("a valid schema")
        };
        let validators = NAMES.map(validator).into();
        Fixture { registry, validators, options: CallOptions::default() }
    }
}

/// Calls a tool. The first byte chooses the tool (modulo 10), the rest is the JSON of the arguments.
///
/// - What the published schema accepts is decoded, and what it refuses is refused, as another validator judges it. Three things are
///   exempt: `null` may stand for a member that is optional, a schema does not tell which numbers are keys of a map, and other
///   validators do not know the formats of integers, such as `uint64`.
/// - `Registry::validate` has the same verdict as the call.
/// - A text that is not JSON, or has a member twice, is refused.
pub fn arguments(input: &[u8]) {
    thread_local! {
        static FIXTURE: Fixture = Fixture::new();
    }
    let Some((choice, text)) = input.split_first() else { return };
    let tool = usize::from(*choice) % NAMES.len();
    FIXTURE.with(|Fixture { registry, validators, options }| {
        let called = tool_core::private::block_on(registry.call_with(NAMES[tool], text, options));
        let validated = registry.validate(NAMES[tool], text);
        let is_accepted = match &called.result {
            Ok(_) => true,
            Err(failure) => {
                let kind = failure.kind();
                assert!(matches!(kind, FailureKind::Input | FailureKind::NotJson), "{failure:?}");
                false
            }
        };
        assert_eq!(validated.is_ok(), is_accepted, "`validate` and `call` differ: {:?}", called.result);
        let text = if text.trim_ascii().is_empty() { b"{}" } else { text };
        let value = std::str::from_utf8(text).ok().filter(|text| !has_duplicates(text));
        let value = value.and_then(|text| serde_json::from_str::<Value>(text).ok());
        let accepts = |value: &Value| validators[tool].is_valid(value);
        let is_valid = value.as_ref().is_some_and(accepts);
        // `null` counts as absent where a member is optional.
        let is_valid_with_nulls = || value.as_ref().is_some_and(|value| accepts(&without_nulls(value)));
        let problems = called.result.as_ref().err().map(Failure::problems).unwrap_or_default();
        let is_left_out = |problem: &Problem| matches!(problem.keyword.as_str(), "propertyNames" | "format");
        let is_exempt = !problems.is_empty() && problems.iter().all(is_left_out);
        assert!(
            is_accepted == is_valid || is_exempt || is_accepted && is_valid_with_nulls(),
            "the schema of `{}` and its decoder differ: {:?}",
            NAMES[tool],
            called.result
        );
    });
}

/// Returns a value without the members of its objects that are `null`.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        Value::Object(members) => {
            let members = members.iter().filter(|(_, value)| !value.is_null());
            Value::Object(members.map(|(name, value)| (name.clone(), without_nulls(value))).collect())
        }
        other => other.clone(),
    }
}
