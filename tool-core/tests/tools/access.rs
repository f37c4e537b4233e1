//! Access checks: their order, and the tools that lists show.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use tool_core::{
    Access, BuildError, CallOptions, Context, Failure, FailureKind, Principal, Registry, RegistryBuilder,
    ToolDefinition, Unmet, adapter, tool,
};

use crate::builder_of;

/// State that one tool requires.
#[derive(Default)]
pub(crate) struct Press {
    has_ink: AtomicBool,
    has_paper: AtomicBool,
}

fn has_ink(press: &Press) -> Result<(), Unmet> {
    if press.has_ink.load(Ordering::SeqCst) { Ok(()) } else { Err(Unmet::new("fill in ink")) }
}

fn has_paper(press: &Press) -> Result<(), Unmet> {
    if press.has_paper.load(Ordering::SeqCst) { Ok(()) } else { Err(Unmet::new("put in paper")) }
}

fn explode() -> Result<(), Unmet> {
    panic!("in a requirement")
}

fn few(principal: &Principal, pages: &u8) -> Access {
    if *pages < 100 || principal.id() == Some("eve") {
        Access::Allow
    } else {
        Access::deny("no more than 99")
    }
}

/// Prints pages.
#[tool(
    operation = Trigger,
    destructive = false,
    permission = all("press.see", "press.use"),
    requires = [has_ink, has_paper],
    access = few(pages),
    alias = "old_print"
)]
fn print(pages: u8) -> Result<u8, String> {
    if pages == 113 { Err("no page 113".to_owned()) } else { Ok(pages) }
}

/// Needs either permission.
#[tool(operation = Read, permission = any("a", "b"))]
fn either() {}

/// Has a requirement that panics.
#[tool(operation = Read, requires = [explode])]
fn broken() {}

/// Says who calls.
#[tool(operation = Explain)]
fn who(#[inject] context: Context) -> Option<String> {
    context.principal().id().map(str::to_owned)
}

fn builder() -> RegistryBuilder {
    builder_of(module_path!()).state(Press::default())
}

/// Returns a principal that may print.
fn printer() -> Principal {
    Principal::new("ada").grant("press.see").grant("press.use")
}

fn names<'t>(tools: impl Iterator<Item = &'t ToolDefinition>) -> Vec<&'t str> {
    tools.map(ToolDefinition::name).collect()
}

