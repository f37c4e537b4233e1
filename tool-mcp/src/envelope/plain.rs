//! Arguments that no reader of JSON can find fault with.

/// Levels of objects and lists: every reader takes as many.
const MOST_LEVELS: usize = 64;

/// Characters of a number: every reader takes as many.
const LONGEST_NUMBER: usize = 64;

/// Whether a text that is JSON by its grammar is read by everybody: it is not nested deeply, has no number that may be too
/// large, and no half of a character. What is not plain is left to rmcp, which refuses some of it as no message.
pub(crate) fn is_plain(text: &[u8]) -> bool {
    let (mut depth, mut number) = (0_usize, 0_usize);
    let mut bytes = text.iter().enumerate();
    while let Some((at, byte)) = bytes.next() {
        number = if matches!(byte, b'0'..=b'9' | b'.' | b'-') { number + 1 } else { 0 };
        match byte {
            b'"' => loop {
                match bytes.next() {
                    Some((_, b'"')) | None => break,
                    Some((at, b'\\')) => {
                        // Surrogates come in pairs, or are none.
                        if matches!(text[at + 1..], [b'u', b'd' | b'D', ..]) {
                            return false;
                        }
                        bytes.next();
                    }
                    Some(_) => {}
                }
            },
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            // An exponent, and not a part of `true` or `false`.
            b'e' | b'E' if at > 0 && text[at - 1].is_ascii_digit() => return false,
            _ => {}
        }
        if depth > MOST_LEVELS || number > LONGEST_NUMBER {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_some_reader_refuses_is_not_plain() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        for (text, plain) in [
            (r#"{"a":[true,false,null,-1.5,"]]e1\"","\\u00e9"]}"#.to_owned(), true),
            (nested(MOST_LEVELS), true),
            (nested(MOST_LEVELS + 1), false),
            (format!(r#"["{}"]"#, nested(100)), true),
            ("[[]]".repeat(100), true),
            ("[1e5]".to_owned(), false),
            ("[1E999]".to_owned(), false),
            ("9".repeat(LONGEST_NUMBER), true),
            (format!("[{}0]", "12,".repeat(LONGEST_NUMBER)), true),
            ("9".repeat(LONGEST_NUMBER + 1), false),
            (r#""\ud83d\ude00""#.to_owned(), false),
            (r#""\\ud83d""#.to_owned(), true),
            (r#""\uD800""#.to_owned(), false),
            ("\"".to_owned(), true),
            ("\"\\".to_owned(), true),
        ] {
            assert_eq!(is_plain(text.as_bytes()), plain, "{text:.80}");
        }
    }
}
