//! Where in a JSON text a decode failed, told from where it stopped reading.

use serde_json::value::RawValue;

use crate::call::members::Members;
use crate::schema::push_escaped;

/// The innermost value that was being read when the error arose: its place below the text, a JSON Pointer, and its text.
///
/// A type that reads a value twice, as an untagged `enum` does, stops at the end of the whole of it.
pub(super) fn located<'t>(text: &'t str, error: &serde_json::Error) -> (String, &'t str) {
    let mut path = String::new();
    let Some(last) = last_read(text, error) else { return (path, text) };
    let mut value = text;
    while let Some((name, inner)) = inner(text, value, last) {
        path.push('/');
        push_escaped(&mut path, &name);
        value = inner;
    }
    (path, value)
}

/// The position of the last byte that was read.
fn last_read(text: &str, error: &serde_json::Error) -> Option<usize> {
    let before = error.line().checked_sub(1)?;
    let line: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
    (line + error.column()).checked_sub(1)
}

/// The member or the item of a value that has this position within it.
fn inner<'t>(text: &'t str, value: &'t str, position: usize) -> Option<(String, &'t str)> {
    let holds = |raw: &&RawValue| {
        let start = raw.get().as_ptr() as usize - text.as_ptr() as usize;
        (start..start + raw.get().len()).contains(&position)
    };
    if let Ok(Members(members)) = serde_json::from_str::<Members<'t>>(value) {
        return members.into_iter().find(|(_, raw)| holds(raw)).map(|(name, raw)| (name, raw.get()));
    }
    let items = serde_json::from_str::<Vec<&'t RawValue>>(value).ok()?;
    let (position, raw) = items.into_iter().enumerate().find(|(_, raw)| holds(raw))?;
    Some((position.to_string(), raw.get()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use jiff::civil::Date;
    use serde::Deserialize;
    use serde::de::DeserializeOwned;

    use super::located;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "what is decoded is not looked at")]
    struct Stay {
        from: Date,
        until: Option<Date>,
    }

    fn place<T: DeserializeOwned + std::fmt::Debug>(text: &str) -> (String, &str) {
        let error = serde_json::from_str::<T>(text).unwrap_err();
        located(text, &error)
    }

    #[test]
    fn the_value_that_does_not_decode_is_found() {
        assert_eq!(place::<Date>("\"x\""), (String::new(), "\"x\""));
        assert_eq!(
            place::<Vec<Date>>("[\"2014-01-01\",\n\n \"x\", \"2014-01-01\"]"),
            ("/1".to_owned(), "\"x\"")
        );
        assert_eq!(
            place::<BTreeMap<String, Vec<Date>>>(r#"{"a":[], "b/c" : ["x"]}"#),
            ("/b~1c/0".to_owned(), "\"x\"")
        );
        assert_eq!(place::<Stay>(r#"{"from":"2014-01-01","until":"x"}"#), ("/until".to_owned(), "\"x\""));
        assert_eq!(place::<Vec<u128>>("[1,-5]"), ("/1".to_owned(), "-5"));
        let text = r#"[{"until":"2014-01-01"}]"#;
        assert_eq!(place::<Vec<Stay>>(text), ("/0".to_owned(), r#"{"until":"2014-01-01"}"#));
    }
}
