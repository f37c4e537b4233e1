//! Requests about tasks that are refused.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use tool_core::Principal;
use tool_core::tasks::{NewTask, Task, TaskEngine, TaskError, TaskId, TaskRun};

use crate::client::get;
use crate::tasks::site::{ADA, Site, json_of, send, with_engine};

type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

const INVENTED: &str = "00112233445566778899aabbccddeeff";

/// The requests about one task.
fn requests(id: &str) -> [(&'static str, String, &'static str); 4] {
    [
        ("GET", format!("/tasks/{id}"), ""),
        ("GET", format!("/tasks/{id}/events"), ""),
        ("POST", format!("/tasks/{id}/answers"), "{}"),
        ("DELETE", format!("/tasks/{id}"), ""),
    ]
}

#[tokio::test]
async fn finds_no_foreign_expired_or_invented_task() {
    let site = Site::new().await;
    let own = site.start("choose_colors", "").await;
    site.until(&own, |task| task["status"] == "input_required").await;
    let expired = site.start("blink", "").await;
    while site.read(&expired).await.status != 404 {
        tokio::task::yield_now().await;
    }
    for (method, path, body) in requests(INVENTED) {
        let unknown = site.send(method, &path, body, &[]).await;
        assert_eq!(
            (unknown.status, &*unknown.body),
            (404, r#"{"error":"Task not found"}"#),
            "{method} {path}"
        );
        assert_eq!(unknown.header("cache-control"), "no-store");
        let of = |id: &str| path.replace(INVENTED, id);
        // Nothing distinguishes them, not even a header.
        let unknown = format!("{unknown:?}");
        assert_eq!(
            format!("{:?}", site.send_as_bob(method, &of(&own), body).await),
            unknown,
            "{method} {path}"
        );
        for id in [&*expired, "x", "00112233445566778899AABBCCDDEEFF", "%FF"] {
            assert_eq!(
                format!("{:?}", site.send(method, &of(id), body, &[]).await),
                unknown,
                "{method} {id}"
            );
        }
    }
    // Bob changed nothing.
    assert_eq!(json_of(&site.read(&own).await)["status"], "input_required");
}

#[tokio::test]
async fn requires_a_caller() {
    let site = Site::new().await;
    let id = site.start("choose_colors", "").await;
    for (method, path, body) in requests(&id).into_iter().chain([("GET", "/tasks".to_owned(), "")]) {
        let answer = send(&site.router, "of-nobody", method, &path, body, &[]).await;
        assert_eq!(answer.status, 401, "{method} {path}");
    }
}

#[tokio::test]
async fn refuses_a_call_before_a_task_exists() {
    let site = Site::new().await;
    let preference = [("prefer", "respond-async")];
    for (body, status, word) in [
        ("{}", 422, "missing"),
        (r#"{"coats":-1}"#, 422, "/coats"),
        (r#"{"coats":1,"wall":2}"#, 422, "wall"),
        ("{", 400, "JSON"),
    ] {
        let answer = site.call("paint_wall", body, &preference).await;
        assert_eq!(answer.status, status, "{body}: {}", answer.body);
        assert!(answer.body.contains(word), "{}", answer.body);
        // As a call that is waited for.
        assert_eq!(site.call("paint_wall", body, &[]).await.body, answer.body, "{body}");
    }
    let query = site.send("POST", "/tools/paint_wall/call?x=1", r#"{"coats":1}"#, &preference).await;
    assert_eq!(query.status, 400);
    assert_eq!(site.call("no_such_tool", "", &preference).await.status, 404);
    assert_eq!(site.list("").await.body, "[]");
    let denied = site.send_as_bob("POST", "/tools/tear_down/call", "").await;
    assert_eq!(denied.status, 403, "{}", denied.body);
    assert_eq!(site.send_as_bob("GET", "/tasks", "").await.body, "[]");
}

#[tokio::test]
async fn changes_nothing_while_execution_is_disabled() {
    let site = Site::new().await;
    let id = site.start("choose_colors", "").await;
    site.until(&id, |task| task["status"] == "input_required").await;
    let calls =
        ["/tools/paint_wall/call", "/tools/tear_down/call"].map(|path| ("POST", path.to_owned(), "{}"));
    for (method, path, body) in requests(&id).into_iter().filter(|(method, ..)| *method != "GET").chain(calls)
    {
        let answer = send(&site.disabled, ADA, method, &path, body, &[("prefer", "respond-async")]).await;
        assert_eq!(
            (answer.status, &*answer.body),
            (403, r#"{"error":"Tool execution is disabled."}"#),
            "{path}"
        );
    }
    // A task can be read, and has not changed.
    let task = send(&site.disabled, ADA, "GET", &format!("/tasks/{id}"), "", &[]).await;
    assert_eq!((task.status, json_of(&task)["status"].clone()), (200, json!("input_required")));
    assert_eq!(json_of(&site.list("").await).as_array().unwrap().len(), 1);
}

/// An engine that answers everything with this error.
struct Failing(TaskError);

impl Failing {
    fn fail<'a, T: Send + 'a>(&self) -> BoxFuture<'a, Result<T, TaskError>> {
        Box::pin(std::future::ready(Err(self.0.clone())))
    }
}

impl TaskEngine for Failing {
    fn create(&self, _: NewTask) -> BoxFuture<'_, Result<Task, TaskError>> {
        self.fail()
    }

    fn get<'a>(&'a self, _: &'a Principal, _: &'a TaskId) -> BoxFuture<'a, Result<Option<Task>, TaskError>> {
        self.fail()
    }

    fn list<'a>(
        &'a self,
        _: &'a Principal,
        _: Option<&'a TaskId>,
        _: usize,
    ) -> BoxFuture<'a, Result<Vec<Task>, TaskError>> {
        self.fail()
    }

    fn answer<'a>(
        &'a self,
        _: &'a Principal,
        _: &'a TaskId,
        _: Map<String, Value>,
    ) -> BoxFuture<'a, Result<bool, TaskError>> {
        self.fail()
    }

    fn cancel<'a>(&'a self, _: &'a Principal, _: &'a TaskId) -> BoxFuture<'a, Result<bool, TaskError>> {
        self.fail()
    }

    fn changed<'a>(&'a self, _: &'a TaskId, _: u64) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn work(&self, _: Arc<dyn TaskRun>, _: CancellationToken) -> BoxFuture<'_, Result<(), TaskError>> {
        self.fail()
    }
}

