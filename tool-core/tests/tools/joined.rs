//! Registries in a joint provider keep their caller, audit and extensions.

use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tool_core::audit::AuditEvent;
use tool_core::provider::{IntoToolsProvider, Providers};
use tool_core::{CallOptions, Extension, Extensions, Principal, Registry, State, tool};

#[derive(Clone)]
struct User(&'static str);

/// Says who is signed in.
#[tool(operation = Read)]
fn joined_user(#[inject] user: Extension<User>) -> String {
    user.0.0.to_owned()
}

/// Says whether anybody is signed in.
#[tool(operation = Read)]
fn joined_anybody(#[inject] context: tool_core::Context) -> String {
    context.extension::<User>().map_or("nobody", |user| user.0).to_owned()
}

/// Says whether anybody is signed in, elsewhere.
#[tool(operation = Read)]
fn joined_free(#[inject] context: tool_core::Context) -> String {
    context.extension::<User>().map_or("nobody", |user| user.0).to_owned()
}

/// Is for some.
#[tool(operation = Read, permission = "joined")]
fn joined_closed() -> &'static str {
    "open"
}

/// Signals between the test and the two tools below.
struct Doors {
    outer: (Semaphore, Semaphore),
    inner: (Semaphore, Semaphore),
}

impl Default for Signals {
    fn default() -> Self {
        let closed = || (Semaphore::new(0), Semaphore::new(0));
        Signals(Arc::new(Doors { outer: closed(), inner: closed() }))
    }
}

#[derive(Clone)]
struct Signals(Arc<Doors>);

async fn pass((begun, open): &(Semaphore, Semaphore)) {
    begun.add_permits(1);
    open.acquire().await.unwrap().forget();
}

/// Takes its time.
#[tool(operation = Write, destructive = false)]
async fn joined_inner(#[inject] signals: State<Signals>) {
    pass(&signals.0.inner).await;
}

/// Begins another call, and does not wait for its end.
#[tool(operation = Write, destructive = false)]
async fn joined_outer(#[inject] signals: State<Signals>, #[inject] registry: Registry) {
    pass(&signals.0.outer).await;
    let mut call = Box::pin(registry.call("joined_inner", json!({})));
    assert!(poll_once(call.as_mut()).is_pending());
}

fn poll_once<T>(future: Pin<&mut (impl Future<Output = T> + ?Sized)>) -> Poll<T> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

fn builder(name: &'static str) -> tool_core::RegistryBuilder {
    Registry::builder().linked().select(move |tool| tool.name() == name)
}

async fn output_of(registry: &Registry, name: &str) -> Value {
    registry.call(name, json!({})).await.unwrap().value()
}

#[tokio::test]
async fn keeps_settings_of_returned_registries() {
    let audited = Arc::new(Mutex::new(Vec::new()));
    let build = {
        let audited = Arc::clone(&audited);
        move || {
            let audited = Arc::clone(&audited);
            let sink = move |event: &AuditEvent<'_>| audited.lock().unwrap().push(event.name.to_owned());
            builder("joined_closed").local(Principal::local().grant("joined")).audit(sink).build()
        }
    };
    let own = builder("joined_anybody").build().unwrap();
    let later = {
        let build = build.clone();
        move || {
            let build = build.clone();
            async move { build() }
        }
    };
    for provider in [build.into_provider(), later.into_provider()] {
        let tools = provider.tools(&Principal::anonymous()).await.unwrap();
        assert!(tools.registry().call("joined_closed", json!({})).await.is_ok());
        assert!(tools.registry().call("joined_unknown", json!({})).await.is_err());
        assert_eq!(std::mem::take(&mut *audited.lock().unwrap()), ["joined_closed", "joined_unknown"]);
    }
    let named =
        Providers::new().with("one", own).into_provider().tools(&Principal::anonymous()).await.unwrap();
    let again = (move || named.clone()).into_provider().tools(&Principal::anonymous()).await.unwrap();
    assert_eq!(again.provider("joined_anybody"), Some("one"));
}

#[tokio::test]
async fn audits_unknown_names_with_the_first_sink() {
    let audited = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&audited);
    let sink = move |_: &AuditEvent<'_>| *counted.lock().unwrap() += 1;
    let (first, second) = (builder("joined_anybody").build().unwrap(), builder("joined_closed").audit(sink));
    let provider =
        Providers::new().with("first", first).with("second", second.build().unwrap()).into_provider();
    assert!(
        provider
            .tools(&Principal::anonymous())
            .await
            .unwrap()
            .registry()
            .call("joined_unknown", json!({}))
            .await
            .is_err()
    );
    assert_eq!(*audited.lock().unwrap(), 1);
}

#[tokio::test]
async fn keeps_extensions_of_each_part() {
    let with_user = |name: &'static str, user| {
        builder(name)
            .build()
            .unwrap()
            .with_options(&CallOptions::new().extensions(Extensions::new().with(User(user)).with(5_u8)))
    };
    let plain = builder("joined_anybody").build().unwrap();
    let (eve, ada) = (with_user("joined_closed", "eve"), with_user("joined_user", "ada"));
    let provider = Providers::new().with("a", eve).with("b", plain).with("c", ada).into_provider();
    let tools = provider.tools(&Principal::anonymous()).await.unwrap();
    let registry = tools.registry();
    assert_eq!(output_of(registry, "joined_user").await, "ada");
    assert_eq!(
        output_of(registry, "joined_anybody").await,
        "nobody",
        "another part does not see the extensions"
    );
    // Extensions of the caller take precedence.
    let bob = registry.with_options(&CallOptions::new().extensions(Extensions::new().with(User("bob"))));
    assert_eq!(
        (output_of(&bob, "joined_user").await, output_of(&bob, "joined_anybody").await),
        (json!("bob"), json!("bob"))
    );
    let other = registry.with_options(&CallOptions::new().extensions(Extensions::new().with(7_u16)));
    assert_eq!(output_of(&other, "joined_user").await, "ada");
    // The same holds for nested providers.
    let whole = Providers::new()
        .with("whole", provider)
        .into_provider()
        .tools(&Principal::anonymous())
        .await
        .unwrap();
    assert_eq!(output_of(whole.registry(), "joined_user").await, "ada");
    let whole =
        Providers::new().with("whole", other).into_provider().tools(&Principal::anonymous()).await.unwrap();
    assert_eq!(
        output_of(whole.registry(), "joined_user").await,
        "ada",
        "below the extensions of the whole provider"
    );
}

