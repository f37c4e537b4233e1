//! Finds the `id` of a request in an invalid text.

use rmcp::model::RequestId;

/// Returns the `id` of a request, whatever else is wrong with the text, so that the client gets an answer. `None` if the text
/// does not begin with an object, its `id` is repeated or invalid, or it is a response.
pub(crate) fn request_id(text: &[u8]) -> Option<RequestId> {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text).trim_ascii_start();
    let (mut at, mut depth) = (0, 0_usize);
    let (mut id, mut ids, mut has_method, mut is_response) = (None, 0, false, false);
    while let Some(byte) = text.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let end = string_end(text, at);
                let value = text[end..].trim_ascii_start().strip_prefix(b":");
                if let Some(value) = value.filter(|_| depth == 1) {
                    match serde_json::from_slice::<String>(&text[at - 1..end]).as_deref() {
                        Ok("id") => (id, ids) = (value_id(value.trim_ascii_start()), ids + 1),
                        Ok("method") => has_method = true,
                        Ok("result" | "error") => is_response = true,
                        _ => {}
                    }
                }
                at = end;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    id.filter(|_| ids == 1 && (has_method || !is_response))
}

/// Returns the position after the closing quote of a string that begins before `at`, or the end of the text.
fn string_end(text: &[u8], mut at: usize) -> usize {
    while let Some(byte) = text.get(at) {
        at += match byte {
            b'"' => return at + 1,
            b'\\' => 2,
            _ => 1,
        };
    }
    text.len()
}

/// Parses the identifier at the beginning of a text.
fn value_id(text: &[u8]) -> Option<RequestId> {
    let end = match text.first()? {
        b'"' => string_end(text, 1),
        _ => text.iter().position(|byte| !matches!(byte, b'-' | b'0'..=b'9')).unwrap_or(text.len()),
    };
    let follows = text[end..].trim_ascii_start().first();
    let id = serde_json::from_slice(&text[..end]).ok();
    // A number at the end of the text may be cut off.
    let is_whole = matches!(follows, Some(b',' | b'}')) || follows.is_none() && text.starts_with(b"\"");
    id.filter(|_| is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_id_of_a_malformed_request() {
        for (text, id) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"#, Some("1")),
            (r#" { "i\u0064" : "a\"b" , "method":"a", "params": nul"#, Some(r#""a\"b""#)),
            (r#"{"method":"a","params":{"id":2,"x":[{"id":3}],},"id":1}"#, Some("1")),
            (r#"{"method":"a","params":{"x":"{\"}["},"id":1}"#, Some("1")),
            ("\u{feff}{\"id\":1}", Some("1")),
            (r#"{"method":"a","id":12"#, None),
            (r#"{"method":"a","id":"12""#, Some(r#""12""#)),
            (r#"{"id":1}{"id":2}"#, Some("1")),
            (r#"{"id":1,"method":"a","result":{}}"#, Some("1")),
            (r#"{"id":1,"result":{}}"#, None),
            (r#"{"id":1,"error":{}}"#, None),
            (r#"{"id":1,"id":2,"method":"a"}"#, None),
            (r#"{"id":null,"method":"a"}"#, None),
            (r#"{"id":1.5,"method":"a"}"#, None),
            (r#"{"id":1e3,"method":"a"}"#, None),
            (r#"{"id":[1],"method":"a"}"#, None),
            (r#"{"method":"a","params":{"id":1}}"#, None),
            (r#"[{"id":1,"method":"a"}]"#, None),
            (r#""id":1"#, None),
            (r#"{"id":"a"#, None),
            (r#"{"id":"#, None),
            (r#"{"id"#, None),
            ("", None),
        ] {
            let found = request_id(text.as_bytes()).map(|id| serde_json::to_string(&id).unwrap());
            assert_eq!(found.as_deref(), id, "{text}");
        }
    }
}
