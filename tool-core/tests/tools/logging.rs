//! Log messages of calls, sent to a sink or to `tracing`.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_core::logging::{LogLevel, LogMessage, LogSink};
use tool_core::{CallOptions, Context, Principal, Registry, ToolError, tool};

use crate::builder_of;
use crate::leniency::Events;

/// Says one thing at each level.
#[tool(operation = Transform)]
fn say_all(#[inject] context: Context) -> String {
    for level in LogLevel::ALL {
        context.log(level, format!("it is {level}"));
    }
    context.log(LogLevel::Info, json!({"page": 7}));
    context.call_id().to_string()
}

/// Says what it is given.
#[tool(operation = Transform)]
fn repeat(#[inject] context: Context, word: String) {
    context.log(LogLevel::Warning, word);
}

/// Lets another tool say something.
#[tool(operation = Trigger, destructive = false)]
async fn let_say(#[inject] registry: Registry) -> Result<(), ToolError> {
    registry
        .call("say_all", json!({}))
        .await
        .map(drop)
        .map_err(|failure| ToolError::failed(failure.to_string()))
}

fn registry() -> Registry {
    builder_of(module_path!()).build().unwrap()
}

/// Records messages of at least one level.
struct LevelSink {
    minimum: LogLevel,
    messages: Arc<Mutex<Vec<(LogLevel, String, Value)>>>,
}

impl LogSink for LevelSink {
    fn log(&self, message: &LogMessage<'_>) {
        self.messages.lock().unwrap().push((message.level, message.tool.to_owned(), message.data.clone()));
    }

    fn enabled(&self, level: LogLevel) -> bool {
        level >= self.minimum
    }
}

#[tokio::test]
async fn sends_messages_to_the_sink_of_the_call() {
    let messages = Arc::default();
    let registry = registry().with_options(
        &CallOptions::new()
            .log(Arc::new(LevelSink { minimum: LogLevel::Alert, messages: Arc::clone(&messages) })),
    );
    let message = |level, text: &str| (level, "say_all".to_owned(), json!(text));
    let expected = [message(LogLevel::Alert, "it is alert"), message(LogLevel::Emergency, "it is emergency")];
    // The principal and a call in between make no difference.
    for tool in ["say_all", "let_say"] {
        let registry = registry.as_principal(Principal::new("ada"));
        registry.call_with(tool, b"{}", &CallOptions::new()).await.result.unwrap();
        assert_eq!(messages.lock().unwrap().drain(..).collect::<Vec<_>>(), expected, "{tool}");
    }
}

#[tokio::test]
async fn traces_messages_without_an_enabled_sink() {
    let events = Events::default();
    let _logging = tracing::subscriber::set_default(events.clone());
    let sink = LevelSink { minimum: LogLevel::Error, messages: Arc::default() };
    for (registry, expected) in
        [(registry(), 9), (registry().with_options(&CallOptions::new().log(Arc::new(sink))), 5)]
    {
        let output = registry.call_with("say_all", b"{}", &CallOptions::new()).await.result.unwrap();
        let logged: Vec<String> = events.0.lock().unwrap().drain(..).collect();
        let of_tool: Vec<_> =
            logged.iter().filter(|event| event.contains("gen_ai.tool.name=\"say_all\"")).collect();
        assert_eq!(of_tool.len(), expected, "{logged:?}");
        assert!(of_tool[0].contains("message=it is debug"), "{logged:?}");
        assert!(of_tool[expected - 1].contains(r#"message={"page":7}"#), "{logged:?}");
        let call_id = format!("gen_ai.tool.call.id={}", output.value().as_str().unwrap());
        assert!(of_tool.iter().all(|event| event.contains(&call_id)), "{logged:?}");
    }
}

/// A caller whose text a tool logs must not be able to forge a line of the log, or to control a terminal.
#[tokio::test]
async fn traces_a_message_as_one_line() {
    let events = Events::default();
    let _logging = tracing::subscriber::set_default(events.clone());
    let arguments = json!({"word": "a\r\n2026-03-10 ERROR forged\u{1b}[31m\u{2028}é"}).to_string();
    registry().call_with("repeat", arguments.as_bytes(), &CallOptions::new()).await.result.unwrap();
    let logged = events.0.lock().unwrap().join("");
    assert!(logged.contains(r"message=a\r\n2026-03-10 ERROR forged\u{1b}[31m\u{2028}é "), "{logged}");
}

#[tokio::test]
async fn survives_panicking_sinks() {
    let registry = registry()
        .with_options(&CallOptions::new().log(Arc::new(|_: &LogMessage<'_>| panic!("the terminal is gone"))));
    assert!(registry.call_with("say_all", b"{}", &CallOptions::new()).await.result.is_ok());
}
