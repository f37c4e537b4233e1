//! The requests of a client, by their methods.

use serde_json::{Value, json};

use crate::testing::client::Client;
use crate::testing::error::ClientError;
use crate::testing::results::{Items, PromptResult, ResourceResult, ToolResult};

impl Client {
    /// Lists the tools, all pages of them.
    ///
    /// # Errors
    ///
    /// When the server refuses the request.
    ///
    /// ```
    /// # use tool_mcp::testing::Client;
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let client = Client::connect(tool_mcp::Server::new(registry)).await.unwrap();
    /// assert!(client.list_tools().await.unwrap().names().is_empty());
    /// # });
    /// ```
    pub async fn list_tools(&self) -> Result<Items, ClientError> {
        self.list("tools/list", "tools").await
    }

    /// Lists the prompts, all pages of them.
    ///
    /// # Errors
    ///
    /// When the server refuses the request.
    ///
    /// ```
    /// # use tool_mcp::testing::Client;
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let client = Client::connect(tool_mcp::Server::new(registry)).await.unwrap();
    /// assert!(client.list_prompts().await.unwrap().names().is_empty());
    /// # });
    /// ```
    pub async fn list_prompts(&self) -> Result<Items, ClientError> {
        self.list("prompts/list", "prompts").await
    }

    /// Lists the resources, all pages of them.
    ///
    /// # Errors
    ///
    /// When the server refuses the request.
    ///
    /// ```
    /// # use tool_mcp::testing::Client;
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let client = Client::connect(tool_mcp::Server::new(registry).scheme("shop")).await.unwrap();
    /// assert!(client.list_resources().await.unwrap().iter().any(|item| item["uri"] == "shop://tools"));
    /// # });
    /// ```
    pub async fn list_resources(&self) -> Result<Items, ClientError> {
        self.list("resources/list", "resources").await
    }

    /// Lists the templates of resources, all pages of them.
    ///
    /// # Errors
    ///
    /// When the server refuses the request.
    ///
    /// ```
    /// # use tool_mcp::testing::Client;
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let client = Client::connect(tool_mcp::Server::new(registry)).await.unwrap();
    /// assert_eq!(client.list_resource_templates().await.unwrap().iter().count(), 1);
    /// # });
    /// ```
    pub async fn list_resource_templates(&self) -> Result<Items, ClientError> {
        self.list("resources/templates/list", "resourceTemplates").await
    }

    /// Calls a tool, and answers its questions.
    ///
    /// # Errors
    ///
    /// When the server refuses the request, as for an unknown tool. A tool that fails is no error: its result
    /// [says so](ToolResult::is_error).
    ///
    /// ```
    /// use tool_core::{Registry, tool};
    /// use tool_mcp::testing::Client;
    ///
    /// /// Doubles a number.
    /// #[tool(operation = Transform)]
    /// fn kit_double(n: i64) -> i64 {
    ///     2 * n
    /// }
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let registry = Registry::builder().linked().select(|tool| tool.name() == "kit_double").build().unwrap();
    /// let client = Client::connect(tool_mcp::Server::new(registry)).await.unwrap();
    /// let result = client.call("kit_double", serde_json::json!({"n": 4})).await.unwrap();
    /// assert_eq!(result.structured()["result"], 8);
    /// # });
    /// ```
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<ToolResult, ClientError> {
        let token = self.pipe.next_id();
        let mut params = json!({"name": tool, "_meta": {"progressToken": token}});
        params["arguments"] = arguments;
        let result = self.request("tools/call", params).await?;
        let is_progress = |it: &Value| {
            it["method"] == "notifications/progress" && it["params"]["progressToken"] == json!(token)
        };
        let progress =
            self.pipe.take_notifications(is_progress).into_iter().map(|mut it| it["params"].take()).collect();
        Ok(ToolResult { result, progress })
    }

