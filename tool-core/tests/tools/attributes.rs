//! For every supported attribute of serde, in every position, the published schema describes what the decoder
//! accepts and what the serializer writes.
//!
//! [`agreement`](crate::agreement) tests the tools of this module, too, with generated and mutated arguments.
//! Here the schemas are compared with the types, without calls: an output schema admits what its type
//! serializes, and an input schema admits what its type round-trips unchanged.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::test_runner::Config;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::{BuildError, tool};

use crate::agreement::{generate, mutate};
use crate::tools_of;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Point {
    x: i32,
    y: Option<i32>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Renamed {
    first_name: String,
    #[serde(rename = "n")]
    number: u8,
    #[serde(rename(serialize = "out", deserialize = "in"))]
    both: bool,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Defaults {
    #[serde(default)]
    count: u8,
    #[serde(default)]
    label: Option<String>,
    #[serde(default = "seven")]
    seven: i64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    items: Vec<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maybe: Option<u8>,
}

fn seven() -> i64 {
    7
}

#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Defaulted {
    count: u8,
    label: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "what is skipped is never read")]
struct Skips {
    kept: u8,
    #[serde(skip)]
    skipped: u8,
    #[serde(skip_serializing)]
    only_in: u8,
    #[serde(skip_deserializing)]
    only_out: u8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Denying {
    x: u8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
struct Transparent {
    inner: Point,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(from = "u8", into = "String")]
struct Converted(u8);

impl From<u8> for Converted {
    fn from(value: u8) -> Self {
        Converted(value)
    }
}

impl From<Converted> for String {
    fn from(value: Converted) -> Self {
        value.0.to_string()
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Unit;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Empty {}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EmptyDenying {}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Pair(u8, #[serde(default)] Option<String>);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
struct TaggedStruct {
    x: u8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", deny_unknown_fields)]
struct TaggedDenying {
    x: u8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Aliased {
    #[serde(alias = "old")]
    new: Option<u8>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Other {
    #[serde(alias = "first")]
    One,
    #[serde(other)]
    Rest,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatTagged {
    id: u8,
    #[serde(flatten)]
    tagged: TaggedStruct,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatOptional {
    id: u8,
    #[serde(flatten)]
    place: Option<Pixel>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Pixel {
    x: u8,
    y: u8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum External {
    Unit,
    New(u8),
    Tuple(u8, bool),
    Struct { a: u8, b: Option<u8> },
    Empty {},
    Map(BTreeMap<String, u8>),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Internal {
    Unit,
    New(Point),
    Struct {
        some_field: u8,
    },
    Open(BTreeMap<String, Value>),
    #[serde(skip)]
    #[allow(dead_code, reason = "it stands for a variant that is skipped")]
    Skipped,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Unit,
    New(u8),
    Tuple(u8, bool),
    Struct { a: u8 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Number(i32),
    Pair(u8, String),
    Struct { a: u8, b: Option<u8> },
    Text(String),
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatStruct {
    id: u8,
    #[serde(flatten)]
    point: Point,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatMap {
    id: u8,
    #[serde(flatten)]
    rest: HashMap<String, i64>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatAny {
    id: u8,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Choice {
    One { a: u8 },
    Two { b: u8 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatExternal {
    id: u8,
    #[serde(flatten)]
    choice: Choice,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatExternalAndMap {
    id: u8,
    #[serde(flatten)]
    choice: Choice,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Kinds {
    Unit,
    Struct { a: u8 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatInternal {
    id: u8,
    #[serde(flatten)]
    choice: Kinds,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatAdjacent {
    id: u8,
    #[serde(flatten)]
    choice: Adjacent,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatOptionalChoice {
    id: u8,
    #[serde(flatten)]
    choice: Option<Kinds>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Shapes {
    Circle { radius: u8 },
    Square { side: u8 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatUntagged {
    id: u8,
    #[serde(flatten)]
    shape: Shapes,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatTwoChoices {
    id: u8,
    #[serde(flatten)]
    choice: Kinds,
    #[serde(flatten)]
    shape: Shapes,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatOnlyChoices {
    #[serde(flatten)]
    choice: Kinds,
    #[serde(flatten)]
    shape: Shapes,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatTwoChoicesAndMap {
    id: u8,
    #[serde(flatten)]
    choice: Kinds,
    #[serde(flatten)]
    shape: Shapes,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

/// Has a schema that says only that it is an object.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct ByHand(BTreeMap<String, Value>);

impl JsonSchema for ByHand {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ByHand".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object"})
    }
}

fn any_object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "description": "Whatever."})
}

fn object_in_parts(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"allOf": [{"type": "object"}, {"minProperties": 0}]})
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct SchemaWith {
    #[schemars(schema_with = "any_object")]
    value: BTreeMap<String, Value>,
    #[serde(default)]
    #[schemars(schema_with = "object_in_parts")]
    parts: BTreeMap<String, Value>,
}

/// Declares a tool for each type, which takes it in every position of an input, and returns it.
macro_rules! family {
    ($($name:ident: $kind:ty = $($value:tt),+;)*) => {
        $(
            /// Repeats its input.
            #[tool(operation = Transform)]
            fn $name(
                value: $kind,
                optional: Option<$kind>,
                list: Option<Vec<$kind>>,
                map: Option<BTreeMap<String, $kind>>,
            ) -> Vec<$kind> {
                let more = optional.into_iter().chain(list.unwrap_or_default());
                std::iter::once(value).chain(more).chain(map.unwrap_or_default().into_values()).collect()
            }
        )*

        /// Returns each tool, the round trip of its type, and values that the type decodes.
        fn families() -> Vec<(&'static str, RoundTrip, Vec<Value>)> {
            vec![$((stringify!($name), round_trip::<$kind>, vec![$(json!($value)),+])),*]
        }
    };
}

/// Decodes a value and serializes it again.
type RoundTrip = fn(&Value) -> Option<Value>;

fn round_trip<T: Serialize + DeserializeOwned>(value: &Value) -> Option<Value> {
    let read: T = serde_json::from_value(value.clone()).ok()?;
    Some(serde_json::from_str(&serde_json::to_string(&read).unwrap()).unwrap())
}

struct Family {
    name: &'static str,
    round_trip: RoundTrip,
    values: Vec<Value>,
    value_schema: Value,
    input: jsonschema::Validator,
    output: jsonschema::Validator,
}

impl Family {
    /// Returns the fault of the schemas for this value.
    fn fault(&self, value: &Value) -> Option<String> {
        let serialized = (self.round_trip)(value)?;
        if !self.output.is_valid(&json!({"result": [serialized]})) {
            return Some(format!("`{}` writes {serialized}, which its output schema refuses", self.name));
        }
        // A `null` that counts as missing is serialized again.
        let admits = |value: &Value| self.input.is_valid(&json!({ "value": value }));
        let is_kept = serialized == *value && !admits(value) && !admits(&without_nulls(value));
        is_kept.then(|| format!("`{}` keeps {value}, which its input schema refuses", self.name))
    }
}

fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let given = members.iter().filter(|(_, value)| !value.is_null());
            given.map(|(name, value)| (name.clone(), without_nulls(value))).collect()
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

static FAMILIES: LazyLock<Vec<Family>> = LazyLock::new(|| {
    let registry = tools_of(module_path!());
    let family = |(name, round_trip, values): (&'static str, RoundTrip, Vec<Value>)| {
        let tool = registry.get(name).unwrap();
        let (input, output) = (tool.input_schema(), tool.output_schema().unwrap());
        Family {
            name,
            round_trip,
            values,
            value_schema: input["properties"]["value"].clone(),
            input: jsonschema::draft202012::new(input).unwrap(),
            output: jsonschema::draft202012::new(output).unwrap(),
        }
    };
    families().into_iter().map(family).collect()
});

#[test]
fn admits_what_types_serialize() {
    let mut faults = Vec::new();
    for family in &*FAMILIES {
        for value in &family.values {
            assert!((family.round_trip)(value).is_some(), "`{}` does not read {value}", family.name);
            let is_valid = family.input.is_valid(&json!({ "value": without_nulls(value) }));
            faults.extend(
                (!is_valid).then(|| format!("the input schema of `{}` refuses {value}", family.name)),
            );
            faults.extend(family.fault(value));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

proptest! {
    #![proptest_config(Config { cases: 2_000, failure_persistence: None, ..Config::default() })]

    #[test]
    fn admits_what_types_round_trip(
        (family, value) in (0..FAMILIES.len()).prop_flat_map(|family| {
            let generated = generate::from(&FAMILIES[family].value_schema);
            (Just(family), prop_oneof![generated.clone(), generated.prop_flat_map(mutate::from)])
        })
    ) {
        let value = value.value();
        prop_assert_eq!(FAMILIES[family].fault(&value), None, "{}", value);
    }
}

family! {
    attr_plain: Point = {"x": 1, "y": 2}, {"x": 1};
    attr_renamed: Renamed = {"firstName": "a", "n": 1, "in": true};
    attr_defaults: Defaults = {}, {"count": 1, "label": "a", "seven": 1, "items": [1], "maybe": 3};
    attr_defaulted: Defaulted = {}, {"count": 1, "label": "a"};
    attr_skips: Skips = {"kept": 1, "only_in": 1};
    attr_denying: Denying = {"x": 1};
    attr_transparent: Transparent = {"x": 1};
    attr_converted: Converted = 5;
    attr_unit: Unit = null;
    attr_empty: Empty = {};
    attr_empty_denying: EmptyDenying = {};
    attr_pair: Pair = [1, "a"], [1, null];
    attr_tagged_struct: TaggedStruct = {"x": 1};
    attr_tagged_denying: TaggedDenying = {"x": 1};
    attr_aliased: Aliased = {"new": 1};
    attr_other: Other = {"kind": "One"}, {"kind": "Rest"};
    attr_flat_tagged: FlatTagged = {"id": 1, "x": 1};
    attr_flat_optional: FlatOptional = {"id": 1}, {"id": 1, "x": 1, "y": 2};
    attr_external: External = "Unit", {"New": 1}, {"Tuple": [1, true]}, {"Struct": {"a": 1}}, {"Empty": {}}, {"Map": {"a": 1}};
    attr_internal: Internal = {"kind": "unit"}, {"kind": "new", "x": 1}, {"kind": "struct", "someField": 1}, {"kind": "open", "a": []};
    attr_adjacent: Adjacent = {"t": "Unit"}, {"t": "New", "c": 1}, {"c": [1, true], "t": "Tuple"}, {"t": "Struct", "c": {"a": 1}};
    attr_untagged: Untagged = 1, [1, "a"], {"a": 1}, "a";
    attr_flat_struct: FlatStruct = {"id": 1, "x": 1};
    attr_flat_map: FlatMap = {"id": 1, "a": 1, "b": 2};
    attr_flat_any: FlatAny = {"id": 1, "a": [], "b": 2};
    attr_flat_external: FlatExternal = {"id": 1, "One": {"a": 1}};
    attr_flat_external_and_map: FlatExternalAndMap = {"id": 1, "One": {"a": 1}, "more": 1};
    attr_flat_internal: FlatInternal = {"id": 1, "kind": "Unit"}, {"id": 1, "kind": "Struct", "a": 1};
    attr_flat_adjacent: FlatAdjacent = {"id": 1, "t": "Unit"}, {"id": 1, "t": "New", "c": 1};
    attr_flat_optional_choice: FlatOptionalChoice = {"id": 1}, {"id": 1, "kind": "Struct", "a": 1};
    attr_flat_untagged: FlatUntagged = {"id": 1, "radius": 1}, {"id": 1, "side": 1};
    attr_flat_two_choices: FlatTwoChoices = {"id": 1, "kind": "Unit", "side": 1};
    attr_flat_only_choices: FlatOnlyChoices = {"kind": "Struct", "a": 1, "side": 1};
    attr_flat_two_choices_and_map: FlatTwoChoicesAndMap = {"id": 1, "kind": "Unit", "side": 1, "more": []};
    attr_by_hand: ByHand = {}, {"a": 1};
    attr_schema_with: SchemaWith = {"value": {"a": 1}, "parts": {"b": 2}};
}

/// Types whose schema and decoder differ, which the check of a registry rejects.
mod refused {
    use std::collections::BTreeMap;

    use schemars::JsonSchema;
    use serde::Deserialize;
    use tool_core::tool;

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "it is only described")]
    struct Limited {
        #[serde(default)]
        #[schemars(range(min = 5))]
        count: u8,
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "it is only described")]
    struct Named {
        id: Option<u8>,
        #[serde(default)]
        names: BTreeMap<i32, u8>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "it is only described")]
    struct Wide {
        wide: Option<i128>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "it is only described")]
    struct Flat<T> {
        flat: u8,
        #[serde(flatten)]
        of: T,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "kind")]
    #[allow(dead_code, reason = "it is only described")]
    enum Tagged<T> {
        Unit,
        Of(T),
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(untagged)]
    #[allow(dead_code, reason = "it is only described")]
    enum Untagged<T> {
        Flag(bool),
        Of(T),
    }

    /// An `i64` decodes the samples of the other variant, too.
    #[derive(Deserialize, JsonSchema)]
    #[serde(untagged)]
    #[allow(dead_code, reason = "it is only described")]
    enum EitherNumber {
        Narrow(i64),
        Wide(i128),
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "it is only described")]
    enum WithUntagged {
        Wide {
            of: u128,
        },
        #[serde(untagged)]
        Text(String),
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(untagged)]
    #[allow(dead_code, reason = "it is only described")]
    enum Tree {
        Leaf(Wide),
        Node { left: Box<Tree> },
    }

    /// Declares a tool that takes a type.
    macro_rules! takes {
        ($($name:ident: $kind:ty;)*) => {
            $(
                /// Takes what serde cannot read.
                #[tool(operation = Transform)]
                fn $name(value: $kind) {
                    let _ = value;
                }
            )*
        };
    }

    takes! {
        flat_names: Flat<Named>;
        flat_wide: Flat<Wide>;
        flat_map: Flat<BTreeMap<i32, u8>>;
        tagged_names: Tagged<Named>;
        tagged_wide: Option<Vec<Tagged<Wide>>>;
        untagged_names: Untagged<Named>;
        untagged_wide: Vec<Untagged<Wide>>;
        untagged_either: Option<EitherNumber>;
        untagged_variant: WithUntagged;
        untagged_tree: Tree;
    }

    /// Has a default that its own type refuses.
    #[tool(operation = Transform)]
    fn bad_default(value: Vec<Limited>) {
        drop(value);
    }
}

/// Tools with examples and defaults that omit members, which their types serialize as `null`.
mod exemplary {
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};
    use tool_core::tool;

    #[derive(Default, Serialize, Deserialize, JsonSchema)]
    struct Stop {
        /// Where it is.
        town: Option<String>,
        /// How many nights.
        #[serde(default)]
        nights: u8,
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "it is only described")]
    struct Tour {
        /// Where it begins.
        #[serde(default)]
        #[schemars(example = Stop { town: None, nights: 2 })]
        start: Stop,
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "it is only described")]
    struct Page {
        /// How many at most.
        #[serde(default)]
        limit: Option<i64>,
        /// Where it goes on.
        #[serde(default)]
        after: Option<Stop>,
    }

    /// Plans a journey through several towns.
    ///
    /// ```tool
    /// {"tour": {"start": {"nights": 1}}, "last": {"town": "Bern"}}
    /// ```
    #[tool(operation = Transform)]
    fn plan_journey(
        /// Where it leads.
        tour: Tour,
        /// Where it ends.
        #[arg(example = Stop { town: None, nights: 1 }, default = Stop::default())]
        last: Stop,
        #[arg(flatten)] page: Page,
    ) {
        let _ = (tour.start.town, last.nights, page.limit);
    }
}

#[tokio::test]
async fn omits_nulls_from_examples_and_defaults() {
    let registry = tools_of("tools::attributes::exemplary");
    registry.check().unwrap();
    assert_eq!(tool_core::lint::lint(&registry), []);
    let tool = registry.get("plan_journey").unwrap();
    let schema = tool.input_schema();
    let last = &schema["properties"]["last"];
    assert_eq!(last["default"], json!({"nights": 0}));
    assert_eq!(last["examples"], json!([{"nights": 1}]));
    let start = &schema["properties"]["tour"]["properties"]["start"];
    assert_eq!((&start["default"], &start["examples"]), (&json!({"nights": 0}), &json!([{"nights": 2}])));
    for name in ["limit", "after"] {
        assert_eq!(schema["properties"][name].get("default"), None, "{name}");
    }
}

fn faults_of(name: &str) -> String {
    let errors = tools_of("tools::attributes::refused").check().unwrap_err();
    let of = |error: &&BuildError| matches!(error, BuildError::Schema { tool, .. } if tool == name);
    errors.iter().filter(of).map(|error| format!("{error}\n")).collect()
}

#[test]
fn rejects_defaults_that_their_type_rejects() {
    let faults = faults_of("bad_default");
    assert!(
        faults.contains("the default at `/value/*/count` is invalid: expected at least 5, got `0`"),
        "{faults}"
    );
}

#[test]
fn rejects_types_that_serde_cannot_decode() {
    for (name, reason) in [
        ("flat_names", "take a map with names of `String`"),
        ("flat_wide", "take an integer of 64 bits or a `String`"),
        ("flat_map", "take a map with names of `String`"),
        ("tagged_names", "take a map with names of `String`"),
        ("tagged_wide", "take an integer of 64 bits or a `String`"),
        ("untagged_names", "take a map with names of `String`"),
    ] {
        let faults = faults_of(name);
        assert!(faults.contains("its schema admits `{") && faults.contains(reason), "{name}: {faults}");
    }
}

#[test]
fn rejects_128_bit_integers_in_untagged_enums() {
    for (name, place) in [
        ("untagged_wide", "/value/*/wide"),
        ("untagged_either", "/value"),
        ("untagged_variant", "/value/Wide/of"),
        ("untagged_tree", "/value/wide"),
    ] {
        let faults = faults_of(name);
        let fact =
            format!("the integer of 128 bits at `{place}` stands in an untagged enum, whose variants serde");
        assert!(
            faults.contains(&fact) && faults.contains("take an integer of 64 bits or a `String`"),
            "{name}: {faults}"
        );
    }
}

#[tokio::test]
async fn rejects_tags_and_aliases_outside_the_schema() {
    let registry = tools_of(module_path!());
    for (name, value, expected) in [
        ("attr_tagged_struct", json!({"x": 1}), Ok(json!({"type": "TaggedStruct", "x": 1}))),
        (
            "attr_tagged_struct",
            json!({"type": "Tagged", "x": 1}),
            Err("/value/type: unknown property `type`"),
        ),
        ("attr_aliased", json!({"new": 1}), Ok(json!({"new": 1}))),
        ("attr_aliased", json!({"old": 1}), Err("/value/old: unknown property `old`")),
        ("attr_other", json!({"kind": "Rest"}), Ok(json!({"kind": "Rest"}))),
        ("attr_other", json!({"kind": "first"}), Err("/value/kind: expected ")),
        ("attr_other", json!({"kind": "new"}), Err("/value/kind: expected ")),
        // Incomplete, and so `None`.
        ("attr_flat_optional", json!({"id": 1, "x": 1}), Ok(json!({"id": 1}))),
    ] {
        let called = registry.call(name, json!({ "value": value })).await;
        let given = called.map(|output| output.value()).map_err(|failure| failure.problems()[0].to_string());
        match expected {
            Ok(expected) => assert_eq!(given.unwrap(), json!([expected]), "{name}: {value}"),
            Err(expected) => {
                let problem = given.unwrap_err();
                assert!(problem.starts_with(expected), "{name}: {value}: {problem}");
            }
        }
    }
}

#[test]
fn publishes_no_null_defaults() {
    let registry = tools_of(module_path!());
    registry.check().unwrap();
    for tool in registry.tools() {
        let schema = tool.input_schema().to_string();
        assert!(!schema.contains(r#""default":null"#), "{schema}");
    }
}
