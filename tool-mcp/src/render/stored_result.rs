//! Stored results, which were too large to show, as resources.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rmcp::ErrorData;
use rmcp::model::{CacheScope, ReadResourceResult, ResourceContents};
use serde_json::{Value, json};
use tool_core::address::{Segment, decode_segment};
use tool_core::results::{PartError, ResultPart, ResultStore, StoredResult};
use tool_core::{Digest, Principal};

use crate::catalog::uri::{Pattern, Scheme};
use crate::protocol::{RpcResult, resource_not_found};

/// The tool that reads stored results in parts.
pub(crate) const READER: &str = "read_result";

/// The first segment of their URIs.
const SEGMENT: &str = "result";

/// The most bytes of one read, as JSON: older clients refuse a message of 1 MiB.
pub(crate) const MOST_READ: usize = 768 * 1024;

/// The schema of the excerpt that replaces a large value: see [`linked`](crate::render::call_result::linked).
const EXCERPT: &str = r#"{"type":"object","description":"The beginning of a value that is too large; the whole is at `uri`.","properties":{"preview":{"type":"string"},"mediaType":{"type":"string"},"bytes":{"type":"integer"},"lines":{"type":"integer"},"digest":{"type":"string"},"uri":{"type":"string"}},"required":["preview","mediaType","bytes"],"additionalProperties":false}"#;

/// Returns an output schema that accepts a value of `schema` or an excerpt, as text. `None` if a `$ref` of `schema` would not
/// work inside another schema.
pub(crate) fn or_excerpt(schema: &str) -> Option<String> {
    if !schema.contains("\"$ref\"") {
        return Some(format!(r#"{{"type":"object","anyOf":[{schema},{EXCERPT}]}}"#));
    }
    let mut schema: Value = serde_json::from_str(schema).ok()?;
    if !refers_to_definitions(&schema) {
        return None;
    }
    let definitions = schema.as_object_mut()?.shift_remove("$defs");
    let mut either =
        json!({"type": "object", "anyOf": [schema, serde_json::from_str::<Value>(EXCERPT).ok()?]});
    if let Some(definitions) = definitions {
        either["$defs"] = definitions;
    }
    Some(either.to_string())
}

/// Returns `true` if each `$ref` leads to a definition in `$defs`.
fn refers_to_definitions(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members.iter().all(|(name, value)| match value {
            Value::String(target) if name == "$ref" => target.starts_with("#/$defs/"),
            value => refers_to_definitions(value),
        }),
        Value::Array(items) => items.iter().all(refers_to_definitions),
        _ => true,
    }
}

/// The URI of a stored result, or of a part of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ResultUri {
    /// `None` for an invalid digest.
    digest: Option<Digest>,
    part: Result<ResultPart, String>,
}

impl ResultUri {
    /// Returns the URI of a result.
    pub(crate) fn of(scheme: &Scheme, digest: Digest) -> String {
        format!("{}://{SEGMENT}/{}", scheme.as_str(), digest.hex())
    }

    /// Returns the pattern of the URIs of results.
    pub(crate) fn whole(scheme: &Scheme) -> Pattern {
        let segments = vec![Segment::Literal(SEGMENT.to_owned()), Segment::Variable("digest".to_owned())];
        Pattern::new(scheme.as_str().to_owned(), segments.into())
    }

    /// Returns the template of the URIs of parts (RFC 6570, section 3.2.8).
    pub(crate) fn parts(scheme: &Scheme) -> String {
        format!("{}{{?lines,bytes,search}}", ResultUri::whole(scheme).as_str())
    }

    /// Parses a URI; `None` for one that is not of a result.
    pub(crate) fn parse(uri: &str, scheme: &Scheme) -> Option<Self> {
        let (own, rest) = uri.split_once("://")?;
        if !own.eq_ignore_ascii_case(scheme.as_str()) {
            return None;
        }
        let rest = rest.strip_prefix(SEGMENT)?.strip_prefix('/')?;
        let (digest, query) = rest.split_once('?').unwrap_or((rest, ""));
        // Only the normal form of a digest is valid.
        let digest = digest.parse().ok().filter(|parsed: &Digest| parsed.hex() == digest);
        Some(ResultUri { digest, part: part(query) })
    }

    /// Reads the result, or the part of it.
    pub(crate) async fn read(
        &self,
        uri: &str,
        results: &ResultStore,
        caller: &Principal,
    ) -> RpcResult<ReadResourceResult> {
        let bad = |message: String| ErrorData::invalid_params(message, Some(json!({"uri": uri})));
        let digest = self.digest.ok_or_else(|| resource_not_found(uri))?;
        let stored = results.read(caller, digest).await.map_err(|error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            tracing::error!(%error, cause, "a result could not be read");
            ErrorData::internal_error("results cannot be read at the moment", Some(json!({"uri": uri})))
        })?;
        let stored = stored.ok_or_else(|| resource_not_found(uri))?;
        let part = self.part.as_ref().map_err(|message| bad(message.clone()))?;
        let contents = contents(uri, &stored, part).map_err(|error| match error {
            ReadPartError::Part(error) => bad(error.to_string()),
            ReadPartError::TooLarge { .. } => {
                let whole = uri.split_once('?').map_or(uri, |(whole, _)| whole);
                let next = format!("{whole}?bytes=0-{}", FIRST_PART - 1);
                let message = format!("{error}: read it in parts, such as {next}, or by `lines`");
                let bytes = stored.content().len();
                ErrorData::invalid_params(message, Some(json!({"uri": uri, "next": next, "bytes": bytes})))
            }
        })?;
        let left = stored.left().as_millis().try_into().unwrap_or(u64::MAX);
        Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(left).with_cache_scope(CacheScope::Private))
    }
}

