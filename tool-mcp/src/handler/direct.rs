//! Requests of 2026-07-28 that need nothing of rmcp but its shapes: answered from the registry, as every other.
//!
//! What comes of it is the same to the byte. Whatever is unusual in any way is not answered here, and takes the long way.

use std::fmt;

use axum::body::Bytes;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ListToolsResult};
use tool_core::Reply;

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
    /// The answer to `tools/call` of a tool that is shown as one, and whose arguments no header repeats.
    pub(crate) async fn called_directly(
        &self,
        name: &str,
        arguments: &[u8],
        caller: &Caller,
    ) -> Option<Result<CallToolResult, ErrorData>> {
        let offer = self.offers().now(Some(&caller.principal)).await.ok()?;
        if offer.catalogue.settings().discovery == Discovery::TwoStep {
            return None;
        }
        let tool = offer.registry.get(name).filter(|tool| offer.is_tool(tool))?;
        if offer.catalogue.repeats_in_headers(tool.name()) {
            return None;
        }
        Some(self.replied(offer.registry.invoke(name, arguments).await))
    }

    fn replied(&self, reply: Reply) -> Result<CallToolResult, ErrorData> {
        let mut result = answer(reply, &Era::modern())?;
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
