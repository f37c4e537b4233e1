//! Tests of limits without the feature `tokio`.

use std::time::Duration;

use serde_json::Value;

use crate::call::tool::DynamicTool;
use crate::definition::ToolDefinition;
use crate::model::output::Output;
use crate::registry::Registry;
use crate::registry::error::BuildError;

#[test]
fn rejects_timeouts_without_timers() {
    let definition = ToolDefinition::builder("late", "Takes its time.").timeout(Duration::from_secs(1));
    let tool = DynamicTool::new(definition.build().unwrap(), |_, _: Value| async { Ok(Output::empty()) });
    let errors = Registry::builder().tool(tool).build().unwrap_err();
    let [BuildError::NoTimers { tool, .. }] = errors.iter().collect::<Vec<_>>()[..] else {
        panic!("{errors}");
    };
    assert_eq!(tool, "late");
}
