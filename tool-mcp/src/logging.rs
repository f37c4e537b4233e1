//! Log messages of tools as notifications.

use serde::Serialize;
use serde_json::Value;
use tool_core::logging::LogLevel;

use crate::protocol::Notification;

/// Parses a level of the protocol.
pub(crate) fn level(name: &str) -> Option<LogLevel> {
    LogLevel::ALL.into_iter().find(|level| level.as_str() == name)
}

/// The parameters of a notification of a log message; its logger is the tool.
#[derive(Serialize)]
pub(crate) struct LogParams {
    level: &'static str,
    logger: String,
    data: Value,
}

/// Returns the notification of a log message.
pub(crate) fn message(level: LogLevel, tool: String, data: Value) -> Notification<LogParams> {
    let params = LogParams { level: level.as_str(), logger: tool, data };
    Notification::new("notifications/message", params)
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
