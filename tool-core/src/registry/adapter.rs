//! Functions of a [`Registry`] for authors of adapters.
//!
//! An adapter serves a registry to callers of one protocol. It determines the principal ([`Registry::as_principal`]), builds the
//! [`CallOptions`](crate::CallOptions) of a call and calls [`Registry::call_with`]. Data that it builds once from all tools (a
//! list in the form of its protocol, a table of routes) is built from [`definitions`] and looked up by [`position`]. Its server
//! implements [`Serve`], by which a command line starts it.

#[cfg(feature = "tokio")]
use std::collections::BTreeMap;
use std::collections::BTreeSet;

use tracing::Span;

pub use crate::model::recent::Recent;
pub use crate::model::serve::{ListenAddr, Serve, ServeCommand, ServeError, ServeOptions};
#[cfg(feature = "tokio")]
pub use crate::registry::call_events::{CallEvent, CallEvents};
pub use crate::schema::json::object_members::ObjectMembers;

#[cfg(feature = "tasks")]
use crate::call::options::CallOptions;
use crate::call::target::Target;
use crate::call::{self, Reply, text_arguments};
use crate::declare::completion::{CompletionRequest, Completions};
use crate::definition::ToolDefinition;
use crate::definition::prompt::PromptDefinition;
use crate::definition::surface::Variables;
use crate::model::failure::Failure;
use crate::model::permission::Permission;
use crate::model::telemetry;
use crate::model::trace::TraceParent;
use crate::registry::addresses::AddressIndex;
use crate::registry::error::BuildErrors;
use crate::registry::{Registry, addresses};
#[cfg(feature = "tokio")]
use crate::results::ResultStore;
#[cfg(feature = "tokio")]
use crate::schema::leniency::Validation;
use crate::schema::nearest as nearest_name;
#[cfg(feature = "tasks")]
use crate::tasks::TaskAnswer;

/// Returns every tool, ordered by name, for any caller. The tools that a caller may see are [`Registry::tools`] and
/// [`Registry::callable`].
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// assert!(registry.tools().len() <= tool_core::adapter::definitions(&registry).len());
/// ```
pub fn definitions(registry: &Registry) -> impl ExactSizeIterator<Item = &ToolDefinition> {
    registry.definitions()
}

/// Returns the tool of this name or alias and its position among the [definitions], for any caller, in constant time.
///
/// ```
/// use tool_core::{DynamicTool, Output, Registry, ToolDefinition, adapter};
///
/// let tool = |name| {
///     let definition = ToolDefinition::builder(name, "Answers.").build().unwrap();
///     DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::empty()) })
/// };
/// let registry = Registry::builder().tool(tool("pong")).tool(tool("ping")).build().unwrap();
/// assert_eq!(adapter::position(&registry, "pong").map(|(position, _)| position), Some(1));
/// assert!(adapter::position(&registry, "nope").is_none());
/// ```
pub fn position<'r>(registry: &'r Registry, name: &str) -> Option<(usize, &'r ToolDefinition)> {
    registry.position(name)
}

/// Returns the tool whose [address](crate::address::Surface::address) this path is, if the caller can see it, and the values of the
/// variables as [`arguments_of_query`] takes them. The path is percent-encoded, and has no slash at its begin or end.
///
/// ```
/// use tool_core::{Registry, adapter, tool, tools};
///
/// /// Returns a revision of a node.
/// #[tool(operation = Read, path = "node/{id}/revision/{number}")]
/// fn revision(#[arg(locator)] id: String, #[arg(locator)] number: u32) -> String {
///     format!("{id} as of {number}")
/// }
///
/// let registry = Registry::builder().tools(tools![revision]).build().unwrap();
/// let (tool, values) = adapter::tool_at(&registry, "node/a%20b/revision/3").unwrap();
/// assert_eq!(tool.name(), "revision");
/// let values = values.unwrap();
/// assert_eq!(adapter::arguments_of_query(tool, &values), r#"{"id":"a b","number":3}"#);
/// assert!(adapter::tool_at(&registry, "node/7").is_none());
/// ```
pub fn tool_at<'r>(registry: &'r Registry, path: &str) -> Option<(&'r ToolDefinition, Variables)> {
    let addresses = registry.inner.addresses.get_or_init(|| AddressIndex::of(registry.definitions()));
    let visible = |position: usize| registry.get(registry.inner.members.get(position)?.definition.name());
    let (position, values) = addresses.find(path, |position| visible(position).is_some())?;
    Some((visible(position)?, values))
}

