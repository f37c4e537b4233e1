//! The part of a result that a reader asks for, in the spelling that all adapters share.

use std::ops::Range;

use crate::results::truncate::count_lines;

/// A part of a result: all of it, some lines, some bytes, or the lines that contain a text.
///
/// ```
/// use tool_core::results::ResultPart;
///
/// assert_eq!(ResultPart::parse(None, None, None).unwrap(), ResultPart::Whole);
/// assert!(ResultPart::parse(Some("10-20"), None, Some("rain")).is_ok());
/// let error = ResultPart::parse(Some("20-10"), None, None).unwrap_err();
/// assert_eq!(error.to_string(), "`lines` is `20-10`: expected `10-20`, `10-`, `-10` for the last ones, or `10`, from 1 on");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultPart {
    /// The whole result.
    Whole,
    /// Lines, counted from 1.
    Lines(Span),
    /// Bytes, counted from 0.
    Bytes(Span),
    /// The lines that contain a text, ignoring case.
    Search {
        /// The text.
        text: String,
        /// Among these lines only.
        lines: Option<Span>,
    },
}

/// A range of lines or bytes: `10-20`, `10-`, `-10` for the last ten, or `10`.
///
/// ```
/// use tool_core::results::Span;
///
/// assert_eq!("3-5".parse(), Ok(Span::Between(3, 5)));
/// assert_eq!("3-".parse(), Ok(Span::From(3)));
/// assert_eq!("-3".parse(), Ok(Span::Last(3)));
/// assert_eq!("3".parse(), Ok(Span::Between(3, 3)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// From one position to another, inclusive.
    Between(u64, u64),
    /// From a position to the end.
    From(u64),
    /// The last ones.
    Last(u64),
}

/// Why a part cannot be read.
///
/// ```
/// let error = tool_core::results::ResultPart::parse(Some("1"), Some("1"), None).unwrap_err();
/// assert_eq!(error.to_string(), "`bytes` goes neither with `lines` nor with `search`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartError {
    /// The range of lines is invalid.
    #[error("`lines` is `{0}`: expected `10-20`, `10-`, `-10` for the last ones, or `10`, from 1 on")]
    Lines(String),
    /// The range of bytes is invalid.
    #[error("`bytes` is `{0}`: expected `0-99`, `100-`, `-100` for the last ones, or `100`, from 0 on")]
    Bytes(String),
    /// The text to search for is empty or too long.
    #[error("`search` has {0} bytes: expected 1 to {MOST_SEARCHED}")]
    Search(usize),
    /// Two kinds of parts at once.
    #[error("`bytes` goes neither with `lines` nor with `search`")]
    Both,
    /// The result has fewer lines.
    #[error("there are {0} lines")]
    NoSuchLines(u64),
    /// The result has fewer bytes.
    #[error("there are {0} bytes")]
    NoSuchBytes(u64),
    /// The result has no lines.
    #[error("the result is binary: use `bytes`")]
    NoText,
}

/// The longest text to search for, in bytes.
pub(crate) const MOST_SEARCHED: usize = 1_000;

impl ResultPart {
    /// Parses the part; the whole result if nothing is given.
    ///
    /// # Errors
    ///
    /// If one of them is invalid, or they cannot be combined.
    ///
    /// ```
    /// use tool_core::results::{ResultPart, Span};
    ///
    /// let part = ResultPart::parse(None, Some("0-99"), None).unwrap();
    /// assert_eq!(part, ResultPart::Bytes(Span::Between(0, 99)));
    /// ```
    pub fn parse(lines: Option<&str>, bytes: Option<&str>, search: Option<&str>) -> Result<Self, PartError> {
        let lines = lines.map(|text| {
            let span = text.parse().ok().filter(|span| !matches!(span, Span::Between(0, _) | Span::From(0)));
            span.ok_or_else(|| PartError::Lines(text.chars().take(40).collect()))
        });
        let bytes = bytes.map(|text| {
            text.parse().map_err(|ParseSpanError| PartError::Bytes(text.chars().take(40).collect()))
        });
        match (lines.transpose()?, bytes.transpose()?, search) {
            (Some(_), Some(_), _) | (_, Some(_), Some(_)) => Err(PartError::Both),
            (lines, None, Some(text)) => match text.len() {
                1..=MOST_SEARCHED => Ok(ResultPart::Search { text: text.to_owned(), lines }),
                length => Err(PartError::Search(length)),
            },
            (Some(span), None, None) => Ok(ResultPart::Lines(span)),
            (None, Some(span), None) => Ok(ResultPart::Bytes(span)),
            (None, None, None) => Ok(ResultPart::Whole),
        }
    }
}

