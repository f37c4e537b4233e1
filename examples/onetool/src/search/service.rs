//! The service: searches as JSON, pages as HTML.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::X_CONTENT_TYPE_OPTIONS;
use axum::response::{Html, IntoResponse, Json, Response};
use axum::routing::get;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::search::corpus::{Document, documents};
use crate::search::index::{Hit, Index};
use crate::search::page;

/// The maximum number of hits of a search.
pub(crate) const MOST_HITS: usize = 20;

/// A search service that is bound to its address, but not yet serving.
///
/// | request | answer |
/// |---|---|
/// | `GET /search?q=rust&count=5` | `{"query":"rust","results":[{"title","url","description"}]}`, the best first |
/// | `GET /pages/{slug}` | a page, as HTML |
/// | `GET /` | the list of all pages |
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let service = onetool::Service::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
/// println!("{}", service.origin());
/// let running = service.start();
/// # });
/// ```
#[derive(Debug)]
pub struct Service {
    listener: TcpListener,
    addr: SocketAddr,
}

impl Service {
    /// Binds to an address; port 0 selects a free port.
    ///
    /// # Errors
    ///
    /// When the address cannot be bound.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let service = onetool::Service::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    /// assert_ne!(service.local_addr().port(), 0);
    /// # });
    /// ```
    pub async fn bind(addr: SocketAddr) -> std::io::Result<Self> {
        let listener = TcpListener::bind(addr).await?;
        let addr = listener.local_addr()?;
        Ok(Service { listener, addr })
    }

    /// Returns the bound address.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let service = onetool::Service::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    /// assert!(service.local_addr().ip().is_loopback());
    /// # });
    /// ```
    pub fn local_addr(&self) -> SocketAddr {
        self.addr
    }

    /// Returns the origin, such as `http://127.0.0.1:40123`.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let service = onetool::Service::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    /// assert!(service.origin().starts_with("http://127.0.0.1:"));
    /// # });
    /// ```
    pub fn origin(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Serves in the background until the returned handle is dropped.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let running = onetool::Service::bind(([127, 0, 0, 1], 0).into()).await.unwrap().start();
    /// # });
    /// ```
    pub fn start(self) -> Running {
        let app = router(&self.origin());
        Running(tokio::spawn(async move {
            if let Err(error) = axum::serve(self.listener, app).await {
                tracing::error!(%error, "the search service has ended");
            }
        }))
    }

    /// Serves until the future ends.
    ///
    /// # Errors
    ///
    /// When connections can no longer be accepted.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let service = onetool::Service::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    /// service.run_until(std::future::ready(())).await.unwrap();
    /// # });
    /// ```
    pub async fn run_until(self, end: impl Future<Output = ()> + Send + 'static) -> std::io::Result<()> {
        let app = router(&self.origin());
        axum::serve(self.listener, app).with_graceful_shutdown(end).await
    }
}

/// A running service that stops when dropped.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let running: onetool::Running = onetool::Service::bind(([127, 0, 0, 1], 0).into()).await.unwrap().start();
/// drop(running);
/// # });
/// ```
#[derive(Debug)]
#[must_use = "the service stops when this is dropped"]
pub struct Running(JoinHandle<()>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

struct Site {
    origin: String,
    index: Index,
}

fn router(origin: &str) -> Router {
    let site = Arc::new(Site { origin: origin.to_owned(), index: Index::of(documents()) });
    Router::new()
        .route("/", get(contents))
        .route("/search", get(search))
        .route("/pages/{slug}", get(document))
        .fallback(async || missing())
        .with_state(site)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    q: String,
    count: Option<usize>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) query: String,
    pub(crate) results: Vec<Hit>,
}

async fn search(
    State(site): State<Arc<Site>>,
    question: Result<Query<Question>, QueryRejection>,
) -> Response {
    let Question { q, count } = match question {
        Ok(Query(question)) => question,
        Err(rejection) => return refused(&rejection.body_text()),
    };
    let count = count.unwrap_or(5);
    if !(1..=MOST_HITS).contains(&count) {
        return refused(&format!("`count` is {count}, and goes from 1 to {MOST_HITS}"));
    }
    let hit = |(Document { slug, title, .. }, description): (&Document, &str)| Hit {
        title: (*title).to_owned(),
        url: format!("{}/pages/{slug}", site.origin),
        description: description.to_owned(),
    };
    let results = site.index.search(&q, count).into_iter().map(hit).collect();
    Json(Answer { query: q, results }).into_response()
}

async fn document(State(site): State<Arc<Site>>, Path(slug): Path<String>) -> Response {
    site.index.document(&slug).map_or_else(missing, |document| html(StatusCode::OK, page::page(document)))
}

async fn contents(State(site): State<Arc<Site>>) -> Response {
    html(StatusCode::OK, page::contents(site.index.documents()))
}

fn missing() -> Response {
    html(StatusCode::NOT_FOUND, page::missing())
}

fn html(status: StatusCode, page: String) -> Response {
    (status, [(X_CONTENT_TYPE_OPTIONS, "nosniff")], Html(page)).into_response()
}

fn refused(reason: &str) -> Response {
    (StatusCode::BAD_REQUEST, Json(serde_json::json!({"error": reason}))).into_response()
}
