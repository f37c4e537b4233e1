//! The requests of sessions, which clients up to 2025-11-25 open.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use axum::http::request::Parts;
use axum::http::{HeaderValue, Response, StatusCode};

use crate::http::body::{EventBody, ResponseBody, empty, events, guarded, json};
use crate::http::challenge;
use crate::http::endpoint::{Endpoint, Incoming};
use crate::http::headers::{self, SESSION};
use crate::http::media;
use crate::http::rejection::Rejection;
use crate::http::sessions::{Resumed, SessionLease};
use crate::http::stream::{EventIds, Stream};
use crate::protocol::{
    Caller, MOST_REQUESTS, Message, Outbox, RpcRequest, SessionChange, in_flight, legacy_refused,
    too_many_requests,
};

impl Endpoint {
    /// Begins a request of the session that the head names; `None` if it names none, or one that the caller does not have.
    pub(super) async fn lease(
        &self,
        head: &Parts,
        caller: &Caller,
    ) -> Result<Option<SessionLease>, Rejection> {
        match head.headers.get(SESSION).and_then(|id| id.to_str().ok()) {
            Some(id) => self.sessions.lease(id, &caller.principal).await,
            None => Ok(None),
        }
    }

    /// Receives a notification or a response.
    pub(super) async fn receive(
        &self,
        incoming: &Incoming,
        message: Message,
    ) -> Result<Response<ResponseBody>, Rejection> {
        let head = &incoming.head;
        if headers::version(&head.headers, false)?.is_some_and(headers::is_modern) {
            let Message::Notification { method, .. } = message else {
                return Err(Rejection::bad_request("stateless server does not accept JSON-RPC responses"));
            };
            headers::check_method(&head.headers, &method)?;
            return Ok(empty(StatusCode::ACCEPTED));
        }
        let lease = self.lease(head, &incoming.caller).await?.ok_or_else(|| self.no_session(head))?;
        let change = SessionChange::of_notification(&message);
        let is_received = self.handler.receive(message, &lease.session.session);
        if let Some(change) = change {
            self.sessions.save(&lease, &change).await?;
        }
        if !is_received && self.sessions.are_shared() {
            return Err(Rejection::bad_request(
                "this replica has sent no request with this `id`: a response must reach the replica that has sent the \
                 request, so use sticky sessions, or a client of MCP 2026-07-28",
            ));
        }
        Ok(empty(StatusCode::ACCEPTED))
    }

    /// Answers a request that changes its session, once the session store has the change.
    async fn answer_change(
        &self,
        incoming: &mut Incoming,
        request: RpcRequest,
        lease: &SessionLease,
        change: &SessionChange,
    ) -> Result<Response<ResponseBody>, Rejection> {
        let _running = self.handler.views.request();
        let session = &lease.session.session;
        let origin = incoming.take_origin(session.outbox.clone(), Some(Arc::clone(session)));
        let answer = self.handler.answer(request, origin).await;
        if answer.error.is_none() {
            self.sessions.save(lease, change).await?;
        }
        Ok(challenge::json(StatusCode::OK, answer, self.authenticator.as_deref()))
    }

    /// Answers a request of a session: in JSON if the response is ready at once, and else on a stream that can be resumed.
    /// The call goes on when the client leaves.
    pub(super) async fn answer_in_session(
        &self,
        incoming: &mut Incoming,
        request: RpcRequest,
        lease: SessionLease,
    ) -> Result<Response<ResponseBody>, Rejection> {
        let session = Arc::clone(&lease.session.session);
        if session.in_flight.len() >= MOST_REQUESTS {
            return Err(Rejection::of(StatusCode::TOO_MANY_REQUESTS, too_many_requests()).with_retry_after());
        }
        let Some(guard) = session.in_flight.begin(request.id.clone()) else {
            return Err(Rejection::from(in_flight(&request.id)));
        };
        let change = lease.stored.as_ref().and_then(|_| SessionChange::of_request(&request));
        if let Some(change) = change {
            return self.answer_change(incoming, request, &lease, &change).await;
        }
        let lease = Arc::new(lease);
        let stream = lease.session.new_stream();
        let outbox = Outbox::new(Arc::<Stream>::clone(&stream) as _);
        let running = self.handler.views.request();
        let mut answer =
            self.handler.answer(request, incoming.take_origin(outbox, Some(Arc::clone(&session))));
        let first = poll_fn(|cx| Poll::Ready(answer.as_mut().poll(cx))).await;
        match first {
            Poll::Ready(first) if stream.is_empty() && !guard.is_canceled() => {
                return Ok(challenge::json(StatusCode::OK, first, self.authenticator.as_deref()));
            }
            Poll::Ready(first) if !guard.is_canceled() => stream.finish(&first),
            Poll::Ready(_) => stream.close(),
            Poll::Pending => {
                let stream = Arc::clone(&stream);
                let lease = Arc::clone(&lease);
                tokio::spawn(async move {
                    tokio::select! {
                        biased;
                        () = guard.canceled() => stream.close(),
                        () = session.end.cancelled() => stream.close(),
                        answer = answer => {
                            // The client may reuse the identifier as soon as it reads the response.
                            drop(guard);
                            stream.finish(&answer);
                        }
                    }
                    drop((lease, running));
                });
            }
        }
        lease.session.keep_stream(&stream);
        Ok(events(self.event_body(&stream)).map(|body| ResponseBody::Other(guarded(body, lease))))
    }

