//! What becomes of results that are too large to be shown: they are kept, and read in parts.

mod index;
mod limits;
pub(crate) mod part;
mod preview;
mod reading;
mod search;
mod size;
mod storage;
mod stored;
mod truncate;
mod writing;

use std::fmt;
use std::sync::Arc;

pub use crate::results::preview::{Preview, PreviewPart};
pub use limits::ResultLimits;
pub use part::{ParseSpanError, PartError, ResultPart, Span};
pub use search::{Found, FoundLine};
pub use storage::{ResultStorage, StoredObject};
pub use stored::{Excerpt, StoredResult};

use bytes::Bytes;
use serde_json::Value;

use crate::definition::ToolDefinition;
use crate::model::access::Principal;
use crate::model::digest::Digest;
use crate::model::failure::Failure;
use crate::model::output::Output;
use crate::results::preview::{Part, Whole, parts};
use crate::results::writing::State;

#[doc = include_str!("../docs/results.md")]
#[derive(Clone)]
pub struct ResultStore(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    storage: Arc<dyn ResultStorage>,
    pub(crate) limits: ResultLimits,
    /// The tools whose results are kept; all of them, where nothing is said.
    tools: Option<ToolPredicate>,
    state: Arc<State>,
}

type ToolPredicate = Arc<dyn Fn(&ToolDefinition) -> bool + Send + Sync>;

impl ResultStore {
    /// A store in a directory, with the feature `results`. Nobody else may look into; it is made where there is none. What was kept there before is
    /// kept on, so that a link outlives the process that gave it. Several processes may share it: each reads what the others
    /// keep, and counts what it knows of.
    ///
    /// # Errors
    ///
    /// When the directory cannot be made or read, is none, or others may look into it.
    ///
    /// ```
    /// # let cache = tempfile::tempdir()?;
    /// # let cache = cache.path();
    /// let store = tool_core::results::ResultStore::local(cache.join("weather/results"))?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[cfg(feature = "results")]
    pub fn local(directory: impl AsRef<std::path::Path>) -> std::io::Result<Self> {
        Ok(ResultStore::on(storage::Local::open(directory.as_ref())?))
    }

    /// A store in memory, for tests, and for programs whose results need not outlive them. Needs the feature `results`.
    ///
    /// ```
    /// let store = tool_core::results::ResultStore::memory();
    /// ```
    #[cfg(feature = "results")]
    pub fn memory() -> Self {
        ResultStore::on(storage::memory())
    }

    /// A store on what the application has: see [`ResultStorage`].
    ///
    /// ```
    /// fn store(storage: impl tool_core::results::ResultStorage + 'static) -> tool_core::results::ResultStore {
    ///     tool_core::results::ResultStore::on(storage)
    /// }
    /// ```
    pub fn on(storage: impl ResultStorage + 'static) -> Self {
        ResultStore(Arc::new(Inner {
            storage: Arc::new(storage),
            limits: ResultLimits::new(),
            tools: None,
            state: Arc::default(),
        }))
    }

    /// The same store with other limits.
    ///
    /// ```
    /// # #[cfg(feature = "results")] {
    /// use tool_core::results::{ResultLimits, ResultStore};
    ///
    /// let store = ResultStore::memory().limits(ResultLimits::new().threshold(10_000));
    /// # }
    /// ```
    #[must_use]
    pub fn limits(&self, limits: ResultLimits) -> Self {
        let Inner { storage, tools, state, .. } = &*self.0;
        let (storage, tools, state) = (Arc::clone(storage), tools.clone(), Arc::clone(state));
        ResultStore(Arc::new(Inner { storage, limits, tools, state }))
    }

    /// Returns the same store, which keeps the results only of tools for which `predicate` returns `true`. The results of the
    /// others are shown in full, whatever their size.
    ///
    /// ```
    /// # #[cfg(feature = "results")] {
    /// use tool_core::results::ResultStore;
    ///
    /// let store = ResultStore::memory().for_tools(|tool| tool.tags().any(|tag| tag == "search"));
    /// # }
    /// ```
    #[must_use]
    pub fn for_tools(&self, predicate: impl Fn(&ToolDefinition) -> bool + Send + Sync + 'static) -> Self {
        let Inner { storage, limits, state, .. } = &*self.0;
        let (storage, state) = (Arc::clone(storage), Arc::clone(state));
        ResultStore(Arc::new(Inner { storage, limits: *limits, tools: Some(Arc::new(predicate)), state }))
    }

    /// Returns `true` if results of this tool are kept where they are too large.
    pub(crate) fn is_for(&self, tool: &ToolDefinition) -> bool {
        self.0.tools.as_ref().is_none_or(|predicate| predicate(tool))
    }

    /// Returns `true` if a value that the tool returns may be too large to be shown.
    pub(crate) fn may_shorten(&self, tool: &ToolDefinition) -> bool {
        if !self.is_for(tool) {
            return false;
        }
        // Of a tool that is written by hand the schema is kept as text, and not as a value.
        let schema = tool.output_schema_text().and_then(|text| serde_json::from_str(&text).ok());
        let is_declared = !tool.source().module.is_empty();
        let largest =
            schema.and_then(|schema: Value| match tool.output().and_then(|output| output.wrapped) {
                // The object around it is ours, and has no other member.
                Some(true) => size::largest(&schema["properties"]["result"], is_declared),
                _ => size::largest(&schema, is_declared),
            });
        largest.is_none_or(|bytes| bytes > self.0.limits.above)
    }

    /// Above how many bytes a text is kept and shortened.
    ///
    /// ```
    /// # #[cfg(feature = "results")]
    /// assert_eq!(tool_core::results::ResultStore::memory().threshold(), 50_000);
    /// ```
    pub fn threshold(&self) -> usize {
        self.0.limits.above
    }

