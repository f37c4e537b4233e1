//! `bare KIND ANSWER`: a handler of axum that answers an echo or a list: `bytes` always with the same bytes, `typed` to
//! what it was asked, with the list as bytes that were made before. `ANSWER` is a file with the answer to the list, or none.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::post;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

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
    let route = if kind == "bytes" { post(bytes) } else { post(typed) };
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
    let Call { name, arguments: Echo { text } } = serde_json::from_str(params.get()).unwrap();
    assert_eq!(name, "echo");
    Json(echoed(id, text)).into_response()
}
