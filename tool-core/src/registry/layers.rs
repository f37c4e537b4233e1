//! The layers of a registry.

use std::fmt;
use std::sync::Arc;

use crate::call::layer::Layer;
use crate::definition::ToolDefinition;
use crate::registry::Registry;
use crate::registry::builder::RegistryBuilder;

impl RegistryBuilder {
    /// Adds a [layer](Layer) around the calls of the tools and prompts of this registry, inside of the layers that were added before.
    ///
    /// It applies on every interface, to calls that a tool makes through its injected [`Registry`], and wherever the tools are
    /// called through another registry that joins several.
    ///
    /// ```
    /// use tool_core::layer::{CallRequest, Layer, Next};
    /// use tool_core::{Failure, Output, Registry, tool, tools};
    ///
    /// /// Prints how long each call takes.
    /// #[derive(Debug)]
    /// struct Measure;
    ///
    /// impl Layer for Measure {
    ///     async fn call(&self, request: &CallRequest<'_>, next: Next<'_>) -> Result<Output, Failure> {
    ///         let began = std::time::Instant::now();
    ///         let result = next.run().await;
    ///         println!("{} took {:?}", request.definition().name(), began.elapsed());
    ///         result
    ///     }
    /// }
    ///
    /// /// Rolls a die.
    /// #[tool(operation = Read)]
    /// fn roll_die() -> u8 {
    ///     4
    /// }
    ///
    /// # tool_core::private::block_on(async {
    /// let registry = Registry::builder().tools(tools![roll_die]).layer(Measure).build().unwrap();
    /// assert_eq!(registry.call("roll_die", serde_json::json!({})).await.unwrap().value(), 4);
    /// assert_eq!(format!("{registry:?}"), r#"Registry { tools: ["roll_die"], layers: [Measure] }"#);
    /// # });
    /// ```
    pub fn layer(mut self, layer: impl Layer) -> Self {
        self.layers.push(Arc::new(layer));
        self
    }
}

/// Lists the tools that the caller may see, and the layers, the outermost first.
impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<&str> = self.tools().map(ToolDefinition::name).collect();
        let layers: Vec<_> = self.inner.scopes().flat_map(|scope| &scope.layers).collect();
        f.debug_struct("Registry").field("tools", &tools).field("layers", &layers).finish()
    }
}
