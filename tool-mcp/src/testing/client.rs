//! A client of a server in the same process.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tool_core::elicitation::ClientRequests;
use tool_core::logging::LogLevel;

use crate::testing::error::ClientError;
use crate::testing::pipe::{Pipe, answer};
use crate::testing::results::Items;

/// The newest version of the protocol, with independent requests. Clients use it by default.
///
/// ```
/// assert_eq!(tool_mcp::testing::MODERN, "2026-07-28");
/// ```
pub const MODERN: &str = "2026-07-28";

/// The newest version of the protocol with sessions.
///
/// ```
/// assert_eq!(tool_mcp::testing::LEGACY, "2025-11-25");
/// ```
pub const LEGACY: &str = "2025-11-25";

/// The most pages of a list.
const MOST_PAGES: usize = 1000;

/// How often a question is answered, if the answers are invalid. It is as often for clients of older versions.
const MOST_ANSWERS: usize = 3;

/// An MCP client of a [`Server`](crate::Server) in the same process.
///
/// The server reads and writes the same messages as over standard input and output, in a task of the current tokio runtime.
/// There is no port and no process. All methods may be used at once.
///
/// See the [module](crate::testing) for examples.
pub struct Client {
    pub(super) pipe: Pipe,
    pub(super) profile: ClientProfile,
    /// The result of `server/discover` or `initialize`.
    pub(super) server: Value,
}

/// What a client sends with its requests.
pub(super) struct ClientProfile {
    pub(super) version: String,
    pub(super) capabilities: Value,
    pub(super) answers: Option<Arc<dyn ClientRequests>>,
    pub(super) log_level: Option<LogLevel>,
}

impl ClientProfile {
    /// Returns `true` if requests are independent: 2026-07-28 or later. Versions are dates, and compare as texts.
    pub(super) fn is_modern(&self) -> bool {
        self.version.as_str() >= MODERN
    }

    pub(super) fn client_info() -> Value {
        json!({"name": "tool-mcp-testing", "version": env!("CARGO_PKG_VERSION")})
    }

    /// Adds the `_meta` of a request to its parameters.
    fn complete(&self, params: &mut Map<String, Value>, id: u64) {
        let meta = params.entry("_meta").or_insert_with(|| json!({}));
        let Some(meta) = meta.as_object_mut() else { return };
        let mut set = |key: &str, value: Value| {
            meta.entry(key).or_insert(value);
        };
        set("progressToken", json!(id));
        if self.is_modern() {
            set("io.modelcontextprotocol/protocolVersion", json!(self.version));
            set("io.modelcontextprotocol/clientInfo", Self::client_info());
            set("io.modelcontextprotocol/clientCapabilities", self.capabilities.clone());
            if let Some(level) = self.log_level {
                set("io.modelcontextprotocol/logLevel", json!(level.as_str()));
            }
        }
    }
}

impl Client {
    /// Returns the version of the protocol.
    ///
    /// ```
    /// # use tool_mcp::testing::Client;
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let client = Client::connect(tool_mcp::Server::new(registry)).await.unwrap();
    /// assert_eq!(client.version(), tool_mcp::testing::MODERN);
    /// # });
    /// ```
    pub fn version(&self) -> &str {
        &self.profile.version
    }

