//! Results that are too large to be shown: they are stored, and read in parts.

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
pub use search::{LineMatch, SearchMatches};
pub use storage::{ManagedStorage, SharedStorage, StoredBytes, StoredObject};
pub use stored::{Excerpt, StoredResult};

use bytes::Bytes;
use serde_json::Value;

use crate::definition::ToolDefinition;
use crate::model::access::Principal;
use crate::model::digest::Digest;
use crate::model::failure::Failure;
use crate::model::output::Output;
use crate::results::preview::{ResultContent, WholeResult, parts};
use crate::results::storage::Storage;
use crate::results::writing::StoreState;

#[doc = include_str!("../docs/results.md")]
#[derive(Clone)]
pub struct ResultStore(pub(crate) Arc<Inner>);

#[derive(Clone)]
pub(crate) struct Inner {
    storage: Storage,
    pub(crate) limits: ResultLimits,
    /// The tools whose results are stored; all by default.
    tools: Option<StoredToolPredicate>,
    state: Arc<StoreState>,
}

type StoredToolPredicate = Arc<dyn Fn(&ToolDefinition) -> bool + Send + Sync>;

impl ResultStore {
    /// Opens a store in a directory, which must be private to this user and is created if it does not exist. Needs the feature
    /// `results`. The store serves results that are in the directory already, so that a link outlives its process. Several
    /// processes may share a directory: each can read the results of the others, but counts only results that it has seen.
    ///
    /// # Errors
    ///
    /// If the directory cannot be created or read, is not a directory, or is accessible to other users.
    ///
    /// ```
    /// # let cache = tempfile::tempdir()?;
    /// # let cache = cache.path();
    /// let store = tool_core::results::ResultStore::local(cache.join("weather/results"))?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[cfg(feature = "results")]
    pub fn local(directory: impl AsRef<std::path::Path>) -> std::io::Result<Self> {
        Ok(ResultStore::managed(storage::Local::open(directory.as_ref())?))
    }

    /// Creates a store in memory, for tests and for programs whose results need not outlive them. Needs the feature `results`.
    ///
    /// ```
    /// let store = tool_core::results::ResultStore::memory();
    /// ```
    #[cfg(feature = "results")]
    pub fn memory() -> Self {
        ResultStore::managed(storage::memory())
    }

    /// Creates a store on a storage that several processes may share, and that deletes old entries itself, such as a bucket with a
    /// lifecycle rule.
    ///
    /// The store never lists the storage, and deletes nothing. A result that is older than its [age](ResultLimits::age) is not found,
    /// a result that is [too large](ResultLimits::largest) is not stored, and no limit depends on how many processes there are.
    ///
    /// ```
    /// fn store(bucket: impl tool_core::results::SharedStorage + 'static) -> tool_core::results::ResultStore {
    ///     tool_core::results::ResultStore::shared(bucket)
    /// }
    /// ```
    ///
    /// A storage from which the store has to delete is for [`managed`](Self::managed):
    ///
    /// ```compile_fail,E0277
    /// fn store(table: impl tool_core::results::ManagedStorage + 'static) -> tool_core::results::ResultStore {
    ///     tool_core::results::ResultStore::shared(table)
    /// }
    /// ```
    pub fn shared(storage: impl SharedStorage + 'static) -> Self {
        ResultStore::new(Storage::Shared(Arc::new(storage)))
    }

    /// Creates a store on a storage of the application that the store lists, and whose size and age it limits.
    ///
    /// ```
    /// fn store(table: impl tool_core::results::ManagedStorage + 'static) -> tool_core::results::ResultStore {
    ///     tool_core::results::ResultStore::managed(table)
    /// }
    /// ```
    pub fn managed(storage: impl ManagedStorage + 'static) -> Self {
        ResultStore::new(Storage::Managed(Arc::new(storage)))
    }

    fn new(storage: Storage) -> Self {
        let state = StoreState::new(storage.managed().is_some());
        let limits = ResultLimits::new();
        ResultStore(Arc::new(Inner { storage, limits, tools: None, state: Arc::new(state) }))
    }

