//! Providers, which list their tools on every request and report skipped ones.

use std::io;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::{Barrier, Semaphore};
use tool_core::definition::DefinitionError;
use tool_core::provider::{
    DiscoveryError, IntoToolsProvider, Provider, Providers, Skipped, ToolsProvider, Toolset,
};
use tool_core::{
    BoxFuture, DynamicTool, FailureKind, Operation, Output, Principal, Registry, Tool, ToolDefinition, tool,
};

/// Says which registry it is in.
#[tool(operation = Read)]
fn own(#[inject] name: tool_core::State<&'static str>) -> String {
    (*name).to_owned()
}

fn own_builder(name: &'static str) -> tool_core::RegistryBuilder {
    Registry::builder().linked().select(|tool| tool.name() == "own").state(name)
}

fn try_tool(name: &str, text: &'static str) -> Result<Arc<dyn Tool>, DefinitionError> {
    let definition = ToolDefinition::builder(name, "Says a word.").operation(Operation::Read).build()?;
    Ok(Arc::new(DynamicTool::new(definition, move |_, _: Value| async move { Ok(Output::text(text)) })))
}

fn says(name: &str, text: &'static str) -> Arc<dyn Tool> {
    try_tool(name, text).unwrap()
}

fn names(tools: &Toolset) -> Vec<String> {
    tools.registry().tools().map(|tool| tool.name().to_owned()).collect()
}

async fn output_of(tools: &Toolset, name: &str) -> Value {
    tools.registry().call(name, json!({})).await.unwrap().value()
}

/// Converts any type of provider.
fn provider<Marker>(provider: impl IntoToolsProvider<Marker>) -> Provider {
    provider.into_provider()
}

fn function() -> Vec<Arc<dyn Tool>> {
    vec![says("a", "function")]
}

async fn async_function() -> Result<Vec<Arc<dyn Tool>>, io::Error> {
    Ok(vec![says("a", "async function")])
}

struct Own;

impl ToolsProvider for Own {
    fn tools<'a>(&'a self, _: &'a Principal) -> BoxFuture<'a, Result<Toolset, DiscoveryError>> {
        Box::pin(async { Ok(own_builder("own provider").build().unwrap().into()) })
    }
}

#[tokio::test]
async fn converts_many_types_to_providers() {
    let registry = || own_builder("registry").build().unwrap();
    let shared: Arc<str> = "captured".into();
    for (provider, name, text) in [
        (provider(registry()), "own", "registry"),
        (provider(Toolset::from(registry())), "own", "registry"),
        (provider(Own), "own", "own provider"),
        (provider(provider(Own)), "own", "own provider"),
        (provider(function()), "a", "function"),
        (provider(vec![try_tool("a", "list of results"), try_tool("b c", "")]), "a", "list of results"),
        (provider(function), "a", "function"),
        (provider(async_function), "a", "async function"),
        (provider(registry), "own", "registry"),
        (provider(move || async move { own_builder("async closure").build() }), "own", "async closure"),
        (
            provider(|| Ok::<_, String>(Toolset::from(own_builder("toolset").build().unwrap()))),
            "own",
            "toolset",
        ),
        (
            provider(move || {
                let _captured = Arc::clone(&shared);
                anyhow::Ok(vec![says("a", "closure")])
            }),
            "a",
            "closure",
        ),
    ] {
        let tools = provider.tools(&Principal::anonymous()).await.unwrap();
        assert_eq!((names(&tools), output_of(&tools, name).await), (vec![name.to_owned()], json!(text)));
    }
}

#[tokio::test]
async fn calls_functions_on_every_request() {
    let count = Arc::new(AtomicUsize::new(0));
    let provider = provider({
        let count = Arc::clone(&count);
        move || {
            let n = count.fetch_add(1, Ordering::SeqCst);
            (0..n).map(|n| says(&format!("tool_{n}"), "")).collect::<Vec<_>>()
        }
    });
    let mut before = None;
    for n in 0..3 {
        let tools = provider.tools(&Principal::anonymous()).await.unwrap();
        assert_eq!(names(&tools).len(), n);
        // An earlier list does not change.
        if let Some((earlier, number)) = before.replace((tools, n)) {
            assert_eq!(names(&earlier).len(), number);
        }
    }
}

