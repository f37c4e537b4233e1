//! The OpenAPI document: one path and operation for each tool, and the other routes.

mod components;
mod discovery;
mod openapi_3_0;
mod operation;
mod references;
mod result;
mod results;
mod schema_3_0;
#[cfg(feature = "tasks")]
mod tasks;
mod version;

use axum::http::Uri;
use axum::response::Response;
use serde_json::{Map, Value, json};
use tool_core::{Registry, ToolDefinition, adapter};

use crate::cache::Document;
use crate::error::ApiError;
use crate::execution;
use crate::options::Options;
use crate::query;
use crate::representation::Representation;
use crate::request_context::RequestContext;

pub use version::{OpenApiVersion, UnknownOpenApiVersion};

/// `GET /openapi.json`.
pub(crate) async fn document(mut context: RequestContext) -> Result<Response, ApiError> {
    let viewer = context.viewer().await?;
    let version = parse_version(&context.head.uri)?;
    let tools = context.tools(viewer).await?;
    let options = context.api.options();
    let keeps = context.api.results().is_some();
    let write = || Representation::json(&render(&tools, version, options, keeps));
    let cached = match version {
        OpenApiVersion::V3_1 => Document::OpenApi,
        OpenApiVersion::V3_0 => Document::OpenApi3_0,
    };
    let document = if context.cache_control().private {
        write()?
    } else {
        context.api.cache().get_or_render(cached, &tools, write)?
    };
    Ok(context.respond(&document))
}

/// Parses the query: an optional version.
fn parse_version(uri: &Uri) -> Result<OpenApiVersion, ApiError> {
    let [version] = query::parse_parameters(uri, ["version"])?;
    let parse =
        |value: String| query::parse_choice("version", &value, &OpenApiVersion::ALL, |it| it.as_str());
    version.map_or(Ok(OpenApiVersion::default()), parse)
}

/// Returns the OpenAPI document of a registry, as `GET /openapi.json` of a router with these options has it.
///
/// The tools are those that the registry's principal may see.
///
/// ```
/// use tool_http::{OpenApiVersion, Options, openapi};
///
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let document = openapi(&registry, OpenApiVersion::V3_0, &Options::new().title("Weather"));
/// assert_eq!(document["openapi"], "3.0.3");
/// assert_eq!(document["info"]["title"], "Weather");
/// ```
pub fn openapi(registry: &Registry, version: OpenApiVersion, options: &Options) -> Value {
    let tools = options.registry(registry);
    render(&tools, version, options, adapter::results(registry).is_some())
}

/// Returns the document in a version.
fn render(tools: &Registry, version: OpenApiVersion, options: &Options, keeps: bool) -> Value {
    let mut document = openapi_3_1(tools, options, keeps);
    if version == OpenApiVersion::V3_0 {
        openapi_3_0::convert(&mut document);
    }
    document
}

/// Returns the whole document.
fn openapi_3_1(tools: &Registry, options: &Options, keeps: bool) -> Value {
    let own = options.protect_discovery;
    let listed: Vec<_> = tools
        .tools()
        .filter(|tool| {
            !own || tool.permission().is_none_or(|permission| permission.is_met_by(tools.principal()))
        })
        .collect();
    let mut paths = discovery::paths(&listed, options);
    let mut schemas = components::schemas();
    if keeps {
        paths.insert("/results/{digest}".to_owned(), results::path(options));
    }
    if adapter::results(tools).is_some() {
        schemas.insert("Excerpt".to_owned(), results::excerpt());
    }
    for tool in &listed {
        // Names need no encoding in paths or templates.
        let path = format!("/tools/{}/call", tool.name());
        let call = operation::call(tool, options, adapter::may_shorten(tools, tool));
        paths.insert(path, json!({"post": call}));
        if execution::check_readable(tool).is_ok() {
            let path = format!("/tools/{}/result", tool.name());
            paths.insert(path, json!({"get": result::read(tool, options)}));
            if let Some(path) = result::path_of_address(tool) {
                paths.insert(path, json!({"get": result::read_at(tool, options)}));
            }
        }
        operation::schemas(tool, &mut schemas);
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": options.title_or_default(),
            "description": "Each tool is an operation. A request and an answer are JSON in UTF-8; an unknown query \
                parameter is an error, as is an input that is not known.",
            "version": version(&listed),
        },
        // Relative to the document (OpenAPI 3.1.0, section 4.8.5), so it is valid under any prefix.
        "servers": [{"url": "."}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "headers": components::headers(),
        },
        "tags": tags(&listed),
    });
    #[cfg(feature = "tasks")]
    if tools.task_engine().is_some() {
        tasks::add_to(&mut document, &listed, options);
    }
    if let Some(authenticator) = &options.authenticator {
        document["components"]["securitySchemes"] = json!({"caller": authenticator.security_scheme()});
    }
    document
}

/// Returns a version that changes with every published part of a tool.
fn version(tools: &[&ToolDefinition]) -> String {
    let mut hasher = blake3::Hasher::new();
    for tool in tools {
        hasher.update(tool.digest().to_string().as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Returns the tags of operations, by name.
fn tags(tools: &[&ToolDefinition]) -> Vec<Value> {
    let tags: std::collections::BTreeSet<&str> = tools.iter().flat_map(|tool| tool.tags()).collect();
    let own =
        [json!({"name": "discovery", "description": "What can be known of the tools before any is called."})];
    let tags = tags.into_iter().filter(|tag| *tag != "discovery").map(|tag| json!({"name": tag}));
    own.into_iter().chain(tags).collect()
}

/// Adds the security requirement of an operation that needs a caller.
fn require_caller(operation: &mut Value, options: &Options) {
    if options.authenticator.is_some() {
        operation["security"] = json!([{"caller": []}]);
    }
}

/// Returns the responses of an operation, by status.
fn responses(responses_by_status: impl IntoIterator<Item = (u16, Value)>) -> Map<String, Value> {
    responses_by_status.into_iter().map(|(status, response)| (status.to_string(), response)).collect()
}
