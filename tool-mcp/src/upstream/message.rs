//! Reads the messages of a server within bounds. An answer that cannot be read becomes the error of its request, and a page of
//! tools loses no more than the tools that cannot be read.

use std::borrow::Cow;
use std::fmt;

use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// The code of an answer that cannot be read. It is no code of the protocol: if a server sends it, its words are shown without a
/// number.
pub(super) const UNREADABLE: ErrorCode = ErrorCode(i32::MIN);

/// The member of a page's `_meta` with the tools that could not be read.
pub(super) const LEFT_OUT: &str = "tool-core/unreadable";

/// Bytes of a message for each value that it may have: a value takes a multiple of its text in memory.
const BYTES_PER_VALUE: usize = 32;

/// Bytes of the definition of one tool, in a message that is large: more than its schemas and descriptions may have.
const LARGEST_TOOL: usize = 1024 * 1024;

/// Characters of the name of a tool that cannot be read.
const LONGEST_NAME: usize = 128;

/// A tool of a list that cannot be read.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq, Hash)]
pub(super) struct UnreadableTool {
    pub(super) name: String,
    pub(super) reason: String,
}

/// Reads a message of at most `limit` bytes. `None` for text that is no message, and for a message that nobody waits for and
/// that cannot be read.
pub(super) fn read(bytes: &[u8], limit: usize) -> Option<ServerJsonRpcMessage> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if let Some(message) = read_small(bytes, limit) {
        return Some(message);
    }
    let most_values = limit / BYTES_PER_VALUE;
    let is_large = bytes.len() > most_values;
    let text = String::from_utf8_lossy(bytes);
    let frame = Frame::read(&text);
    if let Some(page) = frame.page(matches!(text, Cow::Owned(_)), most_values) {
        return Some(page);
    }
    if is_large && values(bytes) > most_values {
        return frame.unreadable(&format!("it has more than {most_values} values"));
    }
    if is_large && let Ok(message) = serde_json::from_slice(bytes) {
        return Some(message);
    }
    frame.unreadable(&fault(bytes))
}

/// Returns `true` for a message that is read as it is, without a look at how many values it has.
pub(super) fn is_readable(bytes: &[u8], limit: usize) -> bool {
    read_small(bytes, limit).is_some()
}

/// Reads a message that is too short to have too many values.
fn read_small(bytes: &[u8], limit: usize) -> Option<ServerJsonRpcMessage> {
    if bytes.len() > limit / BYTES_PER_VALUE {
        return None;
    }
    serde_json::from_slice(bytes).ok()
}

/// The error of the request that a message of more than `limit` bytes answers, if its beginning says which that is.
pub(super) fn too_long(beginning: &[u8], limit: usize) -> Option<ServerJsonRpcMessage> {
    Frame::read(&String::from_utf8_lossy(beginning)).unreadable(&over(limit))
}

/// The error of a request whose answer cannot be read.
pub(super) fn unreadable(id: RequestId, reason: &str) -> ServerJsonRpcMessage {
    let message = format!("a message that cannot be read: {reason}");
    ServerJsonRpcMessage::error(ErrorData::new(UNREADABLE, message, None), Some(id))
}

/// Why a message is not read to its end.
pub(super) fn over(limit: usize) -> String {
    format!("it has more than {limit} bytes")
}

/// What is wrong with a text that is no message.
fn fault(bytes: &[u8]) -> String {
    match serde_json::from_slice::<Value>(bytes) {
        Ok(_) => "it is not a message of JSON-RPC".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// How many values a JSON text has, and members of objects, roughly.
fn values(text: &[u8]) -> usize {
    let (mut values, mut bytes) = (1, text.iter());
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => loop {
                match bytes.next() {
                    Some(b'"') | None => break,
                    Some(b'\\') => drop(bytes.next()),
                    Some(_) => {}
                }
            },
            b',' | b':' | b'[' | b'{' => values += 1,
            _ => {}
        }
    }
    values
}

/// The members of a message, whose values are not looked into. Of a text that breaks off, or is no JSON from some point on, those
/// before it.
#[derive(Default)]
struct Frame<'m> {
    id: Option<RequestId>,
    result: Option<&'m RawValue>,
    /// It has a `result` or an `error`.
    answers: bool,
    /// It has a `method`: it is not an answer, whatever else it is.
    asks: bool,
    /// It was read to its end.
    complete: bool,
}