#[tokio::test]
async fn calls_removed_tools_of_an_earlier_list() {
    let open = Arc::new(AtomicBool::new(true));
    let provider = provider({
        let open = Arc::clone(&open);
        move || if open.load(Ordering::SeqCst) { vec![says("fleeting", "still here")] } else { Vec::new() }
    });
    let tools = provider.tools(&Principal::anonymous()).await.unwrap();
    open.store(false, Ordering::SeqCst);
    assert_eq!(names(&provider.tools(&Principal::anonymous()).await.unwrap()), Vec::<String>::new());
    assert_eq!(output_of(&tools, "fleeting").await, "still here");
}

#[tokio::test]
async fn skips_invalid_tools() {
    struct NoDefinition;
    impl Tool for NoDefinition {
        fn definition(&self) -> &ToolDefinition {
            panic!("no definition yet")
        }
        fn call<'a>(
            &'a self,
            _: tool_core::Context,
            _: &'a serde_json::value::RawValue,
        ) -> BoxFuture<'a, Result<Output, tool_core::Failure>> {
            Box::pin(async { Ok(Output::empty()) })
        }
    }
    let mut deep = json!({"type": "object"});
    for _ in 0..40 {
        deep = json!({"allOf": [deep]});
    }
    deep["type"] = "object".into();
    let bad_schema = |schema: &Value| -> Result<Arc<dyn Tool>, DefinitionError> {
        let definition =
            ToolDefinition::builder("bad_schema", "Bad.").input_schema(schema.clone()).build()?;
        Ok(Arc::new(DynamicTool::new(definition, |_, _: Value| async { Ok(Output::empty()) })))
    };
    let provider = provider(move || {
        vec![
            try_tool("good", "first"),
            try_tool("not good", ""),
            bad_schema(&deep),
            bad_schema(&json!({"type": "object", "properties": {"a": {"type": "text"}}})),
            bad_schema(&json!({"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/"}}})),
            Ok(Arc::new(NoDefinition) as Arc<dyn Tool>),
            try_tool("good", "second"),
            try_tool("better", "last"),
        ]
    });
    let tools = provider.tools(&Principal::anonymous()).await.unwrap();
    assert_eq!(names(&tools), ["better", "good"]);
    assert_eq!(output_of(&tools, "good").await, "first");
    let reasons: Vec<String> = tools.skipped().iter().map(ToString::to_string).collect();
    for (reason, begin) in reasons.iter().zip([
        "tool `not good`: its name is not made of",
        "tool `bad_schema`: its input schema was refused: at /allOf/0/",
        "tool `bad_schema`: its input schema was refused: at /properties/a/type: it is not a valid JSON Schema",
        "tool `bad_schema`: its input schema was refused: at /properties/a/$ref: `$ref` leads to another document",
        "a dynamic tool that panicked in `Tool::definition`",
        "a second tool of the name `good`, from ",
    ]) {
        assert!(reason.starts_with(begin), "{reason}");
    }
    assert_eq!(reasons.len(), 6);
}

#[tokio::test]
async fn returns_provider_failures_as_errors() {
    struct Panics {
        late: bool,
    }
    impl ToolsProvider for Panics {
        fn tools<'a>(&'a self, _: &'a Principal) -> BoxFuture<'a, Result<Toolset, DiscoveryError>> {
            assert!(self.late, "at once");
            Box::pin(async {
                tokio::task::yield_now().await;
                panic!("later")
            })
        }
    }
    /// A future that has its answer, and panics when it is dropped.
    struct Bomb;
    impl Future for Bomb {
        type Output = Result<Toolset, DiscoveryError>;
        fn poll(self: Pin<&mut Self>, _: &mut std::task::Context<'_>) -> Poll<Self::Output> {
            Poll::Ready(Ok(own_builder("bomb").build().unwrap().into()))
        }
    }
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("at the end");
        }
    }
    struct PanicsAtTheEnd;
    impl ToolsProvider for PanicsAtTheEnd {
        fn tools<'a>(&'a self, _: &'a Principal) -> BoxFuture<'a, Result<Toolset, DiscoveryError>> {
            Box::pin(Bomb)
        }
    }
    for (provider, message) in [
        (provider(|| Err::<Registry, _>("no route to host")), "no route to host"),
        (provider(|| async { Err::<Toolset, _>(io::Error::other("timed out")) }), "timed out"),
        (provider(|| Err::<Registry, _>(anyhow::anyhow!("cause").context("outer"))), "outer"),
        (provider(|| -> Vec<Arc<dyn Tool>> { panic!("a secret") }), "the provider panicked"),
        (provider(Panics { late: false }), "the provider panicked"),
        (provider(Panics { late: true }), "the provider panicked"),
        (provider(PanicsAtTheEnd), "the provider panicked"),
    ] {
        for _ in 0..2 {
            assert_eq!(provider.tools(&Principal::anonymous()).await.unwrap_err().to_string(), message);
        }
    }
}

