//! MCP as an interface that is compared with others.

use serde_json::{Value, json};
use tool_core::testing::{Interface, LocalBoxFuture, Response};

use crate::testing::client::Client;
use crate::testing::error::ClientError;

/// Arguments that are not JSON cannot be sent: their response is a failure of the kind `not_json`.
impl Interface for Client {
    fn name(&self) -> String {
        format!("MCP {}", self.version())
    }

    fn call<'a>(&'a self, tool: &'a str, arguments: &'a [u8]) -> LocalBoxFuture<'a, Response> {
        Box::pin(async move {
            let arguments: Value = match serde_json::from_slice(arguments) {
                Ok(arguments) => arguments,
                Err(error) => return Response::failure("not_json", error.to_string()),
            };
            match Client::call(self, tool, arguments).await {
                Ok(result) if result.is_error() => {
                    Response::failure(result.kind().unwrap_or("execution_failed"), result.text())
                }
                Ok(result) => Response::success(result.structured(), &json!(result.content())),
                Err(ClientError::Rpc { code, message, .. }) => Response::failure(code.to_string(), message),
                Err(error) => Response::failure("client", error.to_string()),
            }
        })
    }
}
