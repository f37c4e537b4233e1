//! Messages as lines, the transport of stdio. rmcp's own parses each line to values at once, which loses the arguments
//! as they were written, and does not answer a line that is no JSON.

use std::collections::HashMap;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use axum::body::Bytes;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequest, ClientJsonRpcMessage, ClientNotification, ClientRequest, GetExtensions as _,
    JsonRpcMessage, JsonRpcNotification, JsonRpcRequest, JsonRpcResponse, ListToolsRequest, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::envelope::{self, Inspected, Kind, Refusal};
use crate::handler::Handler;
use crate::in_flight::{Held, InFlight};
use crate::splice::Slot;
use crate::stdio::early::{Early, Late};
use crate::stdio::reading::Reading;
use crate::stdio::writing::Writing;

/// So many requests may be unanswered, or their answers unread. Of a client that asks more and does not read, no more is read.
const MOST_WAITING: usize = 4_096;

/// There is one session, which has no name.
const SESSION: &str = "";

type Sending = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// A client at the other end of two pipes.
pub(super) struct Lines<R, W> {
    reading: Reading<R>,
    writing: Writing<W>,
    /// The tools of lists.
    slot: Slot,
    /// The answer to a bad line, on its way.
    sending: Option<Sending>,
    /// The calls that rmcp has not heard of.
    early: Early,
    /// The requests that are not answered yet. rmcp would take the answer to the first of two of one name for that to the
    /// second, and drop the other.
    in_flight: InFlight,
    /// Those of them that rmcp has heard of.
    heard: HashMap<RequestId, Held>,
}

/// What comes next.
enum Next {
    Line(Result<Bytes, Refusal>),
    Late(Late),
    End,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(handler: Arc<Handler>, reader: R, writer: W) -> Self {
        Lines {
            reading: Reading::new(reader),
            writing: Writing::new(writer),
            slot: Slot::default(),
            sending: None,
            early: Early::new(handler),
            in_flight: InFlight::default(),
            heard: HashMap::new(),
        }
    }

    /// Whether one more request may be unanswered.
    fn has_room(&self) -> bool {
        self.in_flight.len() + self.writing.unread() < MOST_WAITING
    }

    /// Keeps account of what is waited for.
    fn received(&mut self, message: ClientJsonRpcMessage) -> Result<ClientJsonRpcMessage, Refusal> {
        match &message {
            JsonRpcMessage::Request(request) if !self.has_room() => {
                Err(envelope::too_many(&request.id, MOST_WAITING))
            }
            JsonRpcMessage::Request(request) => {
                let held = self.in_flight.begin(SESSION, request.id.clone());
                let held = held.ok_or_else(|| envelope::in_flight(&request.id))?;
                self.heard.insert(request.id.clone(), held);
                Ok(message)
            }
            JsonRpcMessage::Notification(JsonRpcNotification {
                notification: ClientNotification::CancelledNotification(cancelled),
                ..
            }) => {
                // It gets no answer.
                if let Some(id) = &cancelled.params.request_id {
                    self.in_flight.end(SESSION, id.clone());
                    self.heard.remove(id);
                }
                Ok(message)
            }
            _ => Ok(message),
        }
    }

    /// What comes next: calls that have begun go before the messages that were written after them.
    async fn next(&mut self) -> io::Result<Next> {
        let (early, reading) = (&mut self.early, &mut self.reading);
        if !early.has_ended() {
            tokio::select! {
                biased;
                Some(late) = early.late() => return Ok(Next::Late(late)),
                line = reading.next_line() => if let Some(line) = line? {
                    return Ok(Next::Line(line));
                }
            }
            early.end();
        }
        Ok(early.late().await.map_or(Next::End, Next::Late))
    }

