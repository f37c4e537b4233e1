//! Providers whose tools depend on the caller.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use serde_json::{Value, json};
use tool_core::provider::{Cached, DiscoveryError, IntoToolsProvider as _, Keyed, Provider, Providers};
use tool_core::{DynamicTool, Operation, Output, Principal, Registry, Tool, ToolDefinition};

/// The names of the tools that a caller gets.
async fn names_for(provider: &Provider, caller: &Principal) -> Vec<String> {
    let tools = provider.tools(caller).await.unwrap();
    tools.registry().tools().map(|tool| tool.name().to_owned()).collect()
}

/// What the tool `a` says to a caller.
async fn says_to(provider: &Provider, caller: &Principal) -> Value {
    let tools = provider.tools(caller).await.unwrap();
    tools.registry().call("a", json!({})).await.unwrap().value()
}

/// Returns a tool that says this.
fn says(name: &str, text: &str) -> Arc<dyn Tool> {
    let definition =
        ToolDefinition::builder(name, "Says a word.").operation(Operation::Read).build().unwrap();
    let text = text.to_owned();
    Arc::new(DynamicTool::new(definition, move |_, _: Value| {
        let text = text.clone();
        async { Ok(Output::text(text)) }
    }))
}

fn says_id(caller: &Principal) -> Vec<Arc<dyn Tool>> {
    vec![says("a", caller.id().unwrap_or("nobody"))]
}

#[tokio::test]
async fn functions_get_the_caller() {
    let sync = (|caller: Principal| says_id(&caller)).into_provider();
    let asynchronous = (|caller: Principal| async move { says_id(&caller) }).into_provider();
    let own = Registry::builder().allow_empty().build().unwrap();
    let beside_own = own.providing(|caller: Principal| says_id(&caller));
    let joined = Providers::new().with("sync", sync.clone()).into_provider();
    for provider in [sync, asynchronous, beside_own, joined] {
        for caller in [Principal::new("ada"), Principal::anonymous()] {
            assert_eq!(says_to(&provider, &caller).await, caller.id().unwrap_or("nobody"));
        }
    }
}

#[tokio::test]
async fn a_cache_of_all_callers_hides_the_caller() {
    let cached = Cached::new(Duration::from_secs(60), |caller: Principal| says_id(&caller)).into_provider();
    assert_eq!(says_to(&cached, &Principal::new("ada")).await, "nobody");
}

#[tokio::test]
async fn has_a_provider_for_each_key_within_its_capacity() {
    static MADE: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let key = |caller: &Principal| caller.id().map(str::to_owned);
    let make = |key: &Option<String>| {
        let name = key.clone().unwrap_or_default();
        MADE.lock().unwrap().push(name.clone());
        vec![says(&format!("of_{name}"), "x")]
    };
    let keyed = Arc::new(Keyed::new(key, make).capacity(NonZeroUsize::new(2).unwrap()));
    let provider = Arc::clone(&keyed).into_provider();
    let made = || std::mem::take(&mut *MADE.lock().unwrap());
    let [ada, grace, edsger] = ["ada", "grace", "edsger"].map(Principal::new);

    assert_eq!(names_for(&provider, &ada).await, ["of_ada"]);
    assert_eq!(names_for(&provider, &grace).await, ["of_grace"]);
    // The permissions of a caller are not its key.
    assert_eq!(names_for(&provider, &ada.clone().grant("x")).await, ["of_ada"]);
    assert_eq!(made(), ["ada", "grace"]);
    // The one that was not used for the longest time is dropped.
    assert_eq!(names_for(&provider, &edsger).await, ["of_edsger"]);
    assert_eq!(names_for(&provider, &ada).await, ["of_ada"]);
    assert_eq!(made(), ["edsger"]);
    assert_eq!(names_for(&provider, &grace).await, ["of_grace"]);
    assert_eq!(made(), ["grace"]);
    // After a change, it is made anew.
    keyed.remove(&Some("grace".to_owned()));
    assert_eq!(names_for(&provider, &grace).await, ["of_grace"]);
    assert_eq!(made(), ["grace"]);
    assert_eq!(format!("{keyed:?}"), "Keyed { capacity: 2, .. }");
}

#[tokio::test]
async fn a_key_that_panics_is_an_error_of_its_caller() {
    let key = |caller: &Principal| caller.id().expect("a caller").len();
    let provider = Keyed::new(key, |_: &usize| vec![says("a", "x")]).into_provider();
    assert_eq!(provider.tools(&Principal::anonymous()).await.unwrap_err(), DiscoveryError::Panicked);
    assert_eq!(names_for(&provider, &Principal::new("ada")).await, ["a"]);
}

#[tokio::test]
async fn keeps_no_provider_that_was_made_before_a_removal() {
    static KEYED: OnceLock<Arc<Keyed<u8>>> = OnceLock::new();
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let keyed = Keyed::new(
        |_: &Principal| 1,
        |key: &u8| {
            // The tools change while they are read.
            if MADE.fetch_add(1, Ordering::SeqCst) == 0 {
                KEYED.get().unwrap().remove(key);
            }
            vec![says("a", "x")]
        },
    );
    let provider = Arc::clone(KEYED.get_or_init(|| Arc::new(keyed))).into_provider();
    for made in [1, 2, 2] {
        assert_eq!(names_for(&provider, &Principal::anonymous()).await, ["a"]);
        assert_eq!(MADE.load(Ordering::SeqCst), made);
    }
}
