//! Clients for tests whose answers panic, call the client, or are invalid, and servers whose messages cannot be read.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use serde_json::json;
use tokio::sync::Notify;
use tool_core::elicitation::{Answer, AskKind, AskOutcome, ClientRequests, Elicited, Question};
use tool_core::testing::Answers;
use tool_core::{BoxFuture, Failure, FailureKind, Output, tool};
use tool_mcp::testing::{Client, ClientError, LEGACY, MODERN};

use crate::server;

/// Returns lists in lists.
#[tool(operation = Transform)]
fn nest(depth: usize) -> Result<Output, Failure> {
    let value = (0..depth).fold(json!([]), |value, _| json!([value]));
    Output::json(&value).map_err(|error| Failure::new(FailureKind::Internal, error.to_string()))
}

/// Notified when a call of `wait_for_end` begins.
static BEGUN: Notify = Notify::const_new();

/// Notified when a call of `wait_for_end` ends.
static ENDED: Notify = Notify::const_new();

/// Never returns.
#[tool(operation = Read)]
async fn wait_for_end() {
    struct OnDrop;

    impl Drop for OnDrop {
        fn drop(&mut self) {
            ENDED.notify_one();
        }
    }

    let _on_drop = OnDrop;
    BEGUN.notify_one();
    std::future::pending::<()>().await;
}

/// Fails a test that hangs.
async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future).await.expect("the client hangs")
}

#[tokio::test]
async fn a_panic_in_an_answer_ends_the_call() {
    let answers = Answers::from_fn(|_| panic!("the test is wrong"));
    let client = Client::builder(server()).legacy().answers(answers).connect().await.unwrap();
    let error = in_time(client.call("greet", json!({}))).await.unwrap_err();
    assert!(error.to_string().contains("the answers of the client panicked"), "{error}");
    let error = in_time(client.call("double", json!({"n": 4}))).await.unwrap_err();
    assert!(matches!(error, ClientError::Closed { .. }), "{error}");
}

/// Answers with what a call of the same client returns.
struct Calling(Arc<OnceLock<Client>>);

impl ClientRequests for Calling {
    fn supports(&self, _: AskKind) -> bool {
        true
    }

    fn ask<'a>(&'a self, _: &'a Question) -> BoxFuture<'a, Result<AskOutcome, Failure>> {
        Box::pin(async {
            let client = self.0.get().unwrap();
            let name = client.call("double", json!({"n": 4})).await.unwrap().text();
            let fields = json!({"name": name}).as_object().unwrap().clone();
            Ok(AskOutcome::Answer(Answer::Elicited(Elicited::Accepted(fields))))
        })
    }
}

#[tokio::test]
async fn an_answer_may_call_the_client() {
    for version in [MODERN, LEGACY] {
        let shared = Arc::new(OnceLock::new());
        let answers = Calling(Arc::clone(&shared));
        let client = Client::builder(server()).version(version).answers(answers).connect().await.unwrap();
        assert!(shared.set(client).is_ok());
        let result = in_time(shared.get().unwrap().call("greet", json!({}))).await.unwrap();
        assert_eq!(result.text(), r#"Hello, {"result":8} and {"result":8}!"#);
    }
}

#[tokio::test]
async fn an_unreadable_line_ends_the_requests() {
    for version in [MODERN, LEGACY] {
        let client = Client::builder(server()).version(version).connect().await.unwrap();
        let result = in_time(client.call("nest", json!({"depth": 100}))).await.unwrap();
        assert!(!result.is_error(), "{}", result.text());
        // `serde_json` reads 127 levels, and the envelope of the message has some.
        let error = in_time(client.call("nest", json!({"depth": 125}))).await.unwrap_err();
        assert!(
            error.to_string().contains("cannot read a message of the server: recursion limit"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn an_answer_that_stays_invalid_ends_the_call() {
    for version in [MODERN, LEGACY] {
        let answered = Arc::new(Mutex::new(0));
        let counted = Arc::clone(&answered);
        let answers = Answers::from_fn(move |_| {
            *counted.lock().unwrap() += 1;
            let fields = json!({"name": 8}).as_object().unwrap().clone();
            Answer::Elicited(Elicited::Accepted(fields))
        });
        let client = Client::builder(server()).version(version).answers(answers).connect().await.unwrap();
        let text = match in_time(client.call("greet", json!({}))).await {
            Ok(result) => result.text(),
            Err(error) => error.to_string(),
        };
        assert!(text.contains("`first` has no valid answer: ") && text.contains("/name"), "{text}");
        assert_eq!(*answered.lock().unwrap(), 3);
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_is_canceled() {
    for version in [MODERN, LEGACY] {
        let client = Client::builder(server()).version(version).connect().await.unwrap();
        tokio::select! {
            ended = client.call("wait_for_end", json!({})) => panic!("the call ended: {ended:?}"),
            () = in_time(BEGUN.notified()) => {}
        }
        in_time(ENDED.notified()).await;
    }
}

#[tokio::test]
async fn parameters_may_be_null_and_no_array() {
    for version in [MODERN, LEGACY] {
        let client = Client::builder(server()).version(version).connect().await.unwrap();
        let list = client.request("tools/list", serde_json::Value::Null).await.unwrap();
        assert!(list["tools"].is_array(), "{list}");
        let error = client.request("tools/list", json!([])).await.unwrap_err();
        assert_eq!(error.to_string(), "`tools/list`: the parameters are not an object");
    }
}

#[tokio::test]
async fn another_version_of_the_server_is_an_error() {
    let error = Client::builder(server()).version("2025-01-01").connect().await.unwrap_err();
    assert!(error.to_string().contains("the server does not use the version `2025-01-01`"), "{error}");
}

#[tokio::test]
async fn a_result_takes_the_progress_of_its_call() {
    let client = Client::connect(server()).await.unwrap();
    let result = client.call("count", json!({})).await.unwrap();
    assert!(!result.progress().is_empty());
    assert_eq!(client.notifications(), [] as [serde_json::Value; 0]);
}

#[tokio::test]
async fn a_builder_can_be_printed() {
    let text = format!("{:?}", Client::builder(server()).legacy());
    assert_eq!(text, r#"ClientBuilder { version: "2025-11-25", log_level: None, .. }"#);
}
