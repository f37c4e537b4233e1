//! Fetching a page, from where it is allowed and within limits.

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

/// How often a page may point elsewhere.
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

/// How much a page may have, and how long it may take.
///
/// ```
/// assert_eq!(onetool::FetchLimits::default().bytes, 1 << 20);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchLimits {
    /// The most bytes of a page: 1 MiB by default.
    pub bytes: usize,
    /// From the first connection to the last byte, redirects included: 10 seconds by default.
    pub time: Duration,
}

impl Default for FetchLimits {
    fn default() -> Self {
        FetchLimits { bytes: 1 << 20, time: Duration::from_secs(10) }
    }
}

/// Fetches pages from the origins that it is allowed to.
///
/// Every request of it, the ones after a redirect too, goes to an [allowed](Egress) origin, and to an address that was
/// looked at after the name was resolved: the very address that is then connected to. It sends no credentials, keeps no
/// cookies and asks no proxy.
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
    /// One that may go where `egress` says.
    ///
    /// # Errors
    ///
    /// When there is no client to be had of this machine.
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

    /// The page at this address.
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

    /// Goes from redirect to redirect, and asks each time whether that is allowed.
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
        // Nothing was asked for that would have to be unpacked, which could come to any size.
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
        // Taking a large page apart would keep other calls of this thread waiting.
        let text = tokio::task::spawn_blocking(move || kind.text(&bytes)).await;
        let text = text.map_err(|_| FetchError::NoText(content_type.clone()))??;
        Ok(FetchedPage { url: url.into(), content_type, text })
    }
}