/// Returns the tool at this position among the [definitions], if the caller may [call](Registry::callable) it.
///
/// ```
/// use tool_core::{DynamicTool, Output, Permission, Principal, Registry, ToolDefinition, adapter};
///
/// let definition = ToolDefinition::builder("ping", "Answers.").permission(Permission::all(["ping"]));
/// let ping = DynamicTool::new(definition.build().unwrap(), |_, _: serde_json::Value| async { Ok(Output::empty()) });
/// let registry = Registry::builder().tool(ping).build().unwrap();
/// assert!(adapter::callable_at(&registry.as_principal(Principal::anonymous()), 0).is_none());
/// let ada = registry.as_principal(Principal::new("ada").grant("ping"));
/// assert_eq!(adapter::callable_at(&ada, 0).unwrap().name(), "ping");
/// assert!(adapter::callable_at(&ada, 1).is_none());
/// ```
pub fn callable_at(registry: &Registry, position: usize) -> Option<&ToolDefinition> {
    let member = registry.inner.members.get(position)?;
    let callable = registry.is_unrestricted() || registry.inner.is_callable(member, registry.principal());
    callable.then_some(&member.definition)
}

/// Returns the permissions that a call of this tool needs, if the caller lacks one of them and could call the tool with
/// them. Of alternatives it chooses the one of which the caller lacks the fewest.
///
/// ```
/// use tool_core::{DynamicTool, Output, Permission, Principal, Registry, ToolDefinition, adapter};
///
/// let definition = ToolDefinition::builder("ping", "Answers.").permission(Permission::all(["read", "ping"]));
/// let ping = DynamicTool::new(definition.build().unwrap(), |_, _: serde_json::Value| async { Ok(Output::empty()) });
/// let registry = Registry::builder().tool(ping).build().unwrap();
/// let reader = Principal::new("ada").grant("read");
/// assert_eq!(adapter::lacks(&registry.as_principal(reader.clone()), "ping"), Some(vec!["read", "ping"]));
/// assert_eq!(adapter::lacks(&registry.as_principal(reader.grant("ping")), "ping"), None);
/// ```
pub fn lacks<'r>(registry: &'r Registry, name: &str) -> Option<Vec<&'r str>> {
    let Target { definition, scope, .. } = registry.find(name)?;
    if scope.admission.forbids(definition) { None } else { lacking(registry, definition.permission()?) }
}

/// Returns the permissions that this prompt needs, if the caller lacks one of them, as [`lacks`] for a tool.
///
/// ```
/// use tool_core::{Principal, Registry, adapter, prompt, prompts};
///
/// /// Asks for a review of the accounts.
/// #[prompt(permission = "account.read")]
/// fn review_accounts() -> String {
///     "Review the accounts".to_owned()
/// }
///
/// let registry = Registry::builder().prompts(prompts![review_accounts]).build().unwrap();
/// let registry = registry.as_principal(Principal::new("ada"));
/// assert_eq!(adapter::prompt_lacks(&registry, "review_accounts"), Some(vec!["account.read"]));
/// ```
pub fn prompt_lacks<'r>(registry: &'r Registry, name: &str) -> Option<Vec<&'r str>> {
    lacking(registry, registry.prompt(name)?.permission()?)
}

/// Asks the caller, who is the client of `options`, what a call must know before its function: the tool is entered as in a call,
/// up to its awaited parameters ([`InjectAsync`](crate::inject::InjectAsync)). Returns the answers for
/// [`NewTask::answers`](crate::tasks::NewTask::answers). What this caller cannot be asked, the task asks.
///
/// # Errors
///
/// The failure with which the call would have ended before its function, and
/// [`InputRequired`](crate::FailureKind::InputRequired) if the answers arrive with another call.
///
/// ```
/// use std::sync::Arc;
/// use tool_core::inject::{InjectAsync, Injection, Needs};
/// use tool_core::testing::Answers;
/// use tool_core::{CallOptions, Failure, Registry, adapter, tool, tools};
///
/// #[derive(schemars::JsonSchema, serde::Deserialize)]
/// struct Reason {
///     reason: String,
/// }
///
/// impl<Op> InjectAsync<Op> for Reason {
///     fn needs(_: &mut Needs) {}
///
///     async fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
///         source.context().elicit("Why?").await?.required()
///     }
/// }
///
/// /// Deploys the site.
/// #[tool(operation = Trigger, destructive = false, task(optional))]
/// async fn deploy_site(#[inject] Reason { reason }: Reason) -> String {
///     format!("deployed: {reason}")
/// }
///
/// # tool_core::private::block_on(async {
/// let registry = Registry::builder().tools(tools![deploy_site]).build().unwrap();
/// let options = CallOptions::new().client(Arc::new(Answers::new().accept(serde_json::json!({"reason": "a fix"}))));
/// let answers = adapter::ask_before_task(&registry, "deploy_site", b"{}", &options).await.unwrap();
/// assert_eq!(answers.into_values().next().unwrap().answer["content"]["reason"], "a fix");
/// # });
/// ```
#[cfg(feature = "tasks")]
pub async fn ask_before_task(
    registry: &Registry,
    name: &str,
    arguments: &[u8],
    options: &CallOptions,
) -> Result<BTreeMap<String, TaskAnswer>, Failure> {
    registry.ask_before_task(name, arguments, options).await
}

