//! The private functions that the fuzz targets of this workspace call. They are not part of the API.

use std::sync::Arc;

use axum::body::Bytes;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::error::ServeError;
use crate::handlers::Handler;
use crate::protocol::{self, Message};
use crate::{Server, stdio};

/// Reads a message. Returns the `id` of a request, or `None` for a notification or response.
///
/// # Errors
///
/// Returns the JSON-RPC error that answers the text.
pub fn read(text: &[u8]) -> Result<Option<Value>, Value> {
    match protocol::read(&Bytes::copy_from_slice(text)) {
        Ok(Message::Request(request)) => Ok(Some(json!(request.id))),
        Ok(Message::Notification { .. } | Message::Response { .. }) => Ok(None),
        Err(rejection) => Err(json!(*rejection)),
    }
}

/// A server that speaks over pipes as it does over standard input and output.
pub struct Stdio(Arc<Handler>);

impl Stdio {
    /// Opens the server.
    ///
    /// # Errors
    ///
    /// When the registry is faulty.
    pub async fn new(server: &Server) -> Result<Self, ServeError> {
        server.checked_handler(None).await.map(Self)
    }

    /// Serves one client until the end of its input.
    ///
    /// # Errors
    ///
    /// None at the moment.
    pub async fn serve<R, W>(&self, reader: R, writer: W) -> Result<(), ServeError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        stdio::speak(Arc::clone(&self.0), None, reader, writer).await
    }
}
