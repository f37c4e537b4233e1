//! A client hears what calls have to say, as far as it asked to, before the answer and never after it.

use serde_json::{Value, json};
use tool_core::logging::LogLevel;
use tool_core::{Context, Registry, prompt, tool};

use crate::changes::Events;
use crate::stdio::Spoken;
use crate::support::{MODERN, Served, Session, modern_body, request};

/// Says something at several levels, and how far it has come.
#[tool(operation = Transform)]
async fn speak(#[inject] context: Context) -> &'static str {
    context.log(LogLevel::Debug, "looking");
    context.progress(1, 2, "");
    context.log(LogLevel::Info, "found");
    tokio::task::yield_now().await;
    context.log(LogLevel::Error, json!({"page": 7, "torn": true}));
    context.progress(2, 2, "");
    "done"
}

/// Says what it is about, and asks.
#[prompt]
fn ask_aloud(#[inject] context: Context) -> &'static str {
    context.log(LogLevel::Notice, "asked");
    "Well?"
}

/// Says more than anybody wants to hear.
#[tool(operation = Transform)]
async fn babble(#[inject] context: Context) -> &'static str {
    for n in 0..1_000 {
        context.log(LogLevel::Info, n);
    }
    "done"
}

pub(crate) fn registry() -> Registry {
    Registry::builder()
        .linked()
        .select(|tool| tool.source().module == module_path!())
        .select_prompts(|prompt| prompt.source().module == module_path!())
        .build()
        .unwrap()
}

/// A request that asks to hear what the call has to say, or does not.
fn asking(mut body: Value, level: Option<&str>) -> Value {
    if let Some(level) = level {
        body["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!(level);
    }
    body
}

fn message(level: &str, data: Value) -> Value {
    let params = json!({"level": level, "logger": "speak", "data": data});
    json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params})
}

/// What `speak` says, from a level on.
fn said(least: LogLevel) -> Vec<Value> {
    let said = [
        (LogLevel::Debug, json!("looking")),
        (LogLevel::Info, json!("found")),
        (LogLevel::Error, json!({"page": 7, "torn": true})),
    ];
    let heard = said.into_iter().filter(|(level, _)| *level >= least);
    heard.map(|(level, data)| message(level.as_str(), data)).collect()
}

fn speak_modern(level: Option<&str>) -> String {
    asking(modern_body("tools/call", json!({"name": "speak"})), level).to_string()
}

const HEADERS: [(&str, &str); 3] =
    [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "speak")];

#[test]
fn a_request_that_stands_alone_hears_from_the_level_on_that_it_asks_for() {
    let served = Served::serving(registry(), |server| server);
    for level in LogLevel::ALL {
        let answer = served.post(&HEADERS, &speak_modern(Some(level.as_str())));
        let expected = said(level);
        if expected.is_empty() {
            assert_eq!(answer.json()["result"]["content"][0]["text"], "done");
            continue;
        }
        let mut heard = answer.events();
        let answer = heard.pop().unwrap();
        assert_eq!(answer["result"]["content"][0]["text"], "done");
        assert_eq!(heard, expected, "{level}");
    }
}

#[test]
fn who_does_not_ask_hears_nothing() {
    let served = Served::serving(registry(), |server| server);
    for body in [speak_modern(None), speak_modern(Some("loud"))] {
        // One answer, and no stream of events.
        assert_eq!(served.post(&HEADERS, &body).json()["result"]["content"][0]["text"], "done");
    }
}

#[test]
fn messages_and_progress_keep_their_order() {
    let served = Served::serving(registry(), |server| server);
    let mut body = asking(modern_body("tools/call", json!({"name": "speak"})), Some("debug"));
    body["params"]["_meta"]["progressToken"] = json!("p");
    let heard = served.post(&HEADERS, &body.to_string()).events();
    let kinds: Vec<&str> = heard.iter().filter_map(|message| message["method"].as_str()).collect();
    let (said, came) = ("notifications/message", "notifications/progress");
    assert_eq!(kinds, [said, came, said, said, came]);
    assert!(heard[5]["result"].is_object());
}

