//! Characters that are invisible to people and readable for models.

/// Describes the first hidden character of a text, with the number of others.
pub(super) fn hidden(text: &str) -> Option<String> {
    let mut found = text.chars().enumerate().filter_map(|(at, c)| Some((at, c, kind(c)?)));
    let (at, c, kind) = found.next()?;
    let more = match found.count() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    Some(format!("the hidden character U+{:04X} ({kind}) at position {}{more}", u32::from(c), at + 1))
}

/// Returns the kind of a hidden character; `None` for a visible one.
///
/// Hidden are the characters with the Unicode property `Default_Ignorable_Code_Point`, controls (general category Cc), line
/// and paragraph separators, and annotations. The text and emoji variation selectors are allowed: they follow a visible
/// character in ordinary texts.
fn kind(c: char) -> Option<&'static str> {
    Some(match c {
        '\n' | '\t' | '\u{fe0e}' | '\u{fe0f}' => return None,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => "control",
        '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{180b}'..='\u{180f}' => {
            "zero width"
        }
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            "direction"
        }
        '\u{e0000}'..='\u{e007f}' => "tag",
        '\u{fe00}'..='\u{fe0d}' | '\u{e0100}'..='\u{e01ef}' => "variation selector",
        '\u{2028}' | '\u{2029}' => "separator",
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => "filler",
        '\u{ad}'
        | '\u{34f}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0080}'..='\u{e0fff}' => "format",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::hidden;

    #[test]
    fn finds_hidden_characters() {
        for c in [
            '\u{0}',
            '\r',
            '\u{1b}',
            '\u{7f}',
            '\u{85}',
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{17b4}',
            '\u{180e}',
            '\u{200b}',
            '\u{200d}',
            '\u{200f}',
            '\u{2028}',
            '\u{202e}',
            '\u{2060}',
            '\u{2065}',
            '\u{2069}',
            '\u{206f}',
            '\u{3164}',
            '\u{fe00}',
            '\u{feff}',
            '\u{ffa0}',
            '\u{fff9}',
            '\u{1bca0}',
            '\u{1d173}',
            '\u{e0001}',
            '\u{e0041}',
            '\u{e0100}',
            '\u{e0fff}',
        ] {
            assert!(hidden(&format!("a{c}b")).is_some(), "{:04X}", u32::from(c));
        }
        for text in ["", "a b\n\tc", "Größe 東京 עברית", "⚠\u{fe0f} hot", "e\u{301}", "\u{a0}", "\u{2011}"]
        {
            assert_eq!(hidden(text), None, "{text}");
        }
        assert_eq!(
            hidden("Adds\u{200b} two\u{202e}\u{e0041}").unwrap(),
            "the hidden character U+200B (zero width) at position 5, and 2 more"
        );
    }
}
