//! The client for the tests of applications.

mod faults;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tool_core::elicitation::Question;
use tool_core::logging::LogLevel;
use tool_core::testing::Answers;
use tool_core::{Context, Extension, Extensions, Failure, Principal, Registry, prompt, tool};
use tool_mcp::Server;
use tool_mcp::testing::{Client, ClientError, LEGACY, MODERN};

/// Doubles a number.
#[tool(operation = Transform, open_world = false)]
fn double(
    /** The number. */
    n: i64,
) -> i64 {
    2 * n
}

/// Files a report.
#[tool(operation = Write, destructive = false, permission = "report.file")]
fn file_report(#[inject] context: Context) -> String {
    context.principal().id().unwrap_or("nobody").to_owned()
}

/// Names the language of the caller.
#[tool(operation = Read)]
fn language(#[inject] language: Extension<&'static str>) -> String {
    (*language).to_owned()
}

/// Counts to three, and says so.
#[tool(operation = Read)]
async fn count(#[inject] context: Context) -> u64 {
    for n in 1..=3 {
        context.progress(n, 3, &format!("at {n}"));
    }
    context.log(LogLevel::Info, "counted");
    3
}

#[derive(schemars::JsonSchema, serde::Deserialize)]
struct Person {
    name: String,
}

/// Greets a person, and a second one.
#[tool(operation = Read)]
async fn greet(#[inject] context: Context) -> Result<String, Failure> {
    let Person { name: first } = context.elicit("Who is there?").key("first").await?.required()?;
    let Person { name: second } = context.elicit("Who else?").key("second").await?.required()?;
    Ok(format!("Hello, {first} and {second}!"))
}

/// Asks for the weather.
#[prompt]
fn ask_weather(
    /** The city. */
    city: String,
) -> String {
    format!("What is the weather in {city}?")
}

fn registry() -> Registry {
    Registry::collect().unwrap()
}

/// Returns a server whose lists have several pages.
fn server() -> Server {
    Server::new(registry()).name("kit").version("1.0.0").scheme("kit").page_size(2)
}

/// Runs a test with a client of each era.
async fn for_each_era(test: impl AsyncFn(Client)) {
    for version in [MODERN, LEGACY] {
        test(Client::builder(server()).version(version).connect().await.unwrap()).await;
    }
}

