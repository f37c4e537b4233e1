//! Documents of the issuer.

use std::error::Error;
use std::time::Duration;

use http::header::{CACHE_CONTROL, CONTENT_LENGTH};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, Url};

use crate::address;
use crate::error::ConfigError;

/// The largest document.
const LARGEST: usize = 1024 * 1024;

/// The time limit for a request with its response.
const TIMEOUT: Duration = Duration::from_secs(5);

const MOST_REDIRECTS: usize = 3;

/// A document that was fetched.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) body: Vec<u8>,
    /// How long it is valid, if the response says so.
    pub(crate) max_age: Option<Duration>,
}

/// Returns a client for the server at this address, which follows no redirect to another origin.
pub(crate) fn client(url: &Url) -> Result<Client, ConfigError> {
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let failed = |reason: String| ConfigError::Client(reason);
    let tls = rustls::ClientConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let same_origin = Policy::custom(|attempt| {
        let first = attempt.previous().first();
        let is_same = first.is_some_and(|first| first.origin() == attempt.url().origin());
        if is_same && attempt.previous().len() <= MOST_REDIRECTS {
            attempt.follow()
        } else {
            attempt.error("a redirect to another origin, or too many redirects")
        }
    });
    let builder = Client::builder().tls_backend_preconfigured(tls).redirect(same_origin).timeout(TIMEOUT);
    let builder = builder.referer(false).user_agent(concat!("tool-oauth/", env!("CARGO_PKG_VERSION")));
    // A proxy cannot connect to the loopback interface of this machine.
    let builder = if address::is_loopback(url) { builder.no_proxy() } else { builder };
    builder.build().map_err(|error| failed(cause(&error)))
}

/// Sends a request and reads a successful response.
///
/// # Errors
///
/// The reason, for the log.
pub(crate) async fn fetch(request: RequestBuilder) -> Result<Document, String> {
    let mut response = request.send().await.map_err(|error| cause(&error))?;
    if !response.status().is_success() {
        return Err(format!("{} answers {}", response.url(), response.status()));
    }
    let too_large = |url: &Url| format!("{url} answers with more than {LARGEST} bytes");
    let length = response.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: usize| length > LARGEST) {
        return Err(too_large(response.url()));
    }
    let max_age = max_age(&response);
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| cause(&error))? {
        if body.len() + chunk.len() > LARGEST {
            return Err(too_large(response.url()));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Document { body, max_age })
}

/// Returns how long a response is fresh (RFC 9111, section 5.2.2).
fn max_age(response: &Response) -> Option<Duration> {
    let values = response.headers().get_all(CACHE_CONTROL).iter().filter_map(|value| value.to_str().ok());
    let directives: Vec<&str> = values.flat_map(|value| value.split(',')).map(str::trim).collect();
    if directives.iter().any(|it| ["no-store", "no-cache"].iter().any(|no| it.eq_ignore_ascii_case(no))) {
        return Some(Duration::ZERO);
    }
    directives.iter().find_map(|directive| {
        let (name, seconds) = directive.split_once('=')?;
        let is_max_age = name.eq_ignore_ascii_case("max-age");
        is_max_age.then(|| seconds.trim_matches('"').parse().ok().map(Duration::from_secs))?
    })
}

/// Returns the innermost cause, which says more than the error of the library.
fn cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    match error.url() {
        Some(url) => format!("{url}: {cause}"),
        None => cause.to_string(),
    }
}
