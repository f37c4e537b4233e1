//! An agent skill: how to use the program on the command line.
//!
//! The format is <https://agentskills.io/specification>.

use std::path::PathBuf;

use tool_core::{Operation, ToolDefinition};

use crate::app::App;
use crate::list::operation;
use crate::publish::checks::{about, limited};
use crate::publish::error::PublishError;
use crate::publish::package::Package;
use crate::style::{neutral, summary};
use crate::{info, markdown};

const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 1024;

/// The width of a page about a tool.
const WIDTH: u16 = 120;

/// Returns the files of the skill, below the folder of skills.
pub(super) fn files(app: &App, package: &Package) -> Result<Vec<(PathBuf, String)>, PublishError> {
    let name = name(&app.name)?;
    let mut files = vec![(PathBuf::from(&name).join("SKILL.md"), skill(app, package, &name)?)];
    for tool in app.registry.tools() {
        let path = PathBuf::from(&name).join("references").join(reference_name(tool));
        files.push((path, fenced(&info::reference(&app.name, &app.registry, tool, WIDTH))));
    }
    Ok(files)
}

/// Returns a name of the specification: lowercase letters, digits and single hyphens between them.
fn name(program: &str) -> Result<String, PublishError> {
    let lowercase = program.to_lowercase();
    let words: Vec<&str> =
        lowercase.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let name = words.join("-");
    if name.is_empty() {
        let reason = "has no letter or digit that the name of a skill can have";
        return Err(PublishError::Invalid { what: "name", value: program.to_owned(), reason });
    }
    limited("name of the skill", &name, MAX_NAME)?;
    Ok(name)
}

/// Returns the name of the file about a tool.
fn reference_name(tool: &ToolDefinition) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name: String = tool.name().chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    format!("{name}.md")
}

fn skill(app: &App, package: &Package, name: &str) -> Result<String, PublishError> {
    let title = package.title.as_deref().unwrap_or(&app.name);
    let program = &app.name;
    let mut text = format!("---\nname: {name}\ndescription: {}\n", quoted(&description(app)?));
    let mut line = |key: &str, value: Option<&str>| {
        if let Some(value) = value {
            text.push_str(&format!("{key}: {}\n", quoted(value)));
        }
    };
    line("license", package.license.as_deref());
    line("compatibility", Some(&format!("Requires the program `{program}` in PATH")));
    if app.version.is_some() || package.author.is_some() {
        text.push_str("metadata:\n");
        let mut line = |key: &str, value: Option<&str>| {
            if let Some(value) = value {
                text.push_str(&format!("  {key}: {}\n", quoted(value)));
            }
        };
        line("author", package.author.as_deref());
        line("version", app.version.as_deref());
    }
    text.push_str(&format!("---\n\n# {}\n\n{}\n\n", markdown::cell(title), markdown::block(about(app)?)));
    text.push_str(&instructions(app));
    text.push_str("\n## Tools\n\n");
    for tool in app.registry.tools() {
        let (operation, summary) = (operation(tool), markdown::block(&summary(tool.description())));
        text.push_str(&format!("- `{}` ({operation}): {summary}\n", tool.name()));
    }
    Ok(text)
}

/// Returns what the skill does and when to use it: an agent that has many skills reads nothing else of it.
fn description(app: &App) -> Result<String, PublishError> {
    let about = about(app)?.trim_end_matches('.');
    let mut text = format!("{about}. Use it to run the tools of the command `{}`: ", app.name);
    let mut names = app.registry.tools().map(ToolDefinition::name);
    let mut separator = "";
    let end = ", and more.";
    for name in names.by_ref() {
        if text.chars().count() + separator.len() + name.chars().count() + end.len() > MAX_DESCRIPTION {
            text.push_str(end);
            return Ok(limited("description", &text, MAX_DESCRIPTION)?.to_owned());
        }
        text.push_str(separator);
        text.push_str(name);
        separator = ", ";
    }
    text.push('.');
    Ok(limited("description", &text, MAX_DESCRIPTION)?.to_owned())
}

fn instructions(app: &App) -> String {
    let program = &app.name;
    let first = app.registry.tools().next();
    let example = first.map_or("NAME", ToolDefinition::name);
    let reference = first.map_or("NAME.md".to_owned(), reference_name);
    let mut text = format!(
        "Each tool below is a command. Read about a tool before you run it: `references/{reference}` and the files beside\n\
         it have inputs, output and examples, and `{program} info {example}` shows the same.\n\
         \n\
         - `{program} validate {example} key=value` checks the arguments without running the tool.\n\
         - `{program} run {example} key=value --format json` runs it. Write `key:=JSON` for a list or an object.\n\
         - The result is one JSON object on stdout. If `success` is false, `error` and `problems` say what to change.\n"
    );
    let modifies = |operation| matches!(operation, Some(Operation::Write | Operation::Trigger));
    if app.registry.tools().any(|tool| modifies(tool.operation())) {
        text.push_str(&format!(
            "\nTools with the operation `write` or `trigger` change something. Show what would be called with\n\
             `{program} run NAME … --dry-run`, and ask the user before you run one. A destructive tool also needs `--yes`.\n"
        ));
    }
    text
}

/// Returns a text as a block of code: agents read names and examples as they are, and not as they are rendered.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{text}{fence}\n")
}

/// Returns a text as a double-quoted scalar of YAML on one line.
fn quoted(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    serde_json::Value::from(neutral(&line).into_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_names_of_the_specification() {
        for (program, expected) in
            [("weather", "weather"), ("My Tools_v2", "my-tools-v2"), ("--a--b--", "a-b"), ("café", "caf")]
        {
            assert_eq!(name(program).unwrap(), expected);
        }
        assert!(name("天気").is_err() && name(&"a".repeat(65)).is_err() && name(&"a".repeat(64)).is_ok());
    }

    #[test]
    fn keeps_the_limit_of_descriptions() {
        use tool_core::{DynamicTool, Output, Registry};

        let tool = |number: usize| {
            let name = format!("tool_number_{number:03}_with_a_long_name");
            let definition = ToolDefinition::builder(name, "Does something.").operation(Operation::Read);
            let definition = definition.input_schema(serde_json::json!({"type": "object"})).build().unwrap();
            DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::empty()) })
        };
        let registry = (0..100).fold(Registry::builder(), |builder, number| builder.tool(tool(number)));
        let registry = registry.build().unwrap();
        let lengths: Vec<usize> = (1..=40)
            .map(|length| {
                let app = App::new("demo", registry.clone()).about("é".repeat(length));
                let text = description(&app).unwrap();
                assert!(text.ends_with(", and more."), "{text}");
                text.chars().count()
            })
            .collect();
        assert!(lengths.iter().all(|length| *length <= MAX_DESCRIPTION), "{lengths:?}");
        assert!(lengths.contains(&MAX_DESCRIPTION), "one uses the limit: {lengths:?}");
        let app = App::new("demo", registry).about("é".repeat(MAX_DESCRIPTION));
        assert!(description(&app).is_err());
    }

    #[test]
    fn fences_any_text() {
        assert_eq!(fenced("a\n"), "```text\na\n```\n");
        assert_eq!(fenced("```` b\n"), "`````text\n```` b\n`````\n");
    }

    #[test]
    fn quotes_for_yaml() {
        assert_eq!(quoted("a: \"b\"\n  # c"), r##""a: \"b\" # c""##);
    }
}