    /// The message in a line, unless it is a call that has begun.
    fn read(&mut self, line: Result<Bytes, Refusal>) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
        let line = line?;
        let name = |id: &RequestId| {
            let room = self.has_room();
            room.then(|| self.in_flight.begin(SESSION, id.clone())).flatten()
        };
        if self.early.begin(&line, name, &self.writing).is_some() {
            return Ok(None);
        }
        let Some(mut message) = message(&line, &self.slot)? else { return Ok(None) };
        if let JsonRpcMessage::Request(request) = &mut message
            && matches!(request.request, ClientRequest::CallToolRequest(_))
        {
            request.request.extensions_mut().insert(self.early.client.clone());
        }
        self.received(message).map(Some)
    }

    /// The message of a call that has begun; nothing of one that was taken back.
    fn carried(&mut self, late: Late) -> Option<ClientJsonRpcMessage> {
        let Late { line, call, held } = late;
        if !held.is_held() {
            return None;
        }
        let JsonRpcMessage::Request(mut request) = message(&line, &self.slot).ok()?? else { return None };
        request.request.extensions_mut().insert(call);
        self.heard.insert(request.id.clone(), held);
        Some(JsonRpcMessage::Request(request))
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
        let answers = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        answers.and_then(|id| self.heard.remove(id));
        let slot = match &message {
            JsonRpcMessage::Response(JsonRpcResponse {
                result: ServerResult::ListToolsResult(list), ..
            }) => list.tools.is_empty().then(|| self.slot.clone()),
            _ => None,
        };
        let is_answer = matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        let unread = is_answer.then(|| self.writing.unread_one());
        let writing = self.writing.clone();
        async move {
            let _unread = unread;
            writing.write(message, slot).await
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(sending) = &mut self.sending {
                let sent = sending.await;
                self.sending = None;
                sent.ok()?;
            }
            let next = self.next().await.unwrap_or_else(|error| {
                tracing::error!(%error, "cannot read from the client");
                Next::End
            });
            let message = match next {
                Next::Line(line) => self.read(line),
                Next::Late(late) => Ok(self.carried(late)),
                Next::End => return None,
            };
            match message {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(error) => {
                    tracing::debug!(error = %error.error.message, "a line is no message");
                    let refusal = JsonRpcMessage::Error(*error);
                    self.sending = Some(Box::pin(self.writing.clone().write(refusal, None)));
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        let Lines { early, writing, .. } = self;
        early.end();
        writing.close(early.written()).await
    }
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
    use crate::stdio::writing::READ;

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
        let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
        let handler = crate::Server::new(registry).opened(None).await.unwrap();
        let mut lines = Lines::new(handler, tokio::io::empty(), theirs);
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

    const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"think"}}"#;

    /// The lines of a client that is known, which says this much, of a server with one tool: it does something, and ends or
    /// goes on for ever.
    async fn thinking<W: AsyncWrite + Send + Unpin + 'static>(
        said: &str,
        writer: W,
        ends: bool,
        does: impl Fn() + Send + Sync + 'static,
    ) -> Lines<io::Cursor<String>, W> {
        use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition};

        let definition = ToolDefinition::builder("think", "Thinks.").operation(Operation::Read);
        let definition = definition.input_schema(serde_json::json!({"type": "object", "properties": {}}));
        let does = Arc::new(does);
        let think = DynamicTool::new(definition.build().unwrap(), move |_, _: serde_json::Value| {
            let does = Arc::clone(&does);
            async move {
                does();
                if !ends {
                    std::future::pending::<()>().await;
                }
                Ok(Output::empty())
            }
        });
        let registry = Registry::builder().tool(think).build().unwrap();
        let handler = crate::Server::new(registry).opened(None).await.unwrap();
        let lines = Lines::new(handler, io::Cursor::new(said.to_owned()), writer);
        lines.early.client.meet("2025-11-25");
        lines
    }

    #[tokio::test]
    async fn a_call_that_is_taken_back_as_it_begins_gets_no_answer() {
        for ends in [true, false] {
            let taken: Arc<std::sync::OnceLock<InFlight>> = Arc::default();
            let within = Arc::clone(&taken);
            let (mut unread, theirs) = tokio::io::duplex(1024);
            let take_back = move || within.get().unwrap().end(SESSION, RequestId::Number(1));
            let mut lines = thinking(&format!("{CALL}\n"), theirs, ends, take_back).await;
            assert!(taken.set(lines.in_flight.clone()).is_ok());
            assert!(lines.receive().await.is_none(), "rmcp does not hear of it");
            lines.close().await.unwrap();
            let mut read = Vec::new();
            tokio::io::AsyncReadExt::read_to_end(&mut unread, &mut read).await.unwrap();
            assert_eq!(read, b"", "{ends}");
        }
    }

    #[tokio::test]
    async fn a_call_that_is_taken_back_on_its_way_to_rmcp_does_not_arrive() {
        for taken_back in [false, true] {
            let mut lines = thinking("", Vec::new(), false, || {}).await;
            assert!(matches!(lines.read(Ok(Bytes::from_static(CALL.as_bytes()))), Ok(None)));
            let late = lines.early.late().await.expect("it takes its time");
            if taken_back {
                lines.in_flight.end(SESSION, RequestId::Number(1));
            }
            assert_eq!(lines.carried(late).is_none(), taken_back);
            assert_eq!(lines.in_flight.len(), usize::from(!taken_back));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_nobody_reads_keeps_neither_its_name_nor_the_end_of_input() {
        // So little that no answer fits.
        let (_unread, theirs) = tokio::io::duplex(16);
        let mut lines = thinking(&format!("{CALL}\n"), theirs, true, || {}).await;
        let ended = tokio::time::timeout(60 * READ, lines.receive()).await;
        assert!(ended.expect("it waits for the reader").is_none());
        assert_eq!((lines.in_flight.len(), lines.writing.unread()), (0, 1));
        tokio::time::timeout(60 * READ, lines.close()).await.expect("it waits for the reader").unwrap();
    }

    #[tokio::test]
    async fn what_has_begun_is_answered_before_the_end() {
        let (mut unread, theirs) = tokio::io::duplex(1024);
        let mut lines = thinking("", theirs, true, || {}).await;
        assert!(matches!(lines.read(Ok(Bytes::from_static(CALL.as_bytes()))), Ok(None)));
        lines.close().await.unwrap();
        let mut read = String::new();
        tokio::io::AsyncReadExt::read_to_string(&mut unread, &mut read).await.unwrap();
        assert!(read.contains(r#""id":1,"result""#), "{read}");
    }

    #[test]
    fn an_answer_is_no_request() {
        let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{},"result":{}}"#;
        assert_eq!(envelope::inspect(&Bytes::from_static(line.as_bytes())).unwrap().kind, Kind::Other);
    }
}
