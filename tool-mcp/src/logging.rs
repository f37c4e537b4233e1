//! The levels of what calls have to say, as the protocol writes them.
#![expect(deprecated, reason = "the protocol gives up logging in time; until then clients ask for it")]

use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::{Peer, RequestContext};
use rmcp::{RoleServer, ServiceError};
use serde_json::Value;
use tool_core::logging::LogLevel;

use crate::era::Era;
use crate::session::Asked;

/// The least that a client wants to hear of what the call of a request has to say; `None` for nothing at all. A request
/// that stands alone says it in its `_meta`, the client of a session before.
pub(crate) fn hears(cx: &RequestContext<RoleServer>) -> Option<LogLevel> {
    if Era::of(cx).is_modern() {
        cx.meta.log_level().map(level)
    } else {
        cx.extensions.get().map(|Asked(level)| *level)
    }
}

pub(crate) fn level(level: LoggingLevel) -> LogLevel {
    match level {
        LoggingLevel::Debug => LogLevel::Debug,
        LoggingLevel::Info => LogLevel::Info,
        LoggingLevel::Notice => LogLevel::Notice,
        LoggingLevel::Warning => LogLevel::Warning,
        LoggingLevel::Error => LogLevel::Error,
        LoggingLevel::Critical => LogLevel::Critical,
        LoggingLevel::Alert => LogLevel::Alert,
        LoggingLevel::Emergency => LogLevel::Emergency,
    }
}

fn written(level: LogLevel) -> LoggingLevel {
    match level {
        LogLevel::Debug => LoggingLevel::Debug,
        LogLevel::Info => LoggingLevel::Info,
        LogLevel::Notice => LoggingLevel::Notice,
        LogLevel::Warning => LoggingLevel::Warning,
        LogLevel::Error => LoggingLevel::Error,
        LogLevel::Critical => LoggingLevel::Critical,
        LogLevel::Alert => LoggingLevel::Alert,
        LogLevel::Emergency => LoggingLevel::Emergency,
    }
}

/// Tells a client what a tool has to say, which is the logger by its name.
pub(crate) async fn tell(
    peer: &Peer<RoleServer>,
    level: LogLevel,
    tool: String,
    data: Value,
) -> Result<(), ServiceError> {
    peer.notify_logging_message(notification(level, tool, data)).await
}

fn notification(level: LogLevel, tool: String, data: Value) -> LoggingMessageNotificationParam {
    LoggingMessageNotificationParam::new(written(level), data).with_logger(tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_written_and_read_as_itself() {
        for expected in LogLevel::ALL {
            assert_eq!(level(written(expected)), expected);
            let notification = notification(expected, "copy".to_owned(), "done".into());
            let json = serde_json::to_value(notification).unwrap();
            assert_eq!(
                json,
                serde_json::json!({"level": expected.as_str(), "logger": "copy", "data": "done"})
            );
        }
    }
}