    /// Sets the limits of the store.
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
        ResultStore(Arc::new(Inner { limits, ..Inner::clone(&self.0) }))
    }

    /// Stores only results of tools for which `predicate` returns `true`. Results of other tools are shown in full, whatever
    /// their size.
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
        ResultStore(Arc::new(Inner { tools: Some(Arc::new(predicate)), ..Inner::clone(&self.0) }))
    }

    /// Returns `true` if large results of this tool are stored.
    pub(crate) fn is_for(&self, tool: &ToolDefinition) -> bool {
        self.0.tools.as_ref().is_none_or(|predicate| predicate(tool))
    }

    /// Returns `true` if a value that the tool returns may be too large to be shown.
    pub(crate) fn may_shorten(&self, tool: &ToolDefinition) -> bool {
        if !self.is_for(tool) {
            return false;
        }
        // A dynamic tool stores its schema as text.
        let schema = tool.output_schema_text().and_then(|text| serde_json::from_str(&text).ok());
        let is_declared = !tool.source().module.is_empty();
        let largest =
            schema.and_then(|schema: Value| match tool.output().and_then(|output| output.wrapped) {
                // The wrapping object has no other member.
                Some(true) => size::largest(&schema["properties"]["result"], is_declared),
                _ => size::largest(&schema, is_declared),
            });
        largest.is_none_or(|bytes| bytes > self.0.limits.above)
    }

    /// Returns the size in bytes above which a text is stored and shortened.
    ///
    /// ```
    /// # #[cfg(feature = "results")]
    /// assert_eq!(tool_core::results::ResultStore::memory().threshold(), 50_000);
    /// ```
    pub fn threshold(&self) -> usize {
        self.0.limits.above
    }

    /// Stores a text or bytes of any size for one caller. Other callers cannot read it.
    ///
    /// # Errors
    ///
    /// If it is larger than the [largest result](ResultLimits::largest), or the storage fails.
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

    /// Reads the result with this digest that was stored for this caller; `None` if there is none, it has expired, or it was
    /// stored for others.
    ///
    /// # Errors
    ///
    /// If the storage cannot be read.
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

    /// Returns an excerpt of a text that is too large to be shown, and stores the text for this caller. The excerpt is cached
    /// by its key. Returns `None` for a text that is small enough.
    ///
    /// For example, the key of a list of tools is the name of its server and the digest of the list. If the text cannot be
    /// stored, the excerpt has no digest.
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
        if let Some(existing) = self.existing(principal, key) {
            return Some(existing);
        }
        let text = make();
        if text.len() <= self.0.limits.above {
            return None;
        }
        let excerpt = self.excerpt_of(principal, &WholeResult::text(media_type, text)).await;
        self.remember(principal, key, &excerpt);
        Some(excerpt)
    }

    /// Returns `true` if both are the same store, ignoring limits.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0.state, &other.0.state)
    }

    /// Returns the preview of a result that is too large, and stores the rest for the caller.
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
                ResultContent::Stays(content) => PreviewPart::Content(content.clone()),
                ResultContent::Goes(whole) => PreviewPart::Excerpt(self.excerpt_of(principal, &whole).await),
            });
        }
        Some(Preview::new(pieces))
    }

    /// Returns `true` if a result may have to be shortened, with a fast path for small ones.
    pub(crate) fn is_large(&self, result: &Result<Output, Failure>) -> bool {
        let limits = &self.0.limits;
        match result {
            Ok(output) => output.size() > limits.above.min(limits.media_above),
            Err(failure) => failure.message().len() > limits.above / 2,
        }
    }

    async fn excerpt_of(&self, principal: &Principal, whole: &WholeResult<'_>) -> Excerpt {
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

/// Why a result cannot be stored or read.
///
/// ```
/// use tool_core::results::ResultStoreError;
///
/// let error = ResultStoreError::TooLarge { bytes: 300, most: 200 };
/// assert_eq!(error.to_string(), "300 bytes are more than the 200 that a result may have");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultStoreError {
    /// The result is larger than the [largest result](ResultLimits::largest).
    #[error("{bytes} bytes are more than the {most} that a result may have")]
    TooLarge {
        /// The size of the result, with its media type as it is stored.
        bytes: u64,
        /// The size of the largest result.
        most: u64,
    },
    /// The storage failed, for example because a disk is full.
    #[error("the storage of results failed")]
    Storage(#[from] std::io::Error),
    /// The storage did not answer in time.
    #[error("the storage of results did not answer in time")]
    Late,
}
