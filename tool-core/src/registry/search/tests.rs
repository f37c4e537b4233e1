//! The indexed fields of a dynamic schema equal those of its inputs.

use serde_json::{Value, json};

use super::index::{Document, IndexField};
use super::{add_input, add_members};
use crate::definition::ToolDefinition;

#[test]
fn indexes_schemas_like_inputs() {
    let schema = json!({
        "type": "object",
        "properties": {
            "plain": {"type": "string", "description": "A text.", "title": "Not this."},
            "anything": true,
            "map": {
                "type": "object",
                "description": "By name.",
                "properties": {"inner": {"type": "integer", "description": "A number."}},
                "patternProperties": {"^x": {"type": "string", "description": "An extra."}},
            },
            "free": {"type": "object", "additionalProperties": {"type": "string", "description": "A value."}},
            "list": {"type": "array", "items": {"type": "object", "properties": {"item": {"description": "One."}}}},
            "pair": {"type": "array", "prefixItems": [{"description": "First."}, {"description": "Second."}], "items": false},
            "choice": {
                "description": "Either.",
                "oneOf": [{"type": "object", "properties": {"left": {"description": "Left."}}}, {"description": "Right."}],
                "properties": {"never": {"description": "Told."}},
            },
        },
    });
    let tool = ToolDefinition::builder("tell", "Tells.").input_schema(schema.clone()).build().unwrap();
    let (mut inputs, mut members) = (Document::default(), Document::default());
    tool.inputs().iter().for_each(|input| add_input(&mut inputs, input));
    add_members(&mut members, &schema);
    let sorted = |document: &Document, field: IndexField| -> Vec<String> {
        let mut texts = document.texts(field).to_vec();
        texts.sort();
        texts
    };
    for (field, least) in [(IndexField::InputNames, 12), (IndexField::InputDescriptions, 11)] {
        assert_eq!(sorted(&inputs, field), sorted(&members, field));
        assert!(sorted(&inputs, field).len() >= least, "{:?}", sorted(&inputs, field));
    }
}

/// Definitions behind references are indexed.
#[test]
fn indexes_referenced_definitions() {
    let schema: Value = json!({
        "type": "object",
        "properties": {"place": {"$ref": "#/$defs/Place"}},
        "$defs": {"Place": {"type": "object", "properties": {"latitude": {"type": "number", "description": "Degrees north."}}}},
    });
    let tool = ToolDefinition::builder("tell", "Tells.").input_schema(schema).build().unwrap();
    let document = super::document(&tool);
    assert_eq!(document.texts(IndexField::InputNames), ["place", "latitude"]);
    assert_eq!(document.texts(IndexField::InputDescriptions), ["Degrees north."]);
    // The definition does not cache it.
    assert!(!tool.detached().ptr_eq(&tool));
}
