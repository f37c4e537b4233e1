//! Integers in floating-point notation: `1.0`, `1e3`, `-0`.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::ops::Range;

use serde_json::Value;

use crate::schema::json::parse::WIDE;
use crate::schema::json::pointer::push_token;
use crate::schema::json::string::end_of_string;

/// Compares two numbers, integers exactly.
pub(crate) fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    let integer = |value: &Value| value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

/// Rewrites every integer with a fraction, an exponent or as `-0` in plain digits.
///
/// Returns `None` if there is none, so that a text is not decoded twice in vain. Strings stay unchanged, and so do
/// fractional numbers and those of more than [`LONGEST`] digits, which no integer type holds.
pub(crate) fn spell_out_integers(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    for number in numbers(text) {
        if let Some(integer) = integer(&text[number.clone()]) {
            out.push_str(&text[copied..number.start]);
            out.push_str(&integer);
            copied = number.end;
        }
    }
    (copied > 0).then(|| out + &text[copied..])
}

/// Returns the ranges of the numbers in a JSON text.
fn numbers(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            match bytes[at] {
                b'"' => at = end_of_string(bytes, at + 1),
                b'-' | b'0'..=b'9' => {
                    let start = at;
                    at += bytes[at..].iter().take_while(|b| is_number(**b)).count();
                    return Some(start..at);
                }
                _ => at += 1,
            }
        }
        None
    })
}

/// Returns the paths of integers that were rounded when parsed; at most `most`.
pub(crate) fn rounded(value: &Value, text: &str, most: usize) -> Vec<String> {
    // Both have the numbers in the same order.
    let mut are_rounded =
        numbers(text).map(|number| &text[number]).filter(|number| is_wide(number)).map(is_rounded);
    let mut paths = Vec::new();
    collect(value, &mut String::new(), &mut |path| {
        if are_rounded.next() == Some(true) && paths.len() < most {
            paths.push(path.to_owned());
        }
    });
    paths
}

/// Visits the paths of numbers that do not fit into 64 bits.
fn collect(value: &Value, path: &mut String, visit: &mut impl FnMut(&str)) {
    let length = path.len();
    match value {
        Value::Number(number) if number.is_f64() && number.as_f64().is_some_and(|n| n.abs() >= WIDE) => {
            visit(path);
        }
        Value::Array(items) => {
            for (position, item) in items.iter().enumerate() {
                // Writing to a string never fails.
                _ = write!(path, "/{position}");
                collect(item, path, visit);
                path.truncate(length);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                push_token(path, name);
                collect(member, path, visit);
                path.truncate(length);
            }
        }
        _ => {}
    }
}

fn is_wide(number: &str) -> bool {
    let is_kept = number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
    !is_kept && number.parse::<f64>().is_ok_and(|number| number.abs() >= WIDE)
}

/// Returns `true` if an integer was rounded as a float. Many programs write floats in digits.
fn is_rounded(number: &str) -> bool {
    !number.contains(['.', 'e', 'E']) && number.parse::<f64>().is_ok_and(|value| value.to_string() != number)
}

/// More digits than any integer type has.
const LONGEST: usize = 40;

fn is_number(byte: u8) -> bool {
    matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')
}

/// Returns `true` for a JSON number (RFC 8259, section 6). The parser rejects others.
fn is_json(number: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let number = number.strip_prefix('-').unwrap_or(number);
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.strip_prefix(['+', '-']).unwrap_or(exponent)),
        None => (number, "0"),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let leads_with_zero = whole.len() > 1 && whole.starts_with('0');
    digits(whole) && !leads_with_zero && digits(fraction) && digits(exponent)
}

/// Returns the plain digits of an integer in another notation; `None` for all other numbers.
fn integer(number: &str) -> Option<String> {
    if !number.contains(['.', 'e', 'E']) {
        return (number == "-0").then(|| "0".to_owned());
    }
    if !is_json(number) {
        return None;
    }
    let (sign, number) = match number.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", number),
    };
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        // Zero.
        return Some("0".to_owned());
    }
    let zeros = i64::from(exponent.parse::<i32>().ok()?) - i64::try_from(fraction.len()).ok()?;
    if zeros >= 0 {
        let zeros = usize::try_from(zeros).ok().filter(|zeros| digits.len() + zeros <= LONGEST)?;
        return Some(format!("{sign}{digits}{}", "0".repeat(zeros)));
    }
    let cut = digits.len().checked_sub(usize::try_from(-zeros).ok()?)?;
    let (kept, dropped) = digits.split_at(cut);
    (!kept.is_empty() && dropped.bytes().all(|b| b == b'0')).then(|| format!("{sign}{kept}"))
}

#[cfg(test)]
mod tests {
    use super::{rounded, spell_out_integers};

    #[test]
    fn spells_out_integers_and_changes_nothing_else() {
        for (text, expected) in [
            ("1.0", Some("1")),
            ("1e3", Some("1000")),
            ("1E0", Some("1")),
            ("-0", Some("0")),
            ("-0.0", Some("0")),
            ("0e99999999999", Some("0")),
            ("-0.000e-99999999999", Some("0")),
            ("1e99999999999", None),
            ("-1.50e1", Some("-15")),
            ("12300e-2", Some("123")),
            ("0.001e3", Some("1")),
            ("9007199254740993.0", Some("9007199254740993")),
            ("1e19", Some("10000000000000000000")),
            ("12e30", Some("12000000000000000000000000000000")),
            ("12e38", Some("1200000000000000000000000000000000000000")),
            ("12e39", None),
            ("1", None),
            ("1.5", None),
            ("15e-1", None),
            ("1e400", None),
            ("5e-400", None),
            ("1e+3", Some("1000")),
            // Invalid JSON stays invalid.
            ("01.0", None),
            ("1.", None),
            ("1.e2", None),
            ("-.5e1", None),
            ("-00.0", None),
            ("1.0e", None),
            ("1.0e+-1", None),
            ("1.0.0", None),
            ("--1.0", None),
            (r#""1.0""#, None),
            (r#""a\"1.0""#, None),
            (r#"{"1e3":[1.0,"2.0",{"a":3E0}],"b":-0}"#, Some(r#"{"1e3":[1,"2.0",{"a":3}],"b":0}"#)),
        ] {
            assert_eq!(spell_out_integers(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn finds_integers_that_were_rounded() {
        let text = "[1.5, -9223372036854775808, 18446744073709551615, 123456789012345678901, 1e20, \
                    123456789012345680000, {\"a/b\": -123456789012345678901}]";
        let value = serde_json::from_str(text).unwrap();
        assert_eq!(rounded(&value, text, 9), ["/3", "/6/a~1b"]);
        assert_eq!(rounded(&value, text, 1), ["/3"]);
    }
}
