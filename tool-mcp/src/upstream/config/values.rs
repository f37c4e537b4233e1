//! Environment variables and durations in the configuration file.

use std::time::Duration;

/// Replaces each `${NAME}` and `${NAME:-default}`.
pub(super) fn expand(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let (mut expanded, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        let Some((inside, after)) = after.split_once('}') else {
            return Err("`${` has no `}`".to_owned());
        };
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return Err(format!("`{}` is not a valid variable name", name.escape_debug()));
        }
        expanded.push_str(before);
        match (variable(name), default) {
            (Some(value), None) => expanded.push_str(&value),
            (Some(value), Some(_)) if !value.is_empty() => expanded.push_str(&value),
            (_, Some(default)) => expanded.push_str(default),
            (None, None) => {
                return Err(format!(
                    "the variable `{name}` is not set: set it, or write `${{{name}:-a text}}`"
                ));
            }
        }
        rest = after;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

/// Parses a duration such as `500ms`, `30s` or `2m`.
pub(super) fn parse_duration(text: &str) -> Option<Duration> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok()?;
    match unit.trim() {
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(Duration::from_secs(number)),
        "m" => number.checked_mul(60).map(Duration::from_secs),
        _ => None,
    }
}
