//! The registry: every tool of an application, found by its name and called through one pipeline.

mod addresses;
mod assembly;
mod builder;
mod error;
#[cfg(feature = "tokio")]
mod idle;
mod inject;
mod positions;
mod prompts;
mod running;
#[cfg(feature = "tokio")]
mod storing;

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

pub use builder::Builder;
pub use error::{BuildError, BuildErrors};

use crate::access::Principal;
use crate::admission::Admission;
use crate::asking::Asking;
use crate::audit::{Audit, AuditKind};
use crate::call::{self, Begun, Reply, Runner};
use crate::context::Caller;
use crate::definition::ToolDefinition;
use crate::extension::Extensions;
use crate::failure::Failure;
use crate::leniency::{Leniency, Validation};
use crate::logging::Listener;
use crate::output::Output;
use crate::progress::Reporter;
use crate::registry::positions::Positions;
use crate::registry::prompts::PromptMember;
use crate::requirement::Requirements;
use crate::schema::nearest;
use crate::search::Index;
use crate::state::States;
use crate::tool::Tool;
use crate::trace::TraceParent;

/// The tools of an application.
///
/// Cheap to clone: all clones are one registry. Looking up a tool costs the same however many there are.
///
/// ```
/// use tool_core::{Registry, tool};
///
/// /// Triples a number.
/// #[tool(operation = Transform)]
/// fn triple(/** The number. */ n: i64) -> i64 {
///     3 * n
/// }
///
/// # tool_core::private::block_on(async {
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "triple").build().unwrap();
/// let output = registry.call("triple", serde_json::json!({"n": 5})).await.unwrap();
/// assert_eq!(output.value(), 15);
///
/// let failure = registry.call("triple", serde_json::json!({"m": 5})).await.unwrap_err();
/// let places: Vec<_> = failure.problems().iter().map(|problem| problem.path.as_str()).collect();
/// assert_eq!(places, ["/n", "/m"]);
/// # });
/// ```
#[derive(Clone)]
pub struct Registry {
    inner: Arc<Inner>,
    /// Who calls.
    caller: Caller,
}

struct Inner {
    /// By name.
    members: Vec<Member>,
    positions: Positions,
    /// Where the tools are at home, and those that were here before; what is added is at home in the first.
    homes: Vec<Arc<Home>>,
    /// By name.
    prompts: Vec<PromptMember>,
    /// Made by the first search.
    index: OnceLock<Index>,
    /// Whether it is the same for whoever calls, found out by the first list.
    open: OnceLock<bool>,
    /// Records the calls of tools that do not exist; the others are recorded where they are at home.
    audit: Option<Audit>,
}

/// One tool of a registry, or what is called for a prompt, and where it is at home.
#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) kind: AuditKind,
    pub(crate) definition: ToolDefinition,
    /// The tool itself, where it is written by hand. One that is declared is entered by its declaration.
    pub(crate) written: Option<Arc<dyn Tool>>,
    pub(crate) home: Arc<Home>,
    /// What stands beside its calls whoever calls, under what the caller brings along.
    pub(crate) extensions: Option<Arc<Extensions>>,
}

impl Member {
    /// The same in a registry of others, with what stands beside its calls where it comes from.
    fn beside(&self, extensions: Option<&Arc<Extensions>>) -> Self {
        Member { extensions: Extensions::layered(extensions, self.extensions.as_ref()), ..self.clone() }
    }

    fn is_listed(&self, principal: &Principal) -> bool {
        self.home.admission.lists(&self.definition, principal)
    }

    fn is_callable(&self, principal: &Principal) -> bool {
        self.home.admission.admit(&self.definition, &self.home.states, principal).is_ok()
    }
}

/// What the tools that were registered together share: all that a call of one of them needs beside its arguments.
#[derive(Default)]
pub(crate) struct Home {
    pub(crate) states: States,
    pub(crate) runner: Runner,
    pub(crate) admission: Admission,
    pub(crate) leniency: Leniency,
    pub(crate) audit: Option<Audit>,
}