#[test]
fn a_prompt_is_heard_as_a_tool_is() {
    let served = Served::serving(registry(), |server| server);
    let body = asking(modern_body("prompts/get", json!({"name": "ask_aloud"})), Some("debug"));
    let headers =
        [("mcp-protocol-version", MODERN), ("mcp-method", "prompts/get"), ("mcp-name", "ask_aloud")];
    let heard = served.post(&headers, &body.to_string()).events();
    assert_eq!(heard[0]["params"], json!({"level": "notice", "logger": "ask_aloud", "data": "asked"}));
    assert_eq!(heard[1]["result"]["messages"][0]["content"]["text"], "Well?");
}

#[test]
fn both_eras_hear_over_stdio() {
    let mut modern = Spoken::with("logging");
    modern.say(speak_modern(Some("error")));
    assert_eq!(modern.hear(), said(LogLevel::Error)[0]);
    assert!(modern.hear()["result"].is_object());
    assert!(modern.ask(speak_modern(None))["result"].is_object());
    assert_eq!(modern.end(), (vec![], true));

    let mut legacy = Spoken::with("logging");
    let opened = legacy.open(json!({}));
    assert_eq!(opened["result"]["capabilities"]["logging"], json!({}));
    let speak = |id| request(id, "tools/call", json!({"name": "speak"}));
    // Until a client says what it wants to hear, it is what is worth knowing.
    legacy.say(speak(1));
    assert_eq!([legacy.hear(), legacy.hear()], *said(LogLevel::Info));
    assert_eq!(legacy.hear()["id"], 1);
    assert_eq!(legacy.ask(request(2, "logging/setLevel", json!({"level": "error"})))["result"], json!({}));
    legacy.say(speak(3));
    assert_eq!([legacy.hear()], *said(LogLevel::Error));
    assert_eq!(legacy.hear()["id"], 3);
    assert_eq!(legacy.end(), (vec![], true));
}

fn set_level(session: &Session<'_>, level: &str) -> Value {
    session.request("logging/setLevel", json!({"level": level}))
}

#[test]
fn each_session_has_its_own_level() {
    let served = Served::serving(registry(), |server| server);
    let (loud, quiet) = (served.session(), served.session());
    let [mut to_loud, mut to_quiet] = [&loud, &quiet].map(|session| Events::opened(session.stream()));
    assert_eq!(set_level(&loud, "debug")["result"], json!({}));
    assert_eq!(set_level(&quiet, "critical")["result"], json!({}));
    for session in [&quiet, &loud] {
        assert_eq!(session.call("speak", json!({}))["result"]["content"][0]["text"], "done");
    }
    set_level(&quiet, "error");
    quiet.call("speak", json!({}));
    let heard: Vec<Value> = (0..3).map(|_| to_loud.next().unwrap()).collect();
    assert_eq!(heard, said(LogLevel::Debug));
    assert_eq!([to_quiet.next().unwrap()], *said(LogLevel::Error));
}

#[test]
fn a_level_that_is_none_is_refused_and_the_later_era_has_no_levels_to_set() {
    let served = Served::serving(registry(), |server| server);
    let session = served.session();
    let refused = set_level(&session, "loud");
    assert_eq!(refused["error"]["code"], -32602);
    assert!(refused["error"]["message"].as_str().unwrap().contains("`debug`, `info`"), "{refused}");
    let modern = served.modern("logging/setLevel", json!({"level": "debug"}));
    assert_eq!((modern.status, modern.json()["error"]["code"].as_i64()), (404, Some(-32601)));
}

#[test]
fn of_too_much_the_newest_is_told() {
    let served = Served::serving(registry(), |server| server);
    let body = asking(modern_body("tools/call", json!({"name": "babble"})), Some("info")).to_string();
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "babble")];
    let heard = served.post(&headers, &body).events();
    // Nothing is told before the tool waits for something, and so most is left out.
    assert_eq!(heard.len(), 256 + 1);
    assert_eq!((&heard[0]["params"]["data"], &heard[255]["params"]["data"]), (&json!(744), &json!(999)));
}
