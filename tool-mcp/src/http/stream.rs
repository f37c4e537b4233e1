//! A stream of events to a client, kept for a while so that the client can resume it.

use std::collections::VecDeque;
use std::fmt;
use std::io::Write as _;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use axum::body::Bytes;
use tokio::sync::Notify;
use tokio::time::Instant;
use tool_core::BoxFuture;

use crate::protocol::{Closed, Outgoing, RpcResponse};
use crate::sync::lock;

/// The most events that wait for a client that reads slowly; then the sender waits.
const MOST_UNREAD: u64 = 16;

/// The most bytes of events that are kept for a client that reconnects.
const HISTORY_BYTES: usize = 1 << 20;

/// The most events that are kept.
const HISTORY_EVENTS: usize = 256;

/// How long an event is kept, and a stream that has ended.
pub(super) const HISTORY_AGE: Duration = Duration::from_secs(60);

/// The number of the first event. The one before it stands for the beginning.
const FIRST: u64 = 1;

/// How long a client is to wait before it reconnects, in milliseconds.
const RETRY_MS: u64 = 3_000;

/// The identifiers of the events of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventIds {
    /// The events have none: the stream cannot be resumed.
    None,
    /// It is the stream of a session, at the replica with this number; 0 if replicas do not share their sessions.
    Session(u64),
    /// It is the stream of a request in a session.
    Request(u64),
}

pub(super) struct Stream {
    ids: EventIds,
    state: Mutex<StreamState>,
    /// Notified when there may be room for another event.
    room: Notify,
}

struct StreamState {
    events: VecDeque<Event>,
    /// The number of the next event.
    next: u64,
    bytes: usize,
    reader: Option<StreamReader>,
    /// The number of readers so far.
    readers: u64,
    /// The number of the first unread event.
    unread: u64,
    ended: Option<Instant>,
}

struct StreamReader {
    number: u64,
    /// The number of the event that it reads next.
    position: u64,
    /// Whether to send an empty event first, whose identifier allows the client to resume.
    is_new: bool,
    waker: Option<Waker>,
}

struct Event {
    number: u64,
    data: Bytes,
    sent: Instant,
}

impl Stream {
    pub(super) fn new(ids: EventIds) -> Self {
        let state = StreamState {
            events: VecDeque::new(),
            next: FIRST,
            bytes: 0,
            reader: None,
            readers: 0,
            unread: FIRST,
            ended: None,
        };
        Stream { ids, state: Mutex::new(state), room: Notify::new() }
    }

    /// Returns the number of the request that the stream belongs to.
    pub(super) fn request(&self) -> Option<u64> {
        match self.ids {
            EventIds::Request(number) => Some(number),
            _ => None,
        }
    }

    pub(super) fn ids(&self) -> EventIds {
        self.ids
    }

    /// Returns `true` if nothing was sent.
    pub(super) fn is_empty(&self) -> bool {
        lock(&self.state).next == FIRST
    }

    /// Sends the response, and ends the stream.
    pub(super) fn finish(&self, response: &RpcResponse) {
        let mut state = lock(&self.state);
        if state.ended.is_none() {
            state.push(response.text(), self.ids);
            state.end();
        }
        drop(state);
        self.room.notify_waiters();
    }

    /// Ends the stream.
    pub(super) fn close(&self) {
        lock(&self.state).end();
        self.room.notify_waiters();
    }

    /// Returns when the stream has ended.
    pub(super) fn ended(&self) -> Option<Instant> {
        lock(&self.state).ended
    }

    /// Returns how many bytes are kept.
    pub(super) fn bytes(&self) -> usize {
        lock(&self.state).bytes
    }

    pub(super) fn has_reader(&self) -> bool {
        lock(&self.state).reader.is_some()
    }

    /// Attaches a reader after an event, or else before the first unread event. It replaces the current reader.
    pub(super) fn attach(&self, after: Option<u64>) -> u64 {
        let mut state = lock(&self.state);
        state.readers += 1;
        let (number, position) = (state.readers, after.map_or(state.unread, |after| after.saturating_add(1)));
        let is_new = after.is_none() && self.ids != EventIds::None;
        let former = state.reader.replace(StreamReader { number, position, is_new, waker: None });
        former.and_then(|former| former.waker).into_iter().for_each(Waker::wake);
        number
    }

