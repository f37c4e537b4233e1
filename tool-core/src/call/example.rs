//! Examples of tools.

use serde_json::Value;

use crate::call::decode;
use crate::definition::ToolDefinition;

impl ToolDefinition {
    /// Returns a minimal call: one of [`ToolDefinition::examples`], or one built from the examples of the inputs, their
    /// defaults and the schema, in this order. For a required input with only a pattern it is a guess: declare an example
    /// there.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_n(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_n").build().unwrap();
    /// let tool = registry.get("send_n").unwrap();
    /// assert_eq!(*tool.example(), serde_json::json!({"to": "text"}));
    /// ```
    pub fn example(&self) -> &Value {
        &self.chosen_example(decode::is_valid).0
    }

    /// Returns the example, unless it is invalid or too long to be shown.
    pub(crate) fn valid_example(&self) -> Option<&Value> {
        let (example, is_shown) = self.chosen_example(decode::is_valid);
        is_shown.then_some(example)
    }
}
