//! Requests to call a tool or to list them that have everything they must have, and nothing else.
//!
//! rmcp lets through whatever is read here. What is not is not refused: it may be unusual, or no request at all.

use std::fmt;

use rmcp::model::{ClientCapabilities, ProgressToken, RequestId};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::envelope::is_plain;

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
#[serde(deny_unknown_fields, bound = "M: Deserialize<'de>")]
struct Call<'m, M> {
    name: &'m str,
    #[serde(borrow)]
    arguments: Option<&'m RawValue>,
    #[serde(rename = "_meta", default = "none", deserialize_with = "there")]
    meta: Option<M>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound = "M: Deserialize<'de>")]
struct List<M> {
    #[serde(rename = "_meta", default = "none", deserialize_with = "there")]
    meta: Option<M>,
}

/// Whatever stands there, also where it is `null`.
fn there<'de, D: Deserializer<'de>, T: Deserialize<'de>>(value: D) -> Result<Option<T>, D::Error> {
    T::deserialize(value).map(Some)
}

fn none<T>() -> Option<T> {
    None
}

impl<'m, M: Deserialize<'m>> Usual<'m, M> {
    /// The request that a message is; `None` where it is another, or needs a second look.
    pub(crate) fn read(text: &'m [u8]) -> Option<Self> {
        if !is_plain(text) {
            return None;
        }
        let Request { jsonrpc, id, method, params } = serde_json::from_slice(text).ok()?;
        if jsonrpc != "2.0" {
            return None;
        }
        match method {
            "tools/call" => {
                let Call { name, arguments, meta } = serde_json::from_str(params?.get()).ok()?;
                let arguments = arguments.map_or("", RawValue::get);
                let is_object = matches!(arguments.as_bytes().first(), None | Some(b'{'));
                is_object.then_some(Usual { id, asks: Asks::Call { name, arguments }, meta })
            }
            "tools/list" => {
                let List { meta } = match params {
                    Some(params) => serde_json::from_str(params.get()).ok()?,
                    None => List { meta: None },
                };
                Some(Usual { id, asks: Asks::List, meta })
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
