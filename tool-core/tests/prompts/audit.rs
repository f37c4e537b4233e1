//! One audit event per prompt request.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_core::audit::AuditEvent;
use tool_core::{CallOptions, Content, Context, Registry, prompt, prompts};

/// Asks for something.
#[prompt]
fn repeat(
    #[inject] context: Context,
    /** How often. */
    times: u8,
) -> String {
    format!("{} times in {}", times, context.call_id())
}

#[tokio::test]
async fn records_each_request_once_with_its_id() {
    let events = Arc::<Mutex<Vec<Value>>>::default();
    let sink = {
        let events = Arc::clone(&events);
        move |event: &AuditEvent<'_>| events.lock().unwrap().push(serde_json::to_value(event).unwrap())
    };
    let registry = Registry::builder().prompts(prompts![repeat]).audit(sink).build().unwrap();
    for (name, times, outcome) in
        [("repeat", "3", "success"), ("repeat", "x", "invalid_input"), ("nope", "3", "tool_not_found")]
    {
        let reply = registry.get_prompt_with(name, json!({"times": times}), &CallOptions::new()).await;
        let events = std::mem::take(&mut *events.lock().unwrap());
        let [event] = &events[..] else { panic!("not one event for {name}: {events:?}") };
        assert_eq!((&event["kind"], &event["name"]), (&json!("prompt"), &json!(name)));
        assert_eq!(
            (&event["outcome"], &event["callId"]),
            (&json!(outcome), &json!(reply.call_id.to_string()))
        );
        assert_eq!(event.get("digest").is_some(), name == "repeat");
        if let Ok(prompt) = reply.result {
            let text = format!("3 times in {}", reply.call_id);
            assert_eq!(prompt.messages[0].content, Content::text(text));
        }
    }
}
