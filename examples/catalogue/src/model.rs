//! What is described: services, and what of them can be called. The rows of the database, and the shape of a file that is
//! imported and exported.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::Operation;
use tool_core::definition::ParameterType;

/// Everything that a catalogue holds, in the order of the codes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The services.
    #[serde(default)]
    pub providers: Vec<Provider>,
    /// What of them can be called.
    #[serde(default)]
    pub tools: Vec<Tool>,
}

/// A service that is reached over HTTP.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// What it is called.
    pub code: String,
    /// Its name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Such as `https://api.example.org/v1`.
    pub base_url: String,
    /// How it knows who calls.
    #[serde(default)]
    pub auth: Auth,
    /// The header or query parameter of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth_name: Option<String>,
    /// The variable with the key or token: `CATALOGUE_KEY_…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_variable: Option<String>,
    /// What a health check asks for.
    #[serde(default = "slash")]
    pub health_path: String,
    /// Limit of a call, in milliseconds.
    #[serde(default = "ten_seconds")]
    pub timeout_ms: u32,
    /// Limit of an answer, in bytes.
    #[serde(default = "one_mebibyte")]
    pub max_bytes: u32,
    /// Whether its tools are listed.
    #[serde(default = "yes")]
    pub enabled: bool,
}

/// How a service knows who calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Auth {
    /// It does not ask.
    #[default]
    None,
    /// By a key in a header.
    Header,
    /// By a key in the query.
    Query,
    /// By a token in the header `Authorization`.
    Bearer,
}

/// Something that a service can be asked for: a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name.
    pub code: String,
    /// The code of the service.
    pub provider: String,
    /// Its name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it does.
    pub description: String,
    /// `read` for `GET` and else `write`, unless told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<OperationWord>")]
    pub operation: Option<Operation>,
    /// Whether it may destroy; so for what modifies, unless told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// The method of HTTP.
    #[serde(default)]
    pub method: Method,
    /// Its path, with `{names}` of inputs, and after `?` what is always sent.
    pub path: String,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The JSON Schema of what it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Arguments of a call as one might make it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Value>,
    /// Whether it is listed.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// What it takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Parameter>,
}

/// The words for [`Operation`], for the schema.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(dead_code, reason = "only its schema is used")]
enum OperationWord {
    Explain,
    Read,
    Transform,
    Trigger,
    Write,
}

/// The methods that a service is asked by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[allow(missing_docs, reason = "they are those of RFC 9110")]
pub enum Method {
    #[default]
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

/// One input of a tool, and where it is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// What a caller calls the input.
    pub name: String,
    /// Where it is sent.
    #[serde(default)]
    pub place: Place,
    /// What kind of value it is.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TypeWord>")]
    pub kind: Option<ParameterType>,
    /// The type of items, or their JSON Schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Value>,
    /// A JSON Schema in place of a type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// What it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Sent when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// Whether it must be given.
    #[serde(default, skip_serializing_if = "is_false")]
    pub required: bool,
    /// The values that are allowed.
    #[serde(rename = "enum", default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<Vec<Value>>,
    /// Whether it is never shown.
    #[serde(default, skip_serializing_if = "is_false")]
    pub secret: bool,
    /// What the service calls it, if not so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_as: Option<String>,
    /// How a list is sent.
    #[serde(default, skip_serializing_if = "Lists::is_default")]
    pub lists: Lists,
}

/// The words for [`ParameterType`], for the schema.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(dead_code, reason = "only its schema is used")]
enum TypeWord {
    String,
    Integer,
    Number,
    Boolean,
    Array,
    Object,
}

/// Where an input is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// In the path, where it is named in braces.
    Path,
    /// In the query.
    #[default]
    Query,
    /// As a member of the JSON object in the body.
    Body,
    /// In a header.
    Header,
}

impl Parameter {
    /// Whether it is a secret, or has one in it.
    pub(crate) fn hides(&self) -> bool {
        self.secret || self.schema.iter().chain(&self.items).any(has_secret)
    }

    /// The secrets in a value of it.
    pub(crate) fn secrets<'v>(&'v self, value: &'v Value) -> Vec<&'v Value> {
        let mut secrets = Vec::new();
        match (&self.schema, &self.items, value) {
            _ if self.secret => secrets.push(value),
            (Some(schema), _, _) => find(schema, value, &mut secrets),
            (None, Some(items), Value::Array(values)) => {
                values.iter().for_each(|value| find(items, value, &mut secrets));
            }
            _ => {}
        }
        secrets
    }
}

/// Whether a schema calls anything a secret.
fn has_secret(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.get("writeOnly") == Some(&Value::Bool(true)) || members.values().any(has_secret)
        }
        Value::Array(items) => items.iter().any(has_secret),
        _ => false,
    }
}

/// Finds what a schema calls a secret, as far as it says so by the names of members and of the items of lists.
fn find<'v>(schema: &'v Value, value: &'v Value, secrets: &mut Vec<&'v Value>) {
    if schema["writeOnly"] == true {
        return secrets.push(value);
    }
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| find(&schema["properties"][name], value, secrets));
        }
        Value::Array(items) => items.iter().for_each(|item| find(&schema["items"], item, secrets)),
        _ => {}
    }
}

/// How a list is written in a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Lists {
    /// One pair an item: `tag=a&tag=b`.
    #[default]
    Repeat,
    /// One pair, with commas between the items: `tag=a,b`.
    Comma,
}

impl Lists {
    fn is_default(&self) -> bool {
        *self == Lists::default()
    }
}

fn slash() -> String {
    "/".to_owned()
}

fn ten_seconds() -> u32 {
    10_000
}

fn one_mebibyte() -> u32 {
    1 << 20
}

fn yes() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}