fn lacking<'r>(registry: &Registry, permission: &'r Permission) -> Option<Vec<&'r str>> {
    let is_lacking = !permission.is_met_by(registry.principal());
    // Nobody meets an empty list.
    is_lacking.then(|| permission.needed_by(registry.principal())).filter(|names| !names.is_empty())
}

/// Returns `true` if two callers may get different results for the same arguments: the tool has a permission or an access
/// function, takes something of the call, such as [`Context`](crate::Context) or [`Extension`](crate::Extension), or is called
/// through a [layer](crate::layer::Layer). Such a result must not be cached for others, even if all callers look the same to
/// the adapter.
///
/// ```
/// use tool_core::{Extension, Registry, adapter, tool, tools};
///
/// /// Lists the kinds of weather.
/// #[tool(operation = Explain, cache = "1h")]
/// fn kinds_of_weather() -> Vec<&'static str> {
///     vec!["rain", "sun"]
/// }
///
/// /// Greets the user that a layer of the application found.
/// #[tool(operation = Explain, cache = "1h")]
/// fn greet_visitor(#[inject] name: Extension<&'static str>) -> String {
///     format!("Hello {}", name.0)
/// }
///
/// let registry = Registry::builder().tools(tools![kinds_of_weather, greet_visitor]).build().unwrap();
/// let depends = |name| adapter::depends_on_caller(&registry, registry.get(name).unwrap());
/// assert!(depends("greet_visitor") && !depends("kinds_of_weather"));
/// ```
pub fn depends_on_caller(registry: &Registry, tool: &ToolDefinition) -> bool {
    let has_layers = || registry.find(tool.name()).is_some_and(|target| !target.scope.layers.is_empty());
    tool.permission().is_some() || tool.guarded() || tool.depends_on_call() || has_layers()
}

/// Returns the names in the permissions of all tools and prompts, in order, for any caller.
///
/// ```
/// use tool_core::{Registry, adapter, prompt, prompts};
///
/// /// Asks for the balance of an account.
/// #[prompt(permission = "account.read")]
/// fn balance(/** Number of the account. */ number: u32) -> String {
///     format!("What is the balance of {number}?")
/// }
///
/// let registry = Registry::builder().prompts(prompts![balance]).build().unwrap();
/// assert!(adapter::permissions(&registry).into_iter().eq(["account.read"]));
/// ```
pub fn permissions(registry: &Registry) -> BTreeSet<&str> {
    let tools = registry.definitions().filter_map(ToolDefinition::permission);
    let prompts = registry.inner.prompts.iter().filter_map(|prompt| prompt.definition.permission());
    tools.chain(prompts).flat_map(Permission::names).collect()
}

/// Returns `true` if every caller may [call](Registry::callable) every tool at any time, since no tool has a permission or a
/// requirement. One list is then right for all callers.
///
/// ```
/// use tool_core::{DynamicTool, Output, Permission, Registry, ToolDefinition, adapter};
///
/// let tool = |definition| DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::empty()) });
/// let ping = || ToolDefinition::builder("ping", "Answers.");
/// let open = Registry::builder().tool(tool(ping().build().unwrap())).build().unwrap();
/// let guarded = ping().permission(Permission::all(["ping"])).build().unwrap();
/// let closed = Registry::builder().tool(tool(guarded)).build().unwrap();
/// assert!(adapter::is_unrestricted(&open) && !adapter::is_unrestricted(&closed));
/// ```
pub fn is_unrestricted(registry: &Registry) -> bool {
    registry.is_unrestricted()
}

