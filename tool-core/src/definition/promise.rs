//! The public contract of a tool, as used for digests and lock files.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::declare::returns::Untyped;
use crate::definition::ToolDefinition;
use crate::model::digest::Digest;
use crate::model::operation::{Annotations, Operation};
use crate::model::task::TaskSupport;
use crate::model::ui::Ui;
use crate::schema::json::canonical::canonical;

/// The contract of a tool, without its name, which is the key in a lock file.
///
/// Time limits and cache durations are excluded: they are settings of an operator, and no caller relies on them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Promise {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) operation: Option<Operation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) annotations: Option<Annotations>,
    /// The text form of a [`Permission`](crate::Permission).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) permission: Option<String>,
    /// The number of requirement functions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) requires: usize,
    /// Whether the tool has an access function.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) guarded: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// The locators.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) locators: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) alias: Option<String>,
    /// Whether the tool runs as a task. Retries and durations are settings of an operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) task: Option<TaskSupport>,
    /// The metadata for clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) meta: Option<Map<String, Value>>,
    /// The settings of the page, and the digest of its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ui: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deprecated: Option<Deprecation>,
    pub(crate) input_schema: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) output_schema: Option<Value>,
    /// The kind of a return value without a schema; `None` for a dynamic tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) returns: Option<Untyped>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Deprecation {
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// Computes the digest of the contract with these schemas, without copying them.
pub(crate) fn digest(tool: &ToolDefinition, input: &Value, output: Option<&Value>) -> Digest {
    let said = Promise::without_schemas(tool).promise(tool.name());
    let members = said.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value));
    let schemas = [("inputSchema", Some(input)), ("outputSchema", output)];
    let members = members.filter(|(name, _)| schemas.iter().all(|(schema, _)| schema != name));
    let schemas = schemas.into_iter().filter_map(|(name, schema)| Some((name, schema?)));
    Digest::of_members(members.chain(schemas))
}

impl Promise {
    pub(crate) fn of(tool: &ToolDefinition) -> Self {
        Promise {
            input_schema: tool.input_schema().clone(),
            output_schema: tool.output_schema().cloned(),
            ..Promise::without_schemas(tool)
        }
    }

    fn without_schemas(tool: &ToolDefinition) -> Self {
        let owned = |text: &str| text.to_owned();
        Promise {
            title: tool.title().map(owned),
            description: tool.description().to_owned(),
            operation: tool.operation(),
            annotations: tool.annotations().cloned(),
            permission: tool.permission().map(ToString::to_string),
            requires: tool.requires().len(),
            guarded: tool.guarded(),
            tags: tool.tags().map(owned).collect(),
            path: tool.path().map(owned),
            locators: tool.locators().map(owned).collect(),
            alias: tool.alias().map(owned),
            task: tool.task().map(|task| task.support),
            meta: tool.meta().cloned(),
            ui: tool.ui().map(Ui::promise),
            deprecated: tool
                .deprecated()
                .map(|it| Deprecation { since: it.since.map(owned), note: it.note.map(owned) }),
            input_schema: Value::Null,
            output_schema: None,
            returns: tool.returns_untyped(),
        }
    }

    /// Normalizes numbers, so that `1.0` and `1` are equal.
    pub(crate) fn normal(mut self) -> Self {
        let normal = |schema: &mut Value| *schema = canonical(schema).parse().unwrap_or_default();
        normal(&mut self.input_schema);
        self.output_schema.iter_mut().for_each(normal);
        self.meta.iter_mut().flat_map(Map::values_mut).for_each(normal);
        self
    }

    pub(crate) fn promise(&self, name: &str) -> Value {
        let mut promise = serde_json::to_value(self).unwrap_or_default();
        promise["name"] = name.into();
        promise
    }

    /// Returns `true` if the operation is `Explain` or `Read`, whose results can have an address.
    pub(crate) fn is_read(&self) -> bool {
        matches!(self.operation, Some(Operation::Explain | Operation::Read))
    }

    /// Returns `true` if the result has an address, as decided by [`Surface::of`](crate::address::Surface::of).
    pub(crate) fn has_address(&self) -> bool {
        let inputs = self.input_schema["properties"].as_object();
        self.is_read() && inputs.is_none_or(|inputs| inputs.keys().all(|input| self.locators.contains(input)))
    }

    pub(crate) fn digest(&self, name: &str) -> Digest {
        Digest::of(&self.promise(name))
    }
}
