//! Calls over MCP of 2026-07-28, whose requests are independent.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use fastrand::Rng;
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::events::EventStream;
use crate::http;
use crate::ledger::Call;
use crate::world::World;

pub(crate) const PROTOCOL: &str = "2026-07-28";

/// A client of the MCP server over HTTP.
#[derive(Debug)]
pub(crate) struct McpClient {
    pub(crate) address: SocketAddr,
    client: reqwest::Client,
}

impl McpClient {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { address, client: http::client() }
    }

    /// Returns a request with this method of HTTP and the headers of MCP.
    pub(crate) fn request(&self, method: reqwest::Method) -> RequestBuilder {
        let request = self.client.request(method, format!("http://{}/mcp", self.address));
        request.header("accept", "application/json, text/event-stream")
    }

    /// Returns a request of MCP by a client that answers questions and takes tasks.
    pub(crate) fn modern(&self, method: &str, mut params: Value, call: Option<&Call<'_>>) -> RequestBuilder {
        let name = ["name", "uri", "taskId"].into_iter().find_map(|member| params[member].as_str());
        let name = name.map(str::to_owned);
        params["_meta"] = meta(call);
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request = self.request(reqwest::Method::POST).json(&body);
        let request = request.header("mcp-protocol-version", PROTOCOL).header("mcp-method", method);
        match name {
            Some(name) => request.header("mcp-name", name),
            None => request,
        }
    }
}

/// Returns the metadata of a request of the modern era.
pub(crate) fn meta(call: Option<&Call<'_>>) -> Value {
    let mut meta = json!({
        "io.modelcontextprotocol/protocolVersion": PROTOCOL,
        "io.modelcontextprotocol/clientCapabilities": {
            "elicitation": {"form": {}}, "extensions": {"io.modelcontextprotocol/tasks": {}},
        },
    });
    if let Some(call) = call {
        meta["traceparent"] = json!(call.traceparent());
    }
    meta
}

/// Returns the parameters of a call.
pub(crate) fn call_params(tool: &str, arguments: &Value) -> Value {
    json!({"name": tool, "arguments": arguments})
}

/// Reads a response to the message that answers the request.
pub(crate) async fn read(response: Response) -> anyhow::Result<(u16, Value)> {
    let status = response.status().as_u16();
    let mut events = EventStream::new(response);
    if !events.is_stream() {
        let text = events.text().await?;
        let message = serde_json::from_str(&text).with_context(|| format!("{status} {text}"))?;
        return Ok((status, message));
    }
    loop {
        let message = events.next().await?.context("a stream ends without an answer")?;
        if message["id"] == 1 {
            return Ok((status, message));
        }
    }
}

/// Calls a tool, and returns the answer.
async fn answered(
    world: &World,
    action: &'static str,
    tool: &str,
    arguments: Value,
) -> anyhow::Result<Value> {
    let call = world.ledger.begin(action);
    let request = world.mcp.modern("tools/call", call_params(tool, &arguments), Some(&call));
    let (status, answer) = read(request.send().await?).await?;
    call.answered();
    ensure!(status == 200, "{tool}: {status} {answer}");
    Ok(answer)
}

/// Expects a result that is a failure or none.
fn ensure_failure(answer: &Value, is_failure: bool) -> anyhow::Result<()> {
    ensure!(answer["result"]["isError"].as_bool().unwrap_or(false) == is_failure, "{answer}");
    Ok(())
}

pub(crate) async fn add(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let (a, b) = (rng.i64(-1_000_000..1_000_000), rng.i64(-1_000_000..1_000_000));
    let answer = answered(world, "mcp add", "add", json!({"a": a, "b": b})).await?;
    ensure!(answer["result"]["structuredContent"]["result"] == a + b, "{answer}");
    Ok(())
}

pub(crate) async fn invalid(world: &World, _: &mut Rng) -> anyhow::Result<()> {
    ensure_failure(&answered(world, "mcp invalid", "add", json!({"a": "one"})).await?, true)
}

pub(crate) async fn explode(world: &World, _: &mut Rng) -> anyhow::Result<()> {
    ensure_failure(&answered(world, "mcp explode", "explode", json!({"reason": "over MCP"})).await?, true)
}

pub(crate) async fn hang(world: &World, _: &mut Rng) -> anyhow::Result<()> {
    ensure_failure(&answered(world, "mcp hang", "hang", json!({})).await?, true)
}

pub(crate) async fn allocate(world: &World, _: &mut Rng) -> anyhow::Result<()> {
    ensure_failure(&answered(world, "mcp allocate", "allocate", json!({"megabytes": 50})).await?, false)
}

/// Writes and reads a row; the database may be away.
pub(crate) async fn rows(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let id = rng.i32(0..500);
    answered(world, "mcp write_row", "write_row", json!({"id": id, "text": "over MCP"})).await?;
    answered(world, "mcp read_row", "read_row", json!({"id": id})).await.map(|_| ())
}

