//! Errors of a registry.

use std::fmt;

/// A reason why a registry cannot be built.
///
/// ```
/// use tool_core::BuildError;
///
/// assert!(BuildError::Empty.to_string().starts_with("the registry has no tools"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two tools have the same name. Locations have the form `file:line, module path`.
    #[error(
        "two tools are named `{name}`\n  first:  {first}\n  second: {second}\nhelp: give one of them `#[tool(name = \"…\")]`"
    )]
    Duplicate {
        /// The name.
        name: String,
        /// Where the first is declared.
        first: String,
        /// Where the second is declared.
        second: String,
    },
    /// The alias of a tool is the name or the alias of another.
    #[error(
        "two tools can be called as `{alias}`\n  first:  {first}\n  second: {second}, by its alias\nhelp: give the second another alias, or none"
    )]
    Alias {
        /// The alias.
        alias: String,
        /// Where the tool that has this name is declared.
        first: String,
        /// Where the tool with the alias is declared.
        second: String,
    },
    /// The addresses of two tools overlap: one path could mean either.
    #[error(
        "the addresses of two tools overlap\n  first:  {first}\n  second: {second}\nhelp: give one of them another `path`"
    )]
    Address {
        /// The address of the first, and where it is declared.
        first: String,
        /// The address of the second, and where it is declared.
        second: String,
    },
    /// The address of a tool begins with a segment that an adapter reserves.
    #[error(
        "tool `{tool}` lives at `{address}`, and `{segment}` is reserved\n  declared: {location}\nhelp: give it another `path`"
    )]
    ReservedAddress {
        /// The tool.
        tool: String,
        /// Where it is declared.
        location: String,
        /// Its address.
        address: String,
        /// Its first segment.
        segment: String,
    },
    /// Two prompts have the same name.
    #[error(
        "two prompts are named `{name}`\n  first:  {first}\n  second: {second}\nhelp: give one of them `#[prompt(name = \"…\")]`"
    )]
    DuplicatePrompt {
        /// The name.
        name: String,
        /// Where the first is declared.
        first: String,
        /// Where the second is declared.
        second: String,
    },
    /// A tool that does not modify, or a prompt, takes a `Reader` of the same type as the `Writer`.
    #[error(
        "`{name}` modifies nothing, and its `Reader<{resource}>` can write: the `Reader` and the `Writer` of that resource are one type\n  declared: {location}\nhelp: make the `Reader` a type or a trait object that cannot write, or the `Writer` `()` if nothing is written"
    )]
    OneHandle {
        /// The tool or the prompt.
        name: String,
        /// Where it was declared.
        location: String,
        /// The type of the resource.
        resource: String,
    },
    /// A prompt takes state that the registry does not have.
    #[error(
        "prompt `{prompt}` needs state of type `{state}`, which the registry does not have\n  declared: {location}\nhelp: give it to the builder with `.state(…)`"
    )]
    MissingPromptState {
        /// The prompt.
        prompt: String,
        /// Where it is declared.
        location: String,
        /// The type of the state.
        state: String,
    },
    /// The schema of the arguments of a prompt is invalid.
    #[error("prompt `{prompt}`: {fault}\n  declared: {location}")]
    PromptSchema {
        /// The prompt.
        prompt: String,
        /// Where it is declared.
        location: String,
        /// What is wrong.
        fault: String,
    },
    /// The registry has no tools.
    #[error(
        "the registry has no tools\nhelp: name the crates that declare them, as in `use my_tools as _;`, or call `allow_empty()` if there may be none"
    )]
    Empty,
    /// No tool of an expected crate is linked.
    #[error("no tool of the crate `{0}` is linked\nhelp: name it in the application, as in `use {0} as _;`")]
    NotLinked(String),
    /// A tool takes state that the registry does not have.
    #[error(
        "tool `{tool}` needs state of type `{state}`, which the registry does not have\n  declared: {location}\nhelp: give it to the builder with `.{}(…)`",
        builder_method(.state)
    )]
    MissingState {
        /// The tool.
        tool: String,
        /// Where it is declared.
        location: String,
        /// The type of the state.
        state: String,
    },
    /// A dynamic tool panicked in [`Tool::definition`](crate::Tool::definition).
    #[error("a dynamic tool panicked in `Tool::definition`\nhelp: the log says where")]
    NoDefinition,
    /// A limit prevents all calls.
    #[error("`{0}(0)` lets no call run\nhelp: give it at least 1")]
    NoRoom(&'static str),
    /// A tool has a time limit in a program without timers.
    #[error(
        "tool `{tool}` has a timeout, which needs the feature `tokio` of `tool-core`\n  declared: {location}\nhelp: switch the feature on, or drop the timeout"
    )]
    NoTimers {
        /// The tool.
        tool: String,
        /// Where it is declared.
        location: String,
    },
    /// Every call of a tool is a task, and the registry has no engine that runs tasks.
    #[error(
        "tool `{tool}` runs only as a task, and the registry has no engine for tasks\n  declared: {location}\nhelp: enable the feature `tasks` of `tool-core` and give an engine to the builder with `.tasks(…)`, or declare the tool `task(optional)`"
    )]
    NoTaskEngine {
        /// The tool.
        tool: String,
        /// Where it is declared.
        location: String,
    },
    /// A tool that runs as a task takes a secret.
    #[error(
        "tool `{tool}` runs as a task and takes a secret, and the arguments of a task are stored\n  declared: {location}\nhelp: take the secret from state, or remove `task`"
    )]
    TaskSecret {
        /// The tool.
        tool: String,
        /// Where it is declared.
        location: String,
    },
    /// The schema of a tool is invalid.
    #[error("tool `{tool}`: {fault}\n  declared: {location}")]
    Schema {
        /// The tool.
        tool: String,
        /// Where it is declared.
        location: String,
        /// What is wrong.
        fault: String,
    },
}

/// All errors of a registry.
///
/// [`Debug`](fmt::Debug) is the text of [`Display`](fmt::Display): it is what `expect`, and a `main` that returns an error, print.
///
/// ```
/// # use tool_core::Registry;
/// let errors = Registry::builder().build().unwrap_err();
/// assert_eq!(format!("{errors:?}"), errors.to_string());
/// ```
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", joined(.0))]
pub struct BuildErrors(Vec<BuildError>);

impl fmt::Debug for BuildErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl BuildErrors {
    pub(crate) fn unless_empty(errors: Vec<BuildError>) -> Result<(), Self> {
        if errors.is_empty() { Ok(()) } else { Err(BuildErrors(errors)) }
    }

    /// Returns the errors.
    ///
    /// ```
    /// # use tool_core::{BuildError, Registry};
    /// let errors = Registry::builder().build().unwrap_err();
    /// assert_eq!(errors.iter().collect::<Vec<_>>(), [&BuildError::Empty]);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = &BuildError> {
        self.0.iter()
    }
}

fn joined(errors: &[BuildError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n\n")
}

/// Returns the method of the builder that adds state of this type.
#[cfg_attr(not(feature = "tokio"), expect(unused_variables, reason = "there is no lazy state"))]
fn builder_method(state: &str) -> &'static str {
    #[cfg(feature = "tokio")]
    if state.starts_with(std::any::type_name::<crate::LazyState<()>>().trim_end_matches("()>")) {
        return "lazy_state";
    }
    "state"
}
