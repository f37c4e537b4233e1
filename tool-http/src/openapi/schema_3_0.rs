//! Schemas of OpenAPI 3.0, whose keywords are some of those of JSON Schema.
//!
//! A keyword that 3.0 does not have is expressed by others, if possible. Otherwise it is dropped, so that the schema allows
//! more. A valid value can become invalid only where a schema excludes another one through a reference, or allows exactly one of several
//! that differ by what 3.0 cannot express.

use serde_json::{Map, Value, json};

/// Keywords that mean the same in both versions, and whose values are not schemas.
const SAME: [&str; 20] = [
    "title",
    "description",
    "default",
    "deprecated",
    "readOnly",
    "writeOnly",
    "format",
    "pattern",
    "enum",
    "required",
    "multipleOf",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
];

/// Keywords that say something of a value, and nothing of which values are valid.
const ANNOTATIONS: [&str; 3] = ["title", "description", "default"];

/// Returns a schema as OpenAPI 3.0 has it.
pub(super) fn schema(schema: &Value) -> Value {
    let Value::Object(source) = schema else {
        return if *schema == Value::Bool(false) { json!({"not": {}}) } else { json!({}) };
    };
    let mut converted = Map::new();
    for (keyword, value) in source {
        let keyword = keyword.as_str();
        if SAME.contains(&keyword) || keyword.starts_with("x-") {
            converted.insert(keyword.to_owned(), value.clone());
        }
    }
    if converted.get("required").is_some_and(|names| *names == json!([])) {
        converted.shift_remove("required");
    }
    objects(source, &mut converted);
    arrays(source, &mut converted);
    numbers(source, &mut converted);
    texts(source, &mut converted);
    constants(source, &mut converted);
    let converted = choices(source, types(source, converted));
    let mut converted = reference(source, converted);
    if let Some(types) = converted.shift_remove("type") {
        converted.shift_insert(0, "type".to_owned(), types);
    }
    converted.into()
}

/// Converts the keywords of objects.
fn objects(source: &Map<String, Value>, converted: &mut Map<String, Value>) {
    if let Some(Value::Object(properties)) = source.get("properties") {
        let properties = properties.iter().map(|(name, property)| (name.clone(), schema(property)));
        converted.insert("properties".to_owned(), Value::Object(properties.collect()));
    }
    let additional = source.get("additionalProperties");
    let is_closed = additional == Some(&Value::Bool(false));
    let additional = match (source.get("patternProperties"), additional) {
        (Some(Value::Object(patterns)), Some(additional)) if !patterns.is_empty() => {
            let rest = Some(additional).filter(|_| !is_closed);
            any_of(patterns.values().chain(rest))
        }
        // Without it, properties that match no pattern may be anything.
        (_, Some(Value::Bool(allowed))) => json!(allowed),
        (_, Some(additional)) => schema(additional),
        (_, None) => return,
    };
    converted.insert("additionalProperties".to_owned(), additional);
}

/// Converts the keywords of arrays. The items of a tuple become a choice.
fn arrays(source: &Map<String, Value>, converted: &mut Map<String, Value>) {
    let items = source.get("items");
    let items = match (source.get("prefixItems"), items) {
        (Some(Value::Array(prefix)), Some(Value::Bool(false))) => {
            let most = source.get("maxItems").and_then(Value::as_u64).unwrap_or(u64::MAX);
            converted.insert("maxItems".to_owned(), most.min(prefix.len() as u64).into());
            any_of(prefix)
        }
        (Some(Value::Array(prefix)), Some(rest)) => any_of(prefix.iter().chain([rest])),
        (Some(Value::Array(prefix)), None) => {
            let most = source.get("maxItems").and_then(Value::as_u64);
            if most.is_some_and(|most| most <= prefix.len() as u64) { any_of(prefix) } else { json!({}) }
        }
        (_, Some(items)) => schema(items),
        // An array must have it.
        (_, None) if source.get("type").is_some_and(is_array) => json!({}),
        (_, None) => return,
    };
    converted.insert("items".to_owned(), items);
}

