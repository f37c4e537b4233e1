//! Streams of events, taken up again where they were cut off.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::server::{Client, LEGACY, Next, next_frame, with_defaults, with_fixture};

/// So many steps of one input are made.
const MOST_STEPS: usize = 64;

/// So many messages, bytes and answered calls are kept for a client that comes back, at least.
const KEPT_MESSAGES: u64 = 256;
const KEPT_BYTES: usize = 1 << 20;
const KEPT_CALLS: usize = 32;

/// Messages are long until so many bytes were sent: twice what is kept.
const MOST_LONG_BYTES: usize = 2 * KEPT_BYTES;

/// How long they are kept, less the time that the steps at the end take.
const KEPT_FOR: Duration = Duration::from_secs(45);

/// How long the steps may take: a session that is idle for five minutes is closed.
const LONGEST_RUN: Duration = Duration::from_secs(4 * 60);

/// So many messages may be kept besides while a client reads slowly, and one of them may have so many bytes.
const MOST_UNREAD: usize = 17;
const LONGEST_MESSAGE: usize = 140_000;

/// How long to wait for an event that may not come.
const SHORT: Duration = Duration::from_millis(1);

/// How long after the last step all calls have ended.
const LONG: Duration = Duration::from_secs(1);

/// Identifiers of events that were never sent.
const INVALID: [&str; 6] = ["", "-1", "x", "1/", "0/4096", "18446744073709551616"];

/// Identifiers that are later than any event.
const FUTURE: [u64; 3] = [1_000_000, u64::MAX - 1, u64::MAX];

/// Sends messages to the stream of a session, and reads them as a client does that loses its connections.
///
/// Each byte is a step: what it does is in the upper three bits, and how often or where in the lower five.
///
/// - A stream has the identifiers 1, 2, 3 … in this order, and an event that is sent again is the same.
/// - A reader that comes back while the server keeps what it lacks gets all of it, and nothing else.
/// - One reader has the stream: who comes without an identifier gets nothing as long as there is another, and who comes
///   with one ends the other.
/// - The stream of a call has its reports and then its answer, and ends.
/// - What is kept is bounded.
pub fn sse_resumption(input: &[u8]) {
    if input.is_empty() {
        return;
    }
    with_fixture(async |fixture| {
        let client = fixture.client(false);
        let session = client.open_session().await;
        let mut run = Run {
            client: client.clone(),
            session: session.clone(),
            started: Instant::now(),
            posts: 0,
            sent: 0,
            sent_bytes: 0,
            stream: Stream::default(),
            reader: None,
            calls: Vec::new(),
        };
        for step in input.iter().take(MOST_STEPS) {
            run.step(*step).await;
        }
        run.end().await;
        client.close_session(&session).await;
        client.assert_serves().await;
    });
}

/// What was read of a stream.
#[derive(Default)]
struct Stream {
    events: BTreeMap<u64, Bytes>,
    /// The latest event that was read.
    latest: u64,
}

impl Stream {
    fn record(&mut self, id: u64, data: Bytes) {
        self.latest = self.latest.max(id);
        if let Some(before) = self.events.get(&id) {
            assert_eq!(before, &data, "the event {id} is another when it is sent again");
        }
        self.events.insert(id, data);
    }
}

/// A connection that reads a stream.
struct Reader {
    body: Body,
    /// The event that comes next.
    next: u64,
    /// Whether that one is still kept.
    is_kept: bool,
}

impl Reader {
    /// Reads the next event of the stream whose identifiers end so.
    async fn read(&mut self, suffix: &str, stream: &mut Stream, patience: Duration) -> Read {
        let data = match next_frame(&mut self.body, patience).await {
            Next::Nothing | Next::Comment => return Read::Nothing,
            Next::End => return Read::End,
            Next::Data(data) => data,
        };
        let (id, data) = parse_event(&data, suffix);
        assert!(!data.is_empty(), "only the first event is empty");
        if self.is_kept {
            assert_eq!(id, self.next, "an event is lost or repeated");
        } else {
            assert!(id >= self.next, "the event {id} is repeated");
        }
        (self.next, self.is_kept) = (id + 1, true);
        stream.record(id, data);
        Read::Event
    }
}

enum Read {
    Event,
    Nothing,
    End,
}

/// A call with a stream of its own.
struct Call {
    request: String,
    reports: u64,
    /// The end of the identifiers of its events.
    suffix: String,
    reader: Option<Reader>,
    stream: Stream,
}

struct Run {
    client: Client,
    session: String,
    started: Instant,
    posts: usize,
    /// The number of messages.
    sent: u64,
    sent_bytes: usize,
    stream: Stream,
    reader: Option<Reader>,
    calls: Vec<Call>,
}

