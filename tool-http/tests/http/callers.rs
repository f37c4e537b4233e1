//! Anonymous callers, denied calls and audit events.

use std::sync::{Arc, Mutex};

use axum::Router;
use tool_core::audit::AuditEvent;
use tool_core::{Context, Registry, RegistryBuilder, Unmet, tool};
use tool_http::{Options, router_with};

use crate::client::{get, post};

/// Says who calls.
#[tool(operation = Explain)]
fn who(#[inject] context: Context) -> String {
    context.principal().id().unwrap_or("nobody known").to_owned()
}

fn never() -> Result<(), Unmet> {
    Err(Unmet::new("set KEY"))
}

/// Remembers who called.
#[tool(operation = Read, permission = "memory.read")]
fn remember() {}

/// Is not set up.
#[tool(operation = Read, requires = [never])]
fn ask() {}

/// Forgets who called.
#[tool(operation = Write, destructive = true)]
fn forget() {}

fn executing(settings: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Router {
    let builder = Registry::builder().linked().select(|tool| tool.source().module == module_path!());
    router_with(settings(builder).build().unwrap(), Options::new().allow_execute(true))
}

#[tokio::test]
async fn treats_callers_as_anonymous() {
    let answer = post(&executing(|builder| builder), "/tools/who/call", "").await;
    assert!(
        answer.body.starts_with(r#"{"content":[{"type":"text","text":"nobody known"}]"#),
        "{}",
        answer.body
    );
}

#[tokio::test]
async fn rejects_modifying_tools_in_a_read_only_registry() {
    let router = executing(RegistryBuilder::read_only);
    let answer = post(&router, "/tools/forget/call", "{}").await;
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (403, r#"{"error":"`forget` was not run: it modifies data, and the registry is read-only"}"#)
    );
    assert_eq!(get(&router, "/tools/forget").await.status, 404);
    assert_eq!(post(&router, "/tools/nope/call", "{}").await.status, 404);
}

#[tokio::test]
async fn lists_uncallable_tools_with_the_reason() {
    // Grants of the local principal do not apply to HTTP callers.
    let local = tool_core::Principal::local().grant("memory.read");
    let router = executing(|builder| builder.local(local));
    for (tool, status, body) in [
        (
            "remember",
            403,
            r#"{"error":"`remember` needs the permission `memory.read`, which the caller does not have","kind":"access_denied","retryable":false}"#,
        ),
        (
            "ask",
            503,
            r#"{"error":"`ask` cannot run at the moment: set KEY","kind":"requirements","retryable":true}"#,
        ),
    ] {
        assert_eq!(get(&router, &format!("/tools/{tool}")).await.status, 200);
        // Access is checked before the arguments.
        let answer = post(&router, &format!("/tools/{tool}/call"), "{").await;
        assert_eq!((answer.status, answer.body.as_str()), (status, body));
        let answer = post(&router, &format!("/tools/{tool}/validate"), "{}").await;
        assert_eq!((answer.status, answer.body.as_str()), (200, r#"{"valid":true}"#));
    }
}

#[tokio::test]
async fn audits_each_call_once() {
    let record = Arc::new(Mutex::new(Vec::new()));
    let sink = {
        let record = Arc::clone(&record);
        move |event: &AuditEvent<'_>| {
            let outcome = event.outcome.map_or_else(|kind| kind.codes().error_type, |()| "success");
            record.lock().unwrap().push(format!("{} {outcome} {}", event.name, event.call_id));
        }
    };
    let router = executing(|builder| builder.audit(sink));
    for (tool, body, outcome) in [
        ("who", "", "success"),
        ("who", "{", "invalid_input"),
        ("who", r#"{"x":1}"#, "invalid_input"),
        ("remember", "", "access_denied"),
        ("ask", "", "requirements"),
        ("forget", "", "success"),
        ("nope", "", "tool_not_found"),
    ] {
        let answer = post(&router, &format!("/tools/{tool}/call"), body).await;
        let recorded = std::mem::take(&mut *record.lock().unwrap());
        assert_eq!(recorded.len(), 1, "{tool}: {recorded:?}");
        assert!(recorded[0].starts_with(&format!("{tool} {outcome} ")), "{recorded:?}");
        if let Some((_, id)) = answer.body.split_once(r#""callId":""#) {
            assert!(recorded[0].ends_with(&id[..16]), "{recorded:?} {id}");
        }
    }
    // A validation is not a call.
    post(&router, "/tools/who/validate", "").await;
    assert!(record.lock().unwrap().is_empty());
}

#[tokio::test]
async fn hides_denied_tools() {
    let router = executing(RegistryBuilder::hide_denied);
    assert_eq!(get(&router, "/tools/remember").await.status, 404);
    let answer = post(&router, "/tools/remember/call", "{}").await;
    assert_eq!((answer.status, answer.body.as_str()), (404, r#"{"error":"Tool not found: remember"}"#));
    // Nor is its name suggested, as that of `forget` is.
    for path in ["/tools/rememer", "/tools/rememer/inputs", "/tools/rememer/result"] {
        assert_eq!(get(&router, path).await.body, r#"{"error":"Tool not found: rememer"}"#, "{path}");
    }
    let forget = r#"{"error":"Tool not found: foget; did you mean `forget`?"}"#;
    assert_eq!(get(&router, "/tools/foget").await.body, forget);
    for route in ["call", "validate"] {
        let answer = post(&router, &format!("/tools/foget/{route}"), "{}").await;
        assert_eq!((answer.status, answer.body.as_str()), (404, forget), "{route}");
    }
}
