//! Results that were too large to be sent at once.

mod range;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use axum::routing::get;
use bytes::Bytes;
use http_body_util::Full;
use serde_json::Value;
use tool_core::results::{Excerpt, Kept, PartError, ResultPart};
use tool_core::{Content, Digest};

use crate::api::Api;
use crate::asking::Asking;
use crate::coding::{Accepted, Verbatim};
use crate::query;
use crate::refusal::Refusal;
use crate::representation::{NoContent, Representation, matches};
use crate::results::range::Wanted;
use crate::route::Route;

/// Where a result is.
const PATTERN: &str = "/results/{digest}";

/// The route, where there is something that keeps results.
pub(crate) fn routes(api: &Api) -> Router<Api> {
    match api.results() {
        Some(_) => Router::new().route(PATTERN, get(Route::new(PATTERN, read))),
        None => Router::new(),
    }
}

/// `GET /results/{digest}`: all of it, or what `Range`, `lines`, `bytes` or `search` ask for. Whose call did not come to it
/// learns as much as of one that does not exist.
async fn read(mut asking: Asking) -> Result<Response, Refusal> {
    let caller = asking.caller().await?;
    let text = asking.digest().await;
    let results = asking.api.results().ok_or(Refusal::NoRoute)?;
    let not_found = || Refusal::ResultNotFound(text.chars().take(80).collect());
    let digest = text.parse().ok().filter(|digest: &Digest| digest.hex() == text).ok_or_else(not_found)?;
    let kept = results.read(&caller, digest).await.map_err(|error| {
        let cause = std::error::Error::source(&error).map(ToString::to_string);
        tracing::error!(%error, cause, "a result could not be read");
        Refusal::Results
    })?;
    let kept = kept.ok_or_else(not_found)?;
    let [lines, bytes, search] = query::each(&asking.head.uri, ["lines", "bytes", "search"])?;
    let part = ResultPart::parse(lines.as_deref(), bytes.as_deref(), search.as_deref());
    let unfit = |error: PartError| match error {
        PartError::NoSuchLines(_) | PartError::NoSuchBytes(_) => {
            Refusal::Range { message: error.to_string(), length: kept.content().len() }
        }
        error => Refusal::Query(error.to_string()),
    };
    let mut response = match part.map_err(unfit)? {
        ResultPart::Whole => whole(&kept, &asking.head.method, &asking.head.headers)?,
        ResultPart::Lines(span) => {
            let lines = Bytes::copy_from_slice(kept.lines(span).map_err(unfit)?.as_bytes());
            asking.answer(&Representation::of_text("text/plain; charset=utf-8", lines)?)
        }
        ResultPart::Bytes(span) => {
            let bytes = kept.bytes(span).map_err(unfit)?;
            asking.answer(&Representation::of_text("application/octet-stream", bytes)?)
        }
        ResultPart::Search { text, lines } => {
            asking.answer(&Representation::of(&kept.search(&text, lines).map_err(unfit)?)?)
        }
    };
    harmless(response.headers_mut(), &kept)?;
    asking.audience().tell(response.headers_mut());
    response.headers_mut().insert(header::CACHE_CONTROL, cacheable(&kept)?);
    Ok(response)
}

/// The whole of a result, or the range that was asked for (RFC 9110, section 14).
fn whole(kept: &Kept, method: &Method, asked: &HeaderMap) -> Result<Response, Refusal> {
    // What may be compressed has no ranges, and a validator that is none for these very bytes.
    let Accepted { identity, gzip } = Accepted::of(asked);
    let compressed = gzip && !(identity && asked.contains_key(header::RANGE));
    let weak = if compressed { "W/" } else { "" };
    let etag = value(format!("{weak}\"{}\"", kept.digest().hex()))?;
    let length = kept.content().len();
    let known = matches(asked, etag.as_bytes());
    let is_whole = known || compressed;
    let wanted = if is_whole { Wanted::Whole } else { Wanted::of(method, asked, etag.as_bytes(), length) };
    let mut response = match wanted {
        _ if known => Response::new(Body::new(NoContent)),
        Wanted::Whole => Response::new(Body::new(Full::new(kept.content().clone()))),
        Wanted::Part(range) => {
            let content_range = value(format!("bytes {}-{}/{length}", range.start, range.end - 1))?;
            let mut response = Response::new(Body::new(Full::new(kept.content().slice(range))));
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            response.headers_mut().insert(header::CONTENT_RANGE, content_range);
            response
        }
        Wanted::Nothing => {
            return Err(Refusal::Range { message: format!("there are {length} bytes"), length });
        }
    };
    if known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        let media_type = HeaderValue::from_str(kept.media_type());
        let media_type = media_type.unwrap_or(HeaderValue::from_static("application/octet-stream"));
        response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    }
    response.headers_mut().insert(header::ETAG, etag);
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    response.headers_mut().insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    if !compressed {
        response.extensions_mut().insert(Verbatim);
    }
    Ok(response)
}

/// Whatever a tool has returned: a browser saves it, and shows and runs nothing of it.
fn harmless(headers: &mut HeaderMap, kept: &Kept) -> Result<(), Refusal> {
    let extension = match kept.media_type().split(';').next().unwrap_or_default() {
        "application/json" => "json",
        "text/plain" => "txt",
        _ => "bin",
    };
    let name = &kept.digest().hex()[..12];
    headers.insert(
        header::CONTENT_DISPOSITION,
        value(format!("attachment; filename=\"result-{name}.{extension}\""))?,
    );
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let policy = HeaderValue::from_static("default-src 'none'; sandbox");
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    Ok(())
}

/// It never changes, and is meant for this caller alone.
fn cacheable(kept: &Kept) -> Result<HeaderValue, Refusal> {
    value(format!("private, immutable, max-age={}", kept.left().as_secs()))
}

fn value(text: String) -> Result<HeaderValue, Refusal> {
    HeaderValue::try_from(text).map_err(|_| Refusal::Internal)
}

/// An excerpt for who reads it.
pub(crate) fn text(excerpt: &Excerpt) -> String {
    let preview = excerpt.preview();
    let line_break = if preview.is_empty() || preview.ends_with('\n') { "" } else { "\n" };
    format!("{preview}{line_break}{}", excerpt.note())
}

/// A link to the whole.
pub(crate) fn link(excerpt: &Excerpt) -> Option<Content> {
    let uri = location(excerpt.digest()?);
    let mime_type = Some(excerpt.media_type().to_owned());
    Some(Content::ResourceLink { uri, name: "the whole result".to_owned(), mime_type, description: None })
}

/// An excerpt for a program: with where the whole is.
pub(crate) fn located(excerpt: &Excerpt) -> Value {
    let mut value = serde_json::to_value(excerpt).unwrap_or_default();
    if let Some(digest) = excerpt.digest() {
        value["location"] = location(digest).into();
    }
    value
}

/// Relative to the call that came to it (RFC 3986, section 5), so that it holds under any prefix.
fn location(digest: Digest) -> String {
    format!("../../results/{}", digest.hex())
}
