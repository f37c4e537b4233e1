//! Helpers for rendered schemas and the branches of choices.

use serde_json::{Map, Value, json};

/// Returns a choice of all JSON types.
pub(super) fn of_every_type() -> Value {
    let kinds = ["string", "number", "boolean", "array", "object", "null"];
    kinds.map(|kind| json!({ "type": kind })).to_vec().into()
}

/// Makes a schema nullable.
pub(super) fn nullable(mut schema: Value) -> Value {
    let is_null = |schema: &Value| schema["type"] == "null";
    if is_null(&schema) {
        return schema;
    }
    if let Some(Value::Array(branches)) = schema.get_mut("anyOf") {
        if !branches.iter().any(is_null) {
            branches.push(json!({"type": "null"}));
        }
        return schema;
    }
    // The description applies to both branches, and comes first.
    let description = schema.as_object_mut().and_then(|schema| schema.shift_remove("description"));
    let mut nullable = Map::new();
    nullable.extend(description.map(|description| ("description".to_owned(), description)));
    nullable.insert("anyOf".to_owned(), json!([schema, {"type": "null"}]));
    nullable.into()
}

/// Prepends the description of a choice to that of a branch.
pub(super) fn set_description(branch: &mut Value, description: &str) {
    let Some(branch) = branch.as_object_mut() else { return };
    let own = branch.shift_remove("description");
    let both = match own.as_ref().and_then(Value::as_str) {
        Some(own) => format!("{description}\n{own}"),
        None => description.to_owned(),
    };
    let position = usize::from(branch.contains_key("type"));
    branch.shift_insert(position, "description".to_owned(), both.into());
}

/// Moves the discriminating property of the branches to the front.
pub(super) fn put_tag_first(branches: &mut [Value]) {
    let objects: Vec<&mut Map<String, Value>> = branches
        .iter_mut()
        .filter_map(Value::as_object_mut)
        .filter(|branch| branch.contains_key("properties"))
        .collect();
    let Some(tag) = objects.first().and_then(|first| {
        let names = first["properties"].as_object()?.keys();
        names.into_iter().find(|name| is_tag(name, &objects)).cloned()
    }) else {
        return;
    };
    for object in objects {
        if let Some(Value::Object(properties)) = object.get_mut("properties")
            && let Some(constant) = properties.shift_remove(&tag)
        {
            properties.shift_insert(0, tag.clone(), constant);
        }
        if let Some(Value::Array(required)) = object.get_mut("required") {
            required.sort_by_key(|name| *name != tag.as_str());
        }
    }
}

/// Returns `true` if every object has this property with a distinct constant.
fn is_tag(name: &str, objects: &[&mut Map<String, Value>]) -> bool {
    let mut constants = Vec::new();
    objects.iter().all(|object| {
        let Some(constant) = object["properties"][name].get("const") else { return false };
        let new = !constants.contains(&constant);
        constants.push(constant);
        new
    })
}
