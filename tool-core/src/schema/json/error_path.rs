//! Locates decode errors in JSON text, from the position where decoding stopped.

use serde_json::value::RawValue;

use crate::schema::json::object_members::ObjectMembers;
use crate::schema::json::pointer::push_token;

/// The location of a decode error.
pub(crate) struct Located<'t> {
    /// The JSON Pointer of the innermost value.
    pub(crate) path: String,
    /// The text of that value.
    pub(crate) text: &'t str,
    /// The key that was rejected, if the value is an object whose key was being read.
    pub(crate) key: Option<String>,
}

/// Finds the innermost value that was being read at the error.
///
/// A type that buffers a value, such as an untagged `enum`, stops at the end of the whole value.
pub(crate) fn located<'t>(text: &'t str, error: &serde_json::Error) -> Located<'t> {
    let mut path = String::new();
    let Some(last) = last_read(text, error) else { return Located { path, text, key: None } };
    let mut value = text;
    while let Some((name, inner)) = inner(text, value, last) {
        push_token(&mut path, &name);
        value = inner;
    }
    Located { path, text: value, key: key(text, value, last) }
}

/// Returns the key of an object at this position.
fn key(text: &str, value: &str, position: usize) -> Option<String> {
    let ObjectMembers::<&RawValue>(members) = serde_json::from_str(value).ok()?;
    let (name, raw) = members.into_iter().find(|(_, raw)| start(text, raw) > position)?;
    // A colon and white space separate a key from its value; a numeric key is read without its last quote.
    let between = text.get(position + 1..start(text, raw))?;
    (between.strip_prefix('"').unwrap_or(between).trim() == ":").then_some(name)
}

/// Returns the offset of a value within the text.
fn start(text: &str, raw: &RawValue) -> usize {
    raw.get().as_ptr() as usize - text.as_ptr() as usize
}

/// Returns the position of the last byte that was read.
fn last_read(text: &str, error: &serde_json::Error) -> Option<usize> {
    let before = error.line().checked_sub(1)?;
    let line: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
    (line + error.column()).checked_sub(1)
}

/// Returns the member or the item at this position.
fn inner<'t>(text: &'t str, value: &'t str, position: usize) -> Option<(String, &'t str)> {
    let holds = |raw: &&RawValue| {
        let end = start(text, raw) + raw.get().len();
        // An error about an item is raised after the comma behind it was read.
        let behind = text.get(end..=position).is_some_and(|behind| behind.trim() == ",");
        (start(text, raw)..end).contains(&position) || behind
    };
    if let Ok(ObjectMembers(members)) = serde_json::from_str::<ObjectMembers<&'t RawValue>>(value) {
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

    use super::{Located, located};

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "what is decoded is not looked at")]
    struct Stay {
        from: Date,
        until: Option<Date>,
    }

    fn locate<T: DeserializeOwned + std::fmt::Debug>(text: &str) -> (String, &str) {
        let error = serde_json::from_str::<T>(text).unwrap_err();
        let Located { path, text, key } = located(text, &error);
        assert_eq!(key, None, "{error}");
        (path, text)
    }

    #[test]
    fn finds_the_value_that_does_not_decode() {
        assert_eq!(locate::<Date>("\"x\""), (String::new(), "\"x\""));
        assert_eq!(
            locate::<Vec<Date>>("[\"2014-01-01\",\n\n \"x\", \"2014-01-01\"]"),
            ("/1".to_owned(), "\"x\"")
        );
        assert_eq!(
            locate::<BTreeMap<String, Vec<Date>>>(r#"{"a":[], "b/c" : ["x"]}"#),
            ("/b~1c/0".to_owned(), "\"x\"")
        );
        assert_eq!(locate::<Stay>(r#"{"from":"2014-01-01","until":"x"}"#), ("/until".to_owned(), "\"x\""));
        assert_eq!(locate::<Vec<u128>>("[1,-5]"), ("/1".to_owned(), "-5"));
        let text = r#"[{"until":"2014-01-01"}]"#;
        assert_eq!(locate::<Vec<Stay>>(text), ("/0".to_owned(), r#"{"until":"2014-01-01"}"#));
    }

    #[test]
    fn finds_the_key_that_does_not_decode() {
        for text in [r#"[{"1": 5, "300" : 6, "2": 7}]"#, r#"[{"300":{"300": 1}}]"#, r#"[{"1":2},{"300":2}]"#]
        {
            let error = serde_json::from_str::<Vec<BTreeMap<u8, serde_json::Value>>>(text).unwrap_err();
            let Located { path, key, .. } = located(text, &error);
            assert!(path == "/0" || path == "/1", "{path}");
            assert_eq!(key.as_deref(), Some("300"), "{text}: {error}");
        }
        let error = serde_json::from_str::<BTreeMap<u8, u8>>(r#"{"1": 300, "2": 5}"#).unwrap_err();
        let Located { path, key, .. } = located(r#"{"1": 300, "2": 5}"#, &error);
        assert_eq!((path.as_str(), key), ("/1", None), "{error}");
    }
}
