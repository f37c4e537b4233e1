//! Truncating texts: never inside a character, and at the end of a line if possible.

/// Returns the beginning of a text, at most `most` bytes: whole lines, unless they are less than half of that.
pub(crate) fn beginning(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let cut = &text[..boundary_before(text, most)];
    match cut.rfind('\n') {
        Some(end) if end + 1 > most / 2 => &cut[..=end],
        _ => cut,
    }
}

/// Returns the last character boundary at or before this position.
pub(crate) fn boundary_before(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Returns the first character boundary at or after this position.
pub(crate) fn boundary_after(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

/// Returns the number of lines. A last line without a line break counts.
pub(crate) fn count_lines(text: &str) -> usize {
    let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    breaks + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// Formats JSON with one line for each element of the outermost list, and for each member of the objects around it, so that
/// it can be read and searched by line.
pub(crate) fn in_lines(json: &str) -> String {
    let mut text = String::with_capacity(json.len() + json.len() / 16);
    let mut open: Vec<Bracket> = Vec::new();
    let mut rest = json.trim_ascii_start();
    while let Some(first) = rest.bytes().next() {
        let token = &rest[..token(rest, first)];
        rest = rest[token.len()..].trim_ascii_start();
        if matches!(first, b'}' | b']') && open.pop().is_some_and(|closed| closed != Bracket::Flat) {
            text.push('\n');
        }
        text.push_str(token);
        if matches!(first, b'{' | b'[') {
            let is_empty = rest.starts_with(['}', ']']);
            let around = open.len() < DEEPEST && open.iter().all(|around| *around == Bracket::Object);
            open.push(match first {
                _ if is_empty || !around => Bracket::Flat,
                b'{' => Bracket::Object,
                _ => Bracket::List,
            });
        }
        let is_spread = open.last().is_some_and(|inner| *inner != Bracket::Flat);
        if is_spread && matches!(first, b'{' | b'[' | b',') {
            text.push('\n');
        }
    }
    text
}

/// The most levels of brackets whose content is split into lines.
const DEEPEST: usize = 4;

/// An open bracket, and the layout of its content.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    /// One member per line.
    Object,
    /// One element per line.
    List,
    /// Everything on one line.
    Flat,
}

/// Returns the length of the first token of well-formed JSON.
fn token(rest: &str, first: u8) -> usize {
    match first {
        b'"' => {
            let mut is_escaped = false;
            let end = rest.bytes().skip(1).position(|byte| {
                let is_end = byte == b'"' && !is_escaped;
                is_escaped = byte == b'\\' && !is_escaped;
                is_end
            });
            end.map_or(rest.len(), |end| end + 2)
        }
        b'{' | b'[' | b'}' | b']' | b',' | b':' => 1,
        // A number, `true`, `false` or `null`.
        _ => rest.find(|c: char| c.is_ascii_whitespace() || ",:]}".contains(c)).unwrap_or(rest.len()).max(1),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn puts_each_element_on_a_line() {
        for (json, lines) in [
            (json!([{"a": [1, 2]}, {"b": "]"}]), "[\n{\"a\":[1,2]},\n{\"b\":\"]\"}\n]"),
            (json!({"n": 1, "rows": [[1], [2]]}), "{\n\"n\":1,\n\"rows\":[\n[1],\n[2]\n]\n}"),
            (json!({"a": {"b": {"c": [1, 2]}}}), "{\n\"a\":{\n\"b\":{\n\"c\":[\n1,\n2\n]\n}\n}\n}"),
            (json!({"a": {}, "b": []}), "{\n\"a\":{},\n\"b\":[]\n}"),
            (json!([]), "[]"),
            (json!("a\"b,[\\"), "\"a\\\"b,[\\\\\""),
        ] {
            assert_eq!(in_lines(&json.to_string()), lines);
        }
        assert_eq!(in_lines(" [ 1.50 ,\n2e3 ] "), "[\n1.50,\n2e3\n]", "numbers keep their digits");
    }

    #[test]
    fn cuts_at_a_nearby_line_end() {
        for (text, most, cut) in [
            ("one\ntwo\nthree\n", 9, "one\ntwo\n"),
            ("one\ntwothreefour", 12, "one\ntwothree"),
            ("äöü", 3, "ä"),
            ("äöü", 1, ""),
            ("äöü", 6, "äöü"),
            ("a\n", 0, ""),
        ] {
            assert_eq!(beginning(text, most), cut, "{text:?} {most}");
        }
    }

    proptest! {
        /// A beginning is a prefix of the text, no longer than allowed, and no shorter than half of that.
        #[test]
        fn returns_a_limited_prefix(text in "(\\PC|\n|\u{301}|🏴|😀){0,64}", most in 0_usize..200) {
            let cut = beginning(&text, most);
            prop_assert!(text.starts_with(cut) && cut.len() <= most);
            prop_assert!(cut.len() == text.len() || cut.len() + 4 > most || (cut.ends_with('\n') && cut.len() > most / 2));
        }

        /// A single long line is truncated as well.
        #[test]
        fn cuts_long_lines(character in any::<char>(), most in 4_usize..10_000) {
            let text = character.to_string().repeat(10_000);
            let cut = beginning(&text, most);
            prop_assert!(text.starts_with(cut) && cut.len() <= most);
            prop_assert!(cut.len() + 4 > most || character == '\n');
        }

        #[test]
        fn finds_character_boundaries(text in "\\PC{0,32}", at in 0_usize..150) {
            let (before, after) = (boundary_before(&text, at), boundary_after(&text, at));
            prop_assert!(text.is_char_boundary(before) && text.is_char_boundary(after));
            prop_assert!(before <= at && (after >= at || after == text.len()) && after - before.min(after) < 5);
        }

        /// Adding line breaks does not change the value.
        #[test]
        fn keeps_the_value_when_split_into_lines(value in values()) {
            let lines = in_lines(&value.to_string());
            prop_assert_eq!(&serde_json::from_str::<Value>(&lines).unwrap(), &value);
            if let Some(list) = value.as_array().filter(|list| !list.is_empty()) {
                prop_assert_eq!(count_lines(&lines), list.len() + 2);
            }
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<i64>().prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
            "(\\PC|\"|\\\\|\n){0,8}".prop_map(Value::from),
            Just(Value::Null),
        ];
        leaf.prop_recursive(5, 48, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("\\PC{0,4}", inner, 0..6)
                    .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
            ]
        })
    }
}
