//! Access functions (`access = …`), which decide by the caller and the inputs.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tool_core::{Access, Context, Failure, FailureKind, Principal, Registry, State, tool};

use crate::builder_of;

/// How often a tool ran.
#[derive(Clone, Default)]
struct Pages(Arc<AtomicUsize>);

impl Pages {
    fn ran(&self, owner: &str) -> usize {
        assert_eq!(owner, "ada", "only the owner may");
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }
}

fn may_edit(principal: &Principal, owner: &str, pages: &State<Pages>) -> Access {
    if pages.0.load(Ordering::SeqCst) > 9 {
        return Access::deny("too many edits");
    }
    if principal.id() == Some(owner) { Access::Allow } else { Access::deny(format!("{owner} owns it")) }
}

/// Edits a page that its owner may edit.
#[tool(operation = Write, destructive = false, access = may_edit(owner, pages))]
fn edit(_text: String, #[inject] pages: State<Pages>, owner: String) -> usize {
    pages.ran(&owner)
}

/// Edits a page and waits.
#[tool(operation = Write, destructive = false, access = may_edit(owner, r#pages))]
async fn edit_later(#[inject] pages: State<Pages>, owner: String) -> Result<usize, String> {
    ready(Ok(pages.ran(&owner))).await
}

/// Edits a page and blocks.
#[tool(operation = Write, destructive = false, blocking, access = may_edit(owner, pages))]
fn edit_slowly(#[inject] pages: State<Pages>, owner: String) -> usize {
    pages.ran(&owner)
}

async fn may_ask(principal: &Principal, times: &u32) -> Access {
    for _ in 0..*times {
        ready(()).await;
    }
    if principal.has("ask") { Access::Allow } else { Access::deny("ask first") }
}

/// Has an asynchronous access function.
#[tool(operation = Read, access = may_ask(times))]
fn decided_later(times: u32) -> u32 {
    times
}

/// Access functions of other modules.
mod rules {
    use super::{Access, Principal};

    pub(super) trait Rule {
        fn decide(principal: &Principal) -> Access;
    }

    pub(super) struct Identified;

    impl Rule for Identified {
        fn decide(principal: &Principal) -> Access {
            principal.id().map_or_else(|| Access::deny("say who you are"), |_| Access::Allow)
        }
    }

    pub(super) fn same<T: PartialEq>(_: &Principal, first: &T, second: &T) -> Access {
        if first == second { Access::Allow } else { Access::deny("they differ") }
    }
}

/// Has an access function given by a path.
#[tool(operation = Read, access = <rules::Identified as rules::Rule>::decide)]
fn identified() {}

/// Has a generic access function, and more inputs than one tuple holds.
#[tool(operation = Read, access = rules::same::<u8>(i9, i1))]
#[expect(clippy::too_many_arguments, reason = "their number is what is tested")]
fn same(i1: u8, i2: u8, i3: u8, i4: u8, i5: u8, i6: u8, i7: u8, i8: u8, i9: u8) -> u8 {
    i1 + i2 + i3 + i4 + i5 + i6 + i7 + i8 + i9
}

fn explode(_: &Principal) -> Access {
    panic!("in an access function")
}

/// Has an access function that panics.
#[tool(operation = Read, access = explode())]
fn exploding() {}

/// Says who calls.
#[tool(operation = Read, access = ask_context(context))]
fn caller(#[inject] context: Context) -> Option<String> {
    context.principal().id().map(str::to_owned)
}

fn ask_context(principal: &Principal, context: &Context) -> Access {
    if context.principal() == principal { Access::Allow } else { Access::deny("somebody else") }
}

/// Shelves with an owner each.
struct Shelf(String);

#[tool]
impl Shelf {
    fn may_empty(principal: &Principal, shelf: &Shelf, sure: &bool) -> Access {
        if principal.id() == Some(&shelf.0) && *sure { Access::Allow } else { Access::deny("not yours") }
    }

    /// Has an access function in the same `impl` block, which takes the state.
    #[tool(operation = Write, destructive = true, access = Self::may_empty(self, sure))]
    fn empty(&self, sure: bool) -> String {
        format!("{} {sure}", self.0)
    }
}

fn registry(pages: &Pages) -> Registry {
    builder_of(module_path!()).state(pages.clone()).state(Shelf("ada".to_owned())).build().unwrap()
}

async fn denied(registry: &Registry, name: &str, arguments: Value) -> String {
    let failure: Failure = registry.call(name, arguments).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Denied, "{}", failure.text());
    failure.message().to_owned()
}

#[tokio::test]
async fn decides_by_the_listed_inputs() {
    let pages = Pages::default();
    let registry = registry(&pages).as_principal(Principal::new("ada"));
    for name in ["edit", "edit_later", "edit_slowly"] {
        assert!(registry.get(name).unwrap().guarded(), "{name}");
        let arguments = |owner| match name {
            "edit" => json!({"_text": "new", "owner": owner}),
            _ => json!({"owner": owner}),
        };
        let before = pages.0.load(Ordering::SeqCst);
        assert_eq!(denied(&registry, name, arguments("bob")).await, "bob owns it", "{name}");
        assert_eq!(pages.0.load(Ordering::SeqCst), before, "{name} ran");
        let output = registry.call(name, arguments("ada")).await.unwrap();
        assert_eq!(output.value(), before + 1, "{name}");
    }
}

#[tokio::test]
async fn awaits_decisions() {
    let registry = registry(&Pages::default());
    assert_eq!(denied(&registry, "decided_later", json!({"times": 3})).await, "ask first");
    let registry = registry.as_principal(Principal::new("ada").grant("ask"));
    assert_eq!(registry.call("decided_later", json!({"times": 3})).await.unwrap().value(), 3);
}

#[tokio::test]
async fn accepts_any_function_path() {
    let registry = registry(&Pages::default());
    assert!(registry.call("identified", json!({})).await.is_ok());
    let anonymous = registry.as_principal(Principal::anonymous());
    assert_eq!(denied(&anonymous, "identified", json!({})).await, "say who you are");
    let arguments =
        |last| json!({"i1": 1, "i2": 0, "i3": 0, "i4": 0, "i5": 0, "i6": 0, "i7": 0, "i8": 0, "i9": last});
    assert_eq!(registry.call("same", arguments(1)).await.unwrap().value(), 2);
    assert_eq!(denied(&registry, "same", arguments(2)).await, "they differ");
    assert_eq!(registry.call("caller", json!({})).await.unwrap().value(), "local");
}

#[tokio::test]
async fn passes_state_as_self() {
    let registry = registry(&Pages::default());
    assert_eq!(denied(&registry, "empty", json!({"sure": true})).await, "not yours");
    let ada = registry.as_principal(Principal::new("ada"));
    assert_eq!(ada.call("empty", json!({"sure": true})).await.unwrap().value(), "ada true");
}

#[tokio::test]
async fn decides_only_for_valid_calls() {
    let registry = registry(&Pages::default());
    let failure = registry.call("edit", json!({"owner": 1})).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Input);
    registry.validate("edit", br#"{"_text": "new", "owner": "bob"}"#).unwrap();
    registry.validate("exploding", b"{}").unwrap();
    let failure = registry.call("exploding", json!({})).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Internal);
    assert!(registry.get("edit").unwrap().permission().is_none());
    registry.check().unwrap();
}
