//! The registry: every tool of an application, found by its name and called through one pipeline.

mod builder;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

pub use builder::{BuildError, BuildErrors, Builder};

use crate::access::Principal;
use crate::call::{self, Reply, Runner};
use crate::context::CallId;
use crate::definition::ToolDefinition;
use crate::failure::Failure;
use crate::leniency::{Leniency, Validation};
use crate::output::Output;
use crate::schema::nearest;
use crate::state::States;

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
    principal: Principal,
}

struct Inner {
    /// By name.
    members: Vec<Member>,
    positions: HashMap<String, usize>,
}

/// One tool of a registry, and where it is at home.
struct Member {
    definition: ToolDefinition,
    home: Arc<Home>,
}

/// What the tools that were registered together share: all that a call of one of them needs beside its arguments.
struct Home {
    states: States,
    runner: Runner,
    leniency: Leniency,
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
        Registry { inner: Arc::clone(&self.inner), principal }
    }

    /// Who calls.
    ///
    /// ```
    /// let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert_eq!(registry.principal().id(), Some("local"));
    /// ```
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// Every tool, ordered by name.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// for tool in registry.tools() {
    ///     println!("{}: {}", tool.name(), tool.description());
    /// }
    /// ```
    pub fn tools(&self) -> impl ExactSizeIterator<Item = &ToolDefinition> {
        self.inner.members.iter().map(|member| &member.definition)
    }

    /// Every tool, whoever calls, ordered by name.
    pub(crate) fn declared(&self) -> impl ExactSizeIterator<Item = &ToolDefinition> {
        self.inner.tools.iter()
    }

    /// The tool of this name.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.get("nope").is_none());
    /// ```
    pub fn get(&self, name: &str) -> Option<&ToolDefinition> {
        self.member(name).map(|member| &member.definition)
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
        match self.member(name) {
            Some(Member { definition, home }) => {
                call::invoke(definition, &home.runner, &home.states, home.leniency, arguments).await
            }
            None => Reply { call_id: CallId::new(), result: Err(Failure::not_found(name)) },
        }
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

    /// Checks the text of the arguments for a tool, and runs nothing.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the arguments, as a call would tell it. Parameters that are no inputs are not taken.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.validate("nope", b"{}").is_err());
    /// ```
    pub fn validate(&self, name: &str, arguments: &[u8]) -> Result<Validation, Failure> {
        let Member { definition, home } = self.member(name).ok_or_else(|| Failure::not_found(name))?;
        call::validate(definition, &home.states, home.leniency, arguments)
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
        let faults = self.tools().flat_map(|tool| {
            tool.faults().into_iter().map(|fault| BuildError::Schema {
                tool: tool.name().to_owned(),
                place: tool.place(),
                fault,
            })
        });
        BuildErrors::unless_empty(faults.collect())
    }

    /// Waits until no modifying call is on its way: what a server does before it ends.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// registry.idle().await;
    /// # });
    /// ```
    #[cfg(feature = "tokio")]
    pub async fn idle(&self) {
        let mut homes: Vec<&Arc<Home>> = Vec::new();
        for Member { home, .. } in &self.inner.members {
            if !homes.iter().any(|known| Arc::ptr_eq(known, home)) {
                homes.push(home);
            }
        }
        for home in homes {
            home.runner.idle().await;
        }
    }

    fn member(&self, name: &str) -> Option<&Member> {
        self.inner.positions.get(name).map(|position| &self.inner.members[*position])
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.tools().map(ToolDefinition::name)).finish()
    }
}
