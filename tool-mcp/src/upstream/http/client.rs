//! The HTTP client. With rmcp's client, an unreadable response is waited for forever, and not all responses are size
//! limited.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use reqwest::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{Client, Response};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient,
    StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};

use crate::upstream::http::challenge::missing_scopes;
use crate::upstream::message;

type HttpClientError = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;
type EventStream = BoxStream<'static, Result<Sse, SseError>>;

/// The maximum size of the body of an error response.
const MAX_ERROR_BODY: usize = 64 * 1024;

/// The shortest time in milliseconds after which a stream of events is opened again, whatever the server asks for.
const MIN_RETRY: u64 = 1_000;

const SESSION_ID: &str = "mcp-session-id";

/// A client that rejects messages of more than `limit` bytes.
#[derive(Clone)]
pub(in crate::upstream) struct BoundedClient {
    pub(super) http: Client,
    pub(super) limit: usize,
}

impl StreamableHttpClient for BoundedClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_token: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, HttpClientError> {
        let mut request =
            self.http.post(&*uri).header(ACCEPT, "text/event-stream, application/json").json(&message);
        for (name, value) in custom_headers {
            request = request.header(name, value);
        }
        if let Some(token) = auth_token {
            request = request.bearer_auth(token);
        }
        if let Some(id) = &session_id {
            request = request.header(SESSION_ID, &**id);
        }
        let response = request.send().await?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && session_id.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        if !status.is_success() {
            return self.read_error_response(response, &message, session_id.is_some()).await;
        }
        self.read_response(response, &message).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_token: Option<String>,
        custom_headers: Headers,
    ) -> Result<EventStream, HttpClientError> {
        let (http, limit) = (&self.http, self.limit);
        let events = http
            .get_stream_with_max_sse_event_size(
                uri,
                session_id,
                last_event_id,
                auth_token,
                custom_headers,
                limit,
            )
            .await?;
        Ok(check_events(events, None, limit))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        auth_token: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), HttpClientError> {
        self.http.delete_session(uri, session, auth_token, custom_headers).await
    }
}

impl BoundedClient {
    /// Reads the response to a message.
    async fn read_response(
        &self,
        response: Response,
        message: &ClientJsonRpcMessage,
    ) -> Result<StreamableHttpPostResponse, HttpClientError> {
        let (session, request) = (header(&response, SESSION_ID), request_id(message));
        match media_type(&response).as_deref() {
            Some("text/event-stream") => {
                let events = SseStream::from_bytes_stream(limit_events(response, self.limit)).boxed();
                Ok(StreamableHttpPostResponse::Sse(check_events(events, request, self.limit), session))
            }
            other => {
                // Some servers send a body of their own in response to a notification.
                let Some(id) = request else { return Ok(StreamableHttpPostResponse::Accepted) };
                if other != Some("application/json") {
                    return Err(StreamableHttpError::UnexpectedContentType(other.map(str::to_owned)));
                }
                let message = match self.read_body(response, self.limit).await? {
                    Some(body) => message::read(&body, self.limit),
                    None => Some(message::unreadable(id, &message::exceeds(self.limit))),
                };
                let invalid =
                    || StreamableHttpError::UnexpectedServerResponse("not a JSON-RPC message".into());
                Ok(StreamableHttpPostResponse::Json(message.ok_or_else(invalid)?, session))
            }
        }
    }

    /// Reads a response with an error status.
    async fn read_error_response(
        &self,
        response: Response,
        message: &ClientJsonRpcMessage,
        has_session: bool,
    ) -> Result<StreamableHttpPostResponse, HttpClientError> {
        let status = response.status();
        let is_auth_error = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        let scopes = missing_scopes(response.headers());
        if is_auth_error && let Some(challenge) = header(&response, WWW_AUTHENTICATE.as_str()) {
            return Err(match status {
                StatusCode::UNAUTHORIZED => {
                    StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge))
                }
                _ => StreamableHttpError::InsufficientScope(InsufficientScopeError::new(challenge, scopes)),
            });
        }
        let (session, retry_after) = (header(&response, SESSION_ID), header(&response, RETRY_AFTER.as_str()));
        let body = self.read_body(response, MAX_ERROR_BODY).await.ok().flatten().unwrap_or_default();
        let error = serde_json::from_slice(&body).ok().map(|error| message::without_reserved(error).0);
        let error = error.filter(|error| matches!(error, ServerJsonRpcMessage::Error(_)));
        if let Some(error) = discover_error(message, has_session, status, error.as_ref()) {
            return Ok(StreamableHttpPostResponse::Json(error, None));
        }
        match error.filter(|_| !is_auth_error && status != StatusCode::TOO_MANY_REQUESTS) {
            Some(error) => Ok(StreamableHttpPostResponse::Json(error, session)),
            None => Err(StreamableHttpError::HttpStatus(HttpStatusError::new(status.as_u16(), retry_after))),
        }
    }

    /// Reads the body. Returns `None` if it has more than `limit` bytes.
    async fn read_body(
        &self,
        mut response: Response,
        limit: usize,
    ) -> Result<Option<Vec<u8>>, HttpClientError> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if body.len() + chunk.len() > limit {
                return Ok(None);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Some(body))
    }
}

