//! The endpoint of both eras: from an HTTP request to its response.

mod in_session;

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderName, Method, Response, StatusCode};
use rmcp::model::{ErrorCode, ProtocolVersion};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tool_core::authentication::Authenticator;
use tool_core::{Extensions, Principal};
use tool_serve::read_body;

use crate::handlers::Handler;
use crate::http::body::{EventBody, ResponseBody, empty, events, guarded};
use crate::http::headers::{self, SESSION};
use crate::http::policy::{HeaderRules, Policy};
use crate::http::rejection::{BODY_LIMIT, Rejection};
use crate::http::shared_sessions::SharedSessions;
use crate::http::shutdown::Shutdown;
use crate::http::stream::{EventIds, Stream};
use crate::http::{challenge, media};
use crate::protocol::param_headers::ParamHeaders;
use crate::protocol::{
    Caller, Message, Origin, Outbox, RpcRequest, RpcResponse, Session, invalid_params, read, request_id,
    shutting_down,
};

const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");

pub(super) struct Endpoint {
    handler: Arc<Handler>,
    authenticator: Option<Arc<dyn Authenticator>>,
    rules: HeaderRules,
    sessions: SharedSessions,
    body_timeout: Duration,
    /// The responses that are being sent.
    responses: TaskTracker,
    /// Canceled when the shutdown no longer waits for responses.
    stop: CancellationToken,
}

/// The head of a request, and where it comes from.
struct Incoming {
    head: Parts,
    caller: Caller,
    /// The extensions that the layers of the application have put into the request.
    extensions: Extensions,
    /// Whether the head names a version without sessions.
    is_modern: bool,
}

impl Incoming {
    /// Returns the origin of the request. It takes the headers and the extensions: what follows does not read them.
    fn take_origin(&mut self, outbox: Outbox, session: Option<Arc<Session>>) -> Origin {
        let headers = std::mem::take(&mut self.head.headers);
        let trace = headers.get(TRACE_PARENT).and_then(|trace| trace.to_str().ok()?.parse().ok());
        let (caller, extensions) = (Some(self.caller.clone()), Some(std::mem::take(&mut self.extensions)));
        let param_headers = self.is_modern.then_some(ParamHeaders(headers));
        Origin { caller, extensions, param_headers, trace, outbox, session }
    }
}

impl Endpoint {
    pub(super) fn new(shutdown: &Shutdown, policy: &Policy) -> Self {
        let Shutdown { responses, stop, handler, sessions, .. } = shutdown.clone();
        let (authenticator, rules) = (policy.authenticator.clone(), HeaderRules::new(policy));
        let sessions = SharedSessions::new(sessions, policy.sessions.clone(), Arc::clone(&handler));
        let body_timeout = policy.body_timeout;
        Endpoint { handler, authenticator, rules, sessions, body_timeout, responses, stop }
    }

    pub(super) async fn respond(&self, request: Request) -> Response<Body> {
        let (mut head, body) = request.into_parts();
        // The stream of a GET has no end, and is not waited for.
        let token = (head.method == Method::POST).then(|| self.responses.token());
        let is_modern = headers::names_modern_version(&head.headers);
        if is_modern {
            // Such a request has no session; the header is left over from another version.
            head.headers.remove(SESSION);
        }
        let response = self.answer(head, body, is_modern).await;
        let response =
            response.unwrap_or_else(|rejection| rejection.into_response().map(ResponseBody::Other));
        // The response counts until its last byte is sent.
        response.map(|body| guarded(body, token))
    }

