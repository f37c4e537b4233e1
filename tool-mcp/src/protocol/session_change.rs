//! The changes of a session that its client makes.

use rmcp::model::InitializeRequestParams;
use serde::Deserialize as _;
use serde_json::Value;
use tool_core::logging::LogLevel;

use crate::logging;
use crate::protocol::message::{Message, Params, RpcRequest};
use crate::protocol::session::ClientInfo;

/// A change of a session, which other replicas must learn.
#[derive(Clone, Debug)]
pub(crate) enum SessionChange {
    /// The client has begun the session anew.
    Client(ClientInfo),
    Initialized,
    LogLevel(LogLevel),
    /// The client has subscribed to a resource.
    Subscribe(String),
    /// The client has unsubscribed from a resource.
    Unsubscribe(String),
}

impl SessionChange {
    /// Returns the change that a request makes if it succeeds.
    pub(crate) fn of_request(request: &RpcRequest) -> Option<Self> {
        let Params::Other(params) = &request.params else { return None };
        let text = |member: &str| params.get(member).and_then(Value::as_str);
        match request.method.as_str() {
            "initialize" => {
                let opened = InitializeRequestParams::deserialize(params).ok()?;
                Some(SessionChange::Client(ClientInfo::negotiated(&opened)))
            }
            "logging/setLevel" => text("level").and_then(logging::level).map(SessionChange::LogLevel),
            "resources/subscribe" => text("uri").map(|uri| SessionChange::Subscribe(uri.to_owned())),
            "resources/unsubscribe" => text("uri").map(|uri| SessionChange::Unsubscribe(uri.to_owned())),
            _ => None,
        }
    }

    /// Returns the change that a notification makes.
    pub(crate) fn of_notification(message: &Message) -> Option<Self> {
        match message {
            Message::Notification { method, .. } if method == "notifications/initialized" => {
                Some(SessionChange::Initialized)
            }
            _ => None,
        }
    }
}
