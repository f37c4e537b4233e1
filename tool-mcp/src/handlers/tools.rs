//! `tools/list` and `tools/call`.

use tool_core::{FailureKind, ToolDefinition, adapter};
use tracing::Instrument as _;

use crate::catalog::ListShape;
use crate::catalog::view::CatalogView;
use crate::discovery::{Discovery, SEARCH_TOOLS};
use crate::elicitation::{CallIdentity, Round};
use crate::handlers::{CallOutcome, Handler};
use crate::paging::{ListPage, page};
use crate::protocol::{
    CallParams, INVALID_CALL, ItemList, RequestContext, RpcResponse, RpcResult, invalid_params,
};
use crate::render::call_result::CallResult;
use crate::render::stored_result::READER;
use crate::surfaces::Surfaces;
use crate::tool_search::{self, SearchStep, enter};

impl Handler {
    pub(crate) async fn tools(&self, cursor: Option<&str>, cx: &RequestContext) -> RpcResult<RpcResponse> {
        let view = self.view(cx).await?;
        let mut members = self.list_members(cx);
        let (catalog, shape) = (&view.catalog, ListShape::of(&cx.era));
        let settings = &catalog.settings;
        let is_whole = adapter::is_unrestricted(&view.registry) && settings.surfaces == Surfaces::Inclusive;
        let items = if settings.discovery == Discovery::TwoStep {
            // The tool that reads large results is listed beside the four.
            let has_results = adapter::results(&view.registry).is_some();
            let reader = view.tools().find(|tool| tool.name() == READER && has_results);
            let names: Vec<&str> = SEARCH_TOOLS.into_iter().chain(reader.map(ToolDefinition::name)).collect();
            // This list has one page, so that no cursor is valid.
            page("tools/list", names, |name| name, None, cursor)?;
            let mut tools = vec![tool_search::listed()];
            tools.extend(reader.map(|tool| catalog.listed(&[tool.name()], shape)));
            tools.join(&b","[..]).into()
        } else if cursor.is_none() && settings.page_size.is_none() && is_whole {
            catalog.all_listed(shape)
        } else {
            let names: Vec<&str> = view.listed().map(ToolDefinition::name).collect();
            let ListPage { items, next } =
                page("tools/list", names, |name| name, settings.page_size, cursor)?;
            members.next_cursor = next;
            view.list(&items, shape)
        };
        Ok(RpcResponse::list(ItemList { key: "tools", items, members }, cx))
    }

    pub(crate) async fn call_tool(&self, params: &CallParams, cx: &RequestContext) -> RpcResult<RpcResponse> {
        let name = params.name.as_deref().ok_or_else(|| invalid_params(INVALID_CALL))?;
        let round = Round::of(params.request_state.as_ref(), params.input_responses.as_ref())?;
        let view = self.view(cx).await?;
        if let Some(headers) = &cx.param_headers
            && let Some(schema) = view.catalog.schema_with_headers(name)
            // A hidden tool looks like a missing one.
            && adapter::contains(&view.registry, name)
        {
            headers.check(schema, &params.arguments)?;
        }
        let step = if view.catalog.settings.discovery == Discovery::TwoStep {
            Box::pin(enter(name, &params.arguments, &view, &cx.era)).await
        } else {
            None
        };
        let found;
        let (name, arguments, tool) = match step {
            Some(SearchStep::Done(result)) => {
                cx.operation.set_target(name);
                return Ok(self.called(result, cx));
            }
            Some(SearchStep::Call { tool, arguments }) => {
                found = tool;
                (&*found, arguments, view.registry.get(&found))
            }
            None => (name, &*params.arguments, view.check_is_tool(name)?),
        };
        if let Some(tool) = tool {
            cx.operation.set_target(tool.name());
        }
        let call = self.call(&view, name, arguments, round, cx);
        call.instrument(cx.operation.span.clone()).await
    }

    async fn call(
        &self,
        view: &CatalogView,
        name: &str,
        arguments: &[u8],
        round: Round<'_>,
        cx: &RequestContext,
    ) -> RpcResult<RpcResponse> {
        #[cfg(feature = "tasks")]
        if let Some(response) = Box::pin(self.create_task(view, name, arguments, round, cx)).await? {
            return Ok(response);
        }
        if cx.idempotency_key()?.is_some() && view.registry.get(name).is_some_and(ToolDefinition::modifies) {
            return Err(invalid_params(format!(
                "`tool-core/idempotencyKey`: this call of `{name}` does not run as a task, and a repeated one would run \
                 again; make the call without the key"
            )));
        }
        let principal = view.registry.principal().id();
        let call = CallIdentity { method: "tools/call", name, arguments, principal };
        let run = async |options: &_| view.registry.call_with(name, arguments, options).await;
        let options = view.options.clone();
        let reply = match self.run(call, round, options, cx, run, |reply| reply.result.as_ref().err()).await?
        {
            CallOutcome::Done(reply) => reply,
            CallOutcome::InputRequired(input_required) => return Ok(RpcResponse::of(input_required, cx)),
        };
        cx.record_denial(&view.registry, name, &reply.result);
        let is_unknown = reply.result.as_ref().is_err_and(|failure| failure.kind() == FailureKind::NotFound);
        let unavailable = is_unknown.then(|| view.unavailable_server_of(name)).flatten();
        let result = match unavailable {
            Some(reason) => CallResult::failed(reason),
            None => CallResult::of(&reply, &cx.era, &view.catalog.settings.scheme)?,
        };
        Ok(self.called(result, cx))
    }

    /// Returns the response with the result of a call.
    pub(super) fn called<'r>(&'r self, result: CallResult<'r>, cx: &RequestContext) -> RpcResponse {
        if result.is_error() {
            cx.operation.fail_tool();
        }
        RpcResponse::success(&self.finished(result, cx), cx)
    }

    /// Adds to the result of a call what the era of the client asks for.
    pub(super) fn finished<'r>(&'r self, mut result: CallResult<'r>, cx: &RequestContext) -> CallResult<'r> {
        result.result_type = cx.era.is_modern().then_some("complete");
        result.meta.server = self.meta(cx).server;
        result
    }
}
