//! The client of streamable HTTP. rmcp's own waits for an answer that it cannot read, and bounds only some of them.

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

use crate::upstream::message;

type Failed = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

/// Bytes of the body of a refusal.
const LARGEST_REFUSAL: usize = 64 * 1024;

const SESSION_ID: &str = "mcp-session-id";

/// Sends requests with `http`, and reads no message of more than `limit` bytes.
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
    ) -> Result<StreamableHttpPostResponse, Failed> {
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
            return self.refused(response, &message, session_id.is_some()).await;
        }
        self.answered(response, &message).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_token: Option<String>,
        custom_headers: Headers,
    ) -> Result<Events, Failed> {
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
        Ok(readable(events, None, limit))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        auth_token: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), Failed> {
        self.http.delete_session(uri, session, auth_token, custom_headers).await
    }
}

impl BoundedClient {
    /// Reads the answer to a message.
    async fn answered(
        &self,
        response: Response,
        message: &ClientJsonRpcMessage,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let (session, request) = (header(&response, SESSION_ID), request_id(message));
        match media_type(&response).as_deref() {
            Some("text/event-stream") => {
                let events = SseStream::from_bytes_stream(bounded(response, self.limit)).boxed();
                Ok(StreamableHttpPostResponse::Sse(readable(events, request, self.limit), session))
            }
            other => {
                // Some servers answer what wants no answer with an empty body, or with something of their own.
                let Some(id) = request else { return Ok(StreamableHttpPostResponse::Accepted) };
                if other != Some("application/json") {
                    return Err(StreamableHttpError::UnexpectedContentType(other.map(str::to_owned)));
                }
                let answer = match self.body(response, self.limit).await? {
                    Some(body) => message::read(&body, self.limit),
                    None => Some(message::unreadable(id, &message::over(self.limit))),
                };
                let nothing =
                    || StreamableHttpError::UnexpectedServerResponse("no message of JSON-RPC".into());
                Ok(StreamableHttpPostResponse::Json(answer.ok_or_else(nothing)?, session))
            }
        }
    }

    /// Reads why a message was refused.
    async fn refused(
        &self,
        response: Response,
        message: &ClientJsonRpcMessage,
        has_session: bool,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let status = response.status();
        let is_identity = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        if is_identity && let Some(challenge) = header(&response, WWW_AUTHENTICATE.as_str()) {
            return Err(match status {
                StatusCode::UNAUTHORIZED => {
                    StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge))
                }
                _ => StreamableHttpError::InsufficientScope(InsufficientScopeError::new(challenge, None)),
            });
        }
        let (session, retry_after) = (header(&response, SESSION_ID), header(&response, RETRY_AFTER.as_str()));
        let body = self.body(response, LARGEST_REFUSAL).await.ok().flatten().unwrap_or_default();
        let error = serde_json::from_slice(&body).ok();
        let error = error.filter(|error| matches!(error, ServerJsonRpcMessage::Error(_)));
        if let Some(answer) = legacy_probe(message, has_session, status, error.as_ref()) {
            return Ok(StreamableHttpPostResponse::Json(answer, None));
        }
        match error.filter(|_| !is_identity && status != StatusCode::TOO_MANY_REQUESTS) {
            Some(error) => Ok(StreamableHttpPostResponse::Json(error, session)),
            None => Err(StreamableHttpError::HttpStatus(HttpStatusError::new(status.as_u16(), retry_after))),
        }
    }

    /// The body, if it has at most `limit` bytes.
    async fn body(&self, mut response: Response, limit: usize) -> Result<Option<Vec<u8>>, Failed> {
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

/// What a server that does not know `server/discover` refuses it with, under the id of the request: it may not have echoed that.
fn legacy_probe(
    message: &ClientJsonRpcMessage,
    has_session: bool,
    status: StatusCode,
    error: Option<&ServerJsonRpcMessage>,
) -> Option<ServerJsonRpcMessage> {
    let JsonRpcMessage::Request(request) = message else { return None };
    let is_probe = matches!(request.request, ClientRequest::DiscoverRequest(_));
    let is_identity = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    if !is_probe || has_session || is_identity || !status.is_client_error() {
        return None;
    }
    let error = match error {
        Some(ServerJsonRpcMessage::Error(error)) => error.error.clone(),
        _ => ErrorData::invalid_request(format!("HTTP {}", status.as_u16()), None),
    };
    Some(ServerJsonRpcMessage::error(error, Some(request.id.clone())))
}

/// The id under which a message is answered.
fn request_id(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        JsonRpcMessage::Request(request) => Some(request.id.clone()),
        _ => None,
    }
}

fn header(response: &Response, name: &str) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

/// The media type without its parameters.
fn media_type(response: &Response) -> Option<String> {
    let value = header(response, CONTENT_TYPE.as_str())?;
    Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

/// The bytes of a stream of events, which breaks off in an event that has more than `limit` bytes.
fn bounded(response: Response, limit: usize) -> BoxStream<'static, Result<Bytes, Broken>> {
    let mut event = EventSize::default();
    let chunks = response.bytes_stream().map(move |chunk| match chunk {
        Ok(chunk) if event.add(&chunk) > limit => Err(Broken::TooLong),
        Ok(chunk) => Ok(chunk),
        Err(error) => Err(Broken::Connection(error)),
    });
    stream::unfold(Some(chunks), |chunks| async {
        let mut chunks = chunks?;
        let chunk = chunks.next().await?;
        let rest = chunk.is_ok().then_some(chunks);
        Some((chunk, rest))
    })
    .boxed()
}

/// Why a stream of events breaks off.
#[derive(Debug)]
enum Broken {
    TooLong,
    Connection(reqwest::Error),
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::TooLong => f.write_str("an event is too long"),
            Broken::Connection(error) => error.fmt(f),
        }
    }
}

impl Error for Broken {}

/// The bytes of the event that is being read.
#[derive(Default)]
struct EventSize {
    bytes: usize,
    line: usize,
}

impl EventSize {
    /// Counts a chunk, and returns the size of the largest event in it so far. An event ends with an empty line.
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

/// Events whose messages can be read: one that cannot be is the error of the request that it answers. `request` is the one that
/// the whole stream answers.
fn readable(events: Events, request: Option<RequestId>, limit: usize) -> Events {
    let readable = move |event: Result<Sse, SseError>| match event {
        Ok(mut event) => {
            if let Some(data) = &event.data
                && !message::is_readable(data.as_bytes(), limit)
            {
                // One that answers nothing is left out.
                let message = message::read(data.as_bytes(), limit);
                event.data = message.and_then(|message| serde_json::to_string(&message).ok());
            }
            Ok(event)
        }
        Err(error) => match (&request, is_too_long(&error)) {
            (Some(id), true) => {
                let message = message::unreadable(id.clone(), &message::over(limit));
                Ok(Sse { data: serde_json::to_string(&message).ok(), ..Sse::default() })
            }
            _ => Err(error),
        },
    };
    events.map(readable).boxed()
}

fn is_too_long(error: &SseError) -> bool {
    matches!(error, SseError::Body(cause) if matches!(cause.downcast_ref(), Some(Broken::TooLong)))
}