impl Registry {
    /// Every tool that was linked into this program.
    ///
    /// The linker leaves out a crate that nothing names: write `use my_tools as _;` in the application, and
    /// [`Builder::expect_crate`] to be told when it is forgotten.
    ///
    /// # Errors
    ///
    /// All faults at once, each with file, line and module: see [`BuildError`].
    ///
    /// ```no_run
    /// let registry = tool_core::Registry::collect()?;
    /// # Ok::<(), tool_core::BuildErrors>(())
    /// ```
    #[cfg(feature = "inventory")]
    pub fn collect() -> Result<Self, BuildErrors> {
        Registry::builder().linked().build()
    }

    /// A registry step by step: which tools, with which state.
    ///
    /// ```
    /// let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert_eq!(registry.tools().count(), 0);
    /// ```
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The same registry for another caller: what is listed is what that caller may see, and each call is its own.
    ///
    /// Without it, the caller is the local one, with what [`Builder::local`] granted.
    ///
    /// ```
    /// use tool_core::{Principal, Registry};
    ///
    /// let registry = Registry::builder().allow_empty().build().unwrap();
    /// let ada = registry.as_principal(Principal::new("ada").grant("node.edit"));
    /// assert_eq!(ada.principal().id(), Some("ada"));
    /// ```
    #[must_use]
    pub fn as_principal(&self, principal: Principal) -> Self {
        let caller = Caller { principal, ..self.caller.clone() };
        Registry { inner: Arc::clone(&self.inner), caller }
    }

    /// The same registry, for calls that are part of a trace. Cheap: it is done for each call.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    /// let registry = registry.traced(header.parse().unwrap());
    /// registry.invoke("nope", b"{}").await;
    /// # });
    /// ```
    #[must_use]
    pub fn traced(&self, trace: TraceParent) -> Self {
        let mut registry = self.clone();
        registry.caller.trace = Some(trace);
        registry
    }

    /// The same registry, for calls with these values beside them, which a tool reads with
    /// [`Context::extension`](crate::Context::extension). Cheap: it is done for each call.
    ///
    /// ```
    /// use tool_core::{Context, Extensions, Registry, tool};
    ///
    /// struct Locale(&'static str);
    ///
    /// /// The language of the caller.
    /// #[tool(operation = Explain)]
    /// fn tell_language(#[inject] context: Context) -> String {
    ///     context.extension::<Locale>().map_or("none", |locale| locale.0).to_owned()
    /// }
    ///
    /// # tool_core::private::block_on(async {
    /// let registry = Registry::builder().linked().select(|tool| tool.name() == "tell_language").build().unwrap();
    /// let german = registry.with_extensions(Extensions::new().with(Locale("de")));
    /// assert_eq!(german.call("tell_language", serde_json::json!({})).await.unwrap().value(), "de");
    /// # });
    /// ```
    #[must_use]
    pub fn with_extensions(&self, extensions: impl Into<Arc<Extensions>>) -> Self {
        let mut registry = self.clone();
        registry.caller.extensions = Some(extensions.into());
        registry
    }

    /// The same registry, with these laid over what stands beside its calls: where both have a value of a type, the one of
    /// these counts. Cheap: it is done for each call.
    ///
    /// An adapter puts what it knows of a request beside the call, and keeps what the application put there.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// use tool_core::{Context, Extensions, Registry, tool};
    ///
    /// #[derive(Clone)]
    /// struct Locale(&'static str);
    ///
    /// /// The locale of the caller.
    /// #[tool(operation = Explain)]
    /// fn tell_locale(#[inject] context: Context) -> String {
    ///     context.extension::<Locale>().map_or("none", |locale| locale.0).to_owned()
    /// }
    ///
    /// let registry = Registry::builder().linked().select(|tool| tool.name() == "tell_locale").build().unwrap();
    /// let german = registry.with_extensions(Extensions::new().with(Locale("de")));
    /// let other = german.layer_extensions(Extensions::new().with(5_u8));
    /// assert_eq!(other.call("tell_locale", serde_json::json!({})).await.unwrap().value(), "de");
    /// let english = german.layer_extensions(Extensions::new().with(Locale("en")));
    /// assert_eq!(english.call("tell_locale", serde_json::json!({})).await.unwrap().value(), "en");
    /// # });
    /// ```
    #[must_use]
    pub fn layer_extensions(&self, extensions: Extensions) -> Self {
        self.with_extensions(extensions.over(self.caller.extensions.as_ref()))
    }

