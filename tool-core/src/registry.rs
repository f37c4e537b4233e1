//! The registry: all tools of an application, found by name and called through one pipeline.
//!
//! This module finds tools; [`registered_tool`] describes a tool of a registry. [`builder`] and [`assembly`] build a registry, [`checks`]
//! validates it, [`handle`] sets its principal and options, and [`calls`] calls its tools.

pub mod adapter;
mod addresses;
mod assembly;
mod builder;
#[cfg(feature = "tokio")]
mod call_events;
mod calls;
mod checks;
mod completion;
mod digest;
#[cfg(feature = "tokio")]
mod drain;
mod error;
pub(crate) mod faults;
mod handle;
mod index;
mod inject;
mod layers;
mod limits;
mod prompts;
pub(crate) mod provider;
#[cfg(feature = "tokio")]
pub(crate) mod read_result;
mod registered_prompt;
mod registered_tool;
#[cfg(feature = "tokio")]
mod results;
pub(crate) mod search;
#[cfg(feature = "tasks")]
mod tasks;

use std::sync::{Arc, OnceLock};
use std::{iter, slice, vec};

pub use builder::RegistryBuilder;
pub use error::{BuildError, BuildErrors};

use crate::call::audit::Audit;
use crate::call::implementation::Implementation;
use crate::call::options::CallOptions;
use crate::call::target::{Scope, Target};
use crate::declare::requirement::Requirements;
use crate::definition::ToolDefinition;
use crate::model::access::Principal;
use crate::model::audit_kind::AuditKind;
use crate::model::failure::Failure;
use crate::registry::addresses::AddressIndex;
use crate::registry::index::Positions;
use crate::registry::registered_prompt::RegisteredPrompt;
use crate::registry::registered_tool::{RegisteredTool, ToolOverrides};
use crate::registry::search::index::Index;
use crate::schema::nearest;

/// The tools of an application.
///
/// Clones share one registry and are cheap. The time to find a tool does not depend on the number of tools.
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
    principal: Principal,
    /// The default options of calls.
    options: Option<Arc<CallOptions>>,
}

struct Inner {
    /// Ordered by name.
    members: Vec<RegisteredTool>,
    positions: Positions,
    /// The scope of every tool without its own, and of tools that are added.
    scope: Arc<Scope>,
    /// The scopes of other tools.
    others: Vec<Arc<Scope>>,
    /// Ordered by name.
    prompts: Vec<RegisteredPrompt>,
    /// Built by the first search.
    index: OnceLock<Index>,
    /// Built by the first lookup of an address.
    addresses: OnceLock<AddressIndex>,
    /// Whether every caller may call every tool at any time; computed on first use.
    open: OnceLock<bool>,
    /// Records calls of tools that do not exist; other calls are recorded by the scope of their tool.
    audit: Option<Audit>,
}

impl Inner {
    fn scope_of<'r>(&'r self, member: &'r RegisteredTool) -> &'r Arc<Scope> {
        member.overrides.as_ref().map_or(&self.scope, |overrides| &overrides.scope)
    }

    fn scopes(&self) -> impl Iterator<Item = &Arc<Scope>> {
        iter::once(&self.scope).chain(&self.others)
    }

    fn is_listed(&self, member: &RegisteredTool, principal: &Principal) -> bool {
        self.scope_of(member).admission.lists(&member.definition, principal)
    }

    fn is_callable(&self, member: &RegisteredTool, principal: &Principal) -> bool {
        let scope = self.scope_of(member);
        scope.admission.admit(&member.definition, &scope.states, principal).is_ok()
    }
}

impl Registry {
    /// Builds a registry of every tool that is linked into this program.
    ///
    /// The linker drops a crate that nothing names: write `use my_tools as _;` in the application.
    /// [`RegistryBuilder::expect_crate`] reports a crate that is missing.
    ///
    /// # Errors
    ///
    /// All errors at once, each with file, line and module: see [`BuildError`].
    ///
    /// ```no_run
    /// let registry = tool_core::Registry::collect()?;
    /// # Ok::<(), tool_core::BuildErrors>(())
    /// ```
    #[cfg(feature = "inventory")]
    pub fn collect() -> Result<Self, BuildErrors> {
        Registry::builder().linked().build()
    }

    /// Returns a builder for a registry.
    ///
    /// ```
    /// let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert_eq!(registry.tools().count(), 0);
    /// ```
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// Returns `true` if both handles share the same registry, ignoring the principal and the options.
    pub(crate) fn ptr_eq(&self, other: &Registry) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Returns every tool that the caller may see, ordered by name, as a list for people.
    ///
    /// The list includes tools that the caller may not call, unless [`RegistryBuilder::hide_denied`] is set, and tools that
    /// cannot run at the moment, see [`Registry::requirements`]. A [read-only](RegistryBuilder::read_only) registry does not list
    /// tools that modify.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// for tool in registry.tools() {
    ///     println!("{}: {}", tool.name(), tool.description());
    /// }
    /// ```
    pub fn tools(&self) -> impl ExactSizeIterator<Item = &ToolDefinition> {
        let inner = &*self.inner;
        if inner.scopes().all(|scope| scope.admission.lists_all()) {
            return Listed::All(inner.members.iter());
        }
        let listed = inner.members.iter().filter(|member| inner.is_listed(member, self.principal()));
        Listed::Some(listed.map(|member| &member.definition).collect::<Vec<_>>().into_iter())
    }

