//! The session of a client, over either transport.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use rmcp::model::{InitializeRequestParams, ProtocolVersion, RequestId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use tool_core::logging::LogLevel;

use crate::elicitation::Capabilities;
use crate::protocol::era::Era;
use crate::protocol::in_flight::InFlight;
use crate::protocol::outbox::{Outbox, Subscriber};
use crate::protocol::server_requests::ServerRequests;
use crate::protocol::subscribed_uris::{Replaced, SubscribedUris};
use crate::session_store::StoredSession;
use crate::sync::lock;

/// The properties of the client of a session that responses depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClientInfo {
    #[serde(rename = "version")]
    pub(crate) era: Era,
    pub(crate) capabilities: Capabilities,
}

impl ClientInfo {
    /// Returns the properties of a client that sends `initialize`: it gets the version that it asks for, or the latest one.
    pub(crate) fn negotiated(request: &InitializeRequestParams) -> Self {
        let requested = &request.protocol_version;
        let is_supported = requested.has_initialize() && ProtocolVersion::KNOWN_VERSIONS.contains(requested);
        let version = if is_supported { requested.clone() } else { ProtocolVersion::V_2025_11_25 };
        ClientInfo { era: Era::of(version), capabilities: Capabilities::declared(&request.capabilities) }
    }
}

/// The state between the requests of one client.
pub(crate) struct Session {
    /// `None` until the client has sent `initialize`.
    client: Mutex<Option<ClientInfo>>,
    log_level: Mutex<LogLevel>,
    /// The requests of the client.
    pub(crate) in_flight: InFlight,
    /// The requests to the client.
    pub(crate) server_requests: ServerRequests,
    /// The resources that the client has subscribed to.
    pub(crate) subscribed: Arc<SubscribedUris>,
    /// The stream for messages that belong to no request.
    pub(crate) outbox: Outbox,
    /// Identifies the session in traces: a part of the digest of its identifier, with which nobody can use the session.
    /// `None` over stdio.
    pub(crate) digest: Option<String>,
    is_initialized: AtomicBool,
    /// The revision of the session in the session store that was restored last.
    restored: Mutex<u64>,
    /// Canceled when the session ends.
    pub(crate) end: CancellationToken,
}

impl Session {
    /// Creates a session that numbers its requests to the client from `first`.
    pub(crate) fn new(outbox: Outbox, digest: Option<String>, first: i64) -> Self {
        Session {
            client: Mutex::default(),
            log_level: Mutex::new(LogLevel::Info),
            in_flight: InFlight::default(),
            server_requests: ServerRequests::numbered_from(first),
            subscribed: Arc::default(),
            outbox,
            digest,
            is_initialized: AtomicBool::new(false),
            restored: Mutex::default(),
            end: CancellationToken::new(),
        }
    }

    pub(crate) fn client(&self) -> Option<ClientInfo> {
        lock(&self.client).clone()
    }

    /// Begins the session, or begins it anew with another client.
    pub(crate) fn open(&self, client: ClientInfo) {
        *lock(&self.client) = Some(client);
    }

    /// Takes over what the session store has, unless it is older than what was taken over before.
    pub(crate) fn restore(&self, stored: &StoredSession) -> Replaced {
        let mut restored = lock(&self.restored);
        if stored.revision() < *restored {
            return Replaced::default();
        }
        *restored = stored.revision();
        self.open(stored.client.clone());
        self.set_log_level(stored.log_level);
        self.subscribed.replace(&stored.subscribed)
    }

    pub(crate) fn log_level(&self) -> LogLevel {
        *lock(&self.log_level)
    }

    pub(crate) fn set_log_level(&self, level: LogLevel) {
        *lock(&self.log_level) = level;
    }

    /// Returns `true` once: when the client of an open session says that it is initialized.
    pub(crate) fn initialize(&self) -> bool {
        self.client().is_some() && !self.is_initialized.swap(true, Ordering::Relaxed)
    }

    pub(crate) fn is_initialized(&self) -> bool {
        self.is_initialized.load(Ordering::Relaxed)
    }

    /// Cancels the request that a notification names.
    pub(crate) fn cancel(&self, params: &Map<String, Value>) {
        let id = params.get("requestId").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
        id.iter().for_each(|id| self.in_flight.cancel(id));
    }

    pub(crate) fn subscriber(&self) -> Subscriber {
        Subscriber { outbox: self.outbox.clone(), subscription: None }
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use axum::body::Bytes;
    use serde_json::json;
    use tool_core::BoxFuture;

    use super::*;
    use crate::protocol::outbox::{Closed, Outgoing};

    struct Discarded;

    impl Outgoing for Discarded {
        fn send(&self, _: Bytes) -> BoxFuture<'_, Result<(), Closed>> {
            Box::pin(ready(Ok(())))
        }
    }

    #[test]
    fn restores_no_older_state_of_the_session_store() {
        let session = Session::new(Outbox::new(Arc::new(Discarded)), None, 0);
        assert!(!session.initialize(), "it is not open");
        for (revision, level, expected) in [
            (0, "error", LogLevel::Error),
            (2, "alert", LogLevel::Alert),
            (1, "debug", LogLevel::Alert),
            (0, "debug", LogLevel::Alert),
            (3, "notice", LogLevel::Notice),
        ] {
            let client = json!({"version": "2025-11-25", "capabilities": {}});
            let stored = json!({"revision": revision, "owner": null, "client": client, "log_level": level});
            session.restore(&serde_json::from_value(stored).unwrap());
            assert_eq!(session.log_level(), expected, "{revision}");
        }
        assert!(!session.is_initialized());
        assert_eq!((session.initialize(), session.initialize()), (true, false));
        assert!(session.is_initialized());
    }
}
