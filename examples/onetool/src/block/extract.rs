//! Extraction of code from a command.

use crate::block::BlockError;

/// The marker at the beginning of a block.
pub const MARKER: &str = "__onetool__run";

/// The code of a block. Its line numbers are those of the command.
///
/// A command is the marker `__onetool__run` followed by code, perhaps in a Markdown fence; a fence alone; or code
/// alone.
///
/// ```
/// use onetool::Block;
///
/// let fenced = Block::parse("__onetool__run\n```python\n1 + 1\n```\n").unwrap();
/// assert_eq!(fenced.source().trim(), "1 + 1");
/// assert_eq!(Block::parse("__onetool__run 1 + 1").unwrap().source(), "1 + 1");
/// assert_eq!(Block::parse("1 + 1").unwrap().source(), "1 + 1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    source: String,
}

impl Block {
    /// Extracts the code from a command.
    ///
    /// # Errors
    ///
    /// When there is no code, or other text.
    ///
    /// ```
    /// use onetool::{Block, BlockError};
    ///
    /// let open = Block::parse("__onetool__run\n```\n1 + 1").unwrap_err();
    /// assert_eq!(open, BlockError::OpenFence { line: 2 });
    /// ```
    pub fn parse(command: &str) -> Result<Self, BlockError> {
        let mut lines: Vec<&str> = command.split('\n').collect();
        let first = filled(&lines, 0).ok_or(BlockError::Empty)?;
        if let Some(behind) = lines[first].trim_start().strip_prefix(MARKER)
            && !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        {
            lines[first] = behind.trim_start();
        }
        let first = filled(&lines, 0).ok_or(BlockError::Empty)?;
        let Some(fence) = Fence::open(lines[first]) else { return Ok(Block { source: lines.join("\n") }) };
        let end = (first + 1..lines.len())
            .find(|line| fence.is_closed_by(lines[*line]))
            .ok_or(BlockError::OpenFence { line: first + 1 })?;
        if let Some(behind) = filled(&lines, end + 1) {
            return Err(BlockError::Behind { line: behind + 1 });
        }
        filled(&lines[..end], first + 1).ok_or(BlockError::Empty)?;
        // Empty lines replace what precedes the code, so that line numbers stay the same.
        Ok(Block { source: "\n".repeat(first + 1) + &lines[first + 1..end].join("\n") })
    }

    /// Returns the code.
    ///
    /// ```
    /// assert_eq!(onetool::Block::parse("len([1])").unwrap().source(), "len([1])");
    /// ```
    pub fn source(&self) -> &str {
        &self.source
    }
}

/// Returns the first line from `from` that is not blank.
fn filled(lines: &[&str], from: usize) -> Option<usize> {
    (from..lines.len()).find(|line| !lines[*line].trim().is_empty())
}

/// A Markdown fence: three or more backticks or tildes, closed by at least as many.
struct Fence {
    sign: char,
    length: usize,
}

impl Fence {
    fn open(line: &str) -> Option<Self> {
        let line = line.trim_start();
        let sign = line.chars().next().filter(|sign| ['`', '~'].contains(sign))?;
        let length = line.chars().take_while(|c| *c == sign).count();
        let info = &line[length..];
        (length >= 3 && !info.contains('`')).then_some(Fence { sign, length })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim();
        line.chars().count() >= self.length && line.chars().all(|c| c == self.sign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_line_numbers_of_the_command() {
        for (command, line) in [
            ("fail()", 1),
            ("\n\nfail()", 3),
            ("__onetool__run fail()", 1),
            ("\n__onetool__run\nfail()", 3),
            ("__onetool__run\n```python\nfail()\n```", 3),
            ("__onetool__run\r\n\r\n~~~\r\nfail()\r\n~~~\r\n", 4),
            ("```__onetool__run\nfail()\n```", 2),
        ] {
            let block = Block::parse(command).unwrap();
            let found = block.source().split('\n').position(|line| line.contains("fail()")).unwrap();
            assert_eq!(found + 1, line, "{command:?}");
            assert_eq!(block.source().trim(), "fail()", "{command:?}");
        }
    }

    #[test]
    fn requires_the_complete_marker() {
        assert_eq!(Block::parse("__onetool__runner = 1").unwrap().source(), "__onetool__runner = 1");
    }

    #[test]
    fn matches_closing_fences_by_length() {
        let block = Block::parse("````\na = '''\n```\n'''\n````").unwrap();
        assert_eq!(block.source(), "\na = '''\n```\n'''");
    }

    #[test]
    fn rejects_text_that_is_not_one_block() {
        for empty in ["", "  \n ", "__onetool__run", "__onetool__run\n```\n\n```"] {
            assert_eq!(Block::parse(empty), Err(BlockError::Empty), "{empty:?}");
        }
        assert_eq!(Block::parse("```\n1\n```\nThank you!"), Err(BlockError::Behind { line: 4 }));
        assert_eq!(Block::parse("\n```\n1\n``"), Err(BlockError::OpenFence { line: 2 }));
    }
}