    async fn answer(
        &self,
        mut head: Parts,
        body: Body,
        is_modern: bool,
    ) -> Result<Response<ResponseBody>, Rejection> {
        let caller = self.identify(&head).await?;
        if head.method == Method::POST && media::is_json(&head.headers) {
            let text =
                read_body(body, BODY_LIMIT, self.body_timeout).await.map_err(Rejection::unread_body)?;
            let extensions = Extensions::from(std::mem::take(&mut head.extensions));
            let posted = self.post(&mut Incoming { head, caller, extensions, is_modern }, &text).await;
            return posted.map_err(|rejection| rejection.to(|| request_id(&text)));
        }
        headers::check_unique(&head.headers)?;
        self.rules.check(&head)?;
        match head.method {
            Method::POST => {
                media::check_accepted(&head.headers)?;
                let message = "Content-Type must be application/json";
                Err(Rejection::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message))
            }
            Method::GET => self.get(&head, &caller).await,
            Method::DELETE => self.delete(&head, &caller).await,
            _ => Err(Rejection::method_not_allowed("GET, POST, DELETE")),
        }
    }

    /// Identifies the caller. It is anonymous if neither the application nor an authenticator identifies it.
    async fn identify(&self, head: &Parts) -> Result<Caller, Rejection> {
        let authenticator = self.authenticator.as_deref();
        let principal = tool_core::authentication::identify(authenticator, head).await?;
        let is_distinguished = principal.is_some();
        Ok(Caller { principal: principal.unwrap_or_else(Principal::anonymous), is_distinguished })
    }

    /// Answers a message.
    async fn post(&self, incoming: &mut Incoming, text: &Bytes) -> Result<Response<ResponseBody>, Rejection> {
        let head = &incoming.head;
        headers::check_unique(&head.headers)?;
        self.rules.check(head)?;
        media::check_accepted(&head.headers)?;
        media::check_encoding(&head.headers)?;
        let request = match read(text)? {
            Message::Request(request) => request,
            message => return self.receive(incoming, message).await,
        };
        let id = request.id.clone();
        let begun = self.begin(incoming, request).await;
        begun.map_err(|rejection| rejection.to(|| Some(id)))
    }

    /// Answers a request.
    async fn begin(
        &self,
        incoming: &mut Incoming,
        request: RpcRequest,
    ) -> Result<Response<ResponseBody>, Rejection> {
        let head = &incoming.head;
        if self.handler.views.is_shutting_down() {
            return Err(Rejection::of(StatusCode::SERVICE_UNAVAILABLE, shutting_down()).with_retry_after());
        }
        let is_opening = request.opens_session();
        if is_opening {
            headers::check_opening(&head.headers, &request)?;
        }
        let lease = self.lease(head, &incoming.caller).await?;
        if !is_opening && self.is_stateless(head, &request, lease.is_some())? {
            if incoming.is_modern {
                headers::check_request(&head.headers, &request)?;
            }
            return Ok(self.answer_stateless(incoming, request).await);
        }
        if self.handler.views.settings.modern_only {
            return Err(self.no_session(&incoming.head));
        }
        match lease {
            Some(lease) => self.answer_in_session(incoming, request, lease).await,
            None if is_opening && !incoming.head.headers.contains_key(SESSION) => {
                self.open(incoming, request).await
            }
            None => Err(self.no_session(&incoming.head)),
        }
    }

    /// Returns whether a request needs no session.
    fn is_stateless(&self, head: &Parts, request: &RpcRequest, has_session: bool) -> Result<bool, Rejection> {
        let meta = &request.meta;
        let version = headers::version(&head.headers, meta.version.is_some())?;
        let is_discovery = request.method == "server/discover";
        let missing = meta.missing();
        if meta.version.is_none() && (is_discovery || version.is_some_and(headers::is_modern)) {
            let missing = missing.join(", ");
            let message = format!(
                "Invalid params: request _meta is missing or has malformed required fields: {missing}"
            );
            return Err(Rejection::of(StatusCode::BAD_REQUEST, invalid_params(message)));
        }
        headers::check_version(version, meta.version.as_ref())?;
        let of_message = meta.version.as_ref().map(ProtocolVersion::as_str);
        let is_modern = of_message.or(version).is_some_and(headers::is_modern);
        Ok(is_modern || missing.is_empty() || is_discovery && !has_session)
    }

    /// Answers a request without a session: in JSON if nothing is sent before the response. The call is dropped when the
    /// client leaves.
    async fn answer_stateless(&self, incoming: &mut Incoming, request: RpcRequest) -> Response<ResponseBody> {
        let is_malformed = !request.meta.missing().is_empty();
        let stream = Arc::new(Stream::new(EventIds::None));
        let outbox = Outbox::new(Arc::<Stream>::clone(&stream) as _);
        let running = self.handler.views.request();
        let mut answer = self.handler.answer(request, incoming.take_origin(outbox, None));
        let first = poll_fn(|cx| match answer.as_mut().poll(cx) {
            Poll::Ready(answer) => Poll::Ready(Some(answer)),
            Poll::Pending if stream.is_empty() => Poll::Pending,
            Poll::Pending => Poll::Ready(None),
        });
        let first = tokio::select! {
            biased;
            first = first => first,
            () = self.stop.cancelled() => return empty(StatusCode::INTERNAL_SERVER_ERROR),
        };
        match first {
            Some(first) if stream.is_empty() => {
                challenge::json(status(&first, is_malformed), first, self.authenticator.as_deref())
            }
            Some(first) => {
                let body = self.event_body(&stream);
                stream.finish(&first);
                events(body)
            }
            None => events(self.event_body(&stream).running(async move {
                stream.finish(&answer.await);
                drop(running);
            })),
        }
    }

    /// Attaches a reader to a stream.
    fn event_body(&self, stream: &Arc<Stream>) -> EventBody {
        EventBody::new(Some((Arc::clone(stream), stream.attach(None))), &self.stop)
    }
}

/// Returns the status of the response to a request without a session.
fn status(answer: &RpcResponse, is_malformed: bool) -> StatusCode {
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
