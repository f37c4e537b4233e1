//! What a tool declares of its tasks: checks, digest and lock.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::definition::{DefinitionFault, Parameter, ParameterType, ToolDefinitionBuilder};
use tool_core::lock::Lock;
use tool_core::tasks::{TaskOptions, TaskSupport};
use tool_core::{BuildError, DynamicTool, Operation, Output, Registry, Tool, ToolDefinition, tool, tools};

use super::creation::Memory;

/// Is always a task.
#[tool(
    operation = Trigger, destructive = false, idempotent = true,
    task(poll = "500ms", required, ttl = "48h", attempt_timeout = "1h", retries = 2)
)]
async fn always() {}

#[derive(Deserialize, JsonSchema)]
struct Account {
    #[schemars(extend("writeOnly" = true))]
    #[expect(dead_code, reason = "only declared")]
    password: String,
}

/// Takes a secret that the macro does not see.
#[tool(operation = Trigger, destructive = false, task(optional))]
async fn sign_in(account: Account) {
    drop(account);
}

const OPTIONAL: TaskOptions = TaskOptions::new(TaskSupport::Optional);
const REQUIRED: TaskOptions = TaskOptions::new(TaskSupport::Required);

fn dynamic() -> ToolDefinitionBuilder {
    ToolDefinition::builder("dynamic", "Does something.").operation(Operation::Trigger)
}

fn tool_of(definition: ToolDefinition) -> Arc<dyn Tool> {
    Arc::new(DynamicTool::new(definition, |_, _: Value| async { Ok(Output::empty()) }))
}

#[test]
fn a_tool_that_is_always_a_task_needs_an_engine() {
    let errors = Registry::builder().tools(tools![always]).build().unwrap_err();
    let [error @ BuildError::NoTaskEngine { tool, .. }] = errors.iter().collect::<Vec<_>>()[..] else {
        panic!("{errors}")
    };
    assert_eq!(tool, "always");
    assert!(
        error.to_string().contains("enable the feature `tasks`") && error.to_string().contains(".tasks(")
    );
    let with = Registry::builder().tools(tools![always]).tasks(Arc::<Memory>::default()).build().unwrap();
    let options = with.get("always").unwrap().task().unwrap();
    let expected = REQUIRED.retries(2).attempt_timeout(3_600_000).ttl(172_800_000).poll(500);
    assert_eq!(*options, expected);

    let required = || Ok(tool_of(dynamic().task(REQUIRED).build().unwrap()));
    let without = Registry::builder().allow_empty().build().unwrap().toolset([required()]);
    assert!(without.skipped()[0].to_string().contains("no engine for tasks"));
    assert_eq!(with.toolset([required()]).skipped(), []);
}

#[test]
fn a_task_takes_no_secret() {
    let builder = Registry::builder().tools(tools![sign_in]).tasks(Arc::<Memory>::default());
    let errors = builder.build().unwrap_err();
    let errors: Vec<_> = errors.iter().collect();
    assert!(matches!(&errors[..], [BuildError::TaskSecret { tool, .. }] if tool == "sign_in"), "{errors:?}");
}

#[test]
fn checks_the_task_of_a_dynamic_tool() {
    let secret = Parameter::new("key", ParameterType::String).secret();
    let mut short = OPTIONAL;
    short.ttl = Duration::ZERO;
    for (builder, expected) in [
        (dynamic().operation(Operation::Write).task(OPTIONAL), "only a `Trigger`"),
        (ToolDefinition::builder("a", "Does.").task(OPTIONAL), "only a `Trigger`"),
        (dynamic().timeout(Duration::from_secs(1)).task(OPTIONAL), "`attempt_timeout`"),
        (dynamic().task(OPTIONAL.retries(101)), "more than 100"),
        (dynamic().task(short), "zero"),
        (dynamic().task(OPTIONAL.ttl(u64::MAX)), "ten years"),
        (dynamic().task(OPTIONAL.ttl(1_000).attempt_timeout(2_000)), "shorter"),
        (dynamic().task(OPTIONAL).parameters([secret]), "secret"),
    ] {
        let error = builder.build().unwrap_err();
        assert!(matches!(error.fault(), DefinitionFault::Task(_)), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    }
    assert_eq!(dynamic().task(OPTIONAL).build().unwrap().task(), Some(&OPTIONAL));
}

#[test]
fn reads_the_task_of_a_json_definition() {
    let read = |task: Value| {
        ToolDefinition::from_json(
            json!({"name": "a", "description": "Does.", "operation": "trigger", "task": task}),
        )
    };
    let full =
        json!({"support": "optional", "retries": 2, "attemptTimeout": "1h", "ttl": "24h", "poll": "2s"});
    let expected = OPTIONAL.retries(2).attempt_timeout(3_600_000);
    assert_eq!(read(full).unwrap().task(), Some(&expected));
    assert_eq!(read(json!({"support": "required"})).unwrap().task(), Some(&REQUIRED));
    for (task, path) in [
        (json!({}), "support"),
        (json!({"support": "maybe"}), "/task/support"),
        (json!({"support": "optional", "ttl": "2d"}), "/task/ttl"),
        (json!({"support": "optional", "attemptTimeout": "0s"}), "/task/attemptTimeout"),
        (json!({"support": "optional", "poll": "soon"}), "/task/poll"),
        (json!({"support": "optional", "retries": 101}), "/task/retries"),
        (json!({"support": "optional", "retires": 2}), "retries"),
    ] {
        let error = read(task).unwrap_err();
        assert!(matches!(error.fault(), DefinitionFault::Json(_)), "{error}");
        assert!(error.to_string().contains(path), "{error}");
    }
}

#[test]
fn whether_a_tool_is_a_task_is_part_of_its_contract() {
    let digest = |builder: ToolDefinitionBuilder| builder.build().unwrap().digest();
    let (none, optional) = (digest(dynamic()), digest(dynamic().task(OPTIONAL)));
    assert_ne!(none, optional);
    assert_ne!(optional, digest(dynamic().task(REQUIRED)));
    assert_eq!(optional, digest(dynamic().task(OPTIONAL.retries(2).ttl(1_000))), "settings of an operator");

    let lock = |builder: ToolDefinitionBuilder| {
        let registry = Registry::builder()
            .tool(DynamicTool::new(builder.build().unwrap(), |_, _: Value| async { Ok(Output::empty()) }));
        Lock::of(&registry.build().unwrap()).to_string()
    };
    assert!(
        lock(dynamic().task(OPTIONAL)).contains(r#""task": "optional""#),
        "{}",
        lock(dynamic().task(OPTIONAL))
    );
    assert!(!lock(dynamic()).contains("task"));
    let read: Lock = lock(dynamic().task(OPTIONAL)).parse().unwrap();
    assert_eq!(read.to_string(), lock(dynamic().task(OPTIONAL)));
}
