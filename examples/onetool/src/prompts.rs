//! The prompts: blocks for what is asked often.

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

/// Code as `run` takes it. No line of it can be the end of the fence: a text in it stands in a literal or a comment.
fn block(code: &str) -> String {
    format!("{MARKER}\n```python\n{code}```")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