impl Run {
    async fn step(&mut self, step: u8) {
        let count = step & 31;
        match step >> 5 {
            0 => self.emit(count + 1, 8).await,
            1 if self.sent_bytes < MOST_LONG_BYTES => self.emit(count % 4 + 1, 1 << (10 + count / 4)).await,
            1 => self.emit(count % 4 + 1, 8).await,
            2 => self.open().await,
            3 => {
                let after = self.stream.latest.saturating_sub(count.into());
                self.resume(after).await;
            }
            4 => self.read(count.into()).await,
            5 if count < 16 => self.reader = None,
            5 => {
                let pause = Duration::from_secs(u64::from(count - 15) * 5);
                if self.started.elapsed() + pause < LONGEST_RUN {
                    tokio::time::sleep(pause).await;
                }
            }
            6 => self.step_of_call(count >> 3, count & 7).await,
            _ => {
                let choice = usize::from(count);
                match (INVALID.get(choice), FUTURE.get(choice.wrapping_sub(INVALID.len()))) {
                    (Some(invalid), _) => self.resume_at_nothing(invalid).await,
                    (_, Some(future)) => self.resume(*future).await,
                    _ => self.resume(choice as u64).await,
                }
            }
        }
    }

    /// Whether what was sent to the session after an event is still kept.
    fn is_kept(&self, after: u64) -> bool {
        self.started.elapsed() < KEPT_FOR
            && self.sent_bytes < KEPT_BYTES
            && self.sent.saturating_sub(after) <= KEPT_MESSAGES
    }

    /// Calls a tool that logs messages.
    async fn emit(&mut self, messages: u8, length: usize) {
        let arguments = json!({"first": self.sent, "messages": messages, "length": length, "reports": 0});
        self.sent += u64::from(messages);
        // With what the protocol adds to each.
        self.sent_bytes += usize::from(messages) * (length + 200);
        // The call waits for a client that reads slowly, and goes on without this body.
        drop(self.call(&arguments, &Value::Null).await);
    }

    async fn call(&mut self, arguments: &Value, progress_token: &Value) -> (String, Body) {
        self.posts += 1;
        let id = format!("call {}", self.posts);
        let mut params = json!({"name": "emit", "arguments": arguments});
        if !progress_token.is_null() {
            params["_meta"] = json!({"progressToken": progress_token});
        }
        let body = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        let headers = [("mcp-session-id", self.session.as_str()), ("mcp-protocol-version", LEGACY)];
        let answer = self.client.post(&headers, body.to_string()).await;
        assert_eq!(answer.status(), StatusCode::OK);
        (id, answer.into_body())
    }

    async fn get(&self, last_event: Option<&str>) -> Body {
        let mut headers = vec![("mcp-session-id", self.session.as_str())];
        headers.extend(last_event.map(|id| ("last-event-id", id)));
        let headers: HeaderMap = with_defaults(&headers);
        let answer = self.client.send(Method::GET, headers, Vec::new()).await;
        assert_eq!(answer.status(), StatusCode::OK);
        answer.into_body()
    }

    /// Opens the stream of the session.
    async fn open(&mut self) {
        let mut body = self.get(None).await;
        let first = next_frame(&mut body, SHORT).await;
        if self.reader.is_some() {
            assert!(matches!(first, Next::Nothing), "two readers have the stream");
            return;
        }
        let Next::Data(data) = first else { panic!("the reader is not told where it is") };
        let (id, data) = parse_event(&data, "");
        assert!(data.is_empty(), "the first event is not empty");
        assert_eq!(id, self.stream.latest, "the reader does not begin after the latest event that was read");
        self.reader = Some(Reader { body, next: id + 1, is_kept: self.is_kept(id) });
    }

    async fn resume(&mut self, after: u64) {
        let body = self.get(Some(&after.to_string())).await;
        let next = after.saturating_add(1);
        let former = self.reader.replace(Reader { body, next, is_kept: self.is_kept(after) });
        if let Some(mut former) = former {
            let end = next_frame(&mut former.body, SHORT).await;
            assert!(matches!(end, Next::End), "two readers have the stream");
        }
    }

    async fn resume_at_nothing(&self, id: &str) {
        let mut body = self.get(Some(id)).await;
        // Without a value there is no header to go by.
        let next = next_frame(&mut body, SHORT).await;
        assert!(matches!(next, Next::End), "a stream begins after no event: `{id}`");
    }

    async fn read(&mut self, count: u64) {
        for _ in 0..=count {
            let Some(reader) = &mut self.reader else { return };
            match reader.read("", &mut self.stream, SHORT).await {
                Read::Event => {}
                Read::Nothing => return,
                Read::End => panic!("the stream of a session ends"),
            }
        }
    }

