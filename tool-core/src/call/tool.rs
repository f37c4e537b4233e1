//! Tools that are written by hand, where no function can be declared: those of another server, of a plugin, of a file.

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

/// A tool that is written by hand.
///
/// A call of it takes the same way as one of a declared tool: the arguments are checked against the input schema before
/// it sees them, a panic is contained, limits and cancellation follow its operation, and an output that breaks the
/// output schema is never sent. For a tool that is no more than a function there is [`DynamicTool`].
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
    /// What it is called, does, takes and returns. It is asked for once, when a registry is built.
    fn definition(&self) -> &ToolDefinition;

    /// Runs it. The arguments are an object that the input schema admits, with integers written as such (`1`, not `1.0`).
    ///
    /// When the future is dropped, the caller is gone, or a limit was reached; a tool that modifies is then not dropped
    /// and runs to its end.
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

/// A hand-written tool that is a definition and a function.
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
    function: Box<Function>,
}

type Function = dyn Fn(Context, &RawValue) -> BoxFuture<'static, Result<Output, Failure>> + Send + Sync;

impl DynamicTool {
    /// A tool of this definition that runs this function, with the arguments decoded as `A`: a type of one's own, or a
    /// [`serde_json::Value`].
    ///
    /// Arguments that the schema admits and `A` does not are an invalid input like any other.
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
            // From bytes: from a `str`, serde_json 1.0.154 reads a key of a map that should be `bool` from the middle of a character.
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
