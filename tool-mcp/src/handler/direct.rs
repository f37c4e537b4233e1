//! Requests of 2026-07-28 that need nothing of rmcp but its shapes: answered from the registry, as every other.
//!
//! What comes of it is the same to the byte. Whatever is unusual in any way is not answered here, and takes the long way.

use std::fmt;

use axum::body::Bytes;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ListToolsResult};
use tool_core::ToolDefinition;

use crate::answer::answer;
use crate::caller::Caller;
use crate::discovery::Discovery;
use crate::era::Era;
use crate::handler::Handler;
use crate::offer::Offer;
use crate::splice::split;

/// The result of `tools/list` in three pieces, of which the one in the middle is there already.
pub(crate) struct Listed {
    pub(crate) before: String,
    pub(crate) tools: Bytes,
    pub(crate) after: String,
}

impl Handler {
    /// The answer to `tools/call`; nothing where more has to be looked at than the tool and its arguments.
    ///
    /// What provides the tools is asked once a request: whether it can be answered here is decided before.
    pub(crate) async fn called_directly(
        &self,
        name: &str,
        arguments: &[u8],
        caller: &Caller,
    ) -> Option<Result<CallToolResult, ErrorData>> {
        // The tools of the last request are what rmcp checks headers against.
        let latest = self.offers().latest()?;
        let repeats = |tool: &ToolDefinition| latest.repeats_in_headers(tool.name());
        if !self.is_listed_at_once() || latest.registry().get(name).is_some_and(repeats) {
            return None;
        }
        Some(self.call_at_once(name, arguments, caller).await)
    }

    async fn call_at_once(
        &self,
        name: &str,
        arguments: &[u8],
        caller: &Caller,
    ) -> Result<CallToolResult, ErrorData> {
        let offer = self.offers().now(Some(&caller.principal)).await?;
        offer.is_called(name)?;
        let mut result = answer(offer.registry.invoke(name, arguments).await, &Era::modern())?;
        self.sign_modern(&mut result.meta);
        Ok(result)
    }

    /// The answer to `tools/list` where the list has one page.
    pub(crate) async fn listed_directly(&self, caller: &Caller) -> Option<Result<Listed, ErrorData>> {
        if !self.is_listed_at_once() {
            return None;
        }
        let offer = match self.offers().now(Some(&caller.principal)).await {
            Ok(offer) => offer,
            Err(error) => return Some(Err(error)),
        };
        let mut list = ListToolsResult::with_all_items(Vec::new());
        self.sign_modern(&mut list.meta);
        let list = list.with_ttl_ms(self.offers().fresh_for_ms()).with_cache_scope(caller.whose());
        let frame = serde_json::to_string(&list).ok()?;
        let (before, after) = frame.split_at(split(frame.as_bytes())?);
        Some(Ok(Listed { before: before.to_owned(), tools: offer.written(), after: after.to_owned() }))
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
        let names: Vec<&str> = self.tools().map(ToolDefinition::name).collect();
        self.catalogue.written(&names)
    }
}

impl fmt::Debug for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listed").field("bytes", &self.tools.len()).finish_non_exhaustive()
    }
}
