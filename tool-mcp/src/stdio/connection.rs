//! One client at the other end of two pipes.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use rmcp::model::JsonRpcError;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tool_core::Extensions;

use crate::handlers::Handler;
use crate::protocol::{
    ErrorResponse, MOST_REQUESTS, Message, Origin, Outbox, RequestGuard, RpcRequest, RpcResponse, Session,
    in_flight, read, too_many_requests,
};
use crate::stdio::lines::{LineReader, LineWriter};

/// How long answers may take after the end of input.
const LAST_ANSWERS: Duration = Duration::from_secs(5);

/// How long writing may take after the server has stopped, when calls are not waited for any more.
const LAST_WRITES: Duration = Duration::from_millis(100);

pub(super) struct Connection<W> {
    handler: Arc<Handler>,
    session: Arc<Session>,
    writer: LineWriter<W>,
    outbox: Outbox,
    /// The extensions of every request, for tests.
    extensions: Option<Extensions>,
    /// The requests that are being answered.
    tasks: TaskTracker,
}

impl<W: AsyncWrite + Send + Unpin + 'static> Connection<W> {
    pub(super) fn new(handler: Arc<Handler>, writer: W) -> Self {
        let writer = LineWriter::new(writer);
        let outbox = Outbox::new(Arc::new(writer.clone()));
        let session = Arc::new(Session::new(outbox.clone(), None, 0));
        Connection { handler, session, writer, outbox, extensions: None, tasks: TaskTracker::new() }
    }

    pub(super) fn with_extensions(self, extensions: Option<Extensions>) -> Self {
        Connection { extensions, ..self }
    }

    /// Serves until the end of input, until the client has closed the output, or until it is stopped, and then waits for the
    /// answers that can still be given.
    pub(super) async fn run<R: AsyncRead + Unpin>(self, reader: R, stop: CancellationToken) {
        let mut reader = LineReader::new(reader);
        let serving = async {
            loop {
                match reader.next_line().await {
                    Ok(Some(line)) => self.receive(line).await,
                    Ok(None) => break,
                    Err(error) => {
                        tracing::error!(%error, "cannot read from the client");
                        break;
                    }
                }
            }
        };
        let patience = tokio::select! {
            biased;
            () = stop.cancelled() => LAST_WRITES,
            () = self.writer.broken() => {
                tracing::info!("the client has closed the output");
                LAST_WRITES
            }
            () = serving => LAST_ANSWERS,
        };
        self.tasks.close();
        if timeout(patience, self.tasks.wait()).await.is_err() {
            let answers = self.tasks.len();
            tracing::warn!(
                answers,
                "the shutdown deadline has passed: answers that were not given or not read are dropped"
            );
        }
        self.session.end.cancel();
        self.writer.close().await;
    }

    async fn receive(&self, line: Result<Bytes, ErrorResponse>) {
        let message = match line {
            Ok(line) if line.trim_ascii().is_empty() => return,
            Ok(line) => read(&line),
            Err(response) => Err(response),
        };
        match message {
            Ok(Message::Request(request)) => self.begin(request).await,
            Ok(message) => drop(self.handler.receive(message, &self.session)),
            Err(response) => self.reject(response).await,
        }
    }

    /// Begins to answer a request, in its own task.
    async fn begin(&self, request: RpcRequest) {
        if self.session.in_flight.len() + self.writer.unread() >= MOST_REQUESTS {
            let error = JsonRpcError::new(Some(request.id), too_many_requests());
            return self.reject(Box::new(error)).await;
        }
        let Some(guard) = self.session.in_flight.begin(request.id.clone()) else {
            return self.reject(in_flight(&request.id)).await;
        };
        let is_opening = request.opens_session();
        let running = self.handler.views.request();
        let (outbox, session) = (self.outbox.clone(), Some(Arc::clone(&self.session)));
        let extensions = self.extensions.clone();
        let origin = Origin { caller: None, extensions, param_headers: None, trace: None, outbox, session };
        let answer = self.handler.answer(request, origin);
        let (writer, session) = (self.writer.clone(), Arc::clone(&self.session));
        let answering = async move {
            if guard.is_canceled() || session.end.is_cancelled() {
                return;
            }
            // An answer that is ready at once does not wait for what would stop it.
            let answer = tokio::select! {
                biased;
                answer = answer => answer,
                () = guard.canceled() => return,
                () = session.end.cancelled() => return,
            };
            tokio::select! {
                biased;
                () = write(&writer, guard, answer) => {}
                () = session.end.cancelled() => {}
            }
            drop(running);
        };
        if is_opening {
            // Requests that follow without a pause are answered after it.
            answering.await;
        } else {
            self.tasks.spawn(answering);
        }
    }

    async fn reject(&self, mut response: ErrorResponse) {
        // The client would take an error with the identifier of another request for the answer to that.
        response.id = response.id.filter(|id| !self.session.in_flight.contains(id));
        tracing::debug!(error = %response.error.message, "a line is rejected");
        let text = serde_json::to_vec(&response).unwrap_or_default();
        if let Err(error) = self.writer.write(&[text.into()]).await {
            tracing::debug!(%error, "the client does not read its answer");
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(writer: &LineWriter<W>, guard: RequestGuard, answer: RpcResponse) {
    if guard.is_canceled() {
        return;
    }
    let _unread = writer.count_unread();
    // The client may reuse the identifier as soon as it reads the answer.
    drop(guard);
    if let Err(error) = writer.write(&answer.pieces).await {
        tracing::debug!(%error, "the client does not read its answer");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use serde_json::{Value, json};
    use tokio::io::{AsyncReadExt as _, DuplexStream};
    use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition};

    use super::*;
    use crate::Server;

    /// A connection with one tool, which counts its calls and never returns unless `ends` is set.
    async fn connection(writer: DuplexStream, ends: bool) -> (Connection<DuplexStream>, Arc<AtomicUsize>) {
        let definition = ToolDefinition::builder("think", "Thinks.").operation(Operation::Read);
        let definition = definition.input_schema(json!({"type": "object", "properties": {}}));
        let calls = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&calls);
        let think = DynamicTool::new(definition.build().unwrap(), move |_, _: Value| {
            counted.fetch_add(1, Ordering::Relaxed);
            async move {
                if !ends {
                    std::future::pending::<()>().await;
                }
                Ok(Output::empty())
            }
        });
        let registry = Registry::builder().tool(think).build().unwrap();
        (Connection::new(Server::new(registry).checked_handler(None).await.unwrap(), writer), calls)
    }

    fn call(id: usize) -> String {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({"name": "think", "_meta": meta});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
    }

    async fn send(connection: &Connection<DuplexStream>, line: impl Into<Bytes>) {
        connection.receive(Ok(line.into())).await;
    }

    #[tokio::test]
    async fn limits_open_requests() {
        let (mut unread, server_end) = tokio::io::duplex(1 << 20);
        let (connection, _) = connection(server_end, false).await;
        for id in 0..MOST_REQUESTS {
            send(&connection, call(id)).await;
        }
        assert_eq!(connection.session.in_flight.len(), MOST_REQUESTS);
        send(&connection, call(MOST_REQUESTS)).await;
        let mut line = vec![0; 200];
        let length = unread.read(&mut line).await.unwrap();
        let line: Value = serde_json::from_slice(&line[..length]).unwrap();
        assert_eq!((&line["id"], &line["error"]["code"]), (&json!(MOST_REQUESTS), &json!(-32603)));
    }

    #[tokio::test]
    async fn refuses_an_older_client() {
        let (mut unread, server_end) = tokio::io::duplex(4096);
        let server = Server::new(Registry::builder().allow_empty().build().unwrap()).legacy(false);
        let connection = Connection::new(server.checked_handler(None).await.unwrap(), server_end);
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"},
        });
        for (id, method) in [(1, "initialize"), (2, "tools/list")] {
            let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            send(&connection, request.to_string()).await;
        }
        connection.run(tokio::io::empty(), CancellationToken::new()).await;
        let mut lines = String::new();
        unread.read_to_string(&mut lines).await.unwrap();
        let codes: Vec<Value> = lines
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["error"]["code"].clone())
            .collect();
        assert_eq!(codes, [-32022, -32022], "{lines}");
    }

    #[tokio::test(start_paused = true)]
    async fn does_not_answer_a_canceled_request() {
        for ends in [true, false] {
            let (mut unread, server_end) = tokio::io::duplex(1024);
            let (connection, calls) = connection(server_end, ends).await;
            send(&connection, call(1)).await;
            let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
            send(&connection, cancel).await;
            connection.run(tokio::io::empty(), CancellationToken::new()).await;
            let mut lines = String::new();
            unread.read_to_string(&mut lines).await.unwrap();
            assert_eq!((lines.as_str(), calls.load(Ordering::Relaxed)), ("", 0), "the call did not start");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn answers_open_requests_after_the_end_of_input() {
        let (mut unread, server_end) = tokio::io::duplex(1024);
        let (connection, _) = connection(server_end, true).await;
        send(&connection, call(1)).await;
        connection.run(tokio::io::empty(), CancellationToken::new()).await;
        let mut lines = String::new();
        unread.read_to_string(&mut lines).await.unwrap();
        assert!(lines.starts_with(r#"{"jsonrpc":"2.0","id":1,"result":{"#), "{lines}");
    }

    #[tokio::test(start_paused = true)]
    async fn shuts_down_with_an_unread_answer() {
        // The buffer is too small for an answer.
        let (_unread, server_end) = tokio::io::duplex(16);
        let (connection, _) = connection(server_end, true).await;
        send(&connection, call(1)).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!((connection.session.in_flight.len(), connection.writer.unread()), (0, 1));
        let ended = connection.run(tokio::io::empty(), CancellationToken::new());
        timeout(Duration::from_secs(60), ended).await.expect("shutdown waits for the reader");
    }
}
