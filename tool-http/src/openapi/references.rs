//! Relocation of a tool's schemas within the document.

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};
use tool_core::ToolDefinition;

/// Keywords whose value is a map of definitions.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];
/// Keywords whose value is one schema.
const SCHEMA_KEYWORDS: [&str; 12] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value is a list of schemas; `items` could be one in older drafts.
const SCHEMA_LIST_KEYWORDS: [&str; 5] = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
/// Keywords whose value is a map of schemas.
const SCHEMA_MAP_KEYWORDS: [&str; 5] =
    ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/// Where the parts of one schema of a tool are in the document.
pub(super) struct Relocation {
    /// The name of the component that has the schema.
    root: String,
    /// The pointers to its definitions, as in a `$ref` after `#`, and the names of their components.
    definitions: Vec<(String, String)>,
}

impl Relocation {
    /// Gives names to a schema and its definitions. Generators follow references to components, but not into them.
    pub(super) fn new(root: &str, schema: &Value) -> Self {
        let mut definitions: Vec<(String, String)> = Vec::new();
        for (keyword, names) in DEFINITIONS.iter().filter_map(|it| Some((it, schema.get(it)?.as_object()?))) {
            for name in names.keys() {
                let mut component = format!("{root}.{}", component_word(name));
                while definitions.iter().any(|(_, other)| *other == component) {
                    component.push('_');
                }
                let pointer = name.replace('~', "~0").replace('/', "~1");
                definitions.push((format!("/{keyword}/{pointer}"), component));
            }
        }
        Self { root: root.to_owned(), definitions }
    }

    /// Returns the relocation of the input schema.
    pub(super) fn of_input(tool: &ToolDefinition) -> Self {
        Self::new(&format!("{}.input", tool.name()), tool.input_schema())
    }

    /// Returns the name of the component that has the schema.
    pub(super) fn root(&self) -> &str {
        &self.root
    }

    /// Returns the components for the schema and its definitions.
    pub(super) fn components(&self, schema: &Value, nullable: bool) -> Vec<(String, Value)> {
        let mut root = schema.clone();
        if let Some(members) = root.as_object_mut() {
            members.retain(|keyword, _| !DEFINITIONS.contains(&keyword.as_str()));
        }
        let definitions = self.definitions.iter().filter_map(|(pointer, component)| {
            Some((component.clone(), self.relocate(schema.pointer(pointer)?, nullable)))
        });
        [(self.root.clone(), self.relocate(&root, nullable))].into_iter().chain(definitions).collect()
    }

    /// Returns the schema, or a part of it, with references to components. With `nullable`, optional properties may be `null` at
    /// any depth, because that is how clients omit them.
    pub(super) fn relocate(&self, schema: &Value, nullable: bool) -> Value {
        let Value::Object(members) = schema else { return schema.clone() };
        let recurse = |schema: &Value| self.relocate(schema, nullable);
        let mut relocated = Map::new();
        for (keyword, value) in members {
            let value = match (keyword.as_str(), value) {
                // The document sets the dialect.
                ("$schema", _) => continue,
                ("$ref", Value::String(reference)) => self.reference(reference).into(),
                (keyword, Value::Array(schemas)) if SCHEMA_LIST_KEYWORDS.contains(&keyword) => {
                    schemas.iter().map(recurse).collect()
                }
                (keyword, Value::Object(schemas)) if SCHEMA_MAP_KEYWORDS.contains(&keyword) => {
                    let named = schemas.iter().map(|(name, schema)| (name.clone(), recurse(schema)));
                    Value::Object(named.collect())
                }
                (keyword, _) if SCHEMA_KEYWORDS.contains(&keyword) => recurse(value),
                _ => value.clone(),
            };
            relocated.insert(keyword.clone(), value);
        }
        if nullable {
            allow_null_for_optional(&mut relocated);
        }
        relocated.into()
    }

