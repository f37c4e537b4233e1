//! Lines of a client, one after the other.

use std::io;

use axum::body::Bytes;
use rmcp::model::{ErrorData, JsonRpcError};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

use crate::envelope::{self, Refusal};

/// How long a line may be.
const LINE_LIMIT: usize = 16 * 1024 * 1024;

/// What a client writes.
pub(super) struct Reading<R> {
    reader: BufReader<R>,
    /// The line so far: reading is dropped whenever something else happens, and goes on here.
    line: Vec<u8>,
    /// The answer to a line that is too long, once it is.
    overlong: Option<Refusal>,
}

impl<R: AsyncRead + Unpin> Reading<R> {
    pub(super) fn new(reader: R) -> Self {
        Reading { reader: BufReader::new(reader), line: Vec::new(), overlong: None }
    }

    /// The next line without its end, `None` at the end of input. What stands there without an end of line is no
    /// message.
    pub(super) async fn next_line(&mut self) -> io::Result<Option<Result<Bytes, Refusal>>> {
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

fn too_long(line: &[u8]) -> Refusal {
    let error = ErrorData::invalid_request(format!("a line is longer than {LINE_LIMIT} bytes"), None);
    Box::new(JsonRpcError::new(envelope::request_id(line), error))
}
