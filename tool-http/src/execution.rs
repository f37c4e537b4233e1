//! Checking arguments, and calling tools with them.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::refusal::Refusal;
use crate::router::{Api, ToolName};
use crate::{answer, arguments, query};

/// `POST /tools/{name}/validate`: runs nothing, and so works while execution is off.
pub(crate) async fn validate(
    State(api): State<Api>,
    name: ToolName,
    request: Request,
) -> Result<Response, Refusal> {
    let tool = api.tool(&name)?;
    query::none(request.uri())?;
    let arguments = arguments::read(request, api.options()).await?;
    Ok(answer::validated(api.registry().validate(tool.name(), &arguments)))
}

/// `POST /tools/{name}/call`.
///
/// When the client goes away this future is dropped, and with it a call that modifies nothing; the registry drives a
/// modifying one to its end.
pub(crate) async fn call(
    State(api): State<Api>,
    name: Result<ToolName, Refusal>,
    request: Request,
) -> Result<Response, Refusal> {
    if !api.options().allow_execute {
        // Before anything is told about the tool.
        return Err(Refusal::ExecutionOff);
    }
    let name = name?;
    let name = api.known(&name)?;
    query::none(request.uri())?;
    let arguments = arguments::read(request, api.options()).await?;
    Ok(answer::called(&api.registry().invoke(name, &arguments).await))
}
