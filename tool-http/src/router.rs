//! The routes.

use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use axum::routing::{get, post};
use tool_core::{Principal, Registry, ToolDefinition};

use crate::options::Options;
use crate::refusal::Refusal;
use crate::{discovery, execution, explorer};

/// The routes of a registry: tools can be listed, understood and checked, and not run.
///
/// Nest it under any prefix of an application.
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let app: axum::Router = axum::Router::new().nest("/api", tool_http::router(registry));
/// ```
///
/// A path below the prefix that is none of its routes is 404 in the shape of its other errors. axum does not nest a
/// router with a fallback of its own under a prefix that has variables, nor merge it into one that has another: give it
/// up there, and the application answers for such paths.
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let tools = tool_http::router(registry).reset_fallback();
/// let app: axum::Router = axum::Router::new().nest("/{tenant}", tools);
/// ```
pub fn router(registry: Registry) -> Router {
    router_with(registry, Options::new())
}

/// The routes of a registry with settings, such as that tools can be run.
///
/// The router does not look at `Host`, `Origin` or who asks (every caller is [anonymous](Principal::anonymous)): that is the policy of the application that it becomes a
/// part of. A [`Server`](crate::Server) has one.
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// use tool_http::Options;
///
/// let app: axum::Router = tool_http::router_with(registry, Options::new().allow_execute(true));
/// ```
#[expect(
    clippy::needless_pass_by_value,
    reason = "a router owns what it serves, as the one without options does"
)]
pub fn router_with(registry: Registry, options: Options) -> Router {
    // Nobody has asked yet who sends a request.
    let registry = registry.as_principal(Principal::anonymous());
    Router::new()
        .route("/tools", get(discovery::list))
        .route("/tools/{name}", get(discovery::detail))
        .route("/tools/{name}/inputs", get(discovery::inputs))
        .route("/tools/{name}/validate", post(execution::validate))
        .route("/tools/{name}/call", post(execution::call))
        .merge(explorer::routes(&options))
        .method_not_allowed_fallback(async || Refusal::Method)
        .fallback(async || Refusal::NoRoute)
        .with_state(Api(Arc::new(Inner { registry, options })))
}

/// What every handler works on.
#[derive(Clone, Debug)]
pub(crate) struct Api(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    registry: Registry,
    options: Options,
}

impl Api {
    pub(crate) fn registry(&self) -> &Registry {
        &self.0.registry
    }

    pub(crate) fn options(&self) -> &Options {
        &self.0.options
    }

    /// The name of a tool that there is for this caller, whether or not it may be called.
    pub(crate) fn known<'n>(&self, name: &'n ToolName) -> Result<&'n str, Refusal> {
        if self.0.registry.knows(&name.0) { Ok(&name.0) } else { Err(Refusal::ToolNotFound(name.0.clone())) }
    }

    pub(crate) fn tool(&self, name: &ToolName) -> Result<&ToolDefinition, Refusal> {
        self.0.registry.get(&name.0).ok_or_else(|| Refusal::ToolNotFound(name.0.clone()))
    }
}

/// The name of a tool in the path, decoded once.
///
/// The prefix that the router is nested under may have variables of its own, even one of this name: the last counts.
#[derive(Debug)]
pub(crate) struct ToolName(String);

impl<S: Send + Sync> FromRequestParts<S> for ToolName {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let variables =
            RawPathParams::from_request_parts(parts, state).await.map_err(|_| Refusal::NameNotText)?;
        let name = variables.iter().filter(|(variable, _)| *variable == "name").last();
        name.map(|(_, name)| ToolName(name.to_owned())).ok_or(Refusal::NoRoute)
    }
}
