//! The explorer at `GET /`: plain HTML, CSS and ES modules, without a framework or a build.
//!
//! The page only uses the routes next to it; its `Content-Security-Policy` allows nothing else. It has only five modules,
//! because each file is compressed separately and the total limit is 31 KB. Texts of tools are never inserted as markup.

use axum::Router;
use axum::extract::OriginalUri;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;

use crate::content_coding::AcceptedCodings;
use crate::error::ApiError;
use crate::options::Options;
use crate::representation::Representation;

mod template;

/// Returns the routes of the page and its files, relative to their prefix.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(options: &Options) -> Router<S> {
    let (title, allow_execute) = (options.title_or_default().to_owned(), options.allow_execute);
    let page = async move |OriginalUri(uri): OriginalUri, headers: HeaderMap| {
        let allow_execute = if allow_execute { "true" } else { "false" };
        let base = template::base(uri.path());
        let values = [("TITLE", title.as_str()), ("ALLOW_EXECUTE", allow_execute), ("BASE", &base)];
        respond(&headers, "text/html; charset=utf-8", template::render(PAGE, &values).into())
    };
    let router = Router::new().route("/", get(page));
    ASSETS.iter().fold(router, |router, asset| {
        let text = Bytes::from(minified(asset.text));
        let file = async move |headers: HeaderMap| respond(&headers, asset.media_type, text);
        router.route(asset.path, get(file))
    })
}

/// Removes comment lines and indentation from a script or a style. The files have no string over several lines.
fn minified(text: &str) -> String {
    let lines = text.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// A file in `explorer/`, as it is sent.
struct Asset {
    path: &'static str,
    media_type: &'static str,
    text: &'static str,
}

const PAGE: &str = include_str!("explorer/page.html");

const ASSETS: &[Asset] = &[
    Asset {
        path: "/explorer/style.css",
        media_type: "text/css; charset=utf-8",
        text: include_str!("explorer/style.css"),
    },
    Asset::script("/explorer/app.js", include_str!("explorer/app.js")),
    Asset::script("/explorer/basics.js", include_str!("explorer/basics.js")),
    Asset::script("/explorer/form.js", include_str!("explorer/form.js")),
    Asset::script("/explorer/result.js", include_str!("explorer/result.js")),
    Asset::script("/explorer/tasks.js", include_str!("explorer/tasks.js")),
];

impl Asset {
    const fn script(path: &'static str, text: &'static str) -> Self {
        Asset { path, media_type: "text/javascript; charset=utf-8", text }
    }
}

/// Allows only the page's own files: no inline scripts, no markup from strings, no framing.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'";

const HEADERS: [(HeaderName, HeaderValue); 6] = [
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    // Input is stored after the `#` of the address, which browsers never send.
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    // Revalidated on every load, so that all files are of the same version.
    (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
];

/// Returns 304 if the browser has this version already.
fn respond(headers: &HeaderMap, media_type: &'static str, text: Bytes) -> Response {
    let accepted = AcceptedCodings::from_headers(headers);
    if accepted.is_empty() {
        return ApiError::NotAcceptable.into_response();
    }
    let text = Representation::new(HeaderValue::from_static(media_type), text);
    let mut response = text.map(|text| (HEADERS, text.to_response(headers))).into_response();
    accepted.mark(&mut response);
    response
}

#[cfg(test)]
mod tests;
