//! What a server finds out about its tools before it listens.

use crate::definition::ToolDefinition;
use crate::definition::prompt::PromptDefinition;
use crate::registry::Registry;
use crate::registry::error::{BuildError, BuildErrors};

impl Registry {
    /// Makes every schema now, and finds what is wrong with them: examples in doc comments that are no calls, patterns that are
    /// none or that a client understands otherwise; and the tools that modify nothing and take a [`Reader`](crate::Reader) that can write. Defaults and constraints that do not fit their inputs are found by [`RegistryBuilder::build`](crate::RegistryBuilder::build) already. Servers do this before they listen.
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
        let faults = self.definitions().flat_map(|tool| schema_errors(tool, tool.faults()));
        let faults = faults.chain(self.faults_of_prompts()).chain(self.holders().flat_map(one_handle));
        BuildErrors::unless_empty(faults.collect())
    }

    /// Every tool, and what is called for every prompt.
    fn holders(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.definitions().chain(self.declared_prompts().map(PromptDefinition::tool))
    }
}

/// Reports what is wrong with a tool and shows only when its schemas are made.
pub(super) fn schema_errors(tool: &ToolDefinition, faults: Vec<String>) -> impl Iterator<Item = BuildError> {
    faults.into_iter().map(|fault| BuildError::Schema {
        tool: tool.name().to_owned(),
        location: tool.place(),
        fault,
    })
}

/// Reports the resources whose `Reader` and `Writer` are one type, where a tool that modifies nothing or a prompt takes the `Reader`.
fn one_handle(tool: &ToolDefinition) -> impl Iterator<Item = BuildError> {
    let writing = tool.needs().filter(|need| need.writes() && !tool.modifies());
    writing.map(|need| BuildError::OneHandle {
        name: tool.name().to_owned(),
        location: tool.place(),
        resource: need.type_name().to_owned(),
    })
}
