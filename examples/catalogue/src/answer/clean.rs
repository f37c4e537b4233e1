//! Removal of secrets and invisible characters from external text.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::secret::{MASK, Scrubber};

/// Returns the text without secrets and without characters that hide something from human readers.
pub(super) fn text(text: &str, scrubber: &Scrubber) -> String {
    let visible: String = text.chars().filter(|c| !is_hidden(*c)).collect();
    scrubber.scrub(&visible)
}

/// Cleans every string in a value, including keys, and every number.
pub(super) fn value(value: &mut Value, scrubber: &Scrubber) {
    match value {
        Value::String(own) => *own = text(own, scrubber),
        Value::Number(number) if scrubber.is(&number.to_string()) => *value = MASK.into(),
        Value::Array(items) => items.iter_mut().for_each(|item| self::value(item, scrubber)),
        Value::Object(members) => {
            let cleaned = std::mem::take(members).into_iter().map(|(name, mut member)| {
                self::value(&mut member, scrubber);
                (text(&name, scrubber), member)
            });
            let cleaned: Map<_, _> = cleaned.collect();
            *members = cleaned;
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns `true` if a JSON text needs cleaning, including members that a later duplicate overrides.
pub(super) fn is_needed(json: &str, scrubber: &Scrubber) -> Result<bool, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let found = Anything(scrubber).deserialize(&mut deserializer)?;
    deserializer.end().map(|()| found)
}

/// A visitor that checks every part of a value.
#[derive(Clone, Copy)]
struct Anything<'s>(&'s Scrubber);

impl<'de> DeserializeSeed<'de> for Anything<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Anything<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_i64<E>(self, number: i64) -> Result<bool, E> {
        Ok(self.0.is(&number.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<bool, E> {
        Ok(self.0.is(&number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<bool, E> {
        Ok(self.0.is(&Value::from(number).to_string()))
    }

    fn visit_str<E>(self, own: &str) -> Result<bool, E> {
        Ok(text(own, self.0) != own)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<bool, A::Error> {
        let mut found = false;
        while let Some(item) = items.next_element_seed(self)? {
            found |= item;
        }
        Ok(found)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<bool, A::Error> {
        let mut found = false;
        while let Some(name) = members.next_key_seed(self)? {
            found |= name | members.next_value_seed(self)?;
        }
        Ok(found)
    }
}

/// Returns `true` for characters that are invisible or change the text direction. Joiners are kept: scripts and emoji need them.
fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' // of no width
            | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' // of direction
            | '\u{e0000}'..='\u{e007f}' // tags, which spell out ASCII
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn removes_hidden_characters_and_masks_keys() {
        let scrubber = Scrubber::of(["k3y/of"]);
        let hidden = "a\u{200b}b\u{202e}c\u{e0069}\u{e0067}d\u{feff}";
        let mut answer = json!({"list": [hidden, {"k3y\u{200b}/of": 1}], "n": 1.5, "ok": null});
        assert!(is_needed(&answer.to_string(), &scrubber).unwrap());
        value(&mut answer, &scrubber);
        assert_eq!(answer, json!({"list": ["abcd", {"(secret)": 1}], "n": 1.5, "ok": null}));
        assert!(!is_needed(&answer.to_string(), &scrubber).unwrap(), "nothing is left");
        // Joiners, accents and right-to-left words stay.
        for kept in
            ["\u{1f469}\u{200d}\u{1f52c}", "\u{645}\u{6cc}\u{200c}\u{62e}", "\u{5e9}\u{5dc}", "e\u{301}\n\t"]
        {
            assert_eq!(text(kept, &scrubber), kept);
        }
    }
}
