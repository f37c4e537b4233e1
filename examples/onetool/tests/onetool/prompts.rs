//! The block of each prompt, given to `run` as it is.

use serde_json::{Value, json};
use tool_core::{Content, FailureKind};

use crate::World;

impl World {
    /// The block that a prompt comes to.
    async fn block(&self, prompt: &str, arguments: Value) -> String {
        let prompt = self.registry.get_prompt(prompt, arguments).await.unwrap();
        let [message] = &prompt.messages[..] else { panic!("{prompt:?}") };
        let Content::Text { text } = &message.content else { panic!("{prompt:?}") };
        text.clone()
    }
}

/// Texts that would like to be something else.
const HOSTILE: [&str; 8] = [
    "\"] + [open('/etc/passwd')] + [\"",
    "'''\"\"\"",
    "back\\slash\\",
    "\\\"",
    "line\nfail('x')",
    "```\nfail('x')",
    "\u{2028}fail('x')\r\u{85}",
    "{topic} %s \u{202e}",
];

#[tokio::test]
async fn a_search_for_each_topic_comes_to_a_dictionary_by_topic() {
    let world = World::new().await;
    let block = world.block("batch_search", json!({"topics": ["AI", "ML"], "count": 5})).await;
    let found = world.run(&block).await.unwrap();
    let topics: Vec<&String> = found.as_object().unwrap().keys().collect();
    assert_eq!(topics, ["AI", "ML"]);
    assert_eq!(found["AI"][0]["title"], "Artificial intelligence");
    assert_eq!(found["ML"][0]["title"], "Machine learning");
    let alone = world.registry.call("brave_web_search", json!({"query": "AI", "count": 5})).await.unwrap();
    assert_eq!(found["AI"], alone.value());
}

#[tokio::test]
async fn arguments_may_be_the_texts_that_mcp_hands_over() {
    let world = World::new().await;
    let values = world.block("batch_search", json!({"topics": ["AI", "ML"], "count": 3})).await;
    for topics in [r#"["AI","ML"]"#, "AI, ML"] {
        assert_eq!(world.block("batch_search", json!({"topics": topics, "count": "3"})).await, values);
    }
    for (arguments, path) in [
        (json!({}), "/topics"),
        (json!({"topics": [], "count": 3}), "/topics"),
        (json!({"topics": "AI", "count": "21"}), "/count"),
    ] {
        let failure = world.registry.get_prompt("batch_search", arguments).await.unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Input);
        assert_eq!(failure.problems()[0].path, path);
    }
}

#[tokio::test]
async fn a_topic_is_searched_for_whatever_is_in_it() {
    let world = World::new().await;
    let block = world.block("batch_search", json!({"topics": HOSTILE, "count": 1})).await;
    let found = world.run(&block).await.unwrap();
    let topics: Vec<&str> = found.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(topics, HOSTILE);
}

#[tokio::test]
async fn pages_are_fetched_into_a_dictionary_by_address_whatever_the_instruction() {
    let world = World::new().await;
    let urls = ["tcp", "zurich"].map(|slug| format!("{}/pages/{slug}", world.origin));
    for instruction in HOSTILE.iter().chain(&["Extract titles"]) {
        let block = world.block("transform_data", json!({"urls": urls, "instruction": instruction})).await;
        let pages = world.run(&block).await.unwrap();
        let fetched: Vec<&String> = pages.as_object().unwrap().keys().collect();
        assert_eq!(fetched, [&urls[0], &urls[1]], "{instruction:?}");
        assert!(pages[&urls[1]]["text"].as_str().unwrap().starts_with("# Zürich"), "{pages}");
    }
}

#[tokio::test]
async fn an_address_ends_its_literal_as_little_as_a_topic_does() {
    let world = World::new().await;
    let urls = [format!("{}/pages/tcp?\"]+[fail('x')]#\n", world.origin)];
    let block = world.block("transform_data", json!({"urls": urls, "instruction": "x"})).await;
    let pages = world.run(&block).await.unwrap();
    assert!(pages[&urls[0]]["text"].as_str().unwrap().starts_with("# TCP"), "{pages}");
}
