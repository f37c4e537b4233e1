//! Lint findings and digests of prompts.

use tool_core::lint::LintRule;
use tool_core::{Prompts, Registry, prompt, prompts, tool, tools};

/// Prompt.
#[prompt(name = "vague.prompt")]
fn vague_prompt(
    topic: String,
    /// How many words it may have.
    #[arg(rename = "how-many")]
    words: u32,
) -> String {
    format!("{topic} {words}")
}

/// Asks for a plan of a week.
#[prompt]
fn plan_week(
    /** What has to be done. */
    tasks: String,
) -> String {
    tasks
}

/// Plans a whole week.
#[tool(operation = Read, name = "plan_week")]
fn plan_week_tool(
    /** What has to be done. */
    tasks: String,
) -> String {
    tasks
}

mod other {
    /// Asks for a plan of a week.
    #[tool_core::prompt]
    pub(super) fn plan_week(
        /** What must be done. */
        tasks: String,
    ) -> String {
        tasks
    }
}

fn registry(prompts: Prompts) -> Registry {
    Registry::builder().prompts(prompts).build().unwrap()
}

#[test]
fn lints_prompts_like_tools() {
    let registry = registry(prompts![vague_prompt, plan_week]);
    let findings = tool_core::lint::lint(&registry);
    let found: Vec<_> = findings
        .iter()
        .map(|it| (it.rule, it.prompt.as_deref(), it.input.as_deref(), it.tool.as_deref()))
        .collect();
    assert_eq!(
        found,
        [
            (LintRule::DescriptionVague, Some("vague.prompt"), None, None),
            (LintRule::InputUndocumented, Some("vague.prompt"), Some("/topic"), None),
        ]
    );
    let text = findings[1].to_string();
    assert!(text.starts_with("input-undocumented: prompt `vague.prompt`, input /topic: "), "{text}");
    let json = serde_json::to_string(&findings[1]).unwrap();
    assert!(json.starts_with(r#"{"code":"input-undocumented","prompt":"vague.prompt","place":""#), "{json}");
}

#[test]
fn includes_prompts_in_the_digest() {
    let digest = |prompts| registry(prompts).digest();
    let one = digest(prompts![plan_week]);
    assert_eq!(one, digest(prompts![plan_week]));
    assert_ne!(one, digest(prompts![other::plan_week]), "an argument is described otherwise");
    assert_ne!(one, digest(prompts![plan_week, vague_prompt]));
    let with_tool = || Registry::builder().tools(tools![plan_week_tool]);
    let tool_only = with_tool().build().unwrap().digest();
    let both = with_tool().prompts(prompts![plan_week]).build().unwrap();
    assert_ne!(both.digest(), tool_only);
    let prompt = both.prompt("plan_week").unwrap().digest();
    assert_ne!(prompt, both.get("plan_week").unwrap().digest());
}