#[tokio::test]
async fn drains_nested_calls_into_other_parts() {
    let signals = Signals::default();
    let build = |name| builder(name).state(signals.clone()).build().unwrap();
    let parts = Providers::new().with("inner", build("joined_inner")).with("outer", build("joined_outer"));
    let registry = parts.into_provider().tools(&Principal::anonymous()).await.unwrap().registry().clone();
    let caller = registry.clone();
    let call = tokio::spawn(async move { caller.call("joined_outer", json!({})).await.map(drop) });
    let Doors { outer, inner } = &*signals.0;
    outer.0.acquire().await.unwrap().forget();
    let mut idle = pin!(registry.drain());
    assert!(poll_once(idle.as_mut()).is_pending());
    outer.1.add_permits(1);
    call.await.unwrap().unwrap();
    inner.0.acquire().await.unwrap().forget();
    assert!(poll_once(idle.as_mut()).is_pending(), "the inner call still runs");
    inner.1.add_permits(1);
    idle.await;
}

#[tokio::test]
async fn names_the_provider_that_answered() {
    let shared = builder("joined_anybody").build().unwrap();
    let fails = Arc::new(Mutex::new("none"));
    let part = |name: &'static str| {
        let (fails, shared) = (Arc::clone(&fails), shared.clone());
        move || {
            if *fails.lock().unwrap() == name {
                Err(std::io::Error::other("down"))
            } else {
                Ok(shared.clone())
            }
        }
    };
    let provider =
        Providers::new().with_optional("a", part("a")).with_optional("b", part("b")).into_provider();
    for (failing, origin) in [("a", "b"), ("b", "a"), ("a", "b")] {
        *fails.lock().unwrap() = failing;
        assert_eq!(
            provider.tools(&Principal::anonymous()).await.unwrap().provider("joined_anybody"),
            Some(origin),
            "without {failing}"
        );
    }
}

#[tokio::test]
async fn keeps_audit_and_extensions_when_joined_again() {
    let audited: Arc<Mutex<Vec<String>>> = Arc::default();
    let dynamic_tool = |name: &str| {
        let definition = tool_core::ToolDefinition::builder(name, "Says who is signed in.")
            .operation(tool_core::Operation::Read)
            .build()
            .unwrap();
        tool_core::DynamicTool::new(definition, |context: tool_core::Context, _: Value| async move {
            let user = context.extension::<User>().map_or("nobody", |user| user.0);
            Ok(tool_core::Output::json(user).unwrap())
        })
    };
    let part = |part_name: &'static str, declared: &'static str, dynamic: &'static str| {
        let audited = Arc::clone(&audited);
        let sink =
            move |event: &AuditEvent<'_>| audited.lock().unwrap().push(format!("{part_name} {}", event.name));
        let chosen = move |tool: &tool_core::ToolDefinition| [declared, dynamic].contains(&tool.name());
        Registry::builder().linked().select(chosen).tool(dynamic_tool(dynamic)).audit(sink).build().unwrap()
    };
    let user = |user| Extensions::new().with(User(user));
    for chosen in 0..16_u8 {
        let select = |bit: u8, name| (chosen >> bit & 1 == 1).then_some(name);
        let (first, second, outer, added) =
            (select(0, "ada"), select(1, "bob"), select(2, "eve"), select(3, "joe"));
        let with = |registry: Registry, name: Option<&'static str>| match name {
            Some(name) => registry.with_options(&CallOptions::new().extensions(user(name))),
            None => registry,
        };
        let one = with(part("one", "joined_anybody", "hand_one"), first);
        let two = with(part("two", "joined_free", "hand_two"), second);
        let twice = one.clone().with_options(&CallOptions::new().extensions(user("never")));
        let joined = Providers::new()
            .with("a", one)
            .with("b", two)
            .with("c", twice)
            .into_provider()
            .tools(&Principal::anonymous())
            .await
            .unwrap();
        let outer_registry = with(joined.registry().clone(), outer);
        let whole = Providers::new()
            .with("x", outer_registry)
            .into_provider()
            .tools(&Principal::anonymous())
            .await
            .unwrap();
        let whole = with(whole.registry().clone(), added);
        let more = whole.toolset([Ok(Arc::new(dynamic_tool("hand_more")) as Arc<dyn tool_core::Tool>)]);
        let more = more.registry();
        for (name, part_name, own) in [
            ("joined_anybody", "one", first),
            ("hand_one", "one", first),
            ("joined_free", "two", second),
            ("hand_two", "two", second),
            ("hand_more", "one", None),
        ] {
            let expected = if name == "hand_more" { added } else { added.or(outer).or(own) };
            assert_eq!(output_of(more, name).await, expected.unwrap_or("nobody"), "{name} with {chosen:04b}");
            assert_eq!(std::mem::take(&mut *audited.lock().unwrap()), [format!("{part_name} {name}")]);
        }
    }
}
