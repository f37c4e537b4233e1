//! The client's end of a connection to a server in the same process.

use std::collections::HashMap;
use std::panic;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, JoinSet};
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
    /// The reader and the writer end with the pipe, which then closes: the server is at the end of its input.
    _ends: [AbortOnDropHandle<()>; 2],
}

struct SharedPipe {
    outgoing: mpsc::UnboundedSender<ToServer>,
    client: Option<Arc<dyn ClientRequests>>,
    incoming: Mutex<ReceivedMessages>,
}

enum ToServer {
    Line(String),
    End,
}

/// What the server has sent.
#[derive(Default)]
struct ReceivedMessages {
    /// The requests without a response, by their identifiers.
    pending: HashMap<u64, oneshot::Sender<Value>>,
    notifications: Vec<Value>,
    /// Why no more messages are read.
    closed: Option<String>,
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
        let (outgoing, lines) = mpsc::unbounded_channel();
        let shared = Arc::new(SharedPipe { outgoing, client, incoming: Mutex::default() });
        let reading = tokio::spawn(Arc::clone(&shared).read(reader));
        let ends = [reading, tokio::spawn(write(writer, lines))].map(AbortOnDropHandle::new);
        Pipe { shared, next_id: AtomicU64::new(1), serving, _ends: ends }
    }

    /// Returns the identifier of a new request.
    pub(super) fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Sends a request and returns the response. If this is dropped before, the request is canceled.
    ///
    /// # Errors
    ///
    /// When there is no response, with the reason.
    pub(super) async fn request(&self, id: u64, method: &str, params: &Value) -> Result<Value, String> {
        let (sender, receiver) = oneshot::channel();
        {
            let mut incoming = lock(&self.shared.incoming);
            if let Some(reason) = &incoming.closed {
                return Err(reason.clone());
            }
            incoming.pending.insert(id, sender);
        }
        let _guard = CancelOnDrop { shared: &self.shared, id };
        self.shared.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        receiver.await.map_err(|_| lock(&self.shared.incoming).closed.clone().unwrap_or_default())
    }

    /// Sends a notification.
    pub(super) fn notify(&self, method: &str) {
        self.shared.send(&json!({"jsonrpc": "2.0", "method": method}));
    }

    /// Returns the notifications that `which` selects so far, each as `{"method", "params"}`.
    pub(super) fn notifications(&self, which: impl Fn(&Value) -> bool) -> Vec<Value> {
        lock(&self.shared.incoming).notifications.iter().filter(|it| which(it)).cloned().collect()
    }

    /// Removes the notifications that `which` selects, and returns them.
    pub(super) fn take_notifications(&self, which: impl Fn(&Value) -> bool) -> Vec<Value> {
        let notifications = &mut lock(&self.shared.incoming).notifications;
        let (taken, left) = std::mem::take(notifications).into_iter().partition(which);
        *notifications = left;
        taken
    }

    /// Ends the connection, and waits until the server has ended.
    pub(super) async fn close(self) {
        // A writer that ended has closed the connection.
        let _ = self.shared.outgoing.send(ToServer::End);
        let _ = self.serving.await;
    }
}

/// Cancels a request that is dropped before its response.
struct CancelOnDrop<'p> {
    shared: &'p SharedPipe,
    id: u64,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if lock(&self.shared.incoming).pending.remove(&self.id).is_some() {
            let params = json!({"requestId": self.id});
            self.shared
                .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
        }
    }
}

/// Ends the pending requests when the reader ends, also if it panics.
struct CloseGuard<'p>(&'p SharedPipe);

impl Drop for CloseGuard<'_> {
    fn drop(&mut self) {
        let reason = if thread::panicking() {
            "the answers of the client panicked"
        } else {
            "the server ended before it answered"
        };
        let mut incoming = lock(&self.0.incoming);
        incoming.closed.get_or_insert_with(|| reason.to_owned());
        incoming.pending.clear();
    }
}

impl SharedPipe {
    /// Reads what the server sends, until its end.
    async fn read(self: Arc<Self>, reader: ReadHalf<DuplexStream>) {
        let _guard = CloseGuard(&self);
        let mut lines = BufReader::new(reader).lines();
        let mut answers = JoinSet::new();
        loop {
            let line = tokio::select! {
                biased;
                Some(answered) = answers.join_next() => {
                    if let Err(error) = answered && let Ok(panic) = error.try_into_panic() {
                        panic::resume_unwind(panic);
                    }
                    continue;
                }
                line = lines.next_line() => line,
            };
            let Ok(Some(line)) = line else { return };
            match serde_json::from_str(&line) {
                Ok(message) => self.receive(message, &mut answers).await,
                Err(error) => {
                    let reason = format!("the client cannot read a message of the server: {error}");
                    lock(&self.incoming).closed = Some(reason);
                    return;
                }
            }
        }
    }

    async fn receive(self: &Arc<Self>, mut message: Value, answers: &mut JoinSet<()>) {
        match (message.get("id").cloned(), message.get("method").is_some()) {
            (Some(id), true) => {
                let shared = Arc::clone(self);
                let mut answering =
                    Box::pin(async move { shared.send(&shared.respond(&id, &message).await) });
                // Answers begin in the order of the questions, and those that take their time do not delay other messages.
                tokio::select! {
                    biased;
                    () = &mut answering => {}
                    () = std::future::ready(()) => drop(answers.spawn(answering)),
                }
            }
            (Some(id), false) => {
                let sender = id.as_u64().and_then(|id| lock(&self.incoming).pending.remove(&id));
                // The request may have been dropped.
                sender.map(|sender| sender.send(message));
            }
            (None, _) => {
                message.as_object_mut().map(|message| message.shift_remove("jsonrpc"));
                lock(&self.incoming).notifications.push(message);
            }
        }
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

    fn send(&self, message: &Value) {
        // A server that ended is noticed by the reader.
        let _ = self.outgoing.send(ToServer::Line(format!("{message}\n")));
    }
}

/// Writes lines whole, also those of requests that are dropped.
async fn write(mut writer: WriteHalf<DuplexStream>, mut lines: mpsc::UnboundedReceiver<ToServer>) {
    while let Some(ToServer::Line(line)) = lines.recv().await {
        if writer.write_all(line.as_bytes()).await.is_err() {
            return;
        }
    }
    let _ = writer.shutdown().await;
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
    let question = Question::from_request(key, request).map_err(|error| error.to_string())?;
    match client.ask(&question).await {
        Ok(AskOutcome::Answer(answer)) => Ok(answer.to_result()),
        Ok(outcome) => Err(format!("the client must answer at once, and not with {outcome:?}")),
        Err(failure) => Err(failure.message().to_owned()),
    }
}
