//! A server of MCP that is its own authorization server.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router, body};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tool_core::{DynamicTool, Operation, Output, Tool, ToolDefinition};
use tool_mcp::Server;
use tower::ServiceExt as _;

/// A server of MCP that is its own authorization server. Tests change what it answers.
#[derive(Clone)]
pub(super) struct Site(Arc<SiteInner>);

struct SiteInner {
    addr: SocketAddr,
    mcp: Router,
    answers: Mutex<Answers>,
    /// The method and path of each request, with its credentials and body.
    requests: Mutex<Vec<(String, Option<String>, String)>>,
}

pub(super) struct Answers {
    /// Replaces members of the metadata of the authorization server; `null` removes one.
    pub(super) metadata: Value,
    pub(super) authorization_server: Option<String>,
    /// Answers these paths with a status and a `Location`.
    pub(super) redirects: HashMap<&'static str, String>,
    pub(super) client: Value,
    pub(super) token: (StatusCode, Value),
    /// The token that the server accepts.
    pub(super) accepted: String,
}

const FIRST: &str = "first-0b7c5f1e9d2a";
pub(super) const SECOND: &str = "second-0b7c5f1e9d2a";
pub(super) const REFRESH: &str = "refresh-0b7c5f1e9d2a";

impl Site {
    pub(super) async fn start() -> Self {
        let definition = ToolDefinition::builder("echo", "Does something.").operation(Operation::Read);
        let definition = definition.input_schema(json!({"type": "object"})).build().unwrap();
        let echo = DynamicTool::new(definition, |_, _: Value| async { Ok(Output::text("hello")) });
        let echo: Arc<dyn Tool> = Arc::new(echo);
        let mcp = Router::new().nest_service("/mcp", Server::new(vec![echo]).into_axum_router().unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let answers = Answers {
            metadata: json!({}),
            authorization_server: None,
            redirects: HashMap::new(),
            client: json!({"client_id": "registered", "redirect_uris": []}),
            token: (
                StatusCode::OK,
                json!({"access_token": FIRST, "token_type": "Bearer", "expires_in": 3600, "refresh_token": REFRESH}),
            ),
            accepted: FIRST.to_owned(),
        };
        let site = Site(Arc::new(SiteInner {
            addr: listener.local_addr().unwrap(),
            mcp,
            answers: Mutex::new(answers),
            requests: Mutex::default(),
        }));
        let router = Router::new().fallback(answer).with_state(site.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        site
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.0.addr)
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut Answers)) {
        change(&mut self.0.answers.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns the credentials and bodies of the requests to a path.
    pub(super) fn requests(&self, path: &str) -> Vec<(Option<String>, String)> {
        let requests = self.0.requests.lock().unwrap();
        let requests = requests.iter().filter(|(to, _, _)| to == path);
        requests.map(|(_, credentials, body)| (credentials.clone(), body.clone())).collect()
    }

    /// Passes a request on to the real server of MCP.
    pub(super) async fn forward(&self, request: Request) -> Response {
        self.0.mcp.clone().oneshot(request).await.unwrap()
    }

    fn metadata_document(&self, path: &str) -> Option<Value> {
        let answers = self.0.answers.lock().unwrap();
        match path {
            "/.well-known/oauth-protected-resource/mcp" => {
                let issuer = answers.authorization_server.clone().unwrap_or_else(|| self.url(""));
                Some(json!({"resource": self.url("/mcp"), "authorization_servers": [issuer]}))
            }
            // Addresses of other forms are for servers that lie about their issuer.
            "/.well-known/oauth-authorization-server" | "/.well-known/other" | "/other/.well-known/other" => {
                let mut metadata = json!({
                    "issuer": self.url(""),
                    "authorization_endpoint": self.url("/authorize"),
                    "token_endpoint": self.url("/token"),
                    "registration_endpoint": self.url("/register"),
                    "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"],
                    "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"],
                });
                for (name, value) in answers.metadata.as_object().unwrap() {
                    metadata[name] = value.clone();
                }
                metadata.as_object_mut().unwrap().retain(|_, value| !value.is_null());
                Some(metadata)
            }
            _ => None,
        }
    }
}

async fn answer(State(site): State<Site>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let path = head.uri.path().to_owned();
    let credentials = head.headers.get(header::AUTHORIZATION).map(|value| value.to_str().unwrap().to_owned());
    let body = body::to_bytes(body, usize::MAX).await.unwrap();
    let text = String::from_utf8_lossy(&body).into_owned();
    site.0.requests.lock().unwrap().push((path.clone(), credentials.clone(), text));
    let redirect = site.0.answers.lock().unwrap().redirects.get(path.as_str()).cloned();
    if let Some(location) = redirect {
        return (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, location)]).into_response();
    }
    if let Some(document) = site.metadata_document(&path) {
        return Json(document).into_response();
    }
    let (client, (status, token), accepted) = {
        let answers = site.0.answers.lock().unwrap();
        (answers.client.clone(), answers.token.clone(), format!("Bearer {}", answers.accepted))
    };
    match path.as_str() {
        "/register" => Json(client).into_response(),
        "/token" => (status, Json(token)).into_response(),
        "/mcp" if credentials == Some(accepted) => site.forward(Request::from_parts(head, body.into())).await,
        "/mcp" => {
            let metadata = site.url("/.well-known/oauth-protected-resource/mcp");
            let challenge = format!("Bearer resource_metadata=\"{metadata}\"");
            (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, challenge)]).into_response()
        }
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}
