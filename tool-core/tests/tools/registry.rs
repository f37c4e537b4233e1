//! Building a registry: all faults are reported at once, with their location.

use serde_json::json;
use tool_core::{BuildError, Operation, Registry, State, adapter, tool};

mod first {
    use tool_core::tool;

    /// Adds numbers.
    #[tool(operation = Transform)]
    fn add(a: i64, b: i64) -> i64 {
        a + b
    }
}

mod second {
    use tool_core::tool;

    /// Adds texts.
    #[tool(operation = Transform)]
    fn add(a: String, b: String) -> String {
        a + &b
    }
}

struct Missing;

/// Needs missing state.
#[tool(operation = Read)]
fn needy(#[inject] _missing: State<Missing>) {}

/// Says everything.
#[tool(
    operation = Write,
    destructive = true,
    idempotent = true,
    open_world = false,
    name = "all.said",
    title = "All said",
    description = "Said elsewhere."
)]
fn all_said() {}

/// A number whose type the macro cannot resolve.
#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Count(u8);

const MOST: u8 = 9;

/// Has defaults and constraints that do not fit their inputs, which the macro cannot see.
#[tool(operation = Read)]
fn bad_default(
    #[arg(default = "many")] count: Count,
    #[arg(range(max = MOST), default = 10)] most: u8,
    #[arg(range(min = 1))] day: jiff::civil::Date,
) -> u8 {
    let _ = day;
    count.0 + most
}

/// Has a default that only the type can judge.
#[tool(operation = Read)]
fn bad_date(#[arg(default = "yesterday")] day: jiff::civil::Date) -> String {
    day.to_string()
}

/// A code of three letters.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Code(#[schemars(regex(pattern = "^[A-Z]{3}$"))] String);

/// Has an input without a known example, and one whose name is a prefix of the other one.
#[tool(operation = Read)]
fn coded(#[arg(default = 1)] a: u8, ab: Code) -> String {
    format!("{a}{}", ab.0)
}

fn explode() -> u8 {
    panic!("in a default")
}

/// Has a default that panics.
#[tool(operation = Read)]
fn explosive(#[arg(default = explode())] a: u8) -> u8 {
    a
}

fn of(module: &'static str) -> tool_core::RegistryBuilder {
    Registry::builder().linked().select(move |tool| tool.source().module.starts_with(module))
}

/// Excludes tools with invalid defaults, and adds the required state.
fn sound() -> tool_core::RegistryBuilder {
    let wrong = ["bad_date", "bad_default"];
    of(module_path!()).select(move |tool| !wrong.contains(&tool.name())).state(Missing)
}

#[test]
fn reports_every_fault_at_once() {
    let wrong = ["bad_date", "bad_default"];
    let errors = of(module_path!())
        .select(move |tool| !wrong.contains(&tool.name()))
        .expect_crate("my-tools")
        .build()
        .unwrap_err();
    let text = errors.to_string();
    let here = file!();
    let expected = format!(
        "no tool of the crate `my_tools` is linked\n\
         help: name it in the application, as in `use my_tools as _;`\n\
         \n\
         two tools are named `add`\n  \
           first:  {here}:11, module tools::registry::first\n  \
           second: {here}:21, module tools::registry::second\n\
         help: give one of them `#[tool(name = \"…\")]`\n\
         \n\
         tool `needy` needs state of type `tools::registry::Missing`, which the registry does not have\n  \
           declared: {here}:30, module tools::registry\n\
         help: give it to the builder with `.state(…)`"
    );
    assert_eq!(text, expected);
}

#[test]
fn rejects_an_empty_registry_unless_allowed() {
    let errors = of("nowhere").build().unwrap_err();
    assert_eq!(errors.iter().collect::<Vec<_>>(), [&BuildError::Empty]);
    assert_eq!(of("nowhere").allow_empty().build().unwrap().tools().count(), 0);
}

