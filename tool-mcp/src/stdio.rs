//! Serving one client on standard input and output.

mod lines;

use std::sync::Arc;
use std::time::Duration;

use rmcp::serve_server;
use rmcp::service::{QuitReason, ServerInitializeError};
use rmcp::transport::stdio_pipes;

use crate::error::ServeError;
use crate::handler::Handler;
use crate::session::Session;
use crate::stdio::lines::Lines;

pub(crate) async fn serve(handler: Arc<Handler>, deadline: Duration) -> Result<(), ServeError> {
    let (reader, writer) = stdio_pipes();
    let session = match serve_server(Session::new(Arc::clone(&handler)), Lines::new(reader, writer)).await {
        Ok(session) => session,
        // The client left before it asked for anything: nothing went wrong.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(ServeError::Stdio(error.to_string())),
    };
    let quit = session.waiting().await;
    handler.settle(deadline).await;
    match quit {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(ServeError::Stdio(error.to_string())),
        Ok(_) => Ok(()),
    }
}
