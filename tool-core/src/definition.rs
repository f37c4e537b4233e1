//! A tool as everybody sees it: what it is called, does, takes and returns.

mod behaviour;
mod builder;
mod documentation;
mod facts;
mod fault;
mod faults;
mod json;
mod origin;
mod parameter;
mod schemas;
mod source;
mod written;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::declaration::{Declaration, Deprecated};
use crate::definition::facts::Facts;
use crate::definition::origin::{Origin, Sketch};
use crate::definition::source::Place;
use crate::digest::Digest;
use crate::inject::Need;
use crate::input::InputSpec;
use crate::operation::Operation;
use crate::requirement;
use crate::schema::Validator;
use crate::state::States;

pub use builder::ToolDefinitionBuilder;
pub use fault::{DefinitionError, DefinitionFault};
pub use parameter::{Parameter, ParameterType};
pub use source::Source;

/// The definition of one tool. Its schemas and its digest are computed on first use. Cheap to clone: all clones
/// are one definition.
///
/// ```
/// use tool_core::{Registry, tool};
///
/// /// Adds two numbers.
/// #[tool(operation = Transform, open_world = false)]
/// fn plus(/** First. */ a: i64, /** Second. */ b: i64) -> i64 {
///     a + b
/// }
///
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "plus").build().unwrap();
/// let plus = registry.get("plus").unwrap();
/// assert_eq!(plus.description(), "Adds two numbers.");
/// assert_eq!(plus.input_schema()["required"], serde_json::json!(["a", "b"]));
/// assert_eq!(plus.output_schema().unwrap()["properties"]["result"]["type"], "integer");
/// ```
#[derive(Clone)]
pub struct ToolDefinition(Arc<Inner>);

/// Small where it is declared: most of a thousand tools are never looked at, and a program that runs one of them starts
/// none the later for the others.
#[derive(Debug)]
enum Inner {
    Declared {
        declaration: &'static Declaration,
        sketch: Sketch,
        /// Made on first use.
        whole: OnceLock<Box<Whole>>,
    },
    Written {
        name: Cow<'static, str>,
        /// It reads, and by its locators alone. Beside the name it is what a list that is put together asks of each tool.
        has_address: bool,
        whole: Box<Whole>,
    },
}

/// Everything about a tool, or what makes it on first use.
#[derive(Debug)]
struct Whole {
    facts: Facts,
    origin: Origin,
    validator: OnceLock<Result<Box<Validator>, String>>,
    /// `None` without an output schema, and for one that is none, which `Registry::check` reports.
    output_validator: OnceLock<Option<Box<Validator>>>,
    digest: OnceLock<Digest>,
    /// A minimal call, and whether it is what the tool takes: where a pattern is all that is known, it is a guess.
    example: OnceLock<Box<(Value, bool)>>,
}

impl Whole {
    fn new(facts: Facts, origin: Origin) -> Box<Self> {
        Box::new(Whole {
            facts,
            origin,
            validator: OnceLock::new(),
            output_validator: OnceLock::new(),
            digest: OnceLock::new(),
            example: OnceLock::new(),
        })
    }

    #[cold]
    fn declared(declaration: &'static Declaration) -> Box<Self> {
        let (facts, origin) = origin::declared(declaration);
        Whole::new(facts, origin)
    }
}

impl ToolDefinition {
    pub(crate) fn declared(declaration: &'static Declaration) -> Self {
        ToolDefinition::sketched(declaration, &mut Vec::new())
    }