impl<'m> Frame<'m> {
    fn read(text: &'m str) -> Self {
        let mut frame = Frame::default();
        let mut json = serde_json::Deserializer::from_str(text);
        frame.complete = (&mut frame).deserialize(&mut json).and_then(|()| json.end()).is_ok();
        frame
    }

    /// The request that this answers.
    fn answered(&self) -> Option<&RequestId> {
        self.id.as_ref().filter(|_| !self.asks && (self.answers || self.complete))
    }

    fn unreadable(&self, reason: &str) -> Option<ServerJsonRpcMessage> {
        Some(unreadable(self.answered()?.clone(), reason))
    }

    /// The message, if it is a page of tools, with those tools that can be read, of at most `most_values` values together.
    fn page(&self, is_lossy: bool, most_values: usize) -> Option<ServerJsonRpcMessage> {
        let (id, result) = (self.answered().filter(|_| self.complete)?, self.result?);
        let mut page: Members<'_> = serde_json::from_str(result.get()).ok()?;
        let at = page.0.iter().position(|(name, _)| name == "tools")?;
        let tools: Vec<&RawValue> = serde_json::from_str(page.0.remove(at).1.get()).ok()?;
        let (mut kept, mut left_out) = (Vec::new(), Vec::new());
        let mut room = most_values;
        for tool in tools {
            let values = values(tool.get().as_bytes());
            let read = match tool.get().len() <= LARGEST_TOOL {
                true if values > room => Err("the list is too large".to_owned()),
                true => read_tool(tool.get(), is_lossy),
                false => Err(over(LARGEST_TOOL)),
            };
            match read {
                Ok(tool) => {
                    room -= values;
                    kept.push(tool);
                }
                Err(reason) => {
                    let reason = format!("its definition cannot be read: {reason}");
                    left_out.push(UnreadableTool { name: name_of(tool), reason });
                }
            }
        }
        page.0.retain(|(name, _)| name != "_meta");
        let mut result = serde_json::json!({"_meta": {LEFT_OUT: left_out}, "tools": kept});
        // Whatever else cannot be read makes the page one that cannot be read.
        for (name, value) in &page.0 {
            result[name] = serde_json::from_str(value.get()).ok()?;
        }
        serde_json::from_value(serde_json::json!({"jsonrpc": "2.0", "id": id, "result": result})).ok()
    }
}

/// Reads the definition of a tool, or says why it cannot be read.
fn read_tool(tool: &str, is_lossy: bool) -> Result<Value, String> {
    if is_lossy && tool.contains(char::REPLACEMENT_CHARACTER) {
        return Err("it is not UTF-8".to_owned());
    }
    serde_json::from_str(tool).map_err(|error| error.to_string())
}

/// The name of a tool, if that can be read.
fn name_of(tool: &RawValue) -> String {
    let members = serde_json::from_str::<Members<'_>>(tool.get()).unwrap_or_default();
    let name = members.0.iter().find(|(member, _)| member == "name");
    let name: String = name.and_then(|(_, name)| serde_json::from_str(name.get()).ok()).unwrap_or_default();
    name.chars().take(LONGEST_NAME).collect()
}

impl<'m> DeserializeSeed<'m> for &mut Frame<'m> {
    type Value = ();

    fn deserialize<D: Deserializer<'m>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'m> Visitor<'m> for &mut Frame<'m> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<A: MapAccess<'m>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<Cow<'m, str>>()? {
            match &*name {
                "id" => self.id = Some(members.next_value()?),
                "result" => {
                    self.answers = true;
                    self.result = Some(members.next_value()?);
                }
                "error" => {
                    self.answers = true;
                    members.next_value::<IgnoredAny>()?;
                }
                "method" => {
                    self.asks = true;
                    members.next_value::<IgnoredAny>()?;
                }
                _ => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// The members of an object, each as it was written.
#[derive(Default)]
struct Members<'m>(Vec<(String, &'m RawValue)>);

