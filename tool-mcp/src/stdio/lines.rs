//! Reads and writes messages, one per line.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use memchr::memchr;
use rmcp::model::{ErrorData, JsonRpcError};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tool_core::BoxFuture;

use crate::protocol::{Closed, ErrorResponse, Outgoing, request_id};

/// The most bytes of a line.
const LINE_LIMIT: usize = 16 * 1024 * 1024;

/// How long the writer may take to close.
const CLOSING: Duration = Duration::from_secs(1);

/// The input of a client.
pub(super) struct LineReader<R> {
    reader: BufReader<R>,
    /// The line so far: a canceled read continues here.
    line: Vec<u8>,
    /// The answer to a line that is too long.
    overlong: Option<ErrorResponse>,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(super) fn new(reader: R) -> Self {
        LineReader { reader: BufReader::new(reader), line: Vec::new(), overlong: None }
    }

    /// Returns the next line without its end, or `None` at the end of input. Text without an end of line is ignored.
    pub(super) async fn next_line(&mut self) -> io::Result<Option<Result<Bytes, ErrorResponse>>> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(None);
            }
            let end = memchr(b'\n', available);
            let piece = &available[..end.unwrap_or(available.len())];
            if self.overlong.is_none() {
                self.line.extend_from_slice(piece);
            }
            if self.line.len() > LINE_LIMIT {
                // Its `id` mostly comes first.
                self.overlong = Some(too_long(&std::mem::take(&mut self.line)));
            }
            let consumed = piece.len() + usize::from(end.is_some());
            self.reader.consume(consumed);
            if end.is_some() {
                let line = Bytes::from(std::mem::take(&mut self.line));
                return Ok(Some(self.overlong.take().map_or(Ok(line), Err)));
            }
        }
    }
}

fn too_long(line: &[u8]) -> ErrorResponse {
    let error = ErrorData::invalid_request(format!("a line is longer than {LINE_LIMIT} bytes"), None);
    Box::new(JsonRpcError::new(request_id(line), error))
}

/// The output to a client.
pub(super) struct LineWriter<W> {
    /// `None` once it is closed.
    output: Arc<Mutex<Option<LineOutput<W>>>>,
    /// The number of answers that are not written yet.
    unread: Arc<AtomicUsize>,
    /// Canceled once a write has failed: the client has closed its end.
    broken: CancellationToken,
}

/// The output, and the line that is being written: the next write completes a canceled one.
struct LineOutput<W> {
    writer: W,
    line: Vec<u8>,
    sent: usize,
}

impl<W: AsyncWrite + Unpin> LineOutput<W> {
    async fn complete(&mut self) -> io::Result<()> {
        while self.sent < self.line.len() {
            let sent = self.writer.write(&self.line[self.sent..]).await?;
            if sent == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.sent += sent;
        }
        self.line.clear();
        self.sent = 0;
        self.writer.flush().await
    }
}

/// Counts an answer as unread until it is dropped.
pub(super) struct UnreadGuard(Arc<AtomicUsize>);

impl Drop for UnreadGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl<W> Clone for LineWriter<W> {
    fn clone(&self) -> Self {
        LineWriter {
            output: Arc::clone(&self.output),
            unread: Arc::clone(&self.unread),
            broken: self.broken.clone(),
        }
    }
}

impl<W: AsyncWrite + Unpin> LineWriter<W> {
    pub(super) fn new(writer: W) -> Self {
        let output = LineOutput { writer, line: Vec::new(), sent: 0 };
        let output = Arc::new(Mutex::new(Some(output)));
        LineWriter { output, unread: Arc::default(), broken: CancellationToken::new() }
    }

    /// Waits until a write has failed: nothing more reaches the client.
    pub(super) async fn broken(&self) {
        self.broken.cancelled().await;
    }

    /// Returns the number of answers that the client has not read.
    pub(super) fn unread(&self) -> usize {
        self.unread.load(Ordering::Acquire)
    }

    pub(super) fn count_unread(&self) -> UnreadGuard {
        self.unread.fetch_add(1, Ordering::AcqRel);
        UnreadGuard(Arc::clone(&self.unread))
    }

    /// Writes the text of a message and the end of its line.
    pub(super) async fn write(&self, pieces: &[Bytes]) -> io::Result<()> {
        // One write wakes the client once.
        let mut line = Vec::with_capacity(pieces.iter().map(Bytes::len).sum::<usize>() + 1);
        pieces.iter().for_each(|piece| line.extend_from_slice(piece));
        line.push(b'\n');
        let mut output = self.output.lock().await;
        let output = output
            .as_mut()
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotConnected, "the pipe is closed"))?;
        let writing = async {
            output.complete().await?;
            output.line = line;
            output.complete().await
        };
        writing.await.inspect_err(|_| self.broken.cancel())
    }

    /// Closes the output, and discards a line that the client does not read.
    pub(super) async fn close(&self) {
        let closing = async {
            if let Some(mut output) = self.output.lock().await.take() {
                let _ = output.complete().await;
                let _ = output.writer.shutdown().await;
            }
        };
        let _ = tokio::time::timeout(CLOSING, closing).await;
    }
}

impl<W: AsyncWrite + Send + Unpin> Outgoing for LineWriter<W> {
    fn send(&self, text: Bytes) -> BoxFuture<'_, Result<(), Closed>> {
        Box::pin(async move { self.write(&[text]).await.map_err(|_| Closed) })
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn finishes_the_line_of_a_canceled_write() {
        let (mut reader, writer) = tokio::io::duplex(4);
        let writer = LineWriter::new(writer);
        let line = [Bytes::from_static(b"first line")];
        let first = tokio::time::timeout(Duration::from_secs(1), writer.write(&line));
        assert!(first.await.is_err(), "the line does not fit");
        let second = tokio::spawn(async move {
            writer.write(&[Bytes::from_static(b"second")]).await.unwrap();
            writer.close().await;
        });
        let mut text = String::new();
        reader.read_to_string(&mut text).await.unwrap();
        second.await.unwrap();
        assert_eq!(text, "first line\nsecond\n");
    }
}