    /// Returns every tool that would run if the caller called it now with valid arguments, ordered by name, as a list for
    /// models. An access function may still deny a call.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.callable().count() <= registry.tools().count());
    /// ```
    pub fn callable(&self) -> impl Iterator<Item = &ToolDefinition> {
        let open = self.is_unrestricted();
        let members = self.inner.members.iter();
        let callable = members.filter(move |member| open || self.inner.is_callable(member, self.principal()));
        callable.map(|member| &member.definition)
    }

    /// Returns `true` if every caller may call every tool at any time.
    pub(crate) fn is_unrestricted(&self) -> bool {
        let asks = |member: &RegisteredTool| {
            let RegisteredTool { definition, .. } = member;
            let read_only = self.inner.scope_of(member).admission.read_only;
            read_only || definition.permission().is_some() || !definition.requires().is_empty()
        };
        *self.inner.open.get_or_init(|| !self.inner.members.iter().any(asks))
    }

    /// Returns every tool, ordered by name, for any caller.
    pub(crate) fn definitions(&self) -> impl ExactSizeIterator<Item = &ToolDefinition> {
        self.inner.members.iter().map(|member| &member.definition)
    }

    /// Returns the tool of this name or alias, with its position among all tools, for any caller.
    fn position(&self, name: &str) -> Option<(usize, &ToolDefinition)> {
        let position = self.inner.positions.get(name, &self.inner.members)?;
        Some((position, &self.inner.members[position].definition))
    }

    /// Returns for each tool whether the caller may see it.
    pub(crate) fn visible(&self) -> Vec<bool> {
        if self.is_unrestricted() {
            return vec![true; self.inner.members.len()];
        }
        self.inner.members.iter().map(|member| self.inner.is_listed(member, self.principal())).collect()
    }

    /// Returns the search index.
    pub(crate) fn index(&self) -> &Index {
        self.inner.index.get_or_init(|| Index::of(self.definitions()))
    }

    /// Returns the tool of this name or alias, if [`Registry::tools`] lists it.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.get("nope").is_none());
    /// ```
    pub fn get(&self, name: &str) -> Option<&ToolDefinition> {
        self.member(name)
            .filter(|member| self.inner.is_listed(member, self.principal()))
            .map(|member| &member.definition)
    }

    /// Checks whether the caller may call this tool now, without looking at arguments.
    ///
    /// # Errors
    ///
    /// The failure that the call would have: there is no such tool, the registry is read-only, the caller lacks a
    /// permission, or a requirement is not met.
    ///
    /// ```
    /// use tool_core::FailureKind;
    ///
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert_eq!(registry.check_access("nope").unwrap_err().kind(), FailureKind::NotFound);
    /// ```
    pub fn check_access(&self, name: &str) -> Result<(), Failure> {
        let Target { definition, scope, .. } = self.find_or_fail(name)?;
        scope.admission.admit(definition, &scope.states, &self.principal)
    }

    /// Returns whether the requirements of a tool are met; `None` if it has no requirements or does not exist.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.requirements("nope").is_none());
    /// ```
    pub fn requirements(&self, name: &str) -> Option<Requirements> {
        let Target { definition, scope, .. } = self.find(name)?;
        (!definition.requires().is_empty()).then(|| Requirements::new(definition.unmet(&scope.states)))
    }

    /// Finds the tool of this name or alias, if the caller may see it.
    fn find(&self, name: &str) -> Option<Target<'_>> {
        self.member(name)
            .map(|member| {
                let (overrides, scope) = (member.overrides.as_deref(), self.inner.scope_of(member));
                Target {
                    kind: AuditKind::Tool,
                    definition: &member.definition,
                    implementation: Implementation::new(
                        &member.definition,
                        overrides.and_then(|overrides| overrides.dynamic.as_ref()),
                    ),
                    scope,
                    extensions: overrides.and_then(|overrides| overrides.extensions.as_ref()),
                }
            })
            .filter(|target| target.scope.admission.is_visible(target.definition, self.principal()))
    }

    fn find_or_fail(&self, name: &str) -> Result<Target<'_>, Failure> {
        self.find(name).ok_or_else(|| self.tool_not_found(name))
    }

    /// Returns the failure of a tool that does not exist for the caller, with a similar name among the tools that the caller has
    /// the permissions for.
    fn tool_not_found(&self, name: &str) -> Failure {
        let is_met = |tool: &&ToolDefinition| {
            tool.permission().is_none_or(|permission| permission.is_met_by(self.principal()))
        };
        let similar = nearest(name, self.tools().filter(is_met).map(ToolDefinition::name));
        Failure::not_found(AuditKind::Tool, name, similar)
    }

    fn member(&self, name: &str) -> Option<&RegisteredTool> {
        let Inner { members, positions, .. } = &*self.inner;
        positions.get(name, members).map(|position| &members[position])
    }
}

/// The tools that a caller may see: all, which is the common case, or some.
enum Listed<'r> {
    All(slice::Iter<'r, RegisteredTool>),
    Some(vec::IntoIter<&'r ToolDefinition>),
}

impl<'r> Iterator for Listed<'r> {
    type Item = &'r ToolDefinition;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Listed::All(members) => members.next().map(|member| &member.definition),
            Listed::Some(tools) => tools.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Listed::All(members) => members.size_hint(),
            Listed::Some(tools) => tools.size_hint(),
        }
    }
}

impl ExactSizeIterator for Listed<'_> {}
