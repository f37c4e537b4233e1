//! Reads the lines of a client.

use std::io;

use axum::body::Bytes;
use rmcp::model::{ErrorData, JsonRpcError};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

use crate::protocol::{ErrorResponse, request_id};

/// The most bytes of a line.
const LINE_LIMIT: usize = 16 * 1024 * 1024;

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
            let end = available.iter().position(|byte| *byte == b'\n');
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
