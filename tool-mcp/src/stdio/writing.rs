//! Messages to a client, each a line.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use rmcp::model::ServerJsonRpcMessage;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;

use crate::splice::Slot;

/// How long answers may take at the end: as long as rmcp gives those that it writes.
pub(super) const LAST: Duration = Duration::from_secs(5);

/// How long it may take after them until what is written is read.
pub(super) const READ: Duration = Duration::from_secs(1);

/// What a client reads, shared by all that write.
pub(super) struct Writing<W> {
    /// Nothing once it is closed.
    writer: Arc<Mutex<Option<W>>>,
    /// How many answers are on their way.
    answers: Arc<AtomicUsize>,
}

/// An answer that is on its way.
pub(super) struct Unread(Arc<AtomicUsize>);

impl Drop for Unread {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl<W> Clone for Writing<W> {
    fn clone(&self) -> Self {
        Writing { writer: Arc::clone(&self.writer), answers: Arc::clone(&self.answers) }
    }
}

impl<W: AsyncWrite + Unpin> Writing<W> {
    pub(super) fn new(writer: W) -> Self {
        Writing { writer: Arc::new(Mutex::new(Some(writer))), answers: Arc::default() }
    }

    /// How many answers are not read.
    pub(super) fn unread(&self) -> usize {
        self.answers.load(Ordering::Acquire)
    }

    /// Counts one that is about to be written, until what it gives is dropped.
    pub(super) fn unread_one(&self) -> Unread {
        self.answers.fetch_add(1, Ordering::AcqRel);
        Unread(Arc::clone(&self.answers))
    }

    /// Writes a message and the end of its line, with the tools put into it that its slot has.
    pub(super) async fn write(self, message: ServerJsonRpcMessage, slot: Option<Slot>) -> io::Result<()> {
        let text = Bytes::from(serde_json::to_vec(&message)?);
        let pieces = slot.and_then(|slot| slot.splice(&text)).unwrap_or([text, Bytes::new(), Bytes::new()]);
        self.write_text(&pieces).await
    }

    /// Writes the text of a message and the end of its line.
    pub(super) async fn write_text(self, pieces: &[Bytes; 3]) -> io::Result<()> {
        // One write wakes the client once.
        let whole = [&pieces[0][..], &pieces[1], &pieces[2], b"\n"].concat();
        let mut writer = self.writer.lock().await;
        let writer = writer
            .as_mut()
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotConnected, "the pipe is closed"))?;
        writer.write_all(&whole).await?;
        writer.flush().await
    }

    /// Writes no more, once the others have come to their end that may write. An answer that the client does not read holds
    /// the writer for ever, and is given up.
    pub(super) async fn close(&self, others: impl Future<Output = ()>) -> io::Result<()> {
        if tokio::time::timeout(LAST, others).await.is_err() {
            tracing::warn!(answers = self.unread(), "answers are not read and are given up");
        }
        let closing = async {
            match self.writer.lock().await.take() {
                Some(mut writer) => writer.shutdown().await,
                None => Ok(()),
            }
        };
        tokio::time::timeout(READ, closing).await.unwrap_or(Ok(()))
    }
}
