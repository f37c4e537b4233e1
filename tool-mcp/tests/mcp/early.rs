//! A call that ends at once is answered in JSON, one that takes its time on a stream; nothing else differs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tool_core::logging::LogLevel;
use tool_core::{Context, Registry, State, tool};

use crate::stdio::Spoken;
use crate::support::{Served, Session, initialize, modern_body, request, unknown_call};

/// What the tools tell, and wait for.
pub(crate) struct Course {
    begun: AtomicUsize,
    started: Semaphore,
    go: Semaphore,
}

impl Default for Course {
    fn default() -> Self {
        Course { begun: AtomicUsize::new(0), started: Semaphore::new(0), go: Semaphore::new(0) }
    }
}

/// Waits for a moment.
#[tool(operation = Transform)]
async fn pause(#[inject] course: State<Course>) -> usize {
    tokio::task::yield_now().await;
    course.begun.fetch_add(1, Ordering::Relaxed)
}

/// Waits until it may go on.
#[tool(operation = Transform)]
async fn wait(#[inject] course: State<Course>) -> usize {
    course.begun.fetch_add(1, Ordering::Relaxed);
    course.started.add_permits(1);
    course.go.acquire().await.unwrap().forget();
    course.begun.load(Ordering::Relaxed)
}

/// Lets one go on that waits.
#[tool(operation = Transform)]
async fn let_go(#[inject] course: State<Course>) -> usize {
    course.go.add_permits(1);
    course.begun.load(Ordering::Relaxed)
}

/// Says something, and is done.
#[tool(operation = Transform)]
async fn say(#[inject] context: Context) -> bool {
    context.progress(1, 2, "said");
    context.log(LogLevel::Info, "said");
    true
}

fn registry_of(course: Arc<Course>) -> Registry {
    let here = |tool: &tool_core::ToolDefinition| tool.source().module == module_path!();
    Registry::builder().linked().select(here).select_prompts(|_| false).shared_state(course).build().unwrap()
}

pub(crate) fn registry() -> Registry {
    registry_of(Arc::default())
}

fn served() -> (Served, Arc<Course>) {
    let course = Arc::<Course>::default();
    (Served::serving(registry_of(Arc::clone(&course)), |server| server), course)
}

fn call(id: u32, tool: &str) -> Value {
    request(id, "tools/call", json!({"name": tool, "arguments": {}}))
}

/// Sends a message, and returns whether the answer is no stream.
fn at_once(session: &Session<'_>, body: &Value) -> bool {
    let answer = session.post(&body.to_string());
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.header("content-type") == Some("application/json")
}

#[test]
fn a_client_is_known_from_the_opening_on() {
    let served = Served::start();
    let greet = request(1, "tools/call", json!({"name": "greet", "arguments": {"name": "Ada"}}));
    let list = request(2, "tools/list", json!({}));
    let session = served.session();
    assert!(at_once(&session, &list) && at_once(&session, &greet) && at_once(&session, &list));
    assert!(at_once(&served.session(), &greet));
}

#[test]
fn a_call_that_takes_its_time_is_made_once() {
    let (served, course) = served();
    let session = served.session();
    assert!(!at_once(&session, &call(1, "pause")));
    assert_eq!(course.begun.load(Ordering::Relaxed), 1);
    assert_eq!(session.call("pause", json!({}))["result"]["structuredContent"]["result"], 1);
    // Its name is taken until it is answered.
    let waiting = session.send(&call(7, "wait").to_string());
    served.wait_for(&course.started);
    let refused = session.post(&call(7, "wait").to_string());
    assert!(refused.status == 400 && refused.body.contains("is not answered yet"), "{}", refused.body);
    session.call("let_go", json!({}));
    let answered = crate::support::Answer::read(waiting).message();
    assert_eq!((&answered["id"], &answered["result"]["structuredContent"]["result"]), (&json!(7), &json!(3)));
    assert!(!at_once(&session, &call(7, "pause")), "its name is free again");
}

#[test]
fn what_a_call_has_said_goes_before_its_answer() {
    let (served, _) = served();
    let session = served.session();
    let mut heard = call(1, "say");
    heard["params"]["_meta"] = json!({"progressToken": "a"});
    let told = session.post(&heard.to_string()).events();
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(told[0]["params"]["message"], "said");
    assert_eq!(told[1]["result"]["structuredContent"]["result"], true);
    assert!(at_once(&session, &call(2, "say")), "the message is on the stream of the session");
    let level = request(3, "logging/setLevel", json!({"level": "error"}));
    assert!(session.post(&level.to_string()).message()["result"].is_object());
    assert!(at_once(&session, &call(4, "say")));
}

