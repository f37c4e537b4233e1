//! Forms: the subset of JSON Schema that MCP's elicitation supports.

mod field;

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::context::elicitation::form::field::{Field, UnsupportedField};
use crate::model::failure::{Failure, FailureKind};
use crate::schema::Validator;
use crate::schema::problem::Problem;
use crate::schema::subschemas::requires;

/// A form for a person. A field is a text, a number, a boolean, or a choice of one or several texts.
///
/// [`Context::elicit`](crate::Context::elicit) derives one from a type. The published schema is limited to MCP's
/// `PrimitiveSchemaDefinition` (2025-11-25): title, description and default of a field; length and format (`email`,
/// `uri`, `date`, `date-time`) of a text; range of a number; titles and number of choices. Other keywords of the schema
/// are not published, but answers are checked against them.
///
/// ```
/// use tool_core::elicitation::Form;
///
/// #[derive(schemars::JsonSchema, serde::Deserialize)]
/// struct Seat {
///     /// Your name.
///     name: String,
///     #[schemars(range(min = 1, max = 30))]
///     row: Option<u8>,
/// }
///
/// let form = Form::of::<Seat>().unwrap();
/// assert_eq!(
///     form.schema().to_string(),
///     r#"{"type":"object","properties":{"name":{"type":"string","description":"Your name."},"row":{"type":"integer","minimum":1,"maximum":30}},"required":["name"]}"#
/// );
/// ```
#[derive(Clone)]
pub struct Form(Arc<Inner>);

struct Inner {
    schema: Value,
    validator: Validator,
    secrets: Vec<String>,
    integers: Vec<String>,
}

impl Form {
    /// Builds the form of a type: a struct whose fields are scalars, enums without data, or lists of such enums.
    ///
    /// A field of type `Option` is optional. Mark a secret field with `#[schemars(extend("writeOnly" = true))]`. A
    /// variant of an enum is labeled with its `title`, or else with its documentation.
    ///
    /// # Errors
    ///
    /// If a field has another type. The error names the field.
    ///
    /// ```
    /// use tool_core::elicitation::Form;
    ///
    /// let error = Form::of::<String>().unwrap_err();
    /// assert_eq!(error.to_string(), "a form is an object with fields: ask with a struct");
    /// ```
    pub fn of<T: JsonSchema>() -> Result<Self, FormError> {
        let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
        Form::new(&settings.into_generator().into_root_schema_for::<T>().to_value())
    }

    /// Builds a form from a JSON Schema.
    ///
    /// # Errors
    ///
    /// If the schema is not an object schema, or a form cannot have one of its fields. The error names the field.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_core::elicitation::Form;
    ///
    /// let fields = json!({"colour": {"oneOf": [{"const": "#f00", "title": "Red"}, {"const": "#00f", "title": "Blue"}]}});
    /// let form = Form::new(&json!({"type": "object", "properties": fields})).unwrap();
    /// assert_eq!(form.schema()["properties"]["colour"]["oneOf"][1]["title"], "Blue");
    ///
    /// let fields = json!({"address": {"type": "object"}});
    /// let error = Form::new(&json!({"type": "object", "properties": fields})).unwrap_err();
    /// assert!(error.to_string().starts_with("the field `address` is an object"));
    /// ```
    pub fn new(schema: &Value) -> Result<Self, FormError> {
        let not_an_object = || FormError("a form is an object with fields: ask with a struct".to_owned());
        let object = schema.as_object().filter(|object| object.get("type").is_some_and(|it| it == "object"));
        let object = object.ok_or_else(not_an_object)?;
        if ["oneOf", "anyOf", "allOf", "$ref"].iter().any(|keyword| object.contains_key(*keyword)) {
            return Err(FormError("a form has no alternatives: ask with a plain struct".to_owned()));
        }
        let properties = object.get("properties").and_then(Value::as_object).ok_or_else(not_an_object)?;
        let mut errors = Vec::new();
        let (mut shown, mut checked, mut required) = (Map::new(), Map::new(), Vec::new());
        let (mut secrets, mut integers) = (Vec::new(), Vec::new());
        for (name, property) in properties {
            let field = match Field::of(property) {
                Ok(field) => field,
                Err(UnsupportedField(what)) => {
                    errors.push(format!(
                        "the field `{name}` is {what}: a form has texts, numbers, yes or no, and choices"
                    ));
                    continue;
                }
            };
            if requires(schema, name) && !field.optional {
                required.push(Value::from(name.as_str()));
            }
            if field.secret {
                secrets.push(name.clone());
            }
            if field.shown["type"] == "integer" {
                integers.push(name.clone());
            }
            shown.insert(name.clone(), field.shown.into());
            checked.insert(name.clone(), field.checked.into());
        }
        if !errors.is_empty() {
            return Err(FormError(errors.join("\n")));
        }
        let whole = |properties: Map<String, Value>| {
            let mut whole = json!({"type": "object", "properties": properties});
            if !required.is_empty() {
                whole["required"] = required.clone().into();
            }
            whole
        };
        let mut checked = whole(checked);
        checked["additionalProperties"] = false.into();
        let validator = Validator::new(&checked)
            .map_err(|error| FormError(format!("the schema of the form is invalid: {error}")))?;
        Ok(Form(Arc::new(Inner { schema: whole(shown), validator, secrets, integers })))
    }

