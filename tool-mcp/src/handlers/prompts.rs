//! `prompts/list` and `prompts/get`.

use rmcp::ErrorData;
use rmcp::model::{ErrorCode, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::{Value, json};
use tool_core::schema::NativeSchema;
use tool_core::{Failure, FailureKind, Principal, PromptDefinition, adapter};
use tracing::Instrument as _;

use crate::custom::{DynamicPrompt, Request, handle};
use crate::elicitation::{CallIdentity, Round};
use crate::handlers::{CallOutcome, Handler};
use crate::paging::page;
use crate::protocol::{Era, RequestContext, RpcResponse, RpcResult, invalid_params};
use crate::render::call_result::block;
use crate::render::read_error::{problem_lines, read_error};
use crate::signature::{shown_default, type_name};

impl Handler {
    pub(crate) async fn prompts(&self, cursor: Option<&str>, cx: &RequestContext) -> RpcResult<RpcResponse> {
        let view = self.view(cx).await?;
        let settings = &view.catalog.settings;
        let declared = adapter::callable_prompts(&view.registry)
            .filter(|prompt| !settings.prompts.contains_key(prompt.name()))
            .map(listed);
        let dynamic = settings.prompts.values().map(DynamicPrompt::listed);
        let mut all: Vec<Prompt> = declared.chain(dynamic).collect();
        all.sort_by(|one, other| one.name.cmp(&other.name));
        let page = page("prompts/list", all, |prompt| &prompt.name, settings.page_size, cursor)?;
        Ok(self.list("prompts", page, cx))
    }

    pub(crate) async fn prompt(
        &self,
        name: &str,
        arguments: Option<JsonObject>,
        round: Round<'_>,
        cx: &RequestContext,
    ) -> RpcResult<CallOutcome<GetPromptResult>> {
        let view = self.view(cx).await?;
        let caller = view.registry.principal();
        if view.catalog.settings.prompts.contains_key(name) || view.registry.prompt(name).is_some() {
            cx.operation.set_target(name);
        }
        let span = cx.operation.span.clone();
        let outcome = if let Some(prompt) = view.catalog.settings.prompts.get(name) {
            let got = get_dynamic(prompt, arguments.unwrap_or_default(), caller);
            CallOutcome::Done(got.instrument(span).await?)
        } else {
            let arguments = arguments.map_or(Value::Null, Value::Object);
            let text = arguments.to_string();
            let (method, principal) = ("prompts/get", caller.id());
            let call = CallIdentity { method, name, arguments: text.as_bytes(), principal };
            let run =
                async |options: &_| view.registry.get_prompt_with(name, arguments, options).await.result;
            let got = self.run(call, round, view.options.clone(), cx, run, |result| result.as_ref().err());
            got.instrument(span).await?
        };
        outcome.and_then(|prompt| {
            cx.record_prompt_denial(&view.registry, name, &prompt);
            let mut result = result(prompt.map_err(|failure| failed(&failure))?, &cx.era);
            self.sign(&mut result.meta, cx);
            Ok(result)
        })
    }
}

async fn get_dynamic(
    prompt: &DynamicPrompt,
    arguments: JsonObject,
    principal: &Principal,
) -> RpcResult<Result<tool_core::Prompt, Failure>> {
    let values = prompt.read(arguments).map_err(|faults| invalid_params(faults.join("\n")))?;
    Ok(handle(&prompt.handler, Request::new(&prompt.name, values, principal.clone())).await)
}

/// Returns a prompt as MCP has it.
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
    let mut described = match hint(native) {
        Some(hint) if description.is_empty() => hint,
        Some(hint) => format!("{description} ({hint})"),
        None => description.to_owned(),
    };
    for line in allowed(native) {
        if !described.is_empty() {
            described.push('\n');
        }
        described.push_str(&line);
    }
    argument.description = Some(described).filter(|description| !description.is_empty());
    argument
}

/// Returns a line for each allowed value of an argument or of the items of a list.
fn allowed(native: &NativeSchema) -> impl Iterator<Item = String> {
    let of_items = native.items.as_deref().filter(|_| native.kind == "list");
    let natives = [Some(native), of_items].into_iter().flatten().filter(|native| !native.secret);
    natives.flat_map(|native| &native.allowed).map(|allowed| {
        let value = allowed.value.as_str().map_or_else(|| allowed.value.to_string(), str::to_owned);
        let words = allowed.description.as_deref().unwrap_or_default().split_whitespace();
        let words: Vec<&str> = words.collect();
        if words.is_empty() { format!("- `{value}`") } else { format!("- `{value}`: {}", words.join(" ")) }
    })
}

/// Returns how to write a value of another type as a text, and its default.
fn hint(native: &NativeSchema) -> Option<String> {
    let syntax = match (native.kind, native.items.as_deref().map(|items| items.kind)) {
        ("string", _) => None,
        ("list", Some("string")) => Some("list[string]: JSON, or separated by commas".to_owned()),
        ("list" | "map", _) => Some(format!("{}: JSON", type_name(native))),
        _ => Some(type_name(native)),
    };
    let default = shown_default(native).map(|default| format!("default {default}"));
    let hints: Vec<String> = syntax.into_iter().chain(default).collect();
    Some(hints.join("; ")).filter(|hints| !hints.is_empty())
}

/// Returns the error of a prompt that failed. Invalid arguments are listed by name.
fn failed(failure: &Failure) -> ErrorData {
    let mut data = JsonObject::new();
    let mut message = failure.message().to_owned();
    if !failure.problems().is_empty() {
        data.insert("problems".to_owned(), json!(failure.problems()));
        if failure.kind() == FailureKind::Input {
            message = problem_lines(failure).join("\n");
        }
    }
    // An unknown prompt is an invalid parameter in both eras.
    read_error(failure, message, data, ErrorCode::INVALID_PARAMS)
}
