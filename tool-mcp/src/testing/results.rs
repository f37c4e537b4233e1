//! Results of requests, to assert on.

use std::ops::Index;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::testing::error::ClientError;

/// The result of a tool.
///
/// ```
/// use tool_core::{Registry, ToolError, tool};
/// use tool_mcp::testing::Client;
///
/// /// Divides a number by another.
/// #[tool(operation = Transform)]
/// fn kit_divide(a: i64, b: i64) -> Result<i64, ToolError> {
///     a.checked_div(b).ok_or_else(|| ToolError::not_found("there is no such number"))
/// }
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "kit_divide").build().unwrap();
/// let client = Client::connect(tool_mcp::Server::new(registry)).await.unwrap();
/// let result = client.call("kit_divide", serde_json::json!({"a": 1, "b": 0})).await.unwrap();
/// assert!(result.is_error());
/// assert_eq!((result.text().as_str(), result.kind()), ("there is no such number", Some("execution_failed")));
/// assert_eq!(result.reason(), Some("not_found"));
/// # });
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct ToolResult {
    pub(super) result: Value,
    pub(super) progress: Vec<Value>,
}

impl ToolResult {
    /// Returns `true` if the tool failed or was not run. [`text`](Self::text) then says why.
    ///
    /// ```
    /// # fn f(result: tool_mcp::testing::ToolResult) {
    /// assert!(!result.is_error(), "{}", result.text());
    /// # }
    /// ```
    pub fn is_error(&self) -> bool {
        self.result["isError"] == true
    }

    /// Returns the kind of the failure, such as `invalid_input`; `None` if the tool succeeded.
    ///
    /// ```
    /// # fn f(result: tool_mcp::testing::ToolResult) {
    /// assert_eq!(result.kind(), Some("invalid_input"));
    /// # }
    /// ```
    pub fn kind(&self) -> Option<&str> {
        self.result["_meta"]["tool-core/kind"].as_str()
    }

    /// Returns the reason of a tool that failed: `not_found`, `conflict` or `unavailable`; `None` if it gave none.
    ///
    /// ```
    /// # fn f(result: tool_mcp::testing::ToolResult) {
    /// assert_eq!(result.reason(), Some("not_found"));
    /// # }
    /// ```
    pub fn reason(&self) -> Option<&str> {
        self.result["_meta"]["tool-core/reason"].as_str()
    }

    /// Returns the text that a model reads: the text blocks of the content, joined with line breaks.
    ///
    /// ```
    /// # fn f(result: tool_mcp::testing::ToolResult) {
    /// assert!(result.text().contains("Seattle"));
    /// # }
    /// ```
    pub fn text(&self) -> String {
        joined(self.content())
    }

    /// Returns the blocks of the content, each as `{"type", …}`.
    ///
    /// ```
    /// # fn f(result: tool_mcp::testing::ToolResult) {
    /// assert_eq!(result.content()[0]["type"], "image");
    /// # }
    /// ```
    pub fn content(&self) -> &[Value] {
        list(&self.result["content"])
    }

    /// Returns the structured content, an object; null without any. A value that is not an object is in its member `result`.
    ///
    /// ```
    /// # fn f(result: tool_mcp::testing::ToolResult) {
    /// assert_eq!(result.structured()["result"], 8);
    /// # }
    /// ```
    pub fn structured(&self) -> &Value {
        &self.result["structuredContent"]
    }

    /// Deserializes the structured content.
    ///
    /// # Errors
    ///
    /// When it has another form, or when there is none; with the text of the result, which says why a tool failed.
    ///
    /// ```
    /// # fn f(result: tool_mcp::testing::ToolResult) -> Result<(), tool_mcp::testing::ClientError> {
    /// #[derive(serde::Deserialize)]
    /// struct Sum {
    ///     result: i64,
    /// }
    ///
    /// assert_eq!(result.decode::<Sum>()?.result, 8);
    /// # Ok(())
    /// # }
    /// ```
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, ClientError> {
        T::deserialize(self.structured()).map_err(|error| ClientError::UnexpectedResult {
            request: "tools/call".to_owned(),
            reason: error.to_string(),
            result: Box::new(self.result.clone()),
        })
    }

    /// Returns the progress that the tool reported, in its order: `{"progress", "total", "message"}`.
    ///
    /// ```
    /// # fn f(result: tool_mcp::testing::ToolResult) {
    /// assert_eq!(result.progress().last().unwrap()["progress"], 3.0);
    /// # }
    /// ```
    pub fn progress(&self) -> &[Value] {
        &self.progress
    }

    /// Returns the result as it was sent.
    ///
    /// ```
    /// # fn f(result: tool_mcp::testing::ToolResult) {
    /// assert!(result.raw()["_meta"]["tool-core/callId"].is_string());
    /// # }
    /// ```
    pub fn raw(&self) -> &Value {
        &self.result
    }
}

