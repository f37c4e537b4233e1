//! Extensions of calls, and the tools that read them.

use serde_json::json;
use tool_core::{CallOptions, Context, Extension, Extensions, FailureKind, Principal, tool};

use crate::leniency::Events;
use crate::{builder_of, tools_of};

#[derive(Clone)]
struct User(&'static str);

/// Greets the user who is signed in.
#[tool(operation = Read)]
fn greet(#[inject] user: Extension<User>) -> String {
    format!("Hello {}", user.0.0)
}

/// Greets anybody.
#[tool(operation = Read)]
fn greet_anybody(#[inject] user: Option<Extension<User>>) -> String {
    user.map_or_else(|| "Hello".to_owned(), greet)
}

/// Signs with the name of the user who is signed in.
#[tool(operation = Write, destructive = false)]
async fn sign(#[inject] context: Context) -> String {
    let user = context.extension::<User>().map_or("nobody", |user| user.0);
    format!("{user}, by {}", context.principal().id().unwrap_or("nobody"))
}

#[tokio::test]
async fn passes_extensions_to_tools() {
    let registry = tools_of(module_path!());
    let ada =
        registry.with_options(&CallOptions::new().extensions(Extensions::new().with(User("Ada")).with(5_u8)));
    for (tool, output) in [("greet", "Hello Ada"), ("greet_anybody", "Hello Ada"), ("sign", "Ada, by local")]
    {
        assert_eq!(ada.call(tool, json!({})).await.unwrap().value(), output);
    }
    // Principal and extensions are set independently, in any order.
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".parse().unwrap();
    let eve = ada.as_principal(Principal::new("eve")).with_options(&CallOptions::new().trace(Some(trace)));
    assert_eq!(eve.call("sign", json!({})).await.unwrap().value(), "Ada, by eve");
    let bob = eve.with_options(&CallOptions::new().extensions(Extensions::new().with(User("Bob"))));
    assert_eq!(bob.call("sign", json!({})).await.unwrap().value(), "Bob, by eve");
}

#[tokio::test]
async fn rejects_calls_without_required_extensions() {
    let registry = tools_of(module_path!());
    for registry in [
        registry.clone(),
        registry.with_options(&CallOptions::new().extensions(Extensions::new().with(5_u8))),
    ] {
        let failure = registry.call("greet", json!({})).await.unwrap_err();
        assert_eq!((failure.kind(), failure.message()), (FailureKind::Internal, "internal error"));
        assert_eq!(registry.call("greet_anybody", json!({})).await.unwrap().value(), "Hello");
        assert_eq!(registry.call("sign", json!({})).await.unwrap().value(), "nobody, by local");
        // Validation checks only the arguments.
        assert!(registry.validate("greet", b"{}").is_ok());
    }
    assert!(builder_of(module_path!()).build().unwrap().check().is_ok());
}

#[tokio::test]
async fn denies_anonymous_calls_without_required_extensions() {
    let events = Events::default();
    let _logging = tracing::subscriber::set_default(events.clone());
    let registry = tools_of(module_path!()).as_principal(Principal::anonymous());
    let failure = registry.call("greet", json!({})).await.unwrap_err();
    assert_eq!(
        (failure.kind(), failure.message()),
        (FailureKind::Denied, "`greet` needs a caller that is signed in")
    );
    let logged = events.0.lock().unwrap().drain(..).collect::<String>();
    assert!(logged.contains("tools::extensions::User") && logged.contains("`Principal::with`"), "{logged}");
    assert_eq!(registry.call("greet_anybody", json!({})).await.unwrap().value(), "Hello");
    // The caller does not matter where the value is there.
    let options = CallOptions::new().extensions(Extensions::new().with(User("Ada")));
    let reply = registry.call_with("greet", b"{}", &options).await;
    assert_eq!(reply.result.unwrap().value(), "Hello Ada");
}

#[test]
fn hides_values_in_debug_output() {
    let extensions = Extensions::new().with("swordfish");
    assert_eq!(format!("{extensions:?}"), "Extensions { .. }");
}

#[tokio::test]
async fn passes_extensions_of_the_caller_to_tools() {
    let caller = Principal::new("ada").with(User("Ada")).with(7_u8);
    let registry = tools_of(module_path!()).as_principal(caller.clone());
    assert_eq!(registry.call("greet", json!({})).await.unwrap().value(), "Hello Ada");
    assert_eq!(registry.call("greet_anybody", json!({})).await.unwrap().value(), "Hello Ada");
    assert_eq!(registry.call("sign", json!({})).await.unwrap().value(), "Ada, by ada");
    // Those of the call take precedence.
    let options = CallOptions::new().extensions(Extensions::new().with(User("Bob")));
    for tool in ["greet", "greet_anybody"] {
        let reply = registry.call_with(tool, b"{}", &options).await;
        assert_eq!(reply.result.unwrap().value(), "Hello Bob");
    }
    let reply = registry.call_with("sign", b"{}", &options).await;
    assert_eq!(reply.result.unwrap().value(), "Bob, by ada");
    // A caller is who it is, whatever is known of it.
    assert_eq!(caller, Principal::new("ada"));
    assert_ne!(caller, Principal::new("ada").with(User("Ada")).grant("edit"));
    assert_eq!(caller.with(8_u8).extension::<u8>(), Some(&8));
}

#[test]
fn hides_extensions_of_the_caller_in_debug_output() {
    let caller = Principal::new("ada").with("swordfish");
    assert_eq!(format!("{caller:?}"), r#"Principal("ada")"#);
}

#[cfg(feature = "http")]
#[tokio::test]
async fn passes_http_extensions_to_tools() {
    let mut request = http::Extensions::new();
    request.insert(User("Ada"));
    request.insert(1_u8);
    let extensions = Extensions::from(request).with(2_u8);
    // Explicit extensions take precedence over those of the request.
    assert_eq!(extensions.get::<u8>(), Some(&2));
    let registry = tools_of(module_path!()).with_options(&CallOptions::new().extensions(extensions));
    assert_eq!(registry.call("greet", json!({})).await.unwrap().value(), "Hello Ada");
}
