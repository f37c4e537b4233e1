//! `completion/complete`.

use std::collections::HashMap;

use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, ErrorCode, Reference};
use tokio::task::spawn_blocking;
use tool_core::completion::{CompletionRequest, Completions};
use tool_core::{Failure, FailureKind, ToolDefinition, adapter};

use crate::catalog::view::CatalogView;
use crate::catalog::{PAGE_VARIABLE, Target};
use crate::custom::{Completer, complete};
use crate::handlers::Handler;
use crate::protocol::{
    RequestContext, RpcResult, internal_error, invalid_params, resource_not_found, shortened,
};
use crate::render::stored_result::ResultUri;

impl Handler {
    pub(crate) async fn completion(
        &self,
        request: &CompleteRequestParams,
        cx: &RequestContext,
    ) -> RpcResult<CompleteResult> {
        let view = self.view(cx).await?;
        let argument = CompletedArgument::of(request);
        let completions = match &request.r#ref {
            Reference::Resource(template) => of_template(&view, &template.uri, &argument).await?,
            reference => of_prompt(&view, reference.as_prompt_name().unwrap_or_default(), &argument).await?,
        };
        let total = u32::try_from(completions.total).ok();
        let mut result = CompletionInfo::with_pagination(completions.values, total, completions.has_more)
            .map(CompleteResult::new)
            .map_err(|_| internal_error())?;
        self.sign(&mut result.meta, cx);
        Ok(result)
    }
}

/// The argument or variable to complete, and the values of the others.
struct CompletedArgument<'r> {
    name: &'r str,
    value: &'r str,
    others: Option<&'r HashMap<String, String>>,
}

impl<'r> CompletedArgument<'r> {
    fn of(request: &'r CompleteRequestParams) -> Self {
        let others = request.context.as_ref().and_then(|context| context.arguments.as_ref());
        CompletedArgument { name: &request.argument.name, value: &request.argument.value, others }
    }

    fn request(&self) -> CompletionRequest<'r> {
        let others = self.others.into_iter().flatten();
        others.fold(CompletionRequest::new(self.value), |request, (name, text)| {
            request.with_argument(name, text)
        })
    }

    /// Returns the values of a completer of the application, if there is one. It may block.
    async fn values_of(&self, completer: Option<&Completer>) -> RpcResult<Completions> {
        let Some(completer) = completer.cloned() else { return Ok(Completions::default()) };
        let typed = self.value.to_owned();
        let values = spawn_blocking(move || complete(&completer, &typed)).await;
        // A task is canceled only when the runtime shuts down.
        values.map(first).map_err(|_| internal_error())
    }
}

/// Completes a variable of a resource template, given as it is listed.
async fn of_template(
    view: &CatalogView,
    uri: &str,
    argument: &CompletedArgument<'_>,
) -> RpcResult<Completions> {
    let settings = &view.catalog.settings;
    if uri == ResultUri::parts(&settings.scheme) && adapter::results(&view.registry).is_some() {
        // The digests of stored results are not listed.
        return Ok(Completions::default());
    }
    let (pattern, target) =
        view.catalog.resources().routes.template(uri).ok_or_else(|| resource_not_found(uri))?;
    if matches!(target, Target::Tool(name) if !adapter::contains(&view.registry, name)) {
        return Err(resource_not_found(uri));
    }
    let Some(variable) = pattern.variable(argument.name) else {
        let variables: Vec<&str> = pattern.variables().collect();
        let (name, variables) = (shortened(argument.name), variables.join("`, `"));
        return Err(invalid_params(format!("`{name}` is not a variable of {uri}: it has `{variables}`")));
    };
    match target {
        Target::Tool(name) => {
            let completions = adapter::complete(&view.registry, name, variable, argument.request()).await;
            completions.map_err(|failure| match failure.kind() {
                FailureKind::NotFound => resource_not_found(uri),
                _ => refused(&failure),
            })
        }
        Target::Page if variable == PAGE_VARIABLE => {
            let typed = argument.value.to_lowercase();
            let names = view.callable().map(ToolDefinition::name);
            let matching = names.filter(|name| name.to_lowercase().starts_with(&typed)).map(str::to_owned);
            Ok(first(matching.collect()))
        }
        &Target::Template(position) => {
            let template = settings.templates.get(position);
            argument.values_of(template.and_then(|template| template.completers.get(variable))).await
        }
        Target::Result => Ok(Completions::default()),
        Target::Page | Target::Tools | Target::Ui(_) | Target::Resource(_) => Err(resource_not_found(uri)),
    }
}

/// Completes an argument of a prompt.
async fn of_prompt(
    view: &CatalogView,
    name: &str,
    argument: &CompletedArgument<'_>,
) -> RpcResult<Completions> {
    let unknown = || invalid_params(format!("`{}` is not an argument of `{name}`", shortened(argument.name)));
    if let Some(prompt) = view.catalog.settings.prompts.get(name) {
        return argument.values_of(prompt.completer(argument.name).ok_or_else(unknown)?).await;
    }
    let completions = adapter::complete_prompt(&view.registry, name, argument.name, argument.request()).await;
    completions.map_err(|failure| match failure.kind() {
        FailureKind::NotFound => invalid_params(format!("Prompt not found: {}", shortened(name))),
        FailureKind::Input => unknown(),
        _ => refused(&failure),
    })
}

/// Returns as many values as a response may have.
fn first(mut values: Vec<String>) -> Completions {
    let mut completions = Completions::default();
    completions.total = values.len();
    completions.has_more = values.len() > CompletionInfo::MAX_VALUES;
    values.truncate(CompletionInfo::MAX_VALUES);
    completions.values = values;
    completions
}

fn refused(failure: &Failure) -> ErrorData {
    let code = failure.kind().codes().mcp_read.code(true).map_or(ErrorCode::INTERNAL_ERROR, ErrorCode);
    ErrorData::new(code, failure.message().to_owned(), None)
}
