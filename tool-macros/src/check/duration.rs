//! The durations of `timeout`, `cache` and `task(…)`: `500ms`, `30s`, `2m`, `1h`.

use super::execution::execution;
use super::operation::{modifies, operation};
use crate::diagnostics::{Errors, Section};
use crate::model::Execution;
use crate::parse::{Attribute, Function};

/// The errors of a duration.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DurationError {
    Format,
    Zero,
    TooLong,
}

/// Parses a duration, in milliseconds.
pub(super) fn parse(text: &str) -> Result<u64, DurationError> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).ok_or(DurationError::Format)?;
    let (number, unit) = text.split_at(digits);
    let milliseconds = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(DurationError::Format),
    };
    if number.is_empty() {
        return Err(DurationError::Format);
    }
    let number: u64 = number.parse().map_err(|_| DurationError::TooLong)?;
    match number.checked_mul(milliseconds) {
        Some(0) => Err(DurationError::Zero),
        Some(milliseconds) => Ok(milliseconds),
        None => Err(DurationError::TooLong),
    }
}

// A synchronous function on the same thread cannot be interrupted.
pub(super) fn check_timeout(attribute: &Attribute, function: &Function, errors: &mut Errors) {
    let Some(given) = &attribute.timeout else { return };
    if let Err(error) = parse(&given.value) {
        push(&error, "timeout", &given.value, &given.tokens, errors);
    }
    if execution(attribute, function) == Execution::Sync && !errors.is_unreadable("blocking") {
        errors.push(
            Section::Attribute,
            &given.tokens,
            "a plain `fn` cannot be stopped by a timeout",
            "add `blocking`, make it an `async fn`, or remove `timeout`",
        );
    }
}

// A cached result would skip the effects of the tool.
pub(super) fn check_cache(attribute: &Attribute, errors: &mut Errors) {
    let Some(given) = &attribute.cache else { return };
    if let Err(error) = parse(&given.value) {
        push(&error, "cache", &given.value, &given.tokens, errors);
    }
    if let Some(operation) = operation(attribute)
        && modifies(&operation)
    {
        errors.push(
            Section::Attribute,
            &given.tokens,
            format!("the result of a `{operation}` tool cannot be cached"),
            "remove `cache`, or use an operation that does not modify",
        );
    }
}

pub(super) fn push(
    error: &DurationError,
    option: &str,
    text: &str,
    tokens: &proc_macro2::TokenStream,
    errors: &mut Errors,
) {
    let fact = match error {
        DurationError::Format => format!("`{text}` is not a duration"),
        DurationError::Zero => format!("`{text}` is a duration of zero"),
        DurationError::TooLong => format!("`{text}` is too long"),
    };
    let help = match error {
        DurationError::Format => {
            format!("write a whole number with `ms`, `s`, `m` or `h`, as in `{option} = \"30s\"`")
        }
        DurationError::Zero | DurationError::TooLong => format!("use another duration, or remove `{option}`"),
    };
    errors.push(Section::Attribute, tokens, fact, help);
}

#[cfg(test)]
mod tests {
    use super::{DurationError, parse};

    #[test]
    fn parses_durations() {
        for (text, milliseconds) in [
            ("1ms", 1),
            ("500ms", 500),
            ("030s", 30_000),
            ("2m", 120_000),
            ("1h", 3_600_000),
            ("18446744073709551615ms", u64::MAX),
        ] {
            assert_eq!(parse(text), Ok(milliseconds), "{text}");
        }
        for text in ["", "s", "30", "30 s", " 30s", "30s ", "1.5s", "-1s", "+1s", "30S", "1d", "٣s", "1h30m"]
        {
            assert_eq!(parse(text), Err(DurationError::Format), "{text}");
        }
        for text in ["0ms", "00h"] {
            assert_eq!(parse(text), Err(DurationError::Zero), "{text}");
        }
        for text in ["18446744073709551616ms", "18446744073709552s"] {
            assert_eq!(parse(text), Err(DurationError::TooLong), "{text}");
        }
    }
}