/// Starts with a call that fails every check, and fixes one after the other.
#[tokio::test]
async fn checks_calls_in_a_fixed_order() {
    let press = Arc::new(Press::default());
    let builder = || builder_of(module_path!()).shared_state(Arc::clone(&press));
    let refused = async |registry: &Registry, arguments: &str| -> Failure {
        registry.call_with("print", arguments.as_bytes(), &CallOptions::new()).await.result.unwrap_err()
    };

    let hiding = builder().read_only().hide_denied().build().unwrap();
    let failure = refused(&hiding, "{").await;
    assert_eq!((failure.kind(), failure.message()), (FailureKind::NotFound, "Tool not found: print"));

    let read_only = builder().read_only().build().unwrap();
    let failure = refused(&read_only, "{").await;
    assert_eq!(
        (failure.kind(), failure.message()),
        (FailureKind::Disabled, "`print` was not run: it modifies data, and the registry is read-only")
    );

    let registry = builder().build().unwrap();
    let failure = refused(&registry, "{").await;
    assert_eq!(
        (failure.kind(), failure.message()),
        (
            FailureKind::Denied,
            "`print` needs the permissions `press.see`, `press.use`, which the caller does not have"
        )
    );

    let registry = registry.as_principal(printer());
    let failure = refused(&registry, "{").await;
    assert_eq!(
        (failure.kind(), failure.message()),
        (FailureKind::Unmet, "`print` cannot run at the moment: fill in ink; put in paper")
    );
    assert!(failure.retryable());

    press.has_ink.store(true, Ordering::SeqCst);
    press.has_paper.store(true, Ordering::SeqCst);
    assert_eq!(refused(&registry, "{").await.kind(), FailureKind::NotJson);
    assert_eq!(refused(&registry, "{}").await.kind(), FailureKind::Input);
    let failure = refused(&registry, r#"{"pages":113}"#).await;
    assert_eq!((failure.kind(), failure.message()), (FailureKind::Denied, "no more than 99"));

    let registry = registry.as_principal(Principal::new("eve").grant("press.see").grant("press.use"));
    let failure = refused(&registry, r#"{"pages":113}"#).await;
    assert_eq!((failure.message(), failure.kind().codes().exit), ("no page 113", 1));
    assert_eq!(registry.call("print", json!({"pages": 2})).await.unwrap().value(), 2);
}

#[tokio::test]
async fn names_missing_permissions() {
    let registry = builder().build().unwrap();
    let denied = async |tool: &str, principal: Principal| {
        registry.as_principal(principal).call(tool, json!({})).await.unwrap_err().message().to_owned()
    };
    assert_eq!(
        denied("print", Principal::new("ada").grant("press.see")).await,
        "`print` needs the permission `press.use`, which the caller does not have"
    );
    assert_eq!(
        denied("either", Principal::anonymous()).await,
        "`either` needs one of the permissions `a`, `b`, of which the caller has none"
    );
    let either = registry.as_principal(Principal::anonymous().grant("b"));
    assert!(either.call("either", json!({})).await.is_ok());
}

#[tokio::test]
async fn runs_as_the_principal() {
    let registry = builder().build().unwrap();
    assert_eq!(registry.call("who", json!({})).await.unwrap().value(), "local");
    let ada = registry.as_principal(Principal::new("ada"));
    assert_eq!(ada.call("who", json!({})).await.unwrap().value(), "ada");
    let anonymous = ada.as_principal(Principal::anonymous());
    assert_eq!(anonymous.call("who", json!({})).await.unwrap().value(), json!(null));
    let local = builder().local(printer()).build().unwrap();
    assert_eq!(local.check_access("print").unwrap_err().kind(), FailureKind::Unmet);
}

#[test]
fn lists_denied_tools_only_for_people() {
    let registry = builder().build().unwrap();
    assert_eq!(names(registry.tools()), ["broken", "either", "print", "who"]);
    assert_eq!(names(registry.callable()), ["who"]);
    assert!(registry.get("print").is_some());

    let allowed = registry.as_principal(printer().grant("a"));
    assert_eq!(names(allowed.callable()), ["either", "who"]);
    let unmet = allowed.requirements("print").unwrap();
    assert_eq!(
        serde_json::to_value(&unmet).unwrap(),
        json!({"met": false, "message": "fill in ink; put in paper"})
    );
    assert!(allowed.requirements("who").is_none());
}

mod writing {
    use tool_core::tool;

    /// Modifies without restrictions.
    #[tool(operation = Write, destructive = false)]
    pub(super) fn scribble() {}
}

/// `is_unrestricted` is computed once, and must agree with the checks of each tool.
#[test]
fn checks_the_restrictions_of_each_tool() {
    let of = |names: &'static [&'static str]| builder().select(move |tool| names.contains(&tool.name()));
    let writing = || builder_of("tools::access::writing");
    for (builder, callable) in [
        (of(&["either", "who"]), &["who"][..]),
        (of(&["broken", "who"]), &["who"]),
        (writing().read_only(), &[]),
        (of(&["who"]), &["who"]),
        (writing(), &["scribble"]),
    ] {
        let registry = builder.build().unwrap();
        assert_eq!(names(registry.callable()), callable);
        assert_eq!(
            adapter::is_unrestricted(&registry),
            adapter::definitions(&registry).len() == callable.len()
        );
        let at = (0..=adapter::definitions(&registry).len())
            .filter_map(|position| adapter::callable_at(&registry, position));
        assert_eq!(names(at), callable);
    }
}

#[test]
fn treats_panicking_requirements_as_unmet() {
    let registry = builder().build().unwrap();
    let failure = registry.check_access("broken").unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Unmet);
    assert_eq!(failure.message(), "`broken` cannot run at the moment: a requirement could not be checked");
}

#[tokio::test]
async fn supports_requirements_as_indicator() {
    let registry = builder().requirements_as_indicator().local(printer()).build().unwrap();
    assert_eq!(names(registry.callable()), ["broken", "print", "who"]);
    assert!(!registry.requirements("print").unwrap().met);
    assert_eq!(registry.call("print", json!({"pages": 1})).await.unwrap().value(), 1);
}

#[test]
fn requires_state_of_requirements() {
    let errors = builder_of(module_path!()).build().unwrap_err();
    let missing = |error: &BuildError| match error {
        BuildError::MissingState { tool, state, .. } => format!("{tool}: {state}"),
        other => panic!("{other}"),
    };
    assert_eq!(errors.iter().map(missing).collect::<Vec<_>>(), ["print: tools::access::Press"]);
}

#[test]
fn reports_met_requirements() {
    let press = Press { has_ink: true.into(), has_paper: true.into() };
    let registry = builder().state(press).build().unwrap();
    assert_eq!(serde_json::to_value(registry.requirements("print")).unwrap(), json!({"met": true}));
}

