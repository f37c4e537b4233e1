//! State that is opened at its first use, by a prompt.

use serde_json::json;
use tool_core::{Content, LazyState, Registry, prompt};

struct Database {
    name: &'static str,
}

/// Says the name of the database.
#[prompt]
fn say_lazily(#[inject] database: LazyState<Database>) -> String {
    database.name.to_owned()
}

#[tokio::test]
async fn is_opened_for_a_prompt() {
    let builder =
        Registry::builder().linked().select_prompts(|prompt| prompt.source().module == module_path!());
    let builder = builder.lazy_state(|| async { Ok::<_, String>(Database { name: "weather" }) });
    let registry = builder.build().unwrap();
    let prompt = registry.get_prompt("say_lazily", json!({})).await.unwrap();
    assert_eq!(prompt.messages[0].content, Content::text("weather"));
}
