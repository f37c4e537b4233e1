//! Parameters that are injected into a prompt, at once or awaited.

use serde_json::json;
use tool_core::inject::{Inject, InjectAsync, Injection, Needs, op};
use tool_core::{Failure, FailureKind, Principal, Registry, prompt, prompts};

/// The user who calls, found by waiting.
struct User(String);

impl InjectAsync<op::Prompt> for User {
    fn needs(_: &mut Needs) {}

    async fn inject(source: &Injection<'_, op::Prompt>) -> Result<Self, Failure> {
        tokio::task::yield_now().await;
        let id = source.context().principal().id();
        id.map(|id| User(id.to_owned())).ok_or_else(|| Failure::new(FailureKind::Denied, "who are you?"))
    }
}

/// A value that needs no waiting.
struct Greeting(&'static str);

impl Inject<op::Prompt> for Greeting {
    fn needs(_: &mut Needs) {}

    fn inject(_: &Injection<'_, op::Prompt>) -> Result<Self, Failure> {
        Ok(Greeting("Good day"))
    }
}

/// Greets the user.
#[prompt]
fn greet(#[inject] greeting: Greeting, #[inject] user: User, word: String) -> String {
    format!("{} {}, {word}.", greeting.0, user.0)
}

#[tokio::test]
async fn awaits_injected_parameters() {
    let registry = Registry::builder().prompts(prompts![greet]).build().unwrap();
    let ada = registry.as_principal(Principal::new("ada"));
    let prompt = ada.get_prompt("greet", json!({"word": "there"})).await.unwrap();
    assert!(format!("{prompt:?}").contains("Good day ada, there."), "{prompt:?}");
    let anonymous = registry.as_principal(Principal::anonymous());
    let failure = anonymous.get_prompt("greet", json!({"word": "there"})).await.unwrap_err();
    assert_eq!((failure.kind(), failure.message()), (FailureKind::Denied, "who are you?"));
}