    pub(super) fn detach(&self, reader: u64) {
        lock(&self.state).reader.take_if(|it| it.number == reader);
        self.room.notify_waiters();
    }

    /// Returns the text of the next event for a reader; `None` at the end of the stream, or if the reader was replaced.
    pub(super) fn poll_next(&self, reader: u64, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let mut guard = lock(&self.state);
        let state = &mut *guard;
        let Some(current) = state.reader.as_mut().filter(|it| it.number == reader) else {
            return Poll::Ready(None);
        };
        let position = current.position;
        if std::mem::take(&mut current.is_new) {
            let text = event_text(self.ids, position - 1, b"", Some(RETRY_MS));
            return Poll::Ready(Some(text));
        }
        let Some(event) = state.events.iter().find(|event| event.number >= position) else {
            if state.ended.is_some() {
                return Poll::Ready(None);
            }
            current.waker = Some(cx.waker().clone());
            return Poll::Pending;
        };
        current.position = event.number + 1;
        state.unread = state.unread.max(current.position);
        let text = event_text(self.ids, event.number, &event.data, None);
        if self.ids == EventIds::None {
            state.events.pop_front();
        }
        drop(guard);
        self.room.notify_waiters();
        Poll::Ready(Some(text))
    }

    /// Sends a text; `None` if there is no room.
    fn try_send(&self, text: &Bytes) -> Option<Result<(), Closed>> {
        let mut state = lock(&self.state);
        if state.ended.is_some() {
            return Some(Err(Closed));
        }
        let read = match (&state.reader, self.ids) {
            (Some(reader), _) => reader.position,
            (None, EventIds::None) => FIRST,
            (None, _) => state.next,
        };
        if state.next.saturating_sub(read) >= MOST_UNREAD {
            return None;
        }
        state.push(text.clone(), self.ids);
        Some(Ok(()))
    }
}

impl Outgoing for Stream {
    fn send(&self, text: Bytes) -> BoxFuture<'_, Result<(), Closed>> {
        Box::pin(async move {
            loop {
                let room = self.room.notified();
                if let Some(sent) = self.try_send(&text) {
                    return sent;
                }
                room.await;
            }
        })
    }
}

impl StreamState {
    fn push(&mut self, data: Bytes, ids: EventIds) {
        self.bytes += data.len();
        self.events.push_back(Event { number: self.next, data, sent: Instant::now() });
        self.next += 1;
        if ids != EventIds::None {
            self.forget();
        }
        self.wake();
    }

    /// Drops the oldest events above the limits, but none that the attached reader has not read.
    fn forget(&mut self) {
        let needed = self.reader.as_ref().map_or(self.next, |reader| reader.position);
        while let Some(first) = self.events.front()
            && self.events.len() > 1
            && first.number < needed
            && (self.bytes > HISTORY_BYTES
                || self.events.len() > HISTORY_EVENTS
                || first.sent.elapsed() > HISTORY_AGE)
        {
            self.bytes -= first.data.len();
            self.events.pop_front();
        }
    }

    fn end(&mut self) {
        self.ended.get_or_insert_with(Instant::now);
        self.wake();
    }

    fn wake(&mut self) {
        let waker = self.reader.as_mut().and_then(|reader| reader.waker.take());
        waker.into_iter().for_each(Waker::wake);
    }
}

/// Returns an event as text.
fn event_text(ids: EventIds, number: u64, data: &[u8], retry: Option<u64>) -> Bytes {
    let mut text = Vec::with_capacity(data.len() + 48);
    text.extend_from_slice(b"data: ");
    text.extend_from_slice(data);
    // Writing to memory does not fail.
    let mut write = |id: fmt::Arguments<'_>| text.write_fmt(id).unwrap_or_default();
    match ids {
        EventIds::None => {}
        EventIds::Session(0) => write(format_args!("\nid: {number}")),
        EventIds::Session(replica) => write(format_args!("\nid: {number}@{replica}")),
        EventIds::Request(stream) => write(format_args!("\nid: {number}/{stream}")),
    }
    if let Some(retry) = retry {
        write(format_args!("\nretry: {retry}"));
    }
    text.extend_from_slice(b"\n\n");
    text.into()
}

