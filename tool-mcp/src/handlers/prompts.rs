//! `prompts/list` and `prompts/get`.

use rmcp::ErrorData;
use rmcp::model::{
    ErrorCode, GetPromptResult, JsonObject, ListPromptsResult, Prompt, PromptArgument, PromptMessage, Role,
};
use serde_json::{Value, json};
use tool_core::failure::McpAnswer;
use tool_core::schema::NativeSchema;
use tool_core::{Failure, FailureKind, Principal, PromptDefinition, adapter};

use crate::call_notifications::with_notifications;
use crate::custom::{DynamicPrompt, Request, ask};
use crate::elicitation::{Inquirer, Round, Subject};
use crate::handlers::{Answered, Handler};
use crate::paging::page;
use crate::protocol::{Era, RequestContext};
use crate::render::call_result::{block, retry_as_is};
use crate::signature::{shown_default, type_name};

impl Handler {
    pub(crate) async fn prompts(
        &self,
        cursor: Option<String>,
        cx: &RequestContext,
    ) -> Result<ListPromptsResult, ErrorData> {
        let view = self.view(cx).await?;
        let dynamic = &view.catalog.settings().prompts;
        let declared = adapter::callable_prompts(&view.registry)
            .filter(|prompt| !dynamic.contains_key(prompt.name()))
            .map(listed);
        let mut all: Vec<Prompt> = declared.chain(dynamic.values().map(DynamicPrompt::listed)).collect();
        all.sort_by(|one, other| one.name.cmp(&other.name));
        let size = view.catalog.settings().page_size;
        let page = page("prompts/list", all, |prompt| &prompt.name, size, cursor.as_deref())?;
        let mut list = ListPromptsResult::with_all_items(page.items);
        list.next_cursor = page.next;
        self.sign(&mut list.meta, cx);
        if cx.era.is_modern() {
            list = list.with_ttl_ms(self.views.fresh_for_ms()).with_cache_scope(cx.scope());
        }
        Ok(list)
    }

    pub(crate) async fn prompt(
        &self,
        name: &str,
        arguments: Option<JsonObject>,
        round: Round<'_>,
        cx: &RequestContext,
    ) -> Result<Answered<GetPromptResult>, ErrorData> {
        let view = self.view(cx).await?;
        if let Some(prompt) = view.catalog.settings().prompts.get(name) {
            let mut made = made(prompt, arguments.unwrap_or_default(), view.registry.principal(), cx).await?;
            self.sign(&mut made.meta, cx);
            return Ok(Answered::Reply(made));
        }
        let arguments = arguments.map_or(Value::Null, Value::Object);
        let text = arguments.to_string();
        let (method, principal) = ("prompts/get", view.registry.principal().id());
        let subject = Subject { method, name, arguments: text.as_bytes(), principal };
        let inquirer = Inquirer::of(subject, round, &self.seal, cx)?;
        let options = view.options.client(inquirer.client());
        let call = with_notifications(options, cx, async |options| {
            view.registry.get_prompt_with(name, arguments, options).await
        });
        let prompt = call.await.result;
        let input_required =
            prompt.as_ref().err().and_then(|failure| inquirer.answer(failure, subject, &self.seal));
        match self.input_required_or(input_required, prompt, cx)? {
            Answered::Reply(Ok(prompt)) => {
                let mut result = result(prompt, &cx.era);
                self.sign(&mut result.meta, cx);
                Ok(Answered::Reply(result))
            }
            Answered::Reply(Err(failure)) => Err(failed(&failure)),
            Answered::Asks(input_required) => Ok(Answered::Asks(input_required)),
        }
    }
}

/// What a prompt that is written by hand comes to.
async fn made(
    prompt: &DynamicPrompt,
    arguments: JsonObject,
    principal: &Principal,
    cx: &RequestContext,
) -> Result<GetPromptResult, ErrorData> {
    let values = prompt.read(arguments);
    let values = values.map_err(|faults| ErrorData::invalid_params(faults.join("\n"), None))?;
    let request = Request::new(&prompt.name, values, principal.clone());
    let prompt = ask(&prompt.make, request).await;
    prompt.map(|prompt| result(prompt, &cx.era)).map_err(|failure| failed(&failure))
}

/// A prompt in the shape of MCP.
fn result(prompt: tool_core::Prompt, era: &Era) -> GetPromptResult {
    let message = |message: tool_core::PromptMessage| {
        let role = match message.role {
            tool_core::Role::User => Role::User,
            tool_core::Role::Assistant => Role::Assistant,
        };
        PromptMessage::new(role, block(&message.content, era))
    };
    let mut result = GetPromptResult::new(prompt.messages.into_iter().map(message).collect());
    result.description = prompt.description;
    result
}

fn listed(prompt: &PromptDefinition) -> Prompt {
    let arguments: Vec<PromptArgument> = prompt.arguments().iter().map(argument).collect();
    let arguments = Some(arguments).filter(|arguments| !arguments.is_empty());
    let mut listed = Prompt::new(prompt.name(), Some(prompt.description()), arguments);
    listed.title = prompt.title().map(str::to_owned);
    listed
}

fn argument(native: &NativeSchema) -> PromptArgument {
    let mut argument = PromptArgument::new(native.name.as_deref().unwrap_or_default())
        .with_required(native.required.unwrap_or(false));
    let description = native.description.as_deref().unwrap_or_default();
    let described = match hint(native) {
        Some(hint) if description.is_empty() => hint,
        Some(hint) => format!("{description} ({hint})"),
        None => description.to_owned(),
    };
    argument.description = Some(described).filter(|description| !description.is_empty());
    argument
}

/// What somebody must know who fills in a text for a value of another type.
fn hint(native: &NativeSchema) -> Option<String> {
    let spelled = match (native.kind, native.items.as_deref().map(|items| items.kind)) {
        ("string", _) => None,
        ("list", Some("string")) => Some("list[string]: JSON, or separated by commas".to_owned()),
        ("list" | "map", _) => Some(format!("{}: JSON", type_name(native))),
        _ => Some(type_name(native)),
    };
    let default = shown_default(native).map(|default| format!("default {default}"));
    let hints: Vec<String> = spelled.into_iter().chain(default).collect();
    Some(hints.join("; ")).filter(|hints| !hints.is_empty())
}

/// Why there are no messages. What is wrong with the arguments is told by their names.
fn failed(failure: &Failure) -> ErrorData {
    let problems = failure.problems();
    let mut data: JsonObject = retry_as_is(failure).map(|(key, value)| (key.to_owned(), value)).collect();
    if !problems.is_empty() {
        data.insert("problems".to_owned(), json!(problems));
    }
    let lines = problems
        .iter()
        .map(|problem| format!("`{}`: {}", problem.path.trim_start_matches('/'), problem.message));
    let message = match failure.kind() {
        FailureKind::Input if !problems.is_empty() => lines.collect::<Vec<_>>().join("\n"),
        _ => failure.message().to_owned(),
    };
    let code = match failure.kind().codes().mcp_read {
        // A prompt that is not there is an invalid parameter in both eras.
        McpAnswer::NotFound => ErrorCode::INVALID_PARAMS,
        // A client that knows of capabilities was told before which one it lacks.
        McpAnswer::Capability => ErrorCode::INTERNAL_ERROR,
        answer => ErrorCode(answer.code(true).unwrap_or(ErrorCode::INTERNAL_ERROR.0)),
    };
    ErrorData::new(code, message, (!data.is_empty()).then(|| data.into()))
}
