//! A simplified schema for people and scripts: a flat structure of inputs with type, allowed values, properties and
//! items.

use std::ops::Not;

use serde::Serialize;
use serde_json::Value;

use crate::schema::constants::{self, TEXTS};
use crate::schema::json::pointer::unescaped;
use crate::schema::json::size;
use crate::schema::reference::target;
use crate::schema::subschemas::{branches, requires};

/// One input, property, list item or output, described without JSON Schema.
///
/// ```
/// use tool_core::{Registry, tool};
///
/// /// Adds.
/// #[tool(operation = Transform)]
/// fn add_small(/** First. */ a: u8, /** Second. */ b: u8) -> u16 {
///     u16::from(a) + u16::from(b)
/// }
///
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "add_small").build().unwrap();
/// let first = &registry.get("add_small").unwrap().inputs()[0];
/// assert_eq!((first.name.as_deref(), first.kind), (Some("a"), "integer"));
/// assert_eq!(first.constraints.as_ref().unwrap().max, Some(255.into()));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NativeSchema {
    /// The name; `None` for list items, map values and outputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `string`, `integer`, `number`, `boolean`, `null`, `list`, `map`, `any` or `union`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// The default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// Whether it is a locator, which can be part of an address.
    #[serde(skip_serializing_if = "Not::not")]
    pub locator: bool,
    /// Whether the value is secret.
    #[serde(skip_serializing_if = "Not::not")]
    pub secret: bool,
    /// Whether it supports completion; see [`adapter::complete`](crate::adapter::complete).
    #[serde(skip_serializing_if = "Not::not")]
    pub completes: bool,
    /// Example values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Value>,
    /// The allowed values, if they are enumerated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<Allowed>,
    /// The format of a text, such as `date`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The limits of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraints: Option<Constraints>,
    /// The items of a list, or the values of a map with arbitrary names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Box<NativeSchema>>,
    /// The members of a map with fixed names, or of a tuple by position.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<NativeSchema>,
    /// The alternatives of a union.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<NativeSchema>,
    /// The name of the enclosing recursive type that is not repeated here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recursive: Option<String>,
}

/// An allowed value with its meaning.
///
/// ```
/// fn line(allowed: &tool_core::schema::Allowed) -> String {
///     format!("{}: {}", allowed.value, allowed.description.as_deref().unwrap_or_default())
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Allowed {
    /// The value.
    pub value: Value,
    /// The meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Limits of a value. Bounds are inclusive, lengths count Unicode code points.
///
/// ```
/// let none = tool_core::schema::Constraints::default();
/// assert_eq!(serde_json::to_string(&none).unwrap(), "{}");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Constraints {
    /// The minimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<Value>,
    /// The maximum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<Value>,
    /// The minimum length of a text, a list or a map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<Value>,
    /// The maximum length of a text, a list or a map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<Value>,
    /// The regular expression for a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Value>,
}

/// Renders the members of an object schema.
pub(crate) fn properties(object: &Value, root: &Value) -> Vec<NativeSchema> {
    Rendering::of(root).properties(object)
}

/// Renders the value of a schema.
pub(crate) fn value(schema: &Value, root: &Value) -> NativeSchema {
    Rendering::of(root).value(schema)
}

struct Rendering<'s> {
    root: &'s Value,
    /// The references being followed: a recursive schema is named, not repeated.
    open: Vec<&'s str>,
    /// The remaining number of schemas to render before references are only named, because types can refer to each
    /// other often.
    left: usize,
    /// The remaining number of bytes to copy from the schema.
    bytes: usize,
}

/// The maximum number of rendered schemas.
const MAX_RENDERED: usize = 20_000;

/// The maximum number of copied bytes: a short schema can refer to a long one often.
const MAX_COPIED: usize = 2 << 20;

/// The maximum nesting of followed references.
const MAX_OPEN_REFERENCES: usize = 32;

impl<'s> Rendering<'s> {
    fn of(root: &'s Value) -> Self {
        Rendering { root, open: Vec::new(), left: MAX_RENDERED, bytes: MAX_COPIED }
    }

