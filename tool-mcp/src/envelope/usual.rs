//! Requests to call a tool or to list them that have everything they must have, and nothing else.
//!
//! rmcp lets through whatever is read here. What is not is not refused: it may be unusual, or no request at all.

use std::fmt;

use rmcp::model::{ClientCapabilities, ProgressToken, ProtocolVersion, RequestId};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::envelope::plain::is_plain;

/// What may stand between the parts of JSON.
const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// A request with such a `_meta`.
pub(crate) struct Usual<'m, M> {
    pub(crate) id: RequestId,
    pub(crate) asks: Asks<'m>,
    /// `None` where it has none.
    pub(crate) meta: Option<M>,
}

/// What it asks for.
pub(crate) enum Asks<'m> {
    /// A call of a tool; without arguments they are empty, and otherwise an object.
    Call { name: &'m str, arguments: &'m str },
    /// The first page of the list.
    List,
}

/// The `_meta` of a request that stands alone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Alone<'m> {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    pub(crate) version: &'m str,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    pub(crate) capabilities: ClientCapabilities,
    #[serde(rename = "io.modelcontextprotocol/clientInfo")]
    _info: Option<IgnoredAny>,
}

/// The `_meta` of a request of a session.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InSession {
    #[serde(rename = "progressToken")]
    pub(crate) token: Option<ProgressToken>,
}

/// The `_meta` of a request where those of both eras come on one stream.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EitherMeta<'m> {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion", borrow)]
    version: Option<&'m str>,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Option<ClientCapabilities>,
    #[serde(rename = "io.modelcontextprotocol/clientInfo")]
    info: Option<IgnoredAny>,
    #[serde(rename = "progressToken")]
    token: Option<ProgressToken>,
}

impl EitherMeta<'_> {
    /// Returns the capabilities of the client if the request stands alone.
    pub(crate) fn alone(&self) -> Option<&ClientCapabilities> {
        let is_alone = self.token.is_none() && self.version == Some(ProtocolVersion::V_2026_07_28.as_str());
        self.capabilities.as_ref().filter(|_| is_alone)
    }

    /// Returns the rest of it if the request is of a session.
    pub(crate) fn in_session(&self) -> Option<InSession> {
        let says_nothing = self.version.is_none() && self.capabilities.is_none() && self.info.is_none();
        says_nothing.then(|| InSession { token: self.token.clone() })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request<'m> {
    jsonrpc: &'m str,
    id: RequestId,
    method: &'m str,
    #[serde(borrow, default, deserialize_with = "there")]
    params: Option<&'m RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call<'m> {
    name: &'m str,
    #[serde(borrow)]
    arguments: Option<&'m RawValue>,
    #[serde(rename = "_meta", borrow, default, deserialize_with = "there")]
    meta: Option<&'m RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct List<'m> {
    #[serde(rename = "_meta", borrow, default, deserialize_with = "there")]
    meta: Option<&'m RawValue>,
}

/// Whatever stands there, also where it is `null`.
fn there<'de, D: Deserializer<'de>>(value: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(value).map(Some)
}

/// The members of an object. A list would be read as them in their order.
fn object<'m, T: Deserialize<'m>>(text: &'m str) -> Option<T> {
    text.starts_with('{').then(|| serde_json::from_str(text).ok()).flatten()
}

impl<'m, M: Deserialize<'m>> Usual<'m, M> {
    /// The request that a message is; `None` where it is another, or needs a second look.
    pub(crate) fn read(text: &'m [u8]) -> Option<Self> {
        if !is_plain(text) {
            return None;
        }
        let Request { jsonrpc, id, method, params } =
            object(std::str::from_utf8(text).ok()?.trim_start_matches(SPACE))?;
        if jsonrpc != "2.0" {
            return None;
        }
        let read = |meta: Option<&'m RawValue>| match meta {
            Some(meta) => object(meta.get()).map(Some),
            None => Some(None),
        };
        match method {
            "tools/call" => {
                let Call { name, arguments, meta } = object(params?.get())?;
                let arguments = arguments.map_or("", RawValue::get);
                let is_object = matches!(arguments.as_bytes().first(), None | Some(b'{'));
                let asks = is_object.then_some(Asks::Call { name, arguments })?;
                Some(Usual { id, asks, meta: read(meta)? })
            }
            "tools/list" => {
                let List { meta } = params.map_or(Some(List::default()), |params| object(params.get()))?;
                Some(Usual { id, asks: Asks::List, meta: read(meta)? })
            }
            _ => None,
        }
    }
}

