//! Messages as lines, the transport of stdio. rmcp's own parses each line to values at once, which loses the arguments
//! as they were written, and does not answer a line that is no JSON.

use std::collections::HashMap;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use axum::body::Bytes;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequest, ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, GetExtensions as _,
    GetMeta as _, JsonRpcError, JsonRpcMessage, JsonRpcNotification, JsonRpcRequest, JsonRpcResponse,
    ListToolsRequest, ProtocolVersion, RequestId, RequestMetaObject, ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::envelope::{self, Inspected, Kind, Refusal};
use crate::handler::Handler;
use crate::in_flight::{Held, InFlight};
use crate::logging::level;
use crate::session::Acquaintance;
use crate::splice::Slot;
use crate::stdio::early::{Early, Late};
use crate::stdio::reading::Reading;
use crate::stdio::writing::{LAST, Writing};

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
    /// Whether a session was opened, so that a request need not say who sends it.
    is_open: bool,
    /// The request that opens a session, and what ends once it is answered.
    opening: Option<(RequestId, CancellationToken)>,
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
            is_open: false,
            opening: None,
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

    /// What comes next: a call that takes its time goes before the lines that are not read yet.
    async fn next(&mut self) -> Next {
        let (early, reading) = (&mut self.early, &mut self.reading);
        if !early.has_ended() {
            tokio::select! {
                biased;
                Some(late) = early.late() => return Next::Late(late),
                line = reading.next_line() => match line {
                    Ok(Some(line)) => return Next::Line(line),
                    Ok(None) => {}
                    Err(error) => tracing::error!(%error, "cannot read from the client"),
                }
            }
            early.end();
        }
        match tokio::time::timeout(LAST, early.late()).await {
            Ok(late) => late.map_or(Next::End, Next::Late),
            Err(_) => {
                tracing::warn!("calls that compute after the end of input are given up");
                Next::End
            }
        }
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
        let Some(message) = message(&line, &self.slot)? else { return Ok(None) };
        if let JsonRpcMessage::Request(request) = &message {
            self.admit(request)?;
        }
        let mut message = self.received(message)?;
        if let JsonRpcMessage::Request(request) = &mut message {
            self.prepare(request);
        }
        Ok(Some(message))
    }

    /// Refuses a request that says nothing of its client before a session is open.
    fn admit(&self, message: &JsonRpcRequest<ClientRequest>) -> Result<(), Refusal> {
        let JsonRpcRequest { id, request, .. } = message;
        let needs_nothing = match request {
            ClientRequest::InitializeRequest(_) | ClientRequest::PingRequest(_) => true,
            // A method that is unknown, or one with parameters that are refused; but for calls.
            ClientRequest::CustomRequest(request) => request.method != "tools/call",
            _ => false,
        };
        if self.is_open || needs_nothing || request.get_meta().protocol_version().is_some() {
            return Ok(());
        }
        let keys = RequestMetaObject::new().missing_required_keys(&ProtocolVersion::V_2026_07_28);
        let keys = keys.join("` and `");
        let message =
            format!("the request needs `{keys}` in its `_meta`, or a session: send `initialize` first");
        Err(Box::new(JsonRpcError::new(Some(id.clone()), ErrorData::invalid_params(message, None))))
    }

    /// Notes what a request changes for those after it.
    fn prepare(&mut self, message: &mut JsonRpcRequest<ClientRequest>) {
        let is_alone = message.request.get_meta().protocol_version().is_some();
        match &mut message.request {
            ClientRequest::InitializeRequest(request) => {
                // Opened anew, the session may be with another client.
                self.early.client = Acquaintance::default();
                request.extensions.insert(self.early.client.clone());
                (self.is_open, self.opening) = (true, Some((message.id.clone(), CancellationToken::new())));
            }
            #[expect(
                deprecated,
                reason = "the protocol gives up logging in time; until then clients ask for it"
            )]
            ClientRequest::SetLevelRequest(request) => {
                let client = self.early.client.client().filter(|_| !is_alone);
                client.iter().for_each(|client| client.will_hear(level(request.params.level)));
            }
            _ => {}
        }
    }

    /// The message of a call that has begun; nothing of one that was taken back.
    fn carried(&mut self, late: Late) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
        let Late { line, call, held } = late;
        if !held.is_held() {
            return Ok(None);
        }
        let Some(JsonRpcMessage::Request(mut request)) = message(&line, &self.slot)? else {
            return Err(envelope::unreadable(&line));
        };
        request.request.extensions_mut().insert(call);
        self.heard.insert(request.id.clone(), held);
        Ok(Some(JsonRpcMessage::Request(request)))
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
        let opening = self.opening.as_ref().filter(|(id, _)| answers == Some(id));
        let opened = opening.map(|(_, opened)| opened.clone().drop_guard());
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
            let (_unread, _opened) = (unread, opened);
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
            if let Some((_, opened)) = &self.opening {
                // What comes after the opening is of the version that is agreed on in its answer.
                opened.cancelled().await;
                self.opening = None;
            }
            let message = match self.next().await {
                Next::Line(line) => self.read(line),
                Next::Late(late) => self.carried(late),
                Next::End => return None,
            };
            match message {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(mut error) => {
                    // Under the name of another request it would be taken for the answer to that.
                    error.id = error.id.filter(|id| !self.in_flight.holds(SESSION, id));
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
    let without = arguments.as_ref().filter(|_| kind == Kind::Call).and_then(|it| it.left_out_of(line));
    let text = without.as_ref().unwrap_or(line);
    let mut message = match known(text, kind) {
        Some(message) => message,
        None => serde_json::from_slice(text).map_err(|_| envelope::unreadable(line))?,
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
        Kind::Opening | Kind::Other => return None,
    };
    Some(ClientJsonRpcMessage::request(request, id))
}

#[cfg(test)]
mod tests;
