//! Messages as lines, the transport of stdio. rmcp's own parses each line to values at once, which loses the arguments
//! as they were written, and does not answer a line that is no JSON.

use std::collections::HashSet;
use std::io;
use std::pin::Pin;

use axum::body::Bytes;
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, GetExtensions as _, JsonRpcMessage, JsonRpcNotification,
    RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader, Empty};

use crate::envelope::{self, Refusal};

/// How long a line may be.
const LINE_LIMIT: usize = 16 * 1024 * 1024;

type Sending = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// A client at the other end of two pipes.
pub(super) struct Lines<R, W: AsyncWrite> {
    reader: BufReader<R>,
    /// The line so far: receiving is dropped whenever something else happens, and goes on here.
    line: Vec<u8>,
    overlong: bool,
    /// Writes; it has nothing to read.
    writer: AsyncRwTransport<RoleServer, Empty, W>,
    /// The answer to a bad line, on its way.
    sending: Option<Sending>,
    /// The requests that are not answered yet. rmcp would take the answer to the first of two of one name for that to the
    /// second, and drop the other.
    waiting: HashSet<RequestId>,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(reader: R, writer: W) -> Self {
        Lines {
            reader: BufReader::new(reader),
            line: Vec::new(),
            overlong: false,
            writer: AsyncRwTransport::new_server(tokio::io::empty(), writer),
            sending: None,
            waiting: HashSet::new(),
        }
    }

    /// Keeps account of what is waited for.
    fn received(&mut self, message: ClientJsonRpcMessage) -> Result<ClientJsonRpcMessage, Refusal> {
        match &message {
            JsonRpcMessage::Request(request) if !self.waiting.insert(request.id.clone()) => {
                Err(envelope::in_flight(&request.id))
            }
            JsonRpcMessage::Notification(JsonRpcNotification {
                notification: ClientNotification::CancelledNotification(cancelled),
                ..
            }) => {
                // It gets no answer.
                if let Some(id) = &cancelled.params.request_id {
                    self.waiting.remove(id);
                }
                Ok(message)
            }
            _ => Ok(message),
        }
    }

    /// The next line without its end, `None` at the end of input. What stands there without an end of line is no
    /// message.
    async fn next_line(&mut self) -> io::Result<Option<Result<Bytes, Refusal>>> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(None);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let piece = &available[..end.unwrap_or(available.len())];
            self.overlong |= self.line.len() + piece.len() > LINE_LIMIT;
            if self.overlong {
                self.line.clear();
            } else {
                self.line.extend_from_slice(piece);
            }
            let consumed = piece.len() + usize::from(end.is_some());
            self.reader.consume(consumed);
            if end.is_some() {
                let line = Bytes::from(std::mem::take(&mut self.line));
                return Ok(Some(match std::mem::take(&mut self.overlong) {
                    false => Ok(line),
                    true => {
                        Err(envelope::invalid_request(&format!("a line is longer than {LINE_LIMIT} bytes")))
                    }
                }));
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        match &message {
            JsonRpcMessage::Response(response) => self.waiting.remove(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref().is_some_and(|id| self.waiting.remove(id)),
            _ => false,
        };
        self.writer.send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(sending) = &mut self.sending {
                let sent = sending.await;
                self.sending = None;
                sent.ok()?;
            }
            let line = match self.next_line().await {
                Ok(line) => line?,
                Err(error) => {
                    tracing::error!(%error, "cannot read from the client");
                    return None;
                }
            };
            let message = line
                .and_then(|line| message(&line))
                .and_then(|message| message.map(|message| self.received(message)).transpose());
            match message {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(error) => {
                    tracing::debug!(error = %error.error.message, "a line is no message");
                    self.sending = Some(Box::pin(self.writer.send(JsonRpcMessage::Error(*error))));
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.writer.close().await
    }
}

/// The message in a line; `None` for an empty line.
fn message(line: &Bytes) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let arguments = envelope::inspect(line)?;
    let mut message: ClientJsonRpcMessage =
        serde_json::from_slice(line).map_err(|_| envelope::unreadable())?;
    if let (JsonRpcMessage::Request(request), Some(arguments)) = (&mut message, arguments) {
        request.request.extensions_mut().insert(arguments);
    }
    Ok(Some(message))
}
