//! Definitions of tools: names, descriptions, schemas, examples and addresses.

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
mod meta;
mod origin;
mod parameter;
pub(crate) mod profile;
pub(crate) mod promise;
pub(crate) mod prompt;
mod schema_text;
mod schemas;
pub(crate) mod surface;
mod task;
mod ui;
pub(crate) mod wide;

use crate::declare::source::Source;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use crate::declare::declaration::{Declaration, Deprecated};
use crate::declare::inject::Need;
use crate::declare::requirement;
use crate::declare::requirement::RequireFn;
use crate::declare::states::States;
use crate::definition::declared::DeclaredDefinition;
use crate::definition::facts::Facts;
use crate::definition::origin::Origin;
use crate::model::digest::Digest;
use crate::model::meta::MetaError;
use crate::model::ui::Ui;
use crate::schema::Validator;

pub use builder::ToolDefinitionBuilder;
pub use fault::{DefinitionError, DefinitionFault};
pub use parameter::{Parameter, ParameterType};

/// The definition of a tool. Its schemas and its digest are computed on first use. Clones are cheap and share them.
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
    Declared(DeclaredDefinition),
    Custom(Arc<DefinitionData>),
}

/// The data of a definition, partly computed on first use.
#[derive(Debug)]
struct DefinitionData {
    facts: Facts,
    origin: Origin,
    validator: OnceLock<Result<Box<Validator>, String>>,
    /// `None` without an output schema, or if it is invalid, which `Registry::check` reports.
    output_validator: OnceLock<Option<Box<Validator>>>,
    digest: OnceLock<Digest>,
    /// The metadata of a declaration.
    meta: OnceLock<Result<Map<String, Value>, MetaError>>,
    /// The page of a declaration.
    ui: OnceLock<Ui>,
    /// A minimal call, and whether it is valid: a value for a pattern is only a guess.
    example: OnceLock<Box<(Value, bool)>>,
}

impl DefinitionData {
    fn new(facts: Facts, origin: Origin) -> Self {
        DefinitionData {
            facts,
            origin,
            validator: OnceLock::new(),
            output_validator: OnceLock::new(),
            digest: OnceLock::new(),
            meta: OnceLock::new(),
            ui: OnceLock::new(),
            example: OnceLock::new(),
        }
    }

    #[cold]
    fn declared(declaration: &'static Declaration) -> Box<Self> {
        let (facts, origin) = origin::declared(declaration);
        Box::new(DefinitionData::new(facts, origin))
    }
}

impl ToolDefinition {
    /// Creates the definitions of these declarations, in order.
    pub(crate) fn all_declared(
        declarations: impl ExactSizeIterator<Item = &'static Declaration>,
    ) -> impl ExactSizeIterator<Item = ToolDefinition> {
        DeclaredDefinition::all(declarations).map(|declared| ToolDefinition(Inner::Declared(declared)))
    }

    fn custom(facts: Facts, origin: Origin) -> Self {
        ToolDefinition(Inner::Custom(Arc::new(DefinitionData::new(facts, origin))))
    }

    fn whole(&self) -> &DefinitionData {
        match &self.0 {
            Inner::Declared(declared) => declared.whole(),
            Inner::Custom(whole) => whole,
        }
    }

    fn facts(&self) -> &Facts {
        &self.whole().facts
    }

    /// Returns the name.
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

    /// Returns the title for people, if it has one.
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

    /// Returns the description, from the doc comment.
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

    /// Returns the tags, for grouping and filtering.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let weather = registry.tools().filter(|tool| tool.tags().any(|tag| tag == "weather"));
    /// # assert_eq!(weather.count(), 0);
    /// ```
    pub fn tags(&self) -> impl ExactSizeIterator<Item = &str> {
        self.facts().tags.iter().map(AsRef::as_ref)
    }

    /// Returns the declared path of the result, with `{variables}`, if it has one.
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

    /// Returns another name that the tool can be called by, but is not listed under.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let renamed = registry.tools().filter(|tool| tool.alias().is_some());
    /// # assert_eq!(renamed.count(), 0);
    /// ```
    pub fn alias(&self) -> Option<&str> {
        self.declaration()?.options_or_default().alias
    }

    /// Returns the deprecation, if the tool is deprecated.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let old = registry.tools().filter(|tool| tool.deprecated().is_some());
    /// # assert_eq!(old.count(), 0);
    /// ```
    pub fn deprecated(&self) -> Option<Deprecated> {
        self.declaration()?.options_or_default().deprecated
    }

    /// Returns where the tool was declared.
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
        self.where_declared()
    }

    /// Returns the provider of the tool: the crate that declares it, or the one [set for a dynamic
    /// tool](ToolDefinitionBuilder::provider).
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
            Inner::Declared(declared) => declared.declaration.source().module.split("::").next(),
            Inner::Custom(whole) => whole.facts.provider.as_deref(),
        }
    }

    /// Returns the declaration; `None` for a dynamic tool.
    pub(crate) fn declaration(&self) -> Option<&'static Declaration> {
        match &self.0 {
            Inner::Declared(declared) => Some(declared.declaration),
            Inner::Custom(_) => None,
        }
    }

    fn where_declared(&self) -> Source<'static> {
        match &self.0 {
            Inner::Declared(declared) => declared.declaration.source(),
            Inner::Custom(whole) => whole.facts.location,
        }
    }

    /// Returns where the tool was declared, as text for a fault.
    pub(crate) fn place(&self) -> String {
        self.where_declared().describe()
    }

    /// Returns the names of the locators.
    pub(crate) fn locators(&self) -> impl Iterator<Item = &str> {
        self.whole().origin.locators().into_iter()
    }

    /// Returns `true` if every input is a locator, also without inputs.
    pub(crate) fn takes_only_locators(&self) -> bool {
        match &self.0 {
            Inner::Declared(declared) => declared.declaration.only_locators,
            Inner::Custom(whole) => whole.origin.takes_only_locators(),
        }
    }

    /// Returns the state that the parameters of the tool need, and how each uses it.
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

    /// Returns `true` if the function sees more of a call than its inputs: the caller, or what stands beside the call.
    pub(crate) fn depends_on_call(&self) -> bool {
        self.whole().origin.declared().is_none_or(|declared| declared.needs.depends_on_call())
    }

    /// Returns `true` if building a registry must check defaults and constraints against the schema.
    pub(crate) fn checks_at_build(&self) -> bool {
        self.declaration().is_some_and(|declaration| declaration.check_at_build)
    }

    /// Returns `true` if [`lacks`](Self::lacks) could find something, without entering the tool.
    pub(crate) fn takes_state(&self) -> bool {
        self.declaration().is_some_and(|declaration| {
            declaration.takes_state || !declaration.options_or_default().requires.is_empty()
        })
    }

    /// Returns the names of the state types that the tool and its requirements need and that `states` does not have.
    pub(crate) fn lacks(&self, states: &States) -> Vec<&'static str> {
        self.declaration().map_or_else(Vec::new, |declaration| origin::lacks(declaration, states))
    }

    /// Returns why requirements of the tool are not met; `None` if all are.
    pub(crate) fn unmet(&self, states: &States) -> Option<String> {
        requirement::unmet(self.declaration()?.options_or_default().requires, states)
    }

    /// Returns the requirement functions.
    pub(crate) fn requires(&self) -> &'static [RequireFn] {
        self.declaration().map_or(&[], |declaration| declaration.options_or_default().requires)
    }
}

impl fmt::Debug for ToolDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
