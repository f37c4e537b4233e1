//! Tasks: calls that a client does not wait for.

mod answers;
mod keys;
mod reading;
mod refusals;
mod site;

use serde_json::{Value, json};

use crate::client::get;
use crate::tasks::site::{ADA, Site, json_of, send};

#[tokio::test]
async fn responds_before_the_task_has_run() {
    let site = Site::new().await;
    let answer = site.call("paint_wall", r#"{"coats":1}"#, &[("prefer", "respond-async")]).await;
    assert_eq!(answer.status, 202, "{}", answer.body);
    let body = json_of(&answer);
    let id = body["taskId"].as_str().unwrap().to_owned();
    assert_eq!(answer.header("location"), format!("../../tasks/{id}"));
    assert_eq!(answer.header("retry-after"), "3");
    assert_eq!(answer.header("preference-applied"), "respond-async");
    assert_eq!(answer.header("cache-control"), "no-store");
    let expected = json!({
        "taskId": id, "tool": "paint_wall", "status": "working", "createdAt": body["createdAt"],
        "lastUpdatedAt": body["lastUpdatedAt"], "ttlMs": 86_400_000, "pollIntervalMs": 3_000, "attempt": 0,
    });
    assert_eq!(body, expected);

    // It exists, and goes on without the request.
    assert_eq!(site.read(&id).await.status, 200);
    site.release(1);
    let task = site.ended(&id).await;
    assert_eq!((task["status"].as_str(), &task["resultStatus"]), (Some("completed"), &json!(200)));
    // The result is the body that the call would have had.
    site.release(1);
    let waited = site.call("paint_wall", r#"{"coats":1}"#, &[]).await;
    assert_eq!((waited.status, waited.header("location")), (200, ""));
    let mut results = [task["result"].clone(), json_of(&waited)];
    let calls = results.each_mut().map(|result| result["_meta"]["callId"].take());
    assert_eq!(results[0], results[1]);
    assert!(calls[0].is_string() && calls[0] != calls[1], "{calls:?}");
}

#[tokio::test]
async fn runs_a_required_tool_as_a_task_whatever_is_preferred() {
    let site = Site::new().await;
    for (headers, applied) in [(&[][..], ""), (&[("prefer", "respond-async")], "respond-async")] {
        let answer = site.call("tear_down", "", headers).await;
        assert_eq!((answer.status, answer.header("preference-applied")), (202, applied), "{headers:?}");
        let id = json_of(&answer)["taskId"].as_str().unwrap().to_owned();
        assert_eq!(site.ended(&id).await["result"]["content"][0]["text"], "gone");
    }
}

#[tokio::test]
async fn makes_no_task_of_a_call_that_is_waited_for() {
    let site = Site::new().await;
    site.release(1);
    for (headers, tool) in [(&[("prefer", "return=minimal")][..], "paint_wall"), (&[], "ring_bell")] {
        assert_eq!(site.call(tool, r#"{"coats":1}"#, headers).await.status, 200, "{tool}");
        site.release(1);
    }
    // A tool that does not run as a task ignores the preference.
    let answer = site.call("ring_bell", "", &[("prefer", "respond-async")]).await;
    assert_eq!((answer.status, answer.header("preference-applied")), (200, ""));
    assert_eq!(json_of(&site.list("").await), json!([]));
}

#[tokio::test]
async fn keeps_a_failure_of_the_tool_as_its_response() {
    let site = Site::new().await;
    let id = site.start("paint_wall", r#"{"coats":13}"#).await;
    site.release(13);
    let task = site.ended(&id).await;
    assert_eq!((&task["status"], &task["resultStatus"]), (&json!("completed"), &json!(409)), "{task}");
    assert_eq!(task["result"]["content"][0]["text"], "the paint is used up");
    assert_eq!(task["statusMessage"], "the paint is used up");
}

#[tokio::test]
async fn cancels_a_task_which_decides_how_it_ends() {
    let site = Site::new().await;
    let id = site.start("paint_wall", r#"{"coats":9}"#).await;
    site.release(1);
    site.until(&id, |task| task["progress"]["done"] == 1).await;
    let answer = site.send("DELETE", &format!("/tasks/{id}"), "", &[]).await;
    assert_eq!(answer.status, 202, "{}", answer.body);
    assert!(json_of(&answer)["isCanceled"] == true || json_of(&answer)["status"] != "working");
    let task = site.ended(&id).await;
    // The function noticed the cancellation, and returned what it had done.
    assert_eq!(task["result"]["structuredContent"], json!({"result": 1}), "{task}");
    assert_eq!(task["isCanceled"], Value::Null);

    // Again, and after the end: nothing changes.
    let again = site.send("DELETE", &format!("/tasks/{id}"), "", &[]).await;
    assert_eq!((again.status, json_of(&again)["status"].clone()), (202, task["status"].clone()));
    assert_eq!(again.header("retry-after"), "");
}

#[tokio::test]
async fn cancels_a_task_that_waits_for_an_answer_at_once() {
    let site = Site::new().await;
    let id = site.start("choose_colors", "").await;
    site.until(&id, |task| task["status"] == "input_required").await;
    let answer = site.send("DELETE", &format!("/tasks/{id}"), "", &[]).await;
    let task = json_of(&answer);
    assert_eq!((answer.status, &task["status"]), (202, &json!("cancelled")), "{task}");
    assert_eq!(task["inputRequests"], Value::Null);
    assert!(task["resultStatus"].as_u64().unwrap() >= 400, "{task}");
}

#[tokio::test]
async fn describes_which_tools_run_as_tasks() {
    let site = Site::new().await;
    let expected = json!({
        "support": "optional", "retries": 1, "ttlMs": 86_400_000, "pollIntervalMs": 3_000, "attemptTimeoutMs": 600_000,
    });
    assert_eq!(json_of(&get(&site.router, "/tools/paint_wall").await)["task"], expected);
    for path in ["/tools", "/tools?detail=full"] {
        let list = json_of(&get(&site.router, path).await);
        let task = |name: &str| {
            list.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap()["task"].clone()
        };
        assert_eq!(task("paint_wall"), expected, "{path}");
        assert_eq!(task("tear_down")["support"], "required", "{path}");
        assert_eq!(
            (task("tear_down")["attemptTimeoutMs"].clone(), task("ring_bell")),
            (Value::Null, Value::Null)
        );
    }
    let document = json_of(&get(&site.router, "/openapi.json").await);
    let schema = &document["components"]["schemas"]["TaskOptions"]["properties"];
    for name in expected.as_object().unwrap().keys() {
        assert!(schema[name].is_object(), "{name}");
    }
    for tool in ["Tool", "Summary"] {
        let reference = &document["components"]["schemas"][tool]["properties"]["task"]["$ref"];
        assert_eq!(reference, "#/components/schemas/TaskOptions", "{tool}");
    }
    let call =
        |tool: &str| document["paths"][format!("/tools/{tool}/call")]["post"]["responses"]["202"].clone();
    assert!(call("paint_wall").is_object() && call("ring_bell").is_null());
}

#[tokio::test]
async fn has_no_trace_of_tasks_without_an_engine() {
    let router = site::without_engine();
    let ask = async |path: &str| send(&router, ADA, "GET", path, "", &[]).await;
    let unknown = ask("/no/such/path").await;
    for path in ["/tasks", "/tasks/00112233445566778899aabbccddeeff", "/tasks/x/events"] {
        let answer = ask(path).await;
        assert_eq!((answer.status, &answer.body), (404, &unknown.body), "{path}");
    }
    for path in ["/tools/paint_wall", "/tools", "/tools?detail=full", "/openapi.json"] {
        let answer = ask(path).await;
        assert!(answer.status == 200 && !answer.body.contains("task"), "{path}: {}", answer.body);
    }
}
