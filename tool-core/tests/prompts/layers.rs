//! Layers around prompts.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_core::audit::{AuditEvent, AuditKind};
use tool_core::layer::{CallRequest, Layer, Next};
use tool_core::{Failure, FailureKind, Output, Registry, prompt, prompts};

/// Asks for a rhyme.
#[prompt]
fn rhyme(
    /** With what. */
    word: String,
) -> String {
    format!("What rhymes with {word}?")
}

/// Refuses prompts about a word, and notes the others.
#[derive(Debug)]
struct Refuse(&'static str, Arc<Mutex<Vec<String>>>);

impl Layer for Refuse {
    async fn call(&self, request: &CallRequest<'_>, next: Next<'_>) -> Result<Output, Failure> {
        assert_eq!(request.kind(), AuditKind::Prompt);
        let arguments = String::from_utf8(request.arguments().into_owned()).unwrap();
        if arguments.contains(self.0) {
            return Err(Failure::new(FailureKind::Disabled, "nothing rhymes with it"));
        }
        self.1.lock().unwrap().push(format!("{} {arguments}", request.definition().name()));
        next.run().await
    }
}

#[tokio::test]
async fn run_around_prompts() {
    let (seen, events) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<Mutex<Vec<Value>>>::default());
    let sink = {
        let events = Arc::clone(&events);
        move |event: &AuditEvent<'_>| events.lock().unwrap().push(serde_json::to_value(event).unwrap())
    };
    let builder = Registry::builder().prompts(prompts![rhyme]).audit(sink);
    let registry = builder.layer(Refuse("month", Arc::clone(&seen))).build().unwrap();
    for (word, outcome) in [("time", "success"), ("month", "refused")] {
        let prompt = registry.get_prompt("rhyme", json!({"word": word})).await;
        assert_eq!(prompt.is_ok(), outcome == "success", "{word}");
        let events = std::mem::take(&mut *events.lock().unwrap());
        let [event] = &events[..] else { panic!("not one event for {word}: {events:?}") };
        assert_eq!((&event["kind"], &event["outcome"]), (&json!("prompt"), &json!(outcome)));
    }
    assert_eq!(*seen.lock().unwrap(), [r#"rhyme {"word":"time"}"#]);
}
