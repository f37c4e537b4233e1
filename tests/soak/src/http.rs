//! Calls over HTTP: valid, invalid, left, and read slowly.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use fastrand::Rng;
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::ledger::Call;
use crate::world::{LIMIT, World};

/// A client of the tools over HTTP.
#[derive(Debug)]
pub(crate) struct HttpClient {
    pub(crate) address: SocketAddr,
    client: reqwest::Client,
}

/// Returns a client whose idle connections are closed before the server closes them.
pub(crate) fn client() -> reqwest::Client {
    reqwest::Client::builder()
        .pool_idle_timeout(Duration::from_secs(1))
        .timeout(LIMIT)
        .build()
        .expect("the options of the client are valid")
}

impl HttpClient {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { address, client: client() }
    }

    pub(crate) fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(format!("http://{}{path}", self.address))
    }

    pub(crate) fn delete(&self, path: &str) -> RequestBuilder {
        self.client.delete(format!("http://{}{path}", self.address))
    }

    pub(crate) fn post(&self, path: &str, call: &Call<'_>) -> RequestBuilder {
        let request = self.client.post(format!("http://{}{path}", self.address));
        request.header("traceparent", call.traceparent())
    }

    pub(crate) fn call(&self, tool: &str, arguments: &Value, call: &Call<'_>) -> RequestBuilder {
        self.post(&format!("/tools/{tool}/call"), call).json(arguments)
    }
}

/// Reads a response to its end.
pub(crate) async fn read(response: Response) -> anyhow::Result<(u16, String)> {
    let status = response.status().as_u16();
    Ok((status, response.text().await.context("the body of a response")?))
}

/// Calls a tool that is answered with one of these statuses.
async fn answered(
    world: &World,
    action: &'static str,
    tool: &str,
    arguments: Value,
    statuses: &[u16],
) -> anyhow::Result<String> {
    let call = world.ledger.begin(action);
    let (status, body) = read(world.http.call(tool, &arguments, &call).send().await?).await?;
    call.answered();
    ensure!(statuses.contains(&status), "{tool} {arguments}: {status} {body}");
    Ok(body)
}

pub(crate) async fn add(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let (a, b) = (rng.i64(-1_000_000..1_000_000), rng.i64(-1_000_000..1_000_000));
    let body = answered(world, "http add", "add", json!({"a": a, "b": b}), &[200]).await?;
    ensure!(body.contains(&(a + b).to_string()), "{a} + {b}: {body}");
    Ok(())
}

pub(crate) async fn invalid(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let arguments = [
        json!({"a": 1}),
        json!({"a": 1, "b": "two"}),
        json!({"a": 1, "b": 2, "c": 3}),
        json!([1, 2]),
        json!({"a": 1.5, "b": i64::MIN}),
    ];
    let arguments = arguments[rng.usize(..arguments.len())].clone();
    answered(world, "http invalid", "add", arguments, &[422]).await.map(|_| ())
}

pub(crate) async fn broken_json(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let bodies: [&[u8]; 5] = [b"{\"a\": 1", b"{\"a\": NaN}", b"{\"a\": 1, \"a\": 2}", b"\xff\xfe", b"{}}"];
    let body = bodies[rng.usize(..bodies.len())].to_vec();
    let call = world.ledger.begin("http broken JSON");
    let request = world.http.post("/tools/add/call", &call).header("content-type", "application/json");
    let (status, text) = read(request.body(body).send().await?).await?;
    call.answered();
    ensure!(status == 400, "{status} {text}");
    Ok(())
}

pub(crate) async fn unknown_tool(world: &World, _: &mut Rng) -> anyhow::Result<()> {
    answered(world, "http unknown tool", "subtract", json!({"a": 1}), &[404]).await.map(|_| ())
}

pub(crate) async fn too_large(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let call = world.ledger.begin("http too large");
    let text = "x".repeat((256 << 10) + rng.usize(1..1 << 20));
    let request = world.http.call("print", &json!({"text": text}), &call);
    // The server may close the connection before all of it is sent.
    let Ok(response) = request.send().await else { return Ok(()) };
    let status = response.status().as_u16();
    call.refused();
    ensure!(status == 413, "{status}");
    Ok(())
}

