//! Errors of a client for tests.

use serde_json::Value;

use crate::error::ServeError;

/// The error of a [`Client`](crate::testing::Client).
///
/// A tool that fails is no error: see [`ToolResult::is_error`](crate::testing::ToolResult::is_error).
///
/// ```
/// use tool_mcp::testing::{Client, ClientError};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let client = Client::connect(tool_mcp::Server::new(registry)).await.unwrap();
/// let error = client.get_prompt("nowhere", serde_json::json!({})).await.unwrap_err();
/// assert!(matches!(error, ClientError::Rpc { code: -32602, .. }), "{error}");
/// # });
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The server cannot start.
    #[error("the server cannot start: {0}")]
    Start(#[from] ServeError),
    /// The server answers a request with a JSON-RPC error.
    #[error("`{request}` failed with {code}: {message}{}", with_data(.data))]
    Rpc {
        /// The method, and the name or URI that it is about.
        request: String,
        /// The code of the error.
        code: i64,
        /// The message of the error.
        message: String,
        /// The data of the error; null if it has none.
        data: Box<Value>,
    },
    /// The parameters of a request are neither an object nor null.
    #[error("`{request}`: the parameters are not an object")]
    Params {
        /// The method.
        request: String,
    },
    /// The connection ended without an answer: the server ended, the answers of the client panicked, or the client cannot read
    /// what the server sent.
    #[error("`{request}`: {reason}")]
    Closed {
        /// The method, and the name or URI that it is about.
        request: String,
        /// Why the connection ended.
        reason: String,
    },
    /// A question of a tool cannot be answered.
    #[error("`{request}` asks `{question}`: {reason}")]
    Question {
        /// The method, and the name or URI that it is about.
        request: String,
        /// The key of the question.
        question: String,
        /// Why the client has no answer.
        reason: String,
    },
    /// The result does not have the expected form.
    #[error("`{request}`: {reason}: {result}")]
    UnexpectedResult {
        /// The method, and the name or URI that it is about.
        request: String,
        /// What is wrong.
        reason: String,
        /// The result.
        result: Box<Value>,
    },
}

fn with_data(data: &Value) -> String {
    if data.is_null() { String::new() } else { format!(" ({data})") }
}
