//! Requests of 2026-07-28 that need nothing of rmcp but its shapes: answered from the registry, as every other.
//!
//! What comes of it is the same to the byte. Whatever is unusual in any way is not answered here, and takes the long way.

use std::fmt;

use axum::body::Bytes;
use axum::http::request::Parts;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ClientCapabilities, ListToolsResult};
use tool_core::{Extensions, Reply};

use crate::answer::answer;
use crate::asking::{Inquirer, Subject};
use crate::caller::Caller;
use crate::discovery::Discovery;
use crate::era::Era;
use crate::handler::{Answered, Handler, trace_of};
use crate::offer::Offer;
use crate::splice::split;

/// The result of `tools/list` in three pieces, of which the one in the middle is there already.
pub(crate) struct Listed {
    pub(crate) before: String,
    pub(crate) tools: Bytes,
    pub(crate) after: String,
}

/// A call in which nothing is unusual, and that was not made before.
pub(crate) struct DirectCall<'r> {
    pub(crate) name: &'r str,
    pub(crate) arguments: &'r str,
    pub(crate) capabilities: &'r ClientCapabilities,
    pub(crate) head: &'r Parts,
    pub(crate) caller: &'r Caller,
}

impl Handler {
    /// The answer to `tools/call` of a tool that is shown as one, and whose arguments no header repeats.
    pub(crate) async fn called_directly(
        &self,
        call: DirectCall<'_>,
    ) -> Option<Result<Answered<CallToolResult>, ErrorData>> {
        let DirectCall { name, arguments, capabilities, head, caller } = call;
        let mut offer = self.offers().now(Some(&caller.principal)).await.ok()?;
        if offer.catalogue.settings().discovery == Discovery::TwoStep {
            return None;
        }
        let tool = offer.registry.get(name).filter(|tool| offer.is_tool(tool))?;
        if offer.catalogue.repeats_in_headers(tool.name()) {
            return None;
        }
        if let Some(beside) = head.extensions.get::<Extensions>() {
            offer.registry = offer.registry.layer_extensions(beside.clone());
        }
        if let Some(trace) = trace_of(head) {
            offer.registry = offer.registry.traced(trace);
        }
        let arguments = arguments.as_bytes();
        let subject =
            Subject { method: "tools/call", name, arguments, principal: offer.registry.principal().id() };
        let inquirer = Inquirer::first(capabilities);
        let reply = inquirer.asking(&offer.registry).invoke(name, arguments).await;
        let asked =
            reply.result.as_ref().err().and_then(|failure| inquirer.answer(failure, subject, &self.seal));
        Some(match asked {
            Some(asked) => asked.map(|mut asked| {
                self.sign_modern(&mut asked.meta);
                Answered::Asks(asked)
            }),
            None => self.replied(&reply, &offer).map(Answered::Reply),
        })
    }

    fn replied(&self, reply: &Reply, offer: &Offer) -> Result<CallToolResult, ErrorData> {
        let mut result = answer(reply, &Era::modern(), &offer.catalogue.settings().scheme)?;
        self.sign_modern(&mut result.meta);
        Ok(result)
    }

    /// The answer to `tools/list` where the list has one page.
    pub(crate) async fn listed_directly(&self, caller: &Caller) -> Option<Listed> {
        let offer = self.offers().now(Some(&caller.principal)).await.ok()?;
        let mut list = ListToolsResult::with_all_items(Vec::new());
        self.sign_modern(&mut list.meta);
        let list = list.with_ttl_ms(self.offers().fresh_for_ms()).with_cache_scope(caller.whose());
        let frame = serde_json::to_string(&list).ok()?;
        let (before, after) = frame.split_at(split(frame.as_bytes())?);
        Some(Listed { tools: offer.listed()?, before: before.to_owned(), after: after.to_owned() })
    }
}

impl Offer {
    /// The tools of `tools/list` as JSON, without the brackets; nothing where they are not told so, or in pages.
    pub(super) fn listed(&self) -> Option<Bytes> {
        let settings = self.catalogue.settings();
        if settings.discovery == Discovery::TwoStep || settings.page_size.is_some() {
            return None;
        }
        let names: Vec<&str> = self.tools().map(tool_core::ToolDefinition::name).collect();
        self.catalogue.written(&names)
    }
}

impl fmt::Debug for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listed").field("bytes", &self.tools.len()).finish_non_exhaustive()
    }
}
