//! Candidates for bash, which inserts them unchanged, and replaces only the last part of a word.

use std::ffi::OsString;

use crate::complete::candidates::Candidate;
use crate::complete::line::{ParsedLine, parse};

/// The command line so far, and the characters at which bash breaks words.
pub(super) struct BashLine<'a> {
    line: ParsedLine,
    breaks: &'a str,
}

impl<'a> BashLine<'a> {
    pub(super) fn new(typed: &str, breaks: &'a str) -> Self {
        BashLine { line: parse(typed), breaks }
    }

    /// Returns the words after the name of the program.
    pub(super) fn words(&self) -> Vec<OsString> {
        self.line.words.iter().skip(1).map(Into::into).collect()
    }

    /// Returns the texts to insert: quoted like the word so far, and without the part before the last word-break character, which
    /// bash keeps.
    pub(super) fn insertions(&self, candidates: &[Candidate]) -> String {
        candidates
            .iter()
            .filter_map(|candidate| insertion(&candidate.word, &self.line, self.breaks))
            .map(|word| word + "\n")
            .collect()
    }
}

fn insertion(word: &str, line: &ParsedLine, breaks: &str) -> Option<String> {
    let typed = line.words.last().map_or("", String::as_str);
    let rest = word.strip_prefix(typed)?;
    if let Some(quote) = line.quote {
        // Bash replaces the text after the quote.
        let inside = line.raw.rsplit_once(quote).map_or("", |(_, inside)| inside);
        let rest = escape_in_quotes(rest, quote)?;
        return Some(format!("{inside}{rest}"));
    }
    // Closed quotes and escapes are kept as typed.
    let breaks = |at: &&usize| line.raw[**at..].starts_with(|c| breaks.contains(c));
    let kept = line.unquoted.iter().rev().find(breaks).map_or(0, |at| at + 1);
    Some(format!("{}{}", &line.raw[kept..], escape(rest)))
}

/// Escapes a text for this kind of quotes, if possible.
fn escape_in_quotes(text: &str, quote: char) -> Option<String> {
    if quote == '\'' {
        return (!text.contains('\'')).then(|| text.to_owned());
    }
    // `!` cannot be escaped between double quotes.
    (!text.contains('!')).then(|| {
        text.chars().flat_map(|c| "$`\"\\".contains(c).then_some('\\').into_iter().chain([c])).collect()
    })
}

/// Escapes a text without quotes.
fn escape(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-+=:,./@%".contains(c);
    text.chars().flat_map(|c| (!is_plain(c)).then_some('\\').into_iter().chain([c])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BREAKS: &str = " \t\n\"'><=;|&(:";

    fn inserted(line: &str, words: &[&str]) -> Vec<String> {
        let found = words.iter().map(|word| Candidate { word: (*word).to_owned(), meaning: None });
        let found: Vec<Candidate> = found.collect();
        BashLine::new(line, BREAKS).insertions(&found).lines().map(str::to_owned).collect()
    }

    #[test]
    fn keeps_the_opening_quote() {
        assert_eq!(inserted("demo run a", &["add"]), ["add"]);
        assert_eq!(inserted("demo x $", &["$(touch x)"]), ["$\\(touch\\ x\\)"]);
        assert_eq!(inserted("demo x ", &["$(touch x) `y`;"]), ["\\$\\(touch\\ x\\)\\ \\`y\\`\\;"]);
        assert_eq!(inserted("demo x 'a", &["a $b", "a'b"]), ["a $b"]);
        assert_eq!(inserted("demo x \"a", &["a $b\"", "a!b"]), ["a \\$b\\\""]);
    }

    #[test]
    fn omits_text_before_the_last_break() {
        assert_eq!(inserted("demo run t key=a", &["key=a b"]), ["a\\ b"]);
        assert_eq!(inserted("demo run t --key=", &["--key=a"]), ["a"]);
        assert_eq!(inserted("demo run t key='a ", &["key=a b"]), ["a b"]);
        assert_eq!(inserted("demo run t a\\ ", &["a b"]), ["a\\ b"]);
    }
}
