//! The README shows the real output.

use crate::program::Fixture;
use crate::service::Library;

const README: &str = include_str!("../../README.md");

/// Returns each command of the README with the output shown below it.
fn commands() -> Vec<(String, String)> {
    let (_, rest) = README.split_once("```console\n").unwrap();
    let (block, _) = rest.split_once("```\n").unwrap();
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_owned(), String::new())),
            (None, Some((_, output))) => *output += &format!("{line}\n"),
            (None, None) => panic!("output without a command: {line}"),
        }
    }
    commands
}

#[test]
fn prints_what_the_readme_shows() {
    let library = Library::start();
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    let seed = include_str!("../../seed/demo.json").replace("http://127.0.0.1:8081", &library.origin);
    std::fs::create_dir_all(folder.path().join("examples/catalogue/seed")).unwrap();
    std::fs::write(folder.path().join("examples/catalogue/seed/demo.json"), seed).unwrap();
    let commands = commands();
    assert!(commands.len() >= 6);
    for (command, expected) in commands {
        let arguments = command.strip_prefix("catalogue ").unwrap_or_else(|| panic!("{command}"));
        let shell = format!("exec \"$CATALOGUE\" {arguments} 2>&1");
        let mut program = std::process::Command::new("sh");
        for (name, value) in fixture.program().get_envs() {
            match value {
                Some(value) => program.env(name, value),
                None => program.env_remove(name),
            };
        }
        program
            .env("CATALOGUE", env!("CARGO_BIN_EXE_catalogue"))
            .env("COLUMNS", "110")
            .current_dir(folder.path());
        let output = program.args(["-c", &shell]).output().unwrap();
        let shown =
            String::from_utf8(output.stdout).unwrap().replace(&library.origin, "http://127.0.0.1:8081");
        assert_eq!(shown, expected, "{command}");
    }
}

#[test]
fn lists_the_title_and_provider_of_every_tool() {
    let fixture = Fixture::new().with_library("http://127.0.0.1:1");
    let rows = fixture.output(&["list", "--format", "json"]);
    let rows: serde_json::Value = serde_json::from_slice(&rows.stdout).unwrap();
    let row = |name: &str| {
        let row = rows.as_array().unwrap().iter().find(|row| row["name"] == name).unwrap();
        (row["title"].clone(), row["provider"].clone())
    };
    assert_eq!(row("find_books"), ("Find books".into(), "library".into()));
    assert_eq!(row("add_tool"), ("Add a tool".into(), "catalogue".into()));
    for row in rows.as_array().unwrap() {
        assert!(row["title"].is_string() && row["provider"].is_string(), "{row}");
    }
}

#[test]
fn documents_every_tool_and_variable() {
    let fixture = Fixture::new();
    let names = fixture.output(&["list", "--format", "name"]);
    for name in String::from_utf8(names.stdout).unwrap().lines() {
        assert!(README.contains(&format!("`{name}`")), "{name}");
    }
    for variable in
        ["DATABASE_URL", "CATALOGUE_DATABASE", "CATALOGUE_TTL", "CATALOGUE_LOOPBACK", "CATALOGUE_TOKEN"]
    {
        assert!(README.contains(&format!("`{variable}`")), "{variable}");
    }
}
