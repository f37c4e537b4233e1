//! A list that is written once: its answer goes through rmcp without the tools, which are put in where it is sent.
//!
//! rmcp's result of `tools/list` owns each tool, and is written anew for each request. For a thousand tools that is most of
//! what a list costs.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use http_body::Frame;
use rmcp::RoleServer;
use rmcp::service::RequestContext;

/// What stands in an answer without tools. No text in JSON can look like it: a quote within a text has a backslash before
/// it.
const EMPTY: &[u8] = br#""tools":[]"#;

/// The first member of an answer that is no error.
const RESULT: &[u8] = br#""result":{"#;

/// What stands in whatever is no answer, before what it is about.
const METHOD: &[u8] = br#""method":"#;

/// What the lists of one client have, where its answers are sent: its connection, or its session.
///
/// Of two lists that are on their way at once, both have the tools of the later one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slot(Arc<Mutex<Bytes>>);

impl Slot {
    /// That of the client of a request, if its lists are put together when they are sent.
    pub(crate) fn of(cx: &RequestContext<RoleServer>) -> Option<&Slot> {
        let over_http = || cx.extensions.get::<Parts>()?.extensions.get();
        cx.extensions.get().or_else(over_http)
    }

    pub(crate) fn fill(&self, tools: Bytes) {
        // Nothing panics while it is held.
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = tools;
    }

    /// The text of a list without tools in three pieces, the tools in the middle.
    pub(crate) fn splice(&self, text: &Bytes) -> Option<[Bytes; 3]> {
        let at = split(text)?;
        let tools = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Some([text.slice(..at), tools, text.slice(at..)])
    }

    /// The same for the text of any message to a client up to 2025-11-25, if it is a list: no other result begins so, and
    /// whatever has a method is no answer.
    fn splice_event(&self, text: &Bytes) -> Option<[Bytes; 3]> {
        let at = position(text, RESULT)?;
        let is_list = text[at + RESULT.len()..].starts_with(EMPTY) && position(&text[..at], METHOD).is_none();
        if is_list { self.splice(text) } else { None }
    }
}

/// Where in an answer without tools they belong.
pub(crate) fn split(text: &[u8]) -> Option<usize> {
    Some(position(text, EMPTY)? + EMPTY.len() - 1)
}

fn position(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

/// A stream of events, with the tools put into the one that is the answer.
pub(crate) struct Spliced {
    body: Body,
    slot: Slot,
    /// What is sent before more is asked for.
    pieces: VecDeque<Bytes>,
}

impl Spliced {
    pub(crate) fn body(body: Body, slot: Slot) -> Body {
        Body::new(Spliced { body, slot, pieces: VecDeque::new() })
    }
}

impl http_body::Body for Spliced {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(piece) = self.pieces.pop_front() {
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        let pieces =
            frame.as_ref().and_then(|frame| self.slot.splice_event(frame.as_ref().ok()?.data_ref()?));
        Poll::Ready(match pieces {
            Some([before, tools, after]) => {
                self.pieces.extend([tools, after].into_iter().filter(|piece| !piece.is_empty()));
                Some(Ok(Frame::data(before)))
            }
            None => frame,
        })
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    fn slot(tools: &'static str) -> Slot {
        let slot = Slot::default();
        slot.fill(Bytes::from_static(tools.as_bytes()));
        slot
    }

    #[test]
    fn tools_are_put_where_they_belong_and_nowhere_else() {
        let spliced = |tools: &'static str, text: &'static str| {
            let pieces = slot(tools).splice_event(&Bytes::from_static(text.as_bytes()))?;
            Some(String::from_utf8(pieces.concat()).unwrap())
        };
        let empty = r#"{"id":"\"result\":{\"tools\":[]","result":{"tools":[],"ttlMs":0}}"#;
        let full = r#"{"id":"\"result\":{\"tools\":[]","result":{"tools":[{"name":"a"}],"ttlMs":0}}"#;
        assert_eq!(spliced(r#"{"name":"a"}"#, empty).as_deref(), Some(full));
        assert_eq!(spliced("", empty).as_deref(), Some(empty));
        for other in [
            full,
            r#"{"id":1,"result":{"content":[],"structuredContent":{"tools":[]}}}"#,
            r#"{"id":1,"result":{"content":[],"structuredContent":{"result":{"tools":[]}}}}"#,
            r#"{"id":1,"error":{"data":{"tools":[]}}}"#,
            r#"{"method":"notifications/message","params":{"data":{"result":{"tools":[]}}}}"#,
            r#"{"id":2,"method":"elicitation/create","params":{"requestedSchema":{"result":{"tools":[]}}}}"#,
        ] {
            assert_eq!(spliced("{}", other), None, "{other}");
        }
    }

    #[tokio::test]
    async fn other_events_of_a_stream_are_left_alone() {
        let event = Bytes::from_static(b"data: {\"result\":{\"tools\":[]}}\n\n");
        let body = Spliced::body(Body::from(event), slot("1,2"));
        let bytes = body.collect().await.unwrap().to_bytes();
        assert_eq!(bytes, &b"data: {\"result\":{\"tools\":[1,2]}}\n\n"[..]);
        let body = Spliced::body(Body::from("id: 1\n\n"), slot("1,2"));
        assert_eq!(body.collect().await.unwrap().to_bytes(), &b"id: 1\n\n"[..]);
    }
}
