//! HTTP requests to services, with limits and checks of addresses.

mod error;

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Method, Response, StatusCode, Url};

pub use error::CallError;

use crate::egress::{self, Egress, Lookup};

/// The most redirects that are followed.
const MOST_REDIRECTS: usize = 5;

/// The `User-Agent` header.
const USER_AGENT: &str = concat!("catalogue/", env!("CARGO_PKG_VERSION"));

/// An HTTP client for services.
///
/// [`Egress`] must allow every request, also after a redirect. The client keeps no cookies, uses no proxy, and sends a
/// credential only to its own origin.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    egress: Egress,
}

/// Limits on the size and time of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of the body, in bytes.
    pub bytes: usize,
    /// The time from the first connection to the last byte, including redirects.
    pub time: Duration,
}

/// A request to a service.
#[derive(Clone, Debug)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The URL, without the credential.
    pub url: Url,
    /// Additional headers.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// A JSON body.
    pub body: Option<String>,
    /// The credential.
    pub credential: Option<Credential>,
}

/// A key or token, and where it is sent.
#[derive(Clone)]
pub enum Credential {
    /// In a header.
    Header(HeaderName, HeaderValue),
    /// In the query.
    Query(String, String),
}

/// Masks the key.
impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(crate::secret::MASK)
    }
}

/// The answer of a service.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The `Content-Type` header.
    pub content_type: Option<String>,
    /// The `Retry-After` header.
    pub retry_after: Option<String>,
    /// The bytes.
    pub body: Vec<u8>,
}

impl Client {
    /// Creates a client that connects to the addresses that `egress` allows.
    ///
    /// # Errors
    ///
    /// When TLS or the HTTP client cannot be set up.
    pub fn new(egress: Egress) -> Result<Self, CallError> {
        Client::resolving(egress, egress::lookup())
    }

    /// Creates a client with a custom lookup of addresses.
    ///
    /// # Errors
    ///
    /// When TLS or the HTTP client cannot be set up.
    pub fn resolving(egress: Egress, lookup: Lookup) -> Result<Self, CallError> {
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls())
            .no_proxy()
            .redirect(Policy::none())
            .user_agent(USER_AGENT)
            .dns_resolver(Arc::new(egress.resolver(lookup)))
            .build()
            .map_err(CallError::of_client)?;
        Ok(Client { http, egress })
    }

    /// Sends a request and reads the whole answer.
    ///
    /// # Errors
    ///
    /// When there is no answer within the limits. A status of 400 and above is an answer.
    pub async fn send(&self, request: &Request, limits: Limits) -> Result<Answer, CallError> {
        let answered = tokio::time::timeout(limits.time, self.follow(request, limits.bytes)).await;
        answered.unwrap_or(Err(CallError::Late(limits.time)))
    }

    /// Follows redirects, and checks each of them.
    async fn follow(&self, request: &Request, bytes: usize) -> Result<Answer, CallError> {
        let mut url = request.url.clone();
        let mut same_origin = true;
        for _ in 0..=MOST_REDIRECTS {
            self.egress.check(&url)?;
            let sent = self.built(request, &url, same_origin)?;
            let response = self.http.execute(sent).await.map_err(CallError::of_client)?;
            let location = response.headers().get(LOCATION).filter(|_| response.status().is_redirection());
            let Some(location) = location else { return read(response, bytes).await };
            if request.method != Method::GET {
                return Err(CallError::Moved);
            }
            let next = location.to_str().ok().and_then(|location| url.join(location).ok());
            let next = next.ok_or(CallError::Nowhere)?;
            self.admit(request, &url, &next)?;
            // Once redirected to another origin, the request stays untrusted, even if it leads back.
            same_origin &= next.origin() == url.origin();
            url = next;
        }
        Err(CallError::Redirects(MOST_REDIRECTS))
    }

    /// Checks that a service may redirect from one address to another.
    fn admit(&self, request: &Request, from: &Url, to: &Url) -> Result<(), CallError> {
        self.egress.check(to)?;
        if from.origin() == to.origin() {
            return Ok(());
        }
        // A redirect must not lead to this machine, to plain HTTP, or carry a key in the address.
        let inside = egress::is_this_machine(to.host_str().unwrap_or_default());
        let in_the_clear = from.scheme() == "https" && to.scheme() != "https";
        let tells = match &request.credential {
            Some(Credential::Query(_, secret)) => crate::secret::Scrubber::of([secret]).finds(to.as_str()),
            _ => false,
        };
        if inside || in_the_clear || tells { Err(CallError::Astray) } else { Ok(()) }
    }

    /// Builds the request for this address. The credential and the caller's headers are sent only to the original service, and
    /// not after a redirect to another origin.
    fn built(&self, request: &Request, url: &Url, same_origin: bool) -> Result<reqwest::Request, CallError> {
        let mut url = url.clone();
        let same_origin = same_origin && url.origin() == request.url.origin();
        let credential = request.credential.as_ref().filter(|_| same_origin);
        if let Some(Credential::Query(name, secret)) = credential {
            url.query_pairs_mut().append_pair(name, secret);
        }
        let mut sent = self.http.request(request.method.clone(), url);
        if let Some(Credential::Header(name, value)) = credential {
            sent = sent.header(name, value);
        }
        for (name, value) in request.headers.iter().filter(|_| same_origin) {
            sent = sent.header(name, value);
        }
        if let Some(body) = &request.body {
            sent = sent.header(CONTENT_TYPE, "application/json").body(body.clone());
        }
        sent.build().map_err(CallError::of_client)
    }
}

async fn read(mut response: Response, most: usize) -> Result<Answer, CallError> {
    let header = |name: HeaderName| {
        response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    // No compression was requested; unpacking could exceed the limit.
    if header(CONTENT_ENCODING).is_some_and(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
        return Err(CallError::Compressed);
    }
    let (status, content_type, retry_after) = (response.status(), header(CONTENT_TYPE), header(RETRY_AFTER));
    if response.content_length().is_some_and(|length| length > most as u64) {
        return Err(CallError::TooLarge(most));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(CallError::of_client)? {
        if body.len() + chunk.len() > most {
            return Err(CallError::TooLarge(most));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answer { status, content_type, retry_after, body })
}

/// Returns a TLS configuration with the certificate authorities that browsers trust.
fn tls() -> rustls::ClientConfig {
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap_or_else(|error| unreachable!("the versions are those of the provider: {error}"))
        .with_root_certificates(roots)
        .with_no_client_auth()
}

#[cfg(test)]
mod tests;