#[tokio::test]
async fn hides_denied_tools() {
    let registry = builder().hide_denied().build().unwrap();
    assert_eq!(names(registry.tools()), ["broken", "who"]);
    for name in ["either", "print", "old_print"] {
        assert!(registry.get(name).is_none(), "{name}");
        assert!(registry.requirements(name).is_none(), "{name}");
        let expected = format!("Tool not found: {name}");
        assert_eq!(registry.call(name, json!({})).await.unwrap_err().message(), expected);
        assert_eq!(registry.validate(name, b"{}").unwrap_err().message(), expected);
    }
    assert!(adapter::nearest(&registry, "eithr").is_none());
    let ada = registry.as_principal(printer().grant("a"));
    assert_eq!(names(ada.tools()), ["broken", "either", "print", "who"]);
    assert!(registry.check().is_ok(), "hidden tools are checked, too");
}

/// An unknown tool has a similar name in its error, of a tool that the caller could call.
#[tokio::test]
async fn suggests_only_tools_of_the_caller() {
    let message = async |registry: &Registry, name: &str| {
        let failure = registry.call(name, json!({})).await.unwrap_err();
        assert_eq!(failure.kind(), FailureKind::NotFound);
        assert_eq!(registry.validate(name, b"{}").unwrap_err(), failure);
        assert_eq!(registry.check_access(name).unwrap_err(), failure);
        failure.message().to_owned()
    };
    let registry = builder().state(Press::default()).build().unwrap();
    assert_eq!(message(&registry, "brokn").await, "Tool not found: brokn; did you mean `broken`?");
    assert_eq!(message(&registry, "nothing_like_it").await, "Tool not found: nothing_like_it");
    // A permission is missing.
    assert_eq!(message(&registry, "eithr").await, "Tool not found: eithr");
    let ada = registry.as_principal(Principal::new("ada").grant("a"));
    assert_eq!(message(&ada, "eithr").await, "Tool not found: eithr; did you mean `either`?");
    // The tool is hidden, so that it does not exist for the caller, nor its name.
    let hiding = builder().state(Press::default()).hide_denied().build().unwrap();
    assert_eq!(message(&hiding, "prnt").await, "Tool not found: prnt");
    assert_eq!(message(&hiding, "print").await, "Tool not found: print");
    let read_only = builder().state(Press::default()).read_only().local(printer()).build().unwrap();
    assert_eq!(message(&read_only, "prnt").await, "Tool not found: prnt");
}

#[tokio::test]
async fn hides_modifying_tools_when_read_only() {
    let registry = builder().read_only().local(printer()).build().unwrap();
    assert_eq!(names(registry.tools()), ["broken", "either", "who"]);
    assert_eq!(names(registry.callable()), ["who"]);
    assert!(registry.get("print").is_none());
    assert!(adapter::nearest(&registry, "prin").is_none());
    for name in ["print", "old_print"] {
        let failure = registry.call(name, json!({"pages": 1})).await.unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Disabled, "{name}");
    }
}

#[test]
fn validates_arguments_without_access_checks() {
    let registry = builder().read_only().local(Principal::anonymous()).build().unwrap();
    registry.validate("print", br#"{"pages":1}"#).unwrap();
    assert_eq!(registry.validate("print", b"{}").unwrap_err().kind(), FailureKind::Input);
}

#[tokio::test]
async fn calls_aliases_but_does_not_list_them() {
    let press = Press { has_ink: true.into(), has_paper: true.into() };
    let registry = builder().state(press).local(printer()).build().unwrap();
    assert_eq!(registry.call("old_print", json!({"pages": 3})).await.unwrap().value(), 3);
    assert_eq!(registry.get("old_print").unwrap().name(), "print");
    assert!(!names(registry.tools()).contains(&"old_print"));
    assert!(!names(registry.callable()).contains(&"old_print"));
}

mod collisions {
    use tool_core::tool;

    /// Has a name that others have as their alias.
    #[tool(operation = Explain)]
    fn taken() {}

    /// Has an alias.
    #[tool(operation = Read, alias = "taken")]
    fn first() {}

    /// Has the same alias.
    #[tool(operation = Read, alias = "taken")]
    fn second() {}
}

#[test]
fn rejects_duplicate_aliases() {
    let errors = builder_of("tools::access::collisions").build().unwrap_err();
    let alias = |error: &BuildError| matches!(error, BuildError::Alias { alias, .. } if alias == "taken");
    assert_eq!(errors.iter().filter(|error| alias(error)).count(), 2, "{errors}");
    let text = errors.to_string();
    assert!(text.starts_with("two tools can be called as `taken`\n  first:  "), "{text}");
    assert!(text.contains(", module tools::access::collisions, by its alias\nhelp: "), "{text}");
}
