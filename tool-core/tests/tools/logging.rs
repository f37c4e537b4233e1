//! What a call has to say while it runs, told to whoever wants to hear it, or else to the log of the program.

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

/// Hears what is at least of a level.
struct From {
    least: LogLevel,
    heard: Arc<Mutex<Vec<(LogLevel, String, Value)>>>,
}

impl LogSink for From {
    fn log(&self, message: &LogMessage<'_>) {
        self.heard.lock().unwrap().push((message.level, message.tool.to_owned(), message.data.clone()));
    }

    fn enabled(&self, level: LogLevel) -> bool {
        level >= self.least
    }
}

#[tokio::test]
async fn each_call_tells_its_own_sink_what_it_wants_to_hear() {
    let heard = Arc::default();
    let registry = registry().with_options(
        &CallOptions::new().log(Arc::new(From { least: LogLevel::Alert, heard: Arc::clone(&heard) })),
    );
    let said = |level, text: &str| (level, "say_all".to_owned(), json!(text));
    let expected = [said(LogLevel::Alert, "it is alert"), said(LogLevel::Emergency, "it is emergency")];
    // Who calls makes no difference, nor that another call lies between.
    for tool in ["say_all", "let_say"] {
        let registry = registry.as_principal(Principal::new("ada"));
        registry.call_with(tool, b"{}", &CallOptions::new()).await.result.unwrap();
        assert_eq!(heard.lock().unwrap().drain(..).collect::<Vec<_>>(), expected, "{tool}");
    }
}

#[tokio::test]
async fn what_nobody_hears_is_in_the_log_of_the_program() {
    let events = Events::default();
    let _logging = tracing::subscriber::set_default(events.clone());
    let sink = From { least: LogLevel::Error, heard: Arc::default() };
    for (registry, expected) in
        [(registry(), 9), (registry().with_options(&CallOptions::new().log(Arc::new(sink))), 5)]
    {
        let output = registry.call_with("say_all", b"{}", &CallOptions::new()).await.result.unwrap();
        let logged: Vec<String> = events.0.lock().unwrap().drain(..).collect();
        let said: Vec<_> = logged.iter().filter(|event| event.contains("tool=\"say_all\"")).collect();
        assert_eq!(said.len(), expected, "{logged:?}");
        assert!(said[0].contains("message=it is debug"), "{logged:?}");
        assert!(said[expected - 1].contains(r#"message={"page":7}"#), "{logged:?}");
        let call_id = format!("call_id={}", output.value().as_str().unwrap());
        assert!(said.iter().all(|event| event.contains(&call_id)), "{logged:?}");
    }
}

#[tokio::test]
async fn a_sink_that_panics_harms_no_call() {
    let registry = registry()
        .with_options(&CallOptions::new().log(Arc::new(|_: &LogMessage<'_>| panic!("the terminal is gone"))));
    assert!(registry.call_with("say_all", b"{}", &CallOptions::new()).await.result.is_ok());
}
