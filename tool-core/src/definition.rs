//! A tool as everybody sees it: what it is called, does, takes and returns.

mod behavior;
mod builder;
pub(crate) mod compose;
pub(crate) mod constrain;
mod declared;
pub(crate) mod documentation;
mod facts;
mod fault;
pub(crate) mod flatten;
pub(crate) mod input_docs;
mod json;
mod origin;
mod parameter;
pub(crate) mod profile;
pub(crate) mod promise;
pub(crate) mod prompt;
mod schema_text;
mod schemas;
pub(crate) mod surface;
pub(crate) mod wide;

use crate::declare::source::Source;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::declare::declaration::{Declaration, Deprecated};
use crate::declare::inject::Need;
use crate::declare::requirement;
use crate::declare::requirement::RequireFn;
use crate::declare::source::SourceLocation;
use crate::declare::state::States;
use crate::definition::declared::Declared;
use crate::definition::facts::Facts;
use crate::definition::origin::Origin;
use crate::model::digest::Digest;
use crate::schema::Validator;

pub use builder::ToolDefinitionBuilder;
pub use fault::{DefinitionError, DefinitionFault};
pub use parameter::{Parameter, ParameterType};

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
pub struct ToolDefinition(Inner);

#[derive(Clone, Debug)]
enum Inner {
    Declared(Declared),
    Custom(Arc<Whole>),
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
    fn new(facts: Facts, origin: Origin) -> Self {
        Whole {
            facts,
            origin,
            validator: OnceLock::new(),
            output_validator: OnceLock::new(),
            digest: OnceLock::new(),
            example: OnceLock::new(),
        }
    }

    #[cold]
    fn declared(declaration: &'static Declaration) -> Box<Self> {
        let (facts, origin) = origin::declared(declaration);
        Box::new(Whole::new(facts, origin))
    }
}

impl ToolDefinition {
    /// The definitions of these, in their order.
    pub(crate) fn all_declared(
        declarations: impl ExactSizeIterator<Item = &'static Declaration>,
    ) -> impl ExactSizeIterator<Item = ToolDefinition> {
        Declared::all(declarations).map(|declared| ToolDefinition(Inner::Declared(declared)))
    }

    fn custom(facts: Facts, origin: Origin) -> Self {
        ToolDefinition(Inner::Custom(Arc::new(Whole::new(facts, origin))))
    }

    fn whole(&self) -> &Whole {
        match &self.0 {
            Inner::Declared(declared) => declared.whole(),
            Inner::Custom(whole) => whole,
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
        match &self.0 {
            Inner::Declared(declared) => declared.declaration.name,
            Inner::Custom(whole) => &whole.facts.name,
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
        match &self.0 {
            Inner::Declared(declared) => declared.declaration.options_or_default().path,
            Inner::Custom(whole) => whole.facts.path.as_deref(),
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
        self.declaration()?.options_or_default().alias
    }

    /// That the tool should not be used any more.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let old = registry.tools().filter(|tool| tool.deprecated().is_some());
    /// # assert_eq!(old.count(), 0);
    /// ```
    pub fn deprecated(&self) -> Option<Deprecated> {
        self.declaration()?.options_or_default().deprecated
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

    /// Returns who offers the tool: the crate that declares it, or what
    /// [a hand-written definition](ToolDefinitionBuilder::provider) names.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false)]
    /// fn send_offered(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_offered").build().unwrap();
    /// let tool = registry.get("send_offered").unwrap();
    /// assert_eq!(tool.provider(), tool.source().module.split("::").next());
    /// ```
    pub fn provider(&self) -> Option<&str> {
        match &self.0 {
            Inner::Declared(declared) => SourceLocation::of(declared.declaration).module.split("::").next(),
            Inner::Custom(whole) => whole.facts.provider.as_deref(),
        }
    }

    /// The declaration that this is the definition of; `None` for a hand-written one.
    pub(crate) fn declaration(&self) -> Option<&'static Declaration> {
        match &self.0 {
            Inner::Declared(declared) => Some(declared.declaration),
            Inner::Custom(_) => None,
        }
    }

    fn where_declared(&self) -> SourceLocation {
        match &self.0 {
            Inner::Declared(declared) => SourceLocation::of(declared.declaration),
            Inner::Custom(whole) => whole.facts.location,
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

    /// Whether every input is a locator, as it is where there is none.
    pub(crate) fn takes_only_locators(&self) -> bool {
        match &self.0 {
            Inner::Declared(declared) => declared.declaration.only_locators,
            Inner::Custom(whole) => whole.origin.takes_only_locators(),
        }
    }

    /// The state that the parameters of the tool take from its registry, and by which handle.
    ///
    /// ```
    /// # use tool_core::{Registry, State, tool};
    /// # use tool_core::inject::Handle;
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

    /// Returns `true` if defaults and constraints are to be held against the schema before the registry is built.
    pub(crate) fn checks_at_build(&self) -> bool {
        self.declaration().is_some_and(|declaration| declaration.check_at_build)
    }

    /// Whether [`lacks`](Self::lacks) could find something, without asking the tool.
    pub(crate) fn takes_state(&self) -> bool {
        self.declaration().is_some_and(|declaration| {
            declaration.takes_state || !declaration.options_or_default().requires.is_empty()
        })
    }

    /// The names of the types of state that the tool and its requirements need and that `states` lacks.
    pub(crate) fn lacks(&self, states: &States) -> Vec<&'static str> {
        match &self.0 {
            Inner::Declared(declared) => origin::lacks(declared.declaration, states),
            Inner::Custom(_) => Vec::new(),
        }
    }

    /// What is missing of all that the tool requires; `None` if nothing is.
    pub(crate) fn unmet(&self, states: &States) -> Option<String> {
        requirement::unmet(self.declaration()?.options_or_default().requires, states)
    }

    /// The functions that say whether the configuration is there that it requires.
    pub(crate) fn requires(&self) -> &'static [RequireFn] {
        self.declaration().map_or(&[], |declaration| declaration.options_or_default().requires)
    }
}

impl fmt::Debug for ToolDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