#[tokio::test]
async fn drains_calls_of_earlier_lists() {
    let begun = Arc::new(Semaphore::new(0));
    let open = Arc::new(Semaphore::new(0));
    let writes = {
        let (begun, open) = (Arc::clone(&begun), Arc::clone(&open));
        move || -> Arc<dyn Tool> {
            let definition =
                ToolDefinition::builder("writes", "Writes.").operation(Operation::Write).build().unwrap();
            let (begun, open) = (Arc::clone(&begun), Arc::clone(&open));
            Arc::new(DynamicTool::new(definition, move |_, _: Value| {
                let (begun, open) = (Arc::clone(&begun), Arc::clone(&open));
                async move {
                    begun.add_permits(1);
                    open.acquire().await.unwrap().forget();
                    Ok(Output::empty())
                }
            }))
        }
    };
    let queries = AtomicUsize::new(0);
    let found = move || match queries.fetch_add(1, Ordering::SeqCst) {
        0 => vec![writes(), says("a", "found")],
        _ => Vec::new(),
    };
    let empty = Registry::builder().allow_empty().build().unwrap();
    let base = own_builder("here").local(Principal::new("ada")).build().unwrap();
    let provider = Providers::new().with("base", base).with("found", empty.providing(found)).into_provider();
    let earlier = provider.tools(&Principal::anonymous()).await.unwrap();
    assert_eq!(
        (names(&earlier), output_of(&earlier, "own").await),
        (["a", "own", "writes"].map(str::to_owned).to_vec(), json!("here"))
    );
    assert_eq!(earlier.registry().principal().id(), Some("ada"));
    // A later list drains a call of an earlier list, even if its tool is gone.
    let call = tokio::spawn(async move { earlier.registry().call("writes", json!({})).await.map(|_| ()) });
    begun.acquire().await.unwrap().forget();
    let later = provider.tools(&Principal::anonymous()).await.unwrap();
    assert_eq!(names(&later), ["own"]);
    let mut idle = pin!(later.registry().drain());
    assert!(poll_once(idle.as_mut()).is_pending());
    open.add_permits(1);
    idle.await;
    assert!(call.await.unwrap().is_ok());
}

#[tokio::test]
async fn applies_registry_settings_to_provided_tools() {
    let writes = || {
        let definition = ToolDefinition::builder("writes", "Writes.").operation(Operation::Write).build()?;
        let tool = DynamicTool::new(definition, |_, _: Value| async { Ok(Output::empty()) });
        Ok::<_, DefinitionError>(vec![Arc::new(tool) as Arc<dyn Tool>])
    };
    let nothing = || Registry::builder().allow_empty();
    let tools = own_builder("here")
        .build()
        .unwrap()
        .providing(|| vec![says("own", "shadowed")])
        .tools(&Principal::anonymous())
        .await
        .unwrap();
    assert_eq!(output_of(&tools, "own").await, "here");
    assert!(matches!(tools.skipped(), [Skipped::Duplicate { name, .. }] if name == "own"));
    for (provider, allowed) in [
        (nothing().build().unwrap().providing(writes), true),
        (nothing().read_only().build().unwrap().providing(writes), false),
    ] {
        let tools = provider.tools(&Principal::anonymous()).await.unwrap();
        match tools.registry().call("writes", json!({})).await {
            Ok(_) => assert!(allowed),
            Err(failure) => assert!(!allowed && failure.kind() == FailureKind::Disabled),
        }
    }
}

/// Polls once, so that a pending future starts to wait.
fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut std::task::Context::from_waker(Waker::noop()))
}

