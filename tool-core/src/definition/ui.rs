//! The pages of tools.

use crate::definition::ToolDefinition;
use crate::model::ui::Ui;

impl ToolDefinition {
    /// Returns the page that MCP clients show for a call, if the tool declares one.
    ///
    /// ```
    /// use tool_core::ui::Ui;
    /// use tool_core::{Registry, tool, tools};
    ///
    /// /// Counts the visitors of a page.
    /// #[tool(operation = Read, ui = Ui::new("<!doctype html><title>Visitors</title>"))]
    /// fn visitors() -> u64 {
    ///     7
    /// }
    ///
    /// let registry = Registry::builder().tools(tools![visitors]).build().unwrap();
    /// assert!(registry.get("visitors").unwrap().ui().unwrap().html().contains("Visitors"));
    /// ```
    pub fn ui(&self) -> Option<&Ui> {
        match self.declaration() {
            Some(declaration) => {
                let make = declaration.options_or_default().ui?;
                Some(self.whole().ui.get_or_init(make))
            }
            None => self.facts().ui.as_ref(),
        }
    }
}
