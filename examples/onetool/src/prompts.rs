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
    fn each_topic_is_searched_for() {
        assert_eq!(
            batch_search(vec!["AI".to_owned(), "ML".to_owned()], 5),
            "__onetool__run\n```python\nresults = {}\nfor topic in [\"AI\", \"ML\"]:\n    results[topic] = brave_web_search(query=topic, count=5)\nresults\n```",
        );
    }

    #[test]
    fn each_page_is_fetched_and_the_instruction_is_a_comment() {
        assert_eq!(
            transform_data(vec!["https://example.com".to_owned()], "Extract titles".to_owned()),
            "__onetool__run\n```python\n# What to do with the pages once they are there:\n# Extract titles\npages = {}\nfor url in [\"https://example.com\"]:\n    pages[url] = web_fetch(url=url)\npages\n```",
        );
    }

    proptest! {
        #[test]
        fn the_block_is_one_block_of_markdown(
            topics in proptest::collection::vec("(?s:.{0,20})|[`~\"'\\\\\r\n]{0,12}", 1..4),
            instruction in "(?s:.{0,40})|[`~\n\r a]{0,20}",
        ) {
            for prompt in [batch_search(topics.clone(), 3), transform_data(topics, instruction)] {
                let mut blocks = Vec::new();
                let mut beside = String::new();
                for (event, place) in Parser::new(&prompt).into_offset_iter() {
                    match event {
                        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                            prop_assert_eq!(&*language, "python");
                            blocks.push(place);
                        }
                        Event::Text(text) if !blocks.iter().any(|block| block.contains(&place.start)) => {
                            beside.push_str(&text);
                        }
                        _ => {}
                    }
                }
                prop_assert_eq!(beside, MARKER);
                prop_assert_eq!(blocks.len(), 1, "{}", prompt);
                prop_assert_eq!(blocks[0].end, prompt.len());
                // Even for a reader that takes the sign of the fence for its end wherever it stands.
                let fence = prompt.rsplit('\n').next().unwrap();
                prop_assert_eq!(prompt.matches(fence).count(), 2, "{}", prompt);
            }
        }

        #[test]
        fn no_text_ends_the_block_or_adds_a_line_of_code(
            topics in proptest::collection::vec("(?s:.{0,20})|[`~\"'\\\\\r\n]{0,12}", 1..4),
            instruction in "(?s:.{0,40})|[`~\n\r\u{85}\u{2028}a]{0,20}",
        ) {
            let searches = Block::parse(&batch_search(topics.clone(), 3)).unwrap();
            prop_assert_eq!(code(&searches).count(), 4);
            let fetches = Block::parse(&transform_data(topics, instruction)).unwrap();
            prop_assert_eq!(code(&fetches).count(), 4);
        }
    }

    /// The lines of a block that do something.
    fn code(block: &Block) -> impl Iterator<Item = &str> {
        block.source().lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
    }
}