    /// Opens a session.
    pub(super) async fn open(
        &self,
        incoming: &mut Incoming,
        request: RpcRequest,
    ) -> Result<Response<ResponseBody>, Rejection> {
        let opened = self.sessions.create(&incoming.caller.principal)?;
        let outbox = opened.session.outbox.clone();
        let origin = incoming.take_origin(outbox, Some(Arc::clone(&opened.session)));
        let answer = self.handler.answer(request, origin).await;
        let has_failed = answer.error.is_some();
        let mut response = json(StatusCode::OK, answer.pieces);
        if !has_failed && let Ok(id) = HeaderValue::from_str(&opened.id) {
            response.headers_mut().insert(SESSION, id);
            self.sessions.insert(opened).await?;
        }
        Ok(response)
    }

    /// Opens or resumes a stream of a session.
    pub(super) async fn get(
        &self,
        head: &Parts,
        caller: &Caller,
    ) -> Result<Response<ResponseBody>, Rejection> {
        media::check_events_accepted(&head.headers)?;
        self.check_has_sessions(head)?;
        let lease = self.lease(head, caller).await?.ok_or_else(|| self.no_session(head))?;
        let session = &lease.session;
        let source = match head.headers.get("last-event-id").map(|id| id.to_str().unwrap_or_default()) {
            Some(id) => {
                let Some(Resumed { stream, reader, has_moved }) = session.resume(id) else {
                    // After an error, the client would try again with the same identifier for ever.
                    tracing::debug!(id, "an event is not kept any more");
                    let ended = Arc::new(Stream::new(EventIds::None));
                    ended.close();
                    return Ok(events(self.event_body(&ended)));
                };
                if has_moved {
                    self.sessions.notify_missed(session, true);
                }
                Some((stream, reader))
            }
            // One connection gets the messages of a session. Others stay open, so that the client does not reconnect.
            None if session.stream.has_reader() => None,
            None => {
                let reader = session.stream.attach(None);
                self.sessions.notify_missed(session, false);
                Some((Arc::clone(&session.stream), reader))
            }
        };
        Ok(events(EventBody::new(source, &self.stop)).map(|body| ResponseBody::Other(guarded(body, lease))))
    }

    /// Ends a session.
    pub(super) async fn delete(
        &self,
        head: &Parts,
        caller: &Caller,
    ) -> Result<Response<ResponseBody>, Rejection> {
        self.check_has_sessions(head)?;
        let lease = self.lease(head, caller).await?.ok_or_else(|| self.no_session(head))?;
        self.sessions.close(&lease.session.id).await?;
        Ok(empty(StatusCode::NO_CONTENT))
    }

    /// Checks that the request is for a version with sessions.
    fn check_has_sessions(&self, head: &Parts) -> Result<(), Rejection> {
        let is_modern = headers::version(&head.headers, false)?.is_some_and(headers::is_modern);
        if is_modern || self.handler.views.settings.modern_only {
            return Err(Rejection::method_not_allowed("POST"));
        }
        Ok(())
    }

    /// Returns the rejection of a request that needs a session.
    pub(super) fn no_session(&self, head: &Parts) -> Rejection {
        let settings = &self.handler.views.settings;
        if settings.modern_only {
            return Rejection::from(legacy_refused(settings.versions()));
        }
        if !head.headers.contains_key(SESSION) {
            return Rejection::bad_request("Session ID is required");
        }
        // Some clients look for the first three words.
        let message = if self.sessions.are_shared() {
            "Session not found: it has expired or was deleted; send `initialize` again"
        } else {
            "Session not found: it has expired, was deleted, or is at another server; send `initialize` again. Behind a \
             load balancer, use sticky sessions, a session store (`Server::sessions`), or clients of MCP 2026-07-28"
        };
        Rejection::new(StatusCode::NOT_FOUND, message)
    }
}