    /// Returns the schema as sent over MCP: `{"type":"object","properties":{…},"required"?:[…]}`, the fields in their
    /// order.
    ///
    /// ```
    /// # use serde_json::json;
    /// let form = tool_core::elicitation::Form::new(&json!({"type": "object", "properties": {"sure": {"type": "boolean"}}})).unwrap();
    /// assert_eq!(form.schema()["properties"]["sure"], json!({"type": "boolean"}));
    /// ```
    pub fn schema(&self) -> &Value {
        &self.0.schema
    }

    /// Returns the names of the secret fields. They must not be echoed while typed, nor logged. MCP forbids secrets in
    /// forms: use [`elicit_url`](crate::Context::elicit_url) there.
    ///
    /// ```
    /// # use serde_json::json;
    /// let fields = json!({"password": {"type": "string", "writeOnly": true}});
    /// let form = tool_core::elicitation::Form::new(&json!({"type": "object", "properties": fields})).unwrap();
    /// assert_eq!(form.secrets(), ["password"]);
    /// ```
    pub fn secrets(&self) -> &[String] {
        &self.0.secrets
    }

    /// Validates the fields of an answer; the list is empty if they are valid.
    ///
    /// ```
    /// # use serde_json::json;
    /// let fields = json!({"age": {"type": "integer", "minimum": 0}});
    /// let form = tool_core::elicitation::Form::new(&json!({"type": "object", "properties": fields})).unwrap();
    /// let answer = |age: i64| serde_json::Map::from_iter([("age".to_owned(), age.into())]);
    /// assert!(form.problems(&answer(8)).is_empty());
    /// assert_eq!(form.problems(&answer(-8))[0].path, "/age");
    /// ```
    pub fn problems(&self, answer: &Map<String, Value>) -> Vec<Problem> {
        let answer = Value::Object(self.normalized(answer.clone()));
        self.0.validator.check(&answer).err().unwrap_or_default()
    }

    /// Normalizes an answer for decoding: removes `null` fields, and writes whole numbers of integer fields as
    /// integers.
    pub(crate) fn normalized(&self, mut answer: Map<String, Value>) -> Map<String, Value> {
        answer.retain(|_, value| !value.is_null());
        for name in &self.0.integers {
            if let Some(value) = answer.get_mut(name)
                && let Some(number) = value.as_f64().filter(|number| value.is_f64() && number.fract() == 0.0)
                && number.abs() < MAX_EXACT_INTEGER
            {
                #[expect(clippy::cast_possible_truncation, reason = "it is a whole number below 2^53")]
                let whole = number as i64;
                *value = whole.into();
            }
        }
        answer
    }
}

/// Below 2^53, every whole `f64` is exact.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Form({})", self.schema())
    }
}

/// Why a schema is not a form. The error names each unsupported field.
///
/// ```
/// use tool_core::elicitation::Form;
///
/// #[derive(schemars::JsonSchema)]
/// struct Trip {
///     places: Vec<String>,
/// }
///
/// let error = Form::of::<Trip>().unwrap_err();
/// assert!(error.to_string().starts_with("the field `places` is a list of anything"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FormError(String);

/// An internal error: a fault of the tool.
impl From<FormError> for Failure {
    fn from(error: FormError) -> Self {
        Failure::new(FailureKind::Internal, error.0)
    }
}