/// Converts exclusive bounds: they are flags of the inclusive ones.
fn numbers(source: &Map<String, Value>, converted: &mut Map<String, Value>) {
    for (exclusive, inclusive, sign) in
        [("exclusiveMinimum", "minimum", 1.0), ("exclusiveMaximum", "maximum", -1.0)]
    {
        let Some(bound) = source.get(exclusive).filter(|bound| bound.is_number()) else { continue };
        let strictness = |bound: &Value| bound.as_f64().unwrap_or_default() * sign;
        if source.get(inclusive).is_none_or(|other| strictness(bound) >= strictness(other)) {
            converted.insert(inclusive.to_owned(), bound.clone());
            converted.insert(exclusive.to_owned(), true.into());
        }
    }
}

/// Converts the encoding of strings to a format, and examples to one.
fn texts(source: &Map<String, Value>, converted: &mut Map<String, Value>) {
    if source.get("contentEncoding").is_some_and(|encoding| encoding == "base64") {
        converted.entry("format").or_insert_with(|| "byte".into());
    }
    if let Some(example) = source.get("examples").and_then(|examples| examples.get(0)) {
        converted.insert("example".to_owned(), example.clone());
    }
}

/// Converts `const` to an `enum` of one value.
fn constants(source: &Map<String, Value>, converted: &mut Map<String, Value>) {
    let Some(constant) = source.get("const") else { return };
    converted.insert("enum".to_owned(), json!([constant]));
}

/// Converts `type`: `null` makes a schema nullable, and several types become a choice.
fn types(source: &Map<String, Value>, mut converted: Map<String, Value>) -> Map<String, Value> {
    let types: Vec<&str> = match source.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => of_constants(&converted),
    };
    let is_nullable = types.contains(&"null");
    let others: Vec<&str> = types.into_iter().filter(|name| *name != "null").collect();
    match others[..] {
        [] if is_nullable => converted = only_null(&converted),
        [] => {}
        [name] => {
            converted.insert("type".to_owned(), name.into());
            if is_nullable {
                converted = nullable(converted);
            }
        }
        _ => {
            let mut choice: Vec<Value> = others.iter().map(|name| of_type(name)).collect();
            if is_nullable {
                choice[0]["nullable"] = true.into();
            }
            converted.insert("anyOf".to_owned(), choice.into());
        }
    }
    converted
}

/// Returns the type of constants, which generators need beside them.
fn of_constants(schema: &Map<String, Value>) -> Vec<&'static str> {
    let Some(Value::Array(constants)) = schema.get("enum") else { return Vec::new() };
    let mut types: Vec<&str> = constants.iter().map(type_of).collect();
    types.sort_unstable();
    types.dedup();
    types
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn of_type(name: &str) -> Value {
    if name == "array" { json!({"type": name, "items": {}}) } else { json!({"type": name}) }
}

/// Returns `true` if this value of `type` allows arrays, and nothing else but `null`.
fn is_array(types: &Value) -> bool {
    let alone = std::slice::from_ref(types);
    let types = types.as_array().map_or(alone, Vec::as_slice);
    types.contains(&json!("array")) && types.iter().all(|name| name == "array" || name == "null")
}

/// Converts choices and conjunctions. A branch for `null` makes the other ones nullable.
fn choices(source: &Map<String, Value>, mut converted: Map<String, Value>) -> Map<String, Value> {
    // Without keywords that are dropped, a schema would exclude too much.
    if let Some(excluded) = source.get("not").filter(|it| is_expressible(it)) {
        converted.insert("not".to_owned(), schema(excluded));
    }
    if let Some(Value::Array(parts)) = source.get("allOf") {
        converted.insert("allOf".to_owned(), parts.iter().map(schema).collect());
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = source.get(keyword) else { continue };
        let branches: Vec<Value> = branches.iter().map(schema).collect();
        let count = branches.len();
        let mut others: Vec<Map<String, Value>> =
            branches.into_iter().filter(|branch| !is_null(branch)).filter_map(into_object).collect();
        let is_nullable = others.len() < count;
        if let ([_], true) = (&others[..], is_nullable) {
            converted = merged(converted, nullable(others.swap_remove(0)));
            continue;
        }
        if is_nullable && let Some(first) = others.first_mut() {
            *first = nullable(std::mem::take(first));
        }
        let others: Value = others.into_iter().map(Value::Object).collect();
        if converted.contains_key(keyword) {
            add_part(&mut converted, json!({keyword: others}));
        } else {
            converted.insert(keyword.to_owned(), others);
        }
    }
    converted
}

