//! Tools that change the catalogue.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::{ToolError, Writer, tool};

use super::read::{providers, tools};
use crate::model::{Auth, Description, Method, Parameter, Provider, Tool};
use crate::store::Store;

/// What was done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Done {
    /// The code of what was changed.
    pub code: String,
    /// What it is now.
    pub state: String,
}

fn done(code: impl Into<String>, state: &str) -> Done {
    Done { code: code.into(), state: state.to_owned() }
}

/// Adds a service. Its key stays in the environment: only the name of the variable is stored.
///
/// ```tool
/// {"code": "library", "base_url": "http://127.0.0.1:8081", "title": "The lending library", "health_path": "/health"}
/// ```
///
/// ```tool
/// {
///   "code": "tides",
///   "base_url": "https://tides.example.org/v2",
///   "auth": "header",
///   "auth_name": "X-Api-Key",
///   "secret_variable": "CATALOGUE_KEY_TIDES"
/// }
/// ```
#[tool(
    operation = Write,
    destructive = false,
    title = "Add a provider",
    tags = ["catalogue"],
    open_world = false
)]
async fn add_provider(
    #[inject] store: Writer<Store>,
    #[arg(flatten)] provider: Provider,
) -> Result<Done, ToolError> {
    store.add_provider(&provider).await?;
    Ok(done(provider.code, "added"))
}

/// Changes a service: what is not given stays.
#[tool(
    operation = Write,
    destructive = true,
    idempotent = true,
    title = "Edit a provider",
    tags = ["catalogue"],
    open_world = false
)]
#[allow(clippy::too_many_arguments)]
async fn edit_provider(
    #[inject] store: Writer<Store>,
    /// The code of the service.
    #[arg(example = "library", complete = providers)]
    code: String,
    /// Its name for people.
    title: Option<String>,
    /// What the addresses of its tools begin with.
    #[arg(example = "http://127.0.0.1:8082")]
    base_url: Option<String>,
    /// How it knows who calls. With `none`, the name of the key and its variable are forgotten.
    auth: Option<Auth>,
    /// The header or the query parameter that the key is sent in.
    auth_name: Option<String>,
    /// The variable of the environment that holds the key or the token: its name, which begins with `CATALOGUE_KEY_`.
    secret_variable: Option<String>,
    /// The path that a health check asks for.
    health_path: Option<String>,
    /// How long a call may take, in milliseconds.
    #[arg(range(min = 1))]
    timeout_ms: Option<u32>,
    /// The most bytes of an answer.
    #[arg(range(min = 1))]
    max_bytes: Option<u32>,
) -> Result<Done, ToolError> {
    let provider = store
        .edit_provider(&code, |provider| {
            if auth.is_some_and(|auth| auth == Auth::None) {
                (provider.auth_name, provider.secret_variable) = (None, None);
            } else if auth == Some(Auth::Bearer) {
                provider.auth_name = None;
            }
            provider.title = title.or(provider.title.take());
            provider.base_url = base_url.unwrap_or(std::mem::take(&mut provider.base_url));
            provider.auth = auth.unwrap_or(provider.auth);
            provider.auth_name = auth_name.or(provider.auth_name.take());
            provider.secret_variable = secret_variable.or(provider.secret_variable.take());
            provider.health_path = health_path.unwrap_or(std::mem::take(&mut provider.health_path));
            provider.timeout_ms = timeout_ms.unwrap_or(provider.timeout_ms);
            provider.max_bytes = max_bytes.unwrap_or(provider.max_bytes);
        })
        .await?;
    Ok(done(provider.code, "changed"))
}

/// Forgets a service of the catalogue that has no tools left.
#[tool(
    operation = Write,
    destructive = true,
    idempotent = true,
    title = "Remove a provider",
    tags = ["catalogue"],
    open_world = false
)]
async fn remove_provider(
    #[inject] store: Writer<Store>,
    /// The code of the service.
    #[arg(example = "library", complete = providers)]
    code: String,
) -> Result<Done, ToolError> {
    store.remove_provider(&code).await?;
    Ok(done(code, "removed"))
}

/// Adds a tool: something that a service can be asked for.
///
/// ```tool
/// {
///   "code": "find_books",
///   "provider": "library",
///   "description": "Finds books by subject.",
///   "path": "/books",
///   "parameters": [
///     {"name": "subject", "type": "array", "items": "string", "description": "Subjects, of which a book has one."},
///     {"name": "limit", "type": "integer", "default": 10}
///   ]
/// }
/// ```
///
/// ```tool
/// {
///   "code": "borrow_book",
///   "provider": "library",
///   "description": "Borrows a book.",
///   "method": "POST",
///   "destructive": false,
///   "path": "/books/{isbn}/loans",
///   "parameters": [
///     {"name": "isbn", "place": "path", "type": "string", "required": true},
///     {"name": "reader", "place": "body", "type": "string", "required": true}
///   ]
/// }
/// ```
#[tool(
    operation = Write,
    destructive = false,
    title = "Add a tool",
    tags = ["catalogue"],
    open_world = false
)]
async fn add_tool(#[inject] store: Writer<Store>, #[arg(flatten)] tool: Tool) -> Result<Done, ToolError> {
    store.add_tool(&tool).await?;
    Ok(done(tool.code, "added"))
}

