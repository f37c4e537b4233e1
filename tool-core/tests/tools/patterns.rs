//! A published pattern means the same to clients and to the registry, whether it is from the option
//! `pattern`, an attribute of `schemars`, or a custom schema.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::{DynamicTool, Output, Registry, ToolDefinition, tool};

use crate::tools_of;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Code(#[schemars(regex(pattern = r"^[A-Z]{3}\.[0-9]$"))] String);

#[derive(Serialize, Deserialize, JsonSchema)]
struct Portable {
    code: Code,
    by_number: BTreeMap<u8, String>,
    #[schemars(schema_with = "portable_names")]
    by_name: BTreeMap<String, u8>,
    #[schemars(contains(pattern = "a-b #1 & ~c (d)."))]
    containing: String,
    #[schemars(schema_with = "decimal")]
    decimal: String,
    #[schemars(schema_with = "version")]
    version: String,
}

/// The schema of a decimal of `rust_decimal` or `bigdecimal`.
fn decimal(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["string", "number"], "pattern": r"^-?\d+(\.\d+)?([eE]\d+)?$"})
}

/// The schema of a version of `semver`.
fn version(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "pattern": r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$"})
}

fn portable_names(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "patternProperties": {"^[a-z]+$": {"type": "integer"}}})
}

/// Repeats what it is given.
#[tool(operation = Transform)]
fn portable(value: Portable) -> Portable {
    value
}

mod refused {
    use super::*;

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Digits(#[schemars(regex(pattern = r"^\d{3}$"))] String);

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Parcel {
        #[schemars(regex(pattern = "^a.b$"))]
        label: Option<String>,
        #[schemars(schema_with = "names")]
        names: BTreeMap<String, u8>,
    }

    fn names(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object", "patternProperties": {r"^\w+$": {"type": "integer"}}})
    }

    /// Takes a list of a type with a pattern.
    #[tool(operation = Transform)]
    fn attribute(codes: Vec<Digits>) {
        drop(codes);
    }

    /// Takes a type with two patterns.
    #[tool(operation = Transform)]
    fn member(parcel: Parcel) {
        drop(parcel);
    }

    /// Returns a type with a pattern.
    #[tool(operation = Transform)]
    fn returned() -> Digits {
        Digits("123".to_owned())
    }

    /// Has a custom schema.
    #[tool(operation = Transform, schema = json!({"type": "object", "properties": {
        "text": {"if": {"pattern": r"^\s"}, "then": {"maxLength": 3}},
        "place": {"type": "string", "pattern": "(?i)^rome$"},
    }, "required": ["text", "place"], "additionalProperties": false}))]
    fn by_hand(text: String, place: String) {
        drop((text, place));
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct LookAround(#[schemars(regex(pattern = "^(?!a)"))] String);

    /// Takes a pattern that no engine of linear time runs.
    #[tool(operation = Transform)]
    fn not_linear_attribute(text: Vec<LookAround>) {
        drop(text);
    }

    /// Takes a pattern that no engine of linear time runs.
    #[tool(operation = Transform, schema = json!({"type": "object", "properties": {
        "text": {"type": "string", "pattern": "^(?!a)"},
    }, "required": ["text"], "additionalProperties": false}))]
    fn not_linear(text: String) {
        drop(text);
    }
}

fn faults_of(name: &str) -> Vec<String> {
    let errors = tools_of("tools::patterns::refused").check().unwrap_err();
    let of = |fault: &String| fault.contains(&format!("tool `{name}`"));
    errors.iter().map(ToString::to_string).filter(of).collect()
}

#[test]
fn publishes_portable_patterns() {
    let registry = tools_of(module_path!());
    registry.check().unwrap();
    let schema = registry.get("portable").unwrap().input_schema();
    let properties = &schema["properties"]["value"]["properties"];
    assert_eq!(properties["containing"]["pattern"], r"a-b #1 & ~c \(d\)\.");
    assert_eq!(properties["decimal"]["anyOf"][0]["pattern"], r"^-?[0-9]+(\.[0-9]+)?([eE][0-9]+)?$");
    let version = regex::Regex::new(properties["version"]["pattern"].as_str().unwrap()).unwrap();
    assert!(version.is_match("1.20.3-rc.1+x") && !version.is_match("1.2"));
}

#[test]
fn rejects_patterns_that_differ_in_ecma_262() {
    let differs = |piece: &str| format!("`{piece}` in `pattern` is not the same in ECMA-262 and in Rust");
    for (name, place, fact, help) in [
        ("attribute", "pattern at `/codes/*`", differs(r"\d"), "write `[0-9]`"),
        ("member", "pattern at `/parcel/label`", differs("."), r"write which characters, as in `[^\n]`"),
        ("member", "pattern at `/parcel/names`", differs(r"\w"), "write `[A-Za-z0-9_]`"),
        ("returned", "pattern of the output at `/result`", differs(r"\d"), "write `[0-9]`"),
        ("by_hand", "pattern at `/text`", differs(r"\s"), r"write `[ \t\r\n]`"),
        ("by_hand", "pattern at `/place`", differs("(?i)"), "spell both cases, as in `[Aa]`"),
    ] {
        let expected = format!("the {place} is invalid: {fact}: {help}");
        let faults = faults_of(name);
        assert!(faults.iter().any(|fault| fault.contains(&expected)), "{expected}\n{}", faults.join("\n"));
    }
}

#[test]
fn rejects_patterns_that_are_not_linear() {
    let faults = [faults_of("not_linear"), faults_of("not_linear_attribute")].concat();
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults[0].contains("without look-around"), "{faults:?}");
    assert!(faults[1].contains("`(?!` in `pattern` looks around"), "{faults:?}");
}

#[test]
fn accepts_any_pattern_in_dynamic_tools() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": r"^\d$"}}});
    let definition =
        ToolDefinition::builder("foreign", "Somebody else's.").input_schema(schema).build().unwrap();
    let tool = DynamicTool::new(definition, |_, _: Value| async { Ok(Output::empty()) });
    Registry::builder().tool(tool).build().unwrap().check().unwrap();
}
