//! What another MCP server answers.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tool_core::{CallOptions, Failure, FailureKind, Output, ToolDefinition};
use tool_mcp::fuzzing::PipedServer;

use crate::server::{LEGACY, MODERN};
use crate::validator::Validator;

/// The name of the server, which its tools begin with.
const SERVER: &str = "s";

/// How many bytes a message of the server may have.
const MOST_BYTES: usize = 2048;

/// How many bytes the pipes hold.
const PIPE: usize = 1 << 16;

/// So many tools are called.
const MOST_CALLS: usize = 4;

/// How long a server may take to answer the handshake and to list its tools.
const LONGEST_START: Duration = Duration::from_secs(60);

/// How long everything may take. A call whose answer never comes is given up after ten minutes.
const LONGEST: Duration = Duration::from_secs(2 * 60 * 60);

/// How many characters of a message of the server a failure may have, and how many besides.
const LONGEST_MESSAGE: usize = 20_000 + 1_000;

/// Keywords that two validators may read differently, or that one of them refuses.
const UNSURE: [&str; 5] = ["\"format\"", "\"multipleOf\"", "\"pattern", "\"$id\"", "\"$anchor\""];

/// Answers the requests of a client of MCP, which takes over the tools of a server, and calls them.
///
/// The first byte chooses the handshake (modulo 4: that of the input, or a good one with sessions, or without) and the length of the
/// pieces in which the answers are written (the rest; 0 for all at once). The others are the answers: each ends with an empty line,
/// is one message or several, and answers one request; `@` stands for the `id` of the request. After the last, the server is gone.
///
/// - A tool that is taken over has the name of its server and its own, of the allowed characters, and schemas for `boon`.
/// - Each tool of a list is taken over or reported.
/// - An output is valid for `boon`, and is that of the answer. A failure is one of the server, with a bounded message.
/// - The client ends each call, and the connection, whatever the server does.
pub fn upstream(input: &[u8]) {
    thread_local! {
        static RUNTIME: Runtime = {
            let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
            runtime.expect("a runtime without input and output")
        };
    }
    let Some((choice, text)) = input.split_first() else { return };
    RUNTIME.with(|runtime| {
        let talking = async { timeout(LONGEST, talk(*choice, text)).await };
        runtime.block_on(talking).unwrap_or_else(|_| panic!("the client does not end"));
    });
}

async fn talk(choice: u8, text: &[u8]) {
    let (client_end, server_end) = tokio::io::duplex(PIPE);
    let (stdout, stdin) = tokio::io::split(client_end);
    let (reader, writer) = tokio::io::split(server_end);
    let mut answers: Vec<Vec<u8>> = handshake(choice % 4);
    answers.extend(blocks(text));
    answers.reverse();
    let server = Server { reader: BufReader::new(reader), writer, answers, piece: usize::from(choice / 4) };
    let using = async {
        match timeout(LONGEST_START, PipedServer::connect(SERVER, stdout, stdin, MOST_BYTES)).await {
            Ok(Ok(server)) => Some(call_all(server).await),
            Ok(Err(reason)) => {
                assert!(!reason.is_empty() && reason.chars().count() <= LONGEST_MESSAGE, "{reason}");
                None
            }
            // It does not answer.
            Err(_) => None,
        }
    };
    let (exchanges, outcome) = tokio::join!(server.run(), using);
    let Some((calls, reported)) = outcome else { return };
    calls.iter().for_each(check_call);
    // A line besides the answer may be an answer as well, to another request.
    if exchanges.iter().all(Exchange::is_one_line) {
        calls.iter().for_each(|call| check_text(&exchanges, call));
        check_listed(&exchanges, calls.len() + reported);
    }
}

