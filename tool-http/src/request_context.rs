//! The context of a request: its caller, and the tools that the caller can see.

use axum::body::Body;
use axum::extract::{FromRequestParts as _, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use bytes::Bytes;
use tool_core::{CallOptions, Extensions, Principal, Registry, ToolDefinition, TraceParent, adapter};

use crate::api::Api;
use crate::cache_control::CacheControl;
use crate::error::ApiError;
use crate::representation::Representation;
use crate::{authentication, body};

/// A request to one of the routes. Methods take `&mut self`, because a body is not `Sync`.
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

    /// Returns the caller for discovery. Invalid credentials count as none, unless discovery is protected.
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

    /// Returns the caller, which is anonymous without an authenticator.
    pub(crate) async fn caller(&mut self) -> Result<Principal, ApiError> {
        let caller = authentication::authenticate(self.api.options(), &self.head).await?;
        self.cache_control.private = caller.as_ref().is_some_and(|caller| caller.id().is_some());
        Ok(caller.unwrap_or_else(Principal::anonymous))
    }

    /// Returns the caching rules of the response. Call [`viewer`](Self::viewer) or [`caller`](Self::caller) first.
    pub(crate) fn cache_control(&self) -> CacheControl {
        self.cache_control
    }

    /// Returns `true` if lists contain only what the caller may call.
    pub(crate) fn is_protected(&self) -> bool {
        self.api.options().protect_discovery
    }

    /// Returns the response to a `GET`.
    pub(crate) fn respond(&self, representation: &Representation) -> Response {
        let mut response = representation.to_response(&self.head.headers);
        self.cache_control.apply(response.headers_mut());
        response
    }

    /// Returns the current tools, as this caller sees them. Only this method queries the provider.
    pub(crate) async fn tools(&mut self, caller: Principal) -> Result<Registry, ApiError> {
        Ok(self.api.tools(&caller).await?.as_principal(caller))
    }

    /// Takes the options of the call from the request: its trace, and the extensions that the application has added.
    pub(crate) fn call_options(&mut self) -> CallOptions {
        let trace = trace_parent(&self.head.headers);
        let extensions = Extensions::from(std::mem::take(&mut self.head.extensions));
        CallOptions::new().trace(trace).extensions(extensions)
    }

    /// Adds how the caller gets the permissions that it lacks for a call, if it can.
    pub(crate) fn challenged(&self, mut response: Response, tools: &Registry, name: &str) -> Response {
        let authenticator = self.api.options().authenticator.as_ref();
        let challenge = authenticator.and_then(|it| it.insufficient_scope(&adapter::lacks(tools, name)?));
        if let Some(challenge) = challenge {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }

    /// Returns the name of the tool in the path, decoded once.
    ///
    /// The prefix that the router is nested under may have variables of its own, even one of this name: the last counts.
    pub(crate) async fn tool_name(&mut self) -> Result<String, ApiError> {
        self.path_parameter("name").await.ok_or(ApiError::NameNotUtf8)?.ok_or(ApiError::RouteNotFound)
    }

    /// Returns the digest of the result in the path; empty if it is not UTF-8.
    pub(crate) async fn result_digest(&mut self) -> String {
        self.path_parameter("digest").await.flatten().unwrap_or_default()
    }

    /// Returns a parameter of the path, or an empty text if it is not UTF-8.
    #[cfg(feature = "tasks")]
    pub(crate) async fn path_text(&mut self, name: &str) -> String {
        self.path_parameter(name).await.flatten().unwrap_or_default()
    }

    /// Returns a parameter of the path; `None` if one of them is not UTF-8.
    async fn path_parameter(&mut self, name: &str) -> Option<Option<String>> {
        let parameters = RawPathParams::from_request_parts(&mut self.head, &()).await.ok()?;
        let value = parameters.iter().filter(|(parameter, _)| *parameter == name).last();
        Some(value.map(|(_, value)| value.to_owned()))
    }

    /// Reads the arguments from the body.
    pub(crate) async fn arguments(self) -> Result<Bytes, ApiError> {
        body::read(&self.head.headers, self.body, self.api.options()).await
    }
}

/// Returns the position of the caller in its trace. An invalid header counts as none (W3C Trace Context, section 2.3).
pub(crate) fn trace_parent(headers: &HeaderMap) -> Option<TraceParent> {
    headers.get("traceparent")?.to_str().ok()?.parse().ok()
}

/// Returns the tool of this name, if the caller can see it.
pub(crate) fn find_tool<'r>(tools: &'r Registry, name: &str) -> Result<&'r ToolDefinition, ApiError> {
    let tool = tools.get(name).ok_or_else(|| tool_not_found(tools, name))?;
    tracing::Span::current().record("gen_ai.tool.name", tool.name());
    Ok(tool)
}

/// Returns the error for a tool that does not exist for the caller.
pub(crate) fn tool_not_found(tools: &Registry, name: &str) -> ApiError {
    ApiError::ToolNotFound(adapter::tool_not_found(tools, name).message().to_owned())
}