#[test]
fn sorts_tools_by_name() {
    let registry = sound().select(|tool| tool.source().module != "tools::registry::second");
    let registry = registry.build().unwrap();
    let names: Vec<&str> = registry.tools().map(tool_core::ToolDefinition::name).collect();
    assert_eq!(names, ["add", "all.said", "coded", "explosive", "needy"]);
    assert!(registry.get("add").is_some());
    assert!(registry.get("ADD").is_none());
}

#[test]
fn keeps_declared_properties() {
    let registry = sound().select(|tool| tool.name() != "add").build().unwrap();
    let tool = registry.get("all.said").unwrap();
    assert_eq!((tool.title(), tool.description()), (Some("All said"), "Said elsewhere."));
    assert_eq!(tool.operation(), Some(Operation::Write));
    assert_eq!(
        serde_json::to_value(tool.annotations()).unwrap(),
        json!({"readOnlyHint": false, "destructiveHint": true, "idempotentHint": true, "openWorldHint": false})
    );
    let tool = registry.get("needy").unwrap();
    assert_eq!(
        serde_json::to_value(tool.annotations()).unwrap(),
        json!({"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": true})
    );
}

#[test]
fn rejects_invalid_defaults_and_constraints() {
    let errors = of(module_path!()).select(|tool| tool.name() == "bad_default").build().unwrap_err();
    let errors = errors.to_string();
    for fault in [
        "the default of input `count` is invalid: expected an integer from 0 to 255, got the string `many`",
        "the default of input `most` is invalid: expected at most 9, got `10`",
        "`range` is for a number, and the input is of type `string`",
    ] {
        assert!(errors.contains(fault), "{errors}");
    }
}

#[test]
fn changes_the_digest_with_the_definition() {
    let registry = || sound().select(|tool| tool.name() != "add").build().unwrap();
    let (a, b) = (registry(), registry());
    assert_eq!(a.get("needy").unwrap().digest(), b.get("needy").unwrap().digest());
    assert_ne!(a.get("needy").unwrap().digest(), a.get("all.said").unwrap().digest());
}

#[test]
fn rejects_defaults_that_do_not_decode() {
    let errors = of(module_path!()).select(|tool| tool.name() == "bad_date").build().unwrap_err().to_string();
    assert!(errors.starts_with("tool `bad_date`: the default of input `day` is invalid: "), "{errors}");
}

#[test]
fn separates_inputs_with_a_common_prefix() {
    let registry = of(module_path!()).select(|tool| tool.name() == "coded").build().unwrap();
    assert_eq!(registry.check(), Ok(()));
    let failure = registry.validate("coded", b"{}").unwrap_err();
    assert!(failure.example().is_none(), "an invalid guess is no example");
}

#[tokio::test]
async fn survives_panicking_defaults() {
    let registry =
        of(module_path!()).select(|tool| ["explosive", "coded"].contains(&tool.name())).build().unwrap();
    assert_eq!(registry.tools().filter(|tool| tool.input_schema()["type"] == "object").count(), 2);
    let errors = registry.check().unwrap_err().to_string();
    assert!(errors.starts_with("tool `explosive`: making its schema panicked"), "{errors}");
    let failure = registry.call("explosive", json!({})).await.unwrap_err();
    assert_eq!(failure.kind(), tool_core::FailureKind::Internal);
    assert!(registry.call("coded", json!({"ab": "ABC"})).await.is_ok());
}

#[test]
fn registers_a_linked_and_listed_tool_once() {
    let listed = || tool_core::tools![all_said];
    let registry = Registry::builder().linked().tools(listed()).tools(listed());
    let registry = registry.select(|tool| tool.name() == "all.said").build().unwrap();
    assert_eq!(adapter::definitions(&registry).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn builds_in_a_task() {
    let built = tokio::spawn(async {
        let builder = Registry::builder().linked().select(|tool| tool.name() == "all.said");
        let builder = builder.select_prompts(|_| false);
        // The builder is held across an await, so it must be `Send`.
        tokio::task::yield_now().await;
        builder.build().unwrap()
    });
    assert_eq!(built.await.unwrap().tools().len(), 1);
}
