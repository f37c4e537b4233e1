//! Tasks that begin at one replica, and end at another one.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::client::{Answer, Client};
use crate::load::Interrupted;
use crate::replica::Service;

const ASYNC: (&str, &str) = ("prefer", "respond-async");

/// How long a task of these tests may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Creates a task over HTTP, and returns its path, or the answer if there is none.
async fn create(
    client: &Client,
    tool: &str,
    arguments: &Value,
) -> Result<Result<String, Answer>, Interrupted> {
    let answer = client.post(&format!("/tools/{tool}/call"), arguments, &[ASYNC]).await?;
    if answer.status != 202 {
        return Ok(Err(answer));
    }
    let location = answer.header("location");
    Ok(Ok(format!("/tasks/{}", location.rsplit('/').next().unwrap_or_default())))
}

/// Reads a task until `is_wanted` holds for it.
async fn wait(
    client: &Client,
    path: &str,
    is_wanted: impl Fn(&Value) -> bool,
) -> Result<Answer, Interrupted> {
    let read = async {
        loop {
            let answer = client.get(path).await?;
            if answer.status != 200 || is_wanted(&answer.json()) {
                return Ok(answer);
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, read).await.unwrap_or_else(|_| panic!("{path} takes too long"))
}

fn has_ended(task: &Value) -> bool {
    ["completed", "failed", "cancelled"].iter().any(|status| task["status"] == *status)
}

fn asks(task: &Value) -> bool {
    task["status"] == "input_required"
}

/// Runs a task to its end. Returns its outcome, without its id and its times.
pub(crate) async fn count(client: &Client, numbers: u64) -> Result<Answer, Interrupted> {
    let path = match create(client, "count", &json!({"numbers": numbers})).await? {
        Ok(path) => path,
        Err(answer) => return Ok(answer),
    };
    let ended = wait(client, &path, has_ended).await?;
    if ended.status != 200 {
        return Ok(ended);
    }
    let task = ended.json();
    let outcome = json!({"status": task["status"], "result": task["result"], "error": task["error"]});
    Ok(Answer { status: 200, headers: Vec::new(), body: outcome.to_string() })
}

pub(crate) async fn answers_and_cancels_tasks_of_other_replicas() {
    let service = Service::start(2).await;
    let [a, b] = [0, 1].map(|index| Client::new(service.replicas[index].address));
    // Over HTTP.
    let path = create(&a, "register", &json!({})).await.unwrap().unwrap();
    let task = wait(&b, &path, asks).await.unwrap().json();
    assert!(task["inputRequests"]["name"].is_object(), "{task}");
    let answers = json!({"name": {"action": "accept", "content": {"name": "Ada"}}});
    let answered = b.post(&format!("{path}/answers"), &answers, &[]).await.unwrap();
    assert_eq!(answered.status, 202, "{answered:?}");
    let task = wait(&a, &path, has_ended).await.unwrap().json();
    assert_eq!(task["result"]["content"][0]["text"], "registered Ada", "{task}");

    let path = create(&a, "count", &json!({"numbers": 100_000})).await.unwrap().unwrap();
    wait(&b, &path, |task| task["status"] == "working").await.unwrap();
    assert_eq!(b.send(Method::DELETE, &path, &[], None).await.unwrap().status, 202);
    let task = wait(&a, &path, has_ended).await.unwrap().json();
    assert_eq!(task["status"], "cancelled", "{task}");

    // Over MCP.
    let call = a.mcp("tools/call", json!({"name": "register", "arguments": {}})).await.unwrap().json();
    assert_eq!(call["result"]["resultType"], "task", "{call}");
    let id = call["result"]["taskId"].as_str().unwrap().to_owned();
    wait(&b, &format!("/tasks/{id}"), asks).await.unwrap();
    let update = json!({"taskId": id, "inputResponses": answers});
    let updated = b.mcp("tasks/update", update).await.unwrap().json();
    assert!(updated["error"].is_null(), "{updated}");
    wait(&a, &format!("/tasks/{id}"), has_ended).await.unwrap();
    let task = a.mcp("tasks/get", json!({"taskId": id})).await.unwrap().json();
    assert_eq!(task["result"]["result"]["content"][0]["text"], "registered Ada", "{task}");
}

pub(crate) async fn ends_tasks_of_a_killed_replica() {
    // They take eight seconds.
    const NUMBERS: u64 = 800;
    let mut service = Service::start(1).await;
    let first = service.replicas[0].address;
    let a = Client::new(first);
    let mut paths = Vec::new();
    for _ in 0..5 {
        paths.push(create(&a, "count", &json!({"numbers": NUMBERS})).await.unwrap().unwrap());
    }
    // They run at the only replica.
    wait(&a, &paths[0], |task| task["statusMessage"].is_string()).await.unwrap();
    service.add().await;
    service.replicas.remove(0).kill().await;
    let b = Client::new(service.replicas[0].address);
    let task = wait(&b, &paths[0], |_| true).await.unwrap().json();
    assert_eq!(task["status"], "working", "it ran at the killed replica");
    for path in paths {
        let task = wait(&b, &path, has_ended).await.unwrap().json();
        assert_eq!(
            (&task["status"], &task["result"]["structuredContent"]),
            (&json!("completed"), &json!({"result": NUMBERS})),
            "{task}"
        );
    }
}
