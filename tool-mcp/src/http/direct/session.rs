//! The short way for requests of a session: a call that comes to its end at once, and a list of one page, are answered in
//! JSON. A call that takes its time goes on over rmcp, whose stream can tell of it, ask, and be taken up again.

use axum::body::Bytes;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use rmcp::model::ProtocolVersion;

use crate::caller::Caller;
use crate::envelope::{Asks, InSession, Usual};
use crate::handler::{Carried, EarlyCall, Origin, Way, response};
use crate::http::direct::{Direct, METHOD, NAME, PROTOCOL_VERSION, message, only};
use crate::http::sessions::{SESSION, Visit};
use crate::in_flight::{Held, InFlight};

/// What became of a request of a session.
pub(in crate::http) enum Early {
    Answered(Response),
    /// The call has begun, and takes its time; its name is held as long as it is not answered.
    Begun(Carried, Held),
    /// Nothing was begun.
    LongWay,
}

impl Direct {
    /// Answers a request of a session, or begins the call that it makes.
    pub(in crate::http) async fn begin(
        &self,
        head: &Parts,
        text: &Bytes,
        visit: &Visit,
        in_flight: &InFlight,
    ) -> Early {
        self.begun(head, text, visit, in_flight).await.unwrap_or(Early::LongWay)
    }

    async fn begun(&self, head: &Parts, text: &Bytes, visit: &Visit, in_flight: &InFlight) -> Option<Early> {
        let client = visit.client.client()?;
        if !self.lets_in_session(&head.headers) || !visit.is_open().await {
            return None;
        }
        let caller = head.extensions.get::<Caller>()?;
        let Usual { id, asks, meta } = Usual::read(text)?;
        let InSession { token } = meta.unwrap_or_default();
        // A name that another request has is refused where all are.
        let held = in_flight.begin(visit.session(), id.clone())?;
        let Asks::Call { name, arguments } = asks else {
            return self.list(caller, &client.era, id).await.map(Early::Answered);
        };
        let arguments = text.slice_ref(arguments.as_bytes());
        let (origin, way) = (Origin::Http { head, caller }, Way::InSession { client, token });
        let call = EarlyCall { name, arguments, origin, way };
        match self.handler.begin(call)?.at_once().await {
            // It was taken back meanwhile: it gets no answer, and is dropped as any other that is.
            _ if !held.is_held() => Some(Early::Answered(nothing())),
            Ok(called) => Some(Early::Answered(message(&response(called, id, &client.era)))),
            Err(begun) => Some(Early::Begun(Carried::new(begun, &held), held)),
        }
    }

    fn lets_in_session(&self, headers: &HeaderMap) -> bool {
        let is_older = |version: &str| {
            let known = ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str);
            version < ProtocolVersion::V_2026_07_28.as_str() && known.into_iter().any(|it| it == version)
        };
        // It came later than sessions did.
        let is_version =
            !headers.contains_key(PROTOCOL_VERSION) || only(headers, &PROTOCOL_VERSION).is_some_and(is_older);
        let is_bare = !headers.contains_key(METHOD) && !headers.contains_key(NAME);
        is_version && is_bare && only(headers, &SESSION).is_some() && self.lets_in(headers)
    }
}

/// The stream of a request that gets no answer.
fn nothing() -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::OK;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}