#[test]
fn a_session_that_has_ended_answers_nothing() {
    let served = Served::start();
    let session = served.session();
    let body = request(1, "tools/call", json!({"name": "add", "arguments": {"a": 1}}));
    assert!(at_once(&session, &body));
    session.delete();
    assert_eq!(session.post(&body.to_string()).status, 404);
}

#[test]
fn a_session_that_is_opened_anew_is_with_another_client() {
    let (served, _) = served();
    let session = served.session();
    let call = call(1, "let_go");
    assert!(at_once(&session, &call));
    assert!(session.post(&initialize().to_string()).message()["result"].is_object());
    assert!(at_once(&session, &call));

    let mut spoken = spoken();
    assert!(spoken.ask(&call)["result"]["structuredContent"].is_object());
    let mut old = initialize();
    old["params"]["protocolVersion"] = "2024-11-05".into();
    assert_eq!(spoken.ask(old)["result"]["protocolVersion"], "2024-11-05");
    for _ in 0..2 {
        let answer = spoken.ask(&call);
        assert!(answer["result"]["structuredContent"].is_null(), "{answer}");
    }
}

fn spoken() -> Spoken {
    let mut spoken = Spoken::with("early");
    spoken.open(json!({}));
    spoken
}

/// The same of a client of 2026-07-28.
fn modern() -> Spoken {
    let mut spoken = Spoken::with("early");
    let unknown = modern_body("tools/call", unknown_call()["params"].clone());
    assert_eq!(spoken.ask(unknown)["error"]["code"], -32602);
    spoken
}

#[test]
fn over_stdio_a_modern_client_is_answered_alike() {
    let mut spoken = modern();
    let call = |id: u32, tool: &str| {
        let mut body = modern_body("tools/call", json!({"name": tool, "arguments": {}}));
        body["id"] = id.into();
        body
    };
    // One ends at once, the other takes its time.
    for (id, tool) in [(1, "let_go"), (2, "pause")] {
        let answer = spoken.ask(call(id, tool));
        assert_eq!((&answer["id"], &answer["result"]["resultType"]), (&json!(id), &json!("complete")));
        assert_eq!(answer["result"]["structuredContent"]["result"], 0);
        assert_eq!(answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "fixture");
    }
    assert_eq!(spoken.end(), (vec![], true));
}

#[test]
fn over_stdio_a_call_that_takes_its_time_is_made_once() {
    let mut spoken = spoken();
    assert_eq!(spoken.ask(call(1, "pause"))["result"]["structuredContent"]["result"], 0);
    assert_eq!(spoken.ask(call(1, "pause"))["result"]["structuredContent"]["result"], 1);
    spoken.say(call(2, "wait"));
    let refused = spoken.ask(call(2, "wait"));
    assert!(refused["error"]["message"].as_str().unwrap().contains("is not answered yet"), "{refused}");
    let mut answered = [spoken.ask(call(3, "let_go")), spoken.hear()];
    answered.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!(answered.map(|answer| answer["result"]["structuredContent"]["result"].clone()), [3, 3]);
    assert_eq!(spoken.end(), (vec![], true));
}

#[test]
fn over_stdio_the_end_of_input_takes_no_answer_away() {
    let mut spoken = spoken();
    for id in 1..=20 {
        spoken.say(call(id, if id % 2 == 0 { "pause" } else { "let_go" }));
    }
    let (answers, well) = spoken.end();
    let mut ids: Vec<u64> = answers
        .iter()
        .map(|answer| serde_json::from_str::<Value>(answer).unwrap()["id"].as_u64().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!((ids, well), ((1..=20).collect(), true));
}

#[test]
fn over_stdio_a_call_is_heard_as_was_said_before_it() {
    let mut spoken = spoken();
    for (level, heard) in [("error", false), ("info", true), ("error", false), ("info", true)] {
        // Without waiting for the answer.
        let set = request(1, "logging/setLevel", json!({"level": level}));
        spoken.say(format!("{set}\n{}", call(2, "say")));
        let mut messages = vec![spoken.hear(), spoken.hear()];
        if heard {
            messages.push(spoken.hear());
        }
        let told = messages.iter().filter(|message| message["method"] == "notifications/message").count();
        assert_eq!(told, usize::from(heard), "{level}: {messages:?}");
    }
    assert_eq!(spoken.end(), (vec![], true));
}
