//! Requests that need nothing of rmcp but its shapes: answered from the registry, as every other.
//!
//! What comes of it is the same to the byte. Whatever is unusual in any way is not answered here, and takes the long way.

use axum::body::Bytes;
use axum::http::request::Parts;
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, CallToolResult, ClientCapabilities, ListToolsResult, RequestId, ServerJsonRpcMessage,
    ServerResult,
};
use tool_core::{CallOptions, Extensions, FailureKind, Principal, ToolDefinition, TraceParent, adapter};

use crate::answer::{answer, failed_text};
use crate::asking::{Inquirer, Subject};
use crate::caller::Caller;
use crate::discovery::Discovery;
use crate::era::Era;
use crate::handler::{Answered, Handler, trace_of};
use crate::news::Telling;
use crate::offer::Offer;
use crate::splice::split;
use crate::surfaces::Surfaces;

/// A call in which nothing is unusual, and that was not made before.
pub(crate) struct DirectCall<'r> {
    pub(crate) name: &'r str,
    pub(crate) arguments: &'r str,
    pub(crate) capabilities: &'r ClientCapabilities,
    pub(crate) head: &'r Parts,
    pub(crate) caller: &'r Caller,
}

/// What a call comes to.
pub(crate) type Outcome = Result<Answered<CallToolResult>, ErrorData>;

/// The answer to the request that made a call, as rmcp would send it.
pub(crate) fn response(outcome: Outcome, id: RequestId, era: &Era) -> ServerJsonRpcMessage {
    let mut result = match outcome {
        Ok(Answered::Reply(result)) => ServerResult::CallToolResult(result),
        Ok(Answered::Asks(asked)) => ServerResult::InputRequiredResult(asked),
        Err(error) => return ServerJsonRpcMessage::error(error, Some(id)),
    };
    if !era.is_modern() {
        result.strip_result_type_for_legacy_peer();
    }
    ServerJsonRpcMessage::response(result, id)
}

/// A call as far as it is known to be plain: what it is made from, and what goes along with it.
pub(super) struct PlainCall<'c> {
    pub(super) name: &'c str,
    pub(super) arguments: &'c [u8],
    pub(super) principal: Option<&'c Principal>,
    pub(super) beside: Option<&'c Extensions>,
    pub(super) trace: Option<TraceParent>,
    pub(super) inquirer: &'c Inquirer,
    pub(super) telling: Option<&'c Telling>,
    pub(super) era: &'c Era,
}

impl Handler {
    /// The answer to `tools/call`; nothing where more has to be looked at than the tool and its arguments.
    ///
    /// What provides the tools is asked once a request: whether it can be answered here is decided before.
    pub(crate) async fn called_directly(&self, call: DirectCall<'_>) -> Option<Outcome> {
        // The tools of the last request are what rmcp checks headers against.
        let latest = self.offers().latest()?;
        let repeats = |tool: &ToolDefinition| latest.repeats_in_headers(tool.name());
        if !self.is_listed_at_once() || latest.registry().get(call.name).is_some_and(repeats) {
            return None;
        }
        let DirectCall { name, arguments, capabilities, head, caller } = call;
        let plain = PlainCall {
            name,
            arguments: arguments.as_bytes(),
            principal: Some(&caller.principal),
            beside: head.extensions.get(),
            trace: trace_of(head),
            inquirer: &Inquirer::first(capabilities),
            telling: None,
            era: &Era::modern(),
        };
        Some(self.call_plainly(plain).await)
    }

    /// The answer to a call in which nothing is unusual.
    pub(super) async fn call_plainly(&self, call: PlainCall<'_>) -> Outcome {
        let PlainCall { name, arguments, principal, beside, trace, inquirer, telling, era } = call;
        let offer = self.offers().now(principal).await?;
        offer.is_called(name)?;
        let mut options = CallOptions::new().trace(trace).client(inquirer.client());
        if let Some(beside) = beside {
            options = options.extensions(beside.clone());
        }
        if let Some(telling) = telling {
            options = telling.through(options);
        }
        let subject =
            Subject { method: "tools/call", name, arguments, principal: offer.registry.principal().id() };
        let reply = offer.registry.call_with(name, arguments, &options).await;
        let failure = reply.result.as_ref().err();
        if let Some(asked) = failure.and_then(|failure| inquirer.answer(failure, subject, &self.seal)) {
            let mut asked = asked?;
            self.sign_modern(&mut asked.meta);
            return Ok(Answered::Asks(asked));
        }
        let is_absent = failure.is_some_and(|failure| failure.kind() == FailureKind::NotFound);
        let mut result = match offer.absence_of(name).filter(|_| is_absent) {
            Some(absence) => failed_text(absence),
            None => answer(&reply, era, &offer.catalogue.settings().scheme)?,
        };
        if era.is_modern() {
            self.sign_modern(&mut result.meta);
        }
        Ok(Answered::Reply(result))
    }

    /// Whether `tools/list` is answered directly: the list has one page, and nothing is taken out of it for this version.
    pub(crate) fn lists_directly(&self, era: &Era) -> bool {
        self.is_listed_at_once() && era.knows_structure()
    }

    /// Returns the answer to `tools/list` as text, in pieces of which the one in the middle was there already.
    pub(crate) async fn listed_directly(
        &self,
        caller: Option<&Caller>,
        era: &Era,
        id: RequestId,
    ) -> serde_json::Result<[Bytes; 3]> {
        let mut list = ListToolsResult::with_all_items(Vec::new());
        if era.is_modern() {
            self.sign_modern(&mut list.meta);
            let scope = caller.map_or(CacheScope::Private, Caller::whose);
            list = list.with_ttl_ms(self.offers().fresh_for_ms()).with_cache_scope(scope);
        } else {
            list.result_type = None;
        }
        let (answer, tools) = match self.offers().now(caller.map(|caller| &caller.principal)).await {
            Ok(offer) => (ServerJsonRpcMessage::response(list.into(), id), offer.written()),
            Err(error) => (ServerJsonRpcMessage::error(error, Some(id)), Bytes::new()),
        };
        let text = Bytes::from(serde_json::to_vec(&answer)?);
        let at = split(&text).unwrap_or(text.len());
        Ok([text.slice(..at), tools, text.slice(at..)])
    }

    /// Whether all tools are told by their names, in one list.
    pub(super) fn is_listed_at_once(&self) -> bool {
        let settings = self.offers().settings();
        settings.discovery == Discovery::Direct && settings.page_size.is_none()
    }
}

impl Offer {
    /// The tools that the caller may call as JSON, without the brackets of a list.
    pub(super) fn written(&self) -> Bytes {
        if adapter::is_unrestricted(&self.registry)
            && self.catalogue.settings().surfaces == Surfaces::Inclusive
        {
            return self.catalogue.all_written();
        }
        let names: Vec<&str> = self.tools().map(ToolDefinition::name).collect();
        self.catalogue.written(&names)
    }
}
