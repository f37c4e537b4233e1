//! JSON objects whose values stay texts.

use serde_json::value::RawValue;
use tool_core::adapter::ObjectMembers;

/// The name of a member and its value.
pub(crate) type Member = (String, Box<RawValue>);

/// Returns the members of a JSON object, unless one is repeated. An empty text counts as `{}`.
pub(crate) fn members(text: &[u8]) -> Option<Vec<Member>> {
    if text.trim_ascii().is_empty() {
        return Some(Vec::new());
    }
    serde_json::from_slice(text).ok().filter(ObjectMembers::is_unique).map(|members| members.0)
}

/// The members of an object under construction, in the order in which they were first set.
#[derive(Default)]
pub(super) struct Members(Vec<Member>);

impl Members {
    pub(super) fn set(&mut self, key: String, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(other, _)| *other == key) {
            Some((_, current)) => *current = value,
            None => self.0.push((key, value)),
        }
    }

    pub(super) fn text(&self) -> String {
        let members: Vec<_> = self
            .0
            .iter()
            .map(|(key, value)| format!("{}:{}", serde_json::Value::from(key.as_str()), value.get()))
            .collect();
        format!("{{{}}}", members.join(","))
    }
}
