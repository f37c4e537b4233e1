//! Sends a sequence, and records the answers.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::pin::Pin;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, Response};
use http_body_util::BodyExt as _;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tower::ServiceExt as _;

use super::sequences::{Sequence, Step};
use super::{shortened, tools};

/// How long to wait for an answer. The clock is paused, so it advances only when all tasks are idle.
const IDLE: Duration = Duration::from_millis(500);

/// The recorded headers of an answer.
const HEADERS: [&str; 7] = [
    "content-type",
    "mcp-session-id",
    "allow",
    "retry-after",
    "cache-control",
    "x-accel-buffering",
    "content-length",
];

#[derive(Default)]
pub(super) struct Transcript {
    pub(super) text: String,
    session: String,
    state: String,
    event: String,
    /// Requests that another thread answers, at an unpredictable time.
    racing: BTreeSet<usize>,
    /// Bodies that have not ended.
    open: Vec<(usize, Body)>,
    /// Requests without a response yet.
    pending: Vec<(usize, Pending)>,
}

type Pending = Pin<Box<dyn Future<Output = Response<Body>>>>;

struct Pipes {
    lines: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: Option<WriteHalf<DuplexStream>>,
    serving: JoinHandle<Result<(), crate::ServeError>>,
}

impl Transcript {
    pub(super) async fn new(sequence: &Sequence) -> Self {
        let mut transcript = Transcript::default();
        let server = tools::server(sequence.server);
        let router = server.clone().into_axum_router().unwrap();
        let mut pipes = None;
        for (number, step) in sequence.steps.iter().enumerate() {
            match step {
                Step::Http { method, headers, body } => {
                    transcript.http(number, &router, method, headers, body).await;
                }
                Step::Line(line) => {
                    let pipes = match &mut pipes {
                        Some(pipes) => pipes,
                        empty => empty.insert(Pipes::open(&server).await),
                    };
                    transcript.line(pipes, line).await;
                }
                Step::Wait(seconds) => {
                    writeln!(transcript.text, "> wait {seconds}").unwrap();
                    tokio::time::sleep(Duration::from_secs(*seconds)).await;
                    if let Some(pipes) = &mut pipes {
                        transcript.lines(pipes).await;
                    }
                }
                Step::Disconnect => {
                    writeln!(transcript.text, "> leave").unwrap();
                    transcript.open.clear();
                    transcript.pending.clear();
                }
            }
            transcript.drain().await;
        }
        if let Some(pipes) = pipes {
            transcript.end(pipes).await;
        }
        transcript
    }

    async fn http(
        &mut self,
        number: usize,
        router: &Router,
        method: &str,
        headers: &[(String, String)],
        body: &str,
    ) {
        let body = self.filled(body);
        if body.contains("completion/complete") {
            self.racing.insert(number);
        }
        let mut request = Request::builder().method(method).uri("/");
        let defaults = [
            ("host", "localhost"),
            ("accept", "application/json, text/event-stream"),
            ("content-type", "application/json"),
        ];
        let replaced = |name: &str| headers.iter().any(|(other, _)| other == name);
        for (name, value) in defaults.iter().filter(|(name, _)| !replaced(name)) {
            request = request.header(*name, *value);
        }
        let mut shown = String::new();
        for (name, value) in headers {
            write!(shown, " {name}: {value};").unwrap();
            request = request.header(name, self.filled(value));
        }
        writeln!(self.text, "> {number} {method}{shown} {}", shortened(&self.normalized(&body))).unwrap();
        let request = request.body(Body::from(body)).unwrap();
        let router = router.clone();
        self.pending.push((number, Box::pin(async move { router.oneshot(request).await.unwrap() })));
    }

