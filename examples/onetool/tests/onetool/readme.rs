//! The README shows the real output.

use std::process::Command;

use onetool::{BlockLimits, FetchLimits, Service};
use serde_json::json;
use tool_core::Content;

use crate::registry;

const README: &str = include_str!("../../README.md");

/// Returns each command of the README with the output shown below it.
fn commands() -> Vec<(String, String)> {
    let (_, rest) = README.split_once("```console\n").unwrap();
    let (block, _) = rest.split_once("```\n").unwrap();
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), line.strip_prefix("> "), commands.last_mut()) {
            (Some(command), _, _) => commands.push((command.to_owned(), String::new())),
            (None, Some(more), Some((command, _))) => *command += &format!("\n{more}"),
            (None, _, Some((_, output))) => *output += &format!("{line}\n"),
            (None, _, None) => panic!("output without a command: {line}"),
        }
    }
    commands
}

#[tokio::test(flavor = "multi_thread")]
async fn prints_what_the_readme_shows() {
    let service = Service::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    let origin = service.origin();
    let _running = service.start();
    let commands = commands();
    assert_eq!(commands.len(), 5);
    for (command, expected) in commands {
        let (program, arguments) = command.split_once(' ').unwrap();
        assert_eq!(program, "onetool");
        let command = format!("exec '{}' {arguments} 2>&1", env!("CARGO_BIN_EXE_onetool"));
        let output =
            Command::new("sh").args(["-c", &command]).env("ONETOOL_SEARCH", &origin).output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap().replace(&origin, "http://127.0.0.1:47878");
        assert_eq!(shown, expected, "{arguments}");
    }
}

#[tokio::test]
async fn renders_the_prompt_of_the_readme() {
    let prompt = registry().get_prompt("batch_search", json!({"topics": ["AI", "ML"]})).await.unwrap();
    let Content::Text { text } = &prompt.messages[0].content else { panic!("{prompt:?}") };
    assert!(README.contains(&format!("````text\n{text}\n````")), "{text}");
}

#[test]
fn documents_the_limits() {
    let limits = BlockLimits::default();
    for line in [
        format!("| time, with the calls of tools | {} s |", limits.seconds),
        format!("| steps | {},000,000 |", limits.steps / 1_000_000),
        format!("| memory of values | {} MiB |", limits.memory >> 20),
        format!("| calls of tools | {} |", limits.calls),
        format!("| the result, and the arguments of one tool | {} MiB |", limits.output >> 20),
    ] {
        assert!(README.contains(&line), "{line}");
    }
    let FetchLimits { bytes, time, .. } = FetchLimits::default();
    let page = format!("A page may have {} MiB and take {} seconds.", bytes >> 20, time.as_secs());
    assert!(README.contains(&page), "{page}");
}

#[test]
fn documents_every_tool_and_prompt() {
    let registry = registry();
    let tools = registry.tools().map(|tool| format!("| `{}", tool.name()));
    let prompts = registry.prompts().map(|prompt| format!("| `{}(", prompt.name()));
    for entry in tools.chain(prompts) {
        assert!(README.contains(&entry), "{entry}");
    }
}
