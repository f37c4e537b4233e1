//! Completing what is typed for an input.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use tool_core::{CallId, Completions, Failure, Typed};

use crate::asking::{Asking, listed};
use crate::refusal::Refusal;
use crate::{answer, query};

/// `POST /tools/{name}/complete`: values that could complete what is typed for an input, as `completion/complete` of MCP has them.
///
/// They may come from stored state, so that only a caller is answered who may call the tool.
pub(crate) async fn complete(mut asking: Asking) -> Result<Response, Refusal> {
    if !asking.api.options().allow_execute {
        return Err(Refusal::ExecutionOff);
    }
    let caller = asking.caller().await?;
    let name = asking.name().await?;
    let tools = asking.tools(caller).await?;
    let name = listed(&tools, &name)?.name().to_owned();
    query::none(&asking.head.uri)?;
    let body = asking.arguments().await?;
    let request: Request = serde_json::from_slice(&body).map_err(|error| Refusal::Body(error.to_string()))?;
    // The functions that complete are the application's, and may look things up.
    let complete = move || tools.complete(&name, &request.argument.name, request.typed());
    let completed = tokio::task::spawn_blocking(complete).await.unwrap_or_else(|_| Err(Failure::internal()));
    Ok(match completed {
        Ok(completions) => answer::json(StatusCode::OK, &Proposed::from(completions)),
        Err(failure) => answer::failed(&failure, CallId::new()),
    })
}

/// What is typed, in the shape of the parameters of `completion/complete`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    argument: Argument,
    #[serde(default)]
    context: Context,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Argument {
    name: String,
    value: String,
}

/// What was given for other inputs.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Context {
    arguments: BTreeMap<String, String>,
}

impl Request {
    fn typed(&self) -> Typed<'_> {
        let typed = Typed::new(&self.argument.value);
        self.context.arguments.iter().fold(typed, |typed, (name, text)| typed.given(name, text))
    }
}

/// The answer, in the shape of MCP's.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Proposed {
    values: Vec<String>,
    total: usize,
    has_more: bool,
}

impl From<Completions> for Proposed {
    fn from(completions: Completions) -> Self {
        let Completions { values, total, has_more, .. } = completions;
        Proposed { values, total, has_more }
    }
}
