//! Definitions as JSON: rows of a database, files, answers of another program.

use std::panic::Location;
use std::sync::OnceLock;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::definition::ToolDefinition;
use crate::definition::builder::ToolDefinitionBuilder;
use crate::definition::fault::{DefinitionError, DefinitionFault};
use crate::definition::parameter::{Parameter, ParameterType};
use crate::definition::task::TaskJson;
use crate::model::operation::{Annotations, Operation};
use crate::model::permission::PermissionError;
use crate::schema::problem::Problem;
use crate::schema::{Untrusted, Validator};

impl ToolDefinition {
    /// Parses a definition from JSON with these keys:
    ///
    /// | key | value |
    /// |---|---|
    /// | `name`, `description` | required texts |
    /// | `title` | the name for people |
    /// | `operation` | `explain`, `read`, `transform`, `trigger` or `write` |
    /// | `annotations` | `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint`: `true` or `false` |
    /// | `inputSchema` | the JSON Schema of the arguments, an object |
    /// | `parameters` | in its place, a list of [parameters](Parameter) |
    /// | `outputSchema` | the JSON Schema of the structured output, an object |
    /// | `tags` | a list of texts |
    /// | `examples` | a list of arguments |
    /// | `permission` | `"a"`, `"all(a, b)"`, `"any(a, b)"`, nested: see [`Permission`](crate::Permission) |
    /// | `path` | the address under which the result lives |
    /// | `timeout` | such as `"30s"` |
    /// | `meta` | an object: see [`meta`](ToolDefinitionBuilder::meta) |
    /// | `task` | `{"support": "optional"}` or `"required"`, with `retries`, `attemptTimeout`, `ttl` and `poll`: see [`task`](ToolDefinitionBuilder::task) |
    ///
    /// `tool-http` describes tools in the same form, so one program can read what another one publishes. `modifying`,
    /// `idempotent`, `requirements` and `digest` are allowed but ignored, because they follow from the rest. Any other
    /// key is rejected.
    ///
    /// # Errors
    ///
    /// The first fault: [`DefinitionFault::Json`] with a path if the JSON has another shape, and everything that
    /// [`ToolDefinitionBuilder::build`] rejects.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_core::ToolDefinition;
    ///
    /// let weather = ToolDefinition::from_json(json!({
    ///     "name": "weather_get",
    ///     "description": "Get current weather for a location",
    ///     "operation": "read",
    ///     "parameters": [
    ///         {"name": "location", "type": "string", "description": "City name or coordinates", "required": true},
    ///         {"name": "units", "type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
    ///     ],
    /// }));
    /// assert_eq!(weather.unwrap().input_schema()["required"], json!(["location"]));
    ///
    /// let slip = ToolDefinition::from_json(json!({"name": "a", "description": "Does.", "opration": "read"}));
    /// assert!(slip.unwrap_err().to_string().contains("there is one with a similar name: `operation`"));
    /// ```
    #[track_caller]
    pub fn from_json(definition: Value) -> Result<Self, DefinitionError> {
        let location = Location::caller();
        let name = definition["name"].as_str().unwrap_or_default().to_owned();
        let builder = read(definition).map_err(|fault| DefinitionError::new(name, fault))?;
        builder.at(location).build()
    }
}

