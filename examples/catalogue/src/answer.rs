//! Conversion of a service's answer into the output of a tool.

mod clean;

use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;
use tool_core::{Content, Failure, Output, ToolError};

use crate::client::Answer;
use crate::endpoint::Endpoint;
use crate::secret::Scrubber;

/// The most characters of an error message of a service that the caller sees.
const MAX_DETAIL: usize = 300;

/// Returns the output of a call, or its failure.
pub(crate) fn output(endpoint: &Endpoint, answer: &Answer, scrubber: &Scrubber) -> Result<Output, Failure> {
    let provider = &endpoint.service.provider.code;
    if !answer.status.is_success() {
        return Err(failed(provider, answer, scrubber));
    }
    let failure = |reason: &str| Failure::from(ToolError::failed(format!("provider `{provider}`: {reason}")));
    if answer.body.is_empty() {
        // A promised answer that is missing would violate the output schema.
        return match endpoint.definition.output_schema() {
            Some(_) => Err(failure("its answer is empty")),
            None => Ok(Output::empty()),
        };
    }
    // A content type that contains a key is ignored.
    let content_type = answer.content_type.as_deref().filter(|sent| !scrubber.finds(sent));
    let kind = Kind::of(content_type);
    if endpoint.definition.output_schema().is_some() && !matches!(kind, Kind::Json) {
        let sent = content_type.unwrap_or("something without a type");
        return Err(failure(&format!("it answered `{}`, and JSON was expected", plain(sent, 60))));
    }
    match kind {
        Kind::Json => {
            let text = text(answer).ok_or_else(|| failure("its answer is no UTF-8"))?;
            let no_json = |_| failure("its answer is no JSON, although it says so");
            // Parsed to validate it and its depth.
            if clean::is_needed(text, scrubber).map_err(no_json)? {
                let mut parsed: Value = serde_json::from_str(text).map_err(no_json)?;
                clean::value(&mut parsed, scrubber);
                return Output::json(&parsed).map_err(|_| Failure::internal());
            }
            // Passed on unchanged, with every digit of its numbers.
            let raw: Box<RawValue> = serde_json::from_str(text).map_err(no_json)?;
            Output::json(&raw).map_err(|_| Failure::internal())
        }
        Kind::Text => match text(answer) {
            Some(text) => Ok(Output::text(clean::text(text, scrubber))),
            None => Err(failure("its answer is no UTF-8, although it says that it is a text")),
        },
        Kind::Image(media) => {
            Ok(Output::from_content(vec![Content::image(scrubber.scrub_bytes(&answer.body), media)]))
        }
        Kind::Audio(media) => {
            Ok(Output::from_content(vec![Content::audio(scrubber.scrub_bytes(&answer.body), media)]))
        }
        Kind::Other(media) => {
            let uri = format!("catalogue:{}", endpoint.tool.code);
            Ok(Output::from_content(vec![Content::resource(uri, media, scrubber.scrub_bytes(&answer.body))]))
        }
    }
}

/// The kind of content that a service sent.
enum Kind {
    Json,
    Text,
    Image(String),
    Audio(String),
    Other(String),
}

impl Kind {
    fn of(content_type: Option<&str>) -> Self {
        let media = content_type.unwrap_or("application/octet-stream").split(';').next().unwrap_or_default();
        let media = media.trim().to_ascii_lowercase();
        match media.split_once('/') {
            Some(("application", "json")) => Kind::Json,
            Some((_, subtype)) if subtype.ends_with("+json") => Kind::Json,
            Some(("text", _) | ("application", "xml" | "yaml")) => Kind::Text,
            Some((_, subtype)) if subtype.ends_with("+xml") && !media.starts_with("image/") => Kind::Text,
            Some(("image", _)) => Kind::Image(media),
            Some(("audio", _)) => Kind::Audio(media),
            Some(_) if media.bytes().all(|byte| byte.is_ascii_graphic()) => Kind::Other(media),
            _ => Kind::Other("application/octet-stream".to_owned()),
        }
    }
}

fn text(answer: &Answer) -> Option<&str> {
    let text = std::str::from_utf8(&answer.body).ok()?;
    Some(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// Returns the failure for a status of 300 and above. The message of a 4xx answer is shown to the caller, that of a 5xx is not.
fn failed(provider: &str, answer: &Answer, scrubber: &Scrubber) -> Failure {
    let status = answer.status.as_u16();
    let reason = answer.status.canonical_reason().unwrap_or("an unknown status");
    let mut message = format!("provider `{provider}` answered {status} {reason}");
    if (400..500).contains(&status)
        && let Some(error_detail) = error_detail(answer)
    {
        message = format!("{message}: {}", plain(&clean::text(&error_detail, scrubber), MAX_DETAIL));
    }
    let error = match status {
        404 | 410 => ToolError::not_found(message),
        409 | 412 | 423 | 428 => ToolError::conflict(message),
        408 | 425 | 429 | 500.. => ToolError::unavailable(message),
        _ => ToolError::failed(message),
    };
    let seconds = answer.retry_after.as_deref().and_then(|text| text.trim().parse::<u32>().ok());
    match seconds {
        Some(seconds) => error.with_retry_after(Duration::from_secs(seconds.into())),
        None => error,
    }
    .into()
}

/// Returns the error message from one of the usual places in an answer.
fn error_detail(answer: &Answer) -> Option<String> {
    let text = text(answer)?;
    match Kind::of(answer.content_type.as_deref()) {
        Kind::Json => {
            let body: Value = serde_json::from_str(text).ok()?;
            let places = ["/error/message", "/message", "/detail", "/reason", "/error", "/title"];
            places.iter().find_map(|place| Some(body.pointer(place)?.as_str()?.to_owned()))
        }
        Kind::Text if answer.content_type.as_deref().is_some_and(|kind| kind.starts_with("text/plain")) => {
            Some(text.to_owned())
        }
        _ => None,
    }
}

/// Returns the text as one line without control characters.
fn plain(text: &str, most: usize) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests;
