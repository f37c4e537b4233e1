//! The route for stored results.

mod range;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use axum::routing::get;
use bytes::Bytes;
use http_body_util::Full;
use serde_json::Value;
use tool_core::results::{Excerpt, PartError, ResultPart, StoredResult};
use tool_core::{Content, Digest};

use crate::api::Api;
use crate::content_coding::{AcceptedCodings, NoCompression};
use crate::error::ApiError;
use crate::media_type;
use crate::query;
use crate::representation::{NoContent, Representation, matches};
use crate::request_context::RequestContext;
use crate::route::Route;

pub(crate) use crate::results::range::RequestedRange;

/// The path of a result.
const PATTERN: &str = "/results/{digest}";

/// Returns the route, if the provider has a result store.
pub(crate) fn routes(api: &Api) -> Router<Api> {
    match api.results() {
        Some(_) => Router::new().route(PATTERN, get(Route::new(PATTERN, read))),
        None => Router::new(),
    }
}

/// `GET /results/{digest}`: all of a result, or the part that `Range`, `lines`, `bytes` or `search` select. Results of other
/// callers look like missing ones.
async fn read(mut context: RequestContext) -> Result<Response, ApiError> {
    let caller = context.caller().await?;
    let text = context.result_digest().await;
    let results = context.api.results().ok_or(ApiError::RouteNotFound)?;
    let not_found = || ApiError::ResultNotFound(text.chars().take(80).collect());
    let digest = text.parse().ok().filter(|digest: &Digest| digest.hex() == text).ok_or_else(not_found)?;
    let kept = results.read(&caller, digest).await.map_err(|error| {
        let cause = std::error::Error::source(&error).map(ToString::to_string);
        tracing::error!(%error, cause, "a result could not be read");
        ApiError::ResultsUnavailable
    })?;
    let kept = kept.ok_or_else(not_found)?;
    let [lines, bytes, search] = query::parse_parameters(&context.head.uri, ["lines", "bytes", "search"])?;
    let part = ResultPart::parse(lines.as_deref(), bytes.as_deref(), search.as_deref());
    let part_error = |error: PartError| match error {
        PartError::NoSuchLines(_) | PartError::NoSuchBytes(_) => {
            ApiError::RangeNotSatisfiable { message: error.to_string(), length: kept.content().len() }
        }
        error => ApiError::InvalidQuery(error.to_string()),
    };
    let mut response = match part.map_err(part_error)? {
        ResultPart::Whole => whole_response(&kept, &context.head.method, &context.head.headers)?,
        ResultPart::Lines(span) => {
            let lines = Bytes::copy_from_slice(kept.lines(span).map_err(part_error)?.as_bytes());
            context
                .respond(&Representation::new(HeaderValue::from_static("text/plain; charset=utf-8"), lines)?)
        }
        ResultPart::Bytes(span) => {
            let bytes = kept.bytes(span).map_err(part_error)?;
            context
                .respond(&Representation::new(HeaderValue::from_static("application/octet-stream"), bytes)?)
        }
        ResultPart::Search { text, lines } => {
            context.respond(&Representation::json(&kept.search(&text, lines).map_err(part_error)?)?)
        }
    };
    set_download_headers(response.headers_mut(), &kept)?;
    context.cache_control().apply(response.headers_mut());
    response.headers_mut().insert(header::CACHE_CONTROL, private_cache_control(&kept)?);
    Ok(response)
}

/// Returns a whole result, or the requested range (RFC 9110, section 14).
fn whole_response(kept: &StoredResult, method: &Method, headers: &HeaderMap) -> Result<Response, ApiError> {
    // A compressible response has no ranges, and only a weak validator.
    let AcceptedCodings { identity, gzip } = AcceptedCodings::from_headers(headers);
    let compressed = gzip && !(identity && headers.contains_key(header::RANGE));
    let weak = if compressed { "W/" } else { "" };
    let etag = header_value(format!("{weak}\"{}\"", kept.digest().hex()))?;
    let length = kept.content().len();
    let not_modified = matches(headers, etag.as_bytes());
    let is_whole = not_modified || compressed;
    let range = if is_whole {
        RequestedRange::Whole
    } else {
        RequestedRange::parse(method, headers, etag.as_bytes(), length)
    };
    let mut response = match range {
        _ if not_modified => Response::new(Body::new(NoContent)),
        RequestedRange::Whole => Response::new(Body::new(Full::new(kept.content().clone()))),
        RequestedRange::Part(range) => {
            let content_range = header_value(format!("bytes {}-{}/{length}", range.start, range.end - 1))?;
            let mut response = Response::new(Body::new(Full::new(kept.content().slice(range))));
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            response.headers_mut().insert(header::CONTENT_RANGE, content_range);
            response
        }
        RequestedRange::Nothing => {
            return Err(ApiError::RangeNotSatisfiable {
                message: format!("there are {length} bytes"),
                length,
            });
        }
    };
    if not_modified {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        response.headers_mut().insert(header::CONTENT_TYPE, media_type::inert(kept.media_type()));
    }
    response.headers_mut().insert(header::ETAG, etag);
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    response.headers_mut().insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    if !compressed {
        response.extensions_mut().insert(NoCompression);
    }
    Ok(response)
}

/// Makes browsers download a result, instead of showing or running it.
fn set_download_headers(headers: &mut HeaderMap, kept: &StoredResult) -> Result<(), ApiError> {
    let extension = match kept.media_type().split(';').next().unwrap_or_default() {
        "application/json" => "json",
        "text/plain" => "txt",
        _ => "bin",
    };
    let name = &kept.digest().hex()[..12];
    headers.insert(
        header::CONTENT_DISPOSITION,
        header_value(format!("attachment; filename=\"result-{name}.{extension}\""))?,
    );
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let policy = HeaderValue::from_static("default-src 'none'; sandbox");
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    Ok(())
}

/// Returns the cache control of an immutable, private response.
fn private_cache_control(kept: &StoredResult) -> Result<HeaderValue, ApiError> {
    header_value(format!("private, immutable, max-age={}", kept.left().as_secs()))
}

fn header_value(text: String) -> Result<HeaderValue, ApiError> {
    HeaderValue::try_from(text).map_err(|_| ApiError::Internal)
}

/// Returns an excerpt as text.
pub(crate) fn excerpt_text(excerpt: &Excerpt) -> String {
    let preview = excerpt.preview();
    let line_break = if preview.is_empty() || preview.ends_with('\n') { "" } else { "\n" };
    format!("{preview}{line_break}{}", excerpt.note())
}

/// Returns a link to the whole result.
pub(crate) fn excerpt_link(excerpt: &Excerpt) -> Option<Content> {
    let uri = location(excerpt.digest()?);
    let mime_type = Some(excerpt.media_type().to_owned());
    Some(Content::ResourceLink { uri, name: "the whole result".to_owned(), mime_type, description: None })
}

/// Returns an excerpt as JSON, with the location of the whole result.
pub(crate) fn excerpt_json(excerpt: &Excerpt) -> Value {
    let mut value = serde_json::to_value(excerpt).unwrap_or_default();
    if let Some(digest) = excerpt.digest() {
        value["location"] = location(digest).into();
    }
    value
}

/// Returns the location relative to the call (RFC 3986, section 5), so it is valid under any prefix.
fn location(digest: Digest) -> String {
    format!("../../results/{}", digest.hex())
}
