//! Settings of a client for tests.

use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};
use tool_core::elicitation::{AskKind, ClientRequests};
use tool_core::logging::LogLevel;
use tool_core::{Extensions, Principal};

use crate::Server;
use crate::testing::client::{Client, ClientProfile, LEGACY, MODERN};
use crate::testing::error::ClientError;
use crate::testing::pipe::Pipe;

/// Builds a [`Client`].
///
/// ```
/// use tool_core::Principal;
/// use tool_mcp::{Server, testing::Client};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let ada = Principal::new("ada").grant("report.file");
/// let client = Client::builder(Server::new(registry)).principal(ada).legacy().connect().await.unwrap();
/// assert_eq!(client.version(), "2025-11-25");
/// # });
/// ```
#[must_use = "a client sends nothing before `connect`"]
pub struct ClientBuilder {
    server: Server,
    caller: Option<Principal>,
    extensions: Option<Extensions>,
    version: String,
    capabilities: Option<Value>,
    answers: Option<Arc<dyn ClientRequests>>,
    log_level: Option<LogLevel>,
}

impl Client {
    /// Connects to a server in this process, as the local caller of its registry, with the newest version of the protocol. The
    /// client answers no questions.
    ///
    /// Call it in a tokio runtime.
    ///
    /// # Errors
    ///
    /// When the server cannot start, as with an invalid registry.
    ///
    /// ```
    /// use tool_mcp::{Server, testing::Client};
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let client = Client::connect(Server::new(registry).name("shop").version("1.2.0")).await.unwrap();
    /// assert_eq!(client.server_info()["name"], "shop");
    /// # });
    /// ```
    pub async fn connect(server: Server) -> Result<Self, ClientError> {
        Client::builder(server).connect().await
    }

    /// Returns a builder of a client with settings.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let builder = tool_mcp::testing::Client::builder(tool_mcp::Server::new(registry)).legacy();
    /// ```
    pub fn builder(server: Server) -> ClientBuilder {
        ClientBuilder {
            server,
            caller: None,
            extensions: None,
            version: MODERN.to_owned(),
            capabilities: None,
            answers: None,
            log_level: None,
        }
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("version", &self.version)
            .field("log_level", &self.log_level)
            .finish_non_exhaustive()
    }
}

impl ClientBuilder {
    setters! {
        self, "# let registry = tool_core::Registry::builder().allow_empty().build().unwrap();",
            "let builder = tool_mcp::testing::Client::builder(tool_mcp::Server::new(registry))";

        /// Sets who calls, as an authenticator would over HTTP. Default: the local caller of the registry.
        principal(principal: Principal) => self.caller = Some(principal), example(tool_core::Principal::new("ada"));

        /// Sets the extensions of every request, as layers of axum would over HTTP.
        extensions(extensions: Extensions) => self.extensions = Some(extensions),
            example(tool_core::Extensions::new().with("de"));

        /// Sets the version of the protocol. From 2026-07-28 on, each request is independent; for older ones the client opens a
        /// session, and connecting fails if the server answers with another version. Default: [`MODERN`].
        version(version: impl Into<String>) => self.version = version.into(), example("2025-06-18");

        /// Sets the capabilities that the client declares. Default: those for the questions that it answers.
        capabilities(capabilities: Value) => self.capabilities = Some(capabilities),
            example(serde_json::json!({"roots": {}}));

        /// Sets what answers the questions of tools: [`Answers`](tool_core::testing::Answers), or another client. Questions that a
        /// tool asks at once are answered in the order of their keys; by a client with a session, in the order of asking.
        answers(answers: impl ClientRequests + 'static) => self.answers = Some(Arc::new(answers)),
            example(tool_core::testing::Answers::new().decline());

        /// Sets the least severe level of log messages that the client gets. By default, a client of 2026-07-28 gets no log
        /// messages, and an older client gets those of `info` and above.
        log_level(level: LogLevel) => self.log_level = Some(level),
            example(tool_core::logging::LogLevel::Debug);
    }

    /// Uses the newest version of the protocol with sessions, [`LEGACY`].
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let builder = tool_mcp::testing::Client::builder(tool_mcp::Server::new(registry)).legacy();
    /// ```
    pub fn legacy(self) -> Self {
        self.version(LEGACY)
    }

    /// Starts the server and connects to it.
    ///
    /// # Errors
    ///
    /// When the server cannot start, as with an invalid registry, or refuses the client.
    ///
    /// ```
    /// use tool_mcp::{Server, testing::Client};
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = Server::new(registry).legacy(false);
    /// assert!(Client::builder(server).legacy().connect().await.is_err());
    /// # });
    /// ```
    pub async fn connect(self) -> Result<Client, ClientError> {
        let ClientBuilder { server, caller, extensions, version, capabilities, answers, log_level } = self;
        let handler = server.checked_handler(caller).await?;
        let capabilities = capabilities.unwrap_or_else(|| supported(answers.as_deref()));
        let pipe = Pipe::open(handler, extensions, answers.clone());
        let profile = ClientProfile { version, capabilities, answers, log_level };
        let mut client = Client { pipe, profile, server: Value::Null };
        client.open().await?;
        Ok(client)
    }
}

impl Client {
    /// Learns about the server, in a new session if the version has sessions.
    async fn open(&mut self) -> Result<(), ClientError> {
        if self.profile.is_modern() {
            self.server = self.request("server/discover", json!({})).await?;
            return Ok(());
        }
        let params = json!({
            "protocolVersion": self.profile.version,
            "capabilities": self.profile.capabilities,
            "clientInfo": ClientProfile::client_info(),
        });
        self.server = self.request("initialize", params).await?;
        if self.server["protocolVersion"] != self.profile.version.as_str() {
            let reason = format!("the server does not use the version `{}`", self.profile.version);
            let (request, result) = ("initialize".to_owned(), Box::new(self.server.take()));
            return Err(ClientError::UnexpectedResult { request, reason, result });
        }
        self.pipe.notify("notifications/initialized");
        if let Some(level) = self.profile.log_level {
            self.request("logging/setLevel", json!({"level": level.as_str()})).await?;
        }
        Ok(())
    }
}

/// Returns the capabilities for the questions that a client answers.
fn supported(answers: Option<&dyn ClientRequests>) -> Value {
    let mut capabilities = json!({});
    let Some(answers) = answers else { return capabilities };
    for (kind, path) in [
        (AskKind::Form, &["elicitation", "form"][..]),
        (AskKind::Url, &["elicitation", "url"]),
        (AskKind::Sample, &["sampling"]),
        (AskKind::Roots, &["roots"]),
    ] {
        if answers.supports(kind) {
            path.iter().fold(&mut capabilities, |value, key| {
                let object = value.as_object_mut().expect("capabilities are objects");
                object.entry(*key).or_insert_with(|| json!({}))
            });
        }
    }
    capabilities
}