/// Lists everything, and reads a resource and a prompt.
pub(crate) async fn lists(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    for method in ["server/discover", "tools/list", "resources/templates/list", "prompts/list"] {
        let (status, answer) = read(world.mcp.modern(method, json!({}), None).send().await?).await?;
        ensure!(status == 200 && answer["result"].is_object(), "{method}: {status} {answer}");
    }
    let uri = format!("soak://page/{}", rng.u32(..100));
    for (method, params) in [
        ("resources/read", json!({"uri": uri})),
        ("prompts/get", json!({"name": "summary", "arguments": {"topic": "soaking"}})),
    ] {
        let call = world.ledger.begin("mcp read");
        let (status, answer) = read(world.mcp.modern(method, params, Some(&call)).send().await?).await?;
        call.answered();
        ensure!(status == 200 && answer["result"].is_object(), "{method}: {status} {answer}");
    }
    Ok(())
}

/// Sends messages that are not requests of MCP.
pub(crate) async fn broken(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let bodies = [
        "{\"jsonrpc\": \"2.0\", \"id\": 1",
        "[]",
        "{\"jsonrpc\": \"1.0\", \"id\": 1, \"method\": \"tools/call\"}",
        "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/burn\", \"params\": {}}",
        "{\"jsonrpc\": \"2.0\", \"id\": {}, \"method\": \"tools/list\"}",
    ];
    let body = bodies[rng.usize(..bodies.len())];
    let request = world.mcp.request(reqwest::Method::POST).header("content-type", "application/json");
    let (status, text) = http::read(request.body(body).send().await?).await?;
    ensure!((400..500).contains(&status), "{body}: {status} {text}");
    Ok(())
}

pub(crate) async fn unknown_tool(world: &World, _: &mut Rng) -> anyhow::Result<()> {
    let call = world.ledger.begin("mcp unknown tool");
    let request = world.mcp.modern("tools/call", call_params("subtract", &json!({})), Some(&call));
    let (_, answer) = read(request.send().await?).await?;
    call.answered();
    ensure!(answer["error"]["code"] == -32602, "{answer}");
    Ok(())
}

/// Answers the question of a call; some clients never do.
pub(crate) async fn greet(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let question = answered(world, "mcp greet", "greet", json!({"greeting": "Hello"})).await?;
    ensure!(question["result"]["resultType"] == "input_required", "{question}");
    if rng.u8(..4) == 0 {
        return Ok(());
    }
    let mut params = call_params("greet", &json!({"greeting": "Hello"}));
    params["requestState"] = question["result"]["requestState"].clone();
    params["inputResponses"] = json!({"name": {"action": "accept", "content": {"name": "Ada"}}});
    let call = world.ledger.begin("mcp greet again");
    let (_, answer) = read(world.mcp.modern("tools/call", params, Some(&call)).send().await?).await?;
    call.answered();
    ensure!(answer.to_string().contains("Hello, Ada!"), "{answer}");
    Ok(())
}

/// Returns a request for the progress of a call.
fn counting(world: &World, call: &Call<'_>, numbers: u32) -> RequestBuilder {
    let mut params = call_params("count", &json!({"numbers": numbers}));
    params["_meta"] = meta(Some(call));
    params["_meta"]["progressToken"] = json!("p");
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let request = world.mcp.request(reqwest::Method::POST).json(&body).header("mcp-method", "tools/call");
    request.header("mcp-protocol-version", PROTOCOL).header("mcp-name", "count")
}

/// Reads the progress of a call, and its result.
pub(crate) async fn progress(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let call = world.ledger.begin("mcp progress");
    let numbers = rng.u32(1..60);
    let (_, answer) = read(counting(world, &call, numbers).send().await?).await?;
    call.answered();
    ensure!(answer["result"]["structuredContent"]["result"] == numbers, "{answer}");
    Ok(())
}

/// Leaves while a call reports progress, or reads nothing of it for some time.
pub(crate) async fn leave_progress(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let call = world.ledger.begin("mcp leave progress");
    let mut response = counting(world, &call, 5_000).send().await?;
    for _ in 0..rng.u32(..4) {
        response.chunk().await?;
    }
    if rng.bool() {
        sleep(Duration::from_millis(rng.u64(500..7_000))).await;
    }
    Ok(())
}

/// Leaves while a tool works.
pub(crate) async fn leave(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    for (tool, millis) in [("wait", 50_000), ("change", rng.u32(100..2_000))] {
        let call = world.ledger.begin("mcp leave");
        let params = call_params(tool, &json!({"millis": millis}));
        let sent = world.mcp.modern("tools/call", params, Some(&call)).send();
        let _ = timeout(Duration::from_millis(rng.u64(1..80)), sent).await;
    }
    Ok(())
}

/// Subscribes to a resource, reads an update or nothing at all, and leaves.
pub(crate) async fn subscribe(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let uri = format!("soak://page/{}", rng.u32(..10));
    let listen = json!({"notifications": {"resourceSubscriptions": [uri]}});
    let response = world.mcp.modern("subscriptions/listen", listen, None).send().await?;
    let mut events = EventStream::new(response);
    ensure!(events.is_stream(), "a subscription is a stream");
    events.next().await?.context("a subscription is acknowledged")?;
    let number = uri.rsplit('/').next().and_then(|number| number.parse::<u32>().ok());
    answered(world, "mcp touch_page", "touch_page", json!({"number": number})).await?;
    if rng.bool() {
        let update = events.next().await?.context("a subscription has updates")?;
        ensure!(update["method"] == "notifications/resources/updated", "{update}");
    } else {
        sleep(Duration::from_millis(rng.u64(..7_000))).await;
    }
    Ok(())
}
