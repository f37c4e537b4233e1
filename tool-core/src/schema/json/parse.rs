//! Strict JSON parsing: duplicate members are rejected at every depth.

use std::fmt::{self, Write as _};
use std::sync::LazyLock;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::schema::json::pointer::push_token;
use crate::schema::problem::Problem;

/// The maximum number of members of an object.
const MAX_MEMBERS: usize = 10_000;

/// Parses a JSON text.
///
/// # Errors
///
/// If the text is not JSON, is nested more than 127 levels deep, or has a duplicate member.
pub(crate) fn parse(text: &str) -> Result<Value, Problem> {
    read(text).map(|ParsedJson { value, .. }| value)
}

/// A parsed JSON text.
pub(crate) struct ParsedJson {
    pub(crate) value: Value,
    /// Whether it has a number that does not fit into 64 bits, and may be rounded.
    pub(crate) is_wide: bool,
}

/// Parses a JSON text, and reports whether numbers may be rounded.
///
/// # Errors
///
/// See [`parse`].
pub(crate) fn read(text: &str) -> Result<ParsedJson, Problem> {
    read_numbers(text, *NUMBERS_ARE_MAPS)
}

/// The limit of exact integers.
pub(crate) const WIDE: f64 = 9_223_372_036_854_775_808.0;

/// The member name that `serde_json` uses for numbers with its feature `arbitrary_precision`, which any crate of the
/// application may enable: a map with this one member, the text of the number.
const NUMBER: &str = "$serde_json::private::Number";

/// Whether `arbitrary_precision` is enabled.
static NUMBERS_ARE_MAPS: LazyLock<bool> = LazyLock::new(|| {
    struct Probe;

    impl<'de> Visitor<'de> for Probe {
        type Value = bool;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a number")
        }

        fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
            Ok(false)
        }

        fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<bool, A::Error> {
            while members.next_entry::<String, String>()?.is_some() {}
            Ok(true)
        }
    }

    serde_json::Deserializer::from_str("1.5").deserialize_any(Probe).unwrap_or(false)
});

fn read_numbers(text: &str, numbers_are_maps: bool) -> Result<ParsedJson, Problem> {
    let mut state = ParseState { path: String::new(), duplicate: None, is_wide: false, numbers_are_maps };
    let mut json = serde_json::Deserializer::from_str(text);
    let parsed = ValueSeed(&mut state).deserialize(&mut json).and_then(|value| json.end().map(|()| value));
    match (parsed, state.duplicate) {
        (Ok(value), _) => Ok(ParsedJson { value, is_wide: state.is_wide }),
        (Err(_), Some(path)) => Err(Problem::new(path, "duplicate", "the same member is given twice")),
        (Err(error), None) => Err(Problem::new("", "format", error.to_string())),
    }
}

/// The path in the text, and what was found there.
struct ParseState {
    path: String,
    duplicate: Option<String>,
    is_wide: bool,
    numbers_are_maps: bool,
}

struct ValueSeed<'p>(&'p mut ParseState);

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        self.0.is_wide |= value.abs() >= WIDE;
        Ok(fraction(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        let length = self.0.path.len();
        loop {
            // Writing to a string never fails.
            _ = write!(self.0.path, "/{}", values.len());
            let item = items.next_element_seed(ValueSeed(self.0))?;
            self.0.path.truncate(length);
            match item {
                Some(item) => values.push(item),
                None => return Ok(values.into()),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        let length = self.0.path.len();
        while let Some(name) = members.next_key::<String>()? {
            if self.0.numbers_are_maps && object.is_empty() && name == NUMBER {
                return number(&members.next_value::<String>()?);
            }
            if object.len() == MAX_MEMBERS {
                return Err(A::Error::custom(format_args!("more than {MAX_MEMBERS} members")));
            }
            push_token(&mut self.0.path, &name);
            if object.contains_key(&name) {
                self.0.duplicate = Some(self.0.path.clone());
                return Err(A::Error::custom("given twice"));
            }
            let value = members.next_value_seed(ValueSeed(self.0))?;
            self.0.path.truncate(length);
            object.insert(name, value);
        }
        Ok(object.into())
    }
}

/// Parses a number given as text.
fn number<E: serde::de::Error>(text: &str) -> Result<Value, E> {
    if let Ok(integer) = text.parse::<u64>() {
        return Ok(integer.into());
    }
    if let Ok(integer) = text.parse::<i64>() {
        return Ok(integer.into());
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(fraction(value)),
        _ => Err(E::custom("number out of range")),
    }
}

fn fraction(value: f64) -> Value {
    // -2^63 is an integer; smaller numbers that are rounded to it stay below it.
    let value = if value == i64::MIN as f64 { value.next_down() } else { value };
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use super::{NUMBER, NUMBERS_ARE_MAPS, parse, read_numbers};
    use serde_json::json;

    #[test]
    fn reads_numbers_given_as_maps() {
        // Simulates `serde_json` with `arbitrary_precision`.
        let given = |number: &str| format!(r#"{{"a": [{{"{NUMBER}": "{number}"}}], "b": {{"c": true}}}}"#);
        for (number, expected) in [
            ("1.5", json!(1.5)),
            ("-3", json!(-3)),
            ("18446744073709551615", json!(u64::MAX)),
            ("5e-3", json!(0.005)),
        ] {
            let read = read_numbers(&given(number), true).unwrap();
            assert_eq!(read.value, json!({"a": [expected], "b": {"c": true}}), "{number}");
        }
        assert!(read_numbers(&given("1e400"), true).is_err_and(|it| it.message.contains("out of range")));
        // `arbitrary_precision` keeps every digit.
        assert!(!read_numbers(&given("18446744073709551616"), true).unwrap().is_wide);
        // Without `arbitrary_precision`, the text is an ordinary object.
        assert!(!*NUMBERS_ARE_MAPS);
        assert_eq!(parse(&given("1.5")).unwrap()["a"][0][NUMBER], "1.5");
    }

    #[test]
    fn finds_duplicate_members_at_every_depth() {
        for (text, path) in [
            (r#"{"a":1,"a":1}"#, "/a"),
            (r#"{"a":1,"\u0061":2}"#, "/a"),
            (r#"{"a":[{},{"b/c":1,"b/c":2}]}"#, "/a/1/b~1c"),
        ] {
            let problem = parse(text).unwrap_err();
            assert_eq!((problem.path.as_str(), problem.keyword.as_str()), (path, "duplicate"), "{text}");
        }
        assert_eq!(
            parse(r#"{"a":1,"A":[true,null,-1,1.5,"x"]}"#).unwrap(),
            json!({"a":1,"A":[true,null,-1,1.5,"x"]})
        );
    }

    #[test]
    fn keeps_numbers_below_every_integer() {
        let number = |text: &str| parse(text).unwrap();
        assert_eq!(number("-9223372036854775808"), i64::MIN);
        assert!(number("-9223372036854775809").as_f64() < number("-9223372036854775808").as_f64());
    }

    #[test]
    fn invalid_json_is_one_problem() {
        for text in ["{", "[1,]", "NaN", "1e400", "1 2", "\u{feff}{}", r#""\ud800""#, &"[".repeat(200)] {
            let problem = parse(text).unwrap_err();
            assert_eq!((problem.path.as_str(), problem.keyword.as_str()), ("", "format"), "{text}");
        }
    }
}