/// Adds a schema that must hold, too.
fn add_part(converted: &mut Map<String, Value>, part: Value) {
    match converted.get_mut("allOf") {
        Some(Value::Array(parts)) => parts.push(part),
        _ => drop(converted.insert("allOf".to_owned(), json!([part]))),
    }
}

/// Returns a schema with the keywords of both, which is a conjunction if they have any in common that is more than an annotation.
fn merged(mut outer: Map<String, Value>, inner: Map<String, Value>) -> Map<String, Value> {
    let conflicts =
        |keyword: &String| outer.contains_key(keyword) && !ANNOTATIONS.contains(&keyword.as_str());
    if inner.keys().any(conflicts) {
        add_part(&mut outer, inner.into());
        return outer;
    }
    for (keyword, value) in inner {
        // What describes the property says more than what describes its type.
        outer.entry(keyword).or_insert(value);
    }
    outer
}

/// Converts a reference: other keywords cannot stand beside it.
fn reference(source: &Map<String, Value>, mut converted: Map<String, Value>) -> Map<String, Value> {
    let Some(reference) = source.get("$ref") else { return converted };
    let reference = json!({"$ref": reference});
    if let (true, Value::Object(reference)) = (converted.is_empty(), &reference) {
        return reference.clone();
    }
    add_part(&mut converted, reference);
    converted
}

/// Allows `null`.
fn nullable(mut schema: Map<String, Value>) -> Map<String, Value> {
    if schema.contains_key("$ref") {
        return [("allOf".to_owned(), json!([schema])), ("nullable".to_owned(), true.into())]
            .into_iter()
            .collect();
    }
    if let Some(Value::Array(constants)) = schema.get_mut("enum")
        && !constants.contains(&Value::Null)
    {
        constants.push(Value::Null);
    }
    schema.insert("nullable".to_owned(), true.into());
    schema
}

/// Returns the schema of `null` with the annotations of another.
fn only_null(annotated: &Map<String, Value>) -> Map<String, Value> {
    let annotations = annotated.iter().filter(|(keyword, _)| ANNOTATIONS.contains(&keyword.as_str()));
    let mut schema: Map<String, Value> =
        annotations.map(|(keyword, value)| (keyword.clone(), value.clone())).collect();
    // `nullable` has no effect without a type.
    for (keyword, value) in [("type", json!("string")), ("enum", json!([null])), ("nullable", json!(true))] {
        schema.insert(keyword.to_owned(), value);
    }
    schema
}

fn is_null(schema: &Value) -> bool {
    schema.get("enum").is_some_and(|constants| *constants == json!([null]))
}

/// Returns `true` if a schema has only keywords that are converted without loss.
fn is_expressible(schema: &Value) -> bool {
    let Value::Object(members) = schema else { return true };
    members.iter().all(|(keyword, value)| match keyword.as_str() {
        "type" | "const" | "$ref" | "examples" | "exclusiveMinimum" | "exclusiveMaximum" => true,
        "properties" => value.as_object().is_some_and(|them| them.values().all(is_expressible)),
        "items" | "not" | "additionalProperties" => is_expressible(value),
        "allOf" | "anyOf" | "oneOf" => value.as_array().is_some_and(|them| them.iter().all(is_expressible)),
        keyword => SAME.contains(&keyword),
    })
}

/// Returns a choice between different schemas.
fn any_of<'a>(schemas: impl IntoIterator<Item = &'a Value>) -> Value {
    let mut different: Vec<Value> = Vec::new();
    for schema in schemas.into_iter().map(schema) {
        if !different.contains(&schema) {
            different.push(schema);
        }
    }
    if different.len() == 1 { different.swap_remove(0) } else { json!({"anyOf": different}) }
}

fn into_object(schema: Value) -> Option<Map<String, Value>> {
    if let Value::Object(members) = schema { Some(members) } else { None }
}

#[cfg(test)]
mod tests;
