//! Settings from the environment.

use std::env;
use std::path::PathBuf;

use tool_core::{BuildErrors, Registry, adapter};
use tool_mcp::{PromptsFile, PromptsFileError};

use crate::{
    BlockLimits, Egress, FetchError, FetchLimits, Fetcher, OriginError, Sandbox, Search, SearchError,
    Workshop,
};

/// The settings of the program, from environment variables.
///
/// | variable | meaning | default |
/// |---|---|---|
/// | `ONETOOL_SEARCH` | address of a running search service | one is started on a free port |
/// | `ONETOOL_FETCH` | further origins that pages may be fetched from, separated by commas | none besides the search service |
/// | `ONETOOL_TOOLS` | names of the tools to serve, separated by commas; empty for none | all |
/// | `ONETOOL_PROMPTS` | a [prompts file](tool_mcp::PromptsFile) | the one of the example, if all tools are served |
///
/// ```
/// let settings = onetool::Settings { tools: Some(vec!["run".to_owned()]), ..Default::default() };
/// assert!(settings.search.is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The address of the search service.
    pub search: Option<String>,
    /// Origins that pages may be fetched from, besides the search service.
    pub fetch: Vec<String>,
    /// The names of the tools to serve.
    pub tools: Option<Vec<String>>,
    /// The path of the prompts file.
    pub prompts: Option<PathBuf>,
}

/// The reason why the settings are invalid.
///
/// ```
/// let settings = onetool::Settings { tools: Some(vec!["rum".to_owned()]), ..Default::default() };
/// let error = settings.registry("http://127.0.0.1:7878").unwrap_err();
/// assert_eq!(error.to_string(), "`ONETOOL_TOOLS` names `rum`, which is no tool: there is `run`");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The address of the search service is invalid.
    #[error("`ONETOOL_SEARCH`: {0}")]
    Search(#[from] SearchError),
    /// The origin of the search service is not allowed.
    #[error("`ONETOOL_SEARCH`: {0}")]
    SearchOrigin(#[source] OriginError),
    /// An origin to fetch from is invalid.
    #[error("`ONETOOL_FETCH`: {0}")]
    Fetch(#[from] OriginError),
    /// The HTTP client cannot be set up.
    #[error(transparent)]
    Client(#[from] FetchError),
    /// The tool does not exist.
    #[error("`ONETOOL_TOOLS` names `{name}`, which is no tool{}", nearest.as_ref().map_or(String::new(), |name| format!(": there is `{name}`")))]
    Tool {
        /// The unknown name.
        name: String,
        /// The closest existing name.
        nearest: Option<String>,
    },
    /// The path of this program is unknown.
    #[error("the program cannot start itself to run blocks: {0}")]
    Program(#[from] std::io::Error),
    /// The prompts file is invalid.
    #[error("`ONETOOL_PROMPTS`: {0}")]
    Prompts(#[from] PromptsFileError),
    /// The registry cannot be built.
    #[error(transparent)]
    Registry(#[from] BuildErrors),
}

impl Settings {
    /// Reads the settings from the environment.
    ///
    /// ```
    /// let settings = onetool::Settings::from_env();
    /// ```
    pub fn from_env() -> Self {
        let names = |variable| env::var(variable).ok().map(|text| listed(&text));
        Settings {
            search: env::var("ONETOOL_SEARCH").ok().filter(|address| !address.is_empty()),
            fetch: names("ONETOOL_FETCH").unwrap_or_default(),
            tools: names("ONETOOL_TOOLS"),
            prompts: env::var_os("ONETOOL_PROMPTS").filter(|path| !path.is_empty()).map(PathBuf::from),
        }
    }

    /// Builds the registry for these settings, with a search service at this origin.
    ///
    /// # Errors
    ///
    /// When a setting is invalid.
    ///
    /// ```
    /// let registry = onetool::Settings::default().registry("http://127.0.0.1:7878").unwrap();
    /// assert_eq!(registry.tools().count(), 4);
    /// ```
    pub fn registry(&self, search: &str) -> Result<Registry, SettingsError> {
        let search_client = Search::new(search)?;
        Egress::to([search]).map_err(SettingsError::SearchOrigin)?;
        let allowed = self.fetch.iter().map(String::as_str).chain([search]);
        let workshop = Workshop {
            search: search_client,
            fetcher: Fetcher::new(Egress::to(allowed)?, FetchLimits::default())?,
            sandbox: Sandbox::of_this_program(BlockLimits::default())?,
        };
        let all = crate::registry(workshop.clone())?;
        let Some(tools) = self.tools.clone() else { return Ok(all) };
        if let Some(name) = tools.iter().find(|name| all.get(name).is_none()) {
            let nearest = adapter::nearest(&all, name).map(|tool| tool.name().to_owned());
            return Err(SettingsError::Tool { name: name.clone(), nearest });
        }
        let chosen =
            crate::builder(workshop).select(move |tool| tools.iter().any(|name| name == tool.name()));
        Ok(chosen.allow_empty().build()?)
    }

    /// Loads the prompts file; the default one requires all tools of the example.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    ///
    /// ```
    /// let error = onetool::Settings { prompts: Some("no/such.yaml".into()), ..Default::default() }.words().unwrap_err();
    /// assert!(error.to_string().starts_with("`ONETOOL_PROMPTS`: cannot read no/such.yaml"));
    /// ```
    pub fn words(&self) -> Result<PromptsFile, SettingsError> {
        Ok(match (&self.prompts, &self.tools) {
            (Some(path), _) => PromptsFile::read(path)?,
            (None, None) => PromptsFile::parse(PROMPTS)?,
            (None, Some(_)) => PromptsFile::default(),
        })
    }
}

/// The default prompts file.
const PROMPTS: &str = include_str!("../prompts.yaml");

/// Splits a comma-separated list.
fn listed(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serves_only_the_listed_tools() {
        let served = |tools: &str| {
            let settings = Settings { tools: Some(listed(tools)), ..Settings::default() };
            let registry = settings.registry("http://127.0.0.1:7878").unwrap();
            registry.tools().map(|tool| tool.name().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(served(" run, web_fetch,"), ["run", "web_fetch"]);
        assert!(served("").is_empty());
    }

    #[test]
    fn names_invalid_settings() {
        let error = |settings: Settings, search| settings.registry(search).unwrap_err().to_string();
        let loopback = "http://127.0.0.1:7878";
        let fetch = |origin: &str| Settings { fetch: vec![origin.to_owned()], ..Settings::default() };
        assert!(
            error(Settings::default(), "nowhere").starts_with("`ONETOOL_SEARCH`: `nowhere` is no address")
        );
        assert!(
            error(Settings::default(), "http://10.0.0.1")
                .starts_with("`ONETOOL_SEARCH`: `http://10.0.0.1` is neither")
        );
        assert!(
            error(fetch("example.org"), loopback).starts_with("`ONETOOL_FETCH`: `example.org` is no origin")
        );
        assert!(
            error(fetch("http://10.0.0.1"), loopback)
                .starts_with("`ONETOOL_FETCH`: `http://10.0.0.1` is neither")
        );
    }
}
