//! The metadata of the authenticator, for clients that look for a way to authenticate.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::http::Method;
use axum::routing::any;
use tool_core::authentication::{Authenticator, ResourceMetadata};
use tool_core::provider::{IntoToolsProvider, Provider};
use tool_core::{Principal, adapter};

/// Returns a router that answers with the [metadata](Authenticator::resource_metadata) of the authenticator, at
/// `/.well-known/oauth-protected-resource` and the path of the resource (RFC 9728). Merge it into the root of your
/// application, beside the [router](crate::router_with) of the tools; a [`Server`](crate::Server) has it already.
///
/// The metadata is public. Without any, the router is empty.
///
/// ```
/// use std::sync::Arc;
/// use tool_http::Options;
/// # use tool_core::Principal;
/// # use tool_core::authentication::Bearer;
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// # let resource_server = Bearer::new().token("0b7c5f1e9d2a4c68", Principal::new("ada")).unwrap();
///
/// let authenticator = Arc::new(resource_server);
/// let options = Options::new().allow_execute(true).authenticator(Arc::clone(&authenticator));
/// let app: axum::Router = axum::Router::new()
///     .merge(tool_http::resource_metadata(registry.clone(), authenticator))
///     .nest_service("/api", tool_http::router_with(registry, options));
/// ```
pub fn resource_metadata<Marker>(
    provider: impl IntoToolsProvider<Marker>,
    authenticator: impl Authenticator + 'static,
) -> Router {
    router(provider.into_provider(), Arc::new(authenticator))
}

pub(crate) fn router(provider: Provider, authenticator: Arc<dyn Authenticator>) -> Router {
    let Some(ResourceMetadata { path, .. }) = authenticator.resource_metadata(&[]) else {
        return Router::new();
    };
    let shared = Arc::new((provider, authenticator));
    // The path is that of a URL, which may have a colon or an asterisk.
    Router::new().without_v07_checks().route(
        &path,
        any(move |method: Method| {
            let shared = Arc::clone(&shared);
            async move { tool_serve::public_document(&method, document(&shared.0, &*shared.1).await) }
        }),
    )
}

/// Returns the document for the tools of this moment.
async fn document(provider: &Provider, authenticator: &dyn Authenticator) -> Option<Bytes> {
    // The provider has logged the cause of a failure.
    let tools = provider.tools(&Principal::anonymous()).await.ok()?;
    let permissions: Vec<&str> = adapter::permissions(tools.registry()).into_iter().collect();
    let metadata = authenticator.resource_metadata(&permissions)?;
    serde_json::to_vec(&metadata.document).ok().map(Bytes::from)
}
