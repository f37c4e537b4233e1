//! Tools that send progress and log messages while they run.

use std::time::Duration;

use tokio::time::sleep;
use tool_core::logging::LogLevel;
use tool_core::{Context, tool};

/// The pause between messages, so that clients see one after the other.
const STEP: Duration = Duration::from_millis(50);

/// Tells how far it has come.
#[tool(operation = Transform, open_world = false)]
async fn test_tool_with_progress(#[inject] context: Context) -> &'static str {
    context.progress(0, 100, "");
    sleep(STEP).await;
    context.progress(50, 100, "");
    sleep(STEP).await;
    context.progress(100, 100, "");
    "Tool with progress executed"
}

/// Tells what it does.
#[tool(operation = Transform, open_world = false)]
async fn test_tool_with_logging(#[inject] context: Context) -> &'static str {
    context.log(LogLevel::Info, "Tool execution started");
    sleep(STEP).await;
    context.log(LogLevel::Info, "Tool processing data");
    sleep(STEP).await;
    context.log(LogLevel::Info, "Tool execution completed");
    "Tool with logging executed"
}

/// Tells what it does, at every level.
#[tool(operation = Transform, open_world = false)]
fn test_logging_tool(#[inject] context: Context) -> &'static str {
    for level in LogLevel::ALL {
        context.log(level, format!("a message of level {level}"));
    }
    "Tool with logging executed"
}
