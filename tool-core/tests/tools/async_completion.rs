//! Completion by `async` functions, and of other functions in a runtime.

use std::collections::BTreeMap;

use tool_core::completion::CompletionRequest;
use tool_core::{Access, FailureKind, Principal, Registry, adapter, tool};

/// Streets by town, read as if from a database.
struct Streets(BTreeMap<&'static str, Vec<&'static str>>);

async fn towns(typed: &str) -> Vec<String> {
    tokio::task::yield_now().await;
    ["Rome", "Rostock"].into_iter().filter(|town| town.starts_with(typed)).map(str::to_owned).collect()
}

async fn mapped_towns(typed: &str, streets: &Streets) -> Vec<String> {
    tokio::task::yield_now().await;
    streets.0.keys().filter(|town| town.starts_with(typed)).map(ToString::to_string).collect()
}

async fn own_streets(request: &CompletionRequest<'_>) -> Vec<String> {
    tokio::task::yield_now().await;
    let user = request.principal().id().unwrap_or_default();
    vec![format!("{user}'s {}", request.argument("town").unwrap_or_default())]
}

async fn streets_of(request: &CompletionRequest<'_>, streets: &Streets) -> Vec<String> {
    tokio::task::yield_now().await;
    let town = request.argument("town").unwrap_or_default();
    let streets = streets.0.get(town).into_iter().flatten();
    streets.filter(|street| street.starts_with(request.text())).map(ToString::to_string).collect()
}

async fn never(_: &str) -> Vec<String> {
    std::future::pending().await
}

async fn panics_later(_: &str) -> Vec<String> {
    tokio::task::yield_now().await;
    panic!("no completion")
}

/// Has inputs that are completed by asynchronous functions.
#[tool(operation = Read, timeout = "20ms")]
async fn visit(
    #[arg(complete = towns)] town: String,
    #[arg(complete = mapped_towns)] mapped: String,
    #[arg(complete = own_streets)] own: String,
    #[arg(complete = streets_of)] street: String,
    #[arg(complete = never)] slow: String,
    #[arg(complete = panics_later)] fragile: String,
) -> String {
    [town, mapped, own, street, slow, fragile].concat()
}

fn either(_: &Principal) -> Access {
    Access::Allow
}

/// Has an access function.
#[tool(operation = Read, access = either)]
fn visit_guarded(
    #[arg(complete = towns)] town: String,
    #[arg(complete = own_streets)] own: String,
) -> String {
    town + &own
}

#[tokio::test(start_paused = true)]
async fn awaits_asynchronous_functions() {
    let streets = Streets([("Rome", vec!["Via Appia", "Via Veneto"]), ("Rotterdam", vec![])].into());
    let names = ["visit", "visit_guarded"];
    let builder = Registry::builder().linked().select(move |tool| names.contains(&tool.name()));
    let registry = builder.state(streets).build().unwrap().as_principal(Principal::new("ada"));
    let complete = async |input, typed| {
        let request = CompletionRequest::new(typed).with_argument("town", "Rome");
        adapter::complete(&registry, "visit", input, request).await
    };
    assert_eq!(complete("town", "Rom").await.unwrap().values, ["Rome"]);
    assert_eq!(complete("mapped", "Ro").await.unwrap().values, ["Rome", "Rotterdam"]);
    assert_eq!(complete("own", "").await.unwrap().values, ["ada's Rome"]);
    assert_eq!(complete("street", "Via A").await.unwrap().values, ["Via Appia"]);
    let failure = complete("slow", "").await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Timeout);
    assert_eq!(failure.message(), "the completion of an input of `visit` did not end within 20ms");
    assert_eq!(complete("fragile", "").await.unwrap_err().kind(), FailureKind::Internal);

    // With an access function, only one that sees the caller runs.
    let guarded =
        async |input| adapter::complete(&registry, "visit_guarded", input, "").await.unwrap().values;
    assert_eq!(guarded("town").await, Vec::<String>::new());
    assert_eq!(guarded("own").await, ["ada's "]);
}

fn thread(_: &str) -> Vec<String> {
    vec![format!("{:?}", std::thread::current().id())]
}

/// Has an input whose completion may block.
#[tool(operation = Read)]
fn threaded(#[arg(complete = thread)] name: String) -> String {
    name
}

#[tokio::test]
async fn runs_other_functions_on_another_thread() {
    let registry = Registry::builder().linked().select(|tool| tool.name() == "threaded").build().unwrap();
    let values = adapter::complete(&registry, "threaded", "name", "").await.unwrap().values;
    assert_ne!(values, thread(""));
}
