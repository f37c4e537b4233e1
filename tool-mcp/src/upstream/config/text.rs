//! Texts that stand for something else: variables of the environment, and lengths of time.

use std::time::Duration;

/// A text with each `${NAME}` and `${NAME:-otherwise}` replaced.
pub(super) fn expanded(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let (mut whole, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        let Some((inside, after)) = after.split_once('}') else {
            return Err("`${` has no `}`".to_owned());
        };
        let (name, otherwise) = match inside.split_once(":-") {
            Some((name, otherwise)) => (name, Some(otherwise)),
            None => (inside, None),
        };
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return Err(format!("`{}` is no name of a variable", name.escape_debug()));
        }
        whole.push_str(before);
        match (variable(name), otherwise) {
            (Some(value), None) => whole.push_str(&value),
            (Some(value), Some(_)) if !value.is_empty() => whole.push_str(&value),
            (_, Some(otherwise)) => whole.push_str(otherwise),
            (None, None) => {
                return Err(format!(
                    "the variable `{name}` is not set: set it, or write `${{{name}:-a text}}`"
                ));
            }
        }
        rest = after;
    }
    whole.push_str(rest);
    Ok(whole)
}

/// A number and its unit.
pub(super) fn spelled(text: &str) -> Option<Duration> {
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
