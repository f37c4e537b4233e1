//! Checks of a registry: of its limits when it is built, of every schema before a server listens.

use crate::call::CallLimits;
use crate::definition::ToolDefinition;
use crate::definition::prompt::PromptDefinition;
use crate::registry::Registry;
use crate::registry::error::{BuildError, BuildErrors};
use crate::schema::has_secret;

impl Registry {
    /// Builds every schema and checks it: an example in a doc comment must be a valid call, and a pattern must mean the same to
    /// every client. A tool that does not modify must not take a [`Reader`](crate::Reader) that can write. Defaults and constraints
    /// are checked by [`RegistryBuilder::build`](crate::RegistryBuilder::build), and that no task takes a secret. Servers call
    /// this before they listen.
    ///
    /// # Errors
    ///
    /// All errors at once.
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

    /// Returns every tool, and the definition behind every prompt.
    fn holders(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.definitions().chain(self.declared_prompts().map(PromptDefinition::tool))
    }
}

/// Converts errors in the schemas of a tool.
pub(super) fn schema_errors(tool: &ToolDefinition, faults: Vec<String>) -> impl Iterator<Item = BuildError> {
    faults.into_iter().map(|fault| BuildError::Schema {
        tool: tool.name().to_owned(),
        location: tool.place(),
        fault,
    })
}

/// Reports a tool or prompt that modifies nothing and takes a `Reader` of the same type as the `Writer`.
fn one_handle(tool: &ToolDefinition) -> impl Iterator<Item = BuildError> {
    let writing = tool.needs().filter(|need| need.writes() && !tool.modifies());
    writing.map(|need| BuildError::OneHandle {
        name: tool.name().to_owned(),
        location: tool.place(),
        resource: need.type_name().to_owned(),
    })
}

/// Returns `true` if the tool can run as a task and takes a secret, which would be stored with the arguments of the task.
pub(super) fn stores_secret(tool: &ToolDefinition) -> bool {
    tool.task().is_some() && has_secret(tool.input_schema())
}

/// Reports a tool that runs as a task and takes a secret.
pub(super) fn task_secret(tool: &ToolDefinition) -> Option<BuildError> {
    stores_secret(tool)
        .then(|| BuildError::TaskSecret { tool: tool.name().to_owned(), location: tool.place() })
}

/// Reports tools that run only as tasks, unless there is an engine.
pub(super) fn engine_errors<'t>(
    has_engine: bool,
    tools: impl Iterator<Item = &'t ToolDefinition>,
) -> impl Iterator<Item = BuildError> {
    let required = tools.filter(move |tool| !has_engine && tool.requires_task());
    required.map(|tool| BuildError::NoTaskEngine { tool: tool.name().to_owned(), location: tool.place() })
}

/// Reports limits that allow no call, and time limits without timers.
pub(super) fn limit_errors<'t>(
    limits: CallLimits,
    tools: impl Iterator<Item = &'t ToolDefinition>,
) -> Vec<BuildError> {
    let none = [
        ("concurrency", limits.concurrency == Some(0)),
        ("blocking_threads", limits.threads == 0),
        ("timeout", limits.timeout.is_some_and(|limit| limit.is_zero())),
    ];
    let mut faults: Vec<_> =
        none.into_iter().filter(|(_, is_none)| *is_none).map(|(name, _)| BuildError::NoRoom(name)).collect();
    if cfg!(not(feature = "tokio")) {
        let limited = tools.filter(|tool| tool.timeout().is_some());
        faults.extend(
            limited.map(|tool| BuildError::NoTimers { tool: tool.name().to_owned(), location: tool.place() }),
        );
    }
    faults
}
