//! The endpoint of both eras: from a request over HTTP to its response.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request as HttpRequest;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response as HttpResponse};
use rmcp::model::{ErrorCode, ErrorData};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tool_core::authentication::Authenticator;
use tool_serve::{BodyError, read_body};

use crate::caller::Caller;
use crate::handlers::Handler;
use crate::http::body::{EventBody, events, json};
use crate::http::headers::{self, SESSION};
use crate::http::holding::Holding;
use crate::http::identity::identify;
use crate::http::media;
use crate::http::policy::{HeaderRules, Policy};
use crate::http::rejection::Rejection;
use crate::http::sessions::{HttpSession, NotTheirs, Sessions, Visit};
use crate::http::shutdown::Shutdown;
use crate::http::stream::{Identity, Stream, event_id};
use crate::protocol::{
    Message, Origin, Outbox, Request, Response, in_flight, read, request_id, shutting_down,
};

/// The largest body of a request.
const BODY_LIMIT: usize = 4 * 1024 * 1024;

const ALLOWED: &str = "GET, POST, DELETE";

pub(super) struct McpEndpoint {
    handler: Arc<Handler>,
    authenticator: Option<Arc<dyn Authenticator>>,
    rules: HeaderRules,
    sessions: Arc<Sessions>,
    body_timeout: Duration,
    /// The answers that are being given.
    answers: TaskTracker,
    /// Canceled when nobody waits for answers any more.
    stop: CancellationToken,
}

impl McpEndpoint {
    pub(super) fn new(shutdown: &Shutdown, policy: &Policy, body_timeout: Duration) -> Self {
        let Shutdown { answers, stop, handler, sessions, .. } = shutdown.clone();
        let (authenticator, rules) = (policy.authenticator.clone(), HeaderRules::new(policy));
        McpEndpoint { handler, authenticator, rules, sessions, body_timeout, answers, stop }
    }

    pub(super) async fn respond(&self, request: HttpRequest) -> HttpResponse {
        let (mut head, body) = request.into_parts();
        // The stream of a GET is no answer: it would last for ever.
        let token = (head.method == Method::POST).then(|| self.answers.token());
        if headers::names_modern_version(&head.headers) {
            // Such a request is of no session, whatever a client sends that has spoken another version before.
            head.headers.remove(SESSION);
        }
        let response = match self.answer(head, body).await {
            Ok(response) => response,
            Err(rejection) => rejection.into_response(),
        };
        match token {
            // The answer counts until its last byte is handed over.
            Some(token) => response.map(|body| Holding::body(body, token)),
            None => response,
        }
    }

