//! Who a command is run by, and what is said to one that may not run it.

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
async fn who_runs_a_command_is_local_with_what_the_application_grants() {
    run(|builder| builder, &["run", "who"]).await.prints("local\n");
    let writer = |builder: RegistryBuilder| builder.local(Principal::new("ada").grant("memory.write"));
    run(writer, &["run", "who"]).await.prints("ada\n");
    run(writer, &["run", "forget", "--yes"]).await.prints("");
}

#[tokio::test]
async fn nobody_is_asked_about_a_call_that_may_not_be_made() {
    let denied = "error: `forget` needs the permission `memory.write`, which the caller does not have\n";
    run(|builder| builder, &["run", "forget"]).await.fails(4, denied);
    run(|builder| builder, &["run", "forget", "--yes"]).await.fails(4, denied);
}

#[tokio::test]
async fn what_modifies_is_refused_while_the_registry_is_read_only() {
    run(RegistryBuilder::read_only, &["list", "--format", "name"]).await.prints("who\n");
    let refused = "error: `forget` was not run: it modifies, and this registry is read only\n";
    run(RegistryBuilder::read_only, &["run", "forget", "--yes"]).await.fails(7, refused);
    run(RegistryBuilder::read_only, &["run", "forge", "--yes"])
        .await
        .fails(3, "error: Tool not found: forge\n");
}

#[tokio::test]
async fn what_is_hidden_is_unknown() {
    run(RegistryBuilder::hide_denied, &["run", "forget"]).await.fails(3, "error: Tool not found: forget\n");
}
