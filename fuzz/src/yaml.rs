//! Values as YAML.

use serde_json::Value;
use tool_cli::fuzzing::yaml as text_of;
use yaml_rust2::{Yaml, YamlLoader};

/// Writes a JSON text as YAML, and reads it with another library.
///
/// - It is one document, which has the same value.
/// - It has no text without quotes that YAML 1.1 takes for a boolean.
pub fn yaml(text: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(text) else { return };
    let output = text_of(&value);
    let documents = YamlLoader::load_from_str(&output);
    let documents = documents.unwrap_or_else(|error| panic!("{error}: {value} is written as\n{output}"));
    assert_eq!(documents.len(), 1, "{value} is written as\n{output}");
    assert!(
        is_same(&documents[0], &value),
        "{value} is written as\n{output}\nand read as {:?}",
        documents[0]
    );
    for line in output.lines() {
        // A text that begins with a hyphen has no space behind it.
        let scalar = line.rsplit(": ").next().unwrap_or_default().trim_start().trim_start_matches("- ");
        let is_boolean = ["y", "n", "yes", "no", "on", "off"].contains(&scalar.to_ascii_lowercase().as_str());
        assert!(!is_boolean, "`{scalar}` has no quotes in\n{output}");
    }
}

fn is_same(yaml: &Yaml, value: &Value) -> bool {
    match (yaml, value) {
        (Yaml::Null, Value::Null) => true,
        (Yaml::Boolean(yaml), Value::Bool(value)) => yaml == value,
        (Yaml::Integer(yaml), Value::Number(value)) => Some(*yaml) == value.as_i64(),
        // Integers beyond 64 bits with a sign are read as floats.
        (Yaml::Real(yaml), Value::Number(value)) => {
            let is_float = value.as_i64().is_none();
            is_float && yaml.parse::<f64>().ok() == value.as_f64()
        }
        (Yaml::String(yaml), Value::String(value)) => yaml == value,
        // `yaml-rust2` takes a sign behind a prefix or behind `+` for that of a number, as in `0x-1` and `+-1`. YAML does not.
        (Yaml::Integer(_), Value::String(value)) => {
            let digits = ["0x", "0o", "+"].iter().find_map(|prefix| value.strip_prefix(prefix));
            digits.is_some_and(|digits| digits.starts_with(['-', '+']))
        }
        (Yaml::Array(yaml), Value::Array(value)) => {
            yaml.len() == value.len() && yaml.iter().zip(value).all(|(yaml, value)| is_same(yaml, value))
        }
        (Yaml::Hash(yaml), Value::Object(value)) => {
            let is_member = |(name, yaml): (&Yaml, &Yaml)| {
                name.as_str().and_then(|name| value.get(name)).is_some_and(|value| is_same(yaml, value))
            };
            yaml.len() == value.len() && yaml.iter().all(is_member)
        }
        _ => false,
    }
}
