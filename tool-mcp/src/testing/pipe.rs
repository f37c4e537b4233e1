//! The client's end of a connection to a server in the same process.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};
use tokio::sync::{Mutex as AsyncMutex, oneshot};
use tokio::task::JoinHandle;
use tokio_util::task::AbortOnDropHandle;
use tool_core::Extensions;
use tool_core::elicitation::{AskOutcome, ClientRequests, Question};

use crate::error::ServeError;
use crate::handlers::Handler;
use crate::stdio;
use crate::sync::lock;

/// How many bytes a side may write before the other one reads them.
const BUFFER: usize = 64 * 1024;

/// A connection to a server that runs in a task, over the transport of stdio.
pub(super) struct Pipe {
    shared: Arc<SharedPipe>,
    next_id: AtomicU64,
    serving: JoinHandle<Result<(), ServeError>>,
    /// Ends with the pipe, which then closes: the server is at the end of its input.
    _reading: AbortOnDropHandle<()>,
}

struct SharedPipe {
    writer: AsyncMutex<WriteHalf<DuplexStream>>,
    client: Option<Arc<dyn ClientRequests>>,
    incoming: Mutex<ReceivedMessages>,
}

/// What the server has sent.
#[derive(Default)]
struct ReceivedMessages {
    /// The requests without a response, by their identifiers.
    pending: HashMap<u64, oneshot::Sender<Value>>,
    notifications: Vec<Value>,
    is_closed: bool,
}

impl Pipe {
    /// Starts to serve a client, which answers the server's requests with `client`.
    pub(super) fn open(
        handler: Arc<Handler>,
        extensions: Option<Extensions>,
        client: Option<Arc<dyn ClientRequests>>,
    ) -> Self {
        let (client_end, server_end) = duplex(BUFFER);
        let (reader, writer) = split(server_end);
        let serving = tokio::spawn(stdio::speak(handler, extensions, reader, writer));
        let (reader, writer) = split(client_end);
        let shared = SharedPipe { writer: AsyncMutex::new(writer), client, incoming: Mutex::default() };
        let shared = Arc::new(shared);
        let reading = AbortOnDropHandle::new(tokio::spawn(Arc::clone(&shared).read(reader)));
        Pipe { shared, next_id: AtomicU64::new(1), serving, _reading: reading }
    }

    /// Returns the identifier of a new request.
    pub(super) fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Sends a request and returns the response; `None` if the server ends before.
    pub(super) async fn request(&self, id: u64, method: &str, params: &Value) -> Option<Value> {
        let (sender, receiver) = oneshot::channel();
        {
            let mut incoming = lock(&self.shared.incoming);
            if incoming.is_closed {
                return None;
            }
            incoming.pending.insert(id, sender);
        }
        self.shared.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        receiver.await.ok()
    }

    /// Sends a notification.
    pub(super) async fn notify(&self, method: &str) {
        self.shared.send(&json!({"jsonrpc": "2.0", "method": method})).await;
    }

    /// Returns the notifications so far, each as `{"method", "params"}`.
    pub(super) fn notifications(&self) -> Vec<Value> {
        lock(&self.shared.incoming).notifications.clone()
    }

    /// Ends the connection, and waits until the server has ended.
    pub(super) async fn close(self) {
        // The server would be at the end of its input, also if it does not read.
        let _ = self.shared.writer.lock().await.shutdown().await;
        let _ = self.serving.await;
    }
}

impl SharedPipe {
    /// Reads what the server sends, until its end.
    async fn read(self: Arc<Self>, reader: ReadHalf<DuplexStream>) {
        let mut lines = BufReader::new(reader).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let Ok(mut message) = serde_json::from_str::<Value>(&line) else { continue };
            match (message.get("id").cloned(), message.get("method").is_some()) {
                (Some(id), true) => self.send(&self.respond(&id, &message).await).await,
                (Some(id), false) => {
                    let sender = id.as_u64().and_then(|id| lock(&self.incoming).pending.remove(&id));
                    // The request may have been dropped.
                    sender.map(|sender| sender.send(message.take()));
                }
                (None, _) => {
                    message.as_object_mut().map(|message| message.shift_remove("jsonrpc"));
                    lock(&self.incoming).notifications.push(message);
                }
            }
        }
        let mut incoming = lock(&self.incoming);
        incoming.is_closed = true;
        incoming.pending.clear();
    }

    /// Returns the response to a request of the server.
    async fn respond(&self, id: &Value, request: &Value) -> Value {
        match answer(self.client.as_ref(), &id.to_string(), request).await {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(message) => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": message}})
            }
        }
    }

    async fn send(&self, message: &Value) {
        let mut writer = self.writer.lock().await;
        // A server that ended is noticed by the reader.
        let _ = writer.write_all(format!("{message}\n").as_bytes()).await;
    }
}

/// Answers the question of a tool: `{"method", "params"}`.
///
/// # Errors
///
/// When the client has no answer, with the reason.
pub(super) async fn answer(
    client: Option<&Arc<dyn ClientRequests>>,
    key: &str,
    request: &Value,
) -> Result<Value, String> {
    let client = client.ok_or("the client has no answers: set `answers`")?;
    let question = Question::from_request(key, request)?;
    match client.ask(&question).await {
        Ok(AskOutcome::Answer(answer)) => Ok(answer.to_result()),
        Ok(outcome) => Err(format!("the client must answer at once, and not with {outcome:?}")),
        Err(failure) => Err(failure.message().to_owned()),
    }
}
