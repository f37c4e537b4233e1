//! Removes or replaces values in a JSON text, and keeps everything else unchanged, including the digits of numbers.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::schema::json::object_members::ObjectMembers;
use crate::schema::json::pointer::unescaped;

/// The edits of a JSON text, as a tree of paths.
#[derive(Default)]
pub(crate) struct Edits {
    /// The edit of this value.
    edit: Option<Edit>,
    /// The edits below, by member name or item position; in a replaced value, by its own paths.
    below: BTreeMap<String, Edits>,
}

pub(crate) enum Edit {
    /// Removes the member.
    Remove,
    /// Replaces the value by this JSON text.
    Replace(String),
}

impl Edits {
    /// Adds an edit at a JSON Pointer, and returns `true` if there was none.
    pub(crate) fn insert(&mut self, path: &str, edit: Edit) -> bool {
        let names = path.split('/').skip(1).map(unescaped);
        let node = names.fold(self, |edits, name| edits.below.entry(name).or_default());
        node.edit.replace(edit).is_none()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.edit.is_none() && self.below.is_empty()
    }

    /// Applies all edits to the text.
    pub(crate) fn apply(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        self.write(text, &mut out);
        out
    }

    fn write(&self, text: &str, out: &mut String) {
        let text = match &self.edit {
            Some(Edit::Replace(text)) => text,
            _ => text,
        };
        if self.below.is_empty() {
            out.push_str(text);
        } else if let Ok(ObjectMembers::<&RawValue>(members)) = serde_json::from_str(text) {
            out.push('{');
            let open = out.len();
            for (name, value) in members {
                let edits = self.below.get(&name);
                if let Some(Edits { edit: Some(Edit::Remove), .. }) = edits {
                    continue;
                }
                if out.len() > open {
                    out.push(',');
                }
                out.push_str(&Value::from(name).to_string());
                out.push(':');
                write(edits, value, out);
            }
            out.push('}');
        } else if let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(text) {
            out.push('[');
            for (position, item) in items.into_iter().enumerate() {
                if position > 0 {
                    out.push(',');
                }
                write(self.below.get(&position.to_string()), item, out);
            }
            out.push(']');
        } else {
            out.push_str(text);
        }
    }
}

fn write(edits: Option<&Edits>, value: &RawValue, out: &mut String) {
    match edits {
        Some(edits) => edits.write(value.get(), out),
        None => out.push_str(value.get()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Edit, Edits};

    #[test]
    fn keeps_unchanged_text_as_it_is() {
        let text = r#"{ "a": 340282366920938463463374607431768211455, "b": null, "c": [{"d/e": null, "f": 1.0}, null], "g": "x" }"#;
        let mut edits = Edits::default();
        assert!(edits.is_empty());
        edits.insert("/b", Edit::Remove);
        edits.insert("/c/0/d~1e", Edit::Remove);
        edits.insert("/g", Edit::Replace(r#"{ "n": "5", "o": [1.50, null] }"#.to_owned()));
        edits.insert("/g/n", Edit::Replace("5".to_owned()));
        assert_eq!(
            edits.apply(text),
            r#"{"a":340282366920938463463374607431768211455,"c":[{"f":1.0},null],"g":{"n":5,"o":[1.50, null]}}"#
        );
    }
}
