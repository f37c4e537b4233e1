//! Splits the doc comment of a declared tool into its description and its example calls.

use std::borrow::Cow;

use serde_json::Value;

/// A doc comment, split into its parts.
#[derive(Debug)]
pub(super) struct Documentation {
    /// The description, without the examples.
    pub(crate) description: Cow<'static, str>,
    pub(crate) examples: Vec<Example>,
}

/// A fenced code block (`CommonMark`, section 4.5) with the language `tool`: one call, a JSON object.
#[derive(Debug)]
pub(crate) struct Example {
    /// The line of the doc comment where the block begins, counted from 1.
    pub(crate) line: usize,
    text: String,
    is_closed: bool,
}

impl Documentation {
    pub(crate) fn of(text: &'static str) -> Self {
        // Most doc comments have no block.
        if !text.contains("```") && !text.contains("~~~") {
            return Documentation { description: text.into(), examples: Vec::new() };
        }
        let mut description: Vec<&str> = Vec::new();
        let mut examples: Vec<Example> = Vec::new();
        let mut open: Option<Fence<'_>> = None;
        for (position, line) in text.lines().enumerate() {
            let is_example = open.as_ref().is_some_and(|fence| fence.language == "tool");
            match &open {
                Some(fence) if fence.is_closed_by(line) => {
                    open = None;
                    if is_example {
                        if let Some(example) = examples.last_mut() {
                            example.is_closed = true;
                        }
                        continue;
                    }
                }
                Some(_) if is_example => {
                    if let Some(Example { text, .. }) = examples.last_mut() {
                        text.push_str(line);
                        text.push('\n');
                    }
                    continue;
                }
                Some(_) => {}
                None => open = Fence::opened_by(line),
            }
            match &open {
                Some(Fence { language: "tool", .. }) => {
                    examples.push(Example { line: position + 1, text: String::new(), is_closed: false });
                }
                // Removing a block leaves one empty line too many.
                _ if line.trim().is_empty()
                    && description.last().is_none_or(|last| last.trim().is_empty()) => {}
                _ => description.push(line),
            }
        }
        if examples.is_empty() {
            return Documentation { description: text.into(), examples };
        }
        Documentation { description: description.join("\n").trim().to_owned().into(), examples }
    }
}

impl Example {
    /// Parses the call in the block.
    ///
    /// # Errors
    ///
    /// If the block is not closed or not a JSON object; with its line.
    pub(crate) fn call(&self) -> Result<Value, String> {
        if !self.is_closed {
            return Err(format!("the example at line {} of its description is not closed", self.line));
        }
        let call = serde_json::from_str(&self.text).map_err(|error| {
            let message = error.to_string();
            let message = message.rfind(" at line ").map_or(message.as_str(), |end| &message[..end]);
            format!(
                "the example at line {} of its description is not JSON: {message}",
                self.line + error.line()
            )
        })?;
        match call {
            Value::Object(_) => Ok(call),
            _ => Err(format!("the example at line {} of its description is not a JSON object", self.line)),
        }
    }
}

/// The opening line of a fenced block.
struct Fence<'t> {
    mark: char,
    length: usize,
    language: &'t str,
}

impl<'t> Fence<'t> {
    fn opened_by(line: &'t str) -> Option<Self> {
        let (mark, length, rest) = marks(line)?;
        let language = rest.split_whitespace().next().unwrap_or_default();
        (length >= 3 && !(mark == '`' && rest.contains('`'))).then_some(Fence { mark, length, language })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        marks(line).is_some_and(|(mark, length, rest)| {
            mark == self.mark && length >= self.length && rest.trim().is_empty()
        })
    }
}

/// Returns the fence character of a line, its count, and the rest of the line.
fn marks(line: &str) -> Option<(char, usize, &str)> {
    let text = line.trim_start_matches(' ');
    let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~') && line.len() - text.len() < 4)?;
    let rest = text.trim_start_matches(mark);
    Some((mark, text.len() - rest.len(), rest))
}

#[cfg(test)]
mod tests {
    use super::Documentation;
    use serde_json::json;

    #[test]
    fn extracts_examples_from_the_text() {
        let text =
            "Adds.\n\n```tool\n{\"a\": 1}\n```\n\nMore.\n\n~~~~ tool numbers\n{\n  \"a\": 2\n}\n~~~~\n";
        let documentation = Documentation::of(text);
        assert_eq!(documentation.description, "Adds.\n\nMore.");
        let calls: Vec<_> =
            documentation.examples.iter().map(|example| (example.line, example.call())).collect();
        assert_eq!(calls, [(3, Ok(json!({"a": 1}))), (9, Ok(json!({"a": 2})))]);
    }

    #[test]
    fn keeps_other_code_blocks() {
        for text in [
            "Adds.",
            "Adds.\n\n\n```rust\n```tool\n{}\n```\n\n\nMore.",
            "    ```tool\n    {}\n    ```",
            "`` ``` `` tool",
            "```toolbox\n{}\n```",
        ] {
            let documentation = Documentation::of(text);
            assert_eq!((&*documentation.description, documentation.examples.len()), (text, 0));
        }
    }

    #[test]
    fn reports_invalid_examples_with_their_line() {
        for (text, fault) in [
            (
                "A.\n```tool\n{\n  \"a\": ,\n}\n```",
                "the example at line 4 of its description is not JSON: expected value",
            ),
            ("A.\n```tool\n[1]\n```", "the example at line 2 of its description is not a JSON object"),
            ("A.\n```tool\n{}", "the example at line 2 of its description is not closed"),
            (
                "A.\n```tool\n```",
                "the example at line 3 of its description is not JSON: EOF while parsing a value",
            ),
        ] {
            let faults: Vec<_> =
                Documentation::of(text).examples.iter().map(|example| example.call().unwrap_err()).collect();
            assert_eq!(faults, [fault], "{text}");
        }
    }
}