/// A text that is not a [`Span`].
///
/// ```
/// let error = "20-10".parse::<tool_core::results::Span>().unwrap_err();
/// assert_eq!(error.to_string(), "expected `10-20`, `10-`, `-10` for the last ones, or `10`");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected `10-20`, `10-`, `-10` for the last ones, or `10`")]
pub struct ParseSpanError;

impl std::str::FromStr for Span {
    type Err = ParseSpanError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Digits only, so that every range has one spelling.
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            if digits { text.parse::<u64>().map_err(|_| ParseSpanError) } else { Err(ParseSpanError) }
        };
        match text.split_once('-') {
            None => number(text).map(|one| Span::Between(one, one)),
            Some(("", last)) => number(last)
                .and_then(|last| if last == 0 { Err(ParseSpanError) } else { Ok(Span::Last(last)) }),
            Some((first, "")) => number(first).map(Span::From),
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                if first <= last { Ok(Span::Between(first, last)) } else { Err(ParseSpanError) }
            }
        }
    }
}

impl Span {
    /// Returns the range within `length` bytes; `None` if it is empty.
    ///
    /// ```
    /// use tool_core::results::Span;
    ///
    /// assert_eq!(Span::Between(2, 100).of_bytes(10), Some(2..10));
    /// assert_eq!(Span::Last(100).of_bytes(10), Some(0..10));
    /// assert_eq!(Span::From(10).of_bytes(10), None);
    /// ```
    pub fn of_bytes(self, length: usize) -> Option<Range<usize>> {
        let length = length as u64;
        let range = match self {
            Span::Between(first, last) => first..last.saturating_add(1).min(length),
            Span::From(first) => first..length,
            Span::Last(count) => length.saturating_sub(count)..length,
        };
        let range = usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?;
        (range.start < range.end).then_some(range)
    }

    /// Returns the byte range of the lines in a text, and the number of the first line.
    pub(super) fn of_lines(self, text: &str) -> Result<(Range<usize>, u64), PartError> {
        let count = count_lines(text) as u64;
        // Lines are counted from 1.
        let wanted = match self {
            Span::Between(0, _) | Span::From(0) => return Err(PartError::Lines("0".to_owned())),
            Span::Between(first, last) => Span::Between(first - 1, last.saturating_sub(1)),
            Span::From(first) => Span::From(first - 1),
            last => last,
        };
        let lines = usize::try_from(count).ok().and_then(|count| wanted.of_bytes(count));
        let lines = lines.ok_or(PartError::NoSuchLines(count))?;
        let mut starts =
            std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
        let start = starts.nth(lines.start).unwrap_or(text.len());
        let end = starts.nth(lines.len() - 1).unwrap_or(text.len());
        Ok((start..end, lines.start as u64 + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_spans() {
        for (text, span) in [
            ("0-0", Some(Span::Between(0, 0))),
            ("5", Some(Span::Between(5, 5))),
            ("5-", Some(Span::From(5))),
            ("-5", Some(Span::Last(5))),
            ("18446744073709551615-", Some(Span::From(u64::MAX))),
            ("18446744073709551616-", None),
            ("", None),
            ("-", None),
            ("-0", None),
            ("--5", None),
            ("5-4", None),
            ("1-2-3", None),
            ("1-2,5-6", None),
            ("+1", None),
            (" 1", None),
            ("1e3", None),
            ("0x1", None),
            ("１", None),
        ] {
            assert_eq!(text.parse::<Span>().ok(), span, "{text}");
        }
    }

    #[test]
    fn finds_lines() {
        let text = "one\ntwo\nthree";
        for (span, found) in [
            (Span::Between(1, 1), Ok(("one\n", 1))),
            (Span::Between(2, 9), Ok(("two\nthree", 2))),
            (Span::From(3), Ok(("three", 3))),
            (Span::Last(2), Ok(("two\nthree", 2))),
            (Span::Last(u64::MAX), Ok((text, 1))),
            (Span::Between(1, u64::MAX), Ok((text, 1))),
            (Span::From(4), Err(PartError::NoSuchLines(3))),
        ] {
            let lines = span.of_lines(text).map(|(range, first)| (&text[range], first));
            assert_eq!(lines, found, "{span:?}");
        }
        assert_eq!(Span::From(1).of_lines(""), Err(PartError::NoSuchLines(0)));
        assert_eq!(
            Span::From(2).of_lines("a\n"),
            Err(PartError::NoSuchLines(1)),
            "nothing follows the last break"
        );
    }
}
