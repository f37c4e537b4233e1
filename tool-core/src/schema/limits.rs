//! Limits of scalar inputs, checked on their JSON text before decoding.

use serde_json::Value;

use crate::schema::format::Format;

/// The limits of a value beyond its type.
///
/// An admitted text is valid for the schema. For other texts, the validator decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limits {
    None,
    Integer {
        least: i128,
        most: i128,
    },
    Number {
        least: f64,
        most: f64,
    },
    /// Code points.
    Text {
        least: u64,
        most: u64,
    },
    Format(Format),
}

/// From here on, floats cannot represent every integer.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Limits {
    /// Returns the limits in the schema of a scalar; `None` if they cannot be checked on a text.
    ///
    /// It knows ranges, lengths and formats. `normal::decode_implies_validity` excludes every other keyword before, so a new
    /// constraint must return `None` here.
    pub(crate) fn of(schema: &Value) -> Option<Self> {
        let has = |keywords: &[&str]| keywords.iter().any(|keyword| schema.get(keyword).is_some());
        if has(&["pattern"]) {
            return None;
        }
        match schema["type"].as_str()? {
            "integer" => {
                let integer = |keyword: &str, otherwise| match schema.get(keyword) {
                    Some(bound) => bound.as_i64().map(i128::from).or_else(|| bound.as_u64().map(i128::from)),
                    None => Some(otherwise),
                };
                Some(Limits::Integer {
                    least: integer("minimum", i128::MIN)?,
                    most: integer("maximum", i128::MAX)?,
                })
            }
            "number" => {
                let number = |keyword: &str, otherwise: f64| match schema.get(keyword) {
                    Some(bound) => bound.as_f64().map(|bound| bound.clamp(-EXACT, EXACT)),
                    None => Some(otherwise),
                };
                let (least, most) = (number("minimum", -EXACT)?, number("maximum", EXACT)?);
                Some(Limits::Number { least, most })
            }
            "string" if has(&["format"]) => {
                let is_limited = has(&["minLength", "maxLength"]);
                let format = Format::named(schema["format"].as_str()?).filter(|_| !is_limited)?;
                Some(Limits::Format(format))
            }
            "string" => Some(Limits::Text {
                least: schema["minLength"].as_u64().unwrap_or(0),
                most: schema["maxLength"].as_u64().unwrap_or(u64::MAX),
            }),
            _ => None,
        }
    }

    /// Returns `true` if the text is certainly within the limits.
    #[inline]
    pub(crate) fn admit(&self, text: &[u8]) -> bool {
        matches!(self, Limits::None) || str::from_utf8(text).is_ok_and(|text| self.keeps(text))
    }

    #[inline(never)]
    fn keeps(&self, text: &str) -> bool {
        match self {
            Limits::None => true,
            Limits::Integer { least, most } => {
                text.parse().is_ok_and(|integer: i128| (*least..=*most).contains(&integer))
            }
            Limits::Number { least, most } => text
                .parse()
                .is_ok_and(|number: f64| number.abs() < EXACT && (*least..=*most).contains(&number)),
            Limits::Text { least, most } => inside(text).is_some_and(|inside| {
                !inside.contains('\\') && (*least..=*most).contains(&(inside.chars().count() as u64))
            }),
            // No format with a fast check allows a backslash.
            Limits::Format(format) => inside(text).is_some_and(|inside| format.admits(inside)),
        }
    }
}

/// Returns the contents of a JSON string.
fn inside(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::Limits;
    use serde_json::json;

    #[test]
    fn admits_certain_texts() {
        let integer = Limits::of(&json!({"type": "integer", "minimum": -1, "maximum": 9})).unwrap();
        let number = Limits::of(&json!({"type": "number", "minimum": 0.1})).unwrap();
        let text = Limits::of(&json!({"type": "string", "minLength": 1, "maxLength": 2})).unwrap();
        for (limits, admitted, not) in [
            (integer, &["-1", "0", "9"][..], &["-2", "10", "1.0", "1e0", "null", "\"1\"", "x"][..]),
            (number, &["0.1", "1", "1e3"], &["0.09", "-1", "9007199254740993", "NaN", "inf"]),
            (text, &["\"a\"", "\"\u{1f600}b\""], &["\"\"", "\"abc\"", "\"\\n\"", "\"", "1"]),
        ] {
            for text in admitted {
                assert!(limits.admit(text.as_bytes()), "{limits:?}: {text}");
            }
            for text in not {
                assert!(!limits.admit(text.as_bytes()), "{limits:?}: {text}");
            }
        }
        assert_eq!(Limits::of(&json!({"type": "string", "pattern": "^a"})), None);
        assert_eq!(Limits::of(&json!({"type": "array", "minItems": 1})), None);
    }
}
