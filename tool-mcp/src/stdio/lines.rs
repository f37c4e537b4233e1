//! Messages as lines, the transport of stdio. rmcp's own parses each line to values at once, which loses the arguments
//! as they were written, and does not answer a line that is no JSON.

use std::collections::HashSet;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequest, ClientJsonRpcMessage, ClientNotification, ClientRequest, GetExtensions as _,
    JsonRpcMessage, JsonRpcNotification, JsonRpcRequest, JsonRpcResponse, ListToolsRequest, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;

use crate::envelope::{self, Inspected, Kind, Refusal};
use crate::splice::Slot;

/// How long it may take at the end until what is written is read.
const READ: Duration = Duration::from_secs(1);

/// How long a line may be.
const LINE_LIMIT: usize = 16 * 1024 * 1024;

/// So many requests may be unanswered, or their answers unread. Of a client that asks more and does not read, no more is read.
const MOST_WAITING: usize = 4_096;

type Sending = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// A client at the other end of two pipes.
pub(super) struct Lines<R, W> {
    reader: BufReader<R>,
    /// The line so far: receiving is dropped whenever something else happens, and goes on here.
    line: Vec<u8>,
    overlong: bool,
    /// Nothing once it is closed.
    writer: Arc<Mutex<Option<W>>>,
    /// The tools of lists.
    slot: Slot,
    /// The answer to a bad line, on its way.
    sending: Option<Sending>,
    /// The requests that are not answered yet. rmcp would take the answer to the first of two of one name for that to the
    /// second, and drop the other.
    waiting: HashSet<RequestId>,
    /// How many answers are on their way.
    answers: Arc<AtomicUsize>,
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
            writer: Arc::new(Mutex::new(Some(writer))),
            slot: Slot::default(),
            sending: None,
            waiting: HashSet::new(),
            answers: Arc::default(),
        }
    }

    /// Keeps account of what is waited for.
    fn received(&mut self, message: ClientJsonRpcMessage) -> Result<ClientJsonRpcMessage, Refusal> {
        match &message {
            JsonRpcMessage::Request(request)
                if self.waiting.len() + self.answers.load(Ordering::Acquire) >= MOST_WAITING =>
            {
                Err(envelope::too_many(&request.id, MOST_WAITING))
            }
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
        let slot = match &message {
            JsonRpcMessage::Response(JsonRpcResponse {
                result: ServerResult::ListToolsResult(list), ..
            }) => list.tools.is_empty().then(|| self.slot.clone()),
            _ => None,
        };
        let answers = matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))
            .then(|| Arc::clone(&self.answers));
        answers.iter().for_each(|answers| _ = answers.fetch_add(1, Ordering::AcqRel));
        let writing = write(Arc::clone(&self.writer), message, slot);
        async move {
            let written = writing.await;
            answers.iter().for_each(|answers| _ = answers.fetch_sub(1, Ordering::AcqRel));
            written
        }
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
                .and_then(|line| message(&line, &self.slot))
                .and_then(|message| message.map(|message| self.received(message)).transpose());
            match message {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(error) => {
                    tracing::debug!(error = %error.error.message, "a line is no message");
                    let refusal = JsonRpcMessage::Error(*error);
                    self.sending = Some(Box::pin(write(Arc::clone(&self.writer), refusal, None)));
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        let closing = async {
            match self.writer.lock().await.take() {
                Some(mut writer) => writer.shutdown().await,
                None => Ok(()),
            }
        };
        // An answer that the client does not read holds the writer for ever, and is given up.
        tokio::time::timeout(READ, closing).await.unwrap_or(Ok(()))
    }
}

/// Writes a message and the end of its line, with the tools put into it that its slot has.
async fn write<W: AsyncWrite + Unpin>(
    writer: Arc<Mutex<Option<W>>>,
    message: ServerJsonRpcMessage,
    slot: Option<Slot>,
) -> io::Result<()> {
    let mut text = serde_json::to_vec(&message)?;
    text.push(b'\n');
    let text = Bytes::from(text);
    let pieces = slot.and_then(|slot| slot.splice(&text)).unwrap_or([text, Bytes::new(), Bytes::new()]);
    // One write wakes the client once.
    let whole = if pieces[1].is_empty() { pieces[0].clone() } else { pieces.concat().into() };
    let mut writer = writer.lock().await;
    let writer =
        writer.as_mut().ok_or_else(|| io::Error::new(io::ErrorKind::NotConnected, "the pipe is closed"))?;
    writer.write_all(&whole).await?;
    writer.flush().await
}

