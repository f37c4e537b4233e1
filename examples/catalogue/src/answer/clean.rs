//! What is taken out of the texts of others: keys of this program, and characters that nobody sees.

use serde_json::{Map, Value};

use crate::secret::Scrubber;

/// A text without keys, and without characters by which a model reads something else than a person does.
pub(super) fn text(text: &str, scrubber: &Scrubber) -> String {
    let visible: String = text.chars().filter(|c| !is_hidden(*c)).collect();
    scrubber.scrub(&visible)
}

/// The same for every text in a value, the names of its members too. Whether there was anything to be taken out.
pub(super) fn value(value: &mut Value, scrubber: &Scrubber) -> bool {
    match value {
        Value::String(own) => {
            let cleaned = text(own, scrubber);
            let changed = cleaned != *own;
            *own = cleaned;
            changed
        }
        Value::Array(items) => {
            items.iter_mut().fold(false, |changed, item| self::value(item, scrubber) | changed)
        }
        Value::Object(members) => {
            let mut changed = false;
            let cleaned = std::mem::take(members).into_iter().map(|(name, mut member)| {
                let cleaned = text(&name, scrubber);
                changed |= cleaned != name;
                changed |= self::value(&mut member, scrubber);
                (cleaned, member)
            });
            let cleaned: Map<_, _> = cleaned.collect();
            *members = cleaned;
            changed
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Characters that take no place, or that turn round what stands around them. Joiners are not among them: scripts and
/// pictograms need them.
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
    fn hidden_characters_and_keys_are_taken_out_wherever_they_stand() {
        let scrubber = Scrubber::of(["k3y/of"]);
        let hidden = "a\u{200b}b\u{202e}c\u{e0069}\u{e0067}d\u{feff}";
        let mut answer = json!({"list": [hidden, {"k3y\u{200b}/of": 1}], "n": 1.5, "ok": null});
        assert!(value(&mut answer, &scrubber));
        assert_eq!(answer, json!({"list": ["abcd", {"(secret)": 1}], "n": 1.5, "ok": null}));
        assert!(!value(&mut answer, &scrubber), "nothing is left");
        // Joiners, accents, and words of other directions stay.
        for kept in
            ["\u{1f469}\u{200d}\u{1f52c}", "\u{645}\u{6cc}\u{200c}\u{62e}", "\u{5e9}\u{5dc}", "e\u{301}\n\t"]
        {
            assert_eq!(text(kept, &scrubber), kept);
        }
    }
}
