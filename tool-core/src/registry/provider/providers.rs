//! Several providers as one.

use std::fmt;
use std::future::poll_fn;
use std::sync::Mutex;
use std::task::Poll;

use crate::model::access::Principal;
use crate::model::future::BoxFuture;
use crate::model::lock::lock;
use crate::model::recent::Recent;
use crate::registry::provider::discovery::DiscoveryError;
use crate::registry::provider::into::IntoToolsProvider;
use crate::registry::provider::toolset::{Skipped, Toolset};
use crate::registry::provider::{Provider, ToolsProvider};

/// Several providers as one, in the order in which they were added. They are queried concurrently.
///
/// If two tools have the same name, that of the earlier provider is served and the other one is [skipped](Toolset::skipped).
/// Each tool is called with the settings and limits of its own registry.
///
/// ```
/// use tool_core::{Principal, Registry};
/// use tool_core::provider::{IntoToolsProvider, Providers};
///
/// async fn ask_another_server() -> Result<Registry, std::io::Error> {
///     Err(std::io::Error::other("no route to host"))
/// }
///
/// # tool_core::private::block_on(async {
/// let own = Registry::builder().allow_empty().build().unwrap();
/// let providers = || Providers::new().with("own", own.clone());
///
/// let strict = providers().with("remote", ask_another_server).into_provider();
/// assert_eq!(strict.tools(&Principal::anonymous()).await.unwrap_err().to_string(), "provider `remote`: no route to host");
///
/// let forgiving = providers().with_optional("remote", ask_another_server).into_provider();
/// let tools = forgiving.tools(&Principal::anonymous()).await.unwrap();
/// assert_eq!(tools.skipped()[0].to_string(), "provider `remote`: no route to host");
/// # });
/// ```
#[derive(Default)]
#[must_use]
pub struct Providers {
    parts: Vec<NamedProvider>,
    /// Other callers may have other tools.
    last: Mutex<Recent<Joined>>,
}

struct NamedProvider {
    name: String,
    provider: Provider,
    optional: bool,
}

/// The last result of each part, and the joined tools, which are reused while each part stays the same.
struct Joined {
    /// The names of the providers that answered.
    names: Vec<String>,
    parts: Vec<Toolset>,
    whole: Toolset,
}

impl Providers {
    /// Returns an empty list of providers.
    ///
    /// ```
    /// use tool_core::Principal;
    /// use tool_core::provider::{IntoToolsProvider, Providers};
    ///
    /// # tool_core::private::block_on(async {
    /// let tools = Providers::new().into_provider().tools(&Principal::anonymous()).await.unwrap();
    /// assert_eq!(tools.registry().tools().count(), 0);
    /// # });
    /// ```
    pub fn new() -> Self {
        Providers::default()
    }

    /// Adds a provider, with its name for the log. If it fails, all fail.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # use tool_core::provider::Providers;
    /// let providers = Providers::new().with("own", Registry::builder().allow_empty().build().unwrap());
    /// ```
    pub fn with<Marker>(self, name: impl Into<String>, provider: impl IntoToolsProvider<Marker>) -> Self {
        self.and(name.into(), provider.into_provider(), false)
    }

    /// Adds a provider that may fail: the tools of the others are then served, and the error is in [`Toolset::skipped`].
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # use tool_core::provider::Providers;
    /// let providers = Providers::new().with_optional("remote", || Registry::builder().build());
    /// ```
    pub fn with_optional<Marker>(
        self,
        name: impl Into<String>,
        provider: impl IntoToolsProvider<Marker>,
    ) -> Self {
        self.and(name.into(), provider.into_provider(), true)
    }

    fn and(mut self, name: String, provider: Provider, optional: bool) -> Self {
        self.parts.push(NamedProvider { name, provider, optional });
        self
    }

    async fn joined(&self, caller: &Principal) -> Result<Toolset, DiscoveryError> {
        let queries =
            self.parts.iter().map(|part| -> BoxFuture<'_, _> { Box::pin(part.provider.ask(caller)) });
        let (mut names, mut parts) = (Vec::new(), Vec::new());
        let (mut failed, mut all_names) = (Vec::new(), Vec::new());
        for (part, answer) in self.parts.iter().zip(all(queries.collect()).await) {
            match answer.map_err(|error| DiscoveryError::of(&part.name, error)) {
                Ok(tools) => {
                    match tools.providers() {
                        none if none.len() == 0 => all_names.push(part.name.clone()),
                        several => all_names.extend(several.map(str::to_owned)),
                    }
                    names.push(part.name.as_str());
                    parts.push(tools);
                }
                Err(error) if part.optional => {
                    all_names.push(part.name.clone());
                    failed.push(Skipped::Provider(error));
                }
                Err(error) => return Err(error),
            }
        }
        let whole = self.remembered(&names, parts).by(all_names);
        Ok(if failed.is_empty() { whole } else { whole.without(failed) })
    }

    /// Joins the parts; returns tools that were joined before if no part changed.
    fn remembered(&self, names: &[&str], parts: Vec<Toolset>) -> Toolset {
        // Nothing panics while it is held.
        let mut last = lock(&self.last);
        if let Some(last) = last.find(|last| last.names == names && are(&last.parts, &parts)) {
            return last.whole.clone();
        }
        let named = names.iter().copied().zip(&parts);
        let whole = Toolset::joined(parts.clone()).coming_from(named);
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let weight = whole.registry().definitions().len();
        let dropped = last.push(Joined { names, parts, whole: whole.clone() }, weight);
        drop(last);
        // A tool may run code when it is dropped.
        drop(dropped);
        whole
    }
}

fn are(some: &[Toolset], others: &[Toolset]) -> bool {
    some.len() == others.len() && some.iter().zip(others).all(|(one, other)| one.is(other))
}

impl ToolsProvider for Providers {
    fn tools<'a>(&'a self, caller: &'a Principal) -> BoxFuture<'a, Result<Toolset, DiscoveryError>> {
        Box::pin(self.joined(caller))
    }

    fn is_constant(&self) -> bool {
        self.parts.iter().all(|part| part.provider.is_constant())
    }

    /// Returns the store of the first provider, as for joined registries.
    #[cfg(feature = "tokio")]
    fn results(&self) -> Option<crate::results::ResultStore> {
        self.parts.first()?.provider.results()
    }
}

impl fmt::Debug for Providers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.parts.iter().map(|part| &part.name)).finish()
    }
}

/// Waits for all futures concurrently.
async fn all<T>(mut futures: Vec<BoxFuture<'_, T>>) -> Vec<T> {
    let mut values: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    poll_fn(|cx| {
        for (future, value) in futures.iter_mut().zip(&mut values) {
            if value.is_none()
                && let Poll::Ready(ready) = future.as_mut().poll(cx)
            {
                *value = Some(ready);
            }
        }
        if values.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    values.into_iter().flatten().collect()
}