    /// Gets a prompt, and answers its questions.
    ///
    /// # Errors
    ///
    /// When the server refuses the request, as for invalid arguments.
    ///
    /// ```
    /// # use tool_mcp::testing::Client;
    /// use tool_mcp::{DynamicPrompt, Server};
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = Server::new(registry).prompt(DynamicPrompt::template("ask", "Asks.", "What is {thing}?"));
    /// let prompt = Client::connect(server).await.unwrap();
    /// let prompt = prompt.get_prompt("ask", serde_json::json!({"thing": "rain"})).await.unwrap();
    /// assert_eq!(prompt.text(), "What is rain?");
    /// # });
    /// ```
    pub async fn get_prompt(&self, name: &str, arguments: Value) -> Result<PromptResult, ClientError> {
        let mut params = json!({"name": name});
        params["arguments"] = arguments;
        self.request("prompts/get", params).await.map(|result| PromptResult { result })
    }

    /// Reads a resource, and answers its questions.
    ///
    /// # Errors
    ///
    /// When the server refuses the request, as for a missing resource.
    ///
    /// ```
    /// # use tool_mcp::testing::Client;
    /// use tool_mcp::{DynamicResource, Server};
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = Server::new(registry).resource(DynamicResource::text("docs://guide", "guide", "Search first."));
    /// let client = Client::connect(server).await.unwrap();
    /// assert_eq!(client.read_resource("docs://guide").await.unwrap().text(), "Search first.");
    /// # });
    /// ```
    pub async fn read_resource(&self, uri: &str) -> Result<ResourceResult, ClientError> {
        let result = self.request("resources/read", json!({"uri": uri})).await?;
        Ok(ResourceResult { result })
    }

    /// Completes an argument of a prompt. `given` has the other arguments that are filled in already, by name.
    ///
    /// # Errors
    ///
    /// When the server refuses the request.
    ///
    /// ```
    /// # use tool_mcp::testing::Client;
    /// use tool_mcp::{DynamicPrompt, Server};
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = Server::new(registry).prompt(DynamicPrompt::template("ask", "Asks.", "What is {thing}?"));
    /// let client = Client::connect(server).await.unwrap();
    /// let values = client.complete_prompt("ask", "thing", "r", serde_json::json!({})).await.unwrap();
    /// assert!(values.is_empty());
    /// # });
    /// ```
    pub async fn complete_prompt(
        &self,
        name: &str,
        argument: &str,
        value: &str,
        given: Value,
    ) -> Result<Vec<String>, ClientError> {
        self.complete(json!({"type": "ref/prompt", "name": name}), argument, value, given).await
    }

    /// Completes a variable of a resource template. `given` has the other variables that are filled in already, by name.
    ///
    /// # Errors
    ///
    /// When the server refuses the request.
    ///
    /// ```
    /// # use tool_mcp::testing::Client;
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let client = Client::connect(tool_mcp::Server::new(registry).scheme("shop")).await.unwrap();
    /// let completing = client.complete_resource("shop://tool/{name}", "name", "a", serde_json::json!({}));
    /// assert!(completing.await.unwrap().is_empty());
    /// # });
    /// ```
    pub async fn complete_resource(
        &self,
        template: &str,
        variable: &str,
        value: &str,
        given: Value,
    ) -> Result<Vec<String>, ClientError> {
        self.complete(json!({"type": "ref/resource", "uri": template}), variable, value, given).await
    }

    async fn complete(
        &self,
        reference: Value,
        name: &str,
        value: &str,
        given: Value,
    ) -> Result<Vec<String>, ClientError> {
        let mut params = json!({"argument": {"name": name, "value": value}});
        params["ref"] = reference;
        if given.as_object().is_some_and(|given| !given.is_empty()) {
            params["context"]["arguments"] = given;
        }
        let mut result = self.request("completion/complete", params).await?;
        serde_json::from_value(result["completion"]["values"].take()).map_err(|error| {
            ClientError::UnexpectedResult {
                request: "completion/complete".to_owned(),
                reason: error.to_string(),
                result: Box::new(result),
            }
        })
    }
}