/// Makes the span of the caller the parent of `span`, the span of a request. It must not be entered yet. Without a
/// [propagator](crate::telemetry::Propagator), or inside of a span that belongs to the same trace, this does nothing.
///
/// ```
/// let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
/// let span = tracing::info_span!("request");
/// tool_core::adapter::set_parent(&span, header.parse().ok());
/// ```
pub fn set_parent(span: &Span, caller: Option<TraceParent>) {
    telemetry::set_parent(span, caller);
}

/// Returns `true` if the caller may see a tool of this name or alias, including one that is not listed now.
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// assert!(!tool_core::adapter::contains(&registry, "nope"));
/// ```
pub fn contains(registry: &Registry, name: &str) -> bool {
    registry.find(name).is_some()
}

/// Returns the listed tool whose name is most similar to this one, for an error message.
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// assert!(tool_core::adapter::nearest(&registry, "nope").is_none());
/// ```
pub fn nearest<'r>(registry: &'r Registry, name: &str) -> Option<&'r ToolDefinition> {
    nearest_name(name, registry.tools().map(ToolDefinition::name)).and_then(|name| registry.get(name))
}

/// Returns the failure of a call of a tool that does not exist for the caller. Its message has a similar name, if the caller has
/// the permissions for a tool of that name.
///
/// ```
/// use tool_core::{Registry, adapter, tool, tools};
///
/// /// Sounds a horn.
/// #[tool(operation = Explain)]
/// fn sound_horn() {}
///
/// let registry = Registry::builder().tools(tools![sound_horn]).build().unwrap();
/// let failure = adapter::tool_not_found(&registry, "sound_hron");
/// assert_eq!(failure.message(), "Tool not found: sound_hron; did you mean `sound_horn`?");
/// ```
pub fn tool_not_found(registry: &Registry, name: &str) -> Failure {
    registry.tool_not_found(name)
}

/// Returns how many calls and tasks of each tool run apart from their callers, by name: what [`Registry::drain`] waits for. A
/// program that stops waiting names them.
///
/// ```
/// use tool_core::{Context, Registry, adapter, tool, tools};
///
/// /// Orders a book.
/// #[tool(operation = Trigger, destructive = false)]
/// fn order(#[inject] context: Context) {
///     context.spawn(std::future::pending());
/// }
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
/// # runtime.block_on(async {
/// let registry = Registry::builder().tools(tools![order]).build().unwrap();
/// registry.call("order", serde_json::json!({})).await.unwrap();
/// assert_eq!(adapter::running(&registry)["order"], 1);
/// # });
/// ```
#[cfg(feature = "tokio")]
pub fn running(registry: &Registry) -> BTreeMap<String, usize> {
    registry.running()
}

/// Returns every prompt that the caller has the permissions for, ordered by name. An access function may still deny it.
///
/// ```
/// use tool_core::{Principal, Registry, adapter, prompt, prompts};
///
/// /// Asks for a verdict on an invoice.
/// #[prompt(permission = "invoice.read")]
/// fn verdict(/** Number of the invoice. */ number: u32) -> String {
///     format!("Is invoice {number} correct?")
/// }
///
/// let registry = Registry::builder().prompts(prompts![verdict]).build().unwrap();
/// assert_eq!(adapter::callable_prompts(&registry).count(), 0);
/// let clerk = registry.as_principal(Principal::new("ada").grant("invoice.read"));
/// assert_eq!(adapter::callable_prompts(&clerk).count(), 1);
/// ```
pub fn callable_prompts(registry: &Registry) -> impl Iterator<Item = &PromptDefinition> {
    let prompts = registry.inner.prompts.iter();
    prompts.filter(|prompt| prompt.is_callable_by(registry.principal())).map(|prompt| &prompt.definition)
}

/// Returns `true` if both handles share the same registry, ignoring the principal and the options.
///
/// ```
/// use tool_core::{Principal, Registry, adapter};
///
/// let registry = Registry::builder().allow_empty().build().unwrap();
/// assert!(adapter::ptr_eq(&registry, &registry.as_principal(Principal::anonymous())));
/// assert!(!adapter::ptr_eq(&registry, &Registry::builder().allow_empty().build().unwrap()));
/// ```
pub fn ptr_eq(one: &Registry, other: &Registry) -> bool {
    one.ptr_eq(other)
}

