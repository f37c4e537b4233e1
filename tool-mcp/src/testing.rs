//! A client for the tests of an application: it talks to a [`Server`](crate::Server) in the same process, without a port.
//!
//! [`tool_core::testing`] tests tools and prompts without a protocol. This module tests what an MCP client gets: names and
//! descriptions, results, errors, questions. Both versions of the protocol are served by the code that serves real clients.
//!
//! The examples share this server:
//!
//! ```
//! use tool_core::{Context, Failure, Registry, prompt, tool};
//! use tool_mcp::Server;
//!
//! /// Doubles a number.
//! #[tool(operation = Transform)]
//! fn double_it(n: i64) -> i64 {
//!     2 * n
//! }
//!
//! /// Files a report.
//! #[tool(operation = Write, destructive = false, permission = "report.file")]
//! fn file_it() {}
//!
//! #[derive(schemars::JsonSchema, serde::Deserialize)]
//! struct Person {
//!     name: String,
//! }
//!
//! /// Greets whoever is there.
//! #[tool(operation = Read)]
//! async fn greet_it(#[inject] context: Context) -> Result<String, Failure> {
//!     let Person { name } = context.elicit("Who is there?").await?.required()?;
//!     Ok(format!("Hello, {name}!"))
//! }
//!
//! /// Asks for the weather.
//! #[prompt]
//! fn weather_of_it(city: String) -> String {
//!     format!("What is the weather in {city}?")
//! }
//!
//! fn server() -> Server {
//!     let registry = Registry::builder().linked().select(|tool| tool.name().ends_with("_it"));
//!     # let registry = registry.select_prompts(|prompt| prompt.name().ends_with("_it"));
//!     Server::new(registry.build().unwrap()).name("shop").version("1.0.0")
//! }
//!
//! # use serde_json::json;
//! # use tool_core::{Principal, testing::Answers};
//! # use tool_mcp::testing::Client;
//! # type Tested = Result<(), Box<dyn std::error::Error>>;
//! // A tool.
//! # async fn a_tool() -> Tested {
//! let client = Client::connect(server()).await?;
//! let result = client.call("double_it", json!({"n": 4})).await?;
//! assert_eq!(result.structured()["result"], 8);
//! let result = client.call("double_it", json!({"n": "four"})).await?;
//! assert!(result.is_error() && result.text().contains("/n: expected an integer"), "{}", result.text());
//! # Ok(())
//! # }
//!
//! // A permission.
//! # async fn a_permission() -> Tested {
//! let ada = Client::builder(server()).principal(Principal::new("ada").grant("report.file")).connect().await?;
//! assert!(!ada.call("file_it", json!({})).await?.is_error());
//! let bob = Client::builder(server()).principal(Principal::new("bob")).connect().await?;
//! assert_eq!(bob.call("file_it", json!({})).await?.kind(), Some("access_denied"));
//! assert!(bob.list_tools().await?.get("file_it").is_none());
//! # Ok(())
//! # }
//!
//! // A prompt.
//! # async fn a_prompt() -> Tested {
//! let client = Client::connect(server()).await?;
//! let prompt = client.get_prompt("weather_of_it", json!({"city": "Oslo"})).await?;
//! assert_eq!(prompt.text(), "What is the weather in Oslo?");
//! # Ok(())
//! # }
//!
//! // What a model sees; a snapshot of it, as with the crate `insta`, shows every change.
//! # async fn a_catalog() -> Tested {
//! let client = Client::connect(server()).await?;
//! assert_eq!(client.list_tools().await?["double_it"]["description"], "Doubles a number.");
//! assert!(client.catalog().await?.starts_with("tool `double_it`\nDoubles a number.\n"));
//! # Ok(())
//! # }
//!
//! // An elicitation, with a client of 2025-11-25.
//! # async fn an_elicitation() -> Tested {
//! let answers = Answers::new().accept(json!({"name": "Ada"}));
//! let client = Client::builder(server()).legacy().answers(answers.clone()).connect().await?;
//! assert_eq!(client.call("greet_it", json!({})).await?.text(), "Hello, Ada!");
//! assert_eq!(answers.questions()[0].message(), "Who is there?");
//! # Ok(())
//! # }
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! #     a_tool().await.unwrap();
//! #     a_permission().await.unwrap();
//! #     a_prompt().await.unwrap();
//! #     a_catalog().await.unwrap();
//! #     an_elicitation().await.unwrap();
//! # });
//! ```

mod builder;
mod catalog;
mod client;
mod error;
mod interface;
mod pipe;
mod requests;
mod results;

pub use builder::ClientBuilder;
pub use client::{Client, LEGACY, MODERN};
pub use error::ClientError;
pub use results::{Items, PromptResult, ResourceResult, ToolResult};
