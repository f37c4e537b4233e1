//! Client of the search service.

use std::time::Duration;

use reqwest::{Client, Response, Url};
use tool_core::ToolError;

use crate::search::index::Hit;
use crate::search::service::Answer;

/// The timeout of a search.
const TIME: Duration = Duration::from_secs(5);

/// The maximum size of an answer, in bytes: a hundred times that of twenty hits.
const BYTES: usize = 1 << 20;

/// A client of a search service.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let service = onetool::Service::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
/// let search = onetool::Search::new(&service.origin()).unwrap();
/// # let _running = service.start();
/// let hits = search.ask("borrow checker", 1).await.unwrap();
/// assert_eq!(hits[0].title, "Ownership and borrowing in Rust");
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct Search {
    client: Client,
    endpoint: Url,
}

/// The reason why a search failed.
///
/// ```
/// assert!(matches!(onetool::Search::new("nowhere"), Err(onetool::SearchError::Address(_))));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The address is invalid.
    #[error("`{0}` is no address of a search service: it begins with `http://` and a host")]
    Address(String),
    /// The service cannot be reached, or did not answer in time.
    #[error("the search service cannot be reached at the moment")]
    Unreachable(#[source] reqwest::Error),
    /// The answer is too large.
    #[error("the search service answered with more than {0} bytes")]
    TooLong(usize),
    /// The answer is invalid.
    #[error("the search service answered something that is no list of pages")]
    Answer(#[source] serde_json::Error),
}

impl Search {
    /// Creates a client of the service at this address.
    ///
    /// # Errors
    ///
    /// When it is not an HTTP address.
    ///
    /// ```
    /// assert!(onetool::Search::new("http://127.0.0.1:7878").is_ok());
    /// ```
    pub fn new(origin: &str) -> Result<Self, SearchError> {
        let no_address = || SearchError::Address(origin.to_owned());
        let endpoint =
            Url::parse(origin).and_then(|origin| origin.join("/search")).map_err(|_| no_address())?;
        if endpoint.scheme() != "http" || !endpoint.has_host() {
            return Err(no_address());
        }
        let client = crate::http::client().timeout(TIME).build().map_err(SearchError::Unreachable)?;
        Ok(Search { client, endpoint })
    }

    /// Returns the pages that match a query, best first.
    ///
    /// # Errors
    ///
    /// When the service cannot be reached, or its answer is invalid.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let service = onetool::Service::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    /// # let search = onetool::Search::new(&service.origin()).unwrap();
    /// # let _running = service.start();
    /// assert_eq!(search.ask("rust", 3).await.unwrap().len(), 3);
    /// # });
    /// ```
    pub async fn ask(&self, query: &str, count: u8) -> Result<Vec<Hit>, SearchError> {
        let mut url = self.endpoint.clone();
        url.query_pairs_mut().append_pair("q", query).append_pair("count", &count.to_string());
        let answer = self.client.get(url).send().await.and_then(Response::error_for_status);
        let body = body(answer.map_err(SearchError::Unreachable)?).await?;
        let answer: Answer = serde_json::from_slice(&body).map_err(SearchError::Answer)?;
        Ok(answer.results)
    }
}

/// Reads the body up to a limit: the service is not trusted.
async fn body(mut answer: Response) -> Result<Vec<u8>, SearchError> {
    let too_long = || SearchError::TooLong(BYTES);
    if answer.content_length().is_some_and(|length| length > BYTES as u64) {
        return Err(too_long());
    }
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(SearchError::Unreachable)? {
        if body.len() + chunk.len() > BYTES {
            return Err(too_long());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

impl From<SearchError> for ToolError {
    fn from(error: SearchError) -> Self {
        tracing::error!(error = &error as &dyn std::error::Error, "a search failed");
        ToolError::unavailable(error.to_string())
    }
}
