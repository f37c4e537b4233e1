//! The prompts: blocks for common tasks.

use tool_core::prompt;

use crate::block::{MARKER, comment, list};

/// A block that searches the web for several topics, and collects what it finds in a dictionary with the topics as keys.
#[prompt(title = "Search for several topics")]
fn batch_search(
    /// What to search for.
    #[arg(length(min = 1, max = 50), example = ["AI", "ML"])]
    topics: Vec<String>,
    /// How many pages to find for each topic.
    #[arg(default = 5, range(min = 1, max = 20))]
    count: u8,
) -> String {
    let topics = list(&topics);
    block(&format!(
        "results = {{}}\nfor topic in {topics}:\n    results[topic] = brave_web_search(query=topic, count={count})\nresults\n"
    ))
}

/// A block that fetches pages into a dictionary with their addresses as keys, and says what is to become of them.
#[prompt(title = "Fetch pages and transform them")]
fn transform_data(
    /// Addresses of the pages.
    #[arg(length(min = 1, max = 50), example = ["http://127.0.0.1:7878/pages/dns"])]
    urls: Vec<String>,
    /// What is to be done with what the pages say.
    #[arg(length(min = 1, max = 4000), example = "Extract titles")]
    instruction: String,
) -> String {
    let (urls, instruction) = (list(&urls), comment(&instruction));
    block(&format!(
        "# What to do with the pages once they are there:\n{instruction}pages = {{}}\nfor url in {urls}:\n    pages[url] = web_fetch(url=url)\npages\n"
    ))
}

/// Formats code for `run`. The fence is longer than any in the code, so that none of them can end it.
fn block(code: &str) -> String {
    let longest = code.split(|sign| sign != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(3.max(longest + 1));
    format!("{MARKER}\n{fence}python\n{code}{fence}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

    use super::*;
    use crate::block::Block;

    #[test]
    fn searches_for_each_topic() {
        assert_eq!(
            batch_search(vec!["AI".to_owned(), "ML".to_owned()], 5),
            "__onetool__run\n```python\nresults = {}\nfor topic in [\"AI\", \"ML\"]:\n    results[topic] = brave_web_search(query=topic, count=5)\nresults\n```",
        );
    }

    #[test]
    fn fetches_pages_with_the_instruction_as_comment() {
        assert_eq!(
            transform_data(vec!["https://example.com".to_owned()], "Extract titles".to_owned()),
            "__onetool__run\n```python\n# What to do with the pages once they are there:\n# Extract titles\npages = {}\nfor url in [\"https://example.com\"]:\n    pages[url] = web_fetch(url=url)\npages\n```",
        );
    }

    proptest! {
        #[test]
        fn renders_one_markdown_block(
            topics in proptest::collection::vec("(?s:.{0,20})|[`~\"'\\\\\r\n]{0,12}", 1..4),
            instruction in "(?s:.{0,40})|[`~\n\r a]{0,20}",
        ) {
            for prompt in [batch_search(topics.clone(), 3), transform_data(topics, instruction)] {
                let mut blocks = Vec::new();
                let mut outside = String::new();
                for (event, range) in Parser::new(&prompt).into_offset_iter() {
                    match event {
                        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                            prop_assert_eq!(&*language, "python");
                            blocks.push(range);
                        }
                        Event::Text(text) if !blocks.iter().any(|block| block.contains(&range.start)) => {
                            outside.push_str(&text);
                        }
                        _ => {}
                    }
                }
                prop_assert_eq!(outside, MARKER);
                prop_assert_eq!(blocks.len(), 1, "{}", prompt);
                prop_assert_eq!(blocks[0].end, prompt.len());
                // Some readers end the block at a fence inside a line.
                let fence = prompt.rsplit('\n').next().unwrap();
                prop_assert_eq!(prompt.matches(fence).count(), 2, "{}", prompt);
            }
        }

        #[test]
        fn keeps_the_block_intact_for_any_text(
            topics in proptest::collection::vec("(?s:.{0,20})|[`~\"'\\\\\r\n]{0,12}", 1..4),
            instruction in "(?s:.{0,40})|[`~\n\r\u{85}\u{2028}a]{0,20}",
        ) {
            let searches = Block::parse(&batch_search(topics.clone(), 3)).unwrap();
            prop_assert_eq!(code(&searches).count(), 4);
            let fetches = Block::parse(&transform_data(topics, instruction)).unwrap();
            prop_assert_eq!(code(&fetches).count(), 4);
        }
    }

    /// Returns the lines of a block that are not empty or comments.
    fn code(block: &Block) -> impl Iterator<Item = &str> {
        block.source().lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
    }
}
