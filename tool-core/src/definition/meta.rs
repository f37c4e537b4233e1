//! The metadata of tools.

use serde_json::{Map, Value};

use crate::declare::input_spec::JsonFn;
use crate::definition::ToolDefinition;
use crate::model::meta::{self, MetaError};

impl ToolDefinition {
    /// Returns the metadata for clients, if the tool has any: members of its `_meta` in lists of MCP, and `meta` of
    /// `GET /tools/{name}` and of lists with `detail=full` over HTTP. The tools
    /// and callers of this library do not read it.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_core::{Registry, tool, tools};
    ///
    /// /// Publishes a page.
    /// #[tool(operation = Trigger, destructive = false, meta = json!({"com.example/owner": "web"}))]
    /// fn publish_page(/** Its name. */ name: String) {
    ///     let _ = name;
    /// }
    ///
    /// let registry = Registry::builder().tools(tools![publish_page]).build().unwrap();
    /// assert_eq!(registry.get("publish_page").unwrap().meta().unwrap()["com.example/owner"], "web");
    /// ```
    pub fn meta(&self) -> Option<&Map<String, Value>> {
        match self.declared_meta() {
            Some(declared) => declared.as_ref().ok(),
            None => self.facts().meta.as_ref(),
        }
    }

    /// Returns what is wrong with the metadata of a declaration.
    pub(crate) fn meta_fault(&self) -> Option<&MetaError> {
        self.declared_meta()?.as_ref().err()
    }

    fn declared_meta(&self) -> Option<&Result<Map<String, Value>, MetaError>> {
        let make = self.declaration()?.options_or_default().meta?;
        Some(self.whole().meta.get_or_init(|| evaluate(make)))
    }
}

fn evaluate(make: JsonFn) -> Result<Map<String, Value>, MetaError> {
    match make() {
        Ok(Value::Object(object)) => meta::check(&object).map(|()| object),
        Ok(_) => Err(MetaError::NotAnObject),
        Err(error) => Err(MetaError::NotJson(error.to_string())),
    }
}