#[tokio::test]
async fn merges_providers_in_order() {
    let first = own_builder("first").read_only().build().unwrap();
    let providers = Providers::new()
        .with("first", first)
        .with("second", own_builder("second").build().unwrap())
        .with("third", || vec![says("a", "third"), says("own", "third")])
        .with("fourth", vec![says("a", "fourth"), says("z", "fourth")]);
    let tools = providers.into_provider().tools(&Principal::anonymous()).await.unwrap();
    assert_eq!(names(&tools), ["a", "own", "z"]);
    assert_eq!(output_of(&tools, "own").await, "first");
    assert_eq!(output_of(&tools, "a").await, "third");
    assert_eq!(output_of(&tools, "z").await, "fourth");
    let duplicates: Vec<&str> = tools
        .skipped()
        .iter()
        .map(|skipped| match skipped {
            Skipped::Duplicate { name, .. } => name.as_str(),
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(duplicates, ["own", "own", "a"]);
}

#[tokio::test]
async fn skips_tools_with_duplicate_addresses() {
    let at_address = |name: &str, path: &str| -> Arc<dyn Tool> {
        let definition = ToolDefinition::builder(name, "Lives.").operation(Operation::Read).path(path);
        Arc::new(DynamicTool::new(definition.build().unwrap(), |_, _: Value| async { Ok(Output::empty()) }))
    };
    let list = vec![
        at_address("z", "home"),
        at_address("a", "home"),
        at_address("b", "else"),
        at_address("c", "home"),
        at_address("d", "else"),
    ];
    let tools = provider(list).tools(&Principal::anonymous()).await.unwrap();
    assert_eq!(names(&tools), ["b", "z"]);
    let reasons: Vec<String> = tools.skipped().iter().map(ToString::to_string).collect();
    for (reason, (skipped, kept)) in reasons.iter().zip([("a", "z"), ("c", "z"), ("d", "b")]) {
        assert!(
            reason.contains(&format!("of `{skipped}`")) && reason.contains(&format!("of `{kept}`")),
            "{reason}"
        );
    }
    assert_eq!(reasons.len(), 3);
}

#[tokio::test]
async fn reuses_the_list_of_constant_providers() {
    let fixed = Providers::new().with("a", own_builder("a").build().unwrap()).with("b", vec![says("b", "")]);
    let changing =
        Providers::new().with("a", own_builder("a").build().unwrap()).with("b", || vec![says("b", "")]);
    for (provider, same) in [(fixed, true), (changing, false)] {
        let (first, second) = (
            provider.tools(&Principal::anonymous()).await.unwrap(),
            provider.tools(&Principal::anonymous()).await.unwrap(),
        );
        let own = |tools: &Toolset| std::ptr::from_ref(tools.registry().get("own").unwrap());
        assert_eq!(own(&first) == own(&second), same);
    }
}

#[tokio::test]
async fn queries_providers_concurrently() {
    // Each answers only after both were queried.
    let barrier = Arc::new(Barrier::new(2));
    let waits = |name: &'static str| {
        let barrier = Arc::clone(&barrier);
        move || {
            let barrier = Arc::clone(&barrier);
            async move {
                barrier.wait().await;
                vec![says(name, "")]
            }
        }
    };
    let providers = Providers::new().with("a", waits("a")).with("b", waits("b"));
    let caller = Principal::anonymous();
    let answer = tokio::time::timeout(Duration::from_secs(20), providers.tools(&caller)).await;
    assert_eq!(names(&answer.expect("both are queried").unwrap()), ["a", "b"]);
}

#[tokio::test]
async fn fails_unless_the_failing_provider_is_optional() {
    let down = || async { Err::<Registry, _>("no route to host") };
    let panics = || -> Vec<Arc<dyn Tool>> { panic!("not ready") };
    let own = own_builder("own").build().unwrap();
    let strict = Providers::new().with_optional("panics", panics).with("own", own.clone()).with("down", down);
    assert_eq!(
        strict.tools(&Principal::anonymous()).await.unwrap_err().to_string(),
        "provider `down`: no route to host"
    );
    let optional =
        Providers::new().with_optional("panics", panics).with("own", own).with_optional("down", down);
    let tools = optional.tools(&Principal::anonymous()).await.unwrap();
    assert_eq!(names(&tools), ["own"]);
    let reasons: Vec<String> = tools.skipped().iter().map(ToString::to_string).collect();
    assert_eq!(reasons, ["provider `panics`: the provider panicked", "provider `down`: no route to host"]);
}

#[tokio::test]
async fn logs_skipped_tools_once() {
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    let bad = Arc::new(Mutex::new(vec!["a b"]));
    let provider = provider({
        let bad = Arc::clone(&bad);
        move || bad.lock().unwrap().iter().map(|name| try_tool(name, "")).collect::<Vec<_>>()
    });
    for _ in 0..3 {
        provider.tools(&Principal::anonymous()).await.unwrap();
    }
    assert_eq!(log.count("tool `a b`"), 1);
    bad.lock().unwrap().push("c d");
    provider.tools(&Principal::anonymous()).await.unwrap();
    assert_eq!((log.count("tool `a b`"), log.count("tool `c d`")), (1, 1));
}

/// Records everything that is logged on this thread, as text.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn count(&self, part: &str) -> usize {
        self.0.lock().unwrap().iter().filter(|line| line.contains(part)).count()
    }
}

