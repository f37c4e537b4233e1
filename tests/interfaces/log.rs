//! The log entry of a failed call for a log collector: one line of JSON, on every interface.

use std::io::{self, Write};
use std::sync::{Mutex, Once};

use serde_json::{Map, Value, json};
use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition, ToolError};
use tracing_subscriber::filter::LevelFilter;

use crate::interfaces::Interfaces;

/// The log of all tests of this program.
static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Lines;

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LINES.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Enables logging as JSON.
fn init_logging() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let log = tracing_subscriber::fmt().json().with_max_level(LevelFilter::WARN);
        log.with_writer(|| Lines).init();
    });
}

/// Returns the lines about this tool.
fn lines_about(tool: &str) -> Vec<Value> {
    let text = String::from_utf8(LINES.lock().unwrap().clone()).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["fields"]["gen_ai.tool.name"] == tool).collect()
}

fn fails(name: &str, operation: Operation, error: fn() -> ToolError) -> DynamicTool {
    let definition = ToolDefinition::builder(name, "Fails.").operation(operation).build().unwrap();
    DynamicTool::new(
        definition,
        move |_, _: Map<String, Value>| async move { Err::<Output, _>(error().into()) },
    )
}

#[test]
fn logs_one_line_for_each_failed_call() {
    init_logging();
    let interfaces = Interfaces::of(|_| {
        let broken = || ToolError::failed("the store is closed");
        Registry::builder()
            .tool(fails("log_reads", Operation::Read, broken))
            .tool(fails("log_writes", Operation::Write, broken))
            .tool(fails("log_absent", Operation::Read, || ToolError::not_found("there is no such day")))
    });
    for name in ["log_reads", "log_writes", "log_absent"] {
        interfaces.call(name, "{}");
    }
    for name in ["log_reads", "log_writes"] {
        let lines = lines_about(name);
        assert_eq!(lines.len(), 4, "one line on each interface: {lines:?}");
        let mut calls: Vec<_> =
            lines.iter().map(|line| line["fields"]["gen_ai.tool.call.id"].to_string()).collect();
        calls.sort();
        calls.dedup();
        assert_eq!(calls.len(), 4, "each call has its own ID: {lines:?}");
        for line in lines {
            assert_eq!(line["level"], "WARN", "{line}");
            assert_eq!(line["fields"]["error.type"], "execution_failed", "{line}");
            assert_eq!(line["fields"]["error"], "the store is closed", "{line}");
            // The span has a fixed name, and the tool is a field.
            assert_eq!(
                (&line["span"]["name"], &line["span"]["gen_ai.tool.name"]),
                (&json!("execute_tool"), &json!(name)),
                "{line}"
            );
            assert_eq!(line["span"]["gen_ai.tool.call.id"], line["fields"]["gen_ai.tool.call.id"], "{line}");
        }
    }
    // Errors that the caller can correct are not warnings.
    assert_eq!(lines_about("log_absent"), [Value::Null; 0]);
}
