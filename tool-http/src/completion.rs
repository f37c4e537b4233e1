//! Completion of input values.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use axum::http::StatusCode;
use axum::response::Response;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use tool_core::completion::{CompletionRequest, Completions};
use tool_core::{CallId, Failure, FailureKind, adapter};

use crate::error::ApiError;
use crate::json::json;
use crate::request_context::{RequestContext, find_tool};
use crate::{query, response};

/// `POST /tools/{name}/complete`: suggests values for an input, like `completion/complete` of MCP.
///
/// Suggestions may come from stored state, so only callers who may call the tool get them.
pub(crate) async fn complete(mut context: RequestContext) -> Result<Response, ApiError> {
    if !context.api.options().allow_execute {
        return Err(ApiError::ExecutionDisabled);
    }
    let caller = context.caller().await?;
    let name = context.tool_name().await?;
    let tools = context.tools(caller).await?;
    let name = find_tool(&tools, &name)?.name().to_owned();
    query::expect_empty(&context.head.uri)?;
    let body = context.arguments().await?;
    let Object(request): Object<CompleteRequest> =
        serde_json::from_slice(&body).map_err(|error| ApiError::InvalidBody(error.to_string()))?;
    let input = &request.argument.0.name;
    match adapter::complete(&tools, &name, input, request.completion_request()).await {
        Ok(completions) => Ok(json(StatusCode::OK, &CompletionResponse::from(completions))),
        Err(failure) if failure.kind() == FailureKind::Input => Err(unknown_input(&failure)),
        Err(failure) => Ok(response::failure_response(&failure, CallId::new())),
    }
}

fn unknown_input(failure: &Failure) -> ApiError {
    let message = failure.problems().first().map_or(failure.message(), |problem| &problem.message);
    ApiError::InputNotFound(message.to_owned())
}

/// A completion request, in the format of MCP.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CompleteRequest {
    argument: Object<Argument>,
    #[serde(default)]
    context: Object<Context>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Argument {
    name: String,
    value: String,
}

/// The values of other inputs.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Context {
    arguments: BTreeMap<String, String>,
}

impl CompleteRequest {
    fn completion_request(&self) -> CompletionRequest<'_> {
        let request = CompletionRequest::new(&self.argument.0.value);
        self.context
            .0
            .arguments
            .iter()
            .fold(request, |request, (name, text)| request.with_argument(name, text))
    }
}

/// A struct that is only read from an object: serde also accepts a list of its fields.
#[derive(Default)]
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(members)).map(Object)
            }
        }

        deserializer.deserialize_map(Members(PhantomData))
    }
}

/// The response, in the format of MCP.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CompletionResponse {
    values: Vec<String>,
    total: usize,
    has_more: bool,
}

impl From<Completions> for CompletionResponse {
    fn from(completions: Completions) -> Self {
        let Completions { values, total, has_more, .. } = completions;
        CompletionResponse { values, total, has_more }
    }
}
