//! A client on standard input and output.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tool_mcp::fuzzing::Stdio;

use crate::json_rpc::Frame;
use crate::server::{assert_good_answer, checked, good_call};
use crate::tools::{self, SECRET};

/// The `id` of the call that every input ends with.
const LAST: &str = "the-last-call";

/// How many bytes the pipes hold.
const PIPE: usize = 1 << 16;

/// How long the server may take to end.
const LONGEST: Duration = Duration::from_secs(60);

/// Writes bytes to the server, and reads what it writes until it ends.
///
/// The first byte is the length of the pieces in which the rest is written; 0 for all at once. A good call follows it.
///
/// - The server ends at the end of its input. It writes one message on each line.
/// - A request with an `id` of its own is answered once, unless it is canceled. There are no more answers than lines.
/// - Lists have only what is there, and nothing tells of a tool that is not permitted.
/// - The good call is answered.
pub fn stdio(input: &[u8]) {
    let Some((length, bytes)) = input.split_first() else { return };
    let text = String::from_utf8_lossy(bytes);
    if text.contains(SECRET) || text.contains(LAST) {
        return;
    }
    thread_local! {
        static SERVER: (Runtime, Stdio) = {
            let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
            let runtime = runtime.expect("a runtime without input and output");
            let server = runtime.block_on(Stdio::new(&tools::server(false))).expect("the server is valid");
            (runtime, server)
        };
    }
    let output = SERVER.with(|(runtime, server)| {
        let speaking = async { timeout(LONGEST, speak(server, usize::from(*length), bytes)).await };
        runtime.block_on(speaking).unwrap_or_else(|_| panic!("the server does not end"))
    });
    check(bytes, &output);
}

/// Returns what the server writes.
async fn speak(server: &Stdio, length: usize, input: &[u8]) -> Vec<u8> {
    let (client_end, server_end) = tokio::io::duplex(PIPE);
    let (mut reader, mut writer) = tokio::io::split(client_end);
    let (server_reader, server_writer) = tokio::io::split(server_end);
    let writing = async {
        for piece in input.chunks(if length == 0 { usize::MAX } else { length }) {
            writer.write_all(piece).await.expect("the server reads");
        }
        let last = format!("\n{}\n", good_call(&json!(LAST)));
        writer.write_all(last.as_bytes()).await.expect("the server reads");
        writer.shutdown().await.expect("the server reads");
    };
    let mut output = Vec::new();
    let (ended, (), read) =
        tokio::join!(server.serve(server_reader, server_writer), writing, reader.read_to_end(&mut output));
    ended.expect("the server ends in good order");
    read.expect("the server writes");
    output
}

fn check(input: &[u8], output: &[u8]) {
    let output = std::str::from_utf8(output).expect("the server writes UTF-8");
    assert!(!output.contains(SECRET), "tells of what is hidden: {output}");
    assert!(output.ends_with('\n'), "the last line does not end");
    let mut answers: HashMap<String, usize> = HashMap::new();
    let mut count = 0;
    for line in output.lines() {
        let message: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let Some(id) = checked(&message) else { continue };
        count += 1;
        if let Some(id) = id {
            *answers.entry(id.to_string()).or_default() += 1;
            if id == LAST {
                assert_good_answer(&message, &id);
            }
        }
    }
    assert_eq!(
        answers.get(&json!(LAST).to_string()),
        Some(&1),
        "the good call is not answered once: {output}"
    );
    let lines: Vec<&[u8]> =
        input.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).collect();
    assert!(count <= lines.len() + 1, "more answers than lines: {output}");
    check_answered(&lines, &answers);
}

/// Checks that each request whose identifier is its own is answered once.
fn check_answered(lines: &[&[u8]], answers: &HashMap<String, usize>) {
    let frames: Vec<Option<Frame<'_>>> = lines.iter().map(|line| Frame::parse(line)).collect();
    if frames.iter().any(Option::is_none) {
        // Such a line is answered with an identifier that is found in it.
        return;
    }
    let methods = || frames.iter().flatten().filter_map(Frame::method);
    if methods().any(|method| method == "notifications/cancelled") {
        return;
    }
    let mut requests: HashMap<String, usize> = HashMap::new();
    let is_response = |frame: &Frame<'_>| frame.has("result") || frame.has("error");
    for frame in frames.iter().flatten().filter(|frame| frame.has("method") || !is_response(frame)) {
        if let Some(id) = frame.id() {
            *requests.entry(id.to_string()).or_default() += 1;
        }
    }
    for frame in frames.iter().flatten() {
        let (Some(id), Some(method)) = (frame.plain_id(), frame.method()) else { continue };
        let id = id.to_string();
        if requests.get(&id) == Some(&1) && method != "subscriptions/listen" {
            assert_eq!(answers.get(&id), Some(&1), "the request {id} of `{method}` is not answered once");
        }
    }
}
