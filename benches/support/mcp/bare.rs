//! `bare KIND ANSWER`: what one writes by hand to answer an echo or a list. `ANSWER` is a file with the answer to the list.
//!
//! Handlers of axum: `bytes` always answers with the same bytes, `typed` with what it was asked, and `stream` with a stream
//! of two events, of which the first reports progress. The list is bytes that were made before. Over stdio, `loop` reads
//! a line, answers it and reads the next one, and `async-loop` does so in a runtime, as all servers of the comparison do.

use std::convert::Infallible;
use std::io::{BufRead as _, Write as _};
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::response::sse::{Event, Sse};
use axum::routing::post;
use axum::{Json, Router};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

#[derive(Deserialize)]
struct Request<'r> {
    id: u64,
    method: String,
    #[serde(borrow)]
    params: &'r RawValue,
}

#[derive(Deserialize)]
struct Call {
    name: String,
    arguments: Echo,
}

#[derive(Deserialize)]
struct ReportedCall {
    name: String,
    arguments: Echo,
    #[serde(rename = "_meta")]
    meta: Meta,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    progress_token: u64,
}

#[derive(Deserialize)]
struct Echo {
    text: String,
}

#[derive(Serialize)]
struct Response<R> {
    jsonrpc: &'static str,
    id: u64,
    result: R,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Called {
    result_type: &'static str,
    content: [Text; 1],
    is_error: bool,
}

#[derive(Serialize)]
struct Text {
    r#type: &'static str,
    text: String,
}

#[derive(Serialize)]
struct Notification {
    jsonrpc: &'static str,
    method: &'static str,
    params: Progress,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Progress {
    progress_token: u64,
    progress: u64,
    total: u64,
    message: &'static str,
}

/// The answer to a list and to a call.
struct Answers {
    list: Box<RawValue>,
    list_bytes: Bytes,
    call_bytes: Bytes,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut words = std::env::args().skip(1);
    let [kind, list] = [words.next().unwrap(), words.next().unwrap()];
    let list: Box<RawValue> = RawValue::from_string(std::fs::read_to_string(list).unwrap()).unwrap();
    let answers = Arc::new(Answers {
        list_bytes: serde_json::to_vec(&Response { jsonrpc: "2.0", id: 1, result: &list }).unwrap().into(),
        call_bytes: serde_json::to_vec(&echoed(1, TEXT.to_owned())).unwrap().into(),
        list,
    });
    let route = match kind.as_str() {
        "loop" => return answer_lines(&answers),
        "async-loop" => return answer_lines_in_runtime(&answers).await,
        "bytes" => post(bytes),
        "stream" => post(streamed),
        _ => post(typed),
    };
    transport::over_http(Router::new().route("/", route).with_state(answers)).await;
}

fn echoed(id: u64, text: String) -> Response<Called> {
    let content = [Text { r#type: "text", text }];
    Response { jsonrpc: "2.0", id, result: Called { result_type: "complete", content, is_error: false } }
}

/// Reads the request to its end and does not look at it, but for whether it is long enough to be a call.
async fn bytes(State(answers): State<Arc<Answers>>, body: Bytes) -> impl IntoResponse {
    let is_call = body.windows(10).any(|window| window == b"tools/call");
    let bytes = if is_call { &answers.call_bytes } else { &answers.list_bytes };
    ([(header::CONTENT_TYPE, "application/json")], bytes.clone())
}

async fn typed(State(answers): State<Arc<Answers>>, body: Bytes) -> axum::response::Response {
    let Request { id, method, params } = serde_json::from_slice(&body).unwrap();
    if method == "tools/list" {
        return Json(Response { jsonrpc: "2.0", id, result: &answers.list }).into_response();
    }
    Json(echoed(id, called_text(params))).into_response()
}

async fn streamed(body: Bytes) -> impl IntoResponse {
    let Request { id, method, params } = serde_json::from_slice(&body).unwrap();
    assert_eq!(method, "tools/call");
    let ReportedCall { name, arguments, meta } = serde_json::from_str(params.get()).unwrap();
    assert_eq!(name, "echo_reported");
    let params = Progress { progress_token: meta.progress_token, progress: 1, total: 2, message: "halfway" };
    let progress = Notification { jsonrpc: "2.0", method: "notifications/progress", params };
    let events = [Event::default().json_data(progress), Event::default().json_data(echoed(id, arguments.text))];
    Sse::new(stream::iter(events.map(|event| Ok::<_, Infallible>(event.unwrap()))))
}

fn called_text(params: &RawValue) -> String {
    let Call { name, arguments: Echo { text } } = serde_json::from_str(params.get()).unwrap();
    assert_eq!(name, "echo");
    text
}

fn answer(answers: &Answers, line: &[u8]) -> Vec<u8> {
    let Request { id, method, params } = serde_json::from_slice(line).unwrap();
    let mut answer = if method == "tools/list" {
        serde_json::to_vec(&Response { jsonrpc: "2.0", id, result: &answers.list }).unwrap()
    } else {
        serde_json::to_vec(&echoed(id, called_text(params))).unwrap()
    };
    answer.push(b'\n');
    answer
}

fn answer_lines(answers: &Answers) {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line).unwrap() > 0 {
        output.write_all(&answer(answers, &line)).unwrap();
        output.flush().unwrap();
        line.clear();
    }
}

async fn answer_lines_in_runtime(answers: &Answers) {
    let (input, mut output) = transport::pipes();
    let (mut input, mut line) = (BufReader::new(input), Vec::new());
    while input.read_until(b'\n', &mut line).await.unwrap() > 0 {
        output.write_all(&answer(answers, &line)).await.unwrap();
        line.clear();
    }
}
