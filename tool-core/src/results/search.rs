//! Searching in a stored result.

use serde::Serialize;

use crate::results::part::{PartError, Span};
use crate::results::truncate::{boundary_after, boundary_before};

/// The lines that contain a text, see [`StoredResult::search`](crate::results::StoredResult::search).
///
/// ```
/// # fn of(kept: &tool_core::results::StoredResult) -> Result<(), tool_core::results::PartError> {
/// let found = kept.search("rain", None)?;
/// for line in &found.matches {
///     println!("{}: {}", line.line, line.text);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SearchMatches {
    /// The first of these lines.
    pub matches: Vec<LineMatch>,
    /// The total number of these lines.
    pub total: usize,
    /// The number of the first line that is not included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
}

/// A line that contains the text.
///
/// ```
/// # fn of(line: &tool_core::results::LineMatch) {
/// println!("{} (byte {}): {}", line.line, line.byte, line.text);
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LineMatch {
    /// Its number, counted from 1.
    pub line: u64,
    /// The position of the text in the result, in bytes counted from 0.
    pub byte: usize,
    /// The line; for a long line, the part around the text.
    pub text: String,
}

/// The most lines of a result.
const MOST_LINES: usize = 50;
/// The most bytes of a long line that are shown: before the match, and in total.
const BEFORE: usize = 100;
const AROUND: usize = 400;

/// Searches a text, ignoring case, among `lines` or all, in linear time.
pub(super) fn search(text: &str, wanted: &str, lines: Option<Span>) -> Result<SearchMatches, PartError> {
    let (range, first) = match lines {
        Some(span) => span.of_lines(text)?,
        None => (0..text.len(), 1),
    };
    let pattern = regex::RegexBuilder::new(&regex::escape(wanted)).case_insensitive(true).build();
    // Only a pattern that is too long does not compile.
    let pattern = pattern.map_err(|_| PartError::Search(wanted.len()))?;
    let mut found = SearchMatches { matches: Vec::new(), total: 0, next: None };
    let mut line = first;
    let mut at = range.start;
    while let Some(hit) = pattern.find_at(&text[..range.end], at) {
        line += memchr::memchr_iter(b'\n', &text.as_bytes()[at..hit.start()]).count() as u64;
        let start = memchr::memrchr(b'\n', &text.as_bytes()[..hit.start()]).map_or(0, |before| before + 1);
        let end = memchr::memchr(b'\n', &text.as_bytes()[hit.start()..range.end]);
        let end = end.map_or(range.end, |after| hit.start() + after);
        found.total += 1;
        match found.matches.len() {
            MOST_LINES => found.next = found.next.or(Some(line)),
            _ => {
                let text = around(&text[start..end], hit.start() - start);
                found.matches.push(LineMatch { line, byte: hit.start(), text });
            }
        }
        if end >= range.end {
            break;
        }
        // One match per line.
        (at, line) = (end + 1, line + 1);
    }
    Ok(found)
}

/// Returns a line, or the part of a long line around this position.
fn around(line: &str, at: usize) -> String {
    if line.len() <= AROUND {
        return line.to_owned();
    }
    let start = boundary_after(line, at.saturating_sub(BEFORE));
    let end = boundary_before(line, start + AROUND);
    let (before, after) = (if start > 0 { "…" } else { "" }, if end < line.len() { "…" } else { "" });
    format!("{before}{}{after}", &line[start..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, wanted: &str, lines: Option<Span>) -> Vec<(u64, usize, String)> {
        let found = search(text, wanted, lines).unwrap();
        found.matches.into_iter().map(|line| (line.line, line.byte, line.text)).collect()
    }

    #[test]
    fn finds_each_line_once() {
        let text = "Rain, rain\nsun\n\nRAIN.*\nÄrger\n";
        assert_eq!(
            found(text, "rain", None),
            [(1, 0, "Rain, rain".to_owned()), (4, 16, "RAIN.*".to_owned())]
        );
        assert_eq!(found(text, "rain", Some(Span::From(2))), [(4, 16, "RAIN.*".to_owned())]);
        assert_eq!(found(text, "n.*", None), [(4, 19, "RAIN.*".to_owned())], "it is a text, not a pattern");
        assert_eq!(found(text, "ärger", None), [(5, 23, "Ärger".to_owned())]);
        assert_eq!(found(text, "snow", None), []);
        assert_eq!(found(text, "sun\n\nR", None), [(2, 11, "sun".to_owned())], "across lines");
    }

    #[test]
    fn shortens_long_lines_around_the_match() {
        let text = format!("{}needle{}", "ä".repeat(5_000), "ö".repeat(5_000));
        let [(line, byte, shown)] = &found(&text, "NEEDLE", None)[..] else { panic!("one line") };
        assert_eq!((*line, *byte), (1, 10_000));
        assert!(shown.len() < 410 && shown.starts_with("…ä") && shown.ends_with("ö…"), "{shown}");
    }

    #[test]
    fn pages_through_matches() {
        let text = "x\n".repeat(120);
        let page = search(&text, "x", None).unwrap();
        assert_eq!((page.matches.len(), page.total, page.next), (50, 120, Some(51)));
        let page = search(&text, "x", Some(Span::From(101))).unwrap();
        assert_eq!((page.matches.len(), page.total, page.next), (20, 20, None));
    }
}