/// Allowed but ignored.
const DERIVED: [&str; 4] = ["modifying", "idempotent", "requirements", "digest"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DefinitionJson {
    name: String,
    description: String,
    title: Option<String>,
    operation: Option<Operation>,
    annotations: Option<Annotations>,
    #[serde(skip)]
    input_schema: Option<Value>,
    parameters: Option<Vec<Value>>,
    #[serde(skip)]
    output_schema: Option<Value>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    examples: Vec<Value>,
    permission: Option<String>,
    path: Option<String>,
    timeout: Option<String>,
    task: Option<TaskJson>,
    meta: Option<Map<String, Value>>,
}

#[track_caller]
fn read(definition: Value) -> Result<ToolDefinitionBuilder, DefinitionFault> {
    let json = decoded(definition)?;
    let permission = json.permission.map(|text| text.parse()).transpose();
    let permission = permission.map_err(|error: PermissionError| unfit("/permission", &error.to_string()))?;
    let timeout = json.timeout.map(|text| timeout(&text).ok_or("expected a time such as `30s`")).transpose();
    let timeout = timeout.map_err(|message| unfit("/timeout", message))?;
    let task = json.task.map(|task| task.options(self::timeout)).transpose();
    let task = task.map_err(|path| unfit(path, "expected a time such as `30s`"))?;
    let mut builder = ToolDefinition::builder(json.name, json.description)
        .tags(json.tags)
        .maybe(json.title, ToolDefinitionBuilder::title)
        .maybe(json.operation, ToolDefinitionBuilder::operation)
        .maybe(json.annotations, ToolDefinitionBuilder::annotations)
        .maybe(json.path, ToolDefinitionBuilder::path)
        .maybe(permission, ToolDefinitionBuilder::permission)
        .maybe(timeout, ToolDefinitionBuilder::timeout)
        .maybe(task, ToolDefinitionBuilder::task)
        .maybe(json.meta, ToolDefinitionBuilder::meta)
        .maybe(json.output_schema, ToolDefinitionBuilder::output_schema);
    for example in json.examples {
        builder = builder.example(example);
    }
    match (json.input_schema, json.parameters) {
        (Some(_), Some(_)) => {
            Err(unfit("/parameters", "expected either `inputSchema` or `parameters`, not both"))
        }
        (Some(schema), None) => Ok(builder.input_schema(schema)),
        (None, Some(list)) => Ok(builder.parameters(parameters(list)?)),
        (None, None) => Ok(builder),
    }
}

/// Decodes JSON that was validated before, because those problems have a path.
fn decoded(definition: Value) -> Result<DefinitionJson, DefinitionFault> {
    // Nested by one level, because messages call top-level members inputs.
    let framed = Value::Object(Map::from_iter([("definition".to_owned(), definition)]));
    let mut definition = Untrusted::new(framed).into_valid_by(shape()).map_err(|mut problem| {
        problem.path = problem.path.strip_prefix("/definition").unwrap_or_default().to_owned();
        DefinitionFault::Json(problem)
    })?;
    let mut definition = definition["definition"].take();
    // Schemas are large, so they are moved instead of decoded.
    let mut taken = |name| definition.as_object_mut().and_then(|members| members.shift_remove(name));
    let (input_schema, output_schema) = (taken("inputSchema"), taken("outputSchema"));
    let json = serde_json::from_value(definition).map_err(|error| unfit("", &error.to_string()))?;
    Ok(DefinitionJson { input_schema, output_schema, ..json })
}

fn parameters(list: Vec<Value>) -> Result<Vec<Parameter>, DefinitionFault> {
    let read = |(index, parameter)| {
        serde_json::from_value(parameter)
            .map_err(|error: serde_json::Error| unfit(&format!("/parameters/{index}"), &error.to_string()))
    };
    list.into_iter().enumerate().map(read).collect()
}

fn unfit(path: &str, message: &str) -> DefinitionFault {
    DefinitionFault::Json(Problem::new(path, "format", message))
}

fn timeout(text: &str) -> Option<Duration> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number: u64 = text[..text.len() - unit.len()].parse().ok().filter(|number| *number > 0)?;
    let milliseconds = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    number.checked_mul(milliseconds).map(Duration::from_millis)
}

/// Returns the validator for the shape.
fn shape() -> &'static Validator {
    static SHAPE: OnceLock<Validator> = OnceLock::new();
    SHAPE.get_or_init(|| {
        let (text, texts) =
            (json!({"type": "string"}), json!({"type": "array", "items": {"type": "string"}}));
        let hint = json!({"type": "boolean"});
        let hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
        let hints: Map<_, _> = hints.map(|name| (name.to_owned(), hint.clone())).into_iter().collect();
        let parameter = json!({
            "type": "object",
            "properties": {
                "name": text,
                "type": {"enum": ParameterType::ALL.map(ParameterType::as_str)},
                "items": {"type": ["string", "object", "boolean"]},
                "schema": {"type": ["object", "boolean"]},
                "description": text,
                "default": true,
                "required": {"type": "boolean"},
                "enum": {"type": "array", "minItems": 1},
                "secret": {"type": "boolean"},
            },
            "required": ["name"],
            "additionalProperties": false,
        });
        let mut properties = json!({
            "name": text,
            "description": text,
            "title": text,
            "operation": {"enum": Operation::ALL.map(Operation::as_str)},
            "annotations": {"type": "object", "properties": hints, "additionalProperties": false},
            "inputSchema": {"type": "object"},
            "parameters": {"type": "array", "items": parameter},
            "outputSchema": {"type": "object"},
            "tags": texts,
            "examples": {"type": "array", "items": {"type": "object"}},
            "permission": text,
            "path": text,
            "timeout": text,
            "task": TaskJson::schema(),
            "meta": {"type": "object"},
        });
        for derived in DERIVED {
            properties[derived] = json!(true);
        }
        let definition = json!({
            "type": "object",
            "properties": properties,
            "required": ["name", "description"],
            "additionalProperties": false,
        });
        let schema =
            json!({"type": "object", "properties": {"definition": definition}, "required": ["definition"]});
        Validator::new(&schema).unwrap_or_else(|error| unreachable!("the shape of a definition: {error}"))
    })
}
