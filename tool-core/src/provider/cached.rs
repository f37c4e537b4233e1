//! A provider that is not asked on every request.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use crate::provider::{DiscoveryError, IntoToolsProvider, Provider, ToolsProvider, Toolset};
use crate::tool::BoxFuture;

/// A provider whose answer is kept for some time. However many ask while it is being asked again, it is asked once.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use std::time::Duration;
/// use tool_core::{Cached, IntoToolsProvider, Registry};
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
    provider: Provider,
    time_to_live: Duration,
    serve_stale: bool,
    /// Held while the provider is asked, so that the others wait for its answer.
    state: Mutex<State>,
    /// How often the provider has answered.
    answers: AtomicU64,
    /// How often it was said that the list is out of date.
    changes: AtomicU64,
    /// A clock that is never set back.
    now: fn() -> Instant,
}

#[derive(Default)]
struct State {
    /// The last list, and when it came.
    list: Option<(Toolset, Instant)>,
    /// Of how many changes that list knows.
    listed_after: u64,
    /// Of how many changes whoever was asked last could know.
    asked_after: u64,
    /// What came of the last question: a list, an error, or the last list in its place.
    answer: Option<Result<Toolset, DiscoveryError>>,
}

impl Cached {
    /// Keeps the list of a provider for so long after it came.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_core::{Cached, Registry};
    /// let provider = Cached::new(Duration::from_secs(60), || async { Registry::builder().build() });
    /// ```
    pub fn new<Marker>(time_to_live: Duration, provider: impl IntoToolsProvider<Marker>) -> Self {
        Cached {
            provider: provider.into_provider(),
            time_to_live,
            serve_stale: false,
            state: Mutex::default(),
            answers: AtomicU64::new(0),
            changes: AtomicU64::new(0),
            now: Instant::now,
        }
    }

    /// Serves the last list, however old it is, when the provider fails. It is asked again by the next request.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_core::{Cached, Registry};
    /// let provider = Cached::new(Duration::from_secs(60), || Registry::builder().build()).serve_stale();
    /// ```
    #[must_use]
    pub fn serve_stale(mut self) -> Self {
        self.serve_stale = true;
        self
    }

    /// The list is out of date, as when what it was made of has changed: the next request asks anew. If this fails, the list
    /// is served for the rest of its time, and each request asks again.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::time::Duration;
    /// use tool_core::{Cached, IntoToolsProvider, Registry};
    ///
    /// let cached = Arc::new(Cached::new(Duration::from_secs(60), || Registry::builder().allow_empty().build()));
    /// let provider = Arc::clone(&cached).into_provider();
    /// // Later, when there are other tools:
    /// cached.refresh();
    /// ```
    pub fn refresh(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    async fn current(&self) -> Result<Toolset, DiscoveryError> {
        let before = self.answers.load(Ordering::Acquire);
        // Whoever asks the provider may go away meanwhile: the next in line then asks in its place.
        let mut state = self.state.lock().await;
        // What changes from here on may not be in the answer.
        let changes = self.changes.load(Ordering::Acquire);
        let kept =
            state.list.as_ref().filter(|(_, came)| (self.now)().duration_since(*came) < self.time_to_live);
        let kept = kept.map(|(list, _)| list.clone());
        if let Some(list) = &kept
            && state.listed_after == changes
        {
            return Ok(list.clone());
        }
        if self.answers.load(Ordering::Acquire) != before
            && state.asked_after == changes
            && let Some(answer) = &state.answer
        {
            return answer.clone();
        }
        let answer = match self.provider.ask().await {
            Ok(list) => {
                state.list = Some((list.clone(), (self.now)()));
                state.listed_after = changes;
                Ok(list)
            }
            Err(error) => {
                let stale = state.list.as_ref().filter(|_| self.serve_stale).map(|(list, _)| list.clone());
                match kept.or(stale) {
                    Some(last) => {
                        tracing::warn!(%error, "the tools could not be listed anew: the last list is served");
                        Ok(last)
                    }
                    None => Err(error),
                }
            }
        };
        state.asked_after = changes;
        state.answer = Some(answer.clone());
        self.answers.fetch_add(1, Ordering::Release);
        answer
    }
}

impl ToolsProvider for Cached {
    fn tools(&self) -> BoxFuture<'_, Result<Toolset, DiscoveryError>> {
        Box::pin(self.current())
    }

    fn results(&self) -> Option<crate::results::ResultStore> {
        self.provider.results()
    }
}

impl fmt::Debug for Cached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cached").field("time_to_live", &self.time_to_live).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
