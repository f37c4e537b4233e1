//! Elicitation: a call asks its client inline, or restarts with the answers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use tool_core::audit::AuditEvent;
use tool_core::elicitation::{
    Answer, AskKind, AskOutcome, ClientRequests, Elicited, Form, Question, Root, Sample,
};
use tool_core::failure::Reason;
use tool_core::testing::Answers;
use tool_core::{
    CallOptions, Context, Failure, FailureKind, Registry, Resource, State, WritePass, Writer, tool,
};

use crate::builder_of;

/// Counts starts, writes and drops of the tools.
#[derive(Default)]
struct Book {
    begun: AtomicUsize,
    writes: AtomicUsize,
    dropped: AtomicUsize,
    /// Lets a tool wait for more than an answer.
    never: Notify,
}

impl Resource for Book {
    type Reader = Self;
    type Writer = AtomicUsize;

    fn reader(&self) -> &Self {
        self
    }

    fn writer(&self, _: WritePass<'_>) -> &AtomicUsize {
        &self.writes
    }
}

/// Counts how often it is dropped.
struct DropCounter(State<Book>);

impl Drop for DropCounter {
    fn drop(&mut self) {
        self.0.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Colour {
    colour: Hue,
    #[schemars(range(min = 1, max = 9))]
    shade: Option<u8>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Hue {
    Red,
    Blue,
}

/// Asks one thing after the other.
#[tool(operation = Read)]
async fn in_turn(#[inject] context: Context, #[inject] book: State<Book>) -> Result<String, Failure> {
    book.begun.fetch_add(1, Ordering::Relaxed);
    let Name { name } = context.elicit("What is your name?").key("user_name").await?.required()?;
    let Colour { colour, shade } = context.elicit("Which colour?").await?.required()?;
    Ok(format!("{name} {colour:?} {shade:?}"))
}

/// Asks three things at once.
#[tool(operation = Read)]
async fn at_once(#[inject] context: Context, #[inject] book: State<Book>) -> Result<String, Failure> {
    book.begun.fetch_add(1, Ordering::Relaxed);
    let (name, sample, roots) = tokio::join!(
        context.elicit::<Name>("What is your name?"),
        context.sample(Sample::new(50).user("Generate a greeting")),
        context.roots(),
    );
    let roots: Vec<String> = roots?.into_iter().map(|root| root.uri).collect();
    Ok(format!("{} {} {}", name?.required()?.name, sample?.as_text(), roots.join(",")))
}

/// Asks the same thing again and again.
#[tool(operation = Read)]
async fn again(#[inject] context: Context, times: u32) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for _ in 0..times {
        match context.elicit::<Name>("Who else?").await? {
            Elicited::Accepted(Name { name }) => names.push(name),
            Elicited::Declined => names.push("nobody".to_owned()),
            Elicited::Cancelled => break,
        }
    }
    Ok(names)
}

/// Asks and writes, in this order or the other.
#[tool(operation = Write, destructive = false)]
async fn note(
    #[inject] context: Context,
    #[inject] book: Writer<Book>,
    #[inject] state: State<Book>,
    first: bool,
    swallow: bool,
) -> Result<String, Failure> {
    let _counter = DropCounter(state);
    if first {
        book.fetch_add(1, Ordering::Relaxed);
    }
    let name = match context.elicit::<Name>("What is your name?").await {
        Err(_) if swallow => return Ok("never mind".to_owned()),
        answer => answer?.required()?.name,
    };
    if !first {
        book.fetch_add(1, Ordering::Relaxed);
    }
    Ok(name)
}

/// Lets another tool write, and asks then.
#[tool(operation = Trigger, destructive = false)]
async fn delegate(
    #[inject] context: Context,
    #[inject] registry: Registry,
    tool: String,
    arguments: Map<String, Value>,
) -> Result<String, Failure> {
    registry.call(&tool, arguments.into()).await?;
    Ok(context.elicit::<Name>("What is your name?").await?.required()?.name)
}

/// Writes.
#[tool(operation = Write, destructive = false)]
fn scribble(#[inject] book: Writer<Book>) {
    book.fetch_add(1, Ordering::Relaxed);
}

/// Reads.
#[tool(operation = Read)]
fn leaf(#[inject] book: State<Book>) -> usize {
    book.writes.load(Ordering::Relaxed)
}

/// Does not wait for ever.
#[tool(operation = Read)]
async fn impatient(#[inject] context: Context) -> String {
    tokio::select! {
        biased;
        answer = context.elicit::<Name>("What is your name?") => {
            answer.map_or_else(|failure| failure.to_string(), |answer| answer.accepted().unwrap().name)
        }
        () = std::future::ready(()) => "somebody".to_owned(),
    }
}

/// Asks from a spawned task.
#[tool(operation = Read)]
async fn in_a_task(#[inject] context: Context, #[inject] book: State<Book>) -> Result<String, Failure> {
    let cloned = context.clone();
    let task = tokio::spawn(async move { cloned.elicit::<Name>("What is your name?").await });
    let answer = tokio::select! {
        answer = task => answer.unwrap(),
        () = book.never.notified() => unreachable!(),
    };
    Ok(answer?.required()?.name)
}

/// Asks on a thread that it blocks.
#[tool(operation = Write, destructive = false, blocking)]
fn on_a_thread(#[inject] context: Context, #[inject] book: Writer<Book>) -> Result<String, Failure> {
    let runtime = tokio::runtime::Handle::current();
    let name = runtime.block_on(context.elicit::<Name>("What is your name?"))?.required()?.name;
    book.fetch_add(1, Ordering::Relaxed);
    Ok(name)
}

/// Asks where the call cannot wait.
#[tool(operation = Read)]
fn where_it_cannot(#[inject] context: Context) -> Result<String, Failure> {
    tool_core::private::block_on(async {
        Ok(context.elicit::<Name>("What is your name?").await?.required()?.name)
    })
}

#[derive(Deserialize, JsonSchema)]
struct Nested {
    #[expect(dead_code, reason = "no form has it")]
    inner: Name,
}

/// Asks what no form can carry.
#[tool(operation = Read)]
async fn too_much(#[inject] context: Context) -> Result<(), Failure> {
    context.elicit::<Nested>("What?").await?;
    Ok(())
}

/// Takes its time, but not that of the user.
#[tool(operation = Read, timeout = "10s")]
async fn in_time(
    #[inject] context: Context,
    #[inject] book: State<Book>,
    slow: bool,
) -> Result<String, Failure> {
    tokio::time::sleep(Duration::from_secs(6)).await;
    let name = context.elicit::<Name>("What is your name?").await?.required()?.name;
    tokio::time::sleep(Duration::from_secs(if slow { 6 } else { 3 })).await;
    let _ = book;
    Ok(name)
}

/// The same, in a spawned task.
#[tool(operation = Write, destructive = false, timeout = "10s")]
async fn in_time_spawned(#[inject] context: Context, slow: bool) -> Result<String, Failure> {
    tokio::time::sleep(Duration::from_secs(6)).await;
    let name = context.elicit::<Name>("What is your name?").await?.required()?.name;
    tokio::time::sleep(Duration::from_secs(if slow { 6 } else { 3 })).await;
    Ok(name)
}

/// Fails with a message of its own.
#[tool(operation = Read)]
async fn in_other_words(#[inject] context: Context) -> Result<(), anyhow::Error> {
    let answer = context.elicit::<Name>("What is your name?").await;
    answer.map_err(|failure| anyhow::anyhow!("cannot greet: {failure}"))?;
    Ok(())
}

type Log = Arc<Mutex<Vec<String>>>;

fn registry_with(book: &Arc<Book>) -> (Registry, Log) {
    let log = Log::default();
    let sink = {
        let log = Arc::clone(&log);
        move |event: &AuditEvent<'_>| {
            let end = event.outcome.map_or_else(|kind| kind.codes().error_type, |()| "success");
            let reported = event
                .reported
                .map(|kind| format!(", reported {}", kind.codes().error_type))
                .unwrap_or_default();
            log.lock().unwrap().push(format!("{} {end}{reported}", event.name));
        }
    };
    let registry = builder_of(module_path!()).shared_state(Arc::clone(book)).audit(sink).build().unwrap();
    (registry, log)
}

fn registry() -> (Registry, Arc<Book>) {
    let book = Arc::new(Book::default());
    (registry_with(&book).0, book)
}

fn name(name: &str) -> Value {
    json!({"name": name})
}

fn keys(answers: &Answers) -> Vec<String> {
    answers.questions().into_iter().map(|question| question.key).collect()
}

#[tokio::test]
async fn asks_inline_or_by_restarting() {
    let (registry, book) = registry();
    let answers = || Answers::new().accept(name("Ada")).accept(json!({"colour": "blue", "shade": 3}));
    let direct = registry
        .with_options(&CallOptions::new().client(Arc::new(answers())))
        .call("in_turn", json!({}))
        .await
        .unwrap();
    assert_eq!(direct.value(), "Ada Blue Some(3)");
    assert_eq!(book.begun.swap(0, Ordering::Relaxed), 1);

    let restarting = answers();
    let output = restarting.call(&registry, "in_turn", json!({})).await.unwrap();
    assert_eq!(output.value(), "Ada Blue Some(3)");
    assert_eq!(book.begun.load(Ordering::Relaxed), 3);
    let keys = keys(&restarting);
    assert_eq!(keys[0], "user_name");
    assert!(keys[1].starts_with("form-") && keys[1].len() == 13, "{keys:?}");
}

#[tokio::test]
async fn sends_concurrent_questions_in_one_round() {
    let (registry, book) = registry();
    let answers = Answers::new().accept(name("Ada")).sample("Hello").roots([Root::new("file:///a")]);
    let output = answers.call(&registry, "at_once", json!({})).await.unwrap();
    assert_eq!(output.value(), "Ada Hello file:///a");
    assert_eq!(book.begun.load(Ordering::Relaxed), 2);
    let kinds: Vec<_> = answers.questions().iter().map(|question| question.ask.kind()).collect();
    assert_eq!(kinds, [AskKind::Form, AskKind::Sample, AskKind::Roots]);
}

#[tokio::test]
async fn numbers_repeated_questions() {
    let (registry, _) = registry();
    let answers = Answers::new().accept(name("Ada")).decline().accept(name("Grace")).cancel();
    let output = answers.call(&registry, "again", json!({"times": 5})).await.unwrap();
    assert_eq!(output.value(), json!(["Ada", "nobody", "Grace"]));
    let keys = keys(&answers);
    assert_eq!(keys[1..], [format!("{}-2", keys[0]), format!("{}-3", keys[0]), format!("{}-4", keys[0])]);
}

#[tokio::test]
async fn repeats_questions_after_invalid_answers() {
    let (registry, _) = registry();
    for restarts in [true, false] {
        let answers = Answers::new()
            .accept(name("Ada"))
            .accept(json!({"colour": "green", "shade": 30, "hue": 1}))
            .answer(Answer::Roots(Vec::new()))
            .accept(json!({"colour": "red", "shade": null}));
        let output = if restarts {
            answers.call(&registry, "in_turn", json!({})).await
        } else {
            registry
                .with_options(&CallOptions::new().client(Arc::new(answers.clone())))
                .call("in_turn", json!({}))
                .await
        };
        assert_eq!(output.unwrap().value(), "Ada Red None", "{restarts}");
        if restarts {
            let questions = answers.questions();
            assert_eq!(questions.len(), 4);
            let problems: Vec<_> =
                questions[2].problems.iter().map(|problem| problem.path.as_str()).collect();
            assert_eq!(problems, ["/colour", "/shade", "/hue"]);
            assert!(
                questions[2].message().starts_with("Which colour?\n- /colour: "),
                "{}",
                questions[2].message()
            );
            assert_eq!(questions[3].problems[0].message, "expected an answer to a form or URL");
        }
    }
    let answers =
        Answers::new().accept(json!({})).accept(json!({})).accept(json!({"name": 5})).accept(name("Ada"));
    let failure = registry
        .with_options(&CallOptions::new().client(Arc::new(answers)))
        .call("in_turn", json!({}))
        .await
        .unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Failed(Reason::Other));
    let message = failure.message();
    assert!(message.starts_with("the question `user_name` has no valid answer: /name: "), "{message}");
}