pub(crate) async fn write_row(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let arguments = json!({"id": rng.i32(0..500), "text": "text ".repeat(rng.usize(1..200))});
    // The database may be away.
    answered(world, "http write_row", "write_row", arguments, &[200, 503]).await.map(|_| ())
}

pub(crate) async fn read_row(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let arguments = json!({"id": rng.i32(0..1_000)});
    answered(world, "http read_row", "read_row", arguments, &[200, 404, 503]).await.map(|_| ())
}

pub(crate) async fn explode(world: &World, _: &mut Rng) -> anyhow::Result<()> {
    answered(world, "http explode", "explode", json!({"reason": "over HTTP"}), &[500]).await.map(|_| ())
}

pub(crate) async fn hang(world: &World, _: &mut Rng) -> anyhow::Result<()> {
    answered(world, "http hang", "hang", json!({}), &[504]).await.map(|_| ())
}

pub(crate) async fn block(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    answered(world, "http block", "block", json!({"millis": rng.u32(..300)}), &[200]).await.map(|_| ())
}

pub(crate) async fn print(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let text = "over HTTP ".repeat(rng.usize(1..100));
    answered(world, "http print", "print", json!({"text": text}), &[200]).await.map(|_| ())
}

pub(crate) async fn allocate(world: &World, _: &mut Rng) -> anyhow::Result<()> {
    answered(world, "http allocate", "allocate", json!({"megabytes": 50}), &[200]).await.map(|_| ())
}

pub(crate) async fn report(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let body = answered(world, "http report", "report", json!({"lines": rng.u32(1..5_000)}), &[200]).await?;
    let result: Value = serde_json::from_str(&body)?;
    let link = result["content"].as_array().into_iter().flatten().find_map(|part| part["uri"].as_str());
    let Some(digest) = link.and_then(|uri| uri.rsplit('/').next()) else { return Ok(()) };
    for query in ["", "?lines=10-12", "?search=line%2042"] {
        let path = format!("/results/{digest}{query}");
        let (status, body) = read(world.http.get(&path).send().await?).await?;
        // Newer results may have displaced it.
        ensure!([200, 404].contains(&status), "{path}: {status} {body}");
    }
    Ok(())
}

pub(crate) async fn pages(world: &World, _: &mut Rng) -> anyhow::Result<()> {
    for path in ["/tools", "/tools?detail=full&profile=openai", "/openapi.json", "/tools/nope", "/"] {
        let (status, body) = read(world.http.get(path).send().await?).await?;
        ensure!(status == if path == "/tools/nope" { 404 } else { 200 }, "{path}: {status} {body}");
    }
    Ok(())
}

/// Reads the events of a call to their end.
pub(crate) async fn events(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let call = world.ledger.begin("http events");
    let request = world.http.call("count", &json!({"numbers": rng.u32(1..60)}), &call);
    let (status, body) = read(request.header("accept", "text/event-stream").send().await?).await?;
    call.answered();
    ensure!(status == 200 && body.contains("event: result"), "{status} {body}");
    Ok(())
}

/// Leaves after some events, or without having read any.
pub(crate) async fn leave_events(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let call = world.ledger.begin("http leave events");
    let request = world.http.call("count", &json!({"numbers": 5_000}), &call);
    let mut response = request.header("accept", "text/event-stream").send().await?;
    for _ in 0..rng.u32(..5) {
        response.chunk().await?;
    }
    Ok(())
}

/// Leaves while a tool works, which is canceled if it changes nothing.
pub(crate) async fn leave(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    for (tool, millis) in [("wait", 50_000), ("change", rng.u32(100..2_000)), ("block", 500)] {
        let call = world.ledger.begin("http leave");
        let sent = world.http.call(tool, &json!({"millis": millis}), &call).send();
        let _ = timeout(Duration::from_millis(rng.u64(1..80)), sent).await;
    }
    Ok(())
}

/// Opens a stream of events and reads nothing of it for some time.
pub(crate) async fn unread_events(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let call = world.ledger.begin("http unread events");
    let request = world.http.call("count", &json!({"numbers": 5_000}), &call);
    let response = request.header("accept", "text/event-stream").send().await?;
    sleep(Duration::from_millis(rng.u64(500..7_000))).await;
    drop(response);
    Ok(())
}
