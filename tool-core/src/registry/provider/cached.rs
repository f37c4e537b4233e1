//! A provider that is not asked on every request.

mod refresher;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::model::future::BoxFuture;
use crate::registry::provider::ToolsProvider;
use crate::registry::provider::cached::refresher::{Refresher, StoredResult};
use crate::registry::provider::discovery::DiscoveryError;
use crate::registry::provider::into::IntoToolsProvider;
use crate::registry::provider::toolset::Toolset;

/// How long a provider may take to answer unless told.
const PATIENCE: Duration = Duration::from_secs(30);

/// A provider whose answer is kept for some time. However many ask while it is being asked again, it is asked once.
///
/// Whoever asks when the time is over waits for the new list, unless an old one is to be served
/// [meanwhile](Self::stale_while_revalidate).
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use std::time::Duration;
/// use tool_core::Registry;
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
/// provider.tools().await.unwrap();
/// provider.tools().await.unwrap();
/// assert_eq!(ASKED.load(Ordering::Relaxed), 1);
/// # });
/// ```
pub struct Cached {
    refresher: Refresher,
    /// Ends what asks in the background.
    end: DropGuard,
}

impl Cached {
    /// Keeps the list of a provider for so long after it came.
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

    /// Serves the last list, however old it is, when the provider fails. It is asked again by the next request.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_core::Registry;
    /// # use tool_core::provider::Cached;
    /// let provider = Cached::new(Duration::from_secs(60), || Registry::builder().build()).serve_stale();
    /// ```
    #[must_use]
    pub fn serve_stale(mut self) -> Self {
        self.refresher.serve_stale = true;
        self
    }

    /// Serves a list for so long after its time is over, at once, while the provider is asked in the background: a slow one
    /// keeps nobody waiting (`stale-while-revalidate` of RFC 5861).
    ///
    /// A list that was [said to be out of date](Self::refresh) is served as well until there is another one;
    /// [`on_change`](Self::on_change) tells when there is. When the provider fails, that is in the log, it is asked again by a
    /// request a second later, and the last list is served meanwhile. Once a list is older than both times, a request waits
    /// for the provider again, and fails if the provider does.
    ///
    /// The provider is asked within the runtime that the request runs in. Without one of tokio a request waits, as it does without this.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_core::Registry;
    /// # use tool_core::provider::Cached;
    /// // Never older than a minute, and no request waits unless there was none for half of that.
    /// let half = Duration::from_secs(30);
    /// let provider = Cached::new(half, || Registry::builder().build()).stale_while_revalidate(half);
    /// ```
    #[must_use]
    pub fn stale_while_revalidate(mut self, time: Duration) -> Self {
        self.refresher.stale_for = Some(time);
        self
    }

    /// How long the provider may take to answer, after which it has failed; 30 seconds unless told. Without the timers of a
    /// runtime of tokio there is no such limit.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_core::Registry;
    /// # use tool_core::provider::Cached;
    /// let provider = Cached::new(Duration::from_secs(60), || async { Registry::builder().build() })
    ///     .timeout(Duration::from_secs(5));
    /// ```
    #[must_use]
    pub fn timeout(mut self, time: Duration) -> Self {
        self.refresher.patience = time;
        self
    }

    /// What is done when there is another list than the last one: a tool or a prompt came, went, or promises something else;
    /// or there is one again where the provider had failed. It must not wait; MCP clients are told with
    /// `move || changes.notify()`.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_core::Registry;
    /// # use tool_core::provider::Cached;
    /// let provider = Cached::new(Duration::from_secs(60), || Registry::builder().build())
    ///     .on_change(|| println!("there are other tools"));
    /// ```
    #[must_use]
    pub fn on_change(mut self, told: impl Fn() + Send + Sync + 'static) -> Self {
        self.refresher.on_change = Some(Arc::new(told));
        self
    }

    /// The list is out of date, as when what it was made of has changed: the next request asks anew. If this fails, the list
    /// is served for the rest of its time, and each request asks again.
    ///
    /// With [`stale_while_revalidate`](Self::stale_while_revalidate) the provider is asked in the background, and no request waits
    /// for it: at once where this is called within a runtime of tokio, and otherwise when the next request comes.
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
            StoredResult::Fresh(list) => Ok(list),
            StoredResult::Stale { list, may_ask } if !may_ask || self.ask_in_background() => Ok(list),
            StoredResult::Stale { .. } | StoredResult::Nothing => {
                let _left_to_it = LeftToIt(self);
                self.refresher.wait().await
            }
        }
    }

    /// Sees to it that somebody asks. Not where there is nothing to do this in.
    fn ask_in_background(&self) -> bool {
        let Ok(runtime) = Handle::try_current() else { return false };
        if let Some(turn) = self.refresher.turn() {
            let (refresher, end) = (self.refresher.clone(), self.end.token().clone());
            let asked = async move { refresher.ask_until_up_to_date(turn).await };
            runtime.spawn(end.run_until_cancelled_owned(asked));
        }
        true
    }
}

/// A request that waits. Whoever says meanwhile that the list is out of date leaves it to this one to ask, which ends before
/// it has where its caller goes away.
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
    fn tools(&self) -> BoxFuture<'_, Result<Toolset, DiscoveryError>> {
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
mod background;
#[cfg(test)]
mod tests;
