//! The blocks of the prompts, run unchanged.

use serde_json::{Value, json};
use tool_core::{Content, FailureKind};

use crate::Fixture;

impl Fixture {
    /// Returns the block that a prompt renders.
    async fn block(&self, prompt: &str, arguments: Value) -> String {
        let prompt = self.registry.get_prompt(prompt, arguments).await.unwrap();
        let [message] = &prompt.messages[..] else { panic!("{prompt:?}") };
        let Content::Text { text } = &message.content else { panic!("{prompt:?}") };
        text.clone()
    }
}

/// Texts that try to break out of a literal.
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
async fn returns_search_results_by_topic() {
    let fixture = Fixture::new().await;
    let block = fixture.block("batch_search", json!({"topics": ["AI", "ML"], "count": 5})).await;
    let found = fixture.run(&block).await.unwrap();
    let topics: Vec<&String> = found.as_object().unwrap().keys().collect();
    assert_eq!(topics, ["AI", "ML"]);
    assert_eq!(found["AI"][0]["title"], "Artificial intelligence");
    assert_eq!(found["ML"][0]["title"], "Machine learning");
    let direct = fixture.registry.call("brave_web_search", json!({"query": "AI", "count": 5})).await.unwrap();
    assert_eq!(found["AI"], direct.value());
}

#[tokio::test]
async fn accepts_arguments_as_text() {
    let fixture = Fixture::new().await;
    let values = fixture.block("batch_search", json!({"topics": ["AI", "ML"], "count": 3})).await;
    for topics in [r#"["AI","ML"]"#, "AI, ML"] {
        assert_eq!(fixture.block("batch_search", json!({"topics": topics, "count": "3"})).await, values);
    }
    for (arguments, path) in [
        (json!({}), "/topics"),
        (json!({"topics": [], "count": 3}), "/topics"),
        (json!({"topics": "AI", "count": "21"}), "/count"),
    ] {
        let failure = fixture.registry.get_prompt("batch_search", arguments).await.unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Input);
        assert_eq!(failure.problems()[0].path, path);
    }
}

#[tokio::test]
async fn searches_for_hostile_topics() {
    let fixture = Fixture::new().await;
    let block = fixture.block("batch_search", json!({"topics": HOSTILE, "count": 1})).await;
    let found = fixture.run(&block).await.unwrap();
    let topics: Vec<&str> = found.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(topics, HOSTILE);
}

#[tokio::test]
async fn returns_pages_by_url_for_any_instruction() {
    let fixture = Fixture::new().await;
    let urls = ["tcp", "zurich"].map(|slug| format!("{}/pages/{slug}", fixture.origin));
    for instruction in HOSTILE.iter().chain(&["Extract titles"]) {
        let block = fixture.block("transform_data", json!({"urls": urls, "instruction": instruction})).await;
        let pages = fixture.run(&block).await.unwrap();
        let fetched: Vec<&String> = pages.as_object().unwrap().keys().collect();
        assert_eq!(fetched, [&urls[0], &urls[1]], "{instruction:?}");
        assert!(pages[&urls[1]]["text"].as_str().unwrap().starts_with("# Zürich"), "{pages}");
    }
}

#[tokio::test]
async fn escapes_hostile_urls() {
    let fixture = Fixture::new().await;
    let urls = [format!("{}/pages/tcp?\"]+[fail('x')]#\n", fixture.origin)];
    let block = fixture.block("transform_data", json!({"urls": urls, "instruction": "x"})).await;
    let pages = fixture.run(&block).await.unwrap();
    assert!(pages[&urls[0]]["text"].as_str().unwrap().starts_with("# TCP"), "{pages}");
}
