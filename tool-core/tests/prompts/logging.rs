//! What a prompt has to say while it is made, told to whoever wants to hear it.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_core::logging::{LogLevel, LogMessage, LogSink};
use tool_core::{CallOptions, Context, prompt};

use crate::{ask, prompts_of};

/// Says something, and asks.
#[prompt]
fn say_and_ask(#[inject] context: Context) -> &'static str {
    context.log(LogLevel::Notice, "asked");
    "Well?"
}

#[derive(Default)]
struct Heard(Mutex<Vec<(LogLevel, String, Value)>>);

impl LogSink for Heard {
    fn log(&self, message: &LogMessage<'_>) {
        self.0.lock().unwrap().push((message.level, message.tool.to_owned(), message.data.clone()));
    }
}

#[test]
fn a_prompt_has_something_to_say_too() {
    let heard = Arc::<Heard>::default();
    let registry =
        prompts_of(module_path!()).with_options(&CallOptions::new().log(Arc::<Heard>::clone(&heard)));
    ask(&registry, "say_and_ask", json!({})).unwrap();
    assert_eq!(*heard.0.lock().unwrap(), [(LogLevel::Notice, "say_and_ask".to_owned(), json!("asked"))]);
}
