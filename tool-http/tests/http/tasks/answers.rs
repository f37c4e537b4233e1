//! Questions of tasks, and their answers.

use serde_json::{Value, json};

use crate::tasks::site::{Site, json_of};

async fn site_that_asks() -> (Site, String) {
    let site = Site::new().await;
    let id = site.start("choose_colors", "").await;
    site.until(&id, |task| task["status"] == "input_required").await;
    (site, id)
}

fn open(task: &Value) -> Vec<&str> {
    task["inputRequests"]
        .as_object()
        .map(|open| open.keys().map(String::as_str).collect())
        .unwrap_or_default()
}

#[tokio::test]
async fn answers_questions_one_by_one() {
    let (site, id) = site_that_asks().await;
    let path = format!("/tasks/{id}/answers");
    let task = json_of(&site.read(&id).await);
    assert_eq!(open(&task), ["door", "wall"]);
    let question = &task["inputRequests"]["wall"];
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["message"], "Which color has the wall?");
    assert_eq!(question["params"]["requestedSchema"]["required"], json!(["color"]));

    // Some of them, with a key that is not open.
    let some = json!({
        "wall": {"action": "accept", "content": {"color": "blue"}},
        "roof": {"action": "accept", "content": {"color": "red"}},
    });
    let answer = site.send("POST", &path, &some.to_string(), &[]).await;
    let task = json_of(&answer);
    assert_eq!((answer.status, &task["status"], open(&task)), (202, &json!("input_required"), vec!["door"]));
    assert_eq!((answer.header("retry-after"), answer.header("cache-control")), ("2", "no-store"));

    // The first answer stays.
    let rest = json!({
        "wall": {"action": "accept", "content": {"color": "pink"}},
        "door": {"action": "accept", "content": {"color": "green"}},
    });
    assert_eq!(site.send("POST", &path, &rest.to_string(), &[]).await.status, 202);
    let task = site.ended(&id).await;
    assert_eq!(task["result"]["content"][0]["text"], "blue and green", "{task}");

    // After the end, an answer changes nothing.
    let late = site.send("POST", &path, &some.to_string(), &[]).await;
    assert_eq!((late.status, json_of(&late)), (202, task));
}

#[tokio::test]
async fn ends_a_task_whose_question_was_declined() {
    let (site, id) = site_that_asks().await;
    let declined = json!({"wall": {"action": "decline"}, "door": {"action": "cancel"}});
    site.send("POST", &format!("/tasks/{id}/answers"), &declined.to_string(), &[]).await;
    let task = site.ended(&id).await;
    assert!(task["resultStatus"].as_u64().unwrap() >= 400, "{task}");
}

#[tokio::test]
async fn refuses_a_body_that_is_not_an_object_of_objects() {
    let (site, id) = site_that_asks().await;
    let path = format!("/tasks/{id}/answers");
    for body in ["[]", "null", "5", "{", r#"{"wall":}"#, r#"{"wall":"red"}"#, r#"{"other":null}"#, "not JSON"]
    {
        let answer = site.send("POST", &path, body, &[]).await;
        assert_eq!(answer.status, 400, "{body}: {}", answer.body);
        assert!(json_of(&answer)["error"].as_str().unwrap().contains("inputRequests"), "{}", answer.body);
    }
    let answer = site.send("POST", &path, "", &[("content-type", "text/plain")]).await;
    assert_ne!(answer.status, 202, "{}", answer.body);
    let query = site.send("POST", &format!("{path}?now"), "{}", &[]).await;
    assert_eq!(query.status, 400, "{}", query.body);
    assert_eq!(open(&json_of(&site.read(&id).await)), ["door", "wall"]);
    // An empty object answers nothing, and an answer of another shape is asked for again or refused.
    assert_eq!(site.send("POST", &path, "{}", &[]).await.status, 202);
    assert_eq!(open(&json_of(&site.read(&id).await)), ["door", "wall"]);
}

#[tokio::test]
async fn asks_again_after_an_answer_that_does_not_fit() {
    let (site, id) = site_that_asks().await;
    let wrong = json!({
        "wall": {"action": "accept", "content": {"color": 5}},
        "door": {"action": "accept", "content": {"color": "green"}},
    });
    site.send("POST", &format!("/tasks/{id}/answers"), &wrong.to_string(), &[]).await;
    let task = site.until(&id, |task| task["status"] == "input_required").await;
    assert_eq!(open(&task), ["wall"], "{task}");
    let message = task["inputRequests"]["wall"]["params"]["message"].as_str().unwrap();
    assert!(message.starts_with("Which color has the wall?\n- ") && message.contains("color"), "{message}");
}