/// Parses the query of a URI.
fn part(query: &str) -> Result<ResultPart, String> {
    let (mut lines, mut bytes, mut search) = (None, None, None);
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let parameter = match name {
            "lines" => &mut lines,
            "bytes" => &mut bytes,
            "search" => &mut search,
            _ => {
                let name: String = name.chars().take(40).collect();
                return Err(format!("unknown parameter `{name}`: known are lines, bytes, search"));
            }
        };
        let value = decode_segment(value).map_err(|fault| format!("the value of `{name}` {fault}"))?;
        if parameter.replace(value).is_some() {
            return Err(format!("`{name}` is given twice"));
        }
    }
    ResultPart::parse(lines.as_deref(), bytes.as_deref(), search.as_deref())
        .map_err(|error| error.to_string())
}

fn contents(uri: &str, stored: &StoredResult, part: &ResultPart) -> Result<ResourceContents, ReadPartError> {
    let text = |text: &str, media_type: &str| {
        if size_as_json(text) > MOST_READ {
            return Err(ReadPartError::TooLarge { bytes: text.len() });
        }
        Ok(ResourceContents::text(text, uri).with_mime_type(media_type))
    };
    let blob = |bytes: &[u8], media_type: &str| {
        if bytes.len().div_ceil(3) * 4 > MOST_READ {
            return Err(ReadPartError::TooLarge { bytes: bytes.len() });
        }
        Ok(ResourceContents::blob(BASE64.encode(bytes), uri).with_mime_type(media_type))
    };
    match part {
        ResultPart::Whole => match stored.text() {
            Some(whole) => text(whole, stored.media_type()),
            None => blob(stored.content(), stored.media_type()),
        },
        ResultPart::Lines(span) => text(stored.lines(*span)?, "text/plain"),
        ResultPart::Bytes(span) => {
            let bytes = stored.bytes(*span)?;
            // A range of bytes may split a character.
            match std::str::from_utf8(&bytes) {
                Ok(part) if stored.text().is_some() => text(part, "text/plain"),
                _ => blob(&bytes, "application/octet-stream"),
            }
        }
        ResultPart::Search { text: wanted, lines } => {
            let found = stored.search(wanted, *lines)?;
            text(&serde_json::to_string(&found).unwrap_or_default(), "application/json")
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum ReadPartError {
    #[error(transparent)]
    Part(#[from] PartError),
    #[error("the part has {bytes} bytes, more than one read gives")]
    TooLarge { bytes: usize },
}

/// Returns the number of bytes of a text as a JSON string.
pub(crate) fn size_as_json(text: &str) -> usize {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0C => 2,
        0..0x20 => 6,
        _ => 1,
    };
    text.bytes().map(escaped).sum::<usize>() + 2
}

/// A number of bytes that one read always gives: each takes at most six as JSON.
const FIRST_PART: usize = MOST_READ / 6 - 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_result_uris() {
        let scheme = Scheme::parse("weather").unwrap();
        let digest = Digest::of_bytes(b"sun");
        let hex = digest.hex();
        let parsed = |rest: &str| ResultUri::parse(&format!("weather://result/{rest}"), &scheme);
        let whole = parsed(&hex).unwrap();
        assert_eq!((whole.digest, whole.part), (Some(digest), Ok(ResultPart::Whole)));
        let part = parsed(&format!("{hex}?lines=2-3&search=a%20b%2Bc+d")).unwrap();
        let lines = Some("2-3".parse().unwrap());
        assert_eq!(part.part, Ok(ResultPart::Search { text: "a b+c+d".to_owned(), lines }));
        for query in
            ["lines=0", "line=1", "lines=1&lines=2", "bytes=1&search=a", "search=", "search=%ff", "lines=%2"]
        {
            assert!(parsed(&format!("{hex}?{query}")).unwrap().part.is_err(), "{query}");
        }
        let upper = hex.to_uppercase();
        let escaped = format!("%{:x}{}", hex.as_bytes()[0], &hex[1..]);
        let long = format!("{hex}0");
        let slash = format!("{hex}/");
        let dots = format!("../result/{hex}");
        for hostile in [
            "",
            ".",
            "..",
            "../..",
            "%2e%2e",
            "%00",
            "/etc/passwd",
            &upper,
            &escaped,
            &long,
            &slash,
            &dots,
            &hex[1..],
        ] {
            assert_eq!(parsed(hostile).unwrap().digest, None, "{hostile}");
        }
        for other in ["weather://results/x", "weather://result", "other://result/x", "result/x"] {
            assert_eq!(ResultUri::parse(other, &scheme), None, "{other}");
        }
    }
}