    async fn answer(&self, mut head: Parts, body: Body) -> Result<HttpResponse, Rejection> {
        let caller = identify(self.authenticator.as_deref(), &mut head).await?;
        let id = head.headers.get(SESSION).and_then(|id| id.to_str().ok());
        let visit = id.map(|id| self.sessions.visit(id, &caller.principal)).transpose();
        let visit = visit.map_err(|NotTheirs| {
            let message = "there is no such session: open one with `initialize`";
            Rejection::new(StatusCode::NOT_FOUND, message)
        })?;
        let visit = visit.flatten();
        match head.method {
            Method::POST if media::is_json(&head.headers) => {
                let text = read_body(body, BODY_LIMIT, self.body_timeout).await.map_err(unread)?;
                let posted = self.post(head, &text, &caller, visit).await;
                posted.map_err(|rejection| rejection.to(|| request_id(&text)))
            }
            Method::POST => {
                self.rules.check(&head)?;
                media::check_accepted(&head.headers)?;
                let message = "Content-Type must be application/json";
                Err(Rejection::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message))
            }
            Method::GET => {
                self.rules.check(&head)?;
                self.get(&head, visit)
            }
            Method::DELETE => {
                self.rules.check(&head)?;
                self.delete(&head, visit.as_ref())
            }
            _ => {
                self.rules.check(&head)?;
                Err(Rejection::method_not_allowed(ALLOWED))
            }
        }
    }

    /// Answers a message.
    async fn post(
        &self,
        head: Parts,
        text: &Bytes,
        caller: &Caller,
        visit: Option<Visit>,
    ) -> Result<HttpResponse, Rejection> {
        headers::check_unique(&head.headers)?;
        self.rules.check(&head)?;
        media::check_accepted(&head.headers)?;
        media::check_encoding(&head.headers)?;
        let request = match read(text)? {
            Message::Request(request) => request,
            message => return self.receive(&head, message, visit.as_ref()),
        };
        let id = request.id.clone();
        let begun = self.begin(head, request, caller, visit).await;
        begun.map_err(|rejection| rejection.to(|| Some(id)))
    }

    /// Answers a request.
    async fn begin(
        &self,
        head: Parts,
        request: Request,
        caller: &Caller,
        visit: Option<Visit>,
    ) -> Result<HttpResponse, Rejection> {
        if self.handler.views().has_ended() {
            let rejection = Rejection::of(StatusCode::SERVICE_UNAVAILABLE, shutting_down());
            return Err(rejection.with_header(header::RETRY_AFTER, HeaderValue::from_static("1")));
        }
        let is_opening = request.opens_session();
        if is_opening {
            headers::check_opening(&head.headers, &request)?;
        }
        if !is_opening && self.is_alone(&head, &request, visit.is_some())? {
            if headers::names_modern_version(&head.headers) {
                headers::check_request(&head.headers, &request, &self.handler)?;
            }
            return Ok(self.answer_alone(&head, request).await);
        }
        match visit {
            Some(visit) => self.answer_in_session(&head, request, visit).await,
            None if head.headers.contains_key(SESSION) => Err(Rejection::not_found()),
            None if is_opening => self.open(&head, request, caller).await,
            None => Err(Rejection::session_required()),
        }
    }

    /// Returns whether a request needs no session.
    fn is_alone(&self, head: &Parts, request: &Request, has_session: bool) -> Result<bool, Rejection> {
        let meta = &request.meta;
        let version = headers::version(&head.headers, meta.version.is_some())?;
        let is_discovery = request.method == "server/discover";
        let missing = meta.missing();
        if meta.version.is_none() && (is_discovery || version.is_some_and(headers::is_modern)) {
            let missing = missing.join(", ");
            let message = format!(
                "Invalid params: request _meta is missing or has malformed required fields: {missing}"
            );
            return Err(Rejection::of(StatusCode::BAD_REQUEST, ErrorData::invalid_params(message, None)));
        }
        headers::check_version(version, meta.version.as_ref())?;
        let of_message = meta.version.as_ref().map(rmcp::model::ProtocolVersion::as_str);
        let is_modern = of_message.or(version).is_some_and(headers::is_modern);
        Ok(is_modern || missing.is_empty() || is_discovery && !has_session)
    }

    /// Receives a message that wants no answer.
    fn receive(
        &self,
        head: &Parts,
        message: Message,
        visit: Option<&Visit>,
    ) -> Result<HttpResponse, Rejection> {
        if headers::version(&head.headers, false)?.is_some_and(headers::is_modern) {
            return match message {
                Message::Notification { method, .. } => {
                    headers::check_method(&head.headers, &method)?;
                    Ok(StatusCode::ACCEPTED.into_response())
                }
                _ => Err(Rejection::bad_request("stateless server does not accept JSON-RPC responses")),
            };
        }
        let Some(visit) = visit else {
            let is_named = head.headers.contains_key(SESSION);
            return Err(if is_named { Rejection::not_found() } else { Rejection::session_required() });
        };
        let session = &visit.session.session;
        match message {
            Message::Notification { method, params } => match method.as_str() {
                "notifications/cancelled" => session.cancel(&params),
                "notifications/initialized" => self.handler.initialized(session),
                _ => {}
            },
            Message::Response { id, result } => session.server_requests.answer(id.as_ref(), result),
            Message::Request(_) => {}
        }
        Ok(StatusCode::ACCEPTED.into_response())
    }

    /// Answers a request without a session: in JSON if nothing is sent before the answer. The call is dropped when the
    /// client leaves.
    async fn answer_alone(&self, head: &Parts, request: Request) -> HttpResponse {
        let is_malformed = !request.meta.missing().is_empty();
        let stream = Arc::new(Stream::new(Identity::None));
        let outbox = Outbox::new(Arc::<Stream>::clone(&stream) as _);
        let counted = self.handler.views().request();
        let mut answer = self.handler.answer(request, Origin::http(head, outbox, None));
        let first = poll_fn(|cx| match answer.as_mut().poll(cx) {
            Poll::Ready(answer) => Poll::Ready(Some(answer)),
            Poll::Pending if stream.is_empty() => Poll::Pending,
            Poll::Pending => Poll::Ready(None),
        });
        let first = tokio::select! {
            biased;
            first = first => first,
            () = self.stop.cancelled() => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        };
        match first {
            Some(first) if stream.is_empty() => json(status(&first, is_malformed), first.pieces),
            first => {
                let reader = stream.attach(None);
                let body = EventBody::new(Some((Arc::clone(&stream), reader)), &self.stop);
                match first {
                    Some(answer) => {
                        stream.finish(&answer);
                        events(body)
                    }
                    None => events(body.running(async move {
                        stream.finish(&answer.await);
                        drop(counted);
                    })),
                }
            }
        }
    }

    /// Answers a request of a session: in JSON if the answer is there at once, and else on a stream that can be taken up
    /// again. The call goes on when the client leaves.
    async fn answer_in_session(
        &self,
        head: &Parts,
        request: Request,
        visit: Visit,
    ) -> Result<HttpResponse, Rejection> {
        let session = Arc::clone(&visit.session.session);
        let Some(guard) = session.in_flight.begin(request.id.clone()) else {
            return Err(Rejection::from(in_flight(&request.id)));
        };
        let visit = Arc::new(visit);
        let stream = visit.session.new_stream();
        let outbox = Outbox::new(Arc::<Stream>::clone(&stream) as _);
        let counted = self.handler.views().request();
        let mut answer = self.handler.answer(request, Origin::http(head, outbox, Some(Arc::clone(&session))));
        let first = poll_fn(|cx| Poll::Ready(answer.as_mut().poll(cx))).await;
        match first {
            Poll::Ready(first) if stream.is_empty() && !guard.is_canceled() => {
                return Ok(json(StatusCode::OK, first.pieces));
            }
            Poll::Ready(first) if !guard.is_canceled() => stream.finish(&first),
            Poll::Ready(_) => stream.close(),
            Poll::Pending => {
                let stream = Arc::clone(&stream);
                let visit = Arc::clone(&visit);
                tokio::spawn(async move {
                    tokio::select! {
                        biased;
                        () = guard.canceled() => stream.close(),
                        () = session.end.cancelled() => stream.close(),
                        answer = answer => {
                            // The client may use the identifier again as soon as it reads the answer.
                            drop(guard);
                            stream.finish(&answer);
                        }
                    }
                    drop((visit, counted));
                });
            }
        }
        visit.session.keep_stream(&stream);
        let reader = stream.attach(None);
        let body = EventBody::new(Some((stream, reader)), &self.stop);
        Ok(events(body).map(|body| Holding::body(body, visit)))
    }

    /// Opens a session.
    async fn open(&self, head: &Parts, request: Request, caller: &Caller) -> Result<HttpResponse, Rejection> {
        let opened = HttpSession::new(&caller.principal).map_err(|error| {
            tracing::error!(%error, "there is no randomness to name a session");
            let error = ErrorData::internal_error("internal error", None);
            Rejection::of(StatusCode::INTERNAL_SERVER_ERROR, error)
        })?;
        let outbox = opened.session.outbox.clone();
        let origin = Origin::http(head, outbox, Some(Arc::clone(&opened.session)));
        let answer = self.handler.answer(request, origin).await;
        let has_failed = answer.error.is_some();
        let mut response = json(StatusCode::OK, answer.pieces);
        if !has_failed && let Ok(id) = HeaderValue::from_str(&opened.id) {
            response.headers_mut().insert(SESSION, id);
            self.sessions.insert(opened);
        }
        Ok(response)
    }

    /// Opens the stream of a session, or takes one up again.
    fn get(&self, head: &Parts, visit: Option<Visit>) -> Result<HttpResponse, Rejection> {
        media::check_events_accepted(&head.headers)?;
        if headers::version(&head.headers, false)?.is_some_and(headers::is_modern) {
            return Err(Rejection::method_not_allowed("POST"));
        }
        let Some(visit) = visit else {
            let is_named = head.headers.contains_key(SESSION);
            return Err(if is_named { Rejection::not_found() } else { Rejection::session_required() });
        };
        let source = match head.headers.get("last-event-id").map(|id| id.to_str().unwrap_or_default()) {
            Some(id) => {
                let Some(source) = resumed(&visit.session, id) else {
                    // An error would make the client come back with the same identifier for ever.
                    tracing::debug!(id, "an event is not kept any more");
                    let ended = Arc::new(Stream::new(Identity::None));
                    ended.close();
                    let reader = ended.attach(None);
                    return Ok(events(EventBody::new(Some((ended, reader)), &self.stop)));
                };
                Some(source)
            }
            None => {
                let stream = &visit.session.stream;
                // Only one connection gets the messages of a session; others stay open, so that they do not come back.
                (!stream.has_reader()).then(|| (Arc::clone(stream), stream.attach(None)))
            }
        };
        let body = EventBody::new(source, &self.stop);
        Ok(events(body).map(|body| Holding::body(body, visit)))
    }

    fn delete(&self, head: &Parts, visit: Option<&Visit>) -> Result<HttpResponse, Rejection> {
        if headers::version(&head.headers, false)?.is_some_and(headers::is_modern) {
            return Err(Rejection::method_not_allowed("POST"));
        }
        if !head.headers.contains_key(SESSION) {
            return Err(Rejection::session_required());
        }
        if let Some(visit) = visit {
            self.sessions.close(&visit.session.id);
        }
        Ok(StatusCode::NO_CONTENT.into_response())
    }
}