impl tracing::Subscriber for Log {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        struct Text(String);
        impl tracing::field::Visit for Text {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                self.0.push_str(&format!("{}={value:?} ", field.name()));
            }
        }
        let mut text = Text(String::new());
        event.record(&mut text);
        self.0.lock().unwrap().push(text.0);
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

#[tokio::test]
async fn serves_lists_of_any_length() {
    for count in [0, 1, 10_000] {
        let begin = Instant::now();
        let list: Vec<Arc<dyn Tool>> = (0..count).map(|n| says(&format!("tool_{n:05}"), "here")).collect();
        let provider = provider(move || list.clone());
        let tools = provider.tools(&Principal::anonymous()).await.unwrap();
        assert_eq!(names(&tools).len(), count);
        if count > 0 {
            let last = format!("tool_{:05}", count - 1);
            assert_eq!(output_of(&tools, &last).await, "here");
            assert_eq!(names(&tools).last(), Some(&last));
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "{count}: {:?}", begin.elapsed());
    }
}

#[tokio::test]
async fn keeps_names_of_nested_providers() {
    let fails = || Err::<Registry, _>(std::io::Error::other("no route to host"));
    let inner = Providers::new()
        .with("disk", vec![says("read", "from the disk")])
        .with_optional("gone", fails)
        .with("web", vec![says("search", "in the web"), says("read", "from the web")]);
    let providers = Providers::new()
        .with("first", vec![says("ping", "pong")])
        .with("several", inner)
        .with("last", vec![says("search", "never")]);
    let tools = providers.into_provider().tools(&Principal::anonymous()).await.unwrap();
    assert_eq!(tools.providers().collect::<Vec<_>>(), ["first", "disk", "gone", "web", "last"]);
    let of = |tool: &str| tools.provider(tool).map(str::to_owned);
    assert_eq!(
        ["ping", "read", "search"].map(of),
        ["first", "disk", "web"].map(|name| Some(name.to_owned()))
    );

    // A registry in front of them keeps the names.
    let base = Registry::builder().allow_empty().build().unwrap();
    let found = tools.clone();
    let again = base.providing(move || found.clone()).tools(&Principal::anonymous()).await.unwrap();
    assert_eq!((again.provider("search"), again.providers().len()), (Some("web"), 5));
}

#[tokio::test]
async fn serves_the_first_of_tools_with_one_name() {
    let definitions = [
        ToolDefinition::builder("twin", "The first.").build().unwrap(),
        ToolDefinition::builder("twin", "The second.").build().unwrap(),
        ToolDefinition::builder("twin", "The third.").build().unwrap(),
    ];
    let place = |definition: &ToolDefinition| format!("{}, written by hand", definition.source());
    let [first, second, third] = definitions.each_ref().map(place);
    let tool = |definition| -> Arc<dyn Tool> {
        Arc::new(DynamicTool::new(definition, |_, _: Value| async { Ok(Output::empty()) }))
    };
    let tools = provider(definitions.map(tool).to_vec()).tools(&Principal::anonymous()).await.unwrap();
    let reasons: Vec<String> = tools.skipped().iter().map(ToString::to_string).collect();
    let twin =
        |of: &str| format!("a second tool of the name `twin`, from {of}: the one from {first} is served");
    assert_eq!(reasons, [twin(&second), twin(&third)]);
    assert_eq!(tools.registry().get("twin").unwrap().description(), "The first.");
}

/// Has another name, too.
#[tool(operation = Read, alias = "older")]
fn newer() {}

#[tokio::test]
async fn names_the_first_provider_of_a_tool() {
    let shared = Registry::builder().tools(tool_core::tools![newer]).build().unwrap();
    let both = Providers::new().with("first", shared.clone()).with("second", shared);
    let tools = provider(both).tools(&Principal::anonymous()).await.unwrap();
    assert_eq!((tools.provider("newer"), tools.provider_at(0)), (Some("first"), Some("first")));
    assert!(tools.registry().get("older").is_some());
    assert_eq!(tools.provider("older"), None, "not by its alias");
}
