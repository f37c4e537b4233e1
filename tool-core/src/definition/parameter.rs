//! Inputs of a dynamic tool, defined one by one instead of by a schema.

use std::collections::HashSet;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use crate::definition::fault::DefinitionFault;
use crate::model::names::names;
use crate::model::setters::setters;
use crate::schema::json::pointer::pointer;
use crate::schema::problem::Problem;
use crate::schema::{Untrusted, has_secret};

names! {
    /// The JSON Schema type of a [`Parameter`].
    ///
    /// ```
    /// use tool_core::definition::ParameterType;
    ///
    /// let kind: ParameterType = serde_json::from_str(r#""integer""#).unwrap();
    /// assert_eq!((kind, kind.as_str()), (ParameterType::Integer, "integer"));
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    #[non_exhaustive]
    pub enum ParameterType {
        /// A text.
        String = "string",
        /// A whole number.
        Integer = "integer",
        /// Any number.
        Number = "number",
        /// `true` or `false`.
        Boolean = "boolean",
        /// An array.
        Array = "array",
        /// An object with any members.
        Object = "object",
    }

    /// All types.
    ///
    /// ```
    /// assert_eq!(tool_core::definition::ParameterType::ALL.len(), 6);
    /// ```
    const ALL: [ParameterType; 6];

    /// Returns the name in JSON Schema.
    ///
    /// ```
    /// assert_eq!(tool_core::definition::ParameterType::Array.as_str(), "array");
    /// ```
    #[must_use]
    pub const fn as_str;
}

/// One input of a dynamic tool, for definitions from rows or forms that have no schema.
///
/// Its JSON form is `{"name", "type", "items"?, "description"?, "default"?, "required"?, "enum"?, "secret"?}`, or with
/// `schema` instead of `type`, `items` and `enum`; `items` is a type name or a JSON Schema.
///
/// ```
/// use serde_json::json;
/// use tool_core::ToolDefinition;
/// use tool_core::definition::{Parameter, ParameterType};
///
/// let definition = ToolDefinition::builder("search_documents", "Finds documents.")
///     .parameters([
///         Parameter::new("query", ParameterType::String).description("What to look for.").required(),
///         Parameter::new("tags", ParameterType::Array).items(ParameterType::String),
///         Parameter::new("limit", ParameterType::Integer).default_value(10),
///     ])
///     .build()
///     .unwrap();
/// assert_eq!(
///     *definition.input_schema(),
///     json!({
///         "type": "object",
///         "properties": {
///             "query": {"type": "string", "description": "What to look for."},
///             "tags": {"type": "array", "items": {"type": "string"}},
///             "limit": {"type": "integer", "default": 10},
///         },
///         "required": ["query"],
///         "additionalProperties": false,
///     }),
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Parameter {
    name: String,
    schema: Value,
    description: Option<String>,
    default: Option<Value>,
    required: bool,
    secret: bool,
}

impl Parameter {
    /// Creates an optional input of this type.
    ///
    /// ```
    /// # use tool_core::definition::{Parameter, ParameterType};
    /// assert_eq!(Parameter::new("city", ParameterType::String).name(), "city");
    /// ```
    pub fn new(name: impl Into<String>, kind: ParameterType) -> Self {
        Parameter::of_schema(name, json!({"type": kind.as_str()}))
    }

    /// Creates an optional input with a custom schema, such as that of a nested object.
    ///
    /// ```
    /// # use serde_json::json;
    /// # use tool_core::ToolDefinition;
    /// # use tool_core::definition::Parameter;
    /// let point = json!({"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]});
    /// let builder = ToolDefinition::builder("plot", "Plots.").parameters([Parameter::of_schema("at", point.clone())]);
    /// assert_eq!(builder.build().unwrap().input_schema()["properties"]["at"], point);
    /// ```
    pub fn of_schema(name: impl Into<String>, schema: Value) -> Self {
        Parameter {
            name: name.into(),
            schema,
            description: None,
            default: None,
            required: false,
            secret: false,
        }
    }

    /// Returns the name of the input.
    ///
    /// ```
    /// # use tool_core::definition::{Parameter, ParameterType};
    /// assert_eq!(Parameter::new("n", ParameterType::Integer).name(), "n");
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets the type of the items of an array.
    ///
    /// ```
    /// # use tool_core::definition::{Parameter, ParameterType};
    /// let tags = Parameter::new("tags", ParameterType::Array).items(ParameterType::String);
    /// ```
    pub fn items(self, kind: ParameterType) -> Self {
        self.with("items", json!({"type": kind.as_str()}))
    }

    setters! {
        /// Sets the description.
        ///
        /// ```
        /// # use tool_core::definition::{Parameter, ParameterType};
        /// let city = Parameter::new("city", ParameterType::String).description("Where.");
        /// ```
        pub fn description(description: impl Into<String>) => description = Some(description.into());

        /// Sets the default. The schema publishes it, unless the input is [secret](Self::secret); the tool must apply it.
        ///
        /// ```
        /// # use tool_core::definition::{Parameter, ParameterType};
        /// let limit = Parameter::new("limit", ParameterType::Integer).default_value(10);
        /// ```
        pub fn default_value(value: impl Into<Value>) => default = Some(value.into());
    }