    pub(crate) fn with_reporter(&self, reporter: Reporter) -> Self {
        let mut registry = self.clone();
        registry.caller.reporter = Some(reporter);
        registry
    }

    pub(crate) fn with_listener(&self, listener: Listener) -> Self {
        let mut registry = self.clone();
        registry.caller.listener = Some(listener);
        registry
    }

    pub(crate) fn with_asking(&self, asking: Asking) -> Self {
        let mut registry = self.clone();
        registry.caller.asking = Some(asking);
        registry
    }

    /// Whether both are one registry, whoever calls: what was made of the tools of one holds for the other. Two that were
    /// built apart are not one, however alike.
    ///
    /// ```
    /// use tool_core::{Principal, Registry};
    ///
    /// let registry = Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.is_same(&registry.as_principal(Principal::anonymous())));
    /// assert!(!registry.is_same(&Registry::builder().allow_empty().build().unwrap()));
    /// ```
    pub fn is_same(&self, other: &Registry) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Who calls.
    ///
    /// ```
    /// let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert_eq!(registry.principal().id(), Some("local"));
    /// ```
    pub fn principal(&self) -> &Principal {
        &self.caller.principal
    }

    /// Every tool that the caller may know of, ordered by name: what is listed to people.
    ///
    /// Those that it may not call are among them, unless [`Builder::hide_denied`] says otherwise; so are those that cannot
    /// run at the moment, which [`Registry::requirements`] tells. Those that modify are left out of a registry that is
    /// [read only](Builder::read_only).
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// for tool in registry.tools() {
    ///     println!("{}: {}", tool.name(), tool.description());
    /// }
    /// ```
    pub fn tools(&self) -> impl ExactSizeIterator<Item = &ToolDefinition> {
        let members = self.inner.members.iter();
        let listed = members.filter(|member| member.is_listed(&self.caller.principal));
        listed.map(|member| &member.definition).collect::<Vec<_>>().into_iter()
    }

    /// Every tool that would run if the caller called it now with valid arguments (an access function may still say no),
    /// ordered by name: what is shown to models.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.callable().count() <= registry.tools().count());
    /// ```
    pub fn callable(&self) -> impl Iterator<Item = &ToolDefinition> {
        let open = self.is_open();
        let members = self.inner.members.iter();
        let callable = members.filter(move |member| open || member.is_callable(self.principal()));
        callable.map(|member| &member.definition)
    }

    /// Whether all tools are [callable](Self::callable) whoever calls and whenever, since none asks for anything: then nothing
    /// has to be chosen for a caller.
    ///
    /// ```
    /// use tool_core::{DynamicTool, Output, Permission, Registry, ToolDefinition};
    ///
    /// let tool = |definition| DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::empty()) });
    /// let ping = || ToolDefinition::builder("ping", "Answers.");
    /// let open = Registry::builder().tool(tool(ping().build().unwrap())).build().unwrap();
    /// let guarded = ping().permission(Permission::all(["ping"])).build().unwrap();
    /// let closed = Registry::builder().tool(tool(guarded)).build().unwrap();
    /// assert!(open.is_open() && !closed.is_open());
    /// ```
    pub fn is_open(&self) -> bool {
        let asks = |Member { definition, home, .. }: &Member| {
            home.admission.read_only || definition.permission().is_some() || definition.requires_something()
        };
        *self.inner.open.get_or_init(|| !self.inner.members.iter().any(asks))
    }

