//! Tools that read the catalogue.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Reader, ToolError, tool};

use crate::model::{Auth, Description, Method, Tool};
use crate::secret::{Secret, SecretError};
use crate::store::{Row, Store, StoreError};

/// A service in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderLine {
    /// What it is called.
    pub code: String,
    /// What the addresses of its tools begin with.
    pub base_url: String,
    /// How it knows who calls.
    pub auth: Auth,
    /// Where its key comes from, and whether it is there.
    pub secret: Option<String>,
    /// How many tools it has.
    pub tools: usize,
    /// Whether its tools are listed.
    pub enabled: bool,
}

/// Lists the services of the catalogue, and says whether the key of each is there.
#[tool(operation = Read, title = "List providers", tags = ["catalogue"], open_world = false)]
async fn list_providers(#[inject] store: Reader<Store>) -> Result<Vec<ProviderLine>, ToolError> {
    let description = store.description().await?;
    let line = |provider: &crate::model::Provider| {
        let variable = provider.secret_variable.as_deref();
        let state = |variable: &str| match Secret::of(provider) {
            Ok(_) => format!("{variable}, set"),
            Err(SecretError::Missing { .. }) => format!("{variable}, not set"),
            Err(SecretError::Short { .. }) => format!("{variable}, too short"),
        };
        ProviderLine {
            code: provider.code.clone(),
            base_url: provider.base_url.clone(),
            auth: provider.auth,
            secret: variable.map(state),
            tools: description.tools.iter().filter(|tool| tool.provider == provider.code).count(),
            enabled: provider.enabled,
        }
    };
    Ok(description.providers.iter().map(line).collect())
}

/// A tool in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolLine {
    /// Its name.
    pub code: String,
    /// The service.
    pub provider: Option<String>,
    /// What it asks for.
    pub request: Option<String>,
    /// Whether it is listed, and if not, why.
    pub state: String,
}

/// Lists the tools of the catalogue, also those that are switched off, and those that cannot be served with the reason.
#[tool(operation = Read, title = "List stored tools", tags = ["catalogue"], open_world = false)]
async fn list_stored_tools(
    #[inject] store: Reader<Store>,
    /// Only those of this service.
    #[arg(complete = providers)]
    provider: Option<String>,
) -> Result<Vec<ToolLine>, ToolError> {
    let rows = store.rows().await?;
    let off: Vec<String> = rows
        .iter()
        .filter_map(|row| match row {
            Row::Provider(code, Ok(provider)) if !provider.enabled => Some(code.clone()),
            _ => None,
        })
        .collect();
    let faults = crate::catalogue::faults_of_tools(rows.clone());
    let line = |row: Row| match row {
        Row::Provider(..) => None,
        Row::Tool(code, tool) => {
            let tool = tool.ok();
            let error = faults.iter().find(|error| error.name() == code);
            let state = match (error, &tool) {
                (Some(error), _) => format!("left out: {}", error.fault()),
                (None, Some(tool)) if !tool.enabled => "disabled".to_owned(),
                (None, Some(tool)) if off.contains(&tool.provider) => "disabled with its provider".to_owned(),
                (None, _) => "listed".to_owned(),
            };
            let request = tool.as_ref().map(request);
            Some(ToolLine { code, provider: tool.map(|tool| tool.provider), request, state })
        }
    };
    let lines = rows.into_iter().filter_map(line);
    Ok(lines.filter(|line| provider.is_none() || line.provider == provider).collect())
}

fn request(tool: &Tool) -> String {
    let method = match tool.method {
        Method::Get => "GET",
        Method::Post => "POST",
        Method::Put => "PUT",
        Method::Patch => "PATCH",
        Method::Delete => "DELETE",
    };
    format!("{method} {}", tool.path)
}

/// Shows a tool as it is stored, with its inputs and where each is sent.
#[tool(operation = Read, title = "Show a stored tool", tags = ["catalogue"], open_world = false)]
async fn show_stored_tool(
    #[inject] store: Reader<Store>,
    /// The name of the tool.
    #[arg(example = "find_books", complete = tools)]
    code: String,
) -> Result<Tool, ToolError> {
    let tool = store.rows().await?.into_iter().find_map(|row| match row {
        Row::Tool(stored, tool) if stored == code => Some(tool),
        _ => None,
    });
    match tool {
        Some(Ok(tool)) => Ok(masked(tool)),
        Some(Err(reason)) => Err(StoreError::Senseless(code, reason).into()),
        None => Err(StoreError::NoTool(code).into()),
    }
}

/// Exports services and tools in the shape that `import_catalogue` takes. It holds no secrets: a key is named by its
/// variable, and a default of a secret input is left out.
#[tool(operation = Read, title = "Export", tags = ["catalogue"], open_world = false)]
async fn export_catalogue(
    #[inject] store: Reader<Store>,
    /// Only this service and its tools.
    #[arg(complete = providers)]
    provider: Option<String>,
) -> Result<Description, ToolError> {
    let Description { providers, tools } = store.description().await?;
    let wanted = |code: &str| provider.as_deref().is_none_or(|provider| provider == code);
    let providers: Vec<_> = providers.into_iter().filter(|provider| wanted(&provider.code)).collect();
    if let (Some(code), true) = (&provider, providers.is_empty()) {
        return Err(StoreError::NoProvider(code.clone()).into());
    }
    let tools = tools.into_iter().filter(|tool| wanted(&tool.provider)).map(masked).collect();
    Ok(Description { providers, tools })
}

/// Returns the tool without secret defaults.
fn masked(mut tool: Tool) -> Tool {
    for parameter in tool.parameters.iter_mut().filter(|parameter| parameter.hides()) {
        parameter.default = None;
    }
    tool
}

/// Completes the codes of services.
pub(super) async fn providers(typed: &str, store: &Store) -> Vec<String> {
    let description = store.reader().description().await.unwrap_or_default();
    description
        .providers
        .into_iter()
        .map(|provider| provider.code)
        .filter(|code| code.starts_with(typed))
        .collect()
}

/// Completes the codes of tools.
pub(super) async fn tools(typed: &str, store: &Store) -> Vec<String> {
    let description = store.reader().description().await.unwrap_or_default();
    description.tools.into_iter().map(|tool| tool.code).filter(|code| code.starts_with(typed)).collect()
}