/// Returns `true` if both handles share the same registry, for the same principal and with the same options, so that data
/// built from one is valid for the other.
///
/// ```
/// use tool_core::{Principal, Registry, adapter};
///
/// let registry = Registry::builder().allow_empty().build().unwrap();
/// assert!(adapter::same_view(&registry, &registry.clone()));
/// assert!(!adapter::same_view(&registry, &registry.as_principal(Principal::anonymous())));
/// ```
pub fn same_view(one: &Registry, other: &Registry) -> bool {
    one.same_view(other)
}

/// Finds the tools whose [address](crate::address::Address) begins with a segment that the adapter reserves.
///
/// # Errors
///
/// One error for each of these tools.
///
/// ```
/// use tool_core::{Registry, adapter, tool, tools};
///
/// /// The result of the last run.
/// #[tool(operation = Read)]
/// fn result() {}
///
/// let registry = Registry::builder().tools(tools![result]).build().unwrap();
/// let errors = adapter::check_addresses(&registry, &["tools", "result"]).unwrap_err();
/// assert!(errors.to_string().starts_with("tool `result` lives at `result`, and `result` is reserved"));
/// ```
pub fn check_addresses(registry: &Registry, reserved: &[&str]) -> Result<(), BuildErrors> {
    BuildErrors::unless_empty(addresses::reserved(&mut registry.definitions(), reserved))
}

/// Answers a call with a failure instead of making it, for example without a confirmation by the user, and records it like any
/// other call. If the call itself would be denied, the reply has that failure instead.
///
/// ```
/// use tool_core::{Failure, FailureKind, adapter};
///
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let failure = Failure::new(FailureKind::Disabled, "nobody confirmed it");
/// let reply = adapter::refuse(&registry, "nope", b"{}", failure);
/// assert_eq!(reply.result.unwrap_err().kind(), FailureKind::NotFound);
/// ```
pub fn refuse(registry: &Registry, name: &str, arguments: &[u8], failure: Failure) -> Reply {
    let origin = registry.origin(registry.options());
    let Some(target) = registry.find(name) else {
        return registry.unknown(origin, name, arguments);
    };
    let Target { definition, scope, .. } = target;
    let admitted = scope.admission.admit(definition, &scope.states, registry.principal());
    call::refused(origin, target, arguments, admitted.err().unwrap_or(failure))
}

/// Validates arguments as [`Registry::validate`] does, for an adapter that serves many callers: arguments that take long to
/// validate wait for a permit ([`RegistryBuilder::concurrency`](crate::RegistryBuilder::concurrency)) and for a thread
/// ([`RegistryBuilder::blocking_threads`](crate::RegistryBuilder::blocking_threads)) as a call does.
///
/// # Errors
///
/// The errors of [`Registry::validate`]. [`Busy`](crate::FailureKind::Busy) and [`Timeout`](crate::FailureKind::Timeout) as
/// for a call, if the arguments take long to validate.
///
/// ```
/// # tool_core::private::block_on(async {
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// assert!(tool_core::adapter::validate_limited(&registry, "nope", b"{}").await.is_err());
/// # });
/// ```
#[cfg(feature = "tokio")]
pub async fn validate_limited(
    registry: &Registry,
    name: &str,
    arguments: &[u8],
) -> Result<Validation, Failure> {
    let options = &registry.options().context;
    call::validate_limited(registry.principal(), options, registry.find_or_fail(name)?, arguments).await
}

/// Returns the JSON of arguments that a caller gives as text, such as in the query of a URL: scalars as they are, the items of a list
/// each under the name of the list, everything else as JSON. A text that does not fit its input is left to the validation.
///
/// ```
/// use tool_core::{Registry, adapter, tool, tools};
///
/// /// Paints letters.
/// #[tool(operation = Transform)]
/// fn paint_letters(
///     /** What to paint. */ text: String,
///     /** How large. */ size: u32,
///     /** In which colours. */ colours: Vec<String>,
/// ) {
///     let _ = (text, size, colours);
/// }
///
/// let registry = Registry::builder().tools(tools![paint_letters]).build().unwrap();
/// let tool = registry.get("paint_letters").unwrap();
/// let pairs = [("text", "12"), ("size", "12"), ("colours", "red"), ("colours", "blue")];
/// let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
/// let arguments = adapter::arguments_of_query(tool, &pairs);
/// assert_eq!(arguments, r#"{"text":"12","size":12,"colours":["red","blue"]}"#);
/// ```
pub fn arguments_of_query(tool: &ToolDefinition, pairs: &[(String, String)]) -> String {
    text_arguments::read_query(tool, pairs)
}

