//! MCP over standard input and output: a process for each client.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use fastrand::Rng;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::time::{sleep, timeout};

use crate::ledger::Call;
use crate::mcp;
use crate::session;
use crate::world::{LIMIT, World};

/// A server process, and the two pipes of its client.
struct StdioServer {
    process: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl StdioServer {
    fn start(world: &World) -> anyhow::Result<Self> {
        let mut command = world.program.command(&["serve", "mcp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn()?;
        let input = process.stdin.take().context("the input is a pipe")?;
        let output = BufReader::new(process.stdout.take().context("the output is a pipe")?).lines();
        Ok(Self { process, input, output })
    }

    async fn send(&mut self, message: &Value) -> anyhow::Result<()> {
        Ok(self.input.write_all(format!("{message}\n").as_bytes()).await?)
    }

    /// Returns the next answer with this id. Only messages may be in the output, whatever tools print.
    async fn answer(&mut self, id: u64) -> anyhow::Result<Value> {
        loop {
            let line = self.output.next_line().await?.context("the server ends without an answer")?;
            let message: Value = serde_json::from_str(&line).with_context(|| line.clone())?;
            if message["id"] == id && message.get("method").is_none() {
                return Ok(message);
            }
        }
    }

    /// Waits for the process to end after its client has closed both pipes.
    async fn end(self) -> anyhow::Result<()> {
        let Self { mut process, input, output } = self;
        drop((input, output));
        let status = timeout(LIMIT, process.wait()).await.context("a server without a client runs on")??;
        ensure!(status.success(), "a server ends with {status}");
        Ok(())
    }
}

/// Returns a call of the modern era.
fn modern(id: u64, tool: &str, arguments: &Value, call: &Call<'_>) -> Value {
    let mut params = mcp::call_params(tool, arguments);
    params["_meta"] = mcp::meta(Some(call));
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

/// Makes some calls in one of the eras, among them one that prints, and leaves.
pub(crate) async fn calls(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let mut server = StdioServer::start(world)?;
    let is_modern = rng.bool();
    if !is_modern {
        server.send(&session::initialize()).await?;
        server.answer(0).await?;
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await?;
    }
    for (id, tool, arguments, is_failure) in [
        (1, "add", json!({"a": 1, "b": 2}), false),
        (2, "print", json!({"text": "over stdio"}), false),
        (3, "explode", json!({"reason": "over stdio"}), true),
        (4, "count", json!({"numbers": 5}), false),
        (5, "add", json!({"a": "one"}), true),
    ] {
        let call = world.ledger.begin("stdio call");
        let request = if is_modern { modern } else { session::call_request };
        server.send(&request(id, tool, &arguments, &call)).await?;
        let answer = server.answer(id).await?;
        call.answered();
        ensure!(answer["result"]["isError"].as_bool().unwrap_or(false) == is_failure, "{answer}");
    }
    server.end().await
}

/// Leaves during calls: the server must end by itself.
pub(crate) async fn leave(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let mut server = StdioServer::start(world)?;
    for (id, tool) in (1..).zip(["wait", "change", "wait", "block"]) {
        let call = world.ledger.begin("stdio leave");
        server.send(&modern(id, tool, &json!({"millis": rng.u32(100..3_000)}), &call)).await?;
    }
    sleep(Duration::from_millis(rng.u64(..300))).await;
    server.end().await
}

/// Sends lines that are not messages; the next call is answered.
pub(crate) async fn nonsense(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let mut server = StdioServer::start(world)?;
    for line in ["{\"jsonrpc\": \"2.0\"", "\u{0}", "[1, 2]", &"x".repeat(rng.usize(1..2 << 20))] {
        server.input.write_all(format!("{line}\n").as_bytes()).await?;
    }
    let call = world.ledger.begin("stdio nonsense");
    server.send(&modern(7, "add", &json!({"a": 1, "b": 2}), &call)).await?;
    server.answer(7).await?;
    call.answered();
    server.end().await
}

/// Kills a server, as its client would that is killed with all of its processes.
pub(crate) async fn kill(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let mut server = StdioServer::start(world)?;
    let call = world.ledger.begin("stdio kill");
    server.send(&modern(1, "wait", &json!({"millis": 10_000}), &call)).await?;
    sleep(Duration::from_millis(rng.u64(..500))).await;
    server.process.kill().await?;
    Ok(())
}
