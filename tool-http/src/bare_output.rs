//! The output of a call without the envelope of MCP: a value as JSON, a text as it is, an image or a file as its bytes.

use std::borrow::Cow;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use serde_json::json;
use serde_json::value::RawValue;
use tool_core::{CallId, Content, Output, ResourceBody};

use crate::error::ApiError;
use crate::media_type;
use crate::representation::Representation;

/// The name of a call in the log. The envelope has it as `_meta.callId`.
const CALL_ID: HeaderName = HeaderName::from_static("tool-call-id");

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Returns the output as a document. Nothing is `null`, and several contents are a list as in MCP.
///
/// # Errors
///
/// Returns an error if the output cannot be serialized.
pub(crate) fn representation(output: &Output) -> Result<Representation, ApiError> {
    if output.structured_text().is_some() {
        let value: Box<RawValue> = output.decode().map_err(|error| {
            tracing::error!(%error, "an output is not JSON");
            ApiError::Internal
        })?;
        return Representation::new(JSON, Bytes::from(Box::<str>::from(value).into_string()));
    }
    let content = output.content();
    match &*content {
        [] => Representation::new(JSON, Bytes::from_static(b"null")),
        [Content::Text { text }] => Representation::new(TEXT, text.clone().into()),
        [Content::Image { data, mime_type } | Content::Audio { data, mime_type }] => {
            Representation::new(media_type::inert(mime_type), data.clone().into())
        }
        [Content::Resource { mime_type, body, .. }] => {
            let bytes: Cow<'_, [u8]> = match body {
                ResourceBody::Text(text) => text.as_bytes().into(),
                ResourceBody::Blob(bytes) => bytes.into(),
            };
            Representation::new(media_type::inert(mime_type), bytes.into_owned().into())
        }
        several => Representation::json(&json!(several)),
    }
}

/// Names the call, and keeps the output from acting as a page or a script of this origin: a tool does not decide what runs here.
pub(crate) fn mark(response: &mut Response, call_id: CallId) {
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(&call_id.to_string()) {
        headers.insert(CALL_ID, value);
    }
    if headers.get(header::CONTENT_TYPE) == Some(&media_type::UNKNOWN) {
        headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox"));
}

/// Returns `true` if a client prefers the bare output (RFC 7240, section 4.2).
pub(crate) fn is_preferred(headers: &HeaderMap) -> bool {
    let values = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    let mut preferences = values.flat_map(|value| value.split(',')).filter_map(|preference| {
        let (name, value) = preference.split(';').next()?.split_once('=')?;
        name.trim().eq_ignore_ascii_case("return").then(|| value.trim().trim_matches('"').to_owned())
    });
    // The first one counts (RFC 7240, section 2).
    preferences.next().is_some_and(|value| value.eq_ignore_ascii_case("minimal"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_preference() {
        for (values, expected) in [
            (&[][..], false),
            (&["return=minimal"], true),
            (&["Return = \"minimal\" ; foo"], true),
            (&["respond-async, return=minimal"], true),
            (&["wait=5", "return=minimal"], true),
            (&["return=representation, return=minimal"], false),
            (&["return"], false),
            (&["x-return=minimal"], false),
        ] {
            let headers = values
                .iter()
                .map(|value| (HeaderName::from_static("prefer"), HeaderValue::from_static(value)));
            assert_eq!(is_preferred(&headers.collect()), expected, "{values:?}");
        }
    }

    #[test]
    fn makes_browsers_save_what_they_could_run() {
        for (media, disposition) in [
            ("image/png", None),
            ("application/javascript", Some("attachment")),
            ("text/html", Some("attachment")),
        ] {
            let output = Output::from_content(vec![Content::audio(*b"1", media)]);
            let mut response = representation(&output).unwrap().into_response();
            mark(&mut response, CallId::new());
            let headers = response.headers();
            let value = |name| headers.get(name).map(|value| value.to_str().unwrap());
            assert_eq!(value(header::CONTENT_DISPOSITION), disposition, "{media}");
            assert_eq!(value(header::X_CONTENT_TYPE_OPTIONS), Some("nosniff"));
        }
    }

    #[test]
    fn represents_each_kind_of_output() {
        let one = |content| Output::from_content(vec![content]);
        for (output, media, body) in [
            (Output::json(&json!({"a": 1})).unwrap(), "application/json", r#"{"a":1}"#),
            (Output::json(&9_007_199_254_740_993_u64).unwrap(), "application/json", "9007199254740993"),
            (Output::empty(), "application/json", "null"),
            (Output::text("a\n"), "text/plain; charset=utf-8", "a\n"),
            (one(Content::image(*b"png", "image/png")), "image/png", "png"),
            (one(Content::audio(*b"ogg", "audio/ogg; codecs=opus")), "audio/ogg; codecs=opus", "ogg"),
            (one(Content::resource("a://b", "text/csv", "a,b")), "text/csv", "a,b"),
            (one(Content::resource("a://b", "text/html", "<b>")), "application/octet-stream", "<b>"),
            (one(Content::audio(*b"1", "application/javascript")), "application/octet-stream", "1"),
            (one(Content::resource("a://b", "bad\ntype", "x")), "application/octet-stream", "x"),
            (
                Output::from_content(vec![Content::text("a"), Content::text("b")]),
                "application/json",
                r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#,
            ),
        ] {
            let document = representation(&output).unwrap();
            assert_eq!((document.media_type(), document.body()), (media, body.as_bytes()));
        }
    }
}