impl<'de: 'm, 'm> Deserialize<'de> for Members<'m> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;

        impl<'de> Visitor<'de> for Each {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
                    if members.iter().any(|(other, _)| *other == name) {
                        return Err(A::Error::custom("a member is given twice"));
                    }
                    members.push((name, value));
                }
                Ok(members)
            }
        }

        deserializer.deserialize_map(Each).map(Members)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const LIMIT: usize = 1 << 20;

    fn read_as_json(text: &str) -> Value {
        serde_json::to_value(read(text.as_bytes(), LIMIT)).unwrap()
    }

    #[test]
    fn turns_unreadable_answers_into_errors() {
        let nested = "[".repeat(200) + &"]".repeat(200);
        let digits = "9".repeat(400);
        for (text, id, reason) in [
            (r#"{"jsonrpc":"2.0","id":5,"result":{"a":"\ud800"}}"#, json!(5), "hex escape"),
            (r#"{"result":{"a":"\ud800"},"id":"5","jsonrpc":"2.0"}"#, json!("5"), "hex escape"),
            (
                &format!(r#"{{"jsonrpc":"2.0","id":5,"result":{nested}}}"#),
                json!(5),
                "recursion limit exceeded",
            ),
            (&format!(r#"{{"jsonrpc":"2.0","id":5,"result":{digits}}}"#), json!(5), "number out of range"),
            (r#"{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"\udead"}}"#, json!(5), "hex escape"),
            (r#"{"jsonrpc":"2.0","id":5,"result":{"a":[1,"#, json!(5), "EOF while parsing"),
            (r#"{"jsonrpc":"2.0","id":5}"#, json!(5), "it is not a message of JSON-RPC"),
            (r#"{"id":5,"result":{}}"#, json!(5), "it is not a message of JSON-RPC"),
        ] {
            let answer = read_as_json(text);
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(UNREADABLE.0)), "{text:.80}");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(
                message.starts_with("a message that cannot be read: ") && message.contains(reason),
                "{message}"
            );
        }
    }

    #[test]
    fn ignores_messages_that_are_not_answers() {
        for text in [
            "",
            "hello",
            "[]",
            "5",
            r#"{"jsonrpc":"2.0","result":{"a":"\ud800"}}"#,
            r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":"\ud800"}"#,
            r#"{"jsonrpc":"2.0","id":5,"params":{"a":"#,
            r#"{"jsonrpc":"2.0","id":{},"result":"\ud800"}"#,
        ] {
            assert_eq!(read_as_json(text), Value::Null, "{text}");
        }
    }

    #[test]
    fn keeps_the_readable_tools_of_a_page() {
        let text = r#"{"jsonrpc":"2.0","id":5,"result":{"nextCursor":"2","_meta":{"a":1},"tools":[
            {"name":"good","inputSchema":{"type":"object"}},{"name":"bad","description":"\ud800"},{"name":"\ud800"}]}}"#;
        let page = read_as_json(text);
        assert_eq!(page["result"]["nextCursor"], "2");
        assert_eq!(page["result"]["tools"], json!([{"name": "good", "inputSchema": {"type": "object"}}]));
        let left_out: Vec<UnreadableTool> =
            serde_json::from_value(page["result"]["_meta"][LEFT_OUT].clone()).unwrap();
        assert_eq!(left_out.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["bad", ""]);
        assert!(left_out[0].reason.starts_with("its definition cannot be read: "), "{left_out:?}");
        // An unreadable cursor fails the whole page.
        let unreadable =
            read_as_json(r#"{"jsonrpc":"2.0","id":5,"result":{"nextCursor":"\ud800","tools":[]}}"#);
        assert_eq!(unreadable["error"]["code"], UNREADABLE.0);
    }

    #[test]
    fn limits_bytes_and_values_of_a_message() {
        let answer = |result: &str| format!(r#"{{"jsonrpc":"2.0","id":5,"result":{result}}}"#);
        let many = answer(&format!("[0{}]", ",0".repeat(LIMIT / BYTES_PER_VALUE)));
        let error = read_as_json(&many)["error"]["message"].clone();
        assert_eq!(error, "a message that cannot be read: it has more than 32768 values");
        let long = answer(&json!({"text": "x".repeat(LIMIT / 2)}).to_string());
        assert!(read_as_json(&long)["result"]["text"].is_string());
        let schema =
            format!("{{{}}}", (0..20_000).map(|n| format!(r#""p{n}":{{}}"#)).collect::<Vec<_>>().join(","));
        let list =
            answer(&format!(r#"{{"tools":[{{"name":"large","inputSchema":{schema}}},{{"name":"small"}}]}}"#));
        let page = read_as_json(&list);
        assert_eq!(page["result"]["tools"], json!([{"name": "small"}]));
        let reason = &page["result"]["_meta"][LEFT_OUT][0]["reason"];
        assert_eq!(reason, "its definition cannot be read: the list is too large");
        let beginning = &long.as_bytes()[..100];
        let truncated = serde_json::to_value(too_long(beginning, 100)).unwrap();
        assert_eq!(
            truncated["error"]["message"],
            "a message that cannot be read: it has more than 100 bytes"
        );
    }
}
