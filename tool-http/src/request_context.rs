//! A request on its way to its answer: who sends it, and which tools there are for that caller.

use axum::body::Body;
use axum::extract::{FromRequestParts as _, RawPathParams, Request};
use axum::http::request::Parts;
use axum::response::Response;
use bytes::Bytes;
use tool_core::{CallOptions, Extensions, Principal, Registry, ToolDefinition};

use crate::api::Api;
use crate::cache_control::CacheControl;
use crate::error::ApiError;
use crate::representation::Representation;
use crate::{authentication, body};

/// A request to one of the routes. It is lent to one at a time, because a body is not `Sync`.
pub(crate) struct RequestContext {
    pub(crate) api: Api,
    pub(crate) head: Parts,
    body: Body,
    cache_control: CacheControl,
}

impl RequestContext {
    pub(crate) fn new(api: Api, request: Request) -> Self {
        let (head, body) = request.into_parts();
        let cache_control =
            CacheControl { depends_on_caller: api.options().authenticator.is_some(), private: false };
        RequestContext { api, head, body, cache_control }
    }

    /// Who looks for tools. Anybody may, unless discovery is protected; who says who it is sees what it may see, and who
    /// says so wrongly what everybody sees.
    pub(crate) async fn viewer(&mut self) -> Result<Principal, ApiError> {
        let options = self.api.options();
        let viewer = if options.protect_discovery {
            Some(authentication::require(options, &self.head).await?)
        } else {
            authentication::authenticate_optional(options, &self.head).await
        };
        self.cache_control.private = viewer.is_some();
        Ok(viewer.unwrap_or_else(Principal::anonymous))
    }

    /// Who calls: nobody known where nobody is asked.
    pub(crate) async fn caller(&mut self) -> Result<Principal, ApiError> {
        Ok(authentication::authenticate(self.api.options(), &self.head)
            .await?
            .unwrap_or_else(Principal::anonymous))
    }

    /// For whom the answer is, once the viewer is known.
    pub(crate) fn cache_control(&self) -> CacheControl {
        self.cache_control
    }

    /// Whether a list holds only what the caller may call.
    pub(crate) fn is_protected(&self) -> bool {
        self.api.options().protect_discovery
    }

    /// The answer to a `GET`.
    pub(crate) fn respond(&self, representation: &Representation) -> Response {
        let mut response = representation.to_response(&self.head.headers);
        self.cache_control.apply(response.headers_mut());
        response
    }

    /// The tools that there are now, as this caller sees them. This is the one place where the provider is asked.
    pub(crate) async fn tools(&mut self, caller: Principal) -> Result<Registry, ApiError> {
        Ok(self.api.tools().await?.as_principal(caller))
    }

    /// Takes the options of the call out of the request: its trace, and what the layers of the application have put into it.
    pub(crate) fn call_options(&mut self) -> CallOptions {
        // An invalid header counts as none (W3C Trace Context, section 2.3).
        let trace = self.head.headers.get("traceparent").and_then(|trace| trace.to_str().ok()?.parse().ok());
        let extensions = Extensions::from(std::mem::take(&mut self.head.extensions));
        CallOptions::new().trace(trace).extensions(extensions)
    }

    /// The name of a tool in the path, decoded once.
    ///
    /// The prefix that the router is nested under may have variables of its own, even one of this name: the last counts.
    pub(crate) async fn tool_name(&mut self) -> Result<String, ApiError> {
        self.path_parameter("name").await.ok_or(ApiError::NameNotUtf8)?.ok_or(ApiError::RouteNotFound)
    }

    /// The digest of a result in the path; empty for what is no text.
    pub(crate) async fn result_digest(&mut self) -> String {
        self.path_parameter("digest").await.flatten().unwrap_or_default()
    }

    /// A variable of the path; `None` where there is one that is no text.
    async fn path_parameter(&mut self, name: &str) -> Option<Option<String>> {
        let parameters = RawPathParams::from_request_parts(&mut self.head, &()).await.ok()?;
        let value = parameters.iter().filter(|(parameter, _)| *parameter == name).last();
        Some(value.map(|(_, value)| value.to_owned()))
    }

    /// The arguments in the body.
    pub(crate) async fn arguments(self) -> Result<Bytes, ApiError> {
        body::read(&self.head.headers, self.body, self.api.options()).await
    }
}

/// The tool of this name that is listed for the caller.
pub(crate) fn find_tool<'r>(tools: &'r Registry, name: &str) -> Result<&'r ToolDefinition, ApiError> {
    let tool = tools.get(name).ok_or_else(|| ApiError::ToolNotFound(name.to_owned()))?;
    tracing::Span::current().record("tool", tool.name());
    Ok(tool)
}
