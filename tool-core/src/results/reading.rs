//! Reading parts of a stored result.

use bytes::Bytes;

use crate::results::part::{PartError, ResultPart, Span};
use crate::results::search::{SearchMatches, search};
use crate::results::stored::StoredResult;
use crate::results::truncate::{boundary_after, boundary_before, count_lines};

impl StoredResult {
    /// Returns a range of the bytes.
    ///
    /// # Errors
    ///
    /// If the range is outside of the result.
    ///
    /// ```
    /// # fn of(kept: &tool_core::results::StoredResult) -> Result<(), tool_core::results::PartError> {
    /// let first = kept.bytes("0-99".parse().unwrap())?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn bytes(&self, span: Span) -> Result<Bytes, PartError> {
        let length = self.content.len();
        let range = span.of_bytes(length).ok_or(PartError::NoSuchBytes(length as u64))?;
        Ok(self.content.slice(range))
    }

    /// Returns a range of the lines, with their line breaks.
    ///
    /// # Errors
    ///
    /// If the range is outside of the result, or the result is binary.
    ///
    /// ```
    /// # fn of(kept: &tool_core::results::StoredResult) -> Result<(), tool_core::results::PartError> {
    /// let first = kept.lines("1-10".parse().unwrap())?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn lines(&self, span: Span) -> Result<&str, PartError> {
        let text = self.text().ok_or(PartError::NoText)?;
        span.of_lines(text).map(|(range, _)| &text[range])
    }

    /// Returns the lines that contain a text, ignoring case; among `lines`, or all.
    ///
    /// # Errors
    ///
    /// If the range is outside of the result, or the result is binary.
    ///
    /// ```
    /// # fn of(kept: &tool_core::results::StoredResult) -> Result<(), tool_core::results::PartError> {
    /// println!("{} lines", kept.search("rain", None)?.total);
    /// # Ok(())
    /// # }
    /// ```
    pub fn search(&self, text: &str, lines: Option<Span>) -> Result<SearchMatches, PartError> {
        search(self.text().ok_or(PartError::NoText)?, text, lines)
    }

    /// Returns a page of a part for a model, of at most `most` bytes, and how to read the next page.
    pub(crate) fn page(&self, part: &ResultPart, most: usize) -> Result<String, PartError> {
        let text = self.text().ok_or(PartError::NoText)?;
        let total = count_lines(text);
        match part {
            ResultPart::Whole => Ok(self.page_of_lines(text, Span::From(1), total, most)?),
            ResultPart::Lines(span) => Ok(self.page_of_lines(text, *span, total, most)?),
            ResultPart::Bytes(span) => {
                let length = text.len();
                let range = span.of_bytes(length).ok_or(PartError::NoSuchBytes(length as u64))?;
                // A range that begins inside a character includes that character.
                let start = boundary_before(text, range.start);
                let end = boundary_after(text, range.end);
                Ok(self.page_of_bytes(text, start, end, most))
            }
            ResultPart::Search { text: wanted, lines } => {
                Ok(self.page_of_matches(&search(text, wanted, *lines)?, wanted, most))
            }
        }
    }

    fn page_of_lines(&self, text: &str, span: Span, total: usize, most: usize) -> Result<String, PartError> {
        let (range, first) = span.of_lines(text)?;
        let lines = &text[range.clone()];
        if lines.len() <= most {
            let last = first + count_lines(lines) as u64 - 1;
            let next = (last < total as u64 && !matches!(span, Span::Between(..)))
                .then(|| format!("\"lines\": \"{}-\"", last + 1));
            return Ok(self.noted(lines, &format!("lines {first}-{last} of {total}"), next));
        }
        // Whole lines, if at least one fits.
        let Some(end) = memchr::memrchr(b'\n', &lines.as_bytes()[..most]) else {
            return Ok(self.page_of_bytes(text, range.start, range.end, most));
        };
        let shown = &lines[..=end];
        let next_line = first + count_lines(shown) as u64;
        let end = match span {
            Span::Between(_, last) => last.min(total as u64).to_string(),
            Span::From(_) | Span::Last(_) => String::new(),
        };
        let next = format!("\"lines\": \"{next_line}-{end}\"");
        Ok(self.noted(shown, &format!("lines {first}-{} of {total}", next_line - 1), Some(next)))
    }

    /// Returns a page of a line that is too long for one page.
    fn page_of_bytes(&self, text: &str, start: usize, end: usize, most: usize) -> String {
        let shown = &text[start..boundary_before(text, end.min(start + most)).max(start)];
        let next = start + shown.len();
        let location = format!("bytes {start}-{} of {}", next.saturating_sub(1), text.len());
        self.noted(shown, &location, (next < end).then(|| format!("\"bytes\": \"{next}-{}\"", end - 1)))
    }

    fn page_of_matches(&self, found: &SearchMatches, wanted: &str, most: usize) -> String {
        let mut page = String::new();
        let mut next = found.next;
        for line in &found.matches {
            let row = format!("{} (byte {}): {}\n", line.line, line.byte, line.text);
            if page.len() + row.len() > most && !page.is_empty() {
                next = Some(line.line);
                break;
            }
            page.push_str(&row);
        }
        let wanted = serde_json::Value::from(wanted);
        let next = next.map(|line| format!("\"search\": {wanted}, \"lines\": \"{line}-\""));
        let noun = if found.total == 1 { "line" } else { "lines" };
        self.noted(&page, &format!("{} {noun} with {wanted}", found.total), next)
    }

    fn noted(&self, shown: &str, location: &str, next: Option<String>) -> String {
        let line_break = if shown.is_empty() || shown.ends_with('\n') { "" } else { "\n" };
        match next {
            Some(next) => {
                format!(
                    "{shown}{line_break}[{location}; next: {{\"digest\": \"{}\", {next}}}]",
                    self.digest.hex()
                )
            }
            None => format!("{shown}{line_break}[{location}]"),
        }
    }
}
