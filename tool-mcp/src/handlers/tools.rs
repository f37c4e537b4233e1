//! `tools/list` and `tools/call`.

use rmcp::ErrorData;
use rmcp::model::CallToolResult;
use tool_core::{FailureKind, ToolDefinition, adapter};

use crate::catalog::ListShape;
use crate::catalog::view::CatalogView;
use crate::discovery::{Discovery, SEARCH_TOOLS};
use crate::elicitation::Round;
use crate::handlers::{Answered, Call, Handler};
use crate::paging::{Paged, page};
use crate::protocol::{CallParams, ListMembers, Reply, RequestContext, ToolList};
use crate::render::call_result::{answer, failed_text};
use crate::render::stored_result::READER;
use crate::surfaces::Surfaces;
use crate::tool_search::{self, Step, enter};

impl Handler {
    pub(crate) async fn tools(
        &self,
        cursor: Option<String>,
        cx: &RequestContext,
    ) -> Result<ToolList, ErrorData> {
        let view = self.view(cx).await?;
        let mut members = ListMembers::default();
        self.sign(&mut members.meta, cx);
        if cx.era.is_modern() {
            (members.ttl_ms, members.cache_scope) = (Some(self.views.fresh_for_ms()), Some(cx.scope()));
        }
        let (catalog, shape) = (&view.catalog, ListShape::of(&cx.era));
        let settings = catalog.settings();
        if settings.discovery == Discovery::TwoStep {
            // A result that is too large is read with a tool of its own.
            let has_results = adapter::results(&view.registry).is_some();
            let reader = view.tools().find(|tool| tool.name() == READER && has_results);
            let names: Vec<&str> = SEARCH_TOOLS.into_iter().chain(reader.map(ToolDefinition::name)).collect();
            // They need no pages, and so no cursor is valid.
            page("tools/list", names, |name| name, None, cursor.as_deref())?;
            let mut tools = vec![tool_search::listed()];
            tools.extend(reader.map(|tool| catalog.listed(&[tool.name()], shape)));
            return Ok(ToolList { tools: tools.join(&b","[..]).into(), members });
        }
        let is_whole = adapter::is_unrestricted(&view.registry) && settings.surfaces == Surfaces::Inclusive;
        if cursor.is_none() && settings.page_size.is_none() && is_whole {
            return Ok(ToolList { tools: catalog.all_listed(shape), members });
        }
        let names: Vec<&str> = view.tools().map(ToolDefinition::name).collect();
        let Paged { items, next } =
            page("tools/list", names, |name| name, settings.page_size, cursor.as_deref())?;
        members.next_cursor = next;
        Ok(ToolList { tools: catalog.listed(&items, shape), members })
    }

    pub(crate) async fn call_tool(
        &self,
        params: CallParams,
        cx: &RequestContext,
    ) -> Result<Reply, ErrorData> {
        let Some(name) = &params.name else {
            return Err(ErrorData::invalid_params("`name` must be a string and `arguments` an object", None));
        };
        let round = Round::of(params.request_state.as_ref(), params.input_responses.as_ref())?;
        let view = self.view(cx).await?;
        if view.catalog.settings().discovery == Discovery::TwoStep {
            match enter(name, &params.arguments, &view, &cx.era).await {
                Some(Step::Done(mut result)) => {
                    self.sign(&mut result.meta, cx);
                    return Ok(Answered::Reply(result).into());
                }
                Some(Step::Call { tool, arguments }) => {
                    return self.called(&view, &tool, arguments, round, cx).await.map(Reply::from);
                }
                None => {}
            }
        }
        view.is_called(name)?;
        self.called(&view, name, &params.arguments, round, cx).await.map(Reply::from)
    }

    async fn called(
        &self,
        view: &CatalogView,
        name: &str,
        arguments: &[u8],
        round: Round<'_>,
        cx: &RequestContext,
    ) -> Result<Answered<CallToolResult>, ErrorData> {
        let call = Call { method: "tools/call", name, arguments, round };
        let reply = match self.invoke(&view.registry, view.options.clone(), call, cx).await? {
            Answered::Reply(reply) => reply,
            Answered::Asks(input_required) => return Ok(Answered::Asks(input_required)),
        };
        let is_absent = reply.result.as_ref().is_err_and(|failure| failure.kind() == FailureKind::NotFound);
        let mut result = match view.absence_of(name).filter(|_| is_absent) {
            Some(absence) => failed_text(absence),
            None => answer(&reply, &cx.era, &view.catalog.settings().scheme)?,
        };
        self.sign(&mut result.meta, cx);
        Ok(Answered::Reply(result))
    }
}
