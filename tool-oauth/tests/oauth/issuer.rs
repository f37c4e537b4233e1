//! An issuer on loopback.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tool_core::Principal;
use tool_core::authentication::{AuthenticationError, Authenticator as _};
use tool_oauth::ResourceServer;

use crate::log;
use crate::signing::RESOURCE;

/// What the issuer answers at a path.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Json(Value),
    /// With a `Cache-Control`.
    Cached(Value, &'static str),
    Text(String),
    /// A text in two pieces, without its length.
    Pieces(String),
    Status(u16),
    Redirect(String),
    /// Nothing, until it is let go.
    Hang(Arc<Notify>),
    /// The JSON, once it is let go.
    Late(Arc<Notify>, Value),
}

/// A request that the issuer got.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

#[derive(Debug, Default)]
struct Inner {
    answers: HashMap<String, Answer>,
    received: Vec<Received>,
}

/// An issuer, whose answers can change at any time.
#[derive(Clone, Debug)]
pub(crate) struct Issuer {
    address: SocketAddr,
    inner: Arc<Mutex<Inner>>,
}

/// The path of the metadata, and that of the keys.
pub(crate) const METADATA: &str = "/.well-known/oauth-authorization-server";
pub(crate) const KEYS: &str = "/keys";

impl Issuer {
    /// Starts an issuer with these keys.
    pub(crate) async fn start(keys: Vec<Value>) -> Self {
        log::install();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = Issuer { address: listener.local_addr().unwrap(), inner: Arc::default() };
        issuer.set(METADATA, Answer::Json(issuer.metadata()));
        issuer.set(KEYS, Answer::Json(json!({"keys": keys})));
        let router = Router::new().fallback(answer).with_state(issuer.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        issuer
    }

    pub(crate) fn id(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn metadata(&self) -> Value {
        json!({"issuer": self.id(), "jwks_uri": format!("{}{KEYS}", self.id())})
    }

    pub(crate) fn set(&self, path: &str, answer: Answer) {
        self.inner.lock().unwrap().answers.insert(path.to_owned(), answer);
    }

    pub(crate) fn set_keys(&self, keys: &[Value]) {
        self.set(KEYS, Answer::Json(json!({"keys": keys})));
    }

    /// Returns the requests for this path.
    pub(crate) fn received(&self, path: &str) -> Vec<Received> {
        let inner = self.inner.lock().unwrap();
        inner.received.iter().filter(|received| received.path == path).cloned().collect()
    }

    pub(crate) fn count(&self, path: &str) -> usize {
        self.received(path).len()
    }

    /// Returns a resource server that takes tokens of this issuer.
    pub(crate) fn resource_server(&self) -> ResourceServer {
        ResourceServer::new(RESOURCE).unwrap().issuer(&self.id()).unwrap()
    }
}

async fn answer(
    State(issuer): State<Issuer>,
    _: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let path = uri.path().to_owned();
    let body = String::from_utf8(body.to_vec()).unwrap();
    let answer = {
        let mut inner = issuer.inner.lock().unwrap();
        inner.received.push(Received { path: path.clone(), headers, body });
        inner.answers.get(&path).cloned()
    };
    match answer {
        None => StatusCode::NOT_FOUND.into_response(),
        Some(Answer::Json(value)) => axum::Json(value).into_response(),
        Some(Answer::Cached(value, control)) => {
            ([(header::CACHE_CONTROL, control)], axum::Json(value)).into_response()
        }
        Some(Answer::Text(text)) => text.into_response(),
        Some(Answer::Pieces(text)) => {
            let (one, two) = text.split_at(text.len() / 2);
            let pieces = [one, two].map(|piece| Ok::<_, Infallible>(piece.to_owned()));
            Body::from_stream(stream::iter(pieces)).into_response()
        }
        Some(Answer::Status(status)) => StatusCode::from_u16(status).unwrap().into_response(),
        Some(Answer::Redirect(to)) => (StatusCode::FOUND, [(header::LOCATION, to)]).into_response(),
        Some(Answer::Hang(let_go)) => {
            let_go.notified().await;
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
        Some(Answer::Late(let_go, value)) => {
            let_go.notified().await;
            axum::Json(value).into_response()
        }
    }
}

/// Who sends a request with this token, or the challenge; `503` if this cannot be told.
pub(crate) async fn authenticate(server: &ResourceServer, token: &str) -> Result<Principal, String> {
    authenticate_with(server, "/mcp", &[("authorization", format!("Bearer {token}"))]).await
}

pub(crate) async fn authenticate_with(
    server: &ResourceServer,
    uri: &str,
    headers: &[(&str, String)],
) -> Result<Principal, String> {
    let request = headers.iter().fold(http::Request::post(uri), |it, (name, value)| it.header(*name, value));
    let (head, ()) = request.body(()).unwrap().into_parts();
    server.authenticate(&head).await.map_err(|error| match error {
        AuthenticationError::Refused { challenge } => challenge.to_str().unwrap().to_owned(),
        AuthenticationError::Unavailable(_) => "503".to_owned(),
        error => panic!("{error}"),
    })
}