#[tokio::test]
async fn rejects_questions_that_the_client_does_not_support() {
    let (registry, _) = registry();
    for tool in ["in_turn", "in_other_words"] {
        let failure = registry.call(tool, json!({})).await.unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Unsupported, "{tool}");
        let expected = format!(
            "`{tool}` has a question, which this caller does not support: call it over MCP or on the command line"
        );
        assert_eq!(failure.message(), expected);
        assert!(!failure.retryable());
    }
    let failure = Answers::new().call(&registry, "in_turn", json!({})).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Unsupported);
    assert_eq!(failure.message(), "there is no answer left for the question `user_name`");
}

#[tokio::test]
async fn rejects_questions_after_a_write() {
    let (registry, book) = registry();
    let arguments = |first, swallow| json!({"first": first, "swallow": swallow});
    let message = "`note` asks after using its `Writer`: the call starts again with the answer, and would \
                   write twice; ask first";
    // The same for every client, and if the tool ignores the failure.
    for swallow in [false, true] {
        let answers = Answers::new().accept(name("Ada"));
        let results = [
            registry.call("note", arguments(true, swallow)).await,
            registry
                .with_options(&CallOptions::new().client(Arc::new(answers.clone())))
                .call("note", arguments(true, swallow))
                .await,
            answers.call(&registry, "note", arguments(true, swallow)).await,
        ];
        for result in results {
            let failure = result.unwrap_err();
            assert_eq!((failure.kind(), failure.message()), (FailureKind::Internal, message));
        }
        assert_eq!(answers.questions().len(), 0);
    }
    book.writes.store(0, Ordering::Relaxed);
    let answers = Answers::new().accept(name("Ada"));
    assert_eq!(answers.call(&registry, "note", arguments(false, false)).await.unwrap().value(), "Ada");
    assert_eq!(book.writes.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn rejects_questions_after_a_nested_write() {
    let (registry, _) = registry();
    let call = async |tool: &str, arguments: Value| {
        let answers = Answers::new().accept(name("Ada"));
        answers.call(&registry, "delegate", json!({"tool": tool, "arguments": arguments})).await
    };
    assert_eq!(call("leaf", json!({})).await.unwrap().value(), "Ada");
    let failure = call("scribble", json!({})).await.unwrap_err();
    assert!(failure.message().starts_with("`delegate` asks after using its `Writer`"), "{failure}");
    let failure = call("in_turn", json!({})).await.unwrap_err();
    assert_eq!(
        failure.message(),
        "`in_turn` has a question, which it cannot ask when another tool calls it: call it directly"
    );
}

#[tokio::test]
async fn drops_and_records_suspended_calls_once() {
    let book = Arc::new(Book::default());
    let (registry, log) = registry_with(&book);
    let answers = Answers::new().accept(name("Ada"));
    answers.call(&registry, "note", json!({"first": false, "swallow": false})).await.unwrap();
    assert_eq!(*log.lock().unwrap(), ["note input_required", "note success"]);
    assert_eq!(book.dropped.load(Ordering::Relaxed), 2);
    registry.drain().await;
}

#[tokio::test]
async fn releases_the_permit_of_suspended_calls() {
    let book = Arc::new(Book::default());
    let builder = builder_of(module_path!()).shared_state(book).concurrency(1).queue(0);
    let registry = builder.build().unwrap();
    for tool in ["note", "on_a_thread", "in_turn"] {
        let arguments = if tool == "note" { json!({"first": false, "swallow": false}) } else { json!({}) };
        let answers = Answers::new().accept(name("Ada")).accept(json!({"colour": "red"}));
        loop {
            // A thread releases its permit when it ends, possibly after the reply.
            match answers.call(&registry, tool, arguments.clone()).await {
                Err(failure) if failure.kind() == FailureKind::Busy => registry.drain().await,
                result => break assert!(result.is_ok(), "{tool}: {result:?}"),
            }
        }
    }
}

#[tokio::test]
async fn continues_after_dropping_a_question() {
    let (registry, _) = registry();
    let answers = Answers::new().accept(name("Ada"));
    assert_eq!(answers.call(&registry, "impatient", json!({})).await.unwrap().value(), "somebody");
    assert_eq!(answers.questions().len(), 0);
}

#[tokio::test]
async fn asks_from_tasks_and_threads() {
    let (registry, book) = registry();
    for tool in ["in_a_task", "on_a_thread"] {
        let answers = Answers::new().accept(name("Ada"));
        assert_eq!(answers.call(&registry, tool, json!({})).await.unwrap().value(), "Ada", "{tool}");
        let answers =
            registry.with_options(&CallOptions::new().client(Arc::new(Answers::new().accept(name("Ada")))));
        assert_eq!(answers.call(tool, json!({})).await.unwrap().value(), "Ada", "{tool}");
    }
    assert_eq!(book.writes.load(Ordering::Relaxed), 2);
    let failure =
        Answers::new().accept(name("Ada")).call(&registry, "where_it_cannot", json!({})).await.unwrap_err();
    assert!(failure.message().starts_with("`where_it_cannot` asks where it cannot wait"), "{failure}");
}

#[tokio::test]
async fn reports_types_that_are_no_form() {
    let (registry, _) = registry();
    let failure = Answers::new().accept(json!({})).call(&registry, "too_much", json!({})).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Internal);
    assert_eq!(
        failure.message(),
        "`too_much` asks with an invalid form: the field `inner` is an object: a form has texts, numbers, yes or no, \
         and choices"
    );
}

/// Answers after a minute.
struct Slow;

impl ClientRequests for Slow {
    fn supports(&self, _: AskKind) -> bool {
        true
    }

    fn ask<'a>(&'a self, _: &'a Question) -> tool_core::BoxFuture<'a, Result<AskOutcome, Failure>> {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(60)).await;
            let fields = Map::from_iter([("name".to_owned(), "Ada".into())]);
            Ok(AskOutcome::Answer(Answer::Elicited(Elicited::Accepted(fields))))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn excludes_answer_time_from_the_timeout() {
    let (registry, _) = registry();
    let registry = registry.with_options(&CallOptions::new().client(Arc::new(Slow)));
    for tool in ["in_time", "in_time_spawned"] {
        let began = tokio::time::Instant::now();
        assert_eq!(registry.call(tool, json!({"slow": false})).await.unwrap().value(), "Ada", "{tool}");
        assert_eq!(began.elapsed().as_secs(), 69);
        let began = tokio::time::Instant::now();
        let failure = registry.call(tool, json!({"slow": true})).await.unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Timeout, "{tool}");
        assert_eq!(began.elapsed().as_secs(), 70, "{tool}");
    }
}

/// Signals each request, and never answers.
struct Silent(Arc<Notify>);

impl ClientRequests for Silent {
    fn supports(&self, _: AskKind) -> bool {
        true
    }

    fn ask<'a>(&'a self, _: &'a Question) -> tool_core::BoxFuture<'a, Result<AskOutcome, Failure>> {
        self.0.notify_one();
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn cancels_questions_when_the_caller_leaves() {
    let book = Arc::new(Book::default());
    let (registry, log) = registry_with(&book);
    let received = Arc::new(Notify::new());
    let client = registry.with_options(&CallOptions::new().client(Arc::new(Silent(Arc::clone(&received)))));
    tokio::select! {
        result = client.call("note", json!({"first": false, "swallow": false})) => panic!("{result:?}"),
        () = received.notified() => {}
    }
    registry.drain().await;
    assert_eq!(*log.lock().unwrap(), ["note cancelled, reported cancelled"]);
    assert_eq!(book.writes.load(Ordering::Relaxed), 0);
}

#[test]
fn converts_types_to_forms() {
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Everything {
        /// How you are called.
        #[serde(default = "john")]
        #[schemars(length(min = 1, max = 20), regex(pattern = "^[A-Z]"))]
        name: String,
        #[schemars(email)]
        email: Option<String>,
        #[serde(default)]
        score: f64,
        age: u8,
        sure: bool,
        /// The best.
        plain: Option<Hue>,
        titled: Titled,
        #[schemars(length(min = 1))]
        several: Vec<Hue>,
        all: Vec<Titled>,
        #[schemars(extend("writeOnly" = true))]
        password: String,
    }
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Titled {
        #[schemars(title = "First Option")]
        One,
        /// The second
        /// of two.
        ///
        /// There is no third one.
        Two,
    }
    fn john() -> String {
        "John Doe".to_owned()
    }

    let form = Form::of::<Everything>().unwrap();
    let titled =
        json!([{"const": "One", "title": "First Option"}, {"const": "Two", "title": "The second of two."}]);
    let expected = json!({
        "name": {"type": "string", "description": "How you are called.", "default": "John Doe", "minLength": 1, "maxLength": 20},
        "email": {"type": "string", "format": "email"},
        "score": {"type": "number", "default": 0.0},
        "age": {"type": "integer", "minimum": 0, "maximum": 255},
        "sure": {"type": "boolean"},
        "plain": {"type": "string", "description": "The best.", "enum": ["red", "blue"]},
        "titled": {"type": "string", "oneOf": titled},
        "several": {"type": "array", "minItems": 1, "items": {"type": "string", "enum": ["red", "blue"]}},
        "all": {"type": "array", "items": {"anyOf": titled}},
        "password": {"type": "string"},
    });
    assert_eq!(form.schema()["properties"], expected);
    assert_eq!(form.schema()["properties"].to_string(), expected.to_string());
    assert_eq!(form.schema()["required"], json!(["age", "sure", "titled", "several", "all", "password"]));
    assert_eq!(form.secrets(), ["password"]);

    // Unpublished constraints are checked, and secrets are not repeated.
    let answer = json!({"name": "ada", "age": 8.0, "sure": true, "titled": "One", "several": ["red"], "all": [], "password": 5});
    let problems = form.problems(answer.as_object().unwrap());
    let places: Vec<_> =
        problems.iter().map(|problem| (problem.path.as_str(), problem.keyword.as_str())).collect();
    assert_eq!(places, [("/name", "pattern"), ("/password", "type")]);
    assert!(!problems[1].message.contains('5'), "{}", problems[1]);
}

#[test]
fn rejects_schemas_that_are_no_form() {
    let property = |schema: Value| json!({"type": "object", "properties": {"it": schema}});
    for (schema, expected) in [
        (json!({"type": "string"}), "a form is an object with fields"),
        (json!(true), "a form is an object with fields"),
        (json!({"type": "object"}), "a form is an object with fields"),
        (json!({"type": "object", "properties": {}, "anyOf": []}), "a form has no alternatives"),
        (property(json!(true)), "the field `it` is anything"),
        (property(json!({"$ref": "#/$defs/it"})), "the field `it` is of no one type"),
        (property(json!({"type": ["string", "integer"]})), "the field `it` is of no one type"),
        (property(json!({"type": "object"})), "the field `it` is an object"),
        (
            property(json!({"type": "array", "items": {"type": "string"}})),
            "the field `it` is a list of anything but",
        ),
        (property(json!({"enum": [1, 2]})), "the field `it` is of no one type"),
        (property(json!({"type": "string", "pattern": "("})), "the schema of the form is invalid"),
    ] {
        let error = Form::new(&schema).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{schema}: {error}");
    }
}
