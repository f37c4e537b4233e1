//! What JSON-RPC says about texts, written without the code of the server.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// Returns `true` if a text is JSON, however large its numbers are and however deep it is nested.
pub(crate) fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<&RawValue>(text).is_ok()
}

/// Returns `true` if an object in a JSON text has a member twice. In any other text, none has.
pub(crate) fn has_duplicates(text: &str) -> bool {
    if let Ok(frame) = serde_json::from_str::<Frame<'_>>(text) {
        let mut names: Vec<&str> = frame.0.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        return names.windows(2).any(|pair| pair[0] == pair[1])
            || frame.0.iter().any(|(_, value)| has_duplicates(value.get()));
    }
    let items = serde_json::from_str::<Vec<&RawValue>>(text);
    items.is_ok_and(|items| items.iter().any(|item| has_duplicates(item.get())))
}

/// The members of an object, in their order.
pub(crate) struct Frame<'t>(Vec<(String, &'t RawValue)>);

impl<'t> Frame<'t> {
    /// Parses the members of an object; `None` for any other text.
    pub(crate) fn parse(text: &'t [u8]) -> Option<Self> {
        let text: &RawValue = serde_json::from_slice(text).ok()?;
        serde_json::from_str(text.get()).ok()
    }

    /// Returns the names and the texts of the members.
    pub(crate) fn into_members(self) -> Vec<(String, String)> {
        self.0.into_iter().map(|(name, value)| (name, value.get().to_owned())).collect()
    }

    /// Returns `true` if the object has this member.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(other, _)| other == name)
    }

    /// Returns the `id`, if there is one and it is that of a request: a text or an integer, also if that is written as `1e2`.
    pub(crate) fn id(&self) -> Option<Value> {
        let text = self.id_text()?;
        if text.starts_with('"') {
            return serde_json::from_str(text).ok();
        }
        let float = || text.parse::<f64>().ok().filter(|it| it.fract() == 0.0 && it.abs() < 2_f64.powi(63));
        let number = text.parse::<i64>().ok().or_else(|| float().map(|float| float as i64));
        number.map(Value::from)
    }

    /// Returns the `id`, unless it is a number that is not written as an integer.
    pub(crate) fn plain_id(&self) -> Option<Value> {
        self.id()
            .filter(|id| id.is_string() || self.id_text().is_some_and(|text| text.parse::<i64>().is_ok()))
    }

    fn id_text(&self) -> Option<&'t str> {
        let mut ids = self.0.iter().filter(|(name, _)| name == "id");
        match (ids.next(), ids.next()) {
            (Some((_, id)), None) => Some(id.get()),
            _ => None,
        }
    }

    /// Returns the name of the method.
    pub(crate) fn method(&self) -> Option<String> {
        let (_, method) = self.0.iter().find(|(name, _)| name == "method")?;
        serde_json::from_str(method.get()).ok()
    }
}

impl<'de> Deserialize<'de> for Frame<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Frame<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Frame<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Frame(members))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// Returns the code of a JSON-RPC error, after a check of its form.
pub(crate) fn error_code(message: &Value) -> i64 {
    assert_eq!(message["jsonrpc"], "2.0", "not JSON-RPC: {message}");
    assert!(message.get("result").is_none(), "a result and an error: {message}");
    let error = &message["error"];
    assert!(error["message"].is_string(), "an error without a text: {message}");
    error["code"].as_i64().unwrap_or_else(|| panic!("an error without a code: {message}"))
}
