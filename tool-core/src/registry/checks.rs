//! What a server finds out about its tools before it listens.

use crate::registry::{BuildError, BuildErrors, Registry, addresses};

impl Registry {
    /// Makes every schema now, and finds what is wrong with them: defaults and examples that do not fit their inputs,
    /// patterns that are none. Servers do this before they listen.
    ///
    /// # Errors
    ///
    /// All faults at once.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// registry.check().unwrap();
    /// ```
    pub fn check(&self) -> Result<(), BuildErrors> {
        let faults = self.declared().flat_map(|tool| {
            tool.faults().into_iter().map(|fault| BuildError::Schema {
                tool: tool.name().to_owned(),
                place: tool.place(),
                fault,
            })
        });
        BuildErrors::unless_empty(faults.chain(self.faults_of_prompts()).collect())
    }

    /// Finds the tools whose [address](crate::Address) begins with a segment that an adapter needs for itself: what it
    /// does before it serves resources.
    ///
    /// # Errors
    ///
    /// All of them at once.
    ///
    /// ```
    /// use tool_core::{Registry, tool};
    ///
    /// /// The result of the last run.
    /// #[tool(operation = Read)]
    /// fn result() {}
    ///
    /// let registry = Registry::builder().linked().select(|tool| tool.name() == "result").build().unwrap();
    /// let errors = registry.check_addresses(&["tools", "result"]).unwrap_err();
    /// assert!(errors.to_string().starts_with("tool `result` lives at `result`, and `result` is reserved"));
    /// ```
    pub fn check_addresses(&self, reserved: &[&str]) -> Result<(), BuildErrors> {
        BuildErrors::unless_empty(addresses::reserved(&mut self.declared(), reserved))
    }
}