/// Returns the rejection of a request whose body was not read.
fn unread(error: BodyError) -> Rejection {
    let (status, message) = match error {
        BodyError::Incomplete => return Rejection::bad_request("the body broke off"),
        BodyError::TooLarge => {
            (StatusCode::PAYLOAD_TOO_LARGE, format!("the body is larger than {BODY_LIMIT} bytes"))
        }
        BodyError::Timeout => (StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time".to_owned()),
    };
    // The rest of the body is not read, so the connection cannot be reused.
    Rejection::new(status, message).with_header(header::CONNECTION, HeaderValue::from_static("close"))
}

/// Attaches to the stream that an event is of, after that event.
fn resumed(session: &HttpSession, id: &str) -> Option<(Arc<Stream>, u64)> {
    let (event, request) = event_id(id)?;
    let stream = match request {
        Some(number) => session.stream_of(number)?,
        None => Arc::clone(&session.stream),
    };
    let reader = stream.attach(Some(event));
    Some((stream, reader))
}

/// Returns the status of an answer to a request without a session.
fn status(answer: &Response, is_malformed: bool) -> StatusCode {
    match answer.error {
        Some(
            ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
            | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
            | ErrorCode::HEADER_MISMATCH,
        ) => StatusCode::BAD_REQUEST,
        Some(ErrorCode::INVALID_PARAMS) if is_malformed => StatusCode::BAD_REQUEST,
        Some(ErrorCode::METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}
