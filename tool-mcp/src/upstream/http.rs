//! The streamable HTTP transport.

pub(in crate::upstream) mod challenge;
mod client;

use std::error::Error;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use rmcp::transport::StreamableHttpClientTransport;
#[cfg(feature = "upstream-oauth")]
use rmcp::transport::auth::AuthError;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError};

use crate::upstream::http::client::BoundedClient;
#[cfg(feature = "upstream-oauth")]
use crate::upstream::oauth::{Account, AuthorizedClient, TokenSource};
use crate::upstream::text::truncate;
use crate::upstream::transport_config::HttpConfig;

/// The time limit for establishing a TCP connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The maximum number of redirects of a request.
const MAX_REDIRECTS: usize = 5;

/// Creates a transport for messages of at most `limit` bytes.
pub(super) fn transport(
    config: &HttpConfig,
    limit: usize,
) -> Result<StreamableHttpClientTransport<BoundedClient>, String> {
    let (client, options) = parts(config, limit)?;
    Ok(StreamableHttpClientTransport::with_client(client, options))
}

/// Creates a transport that adds the token of an account to each request.
#[cfg(feature = "upstream-oauth")]
pub(super) fn authorized_transport(
    config: &HttpConfig,
    account: &Account,
    limit: usize,
) -> Result<StreamableHttpClientTransport<AuthorizedClient<BoundedClient>>, String> {
    let (client, options) = parts(config, limit)?;
    let client = AuthorizedClient::new(client, TokenSource::new(account.clone()));
    Ok(StreamableHttpClientTransport::with_client(client, options))
}

fn parts(
    config: &HttpConfig,
    limit: usize,
) -> Result<(BoundedClient, StreamableHttpClientTransportConfig), String> {
    let mut options = StreamableHttpClientTransportConfig::with_uri(config.url.as_str())
        .custom_headers(config.headers()?)
        .max_concurrent_requests(256);
    options.allow_stateless = true;
    let http = client(&config.url)
        .map_err(|error| format!("cannot create an HTTP client: {}", root_cause(&error)))?;
    Ok((BoundedClient { http, limit }, options))
}

fn client(url: &str) -> reqwest::Result<Client> {
    // reqwest needs a default provider; an application may have installed another one.
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
    let same_origin = Policy::custom(|attempt| {
        let is_same =
            attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
        if !is_same || attempt.previous().len() > MAX_REDIRECTS { attempt.stop() } else { attempt.follow() }
    });
    let mut builder = Client::builder().redirect(same_origin).connect_timeout(CONNECT_TIMEOUT);
    // A proxy cannot connect to the loopback interface of this machine.
    if Url::parse(url).is_ok_and(|url| is_loopback(&url)) {
        builder = builder.no_proxy();
    }
    builder.build()
}

fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    })
}

/// Returns the scopes that the server misses if it denied a request for their lack, and `None` for other errors.
pub(super) fn missing_scopes(error: &(dyn Error + 'static)) -> Option<Vec<String>> {
    match http_error(error)? {
        StreamableHttpError::InsufficientScope(error) => {
            let scopes = error.required_scope.as_deref()?;
            Some(scopes.split_whitespace().map(|scope| truncate(scope, 200)).collect())
        }
        _ => None,
    }
}

/// Returns scopes as a list in backticks.
pub(super) fn quoted(scopes: &[String]) -> String {
    scopes.iter().map(|scope| format!("`{scope}`")).collect::<Vec<_>>().join(", ")
}

fn http_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e StreamableHttpError<reqwest::Error>> {
    let mut source = Some(error);
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref() {
            return Some(error);
        }
        source = error.source();
    }
    None
}

/// Returns a message without addresses, and `true` if the request was certainly not executed.
pub(super) fn describe_error(error: &(dyn Error + 'static)) -> (String, bool) {
    if let Some(scopes) = missing_scopes(error).filter(|scopes| !scopes.is_empty()) {
        return (format!("it denied access (HTTP 403): it requires the scopes {}", quoted(&scopes)), true);
    }
    if let Some(error) = http_error(error) {
        return match error {
            StreamableHttpError::Client(error) if error.is_connect() => {
                (format!("it cannot be connected to: {}", root_cause(error)), true)
            }
            StreamableHttpError::Client(error) => match error.status() {
                Some(status) => describe_status(status.as_u16()),
                None => (format!("the connection failed: {}", root_cause(error)), false),
            },
            StreamableHttpError::AuthRequired(error) => {
                (describe_challenge(&error.www_authenticate_header), true)
            }
            #[cfg(feature = "upstream-oauth")]
            StreamableHttpError::Auth(AuthError::AuthorizationFailed(message)) => (message.clone(), true),
            StreamableHttpError::InsufficientScope(_) => ("it denied access (HTTP 403)".to_owned(), true),
            StreamableHttpError::HttpStatus(error) => describe_status(error.status),
            StreamableHttpError::UnexpectedServerResponse(text) => {
                (format!("it answered something unexpected: {}", first_line(text)), false)
            }
            StreamableHttpError::TransportChannelClosed => ("the connection was closed".to_owned(), false),
            other => (first_line(&other.to_string()), false),
        };
    }
    // The message of the outermost error has names of Rust types.
    let cause = error.source().unwrap_or(error);
    (first_line(&cause.to_string()), false)
}

/// Describes a response with status 401.
fn describe_challenge(challenge: &str) -> String {
    let names_metadata = challenge.to_ascii_lowercase().contains("resource_metadata=");
    let hint =
        if names_metadata { ": it uses OAuth, so set `oauth` in its configuration and sign in" } else { "" };
    format!("it requires authentication (HTTP 401){hint}")
}

/// Describes an error status. The request may have been executed if a gateway answers in place of the server.
fn describe_status(status: u16) -> (String, bool) {
    (format!("it answered with HTTP {status}"), matches!(status, 400..=499 | 503))
}

/// Returns the innermost cause: the outer ones repeat the URL, which may contain a secret.
fn root_cause(error: &reqwest::Error) -> String {
    let Some(mut cause) = error.source() else { return "the request failed".to_owned() };
    while let Some(source) = cause.source() {
        cause = source;
    }
    first_line(&cause.to_string())
}

fn first_line(text: &str) -> String {
    truncate(text.lines().next().unwrap_or_default(), 200)
}
