//! A provider that caches its tools.

mod refresher;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::model::access::Principal;
use crate::model::future::BoxFuture;
use crate::model::setters::setters;
use crate::registry::provider::ToolsProvider;
use crate::registry::provider::cached::refresher::{Refresher, StoredTools};
use crate::registry::provider::discovery::DiscoveryError;
use crate::registry::provider::into::IntoToolsProvider;
use crate::registry::provider::toolset::Toolset;

/// The default time limit of a provider.
const PATIENCE: Duration = Duration::from_secs(30);

/// A provider that caches the tools of another one for some time. Concurrent requests share one query.
///
/// When the time is over, requests wait for the new list, unless the old one is served
/// [meanwhile](Self::stale_while_revalidate). All callers get the same list, so the other provider is queried for an
/// [anonymous](Principal::anonymous) caller; [`Keyed`](crate::provider::Keyed) has one cache for each tenant.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use std::time::Duration;
/// use tool_core::{Principal, Registry};
/// use tool_core::provider::{Cached, IntoToolsProvider};
///
/// static ASKED: AtomicUsize = AtomicUsize::new(0);
///
/// let provider = Cached::new(Duration::from_secs(60), || {
///     ASKED.fetch_add(1, Ordering::Relaxed);
///     Registry::builder().allow_empty().build()
/// });
/// let provider = provider.into_provider();
/// # tool_core::private::block_on(async {
/// provider.tools(&Principal::anonymous()).await.unwrap();
/// provider.tools(&Principal::anonymous()).await.unwrap();
/// assert_eq!(ASKED.load(Ordering::Relaxed), 1);
/// # });
/// ```
#[must_use]
pub struct Cached {
    refresher: Refresher,
    /// Cancels the query in the background.
    end: DropGuard,
}

impl Cached {
    /// Caches the list of a provider for `time_to_live`.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_core::Registry;
    /// # use tool_core::provider::Cached;
    /// let provider = Cached::new(Duration::from_secs(60), || async { Registry::builder().build() });
    /// ```
    pub fn new<Marker>(time_to_live: Duration, provider: impl IntoToolsProvider<Marker>) -> Self {
        let refresher = Refresher::new(provider.into_provider(), time_to_live, PATIENCE);
        Cached { refresher, end: CancellationToken::new().drop_guard() }
    }

    setters! {
        /// Serves the last list, however old, if the provider fails. The next request queries it again.
        ///
        /// ```
        /// # use std::time::Duration;
        /// # use tool_core::Registry;
        /// # use tool_core::provider::Cached;
        /// let provider = Cached::new(Duration::from_secs(60), || Registry::builder().build()).serve_stale();
        /// ```
        pub fn serve_stale() => refresher.serve_stale = true;

        /// Serves an expired list for `time` while the provider is queried in the background, so that a slow provider does not
        /// delay requests (`stale-while-revalidate` of RFC 5861).
        ///
        /// A list that was [invalidated](Self::refresh) is served as well until there is a new one, which
        /// [`on_change`](Self::on_change) reports. If the provider fails, the error is logged, the last list is served, and a
        /// request one second later queries again. Once a list is older than both times, a request waits for the provider and fails
        /// if the provider fails.
        ///
        /// The query runs in the tokio runtime of the request. Without tokio, a request waits as it does without this option.
        ///
        /// ```
        /// # use std::time::Duration;
        /// # use tool_core::Registry;
        /// # use tool_core::provider::Cached;
        /// // Never older than a minute, and no request waits unless there was none for half of that.
        /// let half = Duration::from_secs(30);
        /// let provider = Cached::new(half, || Registry::builder().build()).stale_while_revalidate(half);
        /// ```
        pub fn stale_while_revalidate(time: Duration) => refresher.stale_for = Some(time);

        /// Sets the time limit of the provider, after which it has failed; the default is 30 seconds. Without tokio timers there is
        /// no limit.
        ///
        /// ```
        /// # use std::time::Duration;
        /// # use tool_core::Registry;
        /// # use tool_core::provider::Cached;
        /// let provider = Cached::new(Duration::from_secs(60), || async { Registry::builder().build() })
        ///     .timeout(Duration::from_secs(5));
        /// ```
        pub fn timeout(time: Duration) => refresher.patience = time;

        /// Calls this function if the list has changed: a tool or a prompt was added, removed or changed in what it promises, or a
        /// provider that had failed answers again. The function must not block. For MCP clients, pass `move || changes.notify()`.
        ///
        /// ```
        /// # use std::time::Duration;
        /// # use tool_core::Registry;
        /// # use tool_core::provider::Cached;
        /// let provider = Cached::new(Duration::from_secs(60), || Registry::builder().build())
        ///     .on_change(|| println!("there are other tools"));
        /// ```
        pub fn on_change(listener: impl Fn() + Send + Sync + 'static) => refresher.on_change = Some(Arc::new(listener));
    }

    /// Invalidates the list, for example if its source has changed: the next request queries the provider. If that fails, the
    /// list is served for the rest of its time, and each request queries again.
    ///
    /// With [`stale_while_revalidate`](Self::stale_while_revalidate) the provider is queried in the background: at once inside
    /// a tokio runtime, and otherwise at the next request.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::time::Duration;
    /// use tool_core::Registry;
    /// use tool_core::provider::{Cached, IntoToolsProvider};
    ///
    /// let cached = Arc::new(Cached::new(Duration::from_secs(60), || Registry::builder().allow_empty().build()));
    /// let provider = Arc::clone(&cached).into_provider();
    /// // Later, when there are other tools:
    /// cached.refresh();
    /// ```
    pub fn refresh(&self) {
        self.refresher.is_out_of_date();
        if self.refresher.stale_for.is_some() {
            self.ask_in_background();
        }
    }

    async fn current(&self) -> Result<Toolset, DiscoveryError> {
        match self.refresher.kept() {
            StoredTools::Fresh(list) => Ok(list),
            StoredTools::Stale { list, may_ask } if !may_ask || self.ask_in_background() => Ok(list),
            StoredTools::Stale { .. } | StoredTools::Nothing => {
                let _left_to_it = LeftToIt(self);
                self.refresher.wait().await
            }
        }
    }

    /// Starts a query in the background, if there is a runtime and a list may be served meanwhile.
    fn ask_in_background(&self) -> bool {
        let Ok(runtime) = Handle::try_current() else { return false };
        if let Some(turn) = self.refresher.turn() {
            let (refresher, end) = (self.refresher.clone(), self.end.token().clone());
            let query = async move { refresher.ask_until_up_to_date(turn).await };
            runtime.spawn(end.run_until_cancelled_owned(query));
        }
        true
    }
}

/// A waiting request. A refresh during its query is handled by the same query, also if the caller of the request leaves.
struct LeftToIt<'c>(&'c Cached);

impl Drop for LeftToIt<'_> {
    fn drop(&mut self) {
        let LeftToIt(Cached { refresher, .. }) = self;
        if refresher.stale_for.is_some() && refresher.is_behind() {
            self.0.ask_in_background();
        }
    }
}

impl ToolsProvider for Cached {
    fn tools<'a>(&'a self, _: &'a Principal) -> BoxFuture<'a, Result<Toolset, DiscoveryError>> {
        Box::pin(self.current())
    }

    fn results(&self) -> Option<crate::results::ResultStore> {
        self.refresher.provider.results()
    }
}

impl fmt::Debug for Cached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cached").field("time_to_live", &self.refresher.time_to_live).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
