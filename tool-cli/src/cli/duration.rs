//! Durations on the command line.

use std::time::Duration;

/// Parses `500ms`, `30s`, `2m`, `1h`; a bare number is in seconds.
///
/// # Errors
///
/// Returns a message with the expected format.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let milliseconds: u64 = match unit {
        "ms" => 1,
        "" | "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(EXPECTED.to_owned()),
    };
    let time = number.parse::<u64>().ok().and_then(|number| number.checked_mul(milliseconds));
    match time {
        Some(1..) => Ok(Duration::from_millis(time.unwrap_or_default())),
        Some(0) => Err("expected more than zero".to_owned()),
        None => Err(EXPECTED.to_owned()),
    }
}

const EXPECTED: &str = "expected a whole number with `ms`, `s`, `m` or `h`, as in `30s`";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_durations() {
        for (text, milliseconds) in
            [("500ms", 500), ("30s", 30_000), ("30", 30_000), ("2m", 120_000), ("1h", 3_600_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in
            ["", "s", "-1s", "1.5s", "1d", "0", "0ms", "99999999999999999999s", "18446744073709551615h"]
        {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
