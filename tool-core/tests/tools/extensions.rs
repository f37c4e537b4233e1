//! What stands beside a call: who put it there, and which tool may see it.

use serde_json::json;
use tool_core::{CallOptions, Context, Extension, Extensions, FailureKind, Principal, tool};

use crate::{builder_of, tools_of};

#[derive(Clone)]
struct User(&'static str);

/// Greets whoever is signed in.
#[tool(operation = Read)]
fn greet(#[inject] user: Extension<User>) -> String {
    format!("Hello {}", user.0.0)
}

/// Greets anybody.
#[tool(operation = Read)]
fn greet_anybody(#[inject] user: Option<Extension<User>>) -> String {
    user.map_or_else(|| "Hello".to_owned(), greet)
}

/// Signs with the name of whoever is signed in.
#[tool(operation = Write, destructive = false)]
async fn sign(#[inject] context: Context) -> String {
    let user = context.extension::<User>().map_or("nobody", |user| user.0);
    format!("{user}, by {}", context.principal().id().unwrap_or("nobody"))
}

#[tokio::test]
async fn what_stands_beside_a_call_reaches_its_tool() {
    let registry = tools_of(module_path!());
    let ada =
        registry.with_options(&CallOptions::new().extensions(Extensions::new().with(User("Ada")).with(5_u8)));
    for (tool, output) in [("greet", "Hello Ada"), ("greet_anybody", "Hello Ada"), ("sign", "Ada, by local")]
    {
        assert_eq!(ada.call(tool, json!({})).await.unwrap().value(), output);
    }
    // The caller and what stands beside the call are chosen apart from each other, in any order.
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".parse().unwrap();
    let eve = ada.as_principal(Principal::new("eve")).with_options(&CallOptions::new().trace(Some(trace)));
    assert_eq!(eve.call("sign", json!({})).await.unwrap().value(), "Ada, by eve");
    let bob = eve.with_options(&CallOptions::new().extensions(Extensions::new().with(User("Bob"))));
    assert_eq!(bob.call("sign", json!({})).await.unwrap().value(), "Bob, by eve");
}

#[tokio::test]
async fn a_call_without_it_is_refused_or_sees_nothing() {
    let registry = tools_of(module_path!());
    for registry in [
        registry.clone(),
        registry.with_options(&CallOptions::new().extensions(Extensions::new().with(5_u8))),
    ] {
        let failure = registry.call("greet", json!({})).await.unwrap_err();
        assert_eq!((failure.kind(), failure.message()), (FailureKind::Internal, "internal error"));
        assert_eq!(registry.call("greet_anybody", json!({})).await.unwrap().value(), "Hello");
        assert_eq!(registry.call("sign", json!({})).await.unwrap().value(), "nobody, by local");
        // Only the arguments are judged.
        assert!(registry.validate("greet", b"{}").is_ok());
    }
    assert!(builder_of(module_path!()).build().unwrap().check().is_ok());
}

#[test]
fn they_are_not_shown() {
    let extensions = Extensions::new().with("swordfish");
    assert_eq!(format!("{extensions:?}"), "Extensions { .. }");
}

#[cfg(feature = "http")]
#[tokio::test]
async fn those_of_a_request_reach_its_tool() {
    let mut request = http::Extensions::new();
    request.insert(User("Ada"));
    request.insert(1_u8);
    let extensions = Extensions::from(request).with(2_u8);
    // What was put in by name stands before what came along.
    assert_eq!(extensions.get::<u8>(), Some(&2));
    let registry = tools_of(module_path!()).with_options(&CallOptions::new().extensions(extensions));
    assert_eq!(registry.call("greet", json!({})).await.unwrap().value(), "Hello Ada");
}