#[tokio::test]
async fn does_not_ask_to_come_back_if_the_database_is_unusable() {
    let router = with_engine(Arc::new(Failing(TaskError::Unusable("mode 666 of /srv/tasks.db".to_owned()))));
    for (method, path, body) in of_the_engine() {
        let answer = send(&router, ADA, method, &path, body, &[]).await;
        assert_eq!(answer.status, 500, "{method} {path}: {}", answer.body);
        assert!(!answer.body.contains("/srv"), "{}", answer.body);
        assert_eq!(answer.header("retry-after"), "", "{method} {path}");
        assert_ne!(json_of(&answer)["retryable"], true, "{method} {path}: {}", answer.body);
    }
}

/// Requests that need the engine.
fn of_the_engine() -> impl Iterator<Item = (&'static str, String, &'static str)> {
    let call = ("POST", "/tools/tear_down/call".to_owned(), "");
    requests(INVENTED).into_iter().chain([("GET", "/tasks".to_owned(), ""), call])
}

#[tokio::test]
async fn is_unavailable_while_the_database_is_away() {
    let router = with_engine(Arc::new(Failing(TaskError::Unavailable("no route to 10.0.0.7".to_owned()))));
    for (method, path, body) in of_the_engine() {
        let answer = send(&router, ADA, method, &path, body, &[]).await;
        assert_eq!(answer.status, 503, "{method} {path}: {}", answer.body);
        assert_eq!(answer.header("cache-control"), "no-store", "{method} {path}");
        // The cause is for the log.
        assert!(!answer.body.contains("10.0.0.7"), "{}", answer.body);
        let says_when = !path.starts_with("/tools") && answer.header("retry-after") == "1";
        assert!(says_when || json_of(&answer)["retryable"] == true, "{method} {path}: {}", answer.body);
    }
    // Everything else goes on.
    assert_eq!(get(&router, "/tools").await.status, 200);
    let call = send(&router, ADA, "POST", "/tools/ring_bell/call", "", &[]).await;
    assert_eq!(call.status, 200, "{}", call.body);
}
