//! The caller of a command, and denied calls.

use tool_cli::App;
use tool_core::{Context, Principal, Registry, RegistryBuilder, tool};

use crate::{Ran, on};

/// Says who calls.
#[tool(operation = Explain)]
fn who(#[inject] context: Context) -> String {
    context.principal().id().unwrap_or("nobody known").to_owned()
}

/// Forgets who called.
#[tool(operation = Write, destructive = true, permission = "memory.write")]
fn forget() {}

fn app(settings: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> App {
    let builder = Registry::builder().linked().select(|tool| tool.source().module == module_path!());
    App::new("demo", settings(builder).build().unwrap())
}

async fn run(settings: impl FnOnce(RegistryBuilder) -> RegistryBuilder, arguments: &[&str]) -> Ran {
    on(app(settings), arguments, |stdout, stderr| tool_cli::Streams::new(std::io::empty(), stdout, stderr))
        .await
}

#[tokio::test]
async fn runs_as_the_local_principal() {
    run(|builder| builder, &["run", "who"]).await.prints("local\n");
    let writer = |builder: RegistryBuilder| builder.local(Principal::new("ada").grant("memory.write"));
    run(writer, &["run", "who"]).await.prints("ada\n");
    run(writer, &["run", "forget", "--yes"]).await.prints("");
}

#[tokio::test]
async fn does_not_confirm_denied_calls() {
    let denied = "error: `forget` needs the permission `memory.write`, which the caller does not have\n";
    run(|builder| builder, &["run", "forget"]).await.fails(4, denied);
    run(|builder| builder, &["run", "forget", "--yes"]).await.fails(4, denied);
}

#[tokio::test]
async fn rejects_modifying_tools_in_a_read_only_registry() {
    run(RegistryBuilder::read_only, &["list", "--format", "name"]).await.prints("who\n");
    let expected = "error: `forget` was not run: it modifies data, and the registry is read-only\n";
    run(RegistryBuilder::read_only, &["run", "forget", "--yes"]).await.fails(7, expected);
    run(RegistryBuilder::read_only, &["run", "forge", "--yes"])
        .await
        .fails(3, "error: Tool not found: forge\n");
}

#[tokio::test]
async fn reports_hidden_tools_as_unknown() {
    run(RegistryBuilder::hide_denied, &["run", "forget"]).await.fails(3, "error: Tool not found: forget\n");
    // Nor does an error about the command show them.
    let command = run(RegistryBuilder::hide_denied, &["forget"]).await.stderr;
    assert!(!command.contains("is a tool"), "{command}");
    let granted = run(RegistryBuilder::hide_denied, &["forget", "--grant", "memory.write"]).await.stderr;
    assert!(granted.contains("tip: 'forget' is a tool: 'demo run forget'"), "{granted}");
}
