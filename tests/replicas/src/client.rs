//! Requests to replicas, over HTTP and over MCP, each on a connection of its own.

use std::net::SocketAddr;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};

const PROTOCOL: &str = "2026-07-28";

/// A client of one address.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    address: SocketAddr,
}

/// The parts of a response that are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The headers that say something about the body.
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(other, _)| *other == name).map_or("", |(_, value)| value)
    }
}

const COMPARED: [&str; 9] = [
    "content-type",
    "etag",
    "location",
    "cache-control",
    "content-range",
    "retry-after",
    "vary",
    "preference-applied",
    "mcp-session-id",
];

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Client::with_headers(address, HeaderMap::new())
    }

    /// Creates a client that sends a token.
    pub(crate) fn with_token(address: SocketAddr, token: &str) -> Self {
        let value = format!("Bearer {token}").parse().unwrap();
        Client::with_headers(address, HeaderMap::from_iter([(AUTHORIZATION, value)]))
    }

    fn with_headers(address: SocketAddr, headers: HeaderMap) -> Self {
        let http = reqwest::Client::builder().pool_max_idle_per_host(0).timeout(Duration::from_secs(60));
        Client { http: http.default_headers(headers).build().unwrap(), address }
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Answer, reqwest::Error> {
        self.send(Method::GET, path, &[], None).await
    }

    pub(crate) async fn post(
        &self,
        path: &str,
        body: &Value,
        headers: &[(&str, &str)],
    ) -> Result<Answer, reqwest::Error> {
        self.send(Method::POST, path, headers, Some(body)).await
    }

    /// Sends a request of MCP 2026-07-28 by a client that answers questions.
    pub(crate) async fn mcp(&self, method: &str, params: Value) -> Result<Answer, reqwest::Error> {
        self.mcp_with(method, params, json!({})).await
    }

    /// Sends a request of MCP with more metadata.
    pub(crate) async fn mcp_with(
        &self,
        method: &str,
        params: Value,
        meta: Value,
    ) -> Result<Answer, reqwest::Error> {
        answer(self.mcp_request(method, params, meta).send().await?).await
    }

    /// Sends a request of MCP whose response is a stream of events.
    pub(crate) async fn mcp_stream(&self, method: &str, params: Value) -> Response {
        self.mcp_request(method, params, json!({})).send().await.unwrap()
    }

    /// Opens the stream of a session.
    pub(crate) async fn stream(&self, headers: &[(&str, &str)]) -> Response {
        self.request(Method::GET, "/mcp", headers, None).send().await.unwrap()
    }

    fn mcp_request(&self, method: &str, mut params: Value, meta: Value) -> RequestBuilder {
        let name = ["name", "uri", "taskId"].into_iter().find_map(|member| params[member].as_str());
        let name = name.map(str::to_owned);
        let tasks = json!({"io.modelcontextprotocol/tasks": {}});
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": PROTOCOL,
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}, "extensions": tasks},
        });
        if let (Value::Object(all), Value::Object(more)) = (&mut params["_meta"], meta) {
            all.extend(more);
        }
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut headers = vec![("mcp-protocol-version", PROTOCOL), ("mcp-method", method)];
        if let Some(name) = &name {
            headers.push(("mcp-name", name));
        }
        self.request(Method::POST, "/mcp", &headers, Some(&body))
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Result<Answer, reqwest::Error> {
        answer(self.request(method, path, headers, body).send().await?).await
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> RequestBuilder {
        let mut request = self.http.request(method, format!("http://{}{path}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if path == "/mcp" {
            request = request.header("accept", "application/json, text/event-stream");
        }
        match body {
            Some(body) => request.json(body),
            None => request,
        }
    }
}

async fn answer(response: Response) -> Result<Answer, reqwest::Error> {
    let status = response.status().as_u16();
    let value = |name| {
        let value = response.headers().get(name)?.to_str().ok()?;
        // A result that is stored already is fresh for less time.
        let value = value.split_once("max-age=").map_or(value, |(before, _)| before);
        Some((name, value.to_owned()))
    };
    let headers = COMPARED.into_iter().filter_map(value).collect();
    Ok(Answer { status, headers, body: without_call_id(response.text().await?) })
}

/// Removes the id of a call, which is another one for each call.
fn without_call_id(body: String) -> String {
    const MEMBER: &str = "callId\":\"";
    match body.find(MEMBER).map(|start| start + MEMBER.len()) {
        Some(start) => {
            let end = body[start..].find('"').map_or(body.len(), |length| start + length);
            [&body[..start], &body[end..]].concat()
        }
        None => body,
    }
}
