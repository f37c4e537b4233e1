//! Permissions and access functions of prompts.

use serde_json::{Value, json};
use tool_core::lock::Lock;
use tool_core::{
    Access, Content, FailureKind, Principal, PromptDefinition, Reader, Registry, Resource, State, WritePass,
    adapter, prompt, prompts,
};

use super::get_prompt;

struct Owner(&'static str);

async fn is_owner(principal: &Principal, owner: &Owner, number: &u32) -> Access {
    if principal.id() == Some(owner.0) {
        Access::Allow
    } else {
        Access::deny(format!("{number} is not yours"))
    }
}

/// Asks for a verdict on an invoice.
#[prompt(title = "Verdict", permission = any("auditor", all("invoice.read", "invoice.judge")), access = is_owner(owner, number))]
fn verdict(
    #[inject] owner: State<Owner>,
    /** Which. */
    number: u32,
) -> String {
    format!("Is {number} of {} correct?", owner.0)
}

/// Asks for nothing.
#[prompt]
fn open() -> &'static str {
    "open"
}

fn registry() -> Registry {
    Registry::builder().prompts(prompts![verdict, open]).state(Owner("ada")).build().unwrap()
}

fn caller(id: &str, permissions: &[&str]) -> Principal {
    permissions.iter().copied().fold(Principal::new(id), Principal::grant)
}

#[test]
fn denies_access_like_tools() {
    let registry = registry();
    registry.check().unwrap();
    let failure_of = |principal, arguments: Value| {
        let failure = get_prompt(&registry.as_principal(principal), "verdict", arguments).unwrap_err();
        (failure.kind(), failure.message().to_owned())
    };
    let lack = "`verdict` needs one of the permissions `auditor`, `all(invoice.read, invoice.judge)`, of which the caller has none";
    // Permissions come before arguments, and arguments before the access function.
    let denied = (FailureKind::Denied, lack.to_owned());
    assert_eq!(failure_of(caller("ada", &["invoice.read"]), json!({})), denied);
    assert_eq!(failure_of(caller("bob", &["auditor"]), json!({})).0, FailureKind::Input);
    let denied = failure_of(caller("bob", &["auditor"]), json!({"number": "7"}));
    assert_eq!(denied.0, FailureKind::Denied);
    assert!(denied.1.contains("7 is not yours"), "{}", denied.1);

    let ada = registry.as_principal(caller("ada", &["invoice.read", "invoice.judge"]));
    let messages = get_prompt(&ada, "verdict", json!({"number": "7"})).unwrap().messages;
    assert_eq!(messages[0].content, Content::text("Is 7 of ada correct?"));
}

#[test]
fn exposes_declared_permissions() {
    let registry = registry();
    let verdict = registry.prompt("verdict").unwrap();
    let permission = verdict.permission().unwrap().to_string();
    assert_eq!(permission, "any(auditor, all(invoice.read, invoice.judge))");
    assert!(verdict.guarded() && !registry.prompt("open").unwrap().guarded());
    assert!(Lock::of(&registry).to_string().contains(&format!("\"permission\": \"{permission}\"")));
}

#[test]
fn hides_denied_prompts_from_models() {
    fn names<'p>(prompts: impl Iterator<Item = &'p PromptDefinition>) -> Vec<&'p str> {
        prompts.map(PromptDefinition::name).collect()
    }
    let registry = registry();
    assert_eq!(names(registry.prompts()), ["open", "verdict"]);
    assert_eq!(names(adapter::callable_prompts(&registry)), ["open"]);
    let auditor = registry.as_principal(caller("bob", &["auditor"]));
    assert_eq!(names(adapter::callable_prompts(&auditor)), ["open", "verdict"]);

    let hiding = Registry::builder().prompts(prompts![verdict, open]).state(Owner("ada")).hide_denied();
    let hiding = hiding.build().unwrap();
    assert_eq!(names(hiding.prompts()), ["open"]);
    assert!(hiding.prompt("verdict").is_none());
    assert_eq!(get_prompt(&hiding, "verdict", json!({})).unwrap_err().message(), "Prompt not found: verdict");
    assert_eq!(
        tool_core::private::block_on(adapter::complete_prompt(&hiding, "verdict", "number", ""))
            .unwrap_err()
            .kind(),
        FailureKind::NotFound
    );
    // The digest does not depend on the caller.
    assert_eq!(hiding.digest(), registry.digest());
    assert_eq!(Lock::of(&hiding), Lock::of(&registry));
}

/// Reads and writes by one handle.
struct Pool(String);

impl Resource for Pool {
    type Reader = String;
    type Writer = String;

    fn reader(&self) -> &String {
        &self.0
    }

    fn writer(&self, _: WritePass<'_>) -> &String {
        &self.0
    }
}

/// Asks about what is in the pool.
#[prompt]
fn ask_pool(#[inject] pool: Reader<Pool>) -> String {
    pool.as_str().to_owned()
}

#[test]
fn rejects_readers_that_can_write() {
    let registry =
        Registry::builder().prompts(prompts![ask_pool]).state(Pool(String::new())).build().unwrap();
    let errors = registry.check().unwrap_err().to_string();
    let expected = "`ask_pool` modifies nothing, and its `Reader<prompts::access::Pool>` can write";
    assert!(errors.starts_with(expected), "{errors}");
}
