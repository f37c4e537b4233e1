//! The members of a message.

use std::fmt;
use std::marker::PhantomData;

use rmcp::model::{ErrorCode, ErrorData};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::protocol::message::meta::Meta;

/// The members of a message. `derive` refuses a second one of the same name, however it is escaped.
#[derive(Default, Deserialize)]
pub(super) struct MessageFrame<'m> {
    #[serde(borrow)]
    pub(super) jsonrpc: Option<&'m RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(super) id: Option<&'m RawValue>,
    pub(super) method: Option<String>,
    #[serde(borrow)]
    pub(super) params: Option<FrameParams<'m>>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(super) result: Option<&'m RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(super) error: Option<&'m RawValue>,
}

/// The parameters of a message.
#[expect(clippy::large_enum_variant, reason = "most messages are calls, and none is kept")]
pub(super) enum FrameParams<'m> {
    Text(&'m RawValue),
    /// The valid parameters of a `tools/call`, read along with the message.
    Call(CallMembers<'m>),
}

impl<'m> FrameParams<'m> {
    /// Returns the text of the parameters, unless they are read already.
    pub(super) fn text(&self) -> Option<&'m str> {
        match self {
            FrameParams::Text(text) => Some(text.get()),
            FrameParams::Call(_) => None,
        }
    }
}

impl<'de: 'm, 'm> Deserialize<'de> for FrameParams<'m> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&RawValue>::deserialize(deserializer).map(FrameParams::Text)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallMembers<'m> {
    pub(super) name: Option<Value>,
    #[serde(borrow)]
    pub(super) arguments: Option<&'m RawValue>,
    pub(super) request_state: Option<Value>,
    pub(super) input_responses: Option<Value>,
    #[serde(rename = "_meta")]
    pub(super) meta: Option<Meta>,
}

/// Reads a member that is present, even if it is `null`.
fn present<'de, D: Deserializer<'de>>(value: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(value).map(Some)
}

/// Reads the frame, in one pass if it is valid.
pub(super) fn frame(text: &[u8]) -> Result<MessageFrame<'_>, ErrorData> {
    // serde would read an array as the fields in their order, and skips the bytes of members that nobody reads.
    if text.trim_ascii_start().starts_with(b"{")
        && let Ok(text) = str::from_utf8(text)
    {
        if let Ok(ReadFrame(frame)) = serde_json::from_str(text) {
            return Ok(frame);
        }
        // What is wrong with the parameters of a call is found where those of other methods are read.
        if let Ok(frame) = serde_json::from_str(text) {
            return Ok(frame);
        }
    }
    Err(defect(text))
}

/// A frame with the parameters of a `tools/call` read, if the method precedes them.
struct ReadFrame<'m>(MessageFrame<'m>);

#[derive(Clone, Copy, Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Member {
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
    Error,
    #[serde(other)]
    Other,
}

impl<'de: 'm, 'm> Deserialize<'de> for ReadFrame<'m> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FrameVisitor)
    }
}

struct FrameVisitor;

impl<'de> Visitor<'de> for FrameVisitor {
    type Value = ReadFrame<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ReadFrame<'de>, A::Error> {
        let (mut frame, mut seen) = (MessageFrame::default(), 0_u8);
        while let Some(member) = map.next_key::<Member>()? {
            let bit = 1 << member as u8;
            if seen & bit != 0 {
                return Err(A::Error::custom("a repeated member"));
            }
            seen |= bit;
            match member {
                Member::Jsonrpc => frame.jsonrpc = map.next_value()?,
                Member::Id => frame.id = Some(map.next_value()?),
                Member::Method => frame.method = map.next_value()?,
                Member::Params if frame.method.as_deref() == Some("tools/call") => {
                    let call: Option<ObjectOf<CallMembers<'de>>> = map.next_value()?;
                    frame.params = call.map(|ObjectOf(call)| FrameParams::Call(call));
                }
                Member::Params => frame.params = map.next_value()?,
                Member::Result => frame.result = Some(map.next_value()?),
                Member::Error => frame.error = Some(map.next_value()?),
                Member::Other => {
                    seen &= !bit;
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        // A notification has no parameters of a call: they are read as those of other notifications.
        if frame.id.is_none() && matches!(frame.params, Some(FrameParams::Call(_))) {
            return Err(A::Error::custom("a call without an identifier"));
        }
        Ok(ReadFrame(frame))
    }
}

/// A struct that is read from an object only: `derive` reads one from an array as well.
struct ObjectOf<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ObjectOf<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = ObjectOf<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ObjectOf<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(ObjectOf)
    }
}

pub(super) const NOT_A_MESSAGE: &str = "the message is not a JSON-RPC 2.0 request, notification or response";

/// Returns the error of a text without a valid frame.
fn defect(text: &[u8]) -> ErrorData {
    let parse_error = |message: String| ErrorData::new(ErrorCode::PARSE_ERROR, message, None);
    let invalid = |message: String| ErrorData::invalid_request(message, None);
    if text.starts_with(b"\xEF\xBB\xBF") {
        let message = "the text begins with a byte order mark, which JSON does not allow: leave it out";
        return parse_error(message.to_owned());
    }
    let message: &RawValue = match serde_json::from_slice(text) {
        Ok(message) => message,
        Err(error) => return parse_error(format!("not JSON: {error}")),
    };
    match message.get().as_bytes() {
        [b'[', ..] => invalid("batches are not supported".to_owned()),
        [b'{', ..] => {
            let defect = serde_json::from_str::<MessageFrame<'_>>(message.get()).err();
            invalid(defect.map_or_else(|| NOT_A_MESSAGE.to_owned(), |error| error.to_string()))
        }
        _ => invalid("expected an object".to_owned()),
    }
}
