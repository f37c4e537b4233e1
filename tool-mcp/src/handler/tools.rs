//! `tools/list` and `tools/call`.

use rmcp::model::{CallToolResponse, ListToolsResult, Tool};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

use crate::answer::answer;
use crate::catalogue::bare;
use crate::discovery::Discovery;
use crate::envelope::Arguments;
use crate::era::Era;
use crate::handler::{Handler, modern};
use crate::offer::Offer;
use crate::paging::{Paged, page};
use crate::splice::Slot;
use crate::two_step::{NAMES, Step, desk, enter};

impl Handler {
    pub(super) async fn tools(
        &self,
        cursor: Option<String>,
        cx: &RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let offer = self.offer(cx).await?;
        if offer.catalogue.settings().discovery == Discovery::TwoStep {
            let three =
                NAMES.iter().filter_map(|name| desk().get(name)).map(|tool| bare(tool, tool.description()));
            // Three need no pages, and so no cursor leads anywhere.
            let three = page("tools/list", three.collect(), |tool| &tool.name, None, cursor.as_deref())?;
            return Ok(ListToolsResult::with_all_items(three.items));
        }
        if cursor.is_none()
            && self.is_listed_at_once()
            && Era::of(cx).knows_structure()
            && let Some(slot) = Slot::of(cx)
        {
            slot.fill(offer.written());
            return Ok(ListToolsResult::with_all_items(Vec::new()));
        }
        let all: Vec<&Tool> = offer.tools().filter_map(|tool| offer.catalogue.tool(tool.name())).collect();
        let size = offer.catalogue.settings().page_size;
        let Paged { items, next } = page("tools/list", all, |tool| &tool.name, size, cursor.as_deref())?;
        let mut list = ListToolsResult::with_all_items(items.into_iter().cloned().collect());
        list.next_cursor = next;
        if !Era::of(cx).knows_structure() {
            list.tools.iter_mut().for_each(|tool| tool.output_schema = None);
        }
        Ok(list)
    }

    pub(super) async fn call(
        &self,
        name: &str,
        arguments: &[u8],
        cx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let offer = self.offer(cx).await?;
        if offer.catalogue.settings().discovery == Discovery::TwoStep {
            match enter(name, arguments, &offer) {
                Some(Step::Done(mut result)) => {
                    self.sign(&mut result.meta, cx);
                    return Ok(result.into());
                }
                Some(Step::Call { tool, arguments }) => {
                    return self.called(&offer, &tool, arguments, cx).await;
                }
                None => {}
            }
        }
        offer.is_called(name)?;
        self.called(&offer, name, arguments, cx).await
    }

    async fn called(
        &self,
        offer: &Offer,
        name: &str,
        arguments: &[u8],
        cx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let reply = self.invoke(&offer.registry, name, arguments, cx).await?;
        let mut result = answer(reply, &Era::of(cx))?;
        self.sign(&mut result.meta, cx);
        Ok(result.into())
    }

    /// A call whose arguments are no object: the pipeline says so, in the words that every face uses.
    pub(super) async fn call_oddly(
        &self,
        params: &Value,
        cx: &RequestContext<RoleServer>,
    ) -> Result<Value, ErrorData> {
        let (Some(name), Some(arguments)) = (params.get("name").and_then(Value::as_str), Arguments::of(cx))
        else {
            return Err(ErrorData::invalid_params("`name` must be a string and `arguments` an object", None));
        };
        let CallToolResponse::Complete(mut result) = self.call(name, arguments.as_bytes(), cx).await? else {
            return Err(ErrorData::internal_error("internal error", None));
        };
        if !modern(cx) {
            result.result_type = None;
        }
        serde_json::to_value(result).map_err(|error| {
            tracing::error!(%error, "a result cannot be written as JSON");
            ErrorData::internal_error("internal error", None)
        })
    }
}
