//! Running all non-modifying tools with a resource that panics on changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tool_core::elicitation::{Answer, Elicited};
use tool_core::failure::Reason;
use tool_core::testing::{self, Answers, Trial, run_non_modifying};
use tool_core::{
    CallOptions, Context, Failure, FailureKind, Reader, Registry, Resource, State, WritePass, Writer, tool,
};

use crate::builder_of;

/// A guest book with read and write access.
struct Guests(Box<dyn Write>);

trait Read: Send + Sync {
    fn names(&self) -> Vec<String>;
}

trait Write: Read {
    fn add(&self, name: &str);
}

impl Resource for Guests {
    type Reader = dyn Read;
    type Writer = dyn Write;

    fn reader(&self) -> &Self::Reader {
        &*self.0
    }

    fn writer(&self, _: WritePass<'_>) -> &Self::Writer {
        &*self.0
    }
}

/// A book that panics on changes.
struct Shut;

impl Read for Shut {
    fn names(&self) -> Vec<String> {
        vec!["Ada".to_owned()]
    }
}

impl Write for Shut {
    fn add(&self, name: &str) {
        panic!("`{name}` was added to a book that is shut");
    }
}

/// Reads.
#[tool(operation = Read)]
fn all_guests(#[inject] guests: Reader<Guests>) -> Vec<String> {
    guests.names()
}

/// Fails, because there is no guest of this name.
#[tool(operation = Read)]
fn find_guest(#[inject] _guests: Reader<Guests>, #[arg(example = "Eve")] name: String) -> Result<(), String> {
    Err(format!("{name} was never here"))
}

/// Modifies state, unlike its declaration.
#[tool(operation = Explain)]
async fn greet_guest(#[inject] guests: State<Guests>, name: String) -> String {
    guests.0.add(&name);
    format!("Hello, {name}")
}

/// A code of three letters.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Code(#[schemars(regex(pattern = "^[A-Z]{3}$"))] String);

/// Has an input without a known example.
#[tool(operation = Transform)]
fn decode_guest(code: Code) -> String {
    code.0
}

/// Writes, and says so.
#[tool(operation = Write, destructive = false)]
fn add_guest(#[inject] guests: Writer<Guests>, name: String) {
    guests.add(&name);
}

fn registry(sneaky: bool) -> Registry {
    let builder = builder_of(module_path!()).state(Guests(Box::new(Shut)));
    let kept = move |name: &str| {
        !["ask_two", "greet_by_name"].contains(&name)
            && (sneaky || name != "greet_guest" && name != "decode_guest")
    };
    builder.select(move |tool| kept(tool.name())).build().unwrap()
}

#[tokio::test]
async fn accepts_tools_that_only_read() {
    let trials = run_non_modifying(&registry(false)).await;
    trials.assert_harmless();
    assert_eq!(
        trials.to_string(),
        "`all_guests` with {}: succeeded\n`find_guest` with {\"name\":\"Eve\"}: failed: Eve was never here"
    );
    let first = trials.iter().next().unwrap();
    assert_eq!(first.result.as_ref().unwrap().value(), json!(["Ada"]));
}

#[tokio::test]
async fn reports_undeclared_modifications() {
    let trials = run_non_modifying(&registry(true)).await;
    let harmless = |trial: &Trial| (trial.tool.clone(), trial.is_harmless());
    assert_eq!(
        trials.iter().map(harmless).collect::<Vec<_>>(),
        [("all_guests", true), ("decode_guest", false), ("find_guest", true), ("greet_guest", false)]
            .map(|(tool, harmless)| (tool.to_owned(), harmless))
    );
    let message =
        *std::panic::catch_unwind(|| trials.assert_harmless()).unwrap_err().downcast::<String>().unwrap();
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines[0], "not all tools ran without harm:");
    assert!(lines[1].starts_with("`decode_guest` with {\"code\":\"text\"}: was not run, since this is only a guess: declare an `example` of its inputs (invalid input for `decode_guest`: 1 problem"), "{message}");
    assert_eq!(
        lines[2..],
        ["`greet_guest` with {\"name\":\"text\"}: panicked, or has an output that cannot be written"]
    );
}

