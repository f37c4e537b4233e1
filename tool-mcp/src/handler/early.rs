//! Calls of a session that begin before rmcp has heard of them. One that comes to its end at once is answered there and then;
//! any other goes on where rmcp's own way leads to it, with all that needs rmcp: progress, questions, cancellation.

use std::fmt;
use std::future::{poll_fn, ready};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use axum::body::Bytes;
use axum::http::request::Parts;
use rmcp::model::{CallToolResult, ProgressToken};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use tool_core::{BoxFuture, Extensions};

use crate::asking::{Inquirer, PeerAsker};
use crate::caller::Caller;
use crate::discovery::Discovery;
use crate::handler::direct::PlainCall;
use crate::handler::{Answered, Handler, trace_of, unless_cancelled};
use crate::news::Telling;
use crate::session::Client;

/// A call of a session in which nothing is unusual.
pub(crate) struct EarlyCall<'r> {
    pub(crate) name: &'r str,
    pub(crate) arguments: Bytes,
    /// Under which its progress is reported.
    pub(crate) token: Option<ProgressToken>,
    pub(crate) head: &'r Parts,
    pub(crate) caller: &'r Caller,
    pub(crate) client: &'r Client,
}

/// What a call comes to.
type Outcome = Result<Answered<CallToolResult>, ErrorData>;

/// A call that has begun, and has not come to its end. It is dropped as any other: what becomes of its tool the registry
/// knows.
pub(crate) struct Begun {
    call: BoxFuture<'static, Outcome>,
    asker: Arc<PeerAsker>,
    telling: Option<Arc<Telling>>,
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
        let EarlyCall { name, arguments, token, head, caller, client } = call;
        let asker = Inquirer::in_session(client.capabilities, &self.seal);
        let telling = Telling::new(token, Some(client.hears())).map(Arc::new);
        let (handler, name, principal) = (Arc::clone(self), name.to_owned(), caller.principal.clone());
        let (beside, trace) = (head.extensions.get::<Extensions>().cloned(), trace_of(head));
        let (inquirer, told, era) = (Inquirer::Peer(Arc::clone(&asker)), telling.clone(), client.era.clone());
        let call = async move {
            let plain = PlainCall {
                name: &name,
                arguments: &arguments,
                principal: Some(&principal),
                beside: beside.as_ref(),
                trace,
                inquirer: &inquirer,
                telling: told.as_deref(),
                era: &era,
            };
            handler.call_plainly(plain).await
        };
        Some(Begun { call: Box::pin(call), asker, telling })
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
        let Begun { call, asker, telling } = self;
        asker.connect(cx);
        match telling {
            None => unless_cancelled(call, name, cx).await?,
            Some(telling) => unless_cancelled(telling.during(call, cx), name, cx).await?,
        }
    }
}

impl Carried {
    pub(crate) fn new(begun: Begun) -> Self {
        Carried(Arc::new(Mutex::new(Some(begun))))
    }

    /// The call that a request carries, once.
    pub(super) fn of(cx: &RequestContext<RoleServer>) -> Option<Begun> {
        let Carried(begun) = cx.extensions.get::<Parts>()?.extensions.get()?;
        // Nothing panics while it is held.
        begun.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl fmt::Debug for Begun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Begun").finish_non_exhaustive()
    }
}