    /// Sets the allowed values.
    ///
    /// ```
    /// # use tool_core::definition::{Parameter, ParameterType};
    /// let units = Parameter::new("units", ParameterType::String).one_of(["celsius", "fahrenheit"]);
    /// ```
    pub fn one_of(self, values: impl IntoIterator<Item = impl Into<Value>>) -> Self {
        self.with("enum", values.into_iter().map(Into::into).collect())
    }

    setters! {
        /// Makes the input required.
        ///
        /// ```
        /// # use tool_core::definition::{Parameter, ParameterType};
        /// let city = Parameter::new("city", ParameterType::String).required();
        /// ```
        pub fn required() => required = true;

        /// Makes the input secret (`writeOnly`): neither its value nor its default is shown.
        ///
        /// ```
        /// # use tool_core::definition::{Parameter, ParameterType};
        /// let password = Parameter::new("password", ParameterType::String).secret();
        /// ```
        pub fn secret() => secret = true;
    }

    fn with(mut self, keyword: &str, value: Value) -> Self {
        // A custom schema may be `true`, which has no keywords.
        if let Value::Object(schema) = &mut self.schema {
            schema.insert(keyword.to_owned(), value);
        }
        self
    }

    /// Returns the schema of the value.
    fn into_schema(self) -> Value {
        let mut schema = match self.schema {
            Value::Object(schema) => schema,
            // `true` and `false` are schemas as well; other values are rejected with the whole schema.
            Value::Bool(true) => Map::new(),
            other => return other,
        };
        if let Some(description) = self.description {
            schema.insert("description".to_owned(), description.into());
        }
        if let Some(default) = self.default {
            schema.insert("default".to_owned(), default);
        }
        if self.secret {
            schema.insert("writeOnly".to_owned(), true.into());
        }
        Value::Object(schema)
    }
}

/// Returns an object schema with exactly these inputs.
///
/// # Errors
///
/// If two inputs have the same name.
pub(super) fn schema_of(parameters: Vec<Parameter>) -> Result<Untrusted, DefinitionFault> {
    let mut seen = HashSet::new();
    if let Some(twin) = parameters.iter().find(|parameter| !seen.insert(parameter.name.as_str())) {
        let (path, message) = (pointer(&twin.name), "there are two inputs of this name");
        return Err(DefinitionFault::Parameter(Problem::new(path, "unique", message)));
    }
    let required: Vec<Value> =
        parameters.iter().filter(|one| one.required).map(|one| one.name.as_str().into()).collect();
    let properties: Map<String, Value> =
        parameters.into_iter().map(|parameter| (parameter.name.clone(), parameter.into_schema())).collect();
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = Value::Array(required);
    }
    schema["additionalProperties"] = Value::Bool(false);
    Ok(Untrusted::new(schema))
}

/// Removes the defaults of inputs that are, or contain, secrets.
pub(super) fn conceal_defaults(schema: &mut Value) {
    for schema in schema["properties"].as_object_mut().into_iter().flat_map(Map::values_mut) {
        if has_secret(schema)
            && let Some(schema) = schema.as_object_mut()
        {
            schema.shift_remove("default");
        }
    }
}

/// Rejects a default that is invalid for its input.
pub(super) fn check_defaults(schema: &Value) -> Result<(), DefinitionFault> {
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        let Some(default) = schema.get("default") else { continue };
        Untrusted::new(default.clone()).into_valid(schema).map_err(|mut problem| {
            problem.path = pointer(name) + &problem.path;
            problem.message = format!("its default is invalid: {}", problem.message);
            DefinitionFault::Parameter(problem)
        })?;
    }
    Ok(())
}

impl<'de> Deserialize<'de> for Parameter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ParameterShape::deserialize(deserializer)?.parameter().map_err(serde::de::Error::custom)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ParameterShape {
    name: String,
    #[serde(rename = "type")]
    kind: Option<ParameterType>,
    items: Option<Value>,
    schema: Option<Value>,
    description: Option<String>,
    #[serde(default, deserialize_with = "present")]
    default: Option<Value>,
    #[serde(default)]
    required: bool,
    #[serde(rename = "enum")]
    allowed: Option<Vec<Value>>,
    #[serde(default)]
    secret: bool,
}

/// An explicit `null` is a value.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl ParameterShape {
    fn parameter(self) -> Result<Parameter, &'static str> {
        let mut parameter = match (self.kind, self.schema) {
            (Some(kind), None) => Parameter::new(self.name, kind),
            (None, Some(schema)) if self.items.is_none() && self.allowed.is_none() => {
                Parameter::of_schema(self.name, schema)
            }
            _ => return Err("expected either `type`, with `items` and `enum`, or `schema`"),
        };
        match self.items {
            Some(Value::String(word)) => {
                let kind = ParameterType::ALL.into_iter().find(|kind| kind.as_str() == word);
                parameter =
                    parameter.items(kind.ok_or("`items` is not a type: expected a word such as `string`")?);
            }
            Some(schema) => parameter = parameter.with("items", schema),
            None => {}
        }
        if let Some(allowed) = self.allowed {
            parameter = parameter.one_of(allowed);
        }
        Ok(Parameter {
            description: self.description,
            default: self.default,
            required: self.required,
            secret: self.secret,
            ..parameter
        })
    }
}
