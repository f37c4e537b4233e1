//! Messages as lines from and to a process. rmcp's own transport lets a request whose answer is too long wait for ever, and
//! knows nothing of process groups.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncBufReadExt as _, BufReader, Empty};
use tokio::process::{ChildStdin, ChildStdout};

use crate::upstream::child::Process;
use crate::upstream::inbox::Inbox;
use crate::upstream::message;

/// So many bytes of a line that is too long are passed over until its end; a server that writes more does not end it.
const LONGEST_PASSED_OVER: usize = 1 << 30;

/// So many lines in a row that are no message are passed over; a server that writes more speaks something else.
const MOST_STRAY_LINES: usize = 10_000;

/// How long after its input it may take until the output of a process ends too.
const HEARD: Duration = Duration::from_secs(2);

/// How long it may take at the end until what is written is read.
const READ: Duration = Duration::from_secs(1);

/// A server at the other end of two pipes.
pub(super) struct Pipe {
    reader: BufReader<ChildStdout>,
    /// The line so far: receiving is dropped whenever something else happens, and goes on here.
    line: Vec<u8>,
    /// How long a line may be.
    limit: usize,
    /// Bytes of the line that were passed over, where it is too long.
    passed_over: Option<usize>,
    stray: usize,
    /// Writes; it has nothing to read.
    writer: AsyncRwTransport<RoleClient, Empty, ChildStdin>,
    process: Process,
    inbox: Arc<Inbox>,
}

impl Pipe {
    pub(super) fn new(
        process: Process,
        (stdin, stdout): (ChildStdin, ChildStdout),
        limit: usize,
        inbox: Arc<Inbox>,
    ) -> Self {
        Pipe {
            reader: BufReader::with_capacity(64 * 1024, stdout),
            line: Vec::new(),
            limit,
            passed_over: None,
            stray: 0,
            writer: AsyncRwTransport::new_client(tokio::io::empty(), stdin),
            process,
            inbox,
        }
    }

    /// The next line without its end; an error where there is none any more.
    async fn next_line(&mut self) -> Result<Line, String> {
        loop {
            let available = match self.reader.fill_buf().await {
                Ok([]) => {
                    return Err(self.process.ended().await.unwrap_or_else(|| "its output ended".to_owned()));
                }
                Ok(available) => available,
                Err(error) => return Err(format!("its output cannot be read: {error}")),
            };
            let end = memchr::memchr(b'\n', available);
            let piece = &available[..end.unwrap_or(available.len())];
            let length = piece.len();
            let is_too_long = self.passed_over.is_none() && self.line.len() + length > self.limit;
            if self.passed_over.is_none() {
                let room = self.limit - self.line.len();
                self.line.extend_from_slice(&piece[..length.min(room)]);
            }
            self.reader.consume(length + usize::from(end.is_some()));
            if let Some(bytes) = &mut self.passed_over {
                *bytes += length;
                if *bytes > LONGEST_PASSED_OVER {
                    return Err(self.too_long());
                }
            }
            if is_too_long {
                // Its rest is passed over, unless it came along.
                self.passed_over = end.is_none().then_some(0);
                return Ok(Line::Beginning(std::mem::take(&mut self.line)));
            }
            if end.is_some() && self.passed_over.take().is_none() {
                return Ok(Line::Whole(std::mem::take(&mut self.line)));
            }
        }
    }

    async fn next(&mut self) -> Result<ServerJsonRpcMessage, String> {
        loop {
            let line = match self.next_line().await? {
                Line::Whole(line) => line,
                // Where it is not known whose answer it was, all that wait are told, rather than left waiting.
                Line::Beginning(beginning) => {
                    return message::too_long(&beginning, self.limit).ok_or_else(|| self.too_long());
                }
            };
            match message::read(&line, self.limit) {
                Some(message) => {
                    self.stray = 0;
                    return Ok(message);
                }
                None if line.trim_ascii().is_empty() => {}
                None => {
                    self.stray += 1;
                    if self.stray == 1 {
                        tracing::warn!(bytes = line.len(), "a server wrote a line that is no message");
                    }
                    if self.stray > MOST_STRAY_LINES {
                        return Err(format!("it wrote {MOST_STRAY_LINES} lines that are no messages"));
                    }
                }
            }
        }
    }

    fn too_long(&self) -> String {
        format!("it wrote a line of more than {} bytes", self.limit)
    }
}

/// What was read of a line.
enum Line {
    Whole(Vec<u8>),
    /// As much as may be read of a line that is too long.
    Beginning(Vec<u8>),
}

impl Transport<RoleClient> for Pipe {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (sending, inbox) = (self.writer.send(message), Arc::clone(&self.inbox));
        async move {
            match sending.await {
                // Most likely it has ended: whoever reads hears how, and so it is told that way.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                    tokio::spawn(async move {
                        if tokio::time::timeout(HEARD, inbox.closed.cancelled()).await.is_err() {
                            inbox.close("it does not read its input any more");
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
            Err(why) => {
                self.inbox.close(why);
                None
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // Closes its input. What is being written to one that does not read ends with it.
        let closed = tokio::time::timeout(READ, self.writer.close()).await;
        self.process.end().await;
        closed.unwrap_or(Ok(()))
    }
}