/// Returns the error of a server that does not support `server/discover`, with the id of the request, which such a
/// server may have omitted.
fn discover_error(
    message: &ClientJsonRpcMessage,
    has_session: bool,
    status: StatusCode,
    error: Option<&ServerJsonRpcMessage>,
) -> Option<ServerJsonRpcMessage> {
    let JsonRpcMessage::Request(request) = message else { return None };
    let is_probe = matches!(request.request, ClientRequest::DiscoverRequest(_));
    let is_auth_error = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    if !is_probe || has_session || is_auth_error || !status.is_client_error() {
        return None;
    }
    let error = match error {
        Some(ServerJsonRpcMessage::Error(error)) => error.error.clone(),
        _ => ErrorData::invalid_request(format!("HTTP {}", status.as_u16()), None),
    };
    Some(ServerJsonRpcMessage::error(error, Some(request.id.clone())))
}

/// Returns the id of a request.
fn request_id(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        JsonRpcMessage::Request(request) => Some(request.id.clone()),
        _ => None,
    }
}

fn header(response: &Response, name: &str) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

/// Returns the media type without its parameters.
fn media_type(response: &Response) -> Option<String> {
    let value = header(response, CONTENT_TYPE.as_str())?;
    Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

/// Returns the bytes of a stream of events. An event of more than `limit` bytes is an error, and ends the stream.
fn limit_events(response: Response, limit: usize) -> BoxStream<'static, Result<Bytes, EventStreamError>> {
    let mut event = EventSize::default();
    let chunks = response.bytes_stream().map(move |chunk| match chunk {
        Ok(chunk) if event.add(&chunk) > limit => Err(EventStreamError::TooLong),
        Ok(chunk) => Ok(chunk),
        Err(error) => Err(EventStreamError::Connection(error)),
    });
    stream::unfold(Some(chunks), |chunks| async {
        let mut chunks = chunks?;
        let chunk = chunks.next().await?;
        let rest = chunk.is_ok().then_some(chunks);
        Some((chunk, rest))
    })
    .boxed()
}

/// The error that ends a stream of events.
#[derive(Debug)]
enum EventStreamError {
    TooLong,
    Connection(reqwest::Error),
}

impl fmt::Display for EventStreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventStreamError::TooLong => f.write_str("an event is too long"),
            EventStreamError::Connection(error) => error.fmt(f),
        }
    }
}

impl Error for EventStreamError {}

/// Counts the bytes of the current event.
#[derive(Default)]
struct EventSize {
    bytes: usize,
    line: usize,
}

impl EventSize {
    /// Adds a chunk, and returns the size of the largest event that is in it. An empty line ends an event.
    fn add(&mut self, chunk: &[u8]) -> usize {
        let mut largest = 0;
        for byte in chunk {
            match byte {
                b'\r' => {}
                b'\n' if self.line == 0 => self.bytes = 0,
                b'\n' => self.line = 0,
                _ => {
                    self.line += 1;
                    self.bytes += 1;
                    largest = largest.max(self.bytes);
                }
            }
        }
        largest
    }
}

/// Replaces each unreadable response in a stream of events by an error, and a shorter time to reconnect by [`MIN_RETRY`]. `request` is
/// the id of the request of the stream.
fn check_events(events: EventStream, request: Option<RequestId>, limit: usize) -> EventStream {
    let check = move |event: Result<Sse, SseError>| match event {
        Ok(mut event) => {
            event.retry = event.retry.map(|retry| retry.max(MIN_RETRY));
            if let Some(data) = &event.data
                && !message::is_readable(data.as_bytes(), limit)
            {
                // An unreadable message that is not a response is dropped.
                let message = message::read(data.as_bytes(), limit);
                event.data = message.and_then(|message| serde_json::to_string(&message).ok());
            }
            Ok(event)
        }
        Err(error) => match (&request, is_too_long(&error)) {
            (Some(id), true) => {
                let message = message::unreadable(id.clone(), &message::exceeds(limit));
                Ok(Sse { data: serde_json::to_string(&message).ok(), ..Sse::default() })
            }
            _ => Err(error),
        },
    };
    events.map(check).boxed()
}

fn is_too_long(error: &SseError) -> bool {
    matches!(error, SseError::Body(cause) if matches!(cause.downcast_ref(), Some(EventStreamError::TooLong)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn opens_a_stream_again_after_a_second_at_least() {
        let events = [None, Some(0), Some(999), Some(5_000)].map(|retry| Ok(Sse { retry, ..Sse::default() }));
        let checked = check_events(stream::iter(events).boxed(), None, 100);
        let retries: Vec<Option<u64>> = checked.map(|event| event.unwrap().retry).collect().await;
        assert_eq!(retries, [None, Some(MIN_RETRY), Some(MIN_RETRY), Some(5_000)]);
    }
}
