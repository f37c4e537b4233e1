//! Published defaults and examples, which are serialized like outputs and are not always valid inputs.

use serde_json::{Map, Value};

use crate::schema::locate;
use crate::schema::subschemas::subschemas;
use crate::schema::types::Types;
use crate::schema::validator::Validator;

/// Removes the `null` of optional inputs and members from defaults and examples.
pub(crate) fn without_nulls(root: &mut Value) {
    let mut paths = Vec::new();
    each(root, &mut String::new(), &mut |path, schema| {
        if schema.contains_key("default") || schema.contains_key("examples") {
            paths.push(path.to_owned());
        }
    });
    if paths.is_empty() {
        return;
    }
    let before = root.clone();
    for path in paths {
        let schemas = locate::parts(before.pointer(&path), &before);
        let Some(Value::Object(schema)) = root.pointer_mut(&path) else { continue };
        if let Some(default) = schema.get_mut("default") {
            if default.is_null() && !admits_null(&schemas, &before) {
                schema.shift_remove("default");
            } else {
                *default = given(default.take(), &schemas, &before);
            }
        }
        if let Some(Value::Array(examples)) = schema.get_mut("examples") {
            examples.retain(|example| !example.is_null() || admits_null(&schemas, &before));
            examples.iter_mut().for_each(|example| *example = given(example.take(), &schemas, &before));
            if examples.is_empty() {
                schema.shift_remove("examples");
            }
        }
    }
}

/// Removes members that are `null` but not nullable.
fn given(value: Value, schemas: &[&Value], root: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let member = |(name, value): (String, Value)| {
                let below = locate::below(schemas, &name, root).schemas;
                let is_left_out = value.is_null() && !below.is_empty() && !admits_null(&below, root);
                (!is_left_out).then(|| (name, given(value, &below, root)))
            };
            members.into_iter().filter_map(member).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => {
            let item = |(position, item): (usize, Value)| {
                given(item, &locate::below(schemas, &position.to_string(), root).schemas, root)
            };
            items.into_iter().enumerate().map(item).collect()
        }
        scalar => scalar,
    }
}

/// Returns `true` if one of the schemas of a value allows `null`. A choice allows what its branches allow.
fn admits_null(schemas: &[&Value], root: &Value) -> bool {
    schemas.first().is_some_and(|schema| Types::of(schema, root).contains(Types::NULL))
}

/// Returns the nested defaults that are invalid for their schemas: path and reason.
pub(crate) fn refused(root: &Value) -> Vec<(String, String)> {
    let mut refused = Vec::new();
    each(root, &mut String::new(), &mut |path, schema| {
        // Defaults of inputs are checked against their types elsewhere.
        let is_an_input = path.strip_prefix("/properties/").is_some_and(|name| !name.contains('/'));
        let Some(default) = schema.get("default").filter(|_| !is_an_input) else { return };
        let mut alone = schema.clone();
        if let Some(definitions) = root.get("$defs") {
            alone.insert("$defs".to_owned(), definitions.clone());
        }
        // Faults of the schema are reported elsewhere.
        let Ok(validator) = Validator::new(&alone.into()) else { return };
        if let Some(problem) = validator.first_problem(default) {
            refused.push((named(path), problem.to_string()));
        }
    });
    refused
}

/// Returns the path of a schema by the names of inputs and members.
pub(crate) fn named(path: &str) -> String {
    let mut steps = path.split('/').skip(1);
    let mut names = String::new();
    while let Some(step) = steps.next() {
        let name = match step {
            "properties" | "$defs" | "patternProperties" => steps.next(),
            "items" | "additionalProperties" => Some("*"),
            _ => None,
        };
        if let Some(name) = name {
            names.push('/');
            names.push_str(name);
        }
    }
    names
}

/// Visits a schema and every schema in it, each with its JSON Pointer.
pub(crate) fn each(schema: &Value, path: &mut String, visit: &mut dyn FnMut(&str, &Map<String, Value>)) {
    let Some(keywords) = schema.as_object() else { return };
    visit(path, keywords);
    let length = path.len();
    for part in subschemas(keywords) {
        part.push_path(path);
        each(part.schema, path, visit);
        path.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{refused, without_nulls};

    #[test]
    fn removes_null_defaults_and_examples_of_optional_members() {
        let path = json!({"type": "object", "properties": {"name": {"type": "string"}, "any": {}, "n": {
            "anyOf": [{"type": "integer"}, {"type": "null"}]}}});
        let mut root = json!({"type": "object", "properties": {
            "text": {"type": "string", "default": null},
            "any": {"default": null},
            "place": path,
            "places": {"type": "array", "items": path},
        }});
        root["properties"]["place"]["default"] = json!({"name": null, "any": null, "n": null});
        root["properties"]["places"]["default"] = json!([{"name": null, "n": 1}]);
        root["properties"]["text"]["examples"] = json!([null]);
        root["properties"]["any"]["examples"] = json!([null]);
        root["properties"]["place"]["examples"] = json!([{"name": null, "any": null, "n": 1}]);
        without_nulls(&mut root);
        let examples = ["text", "any", "place"].map(|name| root["properties"][name].get("examples").cloned());
        assert_eq!(examples, [None, Some(json!([null])), Some(json!([{"any": null, "n": 1}]))]);
        let defaults =
            ["text", "any", "place", "places"].map(|name| root["properties"][name].get("default").cloned());
        let path = Some(json!({"any": null, "n": null}));
        assert_eq!(defaults, [None, Some(json!(null)), path, Some(json!([{"n": 1}]))]);
    }

    #[test]
    fn finds_invalid_defaults_everywhere() {
        let byte = json!({"type": "integer", "minimum": 5, "default": 0});
        let root = json!({"type": "object", "properties": {
            "byte": byte,
            "place": {"type": "object", "properties": {"a/b": byte}},
            "list": {"type": "array", "items": {"$ref": "#/$defs/Byte"}},
        }, "$defs": {"Byte": byte}});
        let paths: Vec<String> = refused(&root).into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["/place/a~1b", "/Byte"]);
    }
}
