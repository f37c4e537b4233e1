//! The members of JSON objects, whose values stay texts.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The name of a member and its value.
pub(crate) type Member = (String, Box<RawValue>);

/// The members of a JSON object, if each is there once; nothing at all counts as `{}`.
pub(crate) fn members(text: &[u8]) -> Option<Vec<Member>> {
    if text.trim_ascii().is_empty() {
        return Some(Vec::new());
    }
    let Object(members) = serde_json::from_slice(text).ok()?;
    let mut seen = HashSet::new();
    members.iter().all(|(key, _)| seen.insert(key.as_str())).then_some(members)
}

struct Object(Vec<Member>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Object(members))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// The members of the object to be, in the order in which they were first given.
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
