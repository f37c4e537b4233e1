//! Building a registry: all errors are reported at once.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::call::admission::Admission;
use crate::call::audit::{Audit, AuditSink, process_key};
use crate::call::layer::Layers;
#[cfg(feature = "tokio")]
use crate::call::options::CallOptions;
use crate::call::tool::Tool;
use crate::call::{CallLimits, Executor};
use crate::declare::declaration::Declaration;
use crate::declare::declared::Declared;
#[cfg(feature = "tokio")]
use crate::declare::lazy_state::StateOpener;
use crate::declare::states::States;
use crate::definition::ToolDefinition;
use crate::model::access::Principal;
use crate::model::catch_panic::{Panicked, catch_panic};
use crate::model::setters::setters;
use crate::registry::addresses;
use crate::registry::checks::{engine_errors, limit_errors, schema_errors, task_secret};
use crate::registry::error::{BuildError, BuildErrors};
use crate::registry::index;
use crate::registry::index::Positions;
use crate::registry::registered_prompt::{PromptSelection, RegisteredPrompt};
use crate::registry::{Inner, RegisteredTool, Registry, Scope, ToolOverrides};
use crate::schema::leniency::Leniency;

/// Builds a [`Registry`] from tools and their state.
///
/// ```
/// use tool_core::{Registry, State, tool};
///
/// /// The greeting of this shop.
/// #[tool(operation = Read)]
/// fn greeting(#[inject] text: State<String>) -> String {
///     text.to_string()
/// }
///
/// let registry = Registry::builder()
///     .linked()
///     .select(|tool| tool.name() == "greeting")
///     .state("Good morning".to_owned())
///     .build()
///     .unwrap();
/// ```
#[derive(Default)]
#[must_use = "a builder does nothing until `build`"]
pub struct RegistryBuilder {
    declarations: Vec<&'static Declaration>,
    dynamic: Vec<Arc<dyn Tool>>,
    pub(super) prompts: PromptSelection,
    #[cfg(feature = "inventory")]
    linked: bool,
    select: Vec<Box<ToolPredicate>>,
    expected: Vec<String>,
    states: States,
    local: Option<Principal>,
    admission: Admission,
    leniency: Leniency,
    pub(super) limits: CallLimits,
    pub(super) audit: Option<Arc<dyn AuditSink>>,
    pub(super) audit_key: Option<[u8; 32]>,
    pub(super) trace_content: bool,
    pub(super) layers: Layers,
    #[cfg(feature = "tokio")]
    pub(super) results: Option<crate::results::ResultStore>,
    #[cfg(feature = "tasks")]
    pub(super) tasks: Option<Arc<dyn crate::tasks::TaskEngine>>,
    allow_empty: bool,
}

/// A predicate that selects tools.
type ToolPredicate = dyn Fn(&ToolDefinition) -> bool + Send;

/// Asserts that a registry can be built in a task that moves between threads.
const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<RegistryBuilder>();
};

impl RegistryBuilder {
    /// Adds every tool and every prompt that was linked into this program.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// let builder = Registry::builder().linked();
    /// ```
    #[cfg(feature = "inventory")]
    pub fn linked(mut self) -> Self {
        if !self.linked {
            self.linked = true;
            self.prompts.link();
        }
        self
    }

    /// Adds the tools that [`tools!`](crate::tools) lists. A tool that is linked as well is added once.
    ///
    /// ```
    /// # use tool_core::{Registry, tool, tools};
    /// /// Half of a number.
    /// #[tool(operation = Transform)]
    /// fn half_of(/** The number. */ n: u32) -> u32 {
    ///     n / 2
    /// }
    ///
    /// let registry = Registry::builder().tools(tools![half_of]).build().unwrap();
    /// # assert_eq!(registry.tools().len(), 1);
    /// ```
    pub fn tools(mut self, tools: Declared) -> Self {
        self.declarations.extend(tools.declarations());
        self
    }