    /// The tool at this position among all that are [declared](Self::declared), if the caller may [call](Self::callable) it.
    ///
    /// ```
    /// use tool_core::{DynamicTool, Output, Permission, Principal, Registry, ToolDefinition};
    ///
    /// let definition = ToolDefinition::builder("ping", "Answers.").permission(Permission::all(["ping"]));
    /// let ping = DynamicTool::new(definition.build().unwrap(), |_, _: serde_json::Value| async { Ok(Output::empty()) });
    /// let registry = Registry::builder().tool(ping).build().unwrap();
    /// assert!(registry.as_principal(Principal::anonymous()).callable_at(0).is_none());
    /// let ada = registry.as_principal(Principal::new("ada").grant("ping"));
    /// assert_eq!(ada.callable_at(0).unwrap().name(), "ping");
    /// assert!(ada.callable_at(1).is_none());
    /// ```
    pub fn callable_at(&self, position: usize) -> Option<&ToolDefinition> {
        let member = self.inner.members.get(position)?;
        (self.is_open() || member.is_callable(self.principal())).then_some(&member.definition)
    }

    /// Every tool, whoever calls, ordered by name: for what an adapter prepares once. What a caller is told of is
    /// [`tools`](Self::tools) and [`callable`](Self::callable).
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.tools().len() <= registry.declared().len());
    /// ```
    pub fn declared(&self) -> impl ExactSizeIterator<Item = &ToolDefinition> {
        self.inner.members.iter().map(|member| &member.definition)
    }

    /// The tool of this name or alias, whoever calls, and its position among all that are [declared](Self::declared): for
    /// what an adapter has prepared. It costs the same however many there are.
    ///
    /// ```
    /// use tool_core::{DynamicTool, Output, Registry, ToolDefinition};
    ///
    /// let tool = |name| {
    ///     let definition = ToolDefinition::builder(name, "Answers.").build().unwrap();
    ///     DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::empty()) })
    /// };
    /// let registry = Registry::builder().tool(tool("pong")).tool(tool("ping")).build().unwrap();
    /// assert_eq!(registry.locate("pong").map(|(position, _)| position), Some(1));
    /// assert!(registry.locate("nope").is_none());
    /// ```
    pub fn locate(&self, name: &str) -> Option<(usize, &ToolDefinition)> {
        let position = self.inner.positions.get(name, |position| &self.inner.members[position].definition)?;
        Some((position, &self.inner.members[position].definition))
    }

    /// Whether the caller may know of each of them.
    pub(crate) fn visible(&self) -> Vec<bool> {
        if self.is_open() {
            return vec![true; self.inner.members.len()];
        }
        self.inner.members.iter().map(|member| member.is_listed(self.principal())).collect()
    }

    /// What searches look into.
    pub(crate) fn index(&self) -> &Index {
        self.inner.index.get_or_init(|| Index::of(self.declared()))
    }

    /// The tool of this name or alias, if [`Registry::tools`] has it.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.get("nope").is_none());
    /// ```
    pub fn get(&self, name: &str) -> Option<&ToolDefinition> {
        self.member(name)
            .filter(|member| member.is_listed(&self.caller.principal))
            .map(|member| &member.definition)
    }

    /// Whether there is a tool of this name or alias for the caller, be it one that is not listed now.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(!registry.knows("nope"));
    /// ```
    pub fn knows(&self, name: &str) -> bool {
        self.known(name).is_ok()
    }

    /// Whether a call of this tool would be let in, which is decided before its arguments are looked at.
    ///
    /// # Errors
    ///
    /// The failure that the call would have: there is no such tool, the registry is read only, the caller lacks a
    /// permission, a requirement is not met.
    ///
    /// ```
    /// use tool_core::FailureKind;
    ///
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert_eq!(registry.admits("nope").unwrap_err().kind(), FailureKind::NotFound);
    /// ```
    pub fn admits(&self, name: &str) -> Result<(), Failure> {
        let Member { definition, home, .. } = self.known(name)?;
        home.admission.admit(definition, &home.states, &self.caller.principal)
    }

    /// Whether everything that a tool requires is there; `None` for one that requires nothing, or does not exist.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.requirements("nope").is_none());
    /// ```
    pub fn requirements(&self, name: &str) -> Option<Requirements> {
        let Member { definition, home, .. } = self.known(name).ok()?;
        definition.requires_something().then(|| Requirements::new(definition.unmet(&home.states)))
    }

    /// The tool that was probably meant by a name that none has.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.nearest("nope").is_none());
    /// ```
    pub fn nearest(&self, name: &str) -> Option<&ToolDefinition> {
        nearest(name, self.tools().map(ToolDefinition::name)).and_then(|name| self.get(name))
    }

    /// Calls a tool with the text of its arguments, as an adapter receives it. Nothing at all counts as `{}`.
    ///
    /// When the future is dropped, a tool that modifies nothing is dropped with it; a modifying one runs to its end.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let reply = registry.invoke("nope", b"{}").await;
    /// assert_eq!(reply.result.unwrap_err().message(), "Tool not found: nope");
    /// # });
    /// ```
    pub async fn invoke(&self, name: &str, arguments: &[u8]) -> Reply {
        #[cfg(feature = "tokio")]
        if let Some(results) = &self.caller.results {
            // Out of the way of calls that keep nothing.
            return Box::pin(self.invoke_storing(results, name, arguments)).await;
        }
        match self.known(name) {
            Ok(member) => match call::begin(self, member, arguments) {
                // Most calls need not wait, and are spared what waiting takes.
                Begun::Ended(reply) => reply,
                begun => begun.end().await,
            },
            Err(_) => self.unknown(name, arguments),
        }
    }

    /// Answers a call of a tool that does not exist.
    fn unknown(&self, name: &str, arguments: &[u8]) -> Reply {
        call::unknown(self.inner.audit.as_ref(), &self.caller, AuditKind::Tool, name, arguments)
    }

    /// Answers a call with the failure for which an adapter does not make it, as one that nobody confirmed, and records
    /// it as every other call. What the call itself would be refused for comes first: this failure is for whoever might
    /// make it.
    ///
    /// ```
    /// use tool_core::{Failure, FailureKind};
    ///
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let failure = Failure::new(FailureKind::Disabled, "nobody confirmed it");
    /// let reply = registry.refuse("nope", b"{}", failure);
    /// assert_eq!(reply.result.unwrap_err().kind(), FailureKind::NotFound);
    /// ```
    pub fn refuse(&self, name: &str, arguments: &[u8], failure: Failure) -> Reply {
        let Ok(member) = self.known(name) else {
            return self.unknown(name, arguments);
        };
        let Member { definition, home, .. } = member;
        let admitted = home.admission.admit(definition, &home.states, &self.caller.principal);
        call::refused(&self.caller, member, arguments, admitted.err().unwrap_or(failure))
    }

    /// Calls a tool, as the tests of an application do.
    ///
    /// # Errors
    ///
    /// The failure of the call.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.call("nope", serde_json::json!({})).await.is_err());
    /// # });
    /// ```
    pub async fn call(&self, name: &str, arguments: Value) -> Result<Output, Failure> {
        let arguments = arguments.to_string();
        self.invoke(name, arguments.as_bytes()).await.result
    }

    /// Checks the text of the arguments for a tool, and runs nothing; tells what was repaired in valid ones.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the arguments, as a call would tell it. Nothing else is asked: neither whether the
    /// call would be [let in](Registry::admits), nor what is injected, nor an access function.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.validate("nope", b"{}").is_err());
    /// ```
    pub fn validate(&self, name: &str, arguments: &[u8]) -> Result<Validation, Failure> {
        let Member { definition, written, home, .. } = self.known(name)?;
        call::validate(definition, written.as_ref(), &home.states, home.leniency, arguments)
    }

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

    /// Who calls, and as part of which trace.
    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The tool of this name or alias, if it exists for the caller.
    pub(crate) fn known(&self, name: &str) -> Result<&Member, Failure> {
        self.member(name)
            .filter(|member| member.home.admission.knows(&member.definition, &self.caller.principal))
            .ok_or_else(|| Failure::not_found(AuditKind::Tool, name))
    }

    fn member(&self, name: &str) -> Option<&Member> {
        let Inner { members, positions, .. } = &*self.inner;
        positions.get(name, |position| &members[position].definition).map(|position| &members[position])
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.tools().map(ToolDefinition::name)).finish()
    }
}
