//! The stdio transport: one client on standard input and output.

mod connection;
mod lines;
mod signals;
#[cfg(unix)]
mod streams;

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tool_core::{BoxFuture, Extensions};

use crate::clock;
use crate::error::ServeError;
use crate::handlers::Handler;
use crate::stdio::connection::Connection;
use crate::stdio::signals::Signals;

/// Returns a future that completes when the process receives a signal to end, from now on.
pub(crate) fn signal() -> Result<impl Future<Output = ()> + Send, ServeError> {
    let signals = Signals::listen().map_err(|error| failed(format!("cannot listen for signals: {error}")))?;
    Ok(signals.received())
}

/// Serves until the client closes the input, or until `shutdown`: then new requests are refused, and the running ones are
/// answered within the deadline.
pub(crate) async fn serve(
    handler: Arc<Handler>,
    deadline: Duration,
    shutdown: BoxFuture<'_, ()>,
) -> Result<(), ServeError> {
    #[cfg(unix)]
    let (_guard, reader, writer) = streams::take().map_err(failed)?;
    #[cfg(not(unix))]
    let (reader, writer) = (tokio::io::stdin(), tokio::io::stdout());

    let stop = CancellationToken::new();
    let mut serving = std::pin::pin!(Connection::new(Arc::clone(&handler), writer).run(reader, stop.clone()));
    let mut until = None;
    tokio::select! {
        () = &mut serving => {}
        () = shutdown => {
            let until = *until.insert(clock::after(deadline));
            handler.begin_shutdown();
            // The client may still leave meanwhile.
            tokio::select! {
                () = &mut serving => {}
                answered = timeout_at(until, handler.views.wait_for_requests()) => {
                    if answered.is_err() {
                        tracing::warn!("the shutdown deadline has passed: unanswered requests are dropped");
                    }
                    stop.cancel();
                    serving.await;
                }
            }
        }
    }
    let left = until.map_or(deadline, |until| until.saturating_duration_since(Instant::now()));
    handler.drain(left).await;
    Ok(())
}

/// Serves one client over two pipes of a test or of a fuzz target, whose requests have these extensions.
pub(crate) async fn speak<R, W>(
    handler: Arc<Handler>,
    extensions: Option<Extensions>,
    reader: R,
    writer: W,
) -> Result<(), ServeError>
where
    R: tokio::io::AsyncRead + Send + Unpin + 'static,
    W: tokio::io::AsyncWrite + Send + Unpin + 'static,
{
    let connection = Connection::new(handler, writer).with_extensions(extensions);
    connection.run(reader, CancellationToken::new()).await;
    Ok(())
}

fn failed(error: impl Display) -> ServeError {
    ServeError::Stdio(error.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tool_core::Registry;

    use super::*;
    use crate::server::Server;

    #[tokio::test(start_paused = true)]
    async fn shuts_down_with_a_client_that_never_reads() {
        let registry = Registry::builder().allow_empty().build().unwrap();
        let handler = Server::new(registry).checked_handler(None).await.unwrap();
        // The buffer is too small for an answer.
        let (client_end, server_end) = tokio::io::duplex(16);
        let (reader, writer) = tokio::io::split(server_end);
        let serving = tokio::spawn(speak(handler, None, reader, writer));
        let (mut unread, mut writer) = tokio::io::split(client_end);
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }}});
        writer.write_all(format!("{list}\n").as_bytes()).await.unwrap();
        // The answer has begun.
        unread.read_u8().await.unwrap();
        writer.shutdown().await.unwrap();
        let ended = tokio::time::timeout(Duration::from_secs(60), serving).await;
        ended.expect("the server does not stop").unwrap().unwrap();
    }
}
