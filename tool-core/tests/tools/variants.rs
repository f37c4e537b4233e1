//! Doc comments of enum variants in schemas.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::profile::Profile;
use tool_core::{ToolDefinition, tool};

use crate::tools_of;

/// An order of things.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    /// What changed last
    /// comes first.
    Newest,
    /// What changed first comes first.
    Oldest,
    Random,
}

/// Lists things.
#[tool(operation = Read)]
fn list_in_order(
    /// In which order they come.
    order: Order,
    then: Option<Vec<Order>>,
) -> Order {
    then.into_iter().flatten().next().unwrap_or(order)
}

const VARIANTS: &str =
    "- `newest`: What changed last comes first.\n- `oldest`: What changed first comes first.";

#[test]
fn adds_variant_docs_to_the_description() {
    let registry = tools_of(module_path!());
    registry.check().unwrap();
    let tool = registry.get("list_in_order").unwrap();
    let described = |text: &str| {
        let values = ["random", "newest", "oldest"];
        json!({"type": "string", "enum": values, "description": format!("{text}\n{VARIANTS}")})
    };
    let properties = &tool.input_schema()["properties"];
    assert_eq!(properties["order"], described("In which order they come."));
    assert_eq!(properties["then"]["items"], described("An order of things."));
    assert_eq!(tool.output_schema().unwrap()["properties"]["result"], described("An order of things."));
    for profile in Profile::ALL.into_iter().filter(|profile| *profile != Profile::Native) {
        let schema = tool.schema_for(profile).unwrap().to_string();
        let expected = serde_json::to_string(VARIANTS).unwrap();
        assert_eq!(schema.matches(expected.trim_matches('"')).count(), 2, "{profile}: {schema}");
    }
}

#[test]
fn lists_variant_docs_in_native_inputs() {
    let registry = tools_of(module_path!());
    let inputs = serde_json::to_value(registry.get("list_in_order").unwrap().inputs()).unwrap();
    assert_eq!(inputs[0]["description"], "In which order they come.");
    let of = |value: &str| -> Value {
        let mut allowed = inputs[0]["allowed"].as_array().unwrap().iter();
        allowed.find(|allowed| allowed["value"] == value).unwrap()["description"].clone()
    };
    assert_eq!((of("oldest"), of("random")), (json!("What changed first comes first."), Value::Null));
}

/// The documentation of the variants of `schemas.rs`, and of the types in them.
const DOCS: [(&str, &[&str]); 3] = [
    (
        "enum_external_described",
        &[
            "Nothing is known yet.",
            "Somebody took it\nat the door.",
            "It was left.",
            "Where it lies.",
            "- `good`: All is well.\n- `bad`: It could be better.",
        ],
    ),
    (
        "enum_internal_described",
        &["It stays.", "It goes on.", "It goes to a place.", "Degrees north.", "- `good`: All is well."],
    ),
    (
        "enum_untagged_described",
        &["By number.", "By mood.", "By any of some moods.", "- `bad`: It could be better."],
    ),
];

#[test]
fn every_profile_describes_every_variant() {
    let registry = tools_of("tools::schemas");
    for (name, docs) in DOCS {
        let tool = registry.get(name).unwrap();
        for profile in Profile::ALL.into_iter().filter(|profile| *profile != Profile::Native) {
            let schema = tool.schema_for(profile).unwrap();
            for input in ["value", "optional"] {
                let schema = schema["properties"][input].to_string();
                for text in docs {
                    let text = json!(text).to_string();
                    assert!(schema.contains(text.trim_matches('"')), "{profile}: {text} is not in {schema}");
                }
            }
        }
    }
}

#[test]
fn reads_the_descriptions_of_constants_in_custom_schemas() {
    let order = json!({
        "description": "Which first.",
        "oneOf": [
            {"const": "up", "title": "Upwards", "description": "The least."},
            {"type": "string", "const": "down", "title": "Downwards"},
            {"const": "any"},
        ],
    });
    let level = json!({"anyOf": [{"const": 1, "description": "Low."}, {"const": 2, "description": "High."}]});
    let mixed = json!({"oneOf": [{"const": 1}, {"const": "a"}]});
    let schema = json!({"type": "object", "properties": {"order": order, "level": level, "mixed": mixed}});
    let tool = ToolDefinition::builder("sort", "Sorts.").input_schema(schema).build().unwrap();
    let inputs = serde_json::to_value(tool.inputs()).unwrap();
    let allowed = json!([
        {"value": "up", "description": "Upwards: The least."},
        {"value": "down", "description": "Downwards"},
        {"value": "any"},
    ]);
    assert_eq!((&inputs[0]["type"], &inputs[0]["allowed"]), (&json!("string"), &allowed));
    assert_eq!(inputs[0]["description"], "Which first.");
    let allowed = json!([{"value": 1, "description": "Low."}, {"value": 2, "description": "High."}]);
    assert_eq!((&inputs[1]["type"], &inputs[1]["allowed"]), (&json!("integer"), &allowed));
    assert_eq!((&inputs[2]["type"], &inputs[2]["allowed"]), (&json!("union"), &Value::Null));
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Documented {
    /// Says why.
    Third,
    /// Says why.
    First,
    /// Says why.
    Second,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Undocumented {
    Third,
    First,
    Second,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Mixed {
    /// Says why.
    Zulu,
    Yankee,
    /// Says why.
    Alpha,
    Bravo,
    /// Says why.
    Mike,
}

/// Sorts by kind.
#[tool(operation = Transform)]
fn by_kind(documented: Documented, undocumented: Undocumented, mixed: Mixed) -> Vec<Mixed> {
    let _ = (documented, undocumented);
    vec![mixed]
}

// With mixed documentation, schemars does not keep the position of undocumented variants.
#[test]
fn keeps_variant_order_with_undocumented_ones_first() {
    let registry = tools_of(module_path!());
    let tool = registry.get("by_kind").unwrap();
    let properties = &tool.input_schema()["properties"];
    assert_eq!(properties["documented"]["enum"], json!(["Third", "First", "Second"]));
    assert_eq!(properties["undocumented"]["enum"], json!(["Third", "First", "Second"]));
    let mixed = json!(["Yankee", "Bravo", "Zulu", "Alpha", "Mike"]);
    assert_eq!(properties["mixed"]["enum"], mixed);
    assert_eq!(tool.output_schema().unwrap()["properties"]["result"]["items"]["enum"], mixed);
    let inputs = serde_json::to_value(tool.inputs()).unwrap();
    let allowed: Vec<&Value> =
        inputs[2]["allowed"].as_array().unwrap().iter().map(|allowed| &allowed["value"]).collect();
    assert_eq!(json!(allowed), mixed);
}
