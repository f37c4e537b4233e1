//! `tools/list` and `tools/call`.

use rmcp::model::{CallToolResponse, InputResponses, ListToolsResult, Tool};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use tool_core::{FailureKind, ToolDefinition, adapter};

use crate::answer::{answer, failed_text};
use crate::asking::Round;
use crate::catalogue::bare;
use crate::discovery::Discovery;
use crate::envelope::Arguments;
use crate::era::Era;
use crate::handler::{Answered, Call, Handler, modern};
use crate::offer::Offer;
use crate::paging::{Paged, page};
use crate::results::READER;
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
            // What they do not show is read with a tool of its own.
            let reader = offer
                .tools()
                .find(|tool| tool.name() == READER && adapter::results(&offer.registry).is_some());
            let three = three.chain(reader.and_then(|tool| offer.catalogue.tool(tool.name())));
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
        let names: Vec<&str> = offer.tools().map(ToolDefinition::name).collect();
        let size = offer.catalogue.settings().page_size;
        let Paged { items, next } = page("tools/list", names, |name| name, size, cursor.as_deref())?;
        let items = items.into_iter().filter_map(|name| offer.catalogue.tool(name));
        let mut list = ListToolsResult::with_all_items(items.collect());
        list.next_cursor = next;
        if !Era::of(cx).knows_structure() {
            list.tools.iter_mut().for_each(for_clients_without_structure);
        }
        Ok(list)
    }

    pub(super) async fn call(
        &self,
        name: &str,
        arguments: &[u8],
        round: Round<'_>,
        cx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let offer = self.offer(cx).await?;
        if offer.catalogue.settings().discovery == Discovery::TwoStep {
            match enter(name, arguments, &offer, &Era::of(cx)).await {
                Some(Step::Done(mut result)) => {
                    self.sign(&mut result.meta, cx);
                    return Ok(result.into());
                }
                Some(Step::Call { tool, arguments }) => {
                    return self.called(&offer, &tool, arguments, round, cx).await;
                }
                None => {}
            }
        }
        offer.is_called(name)?;
        self.called(&offer, name, arguments, round, cx).await
    }

    async fn called(
        &self,
        offer: &Offer,
        name: &str,
        arguments: &[u8],
        round: Round<'_>,
        cx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = Call { method: "tools/call", name, arguments, round };
        let reply = match self.invoke(&offer.registry, offer.options.clone(), call, cx).await? {
            Answered::Reply(reply) => reply,
            Answered::Asks(asked) => return Ok(asked.into()),
        };
        if reply.result.as_ref().is_err_and(|failure| failure.kind() == FailureKind::NotFound)
            && let Some(absence) = offer.absence_of(name)
        {
            let mut result = failed_text(absence);
            self.sign(&mut result.meta, cx);
            return Ok(result.into());
        }
        let mut result = answer(&reply, &Era::of(cx), &offer.catalogue.settings().scheme)?;
        self.sign(&mut result.meta, cx);
        Ok(result.into())
    }

    /// A call that rmcp cannot read: its arguments are no object, and the pipeline says so, in the words that every face
    /// uses; or its answers are none, and the questions are asked again.
    pub(super) async fn call_oddly(
        &self,
        params: &Value,
        cx: &RequestContext<RoleServer>,
    ) -> Result<Value, ErrorData> {
        let arguments = Arguments::of(cx).map(Arguments::as_bytes);
        let arguments = arguments.or_else(|| params.get("arguments").is_none().then_some(&b""[..]));
        let (Some(name), Some(arguments)) = (params.get("name").and_then(Value::as_str), arguments) else {
            return Err(ErrorData::invalid_params("`name` must be a string and `arguments` an object", None));
        };
        let state = match params.get("requestState") {
            Some(state) if !state.is_null() => match state.as_str() {
                Some(state) => Some(state),
                None => return Err(ErrorData::invalid_params("`requestState` must be a string", None)),
            },
            _ => None,
        };
        let responses = params.get("inputResponses").and_then(Value::as_object);
        let responses: Option<InputResponses> = responses
            .map(|answers| answers.iter().map(|(key, answer)| (key.clone(), answer.clone())).collect());
        let round = Round { state, responses: responses.as_ref() };
        let written = match self.call(name, arguments, round, cx).await? {
            CallToolResponse::Complete(mut result) => {
                if !modern(cx) {
                    result.result_type = None;
                }
                serde_json::to_value(result)
            }
            CallToolResponse::InputRequired(asked) => serde_json::to_value(asked),
            _ => return Err(ErrorData::internal_error("internal error", None)),
        };
        written.map_err(|error| {
            tracing::error!(%error, "a result cannot be written as JSON");
            ErrorData::internal_error("internal error", None)
        })
    }
}

/// Up to 2025-03-26 a tool has no output schema, and its title is one of its hints.
fn for_clients_without_structure(tool: &mut Tool) {
    tool.output_schema = None;
    if tool.title.is_some() {
        tool.annotations.get_or_insert_default().title.clone_from(&tool.title);
    }
}
