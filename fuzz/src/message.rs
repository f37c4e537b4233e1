//! The reader of messages.

use serde_json::Value;
use tool_mcp::fuzzing::read;

use crate::json_rpc::{Frame, error_code, is_json};

/// Reads a text as a message.
///
/// - What is accepted is JSON, and an object.
/// - A request is read with its own `id`, and a rejection has the `id` if it can be read.
/// - A parse error says that the text is not JSON, and no other error does.
/// - The members may be written in another way: the text is accepted all the same.
pub fn message(text: &[u8]) {
    let outcome = read(text);
    if std::str::from_utf8(text).is_err() {
        let error = outcome.expect_err("accepts what is not UTF-8");
        assert_eq!(error_code(&error), -32700, "wrong code for what is not UTF-8");
        return;
    }
    let frame = Frame::parse(text);
    match &outcome {
        Ok(id) => {
            let frame = frame.unwrap_or_else(|| panic!("accepts what is not a JSON object"));
            let expected = if frame.has("method") { frame.id() } else { None };
            assert_eq!(id, &expected, "the request has another `id`");
            if let Ok(value) = serde_json::from_slice::<Value>(text) {
                assert_eq!(read(value.to_string().as_bytes()), outcome, "reads it otherwise when rewritten");
            }
        }
        Err(error) => {
            let code = error_code(error);
            assert!(matches!(code, -32700 | -32600 | -32602), "unexpected code {code}");
            assert_eq!(code == -32700, !is_json(text), "wrong code {code} for what is (not) JSON");
            let Some(frame) = frame else { return };
            let is_response = frame.has("result") || frame.has("error");
            let is_request = frame.has("method") || !is_response;
            let id = error.get("id").filter(|id| !id.is_null()).cloned();
            let expected = frame.plain_id().filter(|_| is_request);
            assert_eq!(id, expected, "the error has another `id`");
        }
    }
}
