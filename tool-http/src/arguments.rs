//! The body of a request, as the bytes of the arguments.

use axum::body::{Body, HttpBody as _};
use axum::http::{HeaderMap, HeaderValue, header};
use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use mime::Mime;

use crate::options::Options;
use crate::refusal::Refusal;

/// Reads the arguments. What they say is left to the tool; here is decided whether they are read at all.
///
/// # Errors
///
/// When the body is announced as something else than JSON in UTF-8, is too large or too slow.
pub(crate) async fn read(headers: &HeaderMap, body: Body, options: &Options) -> Result<Bytes, Refusal> {
    coding(headers)?;
    let announced = media_type(headers)?;
    let size = body.size_hint();
    if announced == Announced::Nothing && size.lower() > 0 {
        return Err(no_media_type());
    }
    // Known before it is read: a client that waits for `100 Continue` never sends it.
    if size.lower() > options.body_limit as u64 {
        return Err(Refusal::TooLarge { limit: options.body_limit });
    }
    let body = collect(body, options).await?;
    // The length of a chunked body shows only at its end.
    if announced == Announced::Nothing && !body.is_empty() {
        return Err(no_media_type());
    }
    Ok(body)
}

async fn collect(body: Body, options: &Options) -> Result<Bytes, Refusal> {
    let limit = options.body_limit;
    let read = tokio::time::timeout(options.body_timeout, Limited::new(body, limit).collect());
    match read.await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal::TooLarge { limit }),
        Ok(Err(_)) => Err(Refusal::BrokenOff),
        Err(_) => Err(Refusal::TooSlow),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Announced {
    Json,
    Nothing,
}

/// What the body claims to be: JSON in UTF-8, or nothing at all, which an empty body may.
fn media_type(headers: &HeaderMap) -> Result<Announced, Refusal> {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let Some(value) = values.next() else { return Ok(Announced::Nothing) };
    let wrong = || Refusal::MediaType { got: format!(", not as `{}`", shown(value.as_bytes())) };
    if values.next().is_some() {
        return Err(Refusal::MediaType { got: ", named once".to_owned() });
    }
    let media: Mime = value.to_str().ok().and_then(|text| text.parse().ok()).ok_or_else(wrong)?;
    if media.essence_str() != mime::APPLICATION_JSON.essence_str() {
        return Err(wrong());
    }
    match media.params().find(|(name, value)| *name == mime::CHARSET && *value != mime::UTF_8) {
        Some((_, charset)) => Err(Refusal::Charset(shown(charset.as_str().as_bytes()))),
        None => Ok(Announced::Json),
    }
}

fn no_media_type() -> Refusal {
    Refusal::MediaType { got: ": `Content-Type` is missing".to_owned() }
}

/// A compressed body is not unpacked, so that a small one cannot become a large one.
fn coding(headers: &HeaderMap) -> Result<(), Refusal> {
    let coded = |value: &&HeaderValue| !value.as_bytes().eq_ignore_ascii_case(b"identity");
    match headers.get_all(header::CONTENT_ENCODING).iter().find(coded) {
        Some(coding) => Err(Refusal::Coding(shown(coding.as_bytes()))),
        None => Ok(()),
    }
}

/// A value of a header as text for an error, shortened.
fn shown(value: &[u8]) -> String {
    String::from_utf8_lossy(value).chars().take(80).collect()
}