/// Changes a tool: what is not given stays.
///
/// ```tool
/// {"code": "find_books", "description": "Finds books of the lending library by their subjects."}
/// ```
#[tool(
    operation = Write,
    destructive = true,
    idempotent = true,
    title = "Edit a tool",
    tags = ["catalogue"],
    open_world = false
)]
#[allow(clippy::too_many_arguments)]
async fn edit_tool(
    #[inject] store: Writer<Store>,
    /// The name of the tool.
    #[arg(example = "find_books", complete = tools)]
    code: String,
    /// Its name for people.
    title: Option<String>,
    /// What it does.
    description: Option<String>,
    /// What kind of thing it does: `explain`, `read`, `transform`, `trigger` or `write`.
    operation: Option<String>,
    /// Whether it may destroy or overwrite.
    destructive: Option<bool>,
    /// The method of HTTP.
    method: Option<Method>,
    /// Its path below the address of the service.
    path: Option<String>,
    /// All words to find it by, in place of those there were.
    tags: Option<Vec<String>>,
    /// The JSON Schema of what it answers.
    output_schema: Option<Value>,
    /// All examples of its arguments, in place of those there were.
    examples: Option<Vec<Value>>,
    /// All that it takes, in place of what it took.
    parameters: Option<Vec<Parameter>>,
) -> Result<Done, ToolError> {
    let operation = operation.map(|word| word.parse()).transpose();
    let operation =
        operation.map_err(|error: tool_core::UnknownOperation| ToolError::failed(error.to_string()))?;
    let tool = store
        .edit_tool(&code, |tool| {
            tool.title = title.or(tool.title.take());
            tool.description = description.unwrap_or(std::mem::take(&mut tool.description));
            tool.operation = operation.or(tool.operation);
            tool.destructive = destructive.or(tool.destructive);
            tool.method = method.unwrap_or(tool.method);
            tool.path = path.unwrap_or(std::mem::take(&mut tool.path));
            tool.tags = tags.unwrap_or(std::mem::take(&mut tool.tags));
            tool.output_schema = output_schema.or(tool.output_schema.take());
            tool.examples = examples.unwrap_or(std::mem::take(&mut tool.examples));
            tool.parameters = parameters.unwrap_or(std::mem::take(&mut tool.parameters));
        })
        .await?;
    Ok(done(tool.code, "changed"))
}

/// Forgets a tool of the catalogue for good. `disable_tool` keeps it.
#[tool(
    operation = Write,
    destructive = true,
    idempotent = true,
    title = "Remove a tool",
    tags = ["catalogue"],
    open_world = false
)]
async fn remove_tool(
    #[inject] store: Writer<Store>,
    /// The name of the tool.
    #[arg(example = "find_books", complete = tools)]
    code: String,
) -> Result<Done, ToolError> {
    store.remove_tool(&code).await?;
    Ok(done(code, "removed"))
}

/// Lists a tool that was disabled again.
#[tool(
    operation = Write,
    destructive = false,
    idempotent = true,
    title = "Enable a tool",
    tags = ["catalogue"],
    open_world = false
)]
async fn enable_tool(
    #[inject] store: Writer<Store>,
    /// The name of the tool.
    #[arg(example = "find_books", complete = tools)]
    code: String,
) -> Result<Done, ToolError> {
    store.edit_tool(&code, |tool| tool.enabled = true).await?;
    Ok(done(code, "enabled"))
}

/// Keeps a tool, and lists it no longer.
#[tool(
    operation = Write,
    destructive = false,
    idempotent = true,
    title = "Disable a tool",
    tags = ["catalogue"],
    open_world = false
)]
async fn disable_tool(
    #[inject] store: Writer<Store>,
    /// The name of the tool.
    #[arg(example = "find_books", complete = tools)]
    code: String,
) -> Result<Done, ToolError> {
    store.edit_tool(&code, |tool| tool.enabled = false).await?;
    Ok(done(code, "disabled"))
}

/// Lists the tools of a service that was disabled again.
#[tool(
    operation = Write,
    destructive = false,
    idempotent = true,
    title = "Enable a provider",
    tags = ["catalogue"],
    open_world = false
)]
async fn enable_provider(
    #[inject] store: Writer<Store>,
    /// The code of the service.
    #[arg(example = "library", complete = providers)]
    code: String,
) -> Result<Done, ToolError> {
    store.edit_provider(&code, |provider| provider.enabled = true).await?;
    Ok(done(code, "enabled"))
}

/// Keeps a service and its tools, and lists these no longer.
#[tool(
    operation = Write,
    destructive = false,
    idempotent = true,
    title = "Disable a provider",
    tags = ["catalogue"],
    open_world = false
)]
async fn disable_provider(
    #[inject] store: Writer<Store>,
    /// The code of the service.
    #[arg(example = "library", complete = providers)]
    code: String,
) -> Result<Done, ToolError> {
    store.edit_provider(&code, |provider| provider.enabled = false).await?;
    Ok(done(code, "disabled"))
}

/// What was imported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Imported {
    /// How many services.
    pub providers: usize,
    /// How many tools.
    pub tools: usize,
}

/// Imports services and tools from a file, such as `--input-json @seed/demo.json`: all of them, or none if one of them would
/// not do. Those of the same code are replaced, and all others stay.
///
/// ```tool
/// {
///   "providers": [{"code": "library", "base_url": "http://127.0.0.1:8081"}],
///   "tools": [{"code": "find_books", "provider": "library", "description": "Finds books.", "path": "/books"}]
/// }
/// ```
#[tool(
    operation = Write,
    destructive = true,
    idempotent = true,
    title = "Import",
    tags = ["catalogue"],
    open_world = false
)]
async fn import_catalogue(
    #[inject] store: Writer<Store>,
    #[arg(flatten)] description: Description,
) -> Result<Imported, ToolError> {
    store.import(&description).await?;
    Ok(Imported { providers: description.providers.len(), tools: description.tools.len() })
}
