//! Fetching pages from allowed origins, with limits.

mod egress;
mod error;
mod resolver;
#[cfg(test)]
mod tests;
mod text;

use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response, StatusCode, Url};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use egress::{Egress, OriginError};
pub use error::FetchError;

use crate::fetch::resolver::{Lookup, Resolver};

/// The most redirects that are followed.
const MOST_REDIRECTS: usize = 5;

/// A page as it was fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FetchedPage {
    /// Where it was found, after redirects.
    pub url: String,
    /// Its media type, such as `text/html`.
    pub content_type: String,
    /// What it says: HTML as plain text with its headings marked by `#`, everything else as it is.
    pub text: String,
}

/// Limits on the size and time of a page.
///
/// ```
/// assert_eq!(onetool::FetchLimits::default().bytes, 1 << 20);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchLimits {
    /// The maximum size of a page, in bytes: 1 MiB by default.
    pub bytes: usize,
    /// The time from the first connection to the last byte, including redirects: 10 seconds by default.
    pub time: Duration,
}

impl Default for FetchLimits {
    fn default() -> Self {
        FetchLimits { bytes: 1 << 20, time: Duration::from_secs(10) }
    }
}

/// A client that fetches pages from allowed origins.
///
/// Every request, also after a redirect, goes to an [allowed](Egress) origin. The client connects to exactly the resolved
/// address that was checked. It sends no credentials, keeps no cookies and uses no proxy.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// use onetool::{Egress, FetchError, FetchLimits, Fetcher, Service};
///
/// let service = Service::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
/// let origin = service.origin();
/// let _running = service.start();
///
/// let fetcher = Fetcher::new(Egress::to([&origin]).unwrap(), FetchLimits::default()).unwrap();
/// let page = fetcher.fetch(&format!("{origin}/pages/tcp")).await.unwrap();
/// assert!(page.text.starts_with("# TCP"));
///
/// let refused = fetcher.fetch("http://169.254.169.254/latest/meta-data").await.unwrap_err();
/// assert!(matches!(refused, FetchError::Origin { .. }));
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct Fetcher {
    client: Client,
    egress: Egress,
    limits: FetchLimits,
}

impl Fetcher {
    /// Creates a client that connects to the origins that `egress` allows.
    ///
    /// # Errors
    ///
    /// When the HTTP client cannot be set up.
    ///
    /// ```
    /// use onetool::{Egress, FetchLimits, Fetcher};
    ///
    /// let fetcher = Fetcher::new(Egress::default(), FetchLimits::default()).unwrap();
    /// ```
    pub fn new(egress: Egress, limits: FetchLimits) -> Result<Self, FetchError> {
        Fetcher::resolving(egress, limits, resolver::of_this_machine())
    }

    fn resolving(egress: Egress, limits: FetchLimits, lookup: Lookup) -> Result<Self, FetchError> {
        let client = crate::http::client()
            .dns_resolver(std::sync::Arc::new(Resolver::new(lookup)))
            .build()
            .map_err(FetchError::of_client)?;
        Ok(Fetcher { client, egress, limits })
    }

    /// Fetches the page at this URL.
    ///
    /// # Errors
    ///
    /// See [`FetchError`].
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use onetool::{Egress, FetchError, FetchLimits, Fetcher};
    ///
    /// let fetcher = Fetcher::new(Egress::default(), FetchLimits::default()).unwrap();
    /// assert!(matches!(fetcher.fetch("file:///etc/passwd").await, Err(FetchError::Scheme(_))));
    /// # });
    /// ```
    pub async fn fetch(&self, url: &str) -> Result<FetchedPage, FetchError> {
        let url = Url::parse(url).map_err(|error| FetchError::Url(error.to_string()))?;
        tokio::time::timeout(self.limits.time, self.follow(url))
            .await
            .unwrap_or(Err(FetchError::Late(self.limits.time)))
    }

    /// Follows redirects, and checks each of them.
    async fn follow(&self, mut url: Url) -> Result<FetchedPage, FetchError> {
        for _ in 0..=MOST_REDIRECTS {
            self.egress.admit(&url)?;
            let request = self.client.get(url.clone()).header(ACCEPT, "text/html, text/*;q=0.9, */*;q=0.1");
            let response = request.send().await.map_err(FetchError::of_client)?;
            if !response.status().is_redirection() {
                return self.read(url, response).await;
            }
            let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
            let location = location.ok_or(FetchError::Status(response.status().as_u16()))?;
            url = url.join(location).map_err(|error| FetchError::Url(error.to_string()))?;
        }
        Err(FetchError::Redirects(MOST_REDIRECTS))
    }

    async fn read(&self, url: Url, mut response: Response) -> Result<FetchedPage, FetchError> {
        if response.status() != StatusCode::OK {
            return Err(FetchError::Status(response.status().as_u16()));
        }
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        // No compression was requested; unpacking could exceed the limit.
        if header(CONTENT_ENCODING).is_some_and(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
            return Err(FetchError::NoText("compressed".to_owned()));
        }
        let kind = text::Kind::of(header(CONTENT_TYPE).unwrap_or("text/plain"))?;
        let too_long = Err(FetchError::TooLong(self.limits.bytes));
        if response.content_length().is_some_and(|length| length > self.limits.bytes as u64) {
            return too_long;
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(FetchError::of_client)? {
            if bytes.len() + chunk.len() > self.limits.bytes {
                return too_long;
            }
            bytes.extend_from_slice(&chunk);
        }
        let content_type = kind.essence().to_owned();
        // Parsing a large page would block the runtime.
        let text = tokio::task::spawn_blocking(move || kind.text(&bytes)).await;
        let text = text.map_err(|_| FetchError::NoText(content_type.clone()))??;
        Ok(FetchedPage { url: url.into(), content_type, text })
    }
}
