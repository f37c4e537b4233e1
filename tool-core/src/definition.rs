//! A tool as everybody sees it: what it is called, does, takes and returns.

mod behaviour;
mod faults;
mod schemas;
mod source;

use std::sync::OnceLock;

use crate::access::Permission;
use crate::call::reader::InputPlan;
use crate::declaration::{Declaration, Deprecated, PermissionSpec};
use crate::digest::Digest;
use crate::entry::{Call, Entry, Step};
use crate::inject::Needs;
use crate::input::{InputSpec, Visitor};
use crate::operation::Annotations;
use crate::returns::Returned;
use crate::schema::{InputSchema, OutputSchema, Validator};

pub use source::Source;

/// The definition of one tool. Its schemas and its digest are computed on first use.
///
/// ```
/// use tool_core::{Registry, tool};
///
/// /// Adds two numbers.
/// #[tool(operation = Transform, open_world = false)]
/// fn add(/** First. */ a: i64, /** Second. */ b: i64) -> i64 {
///     a + b
/// }
///
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "add").build().unwrap();
/// let add = registry.get("add").unwrap();
/// assert_eq!(add.description(), "Adds two numbers.");
/// assert_eq!(add.input_schema()["required"], serde_json::json!(["a", "b"]));
/// assert_eq!(add.output_schema().unwrap()["properties"]["result"]["type"], "integer");
/// ```
#[derive(Debug)]
pub struct ToolDefinition {
    declaration: &'static Declaration,
    annotations: Annotations,
    permission: Option<Permission>,
    inputs: Vec<&'static InputSpec>,
    needs: Needs,
    returned: Returned,
    plan: OnceLock<Vec<InputPlan>>,
    input: OnceLock<InputSchema>,
    output: OnceLock<Option<OutputSchema>>,
    validator: OnceLock<Result<Validator, String>>,
    digest: OnceLock<Digest>,
    /// Whether the example is what the tool takes: where a pattern is all that is known, it is a guess.
    example_is_valid: OnceLock<bool>,
}

impl ToolDefinition {
    pub(crate) fn new(declaration: &'static Declaration) -> Self {
        let mut inputs = Vec::new();
        let mut needs = Needs::default();
        let mut call = Call::Describe(Visitor { inputs: &mut inputs, needs: &mut needs });
        let returned = match (declaration.entry)(&mut call) {
            Step::Described(returned) => returned,
            // `run` and its siblings answer `Describe` in this one way.
            Step::Valid | Step::Invalid | Step::Done(_) | Step::Running(_) => Returned::Nothing,
        };
        ToolDefinition {
            declaration,
            annotations: declaration.annotations(),
            permission: declaration.permission.map(PermissionSpec::permission),
            inputs,
            needs,
            returned,
            plan: OnceLock::new(),
            input: OnceLock::new(),
            output: OnceLock::new(),
            validator: OnceLock::new(),
            digest: OnceLock::new(),
            example_is_valid: OnceLock::new(),
        }
    }

    /// The name on the wire.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Nothing much.
    /// #[tool(operation = Explain, name = "say.nothing")]
    /// fn nothing() {}
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "say.nothing").build().unwrap();
    /// assert_eq!(registry.get("say.nothing").unwrap().name(), "say.nothing");
    /// ```
    pub fn name(&self) -> &str {
        self.declaration.name
    }

    /// The name for people, where one was declared.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_a(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_a").build().unwrap();
    /// let tool = registry.get("send_a").unwrap();
    /// assert_eq!(tool.title(), Some("Send"));
    /// ```
    pub fn title(&self) -> Option<&str> {
        self.declaration.title
    }

    /// What the tool does, in the words of its doc comment.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_b(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_b").build().unwrap();
    /// let tool = registry.get("send_b").unwrap();
    /// assert_eq!(tool.description(), "Sends a letter.");
    /// ```
    pub fn description(&self) -> &str {
        self.declaration.description
    }

    /// Words to group and filter tools by.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let weather = registry.tools().filter(|tool| tool.tags().any(|tag| tag == "weather"));
    /// # assert_eq!(weather.count(), 0);
    /// ```
    pub fn tags(&self) -> impl ExactSizeIterator<Item = &str> {
        self.declaration.tags.iter().copied()
    }

    /// The address under which the result lives, where one was declared: a path with `{variables}`.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let addresses: Vec<&str> = registry.tools().filter_map(|tool| tool.path()).collect();
    /// # assert!(addresses.is_empty());
    /// ```
    pub fn path(&self) -> Option<&str> {
        self.declaration.path
    }

    /// Another name that the tool is callable by, and not listed under.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let renamed = registry.tools().filter(|tool| tool.alias().is_some());
    /// # assert_eq!(renamed.count(), 0);
    /// ```
    pub fn alias(&self) -> Option<&str> {
        self.declaration.alias
    }

    /// That the tool should not be used any more.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let old = registry.tools().filter(|tool| tool.deprecated().is_some());
    /// # assert_eq!(old.count(), 0);
    /// ```
    pub fn deprecated(&self) -> Option<Deprecated> {
        self.declaration.deprecated
    }

    /// Where the tool was declared.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_i(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_i").build().unwrap();
    /// let tool = registry.get("send_i").unwrap();
    /// assert!(tool.source().line > 0);
    /// ```
    pub fn source(&self) -> Source<'_> {
        let location = self.declaration.location;
        Source { file: location.file(), line: location.line(), module: self.declaration.module }
    }

    pub(crate) fn needs(&self) -> &Needs {
        &self.needs
    }

    pub(crate) fn declaration(&self) -> &'static Declaration {
        self.declaration
    }

    pub(crate) fn entry(&self) -> Entry {
        self.declaration.entry
    }
}
