//! Log messages of tools as notifications.
#![expect(deprecated, reason = "the protocol is going to drop logging; until then clients ask for it")]

use rmcp::model::{
    LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParam, ServerNotification,
};
use serde_json::Value;
use tool_core::logging::LogLevel;

/// Parses a level of the protocol.
pub(crate) fn level(name: &str) -> Option<LogLevel> {
    LogLevel::ALL.into_iter().find(|level| level.as_str() == name)
}

fn protocol_level(level: LogLevel) -> LoggingLevel {
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

/// Returns the notification of a log message; its logger is the tool.
pub(crate) fn message(level: LogLevel, tool: String, data: Value) -> ServerNotification {
    let params = LoggingMessageNotificationParam::new(protocol_level(level), data).with_logger(tool);
    ServerNotification::LoggingMessageNotification(LoggingMessageNotification::new(params))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_every_level_in_both_directions() {
        for expected in LogLevel::ALL {
            assert_eq!(level(expected.as_str()), Some(expected));
            let json = serde_json::to_value(message(expected, "copy".to_owned(), "done".into())).unwrap();
            let expected = serde_json::json!({"level": expected.as_str(), "logger": "copy", "data": "done"});
            assert_eq!(json["params"], expected);
        }
    }
}
