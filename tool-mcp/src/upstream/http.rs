//! The way to a server over HTTP.

mod client;

use std::error::Error;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError};

use crate::upstream::http::client::BoundedClient;
use crate::upstream::settings::Address;

/// How long it may take until somebody answers at all.
const CONNECT: Duration = Duration::from_secs(10);

/// So many redirections are followed.
const MOST_REDIRECTIONS: usize = 5;

/// The transport of streamable HTTP, for messages of at most `limit` bytes.
pub(super) fn transport(
    address: &Address,
    limit: usize,
) -> Result<StreamableHttpClientTransport<BoundedClient>, String> {
    let mut config = StreamableHttpClientTransportConfig::with_uri(address.url.as_str())
        .custom_headers(address.headers()?)
        .max_concurrent_requests(256);
    config.allow_stateless = true;
    let client = client(&address.url).map_err(|error| format!("no client of HTTP: {}", innermost(&error)))?;
    let client = BoundedClient { http: client, limit };
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

fn client(url: &str) -> reqwest::Result<Client> {
    // Without one reqwest would have to be told; an application may have chosen another.
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
    let within_the_origin = Policy::custom(|attempt| {
        let same = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
        if !same || attempt.previous().len() > MOST_REDIRECTIONS { attempt.stop() } else { attempt.follow() }
    });
    let mut builder = Client::builder().redirect(within_the_origin).connect_timeout(CONNECT);
    // No proxy knows this machine.
    if Url::parse(url).is_ok_and(|url| is_loopback(&url)) {
        builder = builder.no_proxy();
    }
    builder.build()
}

fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        bare == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    })
}

/// What went wrong on the way, in words without addresses, and whether the server cannot have heard of it.
pub(super) fn told(error: &(dyn Error + 'static)) -> (String, bool) {
    let mut link = Some(error);
    while let Some(error) = link {
        if let Some(error) = error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            return match error {
                StreamableHttpError::Client(error) if error.is_connect() => {
                    (format!("it cannot be connected to: {}", innermost(error)), true)
                }
                StreamableHttpError::Client(error) => match error.status() {
                    Some(status) => answered(status.as_u16()),
                    None => (format!("the connection failed: {}", innermost(error)), false),
                },
                StreamableHttpError::AuthRequired(_) => ("it asks who we are (HTTP 401)".to_owned(), true),
                StreamableHttpError::InsufficientScope(_) => ("it refuses us (HTTP 403)".to_owned(), true),
                StreamableHttpError::HttpStatus(error) => answered(error.status),
                StreamableHttpError::UnexpectedServerResponse(text) => {
                    (format!("it answered something unexpected: {}", first_line(text)), false)
                }
                StreamableHttpError::TransportChannelClosed => {
                    ("the connection was closed".to_owned(), false)
                }
                other => (first_line(&other.to_string()), false),
            };
        }
        link = error.source();
    }
    // The outermost names our types.
    let cause = error.source().unwrap_or(error);
    (first_line(&cause.to_string()), false)
}

/// A status that a gateway answers with may come after the server has heard of it; one that refuses comes before.
fn answered(status: u16) -> (String, bool) {
    (format!("it answered with HTTP {status}"), matches!(status, 400..=499 | 503))
}

/// The cause of all causes: those around it repeat the URL, which may have a secret.
fn innermost(error: &reqwest::Error) -> String {
    let Some(mut cause) = error.source() else { return "the request failed".to_owned() };
    while let Some(source) = cause.source() {
        cause = source;
    }
    first_line(&cause.to_string())
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}