    /// Adds a tool that implements [`Tool`], such as a [`DynamicTool`](crate::DynamicTool).
    ///
    /// ```
    /// use tool_core::{DynamicTool, Output, Registry, ToolDefinition};
    ///
    /// let definition = ToolDefinition::builder("greet_back", "Greets.").build().unwrap();
    /// let tool = DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::text("hello")) });
    /// let registry = Registry::builder().tool(tool).build().unwrap();
    /// assert!(registry.get("greet_back").is_some());
    /// ```
    pub fn tool(mut self, tool: impl Tool + 'static) -> Self {
        self.dynamic.push(Arc::new(tool));
        self
    }

    /// Keeps only tools for which `predicate` returns `true`. Filters combine with AND.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// let reading = Registry::builder().linked().select(|tool| !tool.modifies());
    /// ```
    pub fn select(mut self, predicate: impl Fn(&ToolDefinition) -> bool + Send + 'static) -> Self {
        self.select.push(Box::new(predicate));
        self
    }

    /// Makes it an error if no tool of this crate is linked. The linker drops a crate that is not referenced, with its tools:
    /// write `use my_tools as _;`.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// let errors = Registry::builder().linked().expect_crate("my_tools").build().unwrap_err();
    /// assert!(errors.to_string().contains("use my_tools as _;"));
    /// ```
    pub fn expect_crate(mut self, name: impl Into<String>) -> Self {
        self.expected.push(name.into().replace('-', "_"));
        self
    }

