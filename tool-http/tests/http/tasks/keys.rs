//! `Idempotency-Key`: requests with the same key make one call.

use serde_json::json;

use crate::tasks::site::{Site, json_of};

const KEY: (&str, &str) = ("idempotency-key", "\"order-7\"");
const ASYNC: (&str, &str) = ("prefer", "respond-async");

#[tokio::test]
async fn returns_the_same_bytes_for_the_same_key() {
    let site = Site::new().await;
    site.release(2);
    let first = site.call("paint_wall", r#"{"coats":2}"#, &[KEY]).await;
    assert_eq!((first.status, first.header("location")), (200, ""), "{}", first.body);
    // With the identifier of the call, which no second call would have. The text of the arguments may differ.
    for body in [r#"{"coats":2}"#, r#"{ "coats": 2 }"#] {
        let again = site.call("paint_wall", body, &[KEY]).await;
        assert_eq!((again.status, &again.body), (200, &first.body), "{body}");
    }
    assert!(first.body.contains("callId"), "{}", first.body);
    assert_eq!(json_of(&site.list("").await).as_array().unwrap().len(), 1);
    // Without quotes, it is the same key; another one makes another call.
    let unquoted = site.call("paint_wall", r#"{"coats":2}"#, &[("idempotency-key", "order-7")]).await;
    assert_eq!(unquoted.body, first.body);
    site.release(2);
    let other = site.call("paint_wall", r#"{"coats":2}"#, &[("idempotency-key", "order-8")]).await;
    assert_ne!(other.body, first.body);
}

#[tokio::test]
async fn returns_the_same_task_for_the_same_key() {
    let site = Site::new().await;
    let first = site.call("paint_wall", r#"{"coats":2}"#, &[KEY, ASYNC]).await;
    let again = site.call("paint_wall", r#"{"coats":2}"#, &[KEY, ASYNC]).await;
    assert_eq!((first.status, again.status), (202, 202));
    assert_eq!(json_of(&first)["taskId"], json_of(&again)["taskId"]);
    assert_eq!(first.header("location"), again.header("location"));
    // The key belongs to one caller and one tool.
    let bob = site.send_as_bob("POST", "/tools/choose_colors/call", "{}").await;
    assert_ne!(bob.status, 409);
    let tool = site.call("tear_down", "", &[KEY]).await;
    assert_eq!(tool.status, 202);
    assert_ne!(json_of(&tool)["taskId"], json_of(&first)["taskId"]);
}

#[tokio::test]
async fn refuses_a_key_with_other_arguments() {
    let site = Site::new().await;
    site.release(1);
    assert_eq!(site.call("paint_wall", r#"{"coats":1}"#, &[KEY]).await.status, 200);
    for headers in [&[KEY][..], &[KEY, ASYNC]] {
        let answer = site.call("paint_wall", r#"{"coats":2}"#, headers).await;
        let error = "this `Idempotency-Key` belongs to a call with other arguments: use another one";
        assert_eq!((answer.status, json_of(&answer)), (422, json!({"error": error})), "{headers:?}");
    }
}

#[tokio::test]
async fn refuses_to_wait_for_a_call_that_still_runs() {
    let site = Site::new().await;
    let first = site.call("paint_wall", r#"{"coats":1}"#, &[KEY, ASYNC]).await;
    let id = json_of(&first)["taskId"].as_str().unwrap().to_owned();
    let answer = site.call("paint_wall", r#"{"coats":1}"#, &[KEY]).await;
    let error = "the call with this `Idempotency-Key` still runs: try again later";
    assert_eq!((answer.status, json_of(&answer)), (409, json!({"error": error})));
    assert_eq!((answer.header("retry-after"), answer.header("cache-control")), ("1", "no-store"));
    site.release(1);
    let task = site.ended(&id).await;
    let answer = site.call("paint_wall", r#"{"coats":1}"#, &[KEY]).await;
    assert_eq!((answer.status, json_of(&answer)), (200, task["result"].clone()));
}

#[tokio::test]
async fn refuses_a_key_that_cannot_be_kept() {
    let site = Site::new().await;
    let answer = site.call("ring_bell", "", &[KEY]).await;
    assert_eq!(answer.status, 400, "{}", answer.body);
    assert!(answer.body.contains("`ring_bell` does not run as a task"), "{}", answer.body);
    for key in ["", "\"\"", "\"open", "a\tb"] {
        let answer = site.call("paint_wall", r#"{"coats":1}"#, &[("idempotency-key", key)]).await;
        assert_eq!(answer.status, 400, "{key:?}: {}", answer.body);
    }
    let twice = site.call("paint_wall", r#"{"coats":1}"#, &[KEY, KEY]).await;
    assert_eq!(twice.status, 400, "{}", twice.body);
    assert_eq!(json_of(&site.list("").await), json!([]));
}

#[tokio::test]
async fn leaves_a_question_to_the_client_that_waits() {
    let site = Site::new().await;
    let waited = site.call("choose_colors", "", &[KEY]).await;
    assert_eq!(waited.status, 202, "{}", waited.body);
    let task = json_of(&waited);
    assert_eq!((&task["status"], waited.header("preference-applied")), (&json!("input_required"), ""));
    let read = site.read(task["taskId"].as_str().unwrap()).await;
    assert_eq!(json_of(&read), task);
}
