//! The loopback listener that the browser returns to.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::http::header::CACHE_CONTROL;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use reqwest::Url;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::sync::DropGuard;

/// Receives the redirect of the browser.
pub(super) struct RedirectListener {
    uri: Url,
    redirects: mpsc::Receiver<Redirect>,
    server: tokio::task::JoinHandle<io::Result<()>>,
    stop: DropGuard,
}

/// A request to the redirect URI.
pub(super) struct Redirect {
    parameters: HashMap<String, String>,
    reply: oneshot::Sender<(StatusCode, &'static str)>,
}

/// How long the browser has for reading the last page.
const LINGER: Duration = Duration::from_secs(2);

impl RedirectListener {
    /// Listens on the port of the redirect URI, or on a free one.
    pub(super) async fn bind(mut uri: Url) -> io::Result<Self> {
        let address = match uri.host_str() {
            Some("[::1]") => IpAddr::V6(Ipv6Addr::LOCALHOST),
            _ => IpAddr::V4(Ipv4Addr::LOCALHOST),
        };
        let listener = TcpListener::bind((address, uri.port().unwrap_or_default())).await?;
        let port = listener.local_addr()?.port();
        uri.set_port(Some(port)).map_err(|()| io::Error::other("the redirect URI has no port"))?;
        let (sender, redirects) = mpsc::channel(8);
        let router = Router::new().route(uri.path(), get(receive)).with_state(sender);
        let stop = CancellationToken::new();
        let stopped = stop.clone().cancelled_owned();
        let server =
            tokio::spawn(axum::serve(listener, router).with_graceful_shutdown(stopped).into_future());
        Ok(RedirectListener { uri, redirects, server, stop: stop.drop_guard() })
    }

    /// Returns the redirect URI, with the port.
    pub(super) fn uri(&self) -> &Url {
        &self.uri
    }

    /// Waits for a redirect.
    pub(super) async fn next(&mut self) -> Option<Redirect> {
        self.redirects.recv().await
    }

    /// Stops listening after the last page was sent.
    pub(super) async fn close(self) {
        drop(self.stop);
        // A browser may keep a connection open.
        let _ = tokio::time::timeout(LINGER, self.server).await;
    }
}

impl Redirect {
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(String::as_str)
    }

    /// Shows a text in the browser.
    pub(super) fn reply(self, status: StatusCode, text: &'static str) {
        // The browser may have closed the connection.
        let _ = self.reply.send((status, text));
    }
}

async fn receive(
    State(redirects): State<mpsc::Sender<Redirect>>,
    Query(parameters): Query<Vec<(String, String)>>,
) -> Response {
    let (reply, text) = oneshot::channel();
    let names = parameters.len();
    let parameters: HashMap<String, String> = parameters.into_iter().collect();
    if parameters.len() < names {
        return (StatusCode::BAD_REQUEST, "A parameter is given twice.").into_response();
    }
    if redirects.send(Redirect { parameters, reply }).await.is_err() {
        return (StatusCode::GONE, "The program no longer waits for this page.").into_response();
    }
    let ended = (StatusCode::GONE, "The program has ended.");
    let (status, text) = text.await.unwrap_or(ended);
    // The address of the page has the code: it is not kept, and not sent on.
    (status, [(CACHE_CONTROL, "no-store"), (axum::http::header::REFERRER_POLICY, "no-referrer")], text)
        .into_response()
}