    async fn step_of_call(&mut self, kind: u8, count: u8) {
        if kind == 0 {
            let reports = u64::from(count) + 1;
            let arguments = json!({"first": 0, "messages": 0, "length": 8, "reports": reports});
            let (request, mut body) = self.call(&arguments, &json!("token")).await;
            let Next::Data(data) = next_frame(&mut body, SHORT).await else {
                panic!("there is no first event")
            };
            let text = std::str::from_utf8(&data).expect("events are UTF-8");
            let suffix = text.lines().find_map(|line| line.strip_prefix("id: 0")).expect("a first event");
            assert!(parse_event(&data, suffix).1.is_empty(), "the first event is not empty");
            let reader = Some(Reader { body, next: 1, is_kept: true });
            let stream = Stream::default();
            self.calls.push(Call { request, reports, suffix: suffix.to_owned(), reader, stream });
            return;
        }
        let is_kept = self.is_call_kept();
        let session = self.calls.last().map(|call| (call.stream.latest, call.suffix.clone()));
        let Some((latest, suffix)) = session else { return };
        match kind {
            1 => {
                let Some(call) = self.calls.last_mut() else { return };
                call.read(count.into(), SHORT).await;
            }
            2 => self.calls.iter_mut().for_each(|call| call.reader = None),
            _ => {
                let after = latest.saturating_sub(count.into());
                let body = self.get(Some(&format!("{after}{suffix}"))).await;
                let Some(call) = self.calls.last_mut() else { return };
                call.reader = is_kept.then_some(Reader { body, next: after + 1, is_kept });
            }
        }
    }

    /// Whether all calls are still kept that have ended.
    fn is_call_kept(&self) -> bool {
        self.started.elapsed() < KEPT_FOR && self.posts <= KEPT_CALLS && self.sent_bytes < KEPT_BYTES
    }

    /// Reads all that is kept.
    async fn end(&mut self) {
        tokio::time::sleep(LONG).await;
        // Calls that wait for a slow reader go on.
        self.reader = None;
        tokio::time::sleep(LONG).await;
        let is_kept = self.is_kept(0);
        self.resume(0).await;
        let (mut count, mut bytes) = (0, 0);
        let Some(reader) = &mut self.reader else { return };
        while let Read::Event = reader.read("", &mut self.stream, SHORT).await {
            count += 1;
            bytes += self.stream.events[&(reader.next - 1)].len();
        }
        assert_eq!(self.stream.latest, self.sent, "messages are lost or repeated");
        assert!(count <= KEPT_MESSAGES as usize + MOST_UNREAD, "{count} messages are kept");
        assert!(bytes <= KEPT_BYTES + MOST_UNREAD * LONGEST_MESSAGE, "{bytes} bytes are kept");
        if is_kept {
            assert_eq!(self.stream.events.len() as u64, self.sent, "messages are lost or repeated");
        }
        self.check_messages();
        let is_kept = self.is_call_kept();
        for index in 0..self.calls.len() {
            if is_kept {
                self.end_call(index).await;
            }
        }
    }

    /// Checks that no message was sent twice.
    fn check_messages(&self) {
        let mut numbers: Vec<u64> = self.stream.events.values().map(number).collect();
        numbers.sort_unstable();
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "a message was sent twice: {numbers:?}");
        assert!(numbers.last().is_none_or(|last| *last < self.sent), "a message was never sent");
    }

    /// Reads the stream of a call from its beginning to its end.
    async fn end_call(&mut self, index: usize) {
        let body = self.get(Some(&format!("0{}", self.calls[index].suffix))).await;
        let call = &mut self.calls[index];
        call.reader = Some(Reader { body, next: 1, is_kept: true });
        call.read(u64::MAX, LONG).await;
        assert!(call.reader.is_none(), "the stream of a call does not end");
        assert_eq!(call.stream.latest, call.reports + 1, "reports are lost or repeated");
    }
}

impl Call {
    /// Reads so many events and one more.
    async fn read(&mut self, count: u64, patience: Duration) {
        for _ in 0..=count {
            let Some(reader) = &mut self.reader else { return };
            match reader.read(&self.suffix, &mut self.stream, patience).await {
                Read::Event => {
                    let message = &self.stream.events[&(reader.next - 1)];
                    let is_answer = reader.next - 1 == self.reports + 1;
                    let message: Value = serde_json::from_slice(message).expect("a message is JSON");
                    assert_eq!(message["id"] == *self.request, is_answer, "not what was to come: {message}");
                }
                Read::Nothing => return,
                Read::End => {
                    assert_eq!(reader.next, self.reports + 2, "the stream ends before its answer");
                    self.reader = None;
                }
            }
        }
    }
}

/// Returns the number of a message that was logged. Most of a long one is not looked at.
fn number(message: &Bytes) -> u64 {
    let text = std::str::from_utf8(message).expect("events are UTF-8");
    let data = text.split_once(r#""data":""#).and_then(|(_, data)| data.split(' ').next());
    data.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("not a message of the tool: {text}"))
}

/// Returns the number of an event, and its data.
fn parse_event(event: &Bytes, suffix: &str) -> (u64, Bytes) {
    let text = std::str::from_utf8(event).expect("events are UTF-8");
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let id = field("id: ").and_then(|id| id.strip_suffix(suffix)?.parse().ok());
    let id = id.unwrap_or_else(|| panic!("the event has no identifier that ends with `{suffix}`: {text}"));
    let data = field("data: ").unwrap_or_else(|| panic!("an event without data: {text}"));
    (id, event.slice_ref(data.as_bytes()))
}