/// Returns values that could complete what a caller has typed for an input of a tool: the proposals of its `complete`
/// function, or else the values that its schema allows and that begin with the text, ignoring case. Returns none for a
/// secret.
///
/// If the tool has an access function, its `complete` function is called only if it takes a [`CompletionRequest`], which has the
/// [principal](CompletionRequest::principal): the access function itself is not called.
///
/// An `async` function has the time limit of a call. Any other function runs on a blocking thread of the runtime, if there
/// is one.
///
/// # Errors
///
/// If the caller may not see the tool, or if there is no such input. If there is a `complete` function, also if a call
/// would [not be allowed](Registry::check_access), if the function panics, and if it takes too long.
///
/// ```
/// # use tool_core::{Registry, adapter, tool, tools};
/// /// Switches the light.
/// #[tool(operation = Write, destructive = false)]
/// fn switch(/** Whether it shines. */ on: bool) {
///     let _ = on;
/// }
/// # let registry = Registry::builder().tools(tools![switch]).build().unwrap();
/// # tool_core::private::block_on(async {
/// assert_eq!(adapter::complete(&registry, "switch", "on", "T").await.unwrap().values, ["true"]);
/// # });
/// ```
pub async fn complete<'t>(
    registry: &Registry,
    tool: &str,
    input: &str,
    request: impl Into<CompletionRequest<'t>>,
) -> Result<Completions, Failure> {
    registry.completions(registry.find_or_fail(tool)?, input, &request.into()).await
}

/// Returns values that could complete what a caller has typed for an argument of a prompt, as [`complete`] does.
///
/// # Errors
///
/// If there is no such prompt or argument, if the function panics, and if it takes too long.
///
/// ```
/// use tool_core::{Registry, adapter, prompt, prompts};
///
/// /// Asks for a poem.
/// #[prompt]
/// fn night_poem(/** Whether it rhymes. */ rhymes: bool) -> String {
///     format!("Write a poem about the night{}.", if rhymes { " that rhymes" } else { "" })
/// }
///
/// let registry = Registry::builder().prompts(prompts![night_poem]).build().unwrap();
/// # tool_core::private::block_on(async {
/// let completions = adapter::complete_prompt(&registry, "night_poem", "rhymes", "").await.unwrap();
/// assert_eq!(completions.values, ["true", "false"]);
/// # });
/// ```
pub async fn complete_prompt<'t>(
    registry: &Registry,
    prompt: &str,
    argument: &str,
    request: impl Into<CompletionRequest<'t>>,
) -> Result<Completions, Failure> {
    registry.completions(registry.find_prompt(prompt)?, argument, &request.into()).await
}

/// Returns the store for large results, if the registry has one.
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// assert!(tool_core::adapter::results(&registry).is_none());
/// ```
#[cfg(feature = "tokio")]
pub fn results(registry: &Registry) -> Option<&ResultStore> {
    registry.store()
}

/// Returns `true` if the reply of a call of this tool may have an [`Excerpt`](crate::results::Excerpt) instead of its value:
/// the registry has a [store](results), and the output schema of the tool allows outputs above the threshold.
///
/// ```
/// # #[cfg(feature = "results")] {
/// use tool_core::results::ResultStore;
/// use tool_core::{Registry, adapter, tool, tools};
///
/// /// Counts the stars.
/// #[tool(operation = Read)]
/// fn count_stars() -> u32 {
///     9_096
/// }
///
/// /// Names the stars.
/// #[tool(operation = Read)]
/// fn name_stars() -> Vec<String> {
///     vec!["Sirius".to_owned()]
/// }
///
/// let builder = Registry::builder().tools(tools![count_stars, name_stars]);
/// let registry = builder.storing(ResultStore::memory()).build().unwrap();
/// assert!(adapter::may_shorten(&registry, registry.get("name_stars").unwrap()));
/// assert!(!adapter::may_shorten(&registry, registry.get("count_stars").unwrap()));
/// # }
/// ```
#[cfg(feature = "tokio")]
pub fn may_shorten(registry: &Registry, tool: &ToolDefinition) -> bool {
    registry.store().is_some_and(|store| store.may_shorten(tool))
}
