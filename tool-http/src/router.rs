//! The routes.

use axum::Router;
use axum::routing::{get, post};
use tool_core::provider::IntoToolsProvider;
use tower_http::compression::CompressionLayer;

use crate::api::Api;
use crate::content_coding::CompressionPredicate;
use crate::error::ApiError;
use crate::options::Options;
use crate::route::Route;
use crate::{completion, cors, discovery, execution, explorer, json_rpc, openapi, results};

/// The routes of a provider of tools: tools can be listed, understood and checked, and not run.
///
/// Anything that [`IntoToolsProvider`] takes will do: a registry, a list of tools, a function or an `async` function that
/// returns one. It is asked once by every request that needs tools, and by no other.
///
/// Nest it under any prefix of an application with `nest_service`. `nest` works too, but does not answer at the prefix with
/// a trailing slash.
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let app: axum::Router = axum::Router::new().nest_service("/api", tool_http::router(registry));
/// ```
///
/// So it stands in an application with a state of its own.
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// # #[derive(Clone)]
/// # struct AppState;
/// let tools = tool_http::router(registry);
/// let app: axum::Router = axum::Router::<AppState>::new().nest_service("/api", tools).with_state(AppState);
/// ```
///
/// A path below the prefix that is none of its routes is 404 in the shape of its other errors. axum does not merge a router
/// with a fallback of its own into one that has another: give it up there, and the application answers for such paths.
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let tools = tool_http::router(registry).reset_fallback();
/// let app: axum::Router = axum::Router::new().fallback(async || "no such page").merge(tools);
/// ```
pub fn router<Marker>(provider: impl IntoToolsProvider<Marker>) -> Router {
    router_with(provider, Options::new())
}

/// The routes of a provider with settings, such as that tools can be run.
///
/// The router does not look at `Host` and `Origin`: that is the policy of the application that it becomes a part of. A
/// [`Server`](crate::Server) has one. Who asks is found out by the [authenticator](Options::authenticator), or by the
/// application, which then puts a [`Principal`](tool_core::Principal) into the extensions of the request; without either
/// every caller is [anonymous](tool_core::Principal::anonymous).
///
/// Whatever else the layers of the application put into the extensions of a request stands beside the call: a tool takes
/// it as [`tool_core::Extension`], or asks its [`Context`](tool_core::Context::extension).
///
/// # Panics
///
/// When an [origin](Options::allow_cors_origin) is none.
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

/// The routes over what they work on, and these.
pub(crate) fn routes(api: &Api, others: Router<Api>) -> Router {
    let router = others
        .route("/tools", get(Route::new("/tools", discovery::list)))
        .route("/tools/{name}", get(Route::new("/tools/{name}", discovery::detail)))
        .route("/tools/{name}/inputs", get(Route::new("/tools/{name}/inputs", discovery::inputs)))
        .route("/tools/{name}/validate", post(Route::new("/tools/{name}/validate", execution::validate)))
        .route("/tools/{name}/complete", post(Route::new("/tools/{name}/complete", completion::complete)))
        .route("/tools/{name}/call", post(Route::new("/tools/{name}/call", execution::call)))
        .route(
            "/mcp/tools/list",
            get(Route::new("/mcp/tools/list", json_rpc::get))
                .post(Route::new("/mcp/tools/list", json_rpc::post)),
        )
        .route("/openapi.json", get(Route::new("/openapi.json", openapi::document)))
        .merge(results::routes(api))
        .merge(explorer::routes(api.options()))
        .method_not_allowed_fallback(Route::new("", async |_| Err(ApiError::MethodNotAllowed)))
        .fallback(Route::new("", async |_| Err(ApiError::RouteNotFound)))
        .with_state(api.clone())
        .layer(CompressionLayer::new().compress_when(CompressionPredicate));
    match cors::layer(&api.options().cors) {
        Some(cors) => router.layer(cors),
        None => router,
    }
}
