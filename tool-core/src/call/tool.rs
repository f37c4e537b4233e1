//! Dynamic tools, such as those of another server, a plugin or a file.

use std::fmt;
use std::future::ready;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::call::decode::invalid::undecoded;
use crate::context::Context;
use crate::definition::ToolDefinition;
use crate::model::failure::Failure;
use crate::model::future::BoxFuture;
use crate::model::output::Output;

/// A tool that is implemented by a type instead of declared by a function.
///
/// Calls go through the same pipeline as those of a declared tool: arguments are validated against the input schema before they
/// reach the tool, panics are caught, limits and cancellation follow its operation, and an output that does not match the
/// output schema is not sent. For a definition with a function use [`DynamicTool`].
///
/// ```
/// use serde_json::json;
/// use serde_json::value::RawValue;
/// use tool_core::{BoxFuture, Context, Failure, Operation, Output, Registry, Tool, ToolDefinition};
///
/// struct Forwarded {
///     definition: ToolDefinition,
///     address: String,
/// }
///
/// impl Tool for Forwarded {
///     fn definition(&self) -> &ToolDefinition {
///         &self.definition
///     }
///
///     fn call<'a>(&'a self, _: Context, arguments: &'a RawValue) -> BoxFuture<'a, Result<Output, Failure>> {
///         Box::pin(async move { Ok(Output::text(format!("POST {} {arguments}", self.address))) })
///     }
/// }
///
/// # tool_core::private::block_on(async {
/// let definition = ToolDefinition::builder("remote_ping", "Asks another server.").operation(Operation::Read);
/// let tool = Forwarded { definition: definition.build().unwrap(), address: "/ping".to_owned() };
/// let registry = Registry::builder().tool(tool).build().unwrap();
/// assert_eq!(registry.call("remote_ping", json!({})).await.unwrap().value(), "POST /ping {}");
/// assert!(registry.call("remote_ping", json!({"loud": true})).await.is_err());
/// # });
/// ```
pub trait Tool: Send + Sync {
    /// Returns the definition. It is read once, when a registry is built.
    fn definition(&self) -> &ToolDefinition;

    /// Runs the tool. The arguments are an object that is valid by the input schema; integers are written without a fraction
    /// (`1`, not `1.0`).
    ///
    /// The future is dropped if the caller leaves or the time is over, unless the tool modifies: then it runs to its end.
    fn call<'a>(
        &'a self,
        context: Context,
        arguments: &'a RawValue,
    ) -> BoxFuture<'a, Result<Output, Failure>>;
}

impl Tool for Arc<dyn Tool> {
    fn definition(&self) -> &ToolDefinition {
        (**self).definition()
    }

    fn call<'a>(
        &'a self,
        context: Context,
        arguments: &'a RawValue,
    ) -> BoxFuture<'a, Result<Output, Failure>> {
        (**self).call(context, arguments)
    }
}

/// A tool that consists of a definition and a function.
///
/// ```
/// use serde::Deserialize;
/// use serde_json::json;
/// use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition};
///
/// #[derive(Deserialize)]
/// struct Price {
///     article: String,
/// }
///
/// let definition = ToolDefinition::builder("price_of", "The price of an article.")
///     .operation(Operation::Read)
///     .input_schema(json!({
///         "type": "object",
///         "properties": {"article": {"type": "string"}},
///         "required": ["article"],
///     }))
///     .build()
///     .unwrap();
/// let tool = DynamicTool::new(definition, |_, Price { article }| async move {
///     Ok(Output::text(format!("{article} is not for sale")))
/// });
///
/// # tool_core::private::block_on(async {
/// let registry = Registry::builder().tool(tool).build().unwrap();
/// let output = registry.call("price_of", json!({"article": "Soap"})).await.unwrap();
/// assert_eq!(output.value(), "Soap is not for sale");
/// # });
/// ```
pub struct DynamicTool {
    definition: ToolDefinition,
    function: Box<CallFunction>,
}

type CallFunction = dyn Fn(Context, &RawValue) -> BoxFuture<'static, Result<Output, Failure>> + Send + Sync;

impl DynamicTool {
    /// Creates a tool with this definition that calls this function. The arguments are decoded as `A`: a type of your own, or a
    /// [`serde_json::Value`].
    ///
    /// Arguments that are valid by the schema but do not decode as `A` are reported as invalid input.
    ///
    /// ```
    /// # use serde_json::{Map, Value};
    /// # use tool_core::{DynamicTool, Output, ToolDefinition, ToolError};
    /// let definition = ToolDefinition::builder("refuses", "Refuses everything.").build().unwrap();
    /// let tool = DynamicTool::new(definition, |_, _: Map<String, Value>| async {
    ///     Err(ToolError::conflict("not today").into())
    /// });
    /// ```
    pub fn new<A, F>(
        definition: ToolDefinition,
        function: impl Fn(Context, A) -> F + Send + Sync + 'static,
    ) -> Self
    where
        A: DeserializeOwned,
        F: Future<Output = Result<Output, Failure>> + Send + 'static,
    {
        let shared = definition.clone();
        let function = move |context: Context, arguments: &RawValue| -> BoxFuture<'static, _> {
            // From bytes: serde_json 1.0.154 reads a `bool` key of a map from a `str` at a position inside a character.
            match serde_json::from_slice(arguments.get().as_bytes()) {
                Ok(decoded) => Box::pin(function(context, decoded)),
                Err(error) => Box::pin(ready(Err(undecoded(&shared, arguments.get(), error)))),
            }
        };
        DynamicTool { definition, function: Box::new(function) }
    }
}

impl Tool for DynamicTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        context: Context,
        arguments: &'a RawValue,
    ) -> BoxFuture<'a, Result<Output, Failure>> {
        (self.function)(context, arguments)
    }
}

impl fmt::Debug for DynamicTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DynamicTool").field(&self.definition.name()).finish()
    }
}
