//! Command lines that call a tool.

use serde_json::json;
use serde_json::value::RawValue;
use tool_cli::App;
use tool_cli::fuzzing::{assignment, call};
use tool_core::{Registry, ToolDefinition, tool, tools};

use crate::command_grammar::{Reading, read};

/// Takes inputs of several types.
#[tool(operation = Transform)]
fn typed(
    /** A text. */
    text: String,
    /** A number. */
    number: i64,
    /** Texts. */
    list: Vec<String>,
    /** A truth. */
    truth: bool,
    /** Another number. */
    node_id: u32,
) -> String {
    panic!("`{text}` {number} {list:?} {truth} {node_id} is executed");
}

/// Takes nothing.
#[tool(operation = Write, destructive = false)]
fn other() {
    panic!("a tool is executed");
}

/// Reads words as a command line; they are separated by NUL. Each word is read as an input besides.
///
/// - A call has the command, the tool, the switches and the arguments that it has by a second reading of the grammar.
/// - No other line is accepted as a call, and nothing is executed.
pub fn command_line(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let words: Vec<&str> = text.split('\0').collect();
    words.iter().for_each(|word| check_assignment(word));
    // A file would be read.
    if words.iter().any(|word| word.starts_with('@') || word.contains("=@")) {
        return;
    }
    let registry = REGISTRY.with(Clone::clone);
    let called = call(&App::new("fuzz", registry), &words);
    match read(&words) {
        Reading::Call(expected) => assert_eq!(called, Some(expected), "{words:?}"),
        Reading::NoCall => assert_eq!(called, None, "{words:?}"),
        Reading::Unsure => {}
    }
}

thread_local! {
    static REGISTRY: Registry =
        Registry::builder().tools(tools![typed, other]).build().expect("the tools are valid");

    static TOOL: ToolDefinition = {
        let properties = json!({
            "text": {"type": "string"},
            "number": {"type": "integer"},
            "list": {"type": "array", "items": {"type": "string"}},
            "choice": {"type": ["string", "null"]},
            "secret": {"type": "string", "writeOnly": true},
        });
        let schema = json!({"type": "object", "properties": properties});
        ToolDefinition::builder("typed", "Typed.").input_schema(schema).build().expect("a valid tool")
    };
}

/// Reads one word as an input of a tool that has a text, a number, a list, a choice and a secret.
///
/// - The key is all before the first `=`, without a `:` at its end. A word without a key is refused.
/// - After `:=` the value is JSON, verbatim, and what is not JSON is refused.
/// - After `=` the value of a text is that text, that of a list is a verbatim JSON list, `null` or a list of that text, and any
///   other is verbatim JSON or that text.
fn check_assignment(word: &str) {
    let read = TOOL.with(|tool| assignment(tool, word));
    let expected_key = word.split_once('=').map(|(key, value)| (key.strip_suffix(':'), key, value));
    let (key, value, is_json) = match expected_key {
        Some((Some(key), _, value)) if !key.is_empty() => (key, value, true),
        Some((None, key, value)) if !key.is_empty() => (key, value, false),
        _ => {
            assert!(read.is_none(), "accepts a word without a key: {read:?}");
            return;
        }
    };
    let verbatim = serde_json::from_str::<&RawValue>(value).ok().map(|json| json.get().to_owned());
    let Some((read_key, read_value)) = read else {
        assert!(is_json && verbatim.is_none(), "refuses `{word}`");
        return;
    };
    assert_eq!(read_key, key);
    let is_verbatim = verbatim.as_ref() == Some(&read_value);
    let is_text = serde_json::from_str::<String>(&read_value).is_ok_and(|text| text == value);
    match key {
        _ if is_json => assert!(is_verbatim, "`{word}` is read as {read_value}"),
        "text" | "secret" => assert!(is_text, "`{word}` is read as {read_value}"),
        "list" if verbatim.as_ref().is_some_and(|json| json == "null" || json.starts_with('[')) => {
            assert!(is_verbatim, "`{word}` is read as {read_value}");
        }
        "list" => {
            let items: Vec<String> = serde_json::from_str(&read_value).expect("a list of texts");
            assert_eq!(items, [value], "`{word}` is read as {read_value}");
        }
        "number" => assert_eq!(
            (is_verbatim, is_text || is_verbatim),
            (verbatim.is_some(), true),
            "`{word}` is read as {read_value}"
        ),
        _ => assert!(is_verbatim || is_text, "`{word}` is read as {read_value}"),
    }
}
