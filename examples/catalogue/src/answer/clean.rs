//! Removal of secrets and invisible characters from external text.

use std::fmt;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::secret::{MASK, Scrubber};

/// Characters that are not displayed, or change the direction of others: the property of Unicode for those that programs ignore if
/// they do not support them, and the marks of interlinear annotations.
static HIDDEN: LazyLock<Regex> = LazyLock::new(|| {
    let hidden = Regex::new(r"[\p{Default_Ignorable_Code_Point}\x{FFF9}-\x{FFFB}]+");
    hidden.unwrap_or_else(|error| unreachable!("the pattern is constant: {error}"))
});

/// Returns the text without secrets and without characters that hide something from human readers.
pub(super) fn text(text: &str, scrubber: &Scrubber) -> String {
    let visible = HIDDEN.replace_all(text, |hidden: &Captures<'_>| {
        let run = hidden.get_match();
        needed(text[..run.start()].chars().next_back(), run.as_str()).to_owned()
    });
    scrubber.scrub(&visible)
}

/// Returns the part of hidden characters that a script or an emoji needs after this character: the selector of emoji, and then one
/// joiner. More of them would spell out something.
fn needed(before: Option<char>, hidden: &str) -> &str {
    let is_letter = before.is_some_and(|c| !c.is_ascii());
    let is_emoji = is_letter || before.is_some_and(|c| c.is_ascii_digit() || c == '#' || c == '*');
    let rest = if is_emoji { hidden.strip_prefix('\u{fe0f}').unwrap_or(hidden) } else { hidden };
    let joiners = ['\u{200c}', '\u{200d}'];
    let rest = if is_letter { rest.strip_prefix(joiners).unwrap_or(rest) } else { rest };
    &hidden[..hidden.len() - rest.len()]
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
        for kept in [
            "\u{1f469}\u{200d}\u{1f52c}",
            "\u{2764}\u{fe0f}\u{200d}\u{1f525} 1\u{fe0f}\u{20e3}",
            "\u{645}\u{6cc}\u{200c}\u{62e}",
            "\u{915}\u{94d}\u{200d}\u{937}",
            "\u{5e9}\u{5dc}",
            "e\u{301}\n\t",
        ] {
            assert_eq!(text(kept, &scrubber), kept);
        }
    }

    #[test]
    fn removes_every_character_that_is_not_displayed() {
        let scrubber = Scrubber::of(["k3y/of"]);
        let ranges = [
            '\u{ad}'..='\u{ad}',
            '\u{34f}'..='\u{34f}',
            '\u{61c}'..='\u{61c}',
            '\u{115f}'..='\u{1160}',
            '\u{17b4}'..='\u{17b5}',
            '\u{180b}'..='\u{180f}',
            '\u{200b}'..='\u{200f}',
            '\u{202a}'..='\u{202e}',
            '\u{2060}'..='\u{206f}',
            '\u{3164}'..='\u{3164}',
            '\u{fe00}'..='\u{fe0f}',
            '\u{feff}'..='\u{feff}',
            '\u{ffa0}'..='\u{ffa0}',
            '\u{fff9}'..='\u{fffb}',
            '\u{1d173}'..='\u{1d17a}',
            '\u{e0000}'..='\u{e0fff}',
        ];
        for hidden in ranges.into_iter().flatten() {
            assert_eq!(text(&format!("a{hidden}b"), &scrubber), "ab", "{}", hidden.escape_unicode());
        }
        // What scripts and emoji need spells out nothing: there is one after a character that is displayed.
        assert_eq!(text("\u{645}\u{200c}\u{200d}\u{200c}\u{fe0f}", &scrubber), "\u{645}\u{200c}");
        assert_eq!(text("\u{2764}\u{fe0f}\u{fe0f}\u{fe0e}", &scrubber), "\u{2764}\u{fe0f}");
    }
}