/// A prompt with its arguments filled in.
///
/// ```
/// # fn f(prompt: tool_mcp::testing::PromptResult) {
/// assert_eq!(prompt.messages()[0]["role"], "user");
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct PromptResult {
    pub(super) result: Value,
}

impl PromptResult {
    /// Returns the texts of the messages, joined with line breaks.
    ///
    /// ```
    /// # fn f(prompt: tool_mcp::testing::PromptResult) {
    /// assert!(prompt.text().starts_with("Compare"));
    /// # }
    /// ```
    pub fn text(&self) -> String {
        joined(self.messages().iter().map(|message| &message["content"]))
    }

    /// Returns the messages, each as `{"role", "content"}`.
    ///
    /// ```
    /// # fn f(prompt: tool_mcp::testing::PromptResult) {
    /// assert_eq!(prompt.messages().len(), 1);
    /// # }
    /// ```
    pub fn messages(&self) -> &[Value] {
        list(&self.result["messages"])
    }

    /// Returns the result as it was sent.
    ///
    /// ```
    /// # fn f(prompt: tool_mcp::testing::PromptResult) {
    /// assert_eq!(prompt.raw()["description"], "Compares years");
    /// # }
    /// ```
    pub fn raw(&self) -> &Value {
        &self.result
    }
}

/// The contents of a resource.
///
/// ```
/// # fn f(resource: tool_mcp::testing::ResourceResult) {
/// assert_eq!(resource.contents()[0]["mimeType"], "application/json");
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct ResourceResult {
    pub(super) result: Value,
}

impl ResourceResult {
    /// Returns the texts, joined with line breaks.
    ///
    /// ```
    /// # fn f(resource: tool_mcp::testing::ResourceResult) {
    /// assert!(resource.text().contains("Seattle"));
    /// # }
    /// ```
    pub fn text(&self) -> String {
        joined(self.contents())
    }

    /// Returns the contents, each as `{"uri", "mimeType", "text"}` or with `blob`.
    ///
    /// ```
    /// # fn f(resource: tool_mcp::testing::ResourceResult) {
    /// assert!(resource.contents()[0]["blob"].is_string());
    /// # }
    /// ```
    pub fn contents(&self) -> &[Value] {
        list(&self.result["contents"])
    }

    /// Deserializes the text, which is JSON.
    ///
    /// # Errors
    ///
    /// When it is not JSON, or has another form.
    ///
    /// ```
    /// # fn f(resource: tool_mcp::testing::ResourceResult) -> Result<(), tool_mcp::testing::ClientError> {
    /// assert_eq!(resource.decode::<serde_json::Value>()?["location"], "Seattle");
    /// # Ok(())
    /// # }
    /// ```
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, ClientError> {
        serde_json::from_str(&self.text()).map_err(|error| ClientError::UnexpectedResult {
            request: "resources/read".to_owned(),
            reason: error.to_string(),
            result: Box::new(self.result.clone()),
        })
    }

    /// Returns the result as it was sent.
    ///
    /// ```
    /// # fn f(resource: tool_mcp::testing::ResourceResult) {
    /// assert!(resource.raw()["contents"].is_array());
    /// # }
    /// ```
    pub fn raw(&self) -> &Value {
        &self.result
    }
}

/// The items of a list: tools, prompts, resources or templates, as they were sent.
///
/// Index with a name for the item of that name.
///
/// ```
/// # fn f(tools: tool_mcp::testing::Items) {
/// assert_eq!(tools.names(), ["get_weather", "list_cities"]);
/// assert_eq!(tools["get_weather"]["annotations"]["readOnlyHint"], true);
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Items {
    pub(super) items: Vec<Value>,
}

impl Items {
    /// Returns the names, in their order.
    ///
    /// ```
    /// # fn f(tools: tool_mcp::testing::Items) {
    /// assert!(tools.names().contains(&"get_weather"));
    /// # }
    /// ```
    pub fn names(&self) -> Vec<&str> {
        self.iter().filter_map(|item| item["name"].as_str()).collect()
    }

    /// Returns the item with a name.
    ///
    /// ```
    /// # fn f(tools: tool_mcp::testing::Items) {
    /// assert!(tools.get("delete_reports").is_none());
    /// # }
    /// ```
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.iter().find(|item| item["name"] == name)
    }

    /// Returns the items, in their order.
    ///
    /// ```
    /// # fn f(resources: tool_mcp::testing::Items) {
    /// assert!(resources.iter().all(|resource| resource["uri"].is_string()));
    /// # }
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Value> {
        self.items.iter()
    }
}

impl Index<&str> for Items {
    type Output = Value;

    /// Returns the item with a name.
    ///
    /// # Panics
    ///
    /// Panics with the names of the list if there is no such item.
    #[track_caller]
    fn index(&self, name: &str) -> &Value {
        self.get(name).unwrap_or_else(|| panic!("`{name}` is not in the list {:?}", self.names()))
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn joined<'v>(blocks: impl IntoIterator<Item = &'v Value>) -> String {
    blocks.into_iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
}