    /// Records the answers received so far.
    async fn drain(&mut self) {
        for (number, mut response) in std::mem::take(&mut self.pending) {
            match timeout(IDLE, &mut response).await {
                Err(_) => self.pending.push((number, response)),
                Ok(response) => {
                    let (head, body) = response.into_parts();
                    let shown = self.head(&head.headers);
                    let shown = if self.racing.contains(&number) { "" } else { &shown };
                    writeln!(self.text, "< {number} {}{shown}", head.status.as_u16()).unwrap();
                    self.open.push((number, body));
                }
            }
        }
        for (number, mut body) in std::mem::take(&mut self.open) {
            let mut received = Vec::new();
            let mut comments = 0;
            let ended = loop {
                match timeout(IDLE, body.frame()).await {
                    Err(_) => break false,
                    // Keep-alive comments may use the real clock.
                    Ok(_) if comments > 3 => break false,
                    Ok(Some(Ok(frame))) if frame.data_ref().is_some_and(|data| data.starts_with(b":")) => {
                        comments += 1;
                    }
                    Ok(None) => break true,
                    Ok(Some(Ok(frame))) => received.extend(frame.into_data().unwrap_or_default()),
                    Ok(Some(Err(error))) => received.extend(format!("error: {error}").into_bytes()),
                }
            };
            let received = String::from_utf8_lossy(&received).into_owned();
            let is_racing = self.racing.contains(&number);
            for line in received.lines().filter(|line| !line.is_empty()) {
                self.capture(line);
                let data = line.strip_prefix("data: ").unwrap_or(line);
                let line = if is_racing { data } else { line };
                if is_racing && !line.starts_with('{') {
                    continue;
                }
                let line = self.normalized(line);
                writeln!(self.text, "< {number} {}", shortened(&line)).unwrap();
            }
            if !ended {
                self.open.push((number, body));
            } else if received.contains("data:") && !is_racing {
                writeln!(self.text, "< {number} end").unwrap();
            }
        }
    }

    fn head(&mut self, headers: &HeaderMap) -> String {
        let mut shown = String::new();
        for name in HEADERS {
            let Some(value) = headers.get(name).map(|value| value.to_str().unwrap()) else { continue };
            if name == "mcp-session-id" {
                value.clone_into(&mut self.session);
            }
            let value = if name == "content-length" { "" } else { value };
            write!(shown, " {name}: {};", self.normalized(value)).unwrap();
        }
        shown
    }

    async fn line(&mut self, pipes: &mut Pipes, line: &str) {
        let line = self.filled(line);
        writeln!(self.text, "> {}", shortened(&self.normalized(&line))).unwrap();
        if let Some(writer) = &mut pipes.writer {
            let _ = writer.write_all(format!("{line}\n").as_bytes()).await;
        }
        self.lines(pipes).await;
    }

    async fn lines(&mut self, pipes: &mut Pipes) {
        while let Ok(Ok(Some(line))) = timeout(IDLE, pipes.lines.next_line()).await {
            self.capture(&line);
            let line = self.normalized(&line);
            writeln!(self.text, "< {}", shortened(&line)).unwrap();
        }
    }

    async fn end(&mut self, mut pipes: Pipes) {
        pipes.writer.take().unwrap().shutdown().await.unwrap();
        self.lines(&mut pipes).await;
        let ended = timeout(Duration::from_secs(60), pipes.serving).await;
        let ended = matches!(ended, Ok(Ok(Ok(()))));
        writeln!(self.text, "end: {ended}").unwrap();
    }

    /// Captures the values that later steps refer to.
    fn capture(&mut self, line: &str) {
        if let Some(event) = line.strip_prefix("id:") {
            event.trim().clone_into(&mut self.event);
        }
        if let Some((_, state)) = line.split_once(r#""requestState":""#) {
            self.state = state.split('"').next().unwrap().to_owned();
        }
    }

    fn filled(&self, text: &str) -> String {
        text.replace("$SESSION", &self.session).replace("$STATE", &self.state).replace("$EVENT", &self.event)
    }

    /// Replaces values that differ between runs.
    fn normalized(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if !self.session.is_empty() {
            text = text.replace(&self.session, "$SESSION");
        }
        if text.starts_with("id:") {
            return "id: $EVENT".to_owned();
        }
        for (before, after) in [
            (r#""tool-core/callId":""#, '"'),
            (r#""requestState":""#, '"'),
            (r#""elicitationId":""#, '"'),
            ("(call ", ')'),
        ] {
            text = replaced(&text, before, after);
        }
        text
    }
}

fn replaced(text: &str, before: &str, after: char) -> String {
    let mut parts = text.split(before);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(after).unwrap_or(part.len());
        result.push_str(before);
        result.push('$');
        result.push_str(&part[end..]);
    }
    result
}

impl Pipes {
    async fn open(server: &crate::Server) -> Self {
        let handler = server.checked_handler(None).await.unwrap();
        let (client_end, server_end) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(server_end);
        let serving = tokio::spawn(crate::stdio::speak(handler, None, reader, writer));
        let (reader, writer) = tokio::io::split(client_end);
        Pipes { lines: BufReader::new(reader).lines(), writer: Some(writer), serving }
    }
}