    /// Keeps a text or bytes for one caller, and nobody else; however large they are.
    ///
    /// # Errors
    ///
    /// When they are more than the store takes in all, or the storage cannot take them.
    ///
    /// ```
    /// # #[cfg(feature = "results")]
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use tool_core::Principal;
    /// use tool_core::results::ResultStore;
    ///
    /// let store = ResultStore::memory();
    /// let ada = Principal::new("ada");
    /// let digest = store.keep(&ada, "text/plain", "a long text").await.unwrap();
    /// assert!(store.read(&ada, digest).await.unwrap().is_some());
    /// assert!(store.read(&Principal::new("bob"), digest).await.unwrap().is_none());
    /// # });
    /// ```
    pub async fn keep(
        &self,
        principal: &Principal,
        media_type: &str,
        content: impl Into<Bytes>,
    ) -> Result<Digest, ResultStoreError> {
        self.put(principal, media_type, &content.into()).await
    }

    /// What was kept for this caller under a digest; `None` where there is nothing, nothing any more, or what there is was
    /// kept for others: nobody can tell these apart.
    ///
    /// # Errors
    ///
    /// When the storage cannot be read.
    ///
    /// ```
    /// # #[cfg(feature = "results")]
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use tool_core::{Digest, Principal};
    /// use tool_core::results::ResultStore;
    ///
    /// let unknown = Digest::of_bytes(b"nothing");
    /// assert!(ResultStore::memory().read(&Principal::local(), unknown).await.unwrap().is_none());
    /// # });
    /// ```
    pub async fn read(
        &self,
        principal: &Principal,
        digest: Digest,
    ) -> Result<Option<StoredResult>, ResultStoreError> {
        self.get(principal, digest).await
    }

    /// An excerpt of a text that is too large to be shown, which is made anew only when its key is another: the whole is kept
    /// for this caller, and made once as long as it is. `None` for a text that is small enough.
    ///
    /// A listing of tools has the name of their server and the digest of the list for a key, and is reused until something
    /// changes. Where it cannot be kept the excerpt has no digest.
    ///
    /// ```
    /// # #[cfg(feature = "results")]
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use tool_core::{Digest, Principal};
    /// use tool_core::results::ResultStore;
    ///
    /// let store = ResultStore::memory();
    /// let key = Digest::of_bytes(b"weather, version 1");
    /// let listing = || "one tool\n".repeat(10_000);
    /// let first = store.excerpt(&Principal::local(), key, "text/plain", listing).await;
    /// let second = store.excerpt(&Principal::local(), key, "text/plain", || unreachable!()).await;
    /// assert_eq!(first.unwrap(), second.unwrap());
    /// # });
    /// ```
    pub async fn excerpt(
        &self,
        principal: &Principal,
        key: Digest,
        media_type: &str,
        make: impl FnOnce() -> String,
    ) -> Option<Excerpt> {
        if let Some(known) = self.known(principal, key) {
            return Some(known);
        }
        let text = make();
        if text.len() <= self.0.limits.above {
            return None;
        }
        let excerpt = self.excerpt_of(principal, &Whole::text(media_type, text)).await;
        self.remember(principal, key, &excerpt);
        Some(excerpt)
    }

    /// Whether both are one store, with whatever limits.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0.state, &other.0.state)
    }

    /// Returns what is shown in the place of a result that is too large, and keeps the rest for whoever called.
    pub(crate) async fn shorten(
        &self,
        result: &Result<Output, Failure>,
        principal: &Principal,
    ) -> Option<Preview> {
        let parts = parts(result, &self.0.limits);
        if parts.is_empty() {
            return None;
        }
        let mut pieces = Vec::with_capacity(parts.len());
        for part in parts {
            pieces.push(match part {
                Part::Stays(content) => PreviewPart::Content(content.clone()),
                Part::Goes(whole) => PreviewPart::Excerpt(self.excerpt_of(principal, &whole).await),
            });
        }
        Some(Preview::new(pieces))
    }

    /// Returns `true` if a result may have to be shortened: the usual one is looked at no further.
    pub(crate) fn is_large(&self, result: &Result<Output, Failure>) -> bool {
        let limits = &self.0.limits;
        match result {
            Ok(output) => output.size() > limits.above.min(limits.media_above),
            Err(failure) => failure.message().len() > limits.above / 2,
        }
    }

    async fn excerpt_of(&self, principal: &Principal, whole: &Whole<'_>) -> Excerpt {
        let content = &whole.bytes;
        let digest = match self.put(principal, whole.media_type, content).await {
            Ok(digest) => Some(digest),
            Err(error) => {
                let cause = std::error::Error::source(&error).map(ToString::to_string);
                tracing::error!(%error, cause, bytes = content.len(), "a large result could not be kept");
                None
            }
        };
        whole.excerpt(&self.0.limits, digest)
    }
}

impl fmt::Debug for ResultStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultStore").field("limits", &self.0.limits).finish_non_exhaustive()
    }
}

/// Why a result cannot be kept or read.
///
/// ```
/// use tool_core::results::ResultStoreError;
///
/// let error = ResultStoreError::TooLarge { bytes: 300, most: 200 };
/// assert_eq!(error.to_string(), "300 bytes are more than the 200 that are kept in all");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultStoreError {
    /// It is larger than all that is kept may be.
    #[error("{bytes} bytes are more than the {most} that are kept in all")]
    TooLarge {
        /// How large it is.
        bytes: u64,
        /// How much is kept in all.
        most: u64,
    },
    /// The storage failed: a full disk, a directory that is gone.
    #[error("the storage of results failed")]
    Storage(#[from] std::io::Error),
    /// The storage did not answer in time.
    #[error("the storage of results did not answer in time")]
    Late,
}
