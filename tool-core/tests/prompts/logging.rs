//! Log messages of prompts.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_core::logging::{LogLevel, LogMessage, LogSink};
use tool_core::{CallOptions, Context, prompt};

use crate::{get_prompt, prompts_of};

/// Says something, and asks.
#[prompt]
fn say_and_ask(#[inject] context: Context) -> &'static str {
    context.log(LogLevel::Notice, "asked");
    "Well?"
}

#[derive(Default)]
struct LogRecorder(Mutex<Vec<(LogLevel, String, Value)>>);

impl LogSink for LogRecorder {
    fn log(&self, message: &LogMessage<'_>) {
        self.0.lock().unwrap().push((message.level, message.tool.to_owned(), message.data.clone()));
    }
}

#[test]
fn logs_messages_of_prompts() {
    let recorder = Arc::<LogRecorder>::default();
    let registry = prompts_of(module_path!())
        .with_options(&CallOptions::new().log(Arc::<LogRecorder>::clone(&recorder)));
    get_prompt(&registry, "say_and_ask", json!({})).unwrap();
    assert_eq!(*recorder.0.lock().unwrap(), [(LogLevel::Notice, "say_and_ask".to_owned(), json!("asked"))]);
}
