//! The store of the sessions of clients up to 2025-11-25, which several replicas share.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tool_core::BoxFuture;
use tool_core::logging::LogLevel;

use crate::protocol::{ClientInfo, MOST_SUBSCRIBED, RpcResult, SessionChange, too_many_subscriptions};

/// The most bytes that the URIs of a stored session may have, as JSON: each request reads them.
pub(crate) const MOST_STORED_BYTES: usize = 48 << 10;

/// Stores the sessions of clients up to 2025-11-25, so that each replica behind a load balancer can continue them: see
/// [`Server::sessions`](crate::Server::sessions).
///
/// The keys are digests: nobody can use a session with its key. The server compares the owner of a stored session to the caller
/// of each request. A store does not need to.
///
/// A session that is neither inserted, found nor replaced for a time `idle` expires: it is not found any more, and the store
/// deletes it. Each request finds its session, which has less than 64 KiB as JSON, unless the identifier of its owner is long.
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::Mutex;
/// use std::time::{Duration, Instant};
///
/// use tool_core::BoxFuture;
/// use tool_mcp::{SessionStore, SessionStoreError, StoredSession};
///
/// /// Sessions in the memory of one process.
/// #[derive(Debug, Default)]
/// struct MemorySessions(Mutex<HashMap<String, (StoredSession, Instant)>>);
///
/// impl SessionStore for MemorySessions {
///     fn insert<'a>(
///         &'a self,
///         key: &'a str,
///         session: &'a StoredSession,
///         idle: Duration,
///     ) -> BoxFuture<'a, Result<(), SessionStoreError>> {
///         let mut sessions = self.0.lock().unwrap();
///         sessions.retain(|_, (_, expires)| *expires > Instant::now());
///         sessions.insert(key.to_owned(), (session.clone(), Instant::now() + idle));
///         Box::pin(async { Ok(()) })
///     }
///
///     fn find<'a>(
///         &'a self,
///         key: &'a str,
///         idle: Duration,
///     ) -> BoxFuture<'a, Result<Option<StoredSession>, SessionStoreError>> {
///         let mut sessions = self.0.lock().unwrap();
///         let found = sessions.get_mut(key).filter(|(_, expires)| *expires > Instant::now());
///         let found = found.map(|(session, expires)| {
///             *expires = Instant::now() + idle;
///             session.clone()
///         });
///         Box::pin(async { Ok(found) })
///     }
///
///     fn replace<'a>(
///         &'a self,
///         key: &'a str,
///         session: &'a StoredSession,
///         idle: Duration,
///     ) -> BoxFuture<'a, Result<bool, SessionStoreError>> {
///         let mut sessions = self.0.lock().unwrap();
///         let found = sessions.get_mut(key).filter(|(found, _)| found.revision() + 1 == session.revision());
///         let is_replaced = found.map(|entry| *entry = (session.clone(), Instant::now() + idle)).is_some();
///         Box::pin(async move { Ok(is_replaced) })
///     }
///
///     fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), SessionStoreError>> {
///         self.0.lock().unwrap().remove(key);
///         Box::pin(async { Ok(()) })
///     }
/// }
///
/// let sessions = std::sync::Arc::new(MemorySessions::default());
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let server = tool_mcp::Server::new(registry).sessions(sessions);
/// ```
pub trait SessionStore: fmt::Debug + Send + Sync {
    /// Stores a new session durably before it returns.
    ///
    /// # Errors
    ///
    /// When the store cannot be reached. The client is answered with 503, and opens another session.
    fn insert<'a>(
        &'a self,
        key: &'a str,
        session: &'a StoredSession,
        idle: Duration,
    ) -> BoxFuture<'a, Result<(), SessionStoreError>>;

    /// Returns a session, which then expires after another time `idle`; `None` if it is unknown, removed or expired. A store
    /// may put off what it writes for this by a tenth of `idle`.
    ///
    /// # Errors
    ///
    /// When the store cannot be reached. The client is answered with 503, and sends its request again.
    fn find<'a>(
        &'a self,
        key: &'a str,
        idle: Duration,
    ) -> BoxFuture<'a, Result<Option<StoredSession>, SessionStoreError>>;

    /// Replaces a session if the stored one has the preceding [revision](StoredSession::revision), in one step. Returns `false`
    /// and changes nothing if it has another one, or is unknown.
    ///
    /// # Errors
    ///
    /// When the store cannot be reached. The session may be replaced or not.
    fn replace<'a>(
        &'a self,
        key: &'a str,
        session: &'a StoredSession,
        idle: Duration,
    ) -> BoxFuture<'a, Result<bool, SessionStoreError>>;

    /// Removes a session, if there is one.
    ///
    /// # Errors
    ///
    /// When the store cannot be reached. The client is answered with 503, and sends its request again.
    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), SessionStoreError>>;
}

