//! Sessions of clients up to 2025-11-25 over HTTP.

use std::sync::PoisonError;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use fastrand::Rng;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::events::EventStream;
use crate::ledger::Call;
use crate::mcp;
use crate::world::World;

const PROTOCOL: &str = "2025-11-25";

/// Returns the first request of a session.
pub(crate) fn initialize() -> Value {
    let params = json!({
        "protocolVersion": PROTOCOL,
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "soak", "version": "1.0.0"},
    });
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
}

/// Returns a call with its trace.
pub(crate) fn call_request(id: u64, tool: &str, arguments: &Value, call: &Call<'_>) -> Value {
    let mut params = mcp::call_params(tool, arguments);
    params["_meta"] = json!({"traceparent": call.traceparent(), "progressToken": id});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

/// An open session.
struct Session<'w> {
    world: &'w World,
    id: String,
}

impl<'w> Session<'w> {
    async fn open(world: &'w World) -> anyhow::Result<Self> {
        let response = world.mcp.request(Method::POST).json(&initialize()).send().await?;
        let id = response.headers().get("mcp-session-id").and_then(|id| id.to_str().ok());
        let session = Session { world, id: id.context("a session has an identifier")?.to_owned() };
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        session.accepted(&initialized).await?;
        Ok(session)
    }

    fn request(&self, method: Method) -> RequestBuilder {
        let request = self.world.mcp.request(method).header("mcp-session-id", &self.id);
        request.header("mcp-protocol-version", PROTOCOL)
    }

    /// Sends a message without an answer.
    async fn accepted(&self, message: &Value) -> anyhow::Result<()> {
        let status = self.request(Method::POST).json(message).send().await?.status();
        ensure!(status == 202, "{message}: {status}");
        Ok(())
    }

    /// Sends a request, and returns the stream of its messages.
    async fn send(&self, message: &Value) -> anyhow::Result<EventStream> {
        Ok(EventStream::new(self.request(Method::POST).json(message).send().await?))
    }

    async fn delete(self) -> anyhow::Result<()> {
        let status = self.request(Method::DELETE).send().await?.status();
        ensure!(status.is_success(), "{status}");
        Ok(())
    }

    /// Leaves the session open. The server closes it when it has been idle for five minutes, unless [`close_abandoned`] does before.
    fn abandon(self) {
        let mut sessions = self.world.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.push((Instant::now(), self.id));
    }
}

/// Reads the answer to a request with this id.
async fn answer_to(id: u64, mut events: EventStream) -> anyhow::Result<Value> {
    if !events.is_stream() {
        let text = events.text().await?;
        return serde_json::from_str(&text).with_context(|| text.clone());
    }
    loop {
        let message = events.next().await?.context("a stream ends without an answer")?;
        if message["id"] == id && message.get("method").is_none() {
            return Ok(message);
        }
    }
}

/// Opens a session for a few calls, and closes it, or leaves it open.
pub(crate) async fn calls(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let session = Session::open(world).await?;
    for (id, tool, arguments, is_failure) in [
        (1, "add", json!({"a": 1, "b": 2}), false),
        (2, "add", json!({"a": 1}), true),
        (3, "count", json!({"numbers": 5}), false),
        (4, "explode", json!({"reason": "in a session"}), true),
    ] {
        let call = world.ledger.begin("session call");
        let answer = answer_to(id, session.send(&call_request(id, tool, &arguments, &call)).await?).await?;
        call.answered();
        ensure!(answer["result"]["isError"].as_bool().unwrap_or(false) == is_failure, "{answer}");
    }
    if rng.bool() {
        return session.delete().await;
    }
    session.abandon();
    Ok(())
}

/// Answers the question of a call in a session, or lets it wait until the server gives up.
pub(crate) async fn greet(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let session = Session::open(world).await?;
    let call = world.ledger.begin("session greet");
    let mut events = session.send(&call_request(1, "greet", &json!({"greeting": "Hello"}), &call)).await?;
    let question = events.next().await?.context("a question")?;
    ensure!(question["method"] == "elicitation/create", "{question}");
    let is_answered = rng.u8(..3) > 0;
    if is_answered {
        let content = json!({"action": "accept", "content": {"name": "Ada"}});
        session.accepted(&json!({"jsonrpc": "2.0", "id": question["id"], "result": content})).await?;
    }
    let answer = answer_to(1, events).await?;
    call.answered();
    ensure!(answer.to_string().contains("Hello, Ada!") == is_answered, "{answer}");
    session.delete().await
}

/// Cancels a call by a notification, closes the session during a call, or leaves.
pub(crate) async fn cancel(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let session = Session::open(world).await?;
    let call = world.ledger.begin("session cancel");
    let events = session.send(&call_request(1, "count", &json!({"numbers": 5_000}), &call)).await?;
    match rng.u8(..3) {
        0 => {
            let params = json!({"requestId": 1, "reason": "no longer needed"});
            let notification =
                json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
            session.accepted(&notification).await?;
            session.delete().await?;
        }
        1 => session.delete().await?,
        _ => {
            drop(events);
            session.abandon();
        }
    }
    Ok(())
}

/// Reads the stream of a session, or nothing of it. Some clients then abandon the session with its subscription.
pub(crate) async fn listen(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let session = Session::open(world).await?;
    let number = rng.u32(..10);
    let subscribe = json!({
        "jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": {"uri": format!("soak://page/{number}")},
    });
    answer_to(1, session.send(&subscribe).await?).await?;
    let mut events = EventStream::new(session.request(Method::GET).send().await?);
    ensure!(events.is_stream(), "a session has a stream");
    let call = world.ledger.begin("session touch_page");
    let touch = call_request(2, "touch_page", &json!({"number": number}), &call);
    answer_to(2, session.send(&touch).await?).await?;
    call.answered();
    if rng.bool() {
        let update = events.next().await?.context("an update")?;
        ensure!(update["method"] == "notifications/resources/updated", "{update}");
    } else {
        sleep(Duration::from_millis(rng.u64(..7_000))).await;
    }
    if rng.u8(..4) > 0 {
        return session.delete().await;
    }
    session.abandon();
    Ok(())
}

/// Closes the sessions that were abandoned for longer than `age`, if the server has not done so already.
pub(crate) async fn close_abandoned(world: &World, age: Duration) -> anyhow::Result<()> {
    let old: Vec<_> = {
        let mut sessions = world.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.extract_if(.., |(since, _)| since.elapsed() >= age).collect()
    };
    for (_, id) in old {
        let status = Session { world, id }.request(Method::DELETE).send().await?.status();
        ensure!(status.is_success() || status == 404, "{status}");
    }
    Ok(())
}
