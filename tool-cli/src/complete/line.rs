//! Splits a command line of bash, up to the cursor, like bash.

/// The words of a line, and how the last one is quoted.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ParsedLine {
    pub(super) words: Vec<String>,
    /// The quote that is still open.
    pub(super) quote: Option<char>,
    /// The last word as it was typed.
    pub(super) raw: String,
    /// The positions of characters that are neither quoted nor escaped.
    pub(super) unquoted: Vec<usize>,
}

/// Splits a line. The last word may be empty.
pub(super) fn parse(line: &str) -> ParsedLine {
    let (mut words, mut word, mut raw) = (Vec::new(), String::new(), String::new());
    let (mut quote, mut unquoted) = (None, Vec::new());
    let mut in_word = false;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if quote.is_none() && c.is_ascii_whitespace() {
            if in_word {
                words.push(std::mem::take(&mut word));
                raw.clear();
                unquoted.clear();
                in_word = false;
            }
            continue;
        }
        in_word = true;
        raw.push(c);
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\') => {
                if let Some(next) = chars.next() {
                    raw.push(next);
                    // Between double quotes, a backslash only escapes these characters.
                    if quote.is_some() && !"$`\"\\".contains(next) {
                        word.push('\\');
                    }
                    word.push(next);
                }
            }
            (open, c) => {
                if open.is_none() {
                    unquoted.push(raw.len() - c.len_utf8());
                }
                word.push(c);
            }
        }
    }
    words.push(word);
    ParsedLine { words, quote, raw, unquoted }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_words_as_bash_does() {
        let words = |line: &str| parse(line).words;
        assert_eq!(words("demo run add a=1 b"), ["demo", "run", "add", "a=1", "b"]);
        assert_eq!(words("demo run "), ["demo", "run", ""]);
        assert_eq!(words("demo  a\\ b 'c d'\"e \\\"f\\x\" g"), ["demo", "a b", "c de \"f\\x", "g"]);
        assert_eq!(words("demo ''"), ["demo", ""]);
        assert_eq!(parse("demo key='a b").quote, Some('\''));
        assert_eq!(parse("demo key='a b").raw, "key='a b");
        assert_eq!(parse("demo \"a\\\" b").words, ["demo", "a\" b"]);
    }
}