#[tokio::test]
async fn reports_denied_tools_as_not_run() {
    let registry = builder_of("tools::access").state(crate::access::Press::default()).build().unwrap();
    let trials = run_non_modifying(&registry).await;
    let text = trials.to_string();
    let denied = "`either` with {}: was not run: `either` needs one of the permissions `a`, `b`, of which the caller has none";
    assert!(text.contains(denied), "{text}");
    assert!(!trials.iter().find(|trial| trial.tool == "either").unwrap().is_harmless());
}

/// Greets a person by name.
#[tool(operation = Read)]
async fn greet_by_name(#[inject] context: Context) -> Result<String, Failure> {
    Ok(context.elicit::<Name>("Who is there?").key("name").await?.required()?.name)
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

fn greeter() -> Registry {
    builder_of(module_path!()).select(|tool| tool.name() == "greet_by_name").build().unwrap()
}

#[tokio::test]
async fn an_answer_that_stays_invalid_ends_the_call() {
    let answered = AtomicUsize::new(0);
    let answers = Answers::from_fn(move |_| {
        // A call that does not end never yields to a time limit.
        assert!(answered.fetch_add(1, Ordering::Relaxed) < 100, "the call does not end");
        Answer::Elicited(Elicited::Accepted(json!({"name": 8}).as_object().unwrap().clone()))
    });
    let failure = answers.call(&greeter(), "greet_by_name", json!({})).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Failed(Reason::Other));
    assert!(failure.message().starts_with("the question `name` has no valid answer: /name: "), "{failure}");
    assert_eq!(answers.questions().len(), 3);
}

/// Asks two questions at once.
#[tool(operation = Read)]
async fn ask_two(#[inject] context: Context) -> Result<String, Failure> {
    let second = context.elicit::<Name>("Who else?").key("b");
    let first = context.elicit::<Name>("Who is there?").key("a");
    let (second, first) = tokio::join!(second, first);
    Ok(format!("{} and {}", first?.required()?.name, second?.required()?.name))
}

#[tokio::test]
async fn questions_at_once_are_answered_in_the_order_of_asking() {
    let registry = builder_of(module_path!()).select(|tool| tool.name() == "ask_two").build().unwrap();
    let answers = Answers::new().accept(json!({"name": "Ada"})).accept(json!({"name": "Bob"}));
    let output = answers.call(&registry, "ask_two", json!({})).await.unwrap();
    assert_eq!(output.value(), "Bob and Ada");
    let keys: Vec<String> = answers.questions().into_iter().map(|question| question.key).collect();
    assert_eq!(keys, ["b", "a"]);
}

#[tokio::test]
async fn answers_of_a_call_are_not_those_of_the_next_one() {
    let registry = greeter();
    let answers = Answers::new().accept(json!({"name": "Ada"})).accept(json!({"name": "Bob"}));
    for name in ["Ada", "Bob"] {
        let output = answers.call(&registry, "greet_by_name", json!({})).await.unwrap();
        assert_eq!(output.value(), name);
    }
}

#[tokio::test]
async fn answers_are_a_client_after_they_have_called() {
    let registry = greeter();
    let answers = Answers::new().accept(json!({"name": "Ada"})).accept(json!({"name": "Bob"}));
    answers.call(&registry, "greet_by_name", json!({})).await.unwrap();
    let options = CallOptions::new().client(Arc::new(answers));
    let output = registry.call_with("greet_by_name", b"{}", &options).await.result.unwrap();
    assert_eq!(output.value(), "Bob");
}

#[tokio::test]
#[should_panic(expected = "no tool was called")]
async fn examples_succeed_only_if_there_are_some() {
    testing::run_examples(&greeter(), |_| false).await.assert_succeeded();
}
