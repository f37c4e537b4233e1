//! Tasks: awaited, answered, canceled and abandoned, over HTTP and MCP.

use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use fastrand::Rng;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::http;
use crate::mcp;
use crate::world::World;

/// Creates a task over HTTP, and returns its id, or `None` while the database is away.
async fn create(world: &World, tool: &str, arguments: &Value) -> anyhow::Result<Option<String>> {
    let call = world.ledger.begin("http task");
    let request = world.http.call(tool, arguments, &call).header("prefer", "respond-async");
    let response = request.send().await?;
    let location = response.headers().get("location").and_then(|value| value.to_str().ok());
    let id = location.and_then(|path| path.rsplit('/').next()).map(str::to_owned);
    let (status, body) = http::read(response).await?;
    match status {
        202 => {
            call.refused();
            id.context("a task has a location").map(Some)
        }
        503 => Ok(None),
        _ => bail!("{tool} as a task: {status} {body}"),
    }
}

/// Reads a task until `is_wanted` holds for it. The database may be away meanwhile.
async fn wait(world: &World, id: &str, is_wanted: impl Fn(&Value) -> bool) -> anyhow::Result<Value> {
    loop {
        let (status, body) = http::read(world.http.get(&format!("/tasks/{id}")).send().await?).await?;
        if status == 200 {
            let task = serde_json::from_str(&body)?;
            if is_wanted(&task) {
                return Ok(task);
            }
        } else {
            ensure!(status == 503, "task {id}: {status} {body}");
        }
        sleep(Duration::from_millis(100)).await;
    }
}

fn has_ended(task: &Value) -> bool {
    ["completed", "failed", "cancelled"].iter().any(|status| task["status"] == *status)
}

/// Waits for the end of a task, and enters it if its tool succeeded.
async fn wait_for_end(world: &World, id: &str) -> anyhow::Result<Value> {
    let task = wait(world, id, has_ended).await?;
    if task["status"] == "completed" && task["result"]["error"].is_null() {
        world.ledger.complete_task(id);
    }
    Ok(task)
}

pub(crate) async fn complete(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let Some(id) = create(world, "work", &json!({"numbers": rng.u32(1..50)})).await? else { return Ok(()) };
    let task = wait_for_end(world, &id).await?;
    ensure!(task["status"] == "completed", "{task}");
    Ok(())
}

/// Answers the question of a task.
pub(crate) async fn answer(world: &World, _: &mut Rng) -> anyhow::Result<()> {
    let Some(id) = create(world, "register", &json!({})).await? else { return Ok(()) };
    wait(world, &id, |task| task["status"] == "input_required").await?;
    let answers = json!({"name": {"action": "accept", "content": {"name": "Ada"}}});
    loop {
        let call = world.ledger.begin("http answers");
        let sent = world.http.post(&format!("/tasks/{id}/answers"), &call).json(&answers).send().await?;
        let (status, body) = http::read(sent).await?;
        call.refused();
        match status {
            202 => break,
            503 => sleep(Duration::from_millis(200)).await,
            _ => bail!("answers to {id}: {status} {body}"),
        }
    }
    let task = wait_for_end(world, &id).await?;
    ensure!(task["status"] == "completed", "{task}");
    Ok(())
}

pub(crate) async fn cancel(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let Some(id) = create(world, "work", &json!({"numbers": 9_000})).await? else { return Ok(()) };
    sleep(Duration::from_millis(rng.u64(..500))).await;
    loop {
        let (status, body) = http::read(world.http.delete(&format!("/tasks/{id}")).send().await?).await?;
        match status {
            202 => break,
            503 => sleep(Duration::from_millis(200)).await,
            _ => bail!("cancel {id}: {status} {body}"),
        }
    }
    let task = wait_for_end(world, &id).await?;
    ensure!(task["status"] == "cancelled", "{task}");
    Ok(())
}

/// The result of a task that panics is a failure.
pub(crate) async fn collapse(world: &World, _: &mut Rng) -> anyhow::Result<()> {
    let Some(id) = create(world, "collapse", &json!({})).await? else { return Ok(()) };
    let task = wait_for_end(world, &id).await?;
    ensure!(task["status"] == "completed" && task["resultStatus"] == 500, "{task}");
    Ok(())
}

/// Follows the events of a task for a while, and leaves.
pub(crate) async fn follow(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let Some(id) = create(world, "work", &json!({"numbers": rng.u32(1..200)})).await? else {
        return Ok(());
    };
    let mut response = world.http.get(&format!("/tasks/{id}/events")).send().await?;
    for _ in 0..rng.u32(..5) {
        response.chunk().await?;
    }
    Ok(())
}

/// Creates a task over MCP, and reads or cancels it there.
pub(crate) async fn over_mcp(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let call = world.ledger.begin("mcp task");
    let params = mcp::call_params("work", &json!({"numbers": rng.u32(1..50)}));
    let (_, answer) = mcp::read(world.mcp.modern("tools/call", params, Some(&call)).send().await?).await?;
    // Without a task, the database is away.
    let Some(id) = answer["result"]["taskId"].as_str() else { return Ok(()) };
    call.refused();
    if rng.bool() {
        // A response with a failure is fine: the database may be away.
        mcp::read(world.mcp.modern("tasks/cancel", json!({"taskId": id}), None).send().await?).await?;
    }
    mcp::read(world.mcp.modern("tasks/get", json!({"taskId": id}), None).send().await?).await?;
    wait_for_end(world, id).await.map(|_| ())
}