    /// The definitions of many.
    pub(crate) fn all_declared(
        declarations: &[&'static Declaration],
    ) -> impl ExactSizeIterator<Item = ToolDefinition> {
        let mut inputs = Vec::new();
        declarations.iter().map(move |declaration| ToolDefinition::sketched(declaration, &mut inputs))
    }

    fn sketched(declaration: &'static Declaration, inputs: &mut Vec<&'static InputSpec>) -> Self {
        let sketch = Sketch::of(declaration, inputs);
        ToolDefinition(Arc::new(Inner::Declared { declaration, sketch, whole: OnceLock::new() }))
    }

    fn written(name: Cow<'static, str>, facts: Facts, origin: Origin) -> Self {
        let has_address = facts.operation.is_some_and(reads) && origin.takes_only_locators();
        ToolDefinition(Arc::new(Inner::Written { name, has_address, whole: Whole::new(facts, origin) }))
    }

    fn whole(&self) -> &Whole {
        match &*self.0 {
            Inner::Declared { declaration, whole, .. } => whole.get_or_init(|| Whole::declared(declaration)),
            Inner::Written { whole, .. } => whole,
        }
    }

    fn facts(&self) -> &Facts {
        &self.whole().facts
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
        match &*self.0 {
            Inner::Declared { declaration, .. } => declaration.name,
            Inner::Written { name, .. } => name,
        }
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
        self.facts().title.as_deref()
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
        &self.facts().description
    }

    /// Words to group and filter tools by.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let weather = registry.tools().filter(|tool| tool.tags().any(|tag| tag == "weather"));
    /// # assert_eq!(weather.count(), 0);
    /// ```
    pub fn tags(&self) -> impl ExactSizeIterator<Item = &str> {
        self.facts().tags.iter().map(AsRef::as_ref)
    }

    /// The address under which the result lives, where one was declared: a path with `{variables}`.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let addresses: Vec<&str> = registry.tools().filter_map(|tool| tool.path()).collect();
    /// # assert!(addresses.is_empty());
    /// ```
    pub fn path(&self) -> Option<&str> {
        match &*self.0 {
            Inner::Declared { declaration, .. } => declaration.path,
            Inner::Written { whole, .. } => whole.facts.path.as_deref(),
        }
    }

    /// Another name that the tool is callable by, and not listed under.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let renamed = registry.tools().filter(|tool| tool.alias().is_some());
    /// # assert_eq!(renamed.count(), 0);
    /// ```
    pub fn alias(&self) -> Option<&str> {
        self.declaration()?.alias
    }

    /// That the tool should not be used any more.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let old = registry.tools().filter(|tool| tool.deprecated().is_some());
    /// # assert_eq!(old.count(), 0);
    /// ```
    pub fn deprecated(&self) -> Option<Deprecated> {
        self.declaration()?.deprecated
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
        self.where_declared().source()
    }

    /// The declaration that this is the definition of; `None` for a hand-written one.
    pub(crate) fn declaration(&self) -> Option<&'static Declaration> {
        match &*self.0 {
            Inner::Declared { declaration, .. } => Some(declaration),
            Inner::Written { .. } => None,
        }
    }

    fn where_declared(&self) -> Place {
        match &*self.0 {
            Inner::Declared { declaration, .. } => Place::of(declaration),
            Inner::Written { whole, .. } => whole.facts.place,
        }
    }

    /// Where the tool was declared, for the message of a fault.
    pub(crate) fn place(&self) -> String {
        self.where_declared().to_string()
    }

    /// The names of the inputs that identify one thing.
    pub(crate) fn locators(&self) -> impl Iterator<Item = &str> {
        self.whole().origin.locators().into_iter()
    }

    /// Whether its result has an address: it explains or reads, and every input is a locator, as it is where there is none.
    pub(crate) fn has_address(&self) -> bool {
        match &*self.0 {
            Inner::Declared { declaration, sketch, .. } => {
                sketch.only_locators && reads(declaration.operation)
            }
            Inner::Written { has_address, .. } => *has_address,
        }
    }

    /// The state that the parameters of the tool take from its registry, and by which handle.
    ///
    /// ```
    /// # use tool_core::{Handle, Registry, State, tool};
    /// /// The name over the door.
    /// #[tool(operation = Read)]
    /// fn sign(#[inject] name: State<String>) -> String {
    ///     name.to_string()
    /// }
    /// # let builder = Registry::builder().linked().select(|tool| tool.name() == "sign");
    /// # let registry = builder.state("Corner".to_owned()).build().unwrap();
    /// let need = registry.get("sign").unwrap().needs().next().unwrap();
    /// assert_eq!(need.handle(), Handle::State);
    /// ```
    pub fn needs(&self) -> impl Iterator<Item = &Need> {
        self.whole().origin.declared().into_iter().flat_map(|declared| declared.needs.iter())
    }

    /// The names of the types of state that the tool and its requirements need and that `states` lacks.
    pub(crate) fn lacks(&self, states: &States) -> Vec<&'static str> {
        match &*self.0 {
            Inner::Declared { sketch: Sketch { may_lack: true, .. }, .. } => {
                self.whole().origin.declared().map(|declared| declared.lacks(states)).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// What is missing of all that the tool requires; `None` if nothing is.
    pub(crate) fn unmet(&self, states: &States) -> Option<String> {
        requirement::unmet(self.declaration()?.requires, states)
    }

    pub(crate) fn requires_something(&self) -> bool {
        self.declaration().is_some_and(|declaration| !declaration.requires.is_empty())
    }
}

fn reads(operation: Operation) -> bool {
    matches!(operation, Operation::Explain | Operation::Read)
}

impl fmt::Debug for ToolDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