    /// Returns what the server tells about itself: `{"name", "version", …}`.
    ///
    /// ```
    /// # use tool_mcp::testing::Client;
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).name("shop").version("1.2.0");
    /// let client = Client::connect(server).await.unwrap();
    /// assert_eq!(client.server_info(), &serde_json::json!({"name": "shop", "version": "1.2.0"}));
    /// # });
    /// ```
    pub fn server_info(&self) -> &Value {
        let in_meta = &self.server["_meta"]["io.modelcontextprotocol/serverInfo"];
        if in_meta.is_null() { &self.server["serverInfo"] } else { in_meta }
    }

    /// Returns the instructions of the server for the model.
    ///
    /// ```
    /// # use tool_mcp::testing::Client;
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).instructions("Search first.");
    /// assert_eq!(Client::connect(server).await.unwrap().instructions(), Some("Search first."));
    /// # });
    /// ```
    pub fn instructions(&self) -> Option<&str> {
        self.server["instructions"].as_str()
    }

    /// Returns all notifications so far, each as `{"method", "params"}`: log messages, changes of lists, and the progress of
    /// calls that run. A call that ends takes its progress into its [result](crate::testing::ToolResult::progress).
    ///
    /// ```
    /// # use tool_mcp::testing::Client;
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let client = Client::connect(tool_mcp::Server::new(registry)).await.unwrap();
    /// assert!(client.notifications().is_empty());
    /// # });
    /// ```
    pub fn notifications(&self) -> Vec<Value> {
        self.pipe.notifications(|_| true)
    }

    /// Returns the log messages so far, each as `{"level", "logger", "data"}`. The logger is the tool.
    ///
    /// ```
    /// # use tool_mcp::testing::Client;
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let client = Client::connect(tool_mcp::Server::new(registry)).await.unwrap();
    /// assert!(client.log().is_empty());
    /// # });
    /// ```
    pub fn log(&self) -> Vec<Value> {
        let messages = self.pipe.notifications(|message| message["method"] == "notifications/message");
        messages.into_iter().map(|mut message| message["params"].take()).collect()
    }

    /// Disconnects, and waits until the server has ended.
    ///
    /// ```
    /// # use tool_mcp::testing::Client;
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// Client::connect(tool_mcp::Server::new(registry)).await.unwrap().close().await;
    /// # });
    /// ```
    pub async fn close(self) {
        self.pipe.close().await;
    }

    /// Sends any request, answers its questions, and returns its result. The parameters are an object, or null for none. The
    /// `_meta` that the version of the client needs is added.
    ///
    /// A request that is dropped before its response, as by a time limit, is canceled with `notifications/cancelled`.
    ///
    /// # Errors
    ///
    /// When the server refuses the request, when the parameters are something else, or when a question has no valid answer.
    ///
    /// ```
    /// # use tool_mcp::testing::Client;
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let client = Client::connect(tool_mcp::Server::new(registry)).await.unwrap();
    /// let list = client.request("tools/list", serde_json::json!({})).await.unwrap();
    /// assert_eq!(list["tools"], serde_json::json!([]));
    /// # });
    /// ```
    pub async fn request(&self, method: &str, params: Value) -> Result<Value, ClientError> {
        let request = named(method, &params);
        let mut round = match params {
            Value::Object(params) => params,
            Value::Null => Map::new(),
            _ => return Err(ClientError::Params { request }),
        };
        let mut answered = HashMap::new();
        loop {
            let mut result = self.exchange(method, &request, round.clone()).await?;
            if result["resultType"] != "input_required" {
                return Ok(result);
            }
            let questions = result["inputRequests"].take();
            let responses = self.answer_questions(&request, &questions, &mut answered).await?;
            round.insert("inputResponses".to_owned(), Value::Object(responses));
            round.insert("requestState".to_owned(), result["requestState"].take());
        }
    }

    /// Answers the questions of one round, by their keys, and counts the answers of each.
    async fn answer_questions(
        &self,
        request: &str,
        questions: &Value,
        answered: &mut HashMap<String, usize>,
    ) -> Result<Map<String, Value>, ClientError> {
        let mut responses = Map::new();
        for (key, question) in questions.as_object().into_iter().flatten() {
            let answers = answered.entry(key.clone()).or_default();
            *answers += 1;
            let answer = if *answers > MOST_ANSWERS {
                let message = question["params"]["message"].as_str().unwrap_or_default();
                Err(format!("the question `{key}` has no valid answer: {message}"))
            } else {
                answer(self.profile.answers.as_ref(), key, question).await
            };
            let (request, question) = (request.to_owned(), key.clone());
            let answer = answer.map_err(|reason| ClientError::Question { request, question, reason })?;
            responses.insert(key.clone(), answer);
        }
        Ok(responses)
    }

    /// Sends a request once.
    async fn exchange(
        &self,
        method: &str,
        request: &str,
        mut params: Map<String, Value>,
    ) -> Result<Value, ClientError> {
        let id = self.pipe.next_id();
        self.profile.complete(&mut params, id);
        let closed = |reason| ClientError::Closed { request: request.to_owned(), reason };
        let mut response = self.pipe.request(id, method, &Value::Object(params)).await.map_err(closed)?;
        match response.get_mut("error") {
            None => Ok(response["result"].take()),
            Some(error) => Err(ClientError::Rpc {
                request: request.to_owned(),
                code: error["code"].as_i64().unwrap_or_default(),
                message: error["message"].as_str().unwrap_or_default().to_owned(),
                data: Box::new(error["data"].take()),
            }),
        }
    }

    /// Returns the items of all pages of a list.
    pub(super) async fn list(&self, method: &str, member: &'static str) -> Result<Items, ClientError> {
        let mut items = Vec::new();
        let mut params = json!({});
        for _ in 0..MOST_PAGES {
            let mut page = self.request(method, params.clone()).await?;
            match page[member].take() {
                Value::Array(more) => items.extend(more),
                _ => {
                    let reason = format!("`{member}` is not a list");
                    let (request, result) = (method.to_owned(), Box::new(page));
                    return Err(ClientError::UnexpectedResult { request, reason, result });
                }
            }
            match page["nextCursor"].take() {
                Value::Null => return Ok(Items { items }),
                cursor => params["cursor"] = cursor,
            }
        }
        let reason = "there is no end of pages".to_owned();
        Err(ClientError::UnexpectedResult { request: method.to_owned(), reason, result: Box::default() })
    }
}

/// Returns a request as errors name it: the method, and the name or URI that it is about.
fn named(method: &str, params: &Value) -> String {
    let name = params["name"].as_str().or(params["uri"].as_str());
    name.map_or_else(|| method.to_owned(), |name| format!("{method} {name}"))
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("version", &self.profile.version)
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}
