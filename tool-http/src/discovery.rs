//! What can be known of the tools before any is called.

use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use serde::Serialize;
use serde_json::Value;
use tool_core::{Annotations, Operation, ToolDefinition};

use crate::answer::json;
use crate::query::{self, Listing};
use crate::refusal::Refusal;
use crate::router::{Api, ToolName};

/// `GET /tools`.
pub(crate) async fn list(State(api): State<Api>, uri: Uri) -> Result<Response, Refusal> {
    let listing = Listing::parse(&uri)?;
    let tools = api.registry().tools().filter(|tool| listing.holds(tool));
    Ok(if listing.full {
        json(StatusCode::OK, &tools.map(Detail::of).collect::<Vec<_>>())
    } else {
        json(StatusCode::OK, &tools.map(Summary::of).collect::<Vec<_>>())
    })
}

/// `GET /tools/{name}`.
pub(crate) async fn detail(State(api): State<Api>, name: ToolName, uri: Uri) -> Result<Response, Refusal> {
    let tool = api.tool(&name)?;
    query::none(&uri)?;
    Ok(json(StatusCode::OK, &Detail::of(tool)))
}

/// `GET /tools/{name}/inputs`.
pub(crate) async fn inputs(State(api): State<Api>, name: ToolName, uri: Uri) -> Result<Response, Refusal> {
    let tool = api.tool(&name)?;
    query::none(&uri)?;
    Ok(json(StatusCode::OK, &tool.inputs()))
}

/// A tool in a list.
#[derive(Serialize)]
struct Summary<'t> {
    name: &'t str,
    description: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<&'t Annotations>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<Operation>,
}

impl<'t> Summary<'t> {
    fn of(tool: &'t ToolDefinition) -> Self {
        Summary {
            name: tool.name(),
            description: tool.description(),
            annotations: tool.annotations(),
            title: tool.title(),
            operation: tool.operation(),
        }
    }
}

/// Everything about a tool.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Detail<'t> {
    name: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'t str>,
    description: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<&'t Annotations>,
    input_schema: &'t Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<&'t Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<Operation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modifying: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    idempotent: Option<bool>,
    digest: String,
}

impl<'t> Detail<'t> {
    fn of(tool: &'t ToolDefinition) -> Self {
        let operation = tool.operation();
        Detail {
            name: tool.name(),
            title: tool.title(),
            description: tool.description(),
            annotations: tool.annotations(),
            input_schema: tool.input_schema(),
            output_schema: tool.output_schema(),
            operation,
            // Without an operation nothing is known of these, and what is not known is left out.
            modifying: operation.map(Operation::modifies),
            idempotent: operation.map(|_| tool.idempotent()),
            digest: tool.digest().to_string(),
        }
    }
}
