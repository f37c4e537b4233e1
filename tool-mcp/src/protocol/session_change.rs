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

#[cfg(test)]
mod tests {
    use axum::body::Bytes;

    use super::*;
    use crate::protocol::message::read;

    #[test]
    fn is_made_by_few_messages() {
        let change = |method: &str, params: &str| {
            let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
            let Ok(Message::Request(request)) = read(&Bytes::from(text)) else {
                panic!("no request: {params}")
            };
            SessionChange::of_request(&request)
        };
        let client =
            r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}"#;
        assert!(matches!(change("initialize", client), Some(SessionChange::Client(_))));
        assert!(matches!(
            change("logging/setLevel", r#"{"level":"error"}"#),
            Some(SessionChange::LogLevel(LogLevel::Error))
        ));
        let uri = r#"{"uri":"a://b"}"#;
        assert!(
            matches!(change("resources/subscribe", uri), Some(SessionChange::Subscribe(it)) if it == "a://b")
        );
        assert!(
            matches!(change("resources/unsubscribe", uri), Some(SessionChange::Unsubscribe(it)) if it == "a://b")
        );
        for (method, params) in [
            ("resources/read", uri),
            ("initialize", "{}"),
            ("logging/setLevel", r#"{"level":"loud"}"#),
            ("resources/subscribe", "{}"),
            ("ping", "{}"),
        ] {
            assert!(change(method, params).is_none(), "{method} {params}");
        }
        for (method, changes) in [("initialized", true), ("cancelled", false), ("progress", false)] {
            let text = format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{{}}}}"#);
            let change = SessionChange::of_notification(&read(&Bytes::from(text)).ok().unwrap());
            assert_eq!(matches!(change, Some(SessionChange::Initialized)), changes, "{method}");
            assert_eq!(change.is_some(), changes, "{method}");
        }
    }
}
