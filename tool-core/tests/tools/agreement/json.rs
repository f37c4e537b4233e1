//! JSON text: with members in any order and duplicated, and numbers in every spelling.

use std::fmt;

use serde_json::{Map, Value};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    /// An integer and its spelling.
    Integer(i128, Spelling),
    /// The text of a number with a fraction.
    Fraction(String),
    /// A text, and whether its characters are escaped.
    Text(String, bool),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// The spelling of an integer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Spelling {
    Digits,
    /// `5.0`
    Point,
    /// `5e0`, `0.5E1` or `5e3`
    Exponent,
}

impl Json {
    pub(crate) fn text(text: &str) -> Self {
        Json::Text(text.to_owned(), false)
    }

    /// Returns the value.
    pub(crate) fn value(&self) -> Value {
        match self {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            // Rounding must not give the least integer of 64 bits.
            Json::Integer(value, _) if *value < i64::MIN.into() => {
                (*value as f64).min((i64::MIN as f64).next_down()).into()
            }
            // All others are exact, or too large to matter.
            Json::Integer(value, _) => serde_json::from_str(&value.to_string()).unwrap(),
            Json::Fraction(text) => serde_json::from_str(text).unwrap(),
            Json::Text(text, _) => text.as_str().into(),
            Json::List(items) => items.iter().map(Json::value).collect(),
            Json::Object(members) => Value::Object(
                members.iter().map(|(name, value)| (name.clone(), value.value())).collect::<Map<_, _>>(),
            ),
        }
    }

    /// Returns `true` if an integer in it is rounded as a `Value`.
    pub(crate) fn has_an_integer_that_is_rounded(&self) -> bool {
        match self {
            Json::Integer(value, _) => {
                i64::try_from(*value).is_err()
                    && u64::try_from(*value).is_err()
                    && (*value as f64).to_string() != value.to_string()
            }
            Json::List(items) => items.iter().any(Json::has_an_integer_that_is_rounded),
            Json::Object(members) => members.iter().any(|(_, value)| value.has_an_integer_that_is_rounded()),
            _ => false,
        }
    }

    pub(crate) fn has_a_member_twice(&self) -> bool {
        match self {
            Json::List(items) => items.iter().any(Json::has_a_member_twice),
            Json::Object(members) => members.iter().enumerate().any(|(position, (name, value))| {
                members[..position].iter().any(|(other, _)| other == name) || value.has_a_member_twice()
            }),
            _ => false,
        }
    }

    /// Returns it without each subset of its `null` members; of more than six, without all or none.
    pub(crate) fn without_nulls(&self) -> Vec<Json> {
        let count = self.null_members();
        let choices: Vec<u32> = if count > 6 { vec![0, u32::MAX] } else { (0..1 << count).collect() };
        choices.into_iter().map(|choice| self.without(choice, &mut 0)).collect()
    }

    fn null_members(&self) -> u32 {
        match self {
            Json::List(items) => items.iter().map(Json::null_members).sum(),
            Json::Object(members) => {
                let each =
                    |(_, value): &(String, Json)| u32::from(*value == Json::Null) + value.null_members();
                members.iter().map(each).sum()
            }
            _ => 0,
        }
    }

    fn without(&self, choice: u32, seen: &mut u32) -> Json {
        match self {
            Json::List(items) => Json::List(items.iter().map(|item| item.without(choice, seen)).collect()),
            Json::Object(members) => {
                let mut kept = Vec::new();
                for (name, value) in members {
                    if *value == Json::Null {
                        *seen += 1;
                        if choice >> (*seen - 1).min(31) & 1 == 1 {
                            continue;
                        }
                    }
                    kept.push((name.clone(), value.without(choice, seen)));
                }
                Json::Object(kept)
            }
            other => other.clone(),
        }
    }

    /// Counts all values, the whole one first.
    pub(crate) fn count(&self) -> usize {
        1 + match self {
            Json::List(items) => items.iter().map(Json::count).sum(),
            Json::Object(members) => members.iter().map(|(_, value)| value.count()).sum(),
            _ => 0,
        }
    }

    /// Returns the value with this number, in the order of [`Json::count`].
    pub(crate) fn at(&mut self, number: &mut usize) -> Option<&mut Json> {
        if *number == 0 {
            return Some(self);
        }
        *number -= 1;
        let below: Vec<&mut Json> = match self {
            Json::List(items) => items.iter_mut().collect(),
            Json::Object(members) => members.iter_mut().map(|(_, value)| value).collect(),
            _ => Vec::new(),
        };
        below.into_iter().find_map(|value| value.at(number))
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Integer(value, Spelling::Digits) => write!(f, "{value}"),
            Json::Integer(0, Spelling::Point) => f.write_str("-0.0"),
            Json::Integer(0, Spelling::Exponent) => f.write_str("-0"),
            Json::Integer(value, Spelling::Point) => write!(f, "{value}.0"),
            Json::Integer(value, Spelling::Exponent) => {
                let sign = if *value < 0 { "-" } else { "" };
                let digits = value.unsigned_abs().to_string();
                let (first, rest) = digits.split_at(1);
                if rest.bytes().all(|digit| digit == b'0') {
                    write!(f, "{sign}{first}e{}", rest.len())
                } else {
                    write!(f, "{sign}{first}.{rest}E+{}", rest.len())
                }
            }
            Json::Fraction(text) => f.write_str(text),
            Json::Text(text, false) => write!(f, "{}", Value::from(text.as_str())),
            Json::Text(text, true) => {
                f.write_str("\"")?;
                text.encode_utf16().try_for_each(|unit| write!(f, "\\u{unit:04X}"))?;
                f.write_str("\"")
            }
            Json::List(items) => {
                f.write_str("[")?;
                for (position, item) in items.iter().enumerate() {
                    let comma = if position > 0 { " , " } else { "" };
                    write!(f, "{comma}{item}")?;
                }
                f.write_str("]")
            }
            Json::Object(members) => {
                f.write_str("{ ")?;
                for (position, (name, value)) in members.iter().enumerate() {
                    let comma = if position > 0 { "," } else { "" };
                    write!(f, "{comma}{}:\n{value}", Value::from(name.as_str()))?;
                }
                f.write_str("}")
            }
        }
    }
}
