//! `completion/complete`.

use std::collections::HashMap;

use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, ErrorCode, Reference};
use tokio::task::spawn_blocking;
use tool_core::completion::{CompletionRequest, Completions};
use tool_core::{Failure, FailureKind, ToolDefinition, adapter};

use crate::catalog::view::CatalogView;
use crate::catalog::{PAGE_VARIABLE, Target};
use crate::custom::completions;
use crate::handlers::Handler;
use crate::protocol::{RequestContext, resource_not_found, shortened};
use crate::render::stored_result::ResultUri;

impl Handler {
    pub(crate) async fn completion(
        &self,
        request: &CompleteRequestParams,
        cx: &RequestContext,
    ) -> Result<CompleteResult, ErrorData> {
        let view = self.view(cx).await?;
        let request = request.clone();
        // The functions that complete are the application's, and may look things up.
        let looking = spawn_blocking(move || {
            let argument = CompletedArgument::of(&request);
            match &request.r#ref {
                Reference::Resource(template) => of_template(&view, &template.uri, &argument),
                reference => of_prompt(&view, reference.as_prompt_name().unwrap_or_default(), &argument),
            }
        });
        let completions = looking.await.map_err(|error| {
            tracing::error!(%error, "a completion panicked");
            ErrorData::internal_error("internal error", None)
        })??;
        let total = u32::try_from(completions.total).ok();
        let mut result = CompletionInfo::with_pagination(completions.values, total, completions.has_more)
            .map(CompleteResult::new)
            .map_err(|_| ErrorData::internal_error("internal error", None))?;
        self.sign(&mut result.meta, cx);
        Ok(result)
    }
}

/// What is to be completed, and what is known beside it.
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

    fn completion_request(&self) -> CompletionRequest<'r> {
        let others = self.others.into_iter().flatten();
        others.fold(CompletionRequest::new(self.value), |request, (name, text)| {
            request.with_argument(name, text)
        })
    }
}

/// For a variable of a resource template, which is called as it stands in the list.
fn of_template(
    view: &CatalogView,
    uri: &str,
    argument: &CompletedArgument<'_>,
) -> Result<Completions, ErrorData> {
    if uri == ResultUri::parts(&view.catalog.settings().scheme) && adapter::results(&view.registry).is_some()
    {
        // A digest is known from what it stands for, and what is kept is nobody else's business.
        return Ok(Completions::default());
    }
    let (pattern, target) =
        view.catalog.places().routes.template(uri).ok_or_else(|| resource_not_found(uri))?;
    if matches!(target, Target::Tool(name) if !adapter::contains(&view.registry, name)) {
        return Err(resource_not_found(uri));
    }
    let Some(variable) = pattern.variable(argument.name) else {
        let variables: Vec<&str> = pattern.variables().collect();
        let name = shortened(argument.name);
        let message = format!("`{name}` is no variable of {uri}: it has `{}`", variables.join("`, `"));
        return Err(ErrorData::invalid_params(message, None));
    };
    match target {
        Target::Tool(name) => {
            let completed = adapter::complete(&view.registry, name, variable, argument.completion_request());
            completed.map_err(|failure| failed(&failure, uri))
        }
        Target::Page if variable == PAGE_VARIABLE => {
            let typed = argument.value.to_lowercase();
            let names = view.callable().map(ToolDefinition::name);
            let fitting = names.filter(|name| name.to_lowercase().starts_with(&typed)).map(str::to_owned);
            Ok(first(fitting.collect()))
        }
        &Target::Template(position) => {
            let template = view.catalog.settings().templates.get(position);
            let completing = template.and_then(|template| template.completions.get(variable));
            Ok(first(completing.map_or(Vec::new(), |completing| completions(completing, argument.value))))
        }
        Target::Result => Ok(Completions::default()),
        Target::Page | Target::Tools | Target::Resource(_) => Err(resource_not_found(uri)),
    }
}

/// For an argument of a prompt.
fn of_prompt(
    view: &CatalogView,
    name: &str,
    argument: &CompletedArgument<'_>,
) -> Result<Completions, ErrorData> {
    let Some(prompt) = view.catalog.settings().prompts.get(name) else {
        return of_declared(view, name, argument);
    };
    let Some(completing) = prompt.completing(argument.name) else {
        let message = format!("`{}` is no argument of `{name}`", shortened(argument.name));
        return Err(ErrorData::invalid_params(message, None));
    };
    Ok(first(completing.map_or(Vec::new(), |completing| completions(completing, argument.value))))
}

/// For an argument of a prompt of the registry.
fn of_declared(
    view: &CatalogView,
    name: &str,
    argument: &CompletedArgument<'_>,
) -> Result<Completions, ErrorData> {
    adapter::complete_prompt(&view.registry, name, argument.name, argument.completion_request()).map_err(
        |failure| match failure.kind() {
            FailureKind::NotFound => {
                ErrorData::invalid_params(format!("Prompt not found: {}", shortened(name)), None)
            }
            FailureKind::Input => {
                let message = format!("`{}` is no argument of `{name}`", shortened(argument.name));
                ErrorData::invalid_params(message, None)
            }
            _ => refused(&failure),
        },
    )
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
        FailureKind::NotFound => resource_not_found(uri),
        _ => refused(failure),
    }
}

fn refused(failure: &Failure) -> ErrorData {
    let code = failure.kind().codes().mcp_read.code(true).map_or(ErrorCode::INTERNAL_ERROR, ErrorCode);
    ErrorData::new(code, failure.message().to_owned(), None)
}
