//! OpenAPI 3.0, made from 3.1 for programs that read nothing newer.

use serde_json::{Map, Value, json};

use crate::openapi::schema_3_0::schema;

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

const COMPONENTS: &str = "#/components/schemas/";

/// Converts a document of OpenAPI 3.1 to 3.0.
///
/// The responses of an operation that mean success get one schema, and so do those that do not: generators that read only 3.0
/// mostly have one type for each.
pub(super) fn convert(document: &mut Value) {
    document["openapi"] = "3.0.3".into();
    let mut schemas = Map::new();
    if let Some(Value::Object(components)) =
        document["components"].as_object_mut().and_then(|it| it.get_mut("schemas"))
    {
        for component in components.values_mut() {
            *component = schema(component);
        }
        schemas = std::mem::take(components);
    }
    let headers = document["components"]["headers"].as_object_mut();
    headers.into_iter().flat_map(Map::values_mut).for_each(convert_schema);
    for item in document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut) {
        convert_item(item, &mut schemas);
    }
    document["components"]["schemas"] = schemas.into();
}

/// Converts a path item.
fn convert_item(item: &mut Value, schemas: &mut Map<String, Value>) {
    convert_parameters(item);
    for (_, operation) in
        item.as_object_mut().into_iter().flatten().filter(|(method, _)| METHODS.contains(&method.as_str()))
    {
        convert_parameters(operation);
        if let Some(body) = operation.get_mut("requestBody") {
            convert_content(body);
        }
        for response in operation["responses"].as_object_mut().into_iter().flat_map(Map::values_mut) {
            convert_content(response);
        }
        unify_responses(operation, "success", |status| status.starts_with('2'), schemas);
        unify_responses(operation, "error", |status| status.starts_with(['4', '5']), schemas);
    }
}

fn convert_parameters(parent: &mut Value) {
    if let Some(Value::Array(parameters)) = parent.get_mut("parameters") {
        parameters.iter_mut().for_each(convert_schema);
    }
}

fn convert_content(parent: &mut Value) {
    if let Some(Value::Object(content)) = parent.get_mut("content") {
        content.values_mut().for_each(convert_schema);
    }
}

fn convert_schema(parent: &mut Value) {
    if let Some(published) = parent.get_mut("schema") {
        *published = schema(published);
    }
}

/// Gives the responses with these statuses the same JSON schema, if they have different ones.
fn unify_responses(
    operation: &mut Value,
    suffix: &str,
    belongs: impl Fn(&str) -> bool,
    schemas: &mut Map<String, Value>,
) {
    let name =
        format!("{}.{suffix}", operation["operationId"].as_str().unwrap_or_default().replace(':', "."));
    let Some(responses) = operation["responses"].as_object_mut() else { return };
    let mut bodies: Vec<&mut Value> = responses
        .iter_mut()
        .filter(|(status, _)| belongs(status))
        .filter_map(|(_, response)| {
            response.get_mut("content")?.get_mut("application/json")?.get_mut("schema")
        })
        .collect();
    let mut different: Vec<Value> = Vec::new();
    for alternative in bodies.iter().flat_map(|body| alternatives(body, schemas)) {
        if !different.contains(&alternative) {
            different.push(alternative);
        }
    }
    if different.len() < 2 {
        return;
    }
    let is_choice = |component: &Value| {
        let choice = component["oneOf"].as_array();
        choice
            .is_some_and(|them| them.len() == different.len() && them.iter().all(|it| different.contains(it)))
    };
    let name = match schemas.iter().find(|(_, component)| is_choice(component)) {
        Some((shared, _)) => shared.clone(),
        None => {
            schemas.insert(name.clone(), json!({"oneOf": different}));
            name
        }
    };
    for body in &mut bodies {
        **body = json!({"$ref": format!("{COMPONENTS}{name}")});
    }
}

/// Returns the schemas between which a schema chooses, or the schema itself.
fn alternatives(body: &Value, schemas: &Map<String, Value>) -> Vec<Value> {
    let component = body["$ref"].as_str().and_then(|it| schemas.get(it.strip_prefix(COMPONENTS)?));
    match component.unwrap_or(body)["oneOf"].as_array() {
        Some(choice) => choice.clone(),
        None => vec![body.clone()],
    }
}