    /// Adds state for parameters of type [`State<T>`](crate::State). Replaces earlier state of the same type.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// let builder = Registry::builder().state(String::from("Corner"));
    /// ```
    pub fn state<T: Send + Sync + 'static>(self, state: T) -> Self {
        self.shared_state(Arc::new(state))
    }

    /// Adds state for parameters of type [`LazyState<T>`](crate::LazyState), which this async function opens when a call first
    /// needs it, such as a pool of connections. Replaces earlier such state of the same type.
    ///
    /// If the function fails, the calls that wait for the state fail, and the next call tries again. The text of the error is only
    /// in the log. In a runtime of tokio, the function runs in its own task: it is not stopped by the time limit of a call.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # struct Pool;
    /// # impl Pool { async fn connect(url: &str) -> Result<Self, std::io::Error> { Ok(Pool) } }
    /// let builder = Registry::builder().lazy_state(|| Pool::connect("sqlite:museum.sqlite"));
    /// ```
    #[cfg(feature = "tokio")]
    #[cfg_attr(docsrs, doc(cfg(feature = "tokio")))]
    pub fn lazy_state<T, F, E>(mut self, open: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        T: Send + Sync + 'static,
        F: Future<Output = Result<T, E>> + Send + 'static,
        E: fmt::Display,
    {
        self.states.insert(Arc::new(StateOpener::new(open)));
        self
    }

    /// Adds state that the application shares.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # use std::sync::Arc;
    /// let shop = Arc::new(String::from("Corner"));
    /// let builder = Registry::builder().shared_state(Arc::clone(&shop));
    /// ```
    pub fn shared_state<T: Send + Sync + 'static>(mut self, state: Arc<T>) -> Self {
        self.states.insert(state);
        self
    }

    setters! {
        /// Sets the principal for local callers: command line, stdio and tests. The default is [`Principal::local`].
        ///
        /// ```
        /// # use tool_core::{Principal, Registry};
        /// let builder = Registry::builder().local(Principal::local().grant("node.edit"));
        /// ```
        pub fn local(principal: Principal) => local = Some(principal);

        /// Neither lists nor runs tools that modify: a call of such a tool fails as [`Disabled`](crate::FailureKind).
        ///
        /// ```
        /// use tool_core::{FailureKind, Registry, tool};
        ///
        /// /// Empties the basket.
        /// #[tool(operation = Write, destructive = true)]
        /// fn empty_basket() {}
        ///
        /// let registry = Registry::builder().linked().select(|tool| tool.name() == "empty_basket").read_only();
        /// let registry = registry.build().unwrap();
        /// assert_eq!(registry.tools().count(), 0);
        /// assert_eq!(registry.check_access("empty_basket").unwrap_err().kind(), FailureKind::Disabled);
        /// ```
        pub fn read_only() => admission.read_only = true;

        /// Hides a tool or a prompt from a caller that lacks its permissions: no list has it, and a call fails as if it did not
        /// exist.
        ///
        /// ```
        /// # use tool_core::Registry;
        /// let builder = Registry::builder().hide_denied();
        /// ```
        pub fn hide_denied() => admission.hide_denied = true;

        /// Shows in lists which requirements are not met, but allows calls.
        ///
        /// ```
        /// # use tool_core::Registry;
        /// let builder = Registry::builder().requirements_as_indicator();
        /// ```
        pub fn requirements_as_indicator() => admission.requirements_as_indicator = true;

        /// Sets how arguments of the wrong JSON type are treated. The default is [`Leniency::Coerce`].
        ///
        /// ```
        /// # use tool_core::Registry;
        /// # use tool_core::schema::Leniency;
        /// let builder = Registry::builder().leniency(Leniency::Strict);
        /// ```
        pub fn leniency(leniency: Leniency) => leniency = leniency;

        /// Allows a registry without tools. Otherwise this is an error, since the crates of the tools are probably not linked.
        ///
        /// ```
        /// # use tool_core::Registry;
        /// assert!(Registry::builder().build().is_err());
        /// assert!(Registry::builder().allow_empty().build().is_ok());
        /// ```
        pub fn allow_empty() => allow_empty = true;
    }

    fn declarations(&self) -> impl Iterator<Item = &'static Declaration> {
        #[cfg(feature = "inventory")]
        let linked = self.linked.then(crate::declare::registration::linked).into_iter().flatten();
        #[cfg(not(feature = "inventory"))]
        let linked = std::iter::empty();
        linked.chain(self.declarations.iter().copied())
    }

    /// Builds the registry.
    ///
    /// # Errors
    ///
    /// All errors at once, by kind and then by the names of the tools: see [`BuildError`]. A default, an example or a
    /// constraint that does not fit the type of its input is an error, too.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// let errors = Registry::builder().build().unwrap_err();
    /// assert_eq!(errors.iter().count(), 1);
    /// ```
    pub fn build(self) -> Result<Registry, BuildErrors> {
        let linked = |name: &String| {
            self.declarations().any(|declaration| declaration.crate_name() == name)
                || self.prompts.names_crate(name)
        };
        let mut faults: Vec<BuildError> =
            self.expected.iter().filter(|name| !linked(name)).cloned().map(BuildError::NotLinked).collect();
        // The linker has no order. A tool that is linked and listed is declared once.
        let declarations = Declaration::sorted(self.declarations());

        let audit = self.audit.map(|sink| Audit { sink, key: self.audit_key.unwrap_or_else(process_key) });
        let executor = Executor::new(self.limits);
        let scope = Arc::new(Scope {
            states: self.states,
            admission: self.admission,
            leniency: self.leniency,
            audit: audit.clone(),
            traces_content: self.trace_content,
            is_deferred: executor.limits_concurrency() || !self.layers.is_empty(),
            executor,
            layers: self.layers,
            #[cfg(feature = "tasks")]
            tasks: self.tasks,
        });
        // Built in place: with a thousand tools, a copy of each would slow down the start of a command.
        let mut members: Vec<RegisteredTool> = Vec::with_capacity(declarations.len() + self.dynamic.len());
        let declarations = declarations.into_iter().map(|keyed| keyed.declaration);
        let declared = ToolDefinition::all_declared(declarations);
        members.extend(declared.map(|definition| RegisteredTool { definition, overrides: None }));
        let are_ordered = self.dynamic.is_empty();
        for tool in self.dynamic {
            match catch_panic(|| tool.definition().clone()) {
                Ok(definition) => {
                    let (dynamic, scope) = (Some(tool), Arc::clone(&scope));
                    let overrides = Some(Arc::new(ToolOverrides { dynamic, scope, extensions: None }));
                    members.push(RegisteredTool { definition, overrides });
                }
                Err(Panicked) => faults.push(BuildError::NoDefinition),
            }
        }
        if !self.select.is_empty() {
            members.retain(|member| self.select.iter().all(|predicate| predicate(&member.definition)));
        }
        if !are_ordered {
            members.sort_by(|RegisteredTool { definition: a, .. }, RegisteredTool { definition: b, .. }| {
                a.name().cmp(b.name()).then_with(|| a.source().cmp(&b.source()))
            });
        }
        let mut faults_of_prompts = Vec::new();
        let prompts = self.prompts.definitions(&scope.states, &mut faults_of_prompts);
        if members.is_empty() && prompts.is_empty() && !self.allow_empty {
            faults.push(BuildError::Empty);
        }

        faults_of_names(&members, &mut faults);
        let definitions = || members.iter().map(|member| &member.definition);
        let collisions = addresses::collisions(definitions());
        faults.extend(collisions.into_iter().map(|(first, second)| BuildError::Address {
            first: first.to_string(),
            second: second.to_string(),
        }));
        for tool in definitions().filter(|tool| tool.takes_state()) {
            faults.extend(tool.lacks(&scope.states).into_iter().map(|state| BuildError::MissingState {
                tool: tool.name().to_owned(),
                location: tool.place(),
                state: state.to_owned(),
            }));
        }
        let checked = definitions().filter(|tool| tool.checks_at_build());
        faults.extend(checked.flat_map(|tool| schema_errors(tool, tool.faults_of_inputs())));
        faults.extend(limit_errors(self.limits, definitions()));
        faults.extend(engine_errors(scope.has_task_engine(), definitions()));
        faults.extend(definitions().filter_map(task_secret));
        faults.append(&mut faults_of_prompts);
        BuildErrors::unless_empty(faults)?;
        let prompts = prompts.into_iter().map(|prompt| RegisteredPrompt::new(prompt, &scope)).collect();
        let inner = Inner {
            members,
            prompts,
            positions: Positions::default(),
            scope,
            others: Vec::new(),
            index: OnceLock::new(),
            addresses: OnceLock::new(),
            open: OnceLock::new(),
            audit,
        };
        let principal = self.local.unwrap_or_else(Principal::local);
        let registry = Registry { inner: Arc::new(inner), principal, options: None };
        #[cfg(feature = "tokio")]
        if let Some(results) = &self.results {
            return Ok(registry.with_options(&CallOptions::new().results(results)));
        }
        Ok(registry)
    }
}