    fn properties(&mut self, object: &'s Value) -> Vec<NativeSchema> {
        let Some(properties) = object["properties"].as_object() else { return Vec::new() };
        let member = |(name, schema): (&'s String, &'s Value)| NativeSchema {
            name: Some(name.clone()),
            required: Some(requires(object, name)),
            ..self.value(schema)
        };
        properties.iter().map(member).collect()
    }

    fn value(&mut self, schema: &'s Value) -> NativeSchema {
        self.left = self.left.saturating_sub(1);
        let mut native = match schema["$ref"].as_str() {
            Some(reference) => self.followed(reference),
            None => self.described(schema),
        };
        native.description = self.text(&schema["description"]).or(native.description);
        native.default = schema.get("default").and_then(|value| self.copied(value)).or(native.default);
        native.secret |= schema["writeOnly"] == true;
        if schema.get("$ref").is_some() {
            native.constraints = self.constraints(schema).or(native.constraints);
            if schema["examples"].is_array() {
                native.examples = self.examples(schema);
            }
        }
        native
    }

    /// Copies a value of the schema, if the budget allows it.
    fn copied(&mut self, value: &Value) -> Option<Value> {
        size::take(&mut self.bytes, value).then(|| value.clone())
    }

    fn text(&mut self, value: &Value) -> Option<String> {
        let text = value.as_str()?;
        size::take(&mut self.bytes, value).then(|| text.to_owned())
    }

    fn examples(&mut self, schema: &Value) -> Vec<Value> {
        let examples = schema["examples"].as_array().into_iter().flatten();
        examples.filter_map(|example| self.copied(example)).collect()
    }

    /// Renders a choice of constants: their titles and descriptions are those of the values.
    fn constants(&mut self, branches: &[Value]) -> Vec<Allowed> {
        let allowed = |branch: &Value| {
            let texts = ["title", "description"].map(|keyword| self.text(&branch[keyword]));
            let texts: Vec<String> = texts.into_iter().flatten().collect();
            let description = Some(texts.join(": ")).filter(|text| !text.is_empty());
            self.copied(&branch["const"]).map(|value| Allowed { value, description })
        };
        branches.iter().filter_map(allowed).collect()
    }

    fn allowed(&mut self, schema: &Value) -> Vec<Allowed> {
        let values = match (&schema["enum"], schema.get("const")) {
            (Value::Array(values), _) => values.as_slice(),
            (_, Some(value)) => std::slice::from_ref(value),
            _ => &[],
        };
        let allowed = |value: &Value| {
            let description = value.as_str().and_then(|value| self.text(&schema[TEXTS][value]));
            self.copied(value).map(|value| Allowed { value, description })
        };
        values.iter().filter_map(allowed).collect()
    }

    fn constraints(&mut self, schema: &Value) -> Option<Constraints> {
        let mut first = |keywords: &[&str]| {
            keywords.iter().find_map(|keyword| schema.get(keyword)).and_then(|value| self.copied(value))
        };
        let limits = Constraints {
            min: first(&["minimum"]),
            max: first(&["maximum"]),
            min_length: first(&["minLength", "minItems", "minProperties"]),
            max_length: first(&["maxLength", "maxItems", "maxProperties"]),
            pattern: first(&["pattern"]),
        };
        (limits != Constraints::default()).then_some(limits)
    }

    /// Renders the target of a reference, or its name.
    fn followed(&mut self, reference: &'s str) -> NativeSchema {
        let target = target(reference, self.root);
        let is_named =
            self.open.contains(&reference) || self.left == 0 || self.open.len() == MAX_OPEN_REFERENCES;
        match target {
            Some(target) if !is_named => {
                self.open.push(reference);
                let native = self.value(target);
                self.open.pop();
                native
            }
            Some(target) => {
                let name = reference.rsplit('/').next().map(unescaped);
                NativeSchema { kind: kind(target), recursive: name, ..NativeSchema::default() }
            }
            None => NativeSchema { kind: "any", ..NativeSchema::default() },
        }
    }