impl Asks<'_> {
    pub(crate) fn method(&self) -> &'static str {
        match self {
            Asks::Call { .. } => "tools/call",
            Asks::List => "tools/list",
        }
    }
}

impl<M> fmt::Debug for Usual<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Usual")
            .field("id", &self.id)
            .field("method", &self.asks.method())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_session(text: &str) -> Option<(String, Option<bool>)> {
        let usual = Usual::<InSession>::read(text.as_bytes())?;
        let asked = match usual.asks {
            Asks::Call { name, arguments } => format!("{} {name}({arguments})", usual.id),
            Asks::List => format!("{} list", usual.id),
        };
        Some((asked, usual.meta.map(|meta| meta.token.is_some())))
    }

    #[test]
    fn requests_of_a_session_are_read_or_left() {
        let frame = |rest: &str| format!(r#"{{"jsonrpc":"2.0","id":"a",{rest}}}"#);
        for (rest, expected) in [
            (r#""method":"tools/list""#, Some(("a list", None))),
            (r#""method":"tools/list","params":{}"#, Some(("a list", None))),
            (r#""method":"tools/list","params":{"_meta":{}}"#, Some(("a list", Some(false)))),
            (r#""method":"tools/list","params":{"_meta":{"progressToken":1}}"#, Some(("a list", Some(true)))),
            (r#""method":"tools/list","params":null"#, None),
            (r#""method":"tools/list","params":[]"#, None),
            (r#""method":"tools/list","params":{"cursor":"1"}"#, None),
            (r#""method":"tools/list","params":{"_meta":[]}"#, None),
            (r#""method":"tools/list","params":{"_meta":[1]}"#, None),
            (r#""method":"tools/call","params":["b"]"#, None),
            (r#""method":"tools/call","params":["b",{}]"#, None),
            (r#""method":"tools/list","params":{"_meta":null}"#, None),
            (r#""method":"tools/call","params":{"name":"b"}"#, Some(("a b()", None))),
            (
                r#""method":"tools/call","params":{"name":"b","arguments":{"c":1}}"#,
                Some((r#"a b({"c":1})"#, None)),
            ),
            (r#""method":"tools/call","params":{"name":"b","arguments":null}"#, Some(("a b()", None))),
            (
                r#""method":"tools/call","params":{"name":"b","_meta":{"progressToken":"x"}}"#,
                Some(("a b()", Some(true))),
            ),
            (r#""method":"tools/call","params":{"name":"b","_meta":null}"#, None),
            (r#""method":"tools/call","params":{"name":"b","_meta":{"progressToken":1.5}}"#, None),
            (r#""method":"tools/call","params":{"name":"b","_meta":{"traceparent":"x"}}"#, None),
            (r#""method":"tools/call","params":{"name":"b","arguments":[]}"#, None),
            (r#""method":"tools/call","params":{"name":"b","name":"c"}"#, None),
            (r#""method":"tools/call","params":{"name":"b","task":{}}"#, None),
            (r#""method":"tools/call","params":{"name":5}"#, None),
            (r#""method":"tools/call""#, None),
            (r#""method":"tools/call","params":{"name":"b"},"id":1"#, None),
            (r#""method":"tools/call","params":{"name":"b"},"result":{}"#, None),
            (r#""method":"ping""#, None),
        ] {
            let read = in_session(&frame(rest));
            assert_eq!(read, expected.map(|(asked, token)| (asked.to_owned(), token)), "{rest}");
        }
        let spaced = r#" { "jsonrpc": "2.0", "id": 5, "method": "tools/list" } "#;
        assert_eq!(in_session(spaced), Some(("5 list".to_owned(), None)));
        for space in ["\u{b}", "\u{c}", "\u{85}", "\u{a0}", "\u{2028}", "\u{feff}"] {
            assert_eq!(in_session(&format!("{space}{}", spaced.trim())), None, "{space:?}");
        }
        assert_eq!(in_session(r#"["2.0",1,"tools/list"]"#), None);
        assert_eq!(in_session(r#"["2.0",1,"tools/call",{"name":"b"}]"#), None);
        assert_eq!(in_session(r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#), None);
        assert_eq!(in_session(r#"{"jsonrpc":"2.0","method":"tools/list"}"#), None);
        assert_eq!(in_session(r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#), None);
        assert_eq!(in_session(r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#), None);
    }
}