/// Reports tools with the same name or alias.
fn faults_of_names(tools: &[RegisteredTool], faults: &mut Vec<BuildError>) {
    let at = |position: usize| &tools[position].definition;
    // Equal names are adjacent.
    for pair in tools.windows(2) {
        let [first, second] = [&pair[0].definition, &pair[1].definition];
        if first.name() == second.name() {
            faults.push(BuildError::Duplicate {
                name: second.name().to_owned(),
                first: first.place(),
                second: second.place(),
            });
        }
    }
    let mut aliases: HashMap<&str, usize> = HashMap::new();
    for (position, RegisteredTool { definition: tool, .. }) in tools.iter().enumerate() {
        let Some(alias) = tool.alias() else { continue };
        if let Some(first) = aliases.insert(alias, position).or_else(|| index::by_name(alias, tools)) {
            faults.push(BuildError::Alias {
                alias: alias.to_owned(),
                first: at(first).place(),
                second: tool.place(),
            });
        }
    }
}

impl fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.declarations().map(|declaration| declaration.name).collect();
        let dynamic = self.dynamic.len();
        f.debug_struct("RegistryBuilder")
            .field("tools", &names)
            .field("dynamic", &dynamic)
            .field("layers", &self.layers)
            .finish_non_exhaustive()
    }
}