    fn described(&mut self, schema: &'s Value) -> NativeSchema {
        if let Some(branches) = constants::choice(schema) {
            let kind = if branches[0]["const"].is_string() { "string" } else { "integer" };
            let (examples, allowed) = (self.examples(schema), self.constants(branches));
            return NativeSchema { kind, examples, allowed, ..NativeSchema::default() };
        }
        let variants = branches(schema).into_iter().flatten().map(|branch| self.value(branch)).collect();
        let native = NativeSchema {
            kind: kind(schema),
            format: schema["format"].as_str().map(str::to_owned),
            variants,
            ..NativeSchema::default()
        };
        if native.kind == "union" {
            return NativeSchema { examples: self.examples(schema), ..native };
        }
        let (items, properties) = (self.items(schema), self.members(schema));
        NativeSchema {
            examples: self.examples(schema),
            allowed: self.allowed(schema),
            constraints: self.constraints(schema),
            items,
            properties,
            ..native
        }
    }

    /// Renders the items of a list, or the values of a map.
    fn items(&mut self, schema: &'s Value) -> Option<Box<NativeSchema>> {
        Some(Box::new(self.value(item(schema)?)))
    }

    /// Renders the members of a map by name, or of a tuple by position, counted from 0.
    fn members(&mut self, schema: &'s Value) -> Vec<NativeSchema> {
        let Some(items) = schema["prefixItems"].as_array() else { return self.properties(schema) };
        let member = |(position, schema): (usize, &'s Value)| NativeSchema {
            name: Some(position.to_string()),
            required: Some(true),
            ..self.value(schema)
        };
        items.iter().enumerate().map(member).collect()
    }
}

/// Returns the schema of the items of a list, or of the values of a map with arbitrary names or one pattern.
pub(crate) fn item(schema: &Value) -> Option<&Value> {
    let patterns = schema["patternProperties"].as_object();
    let items =
        [&schema["items"], &schema["additionalProperties"]].into_iter().find(|items| items.is_object());
    items.or_else(|| patterns?.values().next())
}

/// Returns the kind of a value; `null` beside one other type means optional.
fn kind(schema: &Value) -> &'static str {
    if schema["oneOf"].is_array() || schema["anyOf"].is_array() {
        return "union";
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => match kinds.as_slice() {
            [kind, null] | [null, kind] if null == "null" => kind,
            _ => &Value::Null,
        },
        kind => kind,
    };
    match kind.as_str() {
        Some("string") => "string",
        Some("integer") => "integer",
        Some("number") => "number",
        Some("boolean") => "boolean",
        Some("null") => "null",
        Some("array") => "list",
        Some("object") => "map",
        _ => "any",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn renders_examples_formats_and_references() {
        let node = json!({"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}});
        let root = json!({"$defs": {"Node": node}});
        for (schema, expected) in [
            (
                json!({"type": "string", "format": "date", "examples": ["2024-01-31"]}),
                json!({"type": "string", "format": "date", "examples": ["2024-01-31"]}),
            ),
            (json!({"type": ["string", "null"]}), json!({"type": "string"})),
            (json!({"type": ["null", "string"]}), json!({"type": "string"})),
            (json!({"type": ["string", "integer"]}), json!({"type": "any"})),
            (
                json!({"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}], "examples": ["b"]}),
                json!({
                    "type": "string",
                    "examples": ["b"],
                    "allowed": [{"value": "a", "description": "A"}, {"value": "b"}],
                }),
            ),
            (
                json!({"anyOf": [{"type": "string"}, {"type": "integer"}], "format": "color", "examples": [5]}),
                json!({
                    "type": "union",
                    "format": "color",
                    "examples": [5],
                    "variants": [{"type": "string"}, {"type": "integer"}],
                }),
            ),
            (json!({"$ref": "#/$defs/Leaf"}), json!({"type": "any"})),
            (
                json!({"$ref": "#/$defs/Node"}),
                json!({
                    "type": "map",
                    "properties": [{"name": "next", "type": "map", "required": false, "recursive": "Node"}],
                }),
            ),
        ] {
            assert_eq!(serde_json::to_value(value(&schema, &root)).unwrap(), expected, "{schema}");
        }
    }
}
