//! The stdio transport: one message per line. With rmcp's transport a request whose response is too long waits forever,
//! and process groups are not supported.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader, Empty};
use tokio::process::{ChildStdin, ChildStdout};

use crate::upstream::inbox::Inbox;
use crate::upstream::message;
use crate::upstream::process::Process;

/// The maximum number of bytes that are skipped up to the end of a line that is too long.
const MAX_SKIPPED_BYTES: usize = 1 << 30;

/// The maximum number of consecutive lines that are not messages and are skipped.
const MAX_INVALID_LINES: usize = 10_000;

/// After a write to a closed pipe, the time limit for the end of the output, which gives the reason.
const OUTPUT_GRACE: Duration = Duration::from_secs(2);

/// The time limit for writing the rest of the messages when the transport is closed.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// The transport over the output and the input of a server, which is usually a child process.
pub(super) struct StdioTransport<R = ChildStdout, W: AsyncWrite = ChildStdin> {
    reader: BufReader<R>,
    /// The beginning of the current line. Kept here because the future of `receive` may be dropped at any time.
    line: Vec<u8>,
    /// The maximum length of a line.
    limit: usize,
    /// The number of skipped bytes of the current line, if it is too long.
    skipped: Option<usize>,
    /// The number of consecutive lines that are not messages.
    invalid_lines: usize,
    /// The transport for sending; its input is empty.
    writer: AsyncRwTransport<RoleClient, Empty, W>,
    process: Option<Process>,
    inbox: Arc<Inbox>,
}

impl<R, W> StdioTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(
        process: Option<Process>,
        (stdin, stdout): (W, R),
        limit: usize,
        inbox: Arc<Inbox>,
    ) -> Self {
        StdioTransport {
            reader: BufReader::with_capacity(64 * 1024, stdout),
            line: Vec::new(),
            limit,
            skipped: None,
            invalid_lines: 0,
            writer: AsyncRwTransport::new_client(tokio::io::empty(), stdin),
            process,
            inbox,
        }
    }

    /// Reads a line, without its end. Returns an error at the end of the output.
    async fn next_line(&mut self) -> Result<Line, String> {
        loop {
            let available = tokio::select! {
                biased;
                available = self.reader.fill_buf() => available,
                reason = exited(self.process.as_mut()) => return Err(reason),
            };
            let available = match available {
                Ok([]) => {
                    let reason = match &mut self.process {
                        Some(process) => process.exit_reason().await,
                        None => None,
                    };
                    return Err(reason.unwrap_or_else(|| "its output ended".to_owned()));
                }
                Ok(available) => available,
                Err(error) => return Err(format!("its output cannot be read: {error}")),
            };
            let end = memchr::memchr(b'\n', available);
            let piece = &available[..end.unwrap_or(available.len())];
            let length = piece.len();
            let is_too_long = self.skipped.is_none() && self.line.len() + length > self.limit;
            if self.skipped.is_none() {
                let room = self.limit - self.line.len();
                self.line.extend_from_slice(&piece[..length.min(room)]);
            }
            self.reader.consume(length + usize::from(end.is_some()));
            if let Some(bytes) = &mut self.skipped {
                *bytes += length;
                if *bytes > MAX_SKIPPED_BYTES {
                    return Err(self.too_long());
                }
            }
            if is_too_long {
                // Skips the rest, unless the end was read too.
                self.skipped = end.is_none().then_some(0);
                return Ok(Line::Beginning(std::mem::take(&mut self.line)));
            }
            if end.is_some() && self.skipped.take().is_none() {
                return Ok(Line::Whole(std::mem::take(&mut self.line)));
            }
        }
    }

    async fn next(&mut self) -> Result<ServerJsonRpcMessage, String> {
        loop {
            let line = match self.next_line().await? {
                Line::Whole(line) => line,
                // If the line has no readable id, all pending requests fail instead of waiting forever.
                Line::Beginning(beginning) => {
                    return message::too_long(&beginning, self.limit).ok_or_else(|| self.too_long());
                }
            };
            match message::read(&line, self.limit) {
                Some(message) => {
                    self.invalid_lines = 0;
                    return Ok(message);
                }
                None if line.trim_ascii().is_empty() => {}
                None => {
                    self.invalid_lines += 1;
                    if self.invalid_lines == 1 {
                        tracing::warn!(
                            bytes = line.len(),
                            "upstream server wrote a line that is not a message"
                        );
                    }
                    if self.invalid_lines > MAX_INVALID_LINES {
                        return Err(format!("it wrote {MAX_INVALID_LINES} lines that are no messages"));
                    }
                }
            }
        }
    }

    fn too_long(&self) -> String {
        format!("it wrote a line of more than {} bytes", self.limit)
    }
}

/// Waits until the process of a server has exited. Without a process, never returns.
async fn exited(process: Option<&mut Process>) -> String {
    match process {
        Some(process) => process.exited().await,
        None => std::future::pending().await,
    }
}

/// A line that was read.
enum Line {
    Whole(Vec<u8>),
    /// The beginning of a line that is too long.
    Beginning(Vec<u8>),
}

impl<R, W> Transport<RoleClient> for StdioTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (sending, inbox) = (self.writer.send(message), Arc::clone(&self.inbox));
        async move {
            match sending.await {
                // The process has probably exited: `receive` then reports how.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                    tokio::spawn(async move {
                        if tokio::time::timeout(OUTPUT_GRACE, inbox.closed.cancelled()).await.is_err() {
                            inbox.close("it stopped reading its input");
                        }
                    });
                    Ok(())
                }
                sent => sent,
            }
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        match self.next().await {
            Ok(message) => Some(message),
            Err(reason) => {
                self.inbox.close(reason);
                None
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // Closes the input of the process, also if it is not reading a message that is being written.
        let closed = tokio::time::timeout(FLUSH_TIMEOUT, self.writer.close()).await;
        if let Some(process) = &mut self.process {
            process.shut_down().await;
        }
        closed.unwrap_or(Ok(()))
    }
}