#[tokio::test]
async fn calls_a_tool_in_both_eras() {
    for_each_era(async |client| {
        let result = client.call("double", json!({"n": 4})).await.unwrap();
        assert_eq!((result.is_error(), result.kind()), (false, None));
        assert_eq!((result.structured(), result.text().as_str()), (&json!({"result": 8}), r#"{"result":8}"#));
        let is_complete = result.raw()["resultType"] == "complete";
        assert_eq!(is_complete, client.version() == MODERN, "{:?}", result.raw());

        let result = client.call("double", json!({"n": "four"})).await.unwrap();
        assert_eq!((result.is_error(), result.kind()), (true, Some("invalid_input")));
        assert!(result.text().contains("/n: "), "{}", result.text());
        assert!(result.decode::<Value>().is_ok_and(|it| it.is_null()));
        client.close().await;
    })
    .await;
}

#[tokio::test]
async fn reports_where_a_request_failed() {
    for_each_era(async |client| {
        let error = client.call("nowhere", json!({})).await.unwrap_err();
        let ClientError::Rpc { request, code, .. } = &error else { panic!("{error}") };
        assert_eq!((request.as_str(), *code), ("tools/call nowhere", -32602));
        assert!(error.to_string().starts_with("`tools/call nowhere` failed with -32602: "), "{error}");
    })
    .await;
}

#[tokio::test]
async fn lists_all_pages() {
    for_each_era(async |client| {
        let tools = client.list_tools().await.unwrap();
        assert_eq!(tools.names(), ["count", "double", "greet", "language", "nest", "wait_for_end"]);
        assert_eq!(tools["double"]["description"], "Doubles a number.");
        assert_eq!(client.list_prompts().await.unwrap().names(), ["ask_weather"]);
        let resources = client.list_resources().await.unwrap();
        assert!(resources.iter().any(|resource| resource["uri"] == "kit://tools"), "{resources:?}");
        let templates = client.list_resource_templates().await.unwrap();
        assert!(templates.iter().any(|it| it["uriTemplate"] == "kit://tool/{name}"), "{templates:?}");
        let completed = client.complete_resource("kit://tool/{name}", "name", "do", json!({})).await.unwrap();
        assert_eq!(completed, ["double"]);
        let read = client.read_resource("kit://tool/double").await.unwrap();
        assert_eq!(read.decode::<Value>().unwrap()["name"], "double");
    })
    .await;
}

#[tokio::test]
#[should_panic(expected = "`halve` is not in the list [\"count\", \"double\"")]
async fn names_the_items_of_a_list_that_lacks_one() {
    let client = Client::connect(server()).await.unwrap();
    let _ = &client.list_tools().await.unwrap()["halve"];
}

#[tokio::test]
async fn gets_prompts() {
    for_each_era(async |client| {
        let prompt = client.get_prompt("ask_weather", json!({"city": "Oslo"})).await.unwrap();
        assert_eq!(prompt.text(), "What is the weather in Oslo?");
        assert_eq!(prompt.messages()[0]["role"], "user");
    })
    .await;
}

#[tokio::test]
async fn calls_as_a_principal_with_extensions() {
    for version in [MODERN, LEGACY] {
        let builder = || Client::builder(server()).version(version).extensions(Extensions::new().with("de"));
        let ada = Principal::new("ada").grant("report.file");
        let client = builder().principal(ada).connect().await.unwrap();
        assert_eq!(client.call("file_report", json!({})).await.unwrap().text(), "ada");
        assert_eq!(client.call("language", json!({})).await.unwrap().text(), "de");
        assert!(client.list_tools().await.unwrap().get("file_report").is_some());

        let bob = builder().principal(Principal::new("bob")).connect().await.unwrap();
        assert!(bob.list_tools().await.unwrap().get("file_report").is_none());
        let denied = bob.call("file_report", json!({})).await.unwrap();
        assert_eq!((denied.is_error(), denied.kind()), (true, Some("access_denied")), "{denied:?}");
    }
}

#[tokio::test]
async fn collects_progress_and_log_messages() {
    for version in [MODERN, LEGACY] {
        let builder = Client::builder(server()).version(version).log_level(LogLevel::Info);
        let client = builder.connect().await.unwrap();
        let result = client.call("count", json!({})).await.unwrap();
        let last = json!({"progress": 3.0, "total": 3.0, "message": "at 3"});
        let reported = result.progress().last().unwrap();
        assert!(last.as_object().unwrap().iter().all(|(key, value)| &reported[key] == value), "{reported}");
        assert_eq!(client.log(), [json!({"level": "info", "logger": "count", "data": "counted"})]);
    }
}

#[tokio::test]
async fn answers_questions() {
    for version in [MODERN, LEGACY] {
        let answers = Answers::new().accept(json!({"name": "Ada"})).accept(json!({"name": "Bob"}));
        let client =
            Client::builder(server()).version(version).answers(answers.clone()).connect().await.unwrap();
        let result = client.call("greet", json!({})).await.unwrap();
        assert_eq!(result.text(), "Hello, Ada and Bob!");
        let questions: Vec<String> = answers.questions().iter().map(Question::message).collect();
        assert_eq!(questions, ["Who is there?", "Who else?"]);
    }
}

#[tokio::test]
async fn answers_questions_with_a_function() {
    use tool_core::elicitation::{Answer, Elicited};

    for version in [MODERN, LEGACY] {
        let messages = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&messages);
        let answers = Answers::from_fn(move |question| {
            seen.lock().unwrap().push(question.message());
            Answer::Elicited(Elicited::Declined)
        });
        let client = Client::builder(server()).version(version).answers(answers).connect().await.unwrap();
        let result = client.call("greet", json!({})).await.unwrap();
        assert_eq!((result.is_error(), result.text().as_str()), (true, "the user declined to answer"));
        assert_eq!(*messages.lock().unwrap(), ["Who is there?"]);
    }
}

#[tokio::test]
async fn says_which_question_has_no_answer() {
    let answers = Answers::new().accept(json!({"name": "Ada"}));
    let client = Client::builder(server()).answers(answers).connect().await.unwrap();
    let error = client.call("greet", json!({})).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`tools/call greet` asks `second`: there is no answer left for the question `second`"
    );
    // Without answers, the client declares no capability.
    let error = Client::connect(server()).await.unwrap().call("greet", json!({})).await.unwrap_err();
    assert!(matches!(error, ClientError::Rpc { code: -32021, .. }), "{error}");
}

#[tokio::test]
async fn describes_the_server() {
    for_each_era(async |client| {
        assert_eq!(client.server_info(), &json!({"name": "kit", "version": "1.0.0"}));
    })
    .await;
}

#[tokio::test]
async fn a_server_without_a_name_is_named_after_the_program_and_not_after_this_crate() {
    for server in [Server::new(registry()), Server::new(registry()).version("")] {
        let client = Client::connect(server).await.unwrap();
        let info = client.server_info();
        let name = info["name"].as_str().unwrap();
        assert!(name.starts_with("testing-"), "{name}");
        assert_eq!(info["version"], "unknown");
    }
}

#[tokio::test]
async fn a_server_ends_with_its_client() {
    let alive = Arc::new(());
    let registry = Registry::builder().allow_empty().shared_state(Arc::clone(&alive)).build().unwrap();
    let client = Client::connect(Server::new(registry)).await.unwrap();
    assert!(Arc::strong_count(&alive) > 1);
    drop(client);
    let ended = async {
        while Arc::strong_count(&alive) > 1 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), ended).await.expect("the server does not end");
}
