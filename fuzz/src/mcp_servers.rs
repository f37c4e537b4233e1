//! The configuration files of MCP clients.

use serde_json::{Map, Value};
use tool_cli::fuzzing::{clients, install};

const COMMAND: &str = "C:\\fuzz \"x\"";
const ARGS: [&str; 3] = ["serve", "", "a\nb"];

/// Adds a server to a configuration file. The first byte chooses the client (modulo 5) and whether an entry may be replaced (128).
///
/// - The new file has the entry, and everything else that it had.
/// - The file is not changed again by the same entry.
/// - A file without comments that is not JSON or TOML is not changed.
pub fn mcp_servers(input: &[u8]) {
    let Some((choice, text)) = input.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let (client, replace) = (usize::from(choice & 127) % 5, choice & 128 != 0);
    let Some(edited) = install(client, text, COMMAND, &ARGS, replace) else { return };
    let name = clients()[client];
    let read = |text: &str| parse(name, text.strip_prefix('\u{feff}').unwrap_or(text));
    let mut before = match read(text) {
        Ok(before) => before,
        // The editor reads no numbers.
        Err(error) if error.contains("number out of range") => return,
        Err(error) => panic!("changes what is invalid: {error}"),
    };
    let mut after = read(&edited).unwrap_or_else(|error| panic!("{error} in\n{edited}"));
    let section = match name {
        "codex" => "mcp_servers",
        "vscode" => "servers",
        _ => "mcpServers",
    };
    let entry = &after[section]["fuzz"];
    assert_eq!(entry["command"], COMMAND, "{edited}");
    assert_eq!(entry["args"].as_array().map(Vec::len), Some(ARGS.len()), "{edited}");
    assert!(ARGS.iter().enumerate().all(|(at, arg)| entry["args"][at] == *arg), "{edited}");
    for file in [&mut before, &mut after] {
        let Some(servers) = file.get_mut(section).and_then(Value::as_object_mut) else { continue };
        servers.remove("fuzz");
        if servers.is_empty() {
            file.as_object_mut().map(|members| members.remove(section));
        }
    }
    assert_eq!(before, after, "something else is changed:\n{edited}");
    assert_eq!(install(client, &edited, COMMAND, &ARGS, replace), None, "the entry is changed again");
}

/// Reads a file as its client does, with other code than the one that edits.
fn parse(client: &str, text: &str) -> Result<Value, String> {
    if client == "codex" {
        return toml::from_str::<toml::Table>(text).map_err(|error| error.to_string()).map(|it| value(&it));
    }
    let plain = without_comments(text);
    let text = if client.starts_with("claude") { text } else { &plain };
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn value(table: &toml::Table) -> Value {
    let member = |(name, item): (&String, &toml::Value)| (name.clone(), item_value(item));
    Value::Object(table.iter().map(member).collect())
}

fn item_value(item: &toml::Value) -> Value {
    match item {
        toml::Value::Table(table) => value(table),
        toml::Value::Array(items) => items.iter().map(item_value).collect(),
        toml::Value::String(text) => text.as_str().into(),
        // All that counts is that it stays the same.
        other => format!("{other:?}").into(),
    }
}

/// Returns JSON without comments and trailing commas, which become spaces. So do control characters in strings, which the clients
/// that allow comments let pass, and other white space than that of JSON, which the editor of our files lets pass.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut comma = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' => string_length(rest),
            '/' if rest.starts_with("//") => rest.find(['\r', '\n']).unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            c => c.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        if c == '/' && length > 1 {
            plain.push(' ');
            continue;
        }
        if let (Some(at), '}' | ']') = (comma, c) {
            plain.replace_range(at..=at, " ");
        }
        if !c.is_whitespace() {
            comma = (c == ',').then_some(plain.len());
        }
        let is_space =
            |c: char| if token.starts_with('"') { c.is_ascii_control() } else { c.is_whitespace() };
        plain.extend(token.chars().map(|c| if is_space(c) { ' ' } else { c }));
    }
    plain
}

/// Returns the length of the string that a text begins with.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}
