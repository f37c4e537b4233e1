//! The `_meta` of a request.

use rmcp::model::{ClientCapabilities, ProgressToken, ProtocolVersion};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use tool_core::TraceParent;
use tool_core::logging::LogLevel;

use crate::elicitation::Capabilities;
use crate::logging::level;

/// The `_meta` of a request. A member of another type counts as absent.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Meta {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion", default, deserialize_with = "lenient")]
    pub(crate) version: Option<ProtocolVersion>,
    #[serde(
        rename = "io.modelcontextprotocol/clientCapabilities",
        default,
        deserialize_with = "capabilities"
    )]
    pub(crate) capabilities: Option<Capabilities>,
    #[serde(rename = "io.modelcontextprotocol/logLevel", default, deserialize_with = "log_level")]
    pub(crate) log_level: Option<LogLevel>,
    #[serde(rename = "progressToken", default, deserialize_with = "lenient")]
    pub(crate) progress_token: Option<ProgressToken>,
    /// The idempotency key of a call, whatever its type is.
    #[serde(rename = "tool-core/idempotencyKey")]
    pub(crate) idempotency_key: Option<Value>,
    #[serde(default, deserialize_with = "trace")]
    pub(crate) traceparent: Option<TraceParent>,
}

impl Meta {
    /// Returns the members that a request without a session needs and this one lacks.
    pub(crate) fn missing(&self) -> Vec<&'static str> {
        let [version, capabilities] = REQUIRED;
        let absent = [(version, self.version.is_none()), (capabilities, self.capabilities.is_none())];
        absent.into_iter().filter_map(|(key, is_absent)| is_absent.then_some(key)).collect()
    }
}

/// The members of `_meta` that a request without a session needs.
pub(crate) const REQUIRED: [&str; 2] =
    ["io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"];

fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned>(value: D) -> Result<Option<T>, D::Error> {
    Value::deserialize(value).map(|value| serde_json::from_value(value).ok())
}

fn capabilities<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Capabilities>, D::Error> {
    lenient::<D, ClientCapabilities>(value).map(|declared| declared.as_ref().map(Capabilities::declared))
}

fn log_level<'de, D: Deserializer<'de>>(value: D) -> Result<Option<LogLevel>, D::Error> {
    Value::deserialize(value).map(|value| level(value.as_str()?))
}

fn trace<'de, D: Deserializer<'de>>(value: D) -> Result<Option<TraceParent>, D::Error> {
    Value::deserialize(value).map(|value| value.as_str()?.parse().ok())
}
