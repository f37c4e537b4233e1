//! The inputs that are typed for `run`: `key=value` and `key:=json`.

use serde_json::json;
use serde_json::value::RawValue;
use tool_cli::fuzzing::assignment;
use tool_core::ToolDefinition;

/// Reads one word as an input of a tool that has a text, a number, a list, a choice and a secret.
///
/// - The key is all before the first `=`, without a `:` at its end. A word without a key is refused.
/// - After `:=` the value is JSON, verbatim, and what is not JSON is refused.
/// - After `=` the value of a text is that text, that of a list is a verbatim JSON list, `null` or a list of that text, and any
///   other is verbatim JSON or that text.
pub fn command_line(input: &[u8]) {
    thread_local! {
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
    let Ok(word) = std::str::from_utf8(input) else { return };
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