/// What replicas share of a session: its owner, the version and capabilities that its client has negotiated, its log level, and
/// the resources that it has subscribed to. Stores keep it as JSON. It has no token and no header.
///
/// ```
/// let text = r#"{"revision":3,"owner":"ada","client":{"version":"2025-11-25","capabilities":{}}}"#;
/// let session: tool_mcp::StoredSession = serde_json::from_str(text)?;
/// assert_eq!((session.revision(), session.owner()), (3, Some("ada")));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredSession {
    revision: u64,
    owner: Option<String>,
    pub(crate) client: ClientInfo,
    #[serde(default = "default_log_level")]
    pub(crate) log_level: LogLevel,
    /// Whether the client has sent `notifications/initialized`.
    #[serde(default)]
    pub(crate) is_initialized: bool,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) subscribed: BTreeSet<String>,
}

/// Returns the log level of a session whose client has not set one.
fn default_log_level() -> LogLevel {
    LogLevel::Info
}

impl StoredSession {
    /// Returns a session that has just been opened.
    pub(crate) fn new(owner: Option<String>, client: ClientInfo) -> Self {
        let log_level = default_log_level();
        StoredSession {
            revision: 0,
            owner,
            client,
            log_level,
            is_initialized: false,
            subscribed: BTreeSet::new(),
        }
    }

    /// Returns how often the session was replaced.
    ///
    /// ```
    /// # let text = r#"{"revision":3,"owner":null,"client":{"version":"2025-11-25","capabilities":{}}}"#;
    /// # let session: tool_mcp::StoredSession = serde_json::from_str(text).unwrap();
    /// assert_eq!(session.revision(), 3);
    /// ```
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the identifier of the principal that opened the session; `None` for one without an identifier.
    ///
    /// ```
    /// # let text = r#"{"revision":3,"owner":"ada","client":{"version":"2025-11-25","capabilities":{}}}"#;
    /// # let session: tool_mcp::StoredSession = serde_json::from_str(text).unwrap();
    /// assert_eq!(session.owner(), Some("ada"));
    /// ```
    pub fn owner(&self) -> Option<&str> {
        self.owner.as_deref()
    }

    /// Returns the session after a change, with the next revision; `None` if the change has no effect.
    ///
    /// # Errors
    ///
    /// When the client subscribes to too many resources.
    pub(crate) fn changed(&self, change: &SessionChange) -> RpcResult<Option<Self>> {
        let mut changed = self.clone();
        match change {
            SessionChange::Client(client) => changed.client = client.clone(),
            SessionChange::Initialized => changed.is_initialized = true,
            SessionChange::LogLevel(level) => changed.log_level = *level,
            SessionChange::Subscribe(uri) => drop(changed.subscribed.insert(uri.clone())),
            SessionChange::Unsubscribe(uri) => drop(changed.subscribed.remove(uri)),
        }
        if changed == *self {
            return Ok(None);
        }
        if matches!(change, SessionChange::Subscribe(_)) && changed.has_too_many_subscriptions() {
            return Err(too_many_subscriptions(MOST_STORED_BYTES));
        }
        changed.revision += 1;
        Ok(Some(changed))
    }

    fn has_too_many_subscriptions(&self) -> bool {
        let bytes = serde_json::to_vec(&self.subscribed).map_or(usize::MAX, |text| text.len());
        self.subscribed.len() > MOST_SUBSCRIBED || bytes > MOST_STORED_BYTES
    }
}

/// The error of a [`SessionStore`] that cannot be reached, or whose sessions cannot be read. It goes to the log.
///
/// ```
/// use tool_mcp::SessionStoreError;
///
/// let error = SessionStoreError::new("connection refused");
/// assert_eq!(error.to_string(), "the session store failed: connection refused");
/// ```
#[derive(Debug, thiserror::Error)]
#[error("the session store failed: {0}")]
pub struct SessionStoreError(Box<dyn Error + Send + Sync>);

impl SessionStoreError {
    /// Creates an error from its cause, whose text must not have secrets.
    ///
    /// ```
    /// let error = tool_mcp::SessionStoreError::new(std::io::Error::other("reset"));
    /// ```
    pub fn new(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        SessionStoreError(cause.into())
    }
}