/// The message in a line; `None` for an empty line.
fn message(line: &Bytes, slot: &Slot) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let Inspected { arguments, kind, .. } = envelope::inspect(line)?;
    let mut message = match known(line, kind) {
        Some(message) => message,
        None => serde_json::from_slice(line).map_err(|_| envelope::unreadable())?,
    };
    if let JsonRpcMessage::Request(request) = &mut message {
        if let Some(arguments) = arguments {
            request.request.extensions_mut().insert(arguments);
        }
        if kind == Kind::List {
            request.request.extensions_mut().insert(slot.clone());
        }
    }
    Ok(Some(message))
}

/// A message that is read as what it most likely is. rmcp tries all that it could be, one after the other, which for these
/// two costs more than what they ask for; what is not read here is read so.
fn known(line: &[u8], kind: Kind) -> Option<ClientJsonRpcMessage> {
    let (request, id) = match kind {
        Kind::Call => {
            let read: JsonRpcRequest<CallToolRequest> = serde_json::from_slice(line).ok()?;
            (ClientRequest::CallToolRequest(read.request), read.id)
        }
        Kind::List => {
            let read: JsonRpcRequest<ListToolsRequest> = serde_json::from_slice(line).ok()?;
            (ClientRequest::ListToolsRequest(read.request), read.id)
        }
        Kind::Other => return None,
    };
    Some(ClientJsonRpcMessage::request(request, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_at_once_is_what_rmcp_reads() {
        let meta = r#""_meta":{"progressToken":"a","io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
        let (mut at_once, mut in_all) = (0, 0);
        for (method, params) in [
            ("tools/call", r#"{"name":"a"}"#.to_owned()),
            ("tools/call", r#"{"name":"a","arguments":{"b":[1,{"c":null}]}}"#.to_owned()),
            ("tools/call", format!(r#"{{"name":"a","arguments":{{}},{meta}}}"#)),
            ("tools/call", r#"{"name":"a","arguments":null,"other":1}"#.to_owned()),
            ("tools/call", r#"{"name":"a","arguments":[1]}"#.to_owned()),
            ("tools/call", r#"{"name":5}"#.to_owned()),
            ("tools/list", "{}".to_owned()),
            ("tools/list", r#"{"cursor":"1-2"}"#.to_owned()),
            ("tools/list", format!("{{{meta}}}")),
            ("tools/list", r#"{"other":1}"#.to_owned()),
            ("tools/lists", "{}".to_owned()),
        ] {
            for id in [r#""id":1,"#, r#""id":"a","#, ""] {
                let line = format!(r#"{{"jsonrpc":"2.0",{id}"method":"{method}","params":{params}}}"#);
                let kind = envelope::inspect(&Bytes::from(line.clone())).unwrap().kind;
                in_all += 1;
                let Some(known) = known(line.as_bytes(), kind) else { continue };
                at_once += 1;
                let read: ClientJsonRpcMessage = serde_json::from_str(&line).unwrap();
                assert_eq!(format!("{known:?}"), format!("{read:?}"), "{line}");
            }
        }
        assert!((16..in_all).contains(&at_once), "{at_once} of {in_all}");
    }

    #[tokio::test]
    async fn requests_are_not_taken_without_end() {
        let (ours, theirs) = tokio::io::duplex(16);
        let mut lines = Lines::new(tokio::io::empty(), theirs);
        let ping = |id: usize| -> ClientJsonRpcMessage {
            serde_json::from_value(serde_json::json!({"jsonrpc": "2.0", "id": id, "method": "ping"})).unwrap()
        };
        for id in 0..MOST_WAITING {
            assert!(lines.received(ping(id)).is_ok(), "{id}");
        }
        let refused = lines.received(ping(MOST_WAITING)).unwrap_err();
        assert_eq!((refused.id, refused.error.code.0), (Some(RequestId::Number(4096)), -32603));
        // An answer that nobody reads counts as none.
        let answer = rmcp::model::ServerResult::empty(());
        let unread = lines.send(ServerJsonRpcMessage::response(answer.clone(), RequestId::Number(0)));
        assert!(lines.received(ping(MOST_WAITING)).is_err());
        drop(ours);
        assert!(unread.await.is_err(), "there is nobody to read it");
        assert!(lines.received(ping(MOST_WAITING)).is_ok());
    }

    #[test]
    fn an_answer_is_no_request() {
        let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{},"result":{}}"#;
        assert_eq!(envelope::inspect(&Bytes::from_static(line.as_bytes())).unwrap().kind, Kind::Other);
    }
}