/// Returns the answers of a good handshake; none for that of the input.
fn handshake(choice: u8) -> Vec<Vec<u8>> {
    let capabilities = json!({"tools": {"listChanged": true}});
    let server_info = json!({"name": "fuzz", "version": "1"});
    let answers = match choice {
        1 => vec![
            json!({"error": {"code": -32601, "message": "unknown"}}),
            json!({"result": {"protocolVersion": LEGACY, "capabilities": capabilities, "serverInfo": server_info}}),
        ],
        2 | 3 => {
            vec![json!({"result": {
                "resultType": "complete", "supportedVersions": [MODERN], "capabilities": capabilities,
                "ttlMs": 0, "cacheScope": "public",
            }})]
        }
        _ => Vec::new(),
    };
    let whole = |mut answer: Value| {
        (answer["jsonrpc"], answer["id"]) = (json!("2.0"), json!("@"));
        answer.to_string().replace("\"@\"", "@").into_bytes()
    };
    answers.into_iter().map(whole).collect()
}

/// Splits a text where lines are empty.
fn blocks(text: &[u8]) -> Vec<Vec<u8>> {
    let mut blocks = vec![Vec::new()];
    for line in text.split(|byte| *byte == b'\n') {
        match blocks.last_mut() {
            Some(block) if !line.is_empty() => {
                block.extend_from_slice(line);
                block.push(b'\n');
            }
            _ => blocks.push(Vec::new()),
        }
    }
    blocks
}

/// A request of the client, and what was written for it.
struct Exchange {
    request: Value,
    answer: Vec<u8>,
}

impl Exchange {
    fn is_one_line(&self) -> bool {
        self.answer.iter().filter(|byte| **byte == b'\n').count() == 1
    }

    /// Returns the result, if the answer is one message that has one for this request.
    fn result(&self) -> Option<Value> {
        let mut answer: Value = serde_json::from_slice(&self.answer).ok()?;
        let is_answer = answer["jsonrpc"] == "2.0" && answer["id"] == self.request["id"];
        (is_answer && answer.as_object()?.len() == 3).then(|| answer["result"].take())
    }
}

/// The end of the server.
struct Server {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    /// The next one is the last.
    answers: Vec<Vec<u8>>,
    piece: usize,
}

impl Server {
    /// Answers requests until the client closes the connection.
    async fn run(mut self) -> Vec<Exchange> {
        let mut exchanges = Vec::new();
        let mut line = Vec::new();
        while self.reader.read_until(b'\n', &mut line).await.is_ok_and(|length| length > 0) {
            let request: Value = serde_json::from_slice(&line).expect("the client writes JSON");
            assert_eq!(request["jsonrpc"], "2.0", "not JSON-RPC: {request}");
            line.clear();
            if request.get("method").is_none() || request.get("id").is_none() {
                continue;
            }
            let Some(answer) = self.answers.pop() else {
                // The client may be gone already.
                let _ = self.writer.shutdown().await;
                continue;
            };
            let answer = with_id(&answer, &request["id"]);
            for piece in answer.chunks(if self.piece == 0 { usize::MAX } else { self.piece }) {
                let _ = self.writer.write_all(piece).await;
            }
            exchanges.push(Exchange { request, answer });
        }
        exchanges
    }
}

/// Replaces `@` with an identifier, and ends the last line.
fn with_id(answer: &[u8], id: &Value) -> Vec<u8> {
    let id = id.to_string();
    let mut text = Vec::new();
    for (position, part) in answer.split(|byte| *byte == b'@').enumerate() {
        text.extend_from_slice(if position == 0 { b"" } else { id.as_bytes() });
        text.extend_from_slice(part);
    }
    if !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    text
}

/// A tool that was taken over, and what a call of it returned.
struct Call {
    tool: ToolDefinition,
    result: Option<Result<Output, Failure>>,
}

/// Calls the tools of a server. Returns them, and how many lines are about those that are not served.
async fn call_all(server: PipedServer) -> (Vec<Call>, usize) {
    let mut calls = Vec::new();
    for tool in server.registry().tools() {
        check_tool(tool);
        let mut result = None;
        if calls.len() < MOST_CALLS {
            let options = CallOptions::default();
            result = Some(server.registry().call_with(tool.name(), b"{}", &options).await.result);
        }
        calls.push(Call { tool: tool.clone(), result });
    }
    let skipped = server.skipped();
    assert!(!skipped.iter().any(|line| line == "its list of tools could not be read"), "a panic");
    server.close().await;
    (calls, skipped.len())
}

