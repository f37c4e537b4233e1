//! Text for people: styled if colors are enabled, and without control characters.

use std::borrow::Cow;
use std::fmt::Write as _;

use clap::builder::styling::{AnsiColor, Style};
use serde_json::value::RawValue;

/// Styles text, or leaves it as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint(pub(crate) bool);

impl Paint {
    /// Returns a heading.
    pub(crate) fn heading(self, text: &str) -> String {
        self.styled(Style::new().bold(), text)
    }

    /// Returns the label of an error.
    pub(crate) fn error(self, text: &str) -> String {
        self.styled(AnsiColor::Red.on_default().bold(), text)
    }

    fn styled(self, style: Style, text: &str) -> String {
        if self.0 { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
}

/// Escapes every character that controls a terminal, reorders its text or hides another one in it: C0
/// except for line breaks and tabs, DEL, C1, and the `Bidi_Control`, tag, separator and invisible characters of Unicode. The joiners of
/// Persian and of emoji stay.
///
/// They are written as in JSON, so that inside a JSON text they still mean themselves.
pub(crate) fn neutral(text: &str) -> Cow<'_, str> {
    let text = if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) };
    if !text.contains(is_unsafe) {
        return text;
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_unsafe(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Infallible: a `String` takes whatever it is given.
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(c);
        }
    }
    shown.into()
}

pub(crate) fn is_unsafe(c: char) -> bool {
    let bidi =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // Tags are invisible, and a model reads them as letters.
    let tag = matches!(c, '\u{e0000}'..='\u{e007f}');
    let invisible = matches!(c, '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2064}' | '\u{feff}');
    bidi || tag || invisible || c.is_control() && !matches!(c, '\n' | '\t')
}

/// Returns the first paragraph of a text in one line.
pub(crate) fn summary(text: &str) -> String {
    let paragraph: Vec<_> = text.trim().lines().take_while(|line| !line.trim().is_empty()).collect();
    paragraph.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a JSON text with line breaks and indentation, and otherwise as it is: a number keeps its digits.
pub(crate) fn pretty(json: &RawValue) -> String {
    let mut page = String::new();
    let mut depth = 0;
    let mut quoted = false;
    let mut escaped = false;
    let mut opened = false;
    for c in json.get().chars() {
        if quoted {
            page.push(c);
            quoted = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        if c.is_ascii_whitespace() {
            continue;
        }
        let closes = matches!(c, '}' | ']');
        if closes {
            depth -= 1;
        }
        // An empty list or object stays on its line.
        if opened != closes {
            new_line(&mut page, depth);
        }
        opened = matches!(c, '{' | '[');
        if opened {
            depth += 1;
        }
        page.push(c);
        match c {
            ',' => new_line(&mut page, depth),
            ':' => page.push(' '),
            '"' => quoted = true,
            _ => {}
        }
    }
    page
}

fn new_line(page: &mut String, depth: usize) {
    page.push('\n');
    page.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_control_characters() {
        assert_eq!(neutral("a\tb\nc é 漢 🌧"), "a\tb\nc é 漢 🌧");
        assert_eq!(neutral("\u{1b}[2J\u{9b}31m\u{7f}\u{7}\r!"), "\\u001b[2J\\u009b31m\\u007f\\u0007\\u000d!");
        assert_eq!(neutral("ab\u{202e}cd\u{2069}\u{200f}"), "ab\\u202ecd\\u2069\\u200f");
        assert_eq!(neutral("ab\u{e0041}\u{e007f}"), "ab\\udb40\\udc41\\udb40\\udc7f");
        assert_eq!(neutral("a\r\nb"), "a\nb");
        assert_eq!(neutral("a\u{200b}b\u{2028}c\u{2060}d\u{feff}"), "a\\u200bb\\u2028c\\u2060d\\ufeff");
        assert_eq!(
            neutral("\u{1f469}\u{200d}\u{1f52c} \u{645}\u{6cc}\u{200c}\u{62e}"),
            "\u{1f469}\u{200d}\u{1f52c} \u{645}\u{6cc}\u{200c}\u{62e}"
        );
    }

    #[test]
    fn indents_json_like_serde() {
        for json in [
            r#"{"a":[1,{"b":"x\"],{\\"},[],{}],"c":{},"d":null}"#,
            r#"[[[]],["",":,"]]"#,
            r#""a""#,
            "true",
            "[]",
            r#"[{"a":1},{"b":2}]"#,
        ] {
            let value: serde_json::Value = serde_json::from_str(json).unwrap();
            let raw = RawValue::from_string(json.to_owned()).unwrap();
            assert_eq!(pretty(&raw), serde_json::to_string_pretty(&value).unwrap(), "{json}");
        }
        let spaced =
            RawValue::from_string(" { \"a\" :\n[ 1e400 , 123456789012345678901234567890.50 ] } ".to_owned());
        assert_eq!(
            pretty(&spaced.unwrap()),
            "{\n  \"a\": [\n    1e400,\n    123456789012345678901234567890.50\n  ]\n}"
        );
    }
}
