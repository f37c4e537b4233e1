//! The router and its routes.

use axum::Router;
use axum::routing::{any, get, post};
use tool_core::provider::IntoToolsProvider;
use tower_http::compression::CompressionLayer;

use crate::api::Api;
use crate::content_coding::CompressionPredicate;
use crate::error::ApiError;
use crate::options::Options;
use crate::route::Route;
use crate::{completion, cors, discovery, execution, explorer, json_rpc, openapi, results};

/// Creates a router for a provider of tools. Tools can be listed and validated, but not called.
///
/// The provider is a registry, a list of tools, or a function or an `async` function that returns one
/// ([`IntoToolsProvider`]). It is queried once for each request that needs tools.
///
/// Nest it under any prefix of an application with `nest_service`. `nest` works too, but does not answer at the prefix with
/// a trailing slash.
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let app: axum::Router = axum::Router::new().nest_service("/api", tool_http::router(registry));
/// ```
///
/// In an application with a state of its own:
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// # #[derive(Clone)]
/// # struct AppState;
/// let tools = tool_http::router(registry);
/// let app: axum::Router = axum::Router::<AppState>::new().nest_service("/api", tools).with_state(AppState);
/// ```
///
/// An unknown path below the prefix is 404, with a body like other errors. While execution is allowed, a request for it asks for a tool
/// with this address, and so queries the provider; if discovery is protected, it is 401 for callers who are not authenticated. axum cannot merge two routers that both have a
/// fallback: reset this one, and your application handles such paths. The addresses of tools are then no paths any more; their
/// results remain at `/tools/{name}/result`.
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let tools = tool_http::router(registry).reset_fallback();
/// let app: axum::Router = axum::Router::new().fallback(async || "no such page").merge(tools);
/// ```
pub fn router<Marker>(provider: impl IntoToolsProvider<Marker>) -> Router {
    router_with(provider, Options::new())
}

/// Creates a router with options, for example to allow calls.
///
/// The router does not check `Host` and `Origin`: that is up to your application. A [`Server`](crate::Server) checks them.
/// Callers are identified by the [authenticator](Options::authenticator), or by your application, which then puts a
/// [`Principal`](tool_core::Principal) into the extensions of the request. Without either, every caller is
/// [anonymous](tool_core::Principal::anonymous).
///
/// Tools can use everything else that the layers of your application put into the extensions of a request: as
/// [`tool_core::Extension`], or with [`Context::extension`](tool_core::Context::extension).
///
/// # Panics
///
/// Panics if an [origin](Options::allow_cors_origin) is invalid.
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// use tool_http::Options;
///
/// let app: axum::Router = tool_http::router_with(registry, Options::new().allow_execute(true));
/// ```
pub fn router_with<Marker>(provider: impl IntoToolsProvider<Marker>, options: Options) -> Router {
    routes(&Api::new(provider.into_provider(), options), Router::new())
}

/// Adds all routes to a router.
pub(crate) fn routes(api: &Api, others: Router<Api>) -> Router {
    #[cfg(feature = "tasks")]
    let others = others.merge(crate::tasks::routes());
    let addresses = any(Route::new("", execution::result_at));
    let router = others
        .route("/tools", get(Route::new("/tools", discovery::list)))
        .route("/tools/{name}", get(Route::new("/tools/{name}", discovery::detail)))
        .route("/tools/{name}/inputs", get(Route::new("/tools/{name}/inputs", discovery::inputs)))
        .route("/tools/{name}/validate", post(Route::new("/tools/{name}/validate", execution::validate)))
        .route("/tools/{name}/complete", post(Route::new("/tools/{name}/complete", completion::complete)))
        .route("/tools/{name}/call", post(Route::new("/tools/{name}/call", execution::call)))
        .route("/tools/{name}/result", get(Route::new("/tools/{name}/result", execution::result)))
        .route(
            "/mcp/tools/list",
            get(Route::new("/mcp/tools/list", json_rpc::get))
                .post(Route::new("/mcp/tools/list", json_rpc::post)),
        )
        .route("/openapi.json", get(Route::new("/openapi.json", openapi::document)))
        .merge(results::routes(api))
        .merge(explorer::routes(api.options()))
        .method_not_allowed_fallback(Route::new("", async |_| Err(ApiError::MethodNotAllowed)))
        .with_state(api.clone())
        .fallback_service(addresses.with_state(api.clone()))
        .layer(CompressionLayer::new().compress_when(CompressionPredicate));
    match cors::layer(&api.options().cors) {
        Some(cors) => router.layer(cors),
        None => router,
    }
}