/// Checks that the definition of a tool is right.
fn check_tool(tool: &ToolDefinition) {
    let own = tool.name().strip_prefix("s__").unwrap_or_else(|| panic!("`{}` is of no server", tool.name()));
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    assert!(own.bytes().all(is_allowed) && own.bytes().any(|byte| byte != b'.'), "the name `{own}`");
    assert!(tool.name().len() <= 128, "the name `{own}` is too long");
    assert_eq!(tool.provider(), Some(SERVER));
    assert_eq!(tool.input_schema()["type"], "object");
    for schema in [Some(tool.input_schema()), tool.output_schema()].into_iter().flatten() {
        validator(schema);
    }
}

/// Returns another validator of a schema, unless the validators may differ.
fn validator(schema: &Value) -> Option<Validator> {
    let text = schema.to_string();
    if UNSURE.iter().any(|keyword| text.contains(keyword)) {
        return None;
    }
    let validator = Validator::new(schema, false);
    Some(validator.unwrap_or_else(|error| panic!("another validator refuses {schema}: {error}")))
}

/// Checks that each tool of the pages is served or reported.
fn check_listed(exchanges: &[Exchange], found: usize) {
    let pages = exchanges.iter().filter(|exchange| exchange.request["method"] == "tools/list");
    let results: Vec<Value> = pages.filter_map(Exchange::result).collect();
    let listed: usize = results.iter().filter_map(|it| it["tools"].as_array()).map(Vec::len).sum();
    assert!(listed <= found, "of {listed} tools {found} are served or reported: {results:?}");
}

/// Checks that an output is valid, and a failure that of the server.
fn check_call(Call { tool, result }: &Call) {
    let name = tool.name();
    match result {
        None => {}
        Some(Ok(output)) => {
            if let Some(validator) = tool.output_schema().and_then(validator) {
                assert!(
                    validator.is_valid(&output.value()),
                    "`{name}` returns an invalid output: {output:?}"
                );
            }
        }
        Some(Err(failure)) => {
            assert_ne!(failure.kind(), FailureKind::Internal, "`{name}` fails here: {failure:?}");
            let length = failure.message().chars().count();
            assert!((1..=LONGEST_MESSAGE).contains(&length), "`{name}` fails with {length} characters");
        }
    }
}

/// Checks that an answer that has nothing but texts is the output.
fn check_text(exchanges: &[Exchange], Call { tool, result }: &Call) {
    let (None, Some(result)) = (tool.output_schema(), result) else { return };
    let own = tool.name().strip_prefix("s__").unwrap_or_default();
    let is_call =
        |it: &&Exchange| it.request["method"] == "tools/call" && it.request["params"]["name"] == own;
    let answer = exchanges.iter().find(is_call).and_then(Exchange::result);
    let Some(texts) = answer.and_then(|answer| texts(&answer)) else { return };
    let output = result.as_ref().unwrap_or_else(|failure| panic!("`{own}` fails: {failure:?}"));
    let blocks = serde_json::to_value(output.content()).unwrap_or_default();
    let read: Vec<&Value> = blocks.as_array().into_iter().flatten().map(|block| &block["text"]).collect();
    assert_eq!(read, texts.iter().collect::<Vec<_>>(), "`{own}` returns another text");
}

/// Returns the texts of the result of a call that has nothing else.
fn texts(result: &Value) -> Option<Vec<Value>> {
    let members = result.as_object().filter(|members| members.len() == 2)?;
    let blocks = members.get("content")?.as_array().filter(|_| result["resultType"] == "complete")?;
    let text = |block: &Value| {
        let members = block.as_object().filter(|it| it.len() == 2 && it["type"] == "text")?;
        members.get("text").filter(|text| text.is_string()).cloned()
    };
    blocks.iter().map(text).collect()
}
