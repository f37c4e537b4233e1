//! A client for the tests of an application: it talks to a [`Server`](crate::Server) in the same process.
//!
//! ```
//! use serde_json::json;
//! use tool_core::{Registry, tool};
//! use tool_mcp::{Server, testing::Client};
//!
//! /// Doubles a number.
//! #[tool(operation = Transform)]
//! fn twice_the_number(n: i64) -> i64 {
//!     2 * n
//! }
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let registry = Registry::builder().linked().select(|tool| tool.name() == "twice_the_number").build().unwrap();
//! let client = Client::connect(Server::new(registry)).await.unwrap();
//! let result = client.call("twice_the_number", json!({"n": 4})).await.unwrap();
//! assert_eq!(result.structured()["result"], 8);
//! # });
//! ```

mod builder;
mod client;
mod error;
mod pipe;
mod results;

pub use builder::ClientBuilder;
pub use client::{Client, LEGACY, MODERN};
pub use error::ClientError;
pub use results::{Items, PromptResult, ResourceResult, ToolResult};
