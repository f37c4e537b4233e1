//! `completion/complete`.

use rmcp::ErrorData;
use rmcp::model::{
    ArgumentInfo, CompleteRequestParams, CompleteResult, CompletionInfo, ErrorCode, Reference,
};
use serde_json::Value;
use tool_core::{Completions, Failure, FailureKind, NativeSchema, ToolDefinition};

use crate::catalogue::{PAGE_VARIABLE, Target};
use crate::handler::Handler;
use crate::offer::Offer;
use crate::reading::{not_found, shortened};
use crate::written::completions;

impl Handler {
    pub(super) async fn completion(
        &self,
        request: &CompleteRequestParams,
    ) -> Result<CompleteResult, ErrorData> {
        let offer = self.offers.now().await?;
        let completions = match &request.r#ref {
            Reference::Resource(template) => of_template(&offer, &template.uri, &request.argument)?,
            reference => {
                of_prompt(&offer, reference.as_prompt_name().unwrap_or_default(), &request.argument)?
            }
        };
        let total = u32::try_from(completions.total).ok();
        CompletionInfo::with_pagination(completions.values, total, completions.has_more)
            .map(CompleteResult::new)
            .map_err(|_| ErrorData::internal_error("internal error", None))
    }
}

/// For a variable of a resource template, which is called as it stands in the list.
fn of_template(offer: &Offer, uri: &str, argument: &ArgumentInfo) -> Result<Completions, ErrorData> {
    let (pattern, target) = offer.catalogue.places().routes.template(uri).ok_or_else(|| not_found(uri))?;
    let Some(variable) = pattern.variable(&argument.name) else {
        let known: Vec<&str> = pattern.variables().collect();
        let name = shortened(&argument.name);
        let message = format!("`{name}` is no variable of {uri}: it has `{}`", known.join("`, `"));
        return Err(ErrorData::invalid_params(message, None));
    };
    match target {
        Target::Tool(name) => {
            offer.registry.complete(name, variable, &argument.value).map_err(|failure| failed(&failure, uri))
        }
        Target::Page if variable == PAGE_VARIABLE => {
            let typed = argument.value.to_lowercase();
            let names = offer.callable().map(ToolDefinition::name);
            let fitting = names.filter(|name| name.to_lowercase().starts_with(&typed)).map(str::to_owned);
            Ok(first(fitting.collect()))
        }
        &Target::Template(position) => {
            let template = offer.catalogue.settings().templates.get(position);
            let completing = template.and_then(|template| template.completions.get(variable));
            Ok(first(completing.map_or(Vec::new(), |completing| completions(completing, &argument.value))))
        }
        Target::Page | Target::Tools | Target::Resource(_) => Err(not_found(uri)),
    }
}

/// For an argument of a prompt.
fn of_prompt(offer: &Offer, name: &str, argument: &ArgumentInfo) -> Result<Completions, ErrorData> {
    let Some(prompt) = offer.catalogue.settings().prompts.get(name) else {
        return of_declared(offer, name, argument);
    };
    let Some(completing) = prompt.completing(&argument.name) else {
        let message = format!("`{}` is no argument of `{name}`", shortened(&argument.name));
        return Err(ErrorData::invalid_params(message, None));
    };
    Ok(first(completing.map_or(Vec::new(), |completing| completions(completing, &argument.value))))
}

/// For an argument of a prompt of the registry: the values that its schema allows.
fn of_declared(offer: &Offer, name: &str, argument: &ArgumentInfo) -> Result<Completions, ErrorData> {
    let Some(prompt) = offer.registry.prompt(name) else {
        let message = format!("Prompt not found: {}", shortened(name));
        return Err(ErrorData::invalid_params(message, None));
    };
    let known = prompt.arguments().iter().find(|known| known.name.as_deref() == Some(&argument.name));
    let Some(native) = known else {
        let message = format!("`{}` is no argument of `{name}`", shortened(&argument.name));
        return Err(ErrorData::invalid_params(message, None));
    };
    let mut values = Vec::new();
    allowed(native, &mut values);
    let typed = argument.value.to_lowercase();
    values.retain(|value| value.to_lowercase().starts_with(&typed));
    Ok(first(values))
}

/// The values that a schema allows, where these are few.
fn allowed(native: &NativeSchema, values: &mut Vec<String>) {
    if native.kind == "boolean" {
        values.extend(["true", "false"].map(str::to_owned));
    }
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    values.extend(native.allowed.iter().map(|allowed| text(&allowed.value)));
    native.variants.iter().for_each(|variant| allowed(variant, values));
}

/// As many values as an answer may have.
fn first(mut values: Vec<String>) -> Completions {
    let mut completions = Completions::default();
    completions.total = values.len();
    completions.has_more = values.len() > CompletionInfo::MAX_VALUES;
    values.truncate(CompletionInfo::MAX_VALUES);
    completions.values = values;
    completions
}

fn failed(failure: &Failure, uri: &str) -> ErrorData {
    match failure.kind() {
        FailureKind::NotFound => not_found(uri),
        kind => {
            let code = kind.codes().mcp_read.code(true).map_or(ErrorCode::INTERNAL_ERROR, ErrorCode);
            ErrorData::new(code, failure.message().to_owned(), None)
        }
    }
}
