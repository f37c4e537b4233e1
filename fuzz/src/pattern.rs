//! The patterns of schemas.

use tool_core::fuzzing::is_portable;

/// So many characters are matched: the engine of ECMAScript tries all ways to match.
const MOST_CHARACTERS: usize = 24;

/// Matches a text with a pattern: the first line is the pattern, the rest the text.
///
/// - A pattern that is portable is one of the crate `regex` and of ECMAScript.
/// - Both find it in the text, or neither does.
pub fn pattern(input: &[u8]) {
    let Ok(input) = std::str::from_utf8(input) else { return };
    let (pattern, text) = input.split_once('\n').unwrap_or((input, ""));
    if pattern.len() > 64 || !is_portable(pattern) {
        return;
    }
    // A large one is a matter of the bounds of schemas.
    let Ok(ours) = regex::RegexBuilder::new(pattern).size_limit(1 << 20).build() else {
        let error = regex_syntax::parse(pattern).err();
        assert!(error.is_none(), "`{pattern}` is portable, and not a regular expression: {error:?}");
        return;
    };
    let theirs = regress::Regex::with_flags(pattern, "u");
    let theirs = theirs.unwrap_or_else(|error| panic!("`{pattern}` is not one of ECMAScript: {error}"));
    let text: String = text.chars().take(MOST_CHARACTERS).collect();
    // Nested repetitions take exponential time in ECMAScript.
    if pattern.matches(['*', '+', '{']).count() > 2 {
        return;
    }
    assert_eq!(ours.is_match(&text), theirs.find(&text).is_some(), "`{pattern}` in {text:?}");
}