    /// Returns a reference within the schema as one within the document.
    fn reference(&self, reference: &str) -> String {
        let Some(encoded) = reference.strip_prefix('#') else { return reference.to_owned() };
        let pointer = percent_decode_str(encoded).decode_utf8_lossy();
        let within = |start: &str| {
            pointer.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match self.definitions.iter().find(|(definition, _)| within(definition)) {
            Some((definition, component)) => {
                format!("#/components/schemas/{component}{}", &pointer[definition.len()..])
            }
            None => format!("#/components/schemas/{}{encoded}", self.root),
        }
    }
}

/// Returns the name of a definition in the name of its component, with allowed characters only. Without a dot, and other than the
/// last word of the components of tools, so that no two components have one name.
fn component_word(name: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || "_-".contains(c) { c } else { '_' };
    let word: String = name.chars().map(allowed).collect();
    if ["input", "output", "result", ""].contains(&word.as_str()) { word + "_" } else { word }
}

/// Makes optional properties nullable.
fn allow_null_for_optional(schema: &mut Map<String, Value>) {
    let required: Vec<String> = match schema.get("required") {
        Some(Value::Array(names)) => {
            names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    };
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (name, property) in properties {
        if !required.contains(name) {
            // Generators read the description of a property, and not that of a choice.
            let description = property.as_object_mut().and_then(|it| it.shift_remove("description"));
            let choice = json!({"anyOf": [property.take(), {"type": "null"}]});
            *property = match description {
                Some(description) => json!({"description": description, "anyOf": choice["anyOf"]}),
                None => choice,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Relocation;

    #[test]
    fn rewrites_references_to_the_root() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "properties": {
                // A property with the name of a keyword is not one.
                "$ref": {"$ref": "#/$defs/Node"},
                "list": {"items": {"$ref": "#"}, "default": [{"$ref": "#"}]},
                "one": {"oneOf": [{"const": {"$ref": "#"}}, {"not": {"$ref": "#/properties/list"}}]},
            },
            "required": ["$ref", "list", "one"],
            "$defs": {"Node": {"additionalProperties": {"$ref": "#/$defs/Node"}}},
        });
        let relocation = Relocation::new("t.input", &schema);
        assert_eq!(
            relocation.components(&schema, true),
            [
                (
                    "t.input".to_owned(),
                    json!({
                        "properties": {
                            "$ref": {"$ref": "#/components/schemas/t.input.Node"},
                            "list": {"items": {"$ref": "#/components/schemas/t.input"}, "default": [{"$ref": "#"}]},
                            "one": {"oneOf": [
                                {"const": {"$ref": "#"}},
                                {"not": {"$ref": "#/components/schemas/t.input/properties/list"}},
                            ]},
                        },
                        "required": ["$ref", "list", "one"],
                    }),
                ),
                (
                    "t.input.Node".to_owned(),
                    json!({"additionalProperties": {"$ref": "#/components/schemas/t.input.Node"}}),
                ),
            ]
        );
    }

    #[test]
    fn names_definitions_with_allowed_characters() {
        let schema = json!({
            "items": {"$ref": "#/$defs/a~1b%20c/items"},
            "$defs": {"a/b c": {"type": "array", "items": {"$ref": "#/$defs/output"}}, "a.b_c": {}, "output": {}},
        });
        let components = Relocation::new("t.output", &schema).components(&schema, false);
        let names: Vec<&str> = components.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["t.output", "t.output.a_b_c", "t.output.a_b_c_", "t.output.output_"]);
        assert_eq!(components[0].1["items"], json!({"$ref": "#/components/schemas/t.output.a_b_c/items"}));
        assert_eq!(components[1].1["items"], json!({"$ref": "#/components/schemas/t.output.output_"}));
    }

    #[test]
    fn allows_null_for_optional_properties() {
        let schema = json!({
            "properties": {
                "a": {"type": "string", "description": "An a.", "default": ""},
                "b": {"properties": {"c": {"type": "integer"}}},
            },
            "required": ["b"],
        });
        assert_eq!(
            Relocation::new("", &schema).relocate(&schema, true),
            json!({
                "properties": {
                    "a": {"description": "An a.", "anyOf": [{"type": "string", "default": ""}, {"type": "null"}]},
                    "b": {"properties": {"c": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}},
                },
                "required": ["b"],
            })
        );
        assert_eq!(Relocation::new("", &schema).relocate(&schema, false), schema);
    }
}
