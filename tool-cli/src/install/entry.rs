//! The entry of a server in the configuration of a client.

use serde_json::Value;

/// A server that a client starts.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// The absolute path of the program.
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    /// Whether the entry names its transport.
    pub(crate) has_type: bool,
}

/// The transport of the entry.
pub(super) const TRANSPORT: &str = "stdio";

impl Entry {
    /// Returns `true` if this value starts the same program in the same way. What else it has, such as variables of the
    /// environment, is the choice of the user.
    pub(super) fn is_started_by(&self, value: &Value) -> bool {
        let args = value.get("args").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let is_stdio = value.get("type").is_none_or(|kind| kind == TRANSPORT);
        is_stdio
            && value.get("command").is_some_and(|command| *command == self.command)
            && args.len() == self.args.len()
            && args.iter().zip(&self.args).all(|(other, arg)| other == arg)
    }
}

#[cfg(test)]
impl Entry {
    /// Returns an entry whose texts must be escaped.
    pub(super) fn demo(args: &[&str]) -> Self {
        Entry {
            name: "demo".to_owned(),
            command: "C:\\demo \"x\"".to_owned(),
            args: args.iter().map(ToString::to_string).collect(),
            has_type: true,
        }
    }
}

/// Returns a name that every client takes: letters, digits, `-` and `_`.
pub(super) fn name(program: &str) -> String {
    let name: String =
        program.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "tools".to_owned() } else { name.to_owned() }
}

/// What becomes of a configuration file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Edit {
    /// It has the entry.
    Unchanged,
    /// It has this text, with a new entry.
    Added(String),
    /// It has this text, with another entry in the place of one.
    Replaced(String),
}

/// Why a configuration file is not changed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EditError {
    #[error(
        "is not valid {language}, line {line}, column {column}: {reason}\nhelp: correct the file, which was not changed"
    )]
    Invalid { language: &'static str, line: usize, column: usize, reason: String },
    #[error("has no {wanted} at `{key}`\nhelp: correct the file, which was not changed")]
    NotObject { wanted: &'static str, key: String },
    #[error("has no object at its top\nhelp: correct the file, which was not changed")]
    NoRoot,
    #[error("has `{key}` twice\nhelp: correct the file, which was not changed")]
    Duplicate { key: String },
    #[error("has another entry `{name}`\nhelp: add `--replace` to replace it")]
    Differs { name: String },
    #[error("cannot take the entry without other changes\nhelp: add the entry by hand")]
    Unsupported,
}

/// Splits the mark that editors of Windows put before a text.
pub(super) fn split_mark(text: &str) -> (&str, &str) {
    let length = text.strip_prefix('\u{feff}').map_or(0, |rest| text.len() - rest.len());
    text.split_at(length)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn makes_names_that_clients_take() {
        for (program, expected) in
            [("weather", "weather"), ("my tools.v2", "my-tools-v2"), ("café_1", "caf-_1"), ("天気", "tools")]
        {
            assert_eq!(name(program), expected);
        }
    }

    #[test]
    fn compares_what_starts_the_program() {
        let entry = Entry {
            name: "weather".to_owned(),
            command: "/bin/weather".to_owned(),
            args: vec!["serve".to_owned()],
            has_type: true,
        };
        for (value, same) in [
            (json!({"command": "/bin/weather", "args": ["serve"]}), true),
            (json!({"type": "stdio", "command": "/bin/weather", "args": ["serve"], "env": {"A": "b"}}), true),
            (json!({"type": "http", "command": "/bin/weather", "args": ["serve"]}), false),
            (json!({"command": "/bin/weather", "args": ["serve", "mcp"]}), false),
            (json!({"command": "/bin/weather", "args": [1]}), false),
            (json!({"command": "/bin/weather"}), false),
            (json!({"command": "/bin/other", "args": ["serve"]}), false),
            (json!("/bin/weather"), false),
        ] {
            assert_eq!(entry.is_started_by(&value), same, "{value}");
        }
    }
}