/// Parses the identifier of an event: its number, and the stream that it is in.
pub(super) fn event_id(text: &str) -> Option<(u64, EventIds)> {
    let (number, stream) = if let Some((number, stream)) = text.split_once('/') {
        (number, EventIds::Request(stream.parse().ok()?))
    } else if let Some((number, replica)) = text.split_once('@') {
        (number, EventIds::Session(replica.parse().ok()?))
    } else {
        (text, EventIds::Session(0))
    };
    Some((number.parse().ok()?, stream))
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::Arc;

    use super::*;

    async fn next(stream: &Stream, reader: u64) -> Option<String> {
        let next = poll_fn(|cx| stream.poll_next(reader, cx)).await;
        next.map(|text| String::from_utf8(text.to_vec()).unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn resumes_after_the_last_read_event() {
        let stream = Stream::new(EventIds::Request(7));
        let reader = stream.attach(None);
        assert_eq!(next(&stream, reader).await.unwrap(), "data: \nid: 0/7\nretry: 3000\n\n");
        stream.send(Bytes::from_static(b"a")).await.unwrap();
        assert_eq!(next(&stream, reader).await.unwrap(), "data: a\nid: 1/7\n\n");
        stream.detach(reader);
        for _ in 0..3 * MOST_UNREAD {
            stream.send(Bytes::from_static(b"b")).await.unwrap();
        }
        let again = stream.attach(Some(1));
        assert_eq!(next(&stream, again).await.unwrap(), "data: b\nid: 2/7\n\n");
        let other = stream.attach(Some(0));
        assert_eq!(next(&stream, other).await.unwrap(), "data: a\nid: 1/7\n\n");
        assert_eq!(next(&stream, again).await, None, "another reader took over");
        stream.close();
        while next(&stream, other).await.is_some() {}
        assert!(stream.send(Bytes::new()).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn waits_for_slow_readers_but_not_detached_ones() {
        let stream = Arc::new(Stream::new(EventIds::Session(0)));
        let reader = stream.attach(None);
        next(&stream, reader).await.unwrap();
        for _ in 0..MOST_UNREAD {
            stream.send(Bytes::from_static(b"a")).await.unwrap();
        }
        let waiting = Arc::clone(&stream);
        let waiting = tokio::spawn(async move { waiting.send(Bytes::from_static(b"b")).await });
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(!waiting.is_finished());
        next(&stream, reader).await.unwrap();
        waiting.await.unwrap().unwrap();
        stream.detach(reader);
        for _ in 0..10_000 {
            stream.send(vec![b'c'; 1_000].into()).await.unwrap();
        }
        assert!(stream.bytes() <= HISTORY_BYTES, "{}", stream.bytes());
        tokio::time::sleep(2 * HISTORY_AGE).await;
        stream.send(Bytes::from_static(b"d")).await.unwrap();
        assert_eq!(stream.bytes(), 1, "the others are too old");
    }

    #[test]
    fn resumes_after_the_largest_event_number() {
        let stream = Stream::new(EventIds::Session(0));
        let reader = stream.attach(Some(u64::MAX));
        let next = stream.poll_next(reader, &mut Context::from_waker(Waker::noop()));
        assert!(next.is_pending(), "no event has a larger number");
    }

    #[test]
    fn parses_event_ids() {
        assert_eq!(event_id("7"), Some((7, EventIds::Session(0))));
        assert_eq!(event_id("7@8"), Some((7, EventIds::Session(8))));
        assert_eq!(event_id("7/8"), Some((7, EventIds::Request(8))));
        for text in ["", "a", "7/", "/7", "7/8/9", "-1", "7@", "@8", "7@8/9"] {
            assert_eq!(event_id(text), None, "{text}");
        }
    }
}
