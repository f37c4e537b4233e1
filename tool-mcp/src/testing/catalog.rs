//! What a model sees, as text.

use serde_json::Value;

use crate::testing::client::Client;
use crate::testing::error::ClientError;
use crate::testing::results::Items;

impl Client {
    /// Returns what a model sees of the server, as text: the instructions, and each tool, prompt, resource and resource template
    /// as it is listed for this client, with its description and then its other members as JSON.
    ///
    /// The text is the same as long as the lists are. Compare it with a stored one, for example with the crate `insta`:
    /// `insta::assert_snapshot!(client.catalog().await?)`. A change of a description then shows in the review.
    ///
    /// # Errors
    ///
    /// When the server refuses a list.
    ///
    /// ```
    /// use tool_core::{Registry, tool};
    /// use tool_mcp::{Server, testing::Client};
    ///
    /// /// Says hello.
    /// #[tool(operation = Read)]
    /// fn say_hello() {}
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let registry = Registry::builder().linked().select(|tool| tool.name() == "say_hello").build().unwrap();
    /// let server = Server::new(registry).instructions("Be polite.");
    /// let catalog = Client::connect(server).await.unwrap().catalog().await.unwrap();
    /// assert!(catalog.starts_with("instructions\nBe polite.\n\ntool `say_hello`\nSays hello.\n{\n"), "{catalog}");
    /// # });
    /// ```
    pub async fn catalog(&self) -> Result<String, ClientError> {
        let mut paragraphs = Vec::new();
        if let Some(instructions) = self.instructions() {
            paragraphs.push(format!("instructions\n{}\n", instructions.trim_end()));
        }
        for (kind, items) in [
            ("tool", self.list_tools().await?),
            ("prompt", self.list_prompts().await?),
            ("resource", self.list_resources().await?),
            ("resource template", self.list_resource_templates().await?),
        ] {
            paragraphs.extend(describe(kind, items));
        }
        Ok(paragraphs.join("\n"))
    }
}

/// Returns a paragraph for each item.
fn describe(kind: &str, items: Items) -> impl Iterator<Item = String> {
    items.items.into_iter().map(move |mut item| {
        let mut take = |key: &str| item.as_object_mut().and_then(|item| item.shift_remove(key));
        let name = take("name");
        let mut text = format!("{kind} `{}`\n", name.as_ref().and_then(Value::as_str).unwrap_or_default());
        if let Some(Value::String(description)) = take("description") {
            text.push_str(&format!("{}\n", description.trim_end()));
        }
        // A value with text as keys can always be serialized.
        text.push_str(&serde_json::to_string_pretty(&item).unwrap_or_default());
        text.push('\n');
        text
    })
}
