//! Two replicas, and requests that alternate between them.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use axum::response::Response;
use fixture_postgres::PostgresServer;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tool_core::{Principal, Registry, tool};
use tool_mcp::Server;
use tool_replicas::PostgresSessions;
use tower::ServiceExt as _;

/// Doubles a number.
#[tool(operation = Transform, open_world = false)]
fn double(
    /** The number. */
    n: i64,
) -> i64 {
    2 * n
}

/// Returns a replica with connections of its own to the database.
pub(crate) fn replica(database: &PostgresServer) -> Router {
    let sessions = PostgresSessions::at(&database.url(), "fixture").unwrap();
    let registry = Registry::builder().linked().build().unwrap();
    Server::new(registry).name("fixture").sessions(Arc::new(sessions)).into_axum_router().unwrap()
}

/// Sends a request of a session as this principal.
async fn send(replica: &Router, principal: &str, method: &str, session: &str, body: &Value) -> Response {
    let request = Request::builder().method(method).uri("/").header("host", "localhost");
    let request = request.header("accept", "application/json, text/event-stream");
    let mut request = request.header("content-type", "application/json");
    if !session.is_empty() {
        request = request.header("mcp-session-id", session).header("mcp-protocol-version", "2025-11-25");
    }
    let mut request = request.body(Body::from(body.to_string())).unwrap();
    request.extensions_mut().insert(Principal::new(principal));
    replica.clone().oneshot(request).await.unwrap()
}

fn request(id: u32, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn call(n: u32) -> Value {
    request(n, "tools/call", json!({"name": "double", "arguments": {"n": n}}))
}

async fn open(replica: &Router) -> String {
    let client = json!({"name": "a", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let opened = send(replica, "ada", "POST", "", &request(0, "initialize", params)).await;
    assert_eq!(opened.status(), 200);
    opened.headers()["mcp-session-id"].to_str().unwrap().to_owned()
}

async fn text(response: Response) -> String {
    String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap()
}

/// Calls the tool, and checks the result.
async fn check_call(replica: &Router, session: &str, n: u32) {
    let response = send(replica, "ada", "POST", session, &call(n)).await;
    assert_eq!(response.status(), 200);
    let answer: Value = serde_json::from_str(&text(response).await).unwrap();
    assert_eq!((&answer["id"], &answer["result"]["structuredContent"]["result"]), (&json!(n), &json!(2 * n)));
}

#[tokio::test]
async fn a_session_goes_on_at_each_replica_until_it_is_deleted() {
    let database = PostgresServer::start();
    let replicas = [0; 2].map(|_| replica(&database));
    let session = open(&replicas[0]).await;
    for n in 0..10 {
        check_call(&replicas[n as usize % 2], &session, n).await;
    }
    // One that was started later goes on, too.
    check_call(&replica(&database), &session, 10).await;
    let deleted = send(&replicas[1], "ada", "DELETE", &session, &Value::Null).await;
    assert_eq!(deleted.status(), 204);
    for replica in &replicas {
        assert_eq!(send(replica, "ada", "POST", &session, &call(1)).await.status(), 404);
    }
}

#[tokio::test]
async fn another_principal_gets_the_answer_of_an_unknown_session() {
    let database = PostgresServer::start();
    let replicas = [0; 2].map(|_| replica(&database));
    let session = open(&replicas[0]).await;
    for replica in &replicas {
        let foreign = send(replica, "eve", "POST", &session, &call(1)).await;
        let unknown = send(replica, "eve", "POST", "0123456789abcdef0123456789abcdef", &call(1)).await;
        assert_eq!((foreign.status(), foreign.headers()), (StatusCode::NOT_FOUND, unknown.headers()));
        assert_eq!(unknown.status(), StatusCode::NOT_FOUND);
        assert_eq!(text(foreign).await, text(unknown).await);
        check_call(replica, &session, 1).await;
    }
}

#[tokio::test]
async fn the_table_has_no_identifier_of_a_session() {
    let database = PostgresServer::start();
    let session = open(&replica(&database)).await;
    let rows = "SELECT tool_session::text FROM tool_session";
    let rows: Vec<String> = sqlx::query_scalar(rows).fetch_all(&mut database.connect().await).await.unwrap();
    assert_eq!(rows.len(), 1);
    assert!(rows[0].contains("ada") && !rows[0].contains(&session), "{rows:?}");
}

#[tokio::test]
async fn a_session_survives_a_database_that_is_away() {
    let database = PostgresServer::start();
    let replicas = [0; 2].map(|_| replica(&database));
    let session = open(&replicas[0]).await;
    check_call(&replicas[1], &session, 1).await;
    let frozen = database.freeze();
    for replica in &replicas {
        let response = send(replica, "ada", "POST", &session, &call(2)).await;
        assert_eq!(response.status(), 503);
        assert_eq!(response.headers()["retry-after"], "1");
        let error: Value = serde_json::from_str(&text(response).await).unwrap();
        assert_eq!(
            (&error["id"], &error["error"]["data"]["retryable"]),
            (&json!(2), &json!(true)),
            "{error}"
        );
    }
    drop(frozen);
    for replica in &replicas {
        check_call(replica, &session, 3).await;
    }
    // Now all of its connections are cut.
    database.crash();
    for replica in &replicas {
        check_call(replica, &session, 4).await;
    }
}
