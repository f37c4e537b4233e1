//! Calls that begin before rmcp has heard of them. One that comes to its end at once is answered there and then;
//! any other goes on where rmcp's own way leads to it, with all that needs rmcp: progress, questions, cancellation.

use std::fmt;
use std::future::{poll_fn, ready};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use axum::body::Bytes;
use axum::http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::{ClientCapabilities, ErrorData, ProgressToken};
use rmcp::service::RequestContext;
use tokio_util::task::task_tracker::TaskTrackerToken;
use tool_core::{BoxFuture, Extensions};

use crate::asking::{Inquirer, PeerAsker};
use crate::caller::Caller;
use crate::discovery::Discovery;
use crate::era::Era;
use crate::handler::direct::{Outcome, PlainCall};
use crate::handler::{Handler, trace_of, unless_cancelled};
use crate::in_flight::{Held, TakenBack};
use crate::news::Telling;
use crate::session::Client;

/// A call in which nothing is unusual.
pub(crate) struct EarlyCall<'r> {
    pub(crate) name: &'r str,
    pub(crate) arguments: Bytes,
    pub(crate) origin: Origin<'r>,
    pub(crate) way: Way<'r>,
}

/// Where a call comes from.
pub(crate) enum Origin<'r> {
    Http { head: &'r Parts, caller: &'r Caller },
    Stdio,
}

/// How its client is told of it, and asked.
pub(crate) enum Way<'r> {
    /// In its session, its progress under this token.
    InSession { client: &'r Client, token: Option<ProgressToken> },
    /// By the answer alone.
    Alone { capabilities: &'r ClientCapabilities },
}

/// A call that has begun, and has not come to its end. It is dropped as any other: what becomes of its tool the registry
/// knows.
pub(crate) struct Begun {
    call: BoxFuture<'static, Outcome>,
    /// Whoever asks once the client can be asked.
    asker: Option<Arc<PeerAsker>>,
    telling: Option<Arc<Telling>>,
    /// What was taken back before rmcp heard of it, it does not take back.
    taken_back: TakenBack,
    /// It is on its way until it is answered, also where it has come to its end.
    request: TaskTrackerToken,
}

/// Carries a call that has begun through rmcp.
#[derive(Clone)]
pub(crate) struct Carried(Arc<Mutex<Option<Begun>>>);

impl Handler {
    /// Begins a call; nothing where more has to be looked at than the tool and its arguments.
    pub(crate) fn begin(self: &Arc<Self>, call: EarlyCall<'_>) -> Option<Begun> {
        if self.offers().settings().discovery != Discovery::Direct {
            return None;
        }
        let EarlyCall { name, arguments, origin, way } = call;
        let (handler, name) = (Arc::clone(self), name.to_owned());
        let (inquirer, telling, era) = match way {
            Way::InSession { client, token } => {
                let telling = Telling::new(token, Some(client.hears()));
                (Inquirer::in_session(client.capabilities, &self.seal), telling, client.era.clone())
            }
            Way::Alone { capabilities } => (Inquirer::first(capabilities), None, Era::modern()),
        };
        let (principal, beside, trace) = match origin {
            Origin::Http { head, caller } => {
                (Some(caller.principal.clone()), head.extensions.get::<Extensions>().cloned(), trace_of(head))
            }
            Origin::Stdio => (None, None, None),
        };
        let (asker, telling) = (inquirer.peer().cloned(), telling.map(Arc::new));
        let told = telling.clone();
        let call = async move {
            let plain = PlainCall {
                name: &name,
                arguments: &arguments,
                principal: principal.as_ref(),
                beside: beside.as_ref(),
                trace,
                inquirer: &inquirer,
                telling: told.as_deref(),
                era: &era,
            };
            handler.call_plainly(plain).await
        };
        let taken_back = TakenBack::default();
        Some(Begun { call: Box::pin(call), asker, telling, taken_back, request: self.offers().request() })
    }
}

impl Begun {
    /// What the call comes to, where it comes to its end at once, and has told nothing that goes before its answer.
    pub(crate) async fn at_once(mut self) -> Result<Outcome, Self> {
        let polled = poll_fn(|cx| Poll::Ready(self.call.as_mut().poll(cx))).await;
        let Poll::Ready(outcome) = polled else { return Err(self) };
        if self.telling.as_ref().is_none_or(|telling| telling.is_done()) {
            return Ok(outcome);
        }
        self.call = Box::pin(ready(outcome));
        Err(self)
    }

    /// What the call comes to, made by a request that has come this far; unless the client takes it back or leaves.
    pub(super) async fn end(self, name: &str, cx: &RequestContext<RoleServer>) -> Outcome {
        let Begun { call, asker, telling, taken_back, request: _request } = self;
        if taken_back.is() {
            tracing::debug!(requested = name, request = %cx.id, "the client took the request back as it began");
            return Err(ErrorData::internal_error("cancelled", None));
        }
        asker.iter().for_each(|asker| asker.connect(cx));
        match telling {
            None => unless_cancelled(call, name, cx).await?,
            Some(telling) => unless_cancelled(telling.during(call, cx), name, cx).await?,
        }
    }
}

impl Carried {
    /// Carries a call whose request is held by this.
    pub(crate) fn new(begun: Begun, held: &Held) -> Self {
        let begun = Begun { taken_back: held.watch(), ..begun };
        Carried(Arc::new(Mutex::new(Some(begun))))
    }

    /// The call that a request carries, once.
    pub(super) fn of(cx: &RequestContext<RoleServer>) -> Option<Begun> {
        let over_http = || cx.extensions.get::<Parts>()?.extensions.get();
        let Carried(begun) = cx.extensions.get().or_else(over_http)?;
        // Nothing panics while it is held.
        begun.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl fmt::Debug for Begun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Begun").finish_non_exhaustive()
    }
}
