//! SIGTERM lets a modifying call of an upstream tool finish.

use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition};
use tool_mcp::Server;

use crate::shared::call_through_sigterm;

#[test]
fn finishes_a_modifying_call_on_sigterm() {
    let (started, release) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let definition = ToolDefinition::builder("write", "Writes.").operation(Operation::Write);
    let definition = definition.input_schema(json!({"type": "object", "properties": {}})).build().unwrap();
    let (permits, released) = (Arc::clone(&started), Arc::clone(&release));
    let write = DynamicTool::new(definition, move |_, _: Value| {
        let (permits, released) = (Arc::clone(&permits), Arc::clone(&released));
        async move {
            permits.add_permits(1);
            released.acquire().await.unwrap().forget();
            Ok(Output::text("written"))
        }
    });
    let runtime = Runtime::new().unwrap();
    let url = runtime.block_on(async {
        crate::serve(Server::new(Registry::builder().tool(write).build().unwrap()).name("disk")).await
    });
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("gateway.json");
    std::fs::write(&config, json!({"mcpServers": {"disk": {"url": url}}}).to_string()).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_gateway"));
    program.args(["serve", "mcp"]).env("GATEWAY_CONFIG", &config);
    let result = call_through_sigterm(
        &mut program,
        "call_tool",
        &json!({"server": "disk", "tool_name": "write", "arguments": {}}),
        || runtime.block_on(async { started.acquire().await.unwrap().forget() }),
        || release.add_permits(1),
    );
    assert_eq!((&result["isError"], &result["content"][0]["text"]), (&json!(false), &json!("written")));
}
