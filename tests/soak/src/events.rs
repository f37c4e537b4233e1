//! Streams of server-sent events with messages of JSON-RPC.

use anyhow::Context as _;
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use serde_json::Value;

/// The events of a response.
#[derive(Debug)]
pub(crate) struct EventStream {
    response: Response,
    /// What was received of the next lines.
    buffer: Vec<u8>,
}

impl EventStream {
    pub(crate) fn new(response: Response) -> Self {
        Self { response, buffer: Vec::new() }
    }

    /// Whether the response is a stream of events at all.
    pub(crate) fn is_stream(&self) -> bool {
        let media = self.response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        media.is_some_and(|media| media.starts_with("text/event-stream"))
    }

    /// Reads a response that is not a stream.
    pub(crate) async fn text(self) -> anyhow::Result<String> {
        self.response.text().await.context("the body of a response")
    }

    /// Returns the next message, or `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> anyhow::Result<Option<Value>> {
        loop {
            while let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=end).collect();
                let line = String::from_utf8_lossy(&line);
                let Some(data) = line.strip_prefix("data:").map(str::trim).filter(|data| !data.is_empty())
                else {
                    continue;
                };
                return serde_json::from_str(data).map(Some).with_context(|| data.to_owned());
            }
            match self.response.chunk().await.context("a stream of events")? {
                Some(chunk) => self.buffer.extend_from_slice(&chunk),
                None => return Ok(None),
            }
        }
    }
}
