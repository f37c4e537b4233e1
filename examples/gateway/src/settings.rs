//! Which servers there are, and which of them are used.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use tool_core::results::ResultStore;
use tool_mcp::Changes;
use tool_mcp::upstream::{Upstreams, UpstreamsConfig, UpstreamsError};

/// The variable with the path of the configuration file.
const CONFIG: &str = "GATEWAY_CONFIG";

/// The variable with the names of the servers that are used.
const SERVERS: &str = "ABSTRACT_PROXY_SERVERS";

/// The file where the variable does not name one.
const DEFAULT: &str = "gateway.json";

/// The variable with the directory in which large results are kept.
const RESULTS: &str = "GATEWAY_RESULTS";

/// The value of that variable with which nothing is kept.
const OFF: &str = "off";

/// The servers that are used, in the order in which their tools are listed.
///
/// ```
/// use gateway::Settings;
///
/// let file = r#"{"mcpServers": {"web": {"command": "web-mcp"}, "disk": {"command": "disk-mcp"}}}"#;
/// let settings = Settings::parse(file, Some("disk, web"))?;
/// let upstreams = settings.upstreams(&tool_mcp::Changes::new())?;
/// assert_eq!(upstreams.status()[0].server, "disk");
/// # Ok::<(), gateway::SettingsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    config: UpstreamsConfig,
}

/// Why there are no servers.
///
/// ```
/// let error = gateway::Settings::parse(r#"{"mcpServers": {}}"#, Some("web")).unwrap_err();
/// assert!(error.to_string().ends_with("there is no server `web`: there are none"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The file, or what is chosen from it, is wrong.
    #[error(transparent)]
    Upstreams(#[from] UpstreamsError),
    /// There is no file.
    #[error("{source}\nhelp: name a file with `{CONFIG}`, or put `{DEFAULT}` into this folder")]
    NoFile {
        /// Why not.
        source: UpstreamsError,
    },
    /// The directory of large results cannot be used.
    #[error(
        "`{RESULTS}` is {directory:?}: {source}\nhelp: name another directory, or `{OFF}` to keep no results"
    )]
    Results {
        /// The directory.
        directory: OsString,
        /// Why not.
        source: io::Error,
    },
    /// The names cannot be read.
    #[error("`{SERVERS}` is no text: {0:?}")]
    Names(OsString),
}

impl Settings {
    /// What `GATEWAY_CONFIG` names, or else `gateway.json` in the current folder; of its servers those that
    /// `ABSTRACT_PROXY_SERVERS` names, in that order, or else all.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is wrong, or a name is not one of its servers.
    ///
    /// ```no_run
    /// let settings = gateway::Settings::from_env()?;
    /// # Ok::<(), gateway::SettingsError>(())
    /// ```
    pub fn from_env() -> Result<Self, SettingsError> {
        let named = env::var_os(CONFIG).map(PathBuf::from);
        let config = UpstreamsConfig::read(named.clone().unwrap_or_else(|| DEFAULT.into()));
        let config = config.map_err(|source| match source {
            UpstreamsError::Read { .. } if named.is_none() => SettingsError::NoFile { source },
            other => other.into(),
        })?;
        let names =
            env::var_os(SERVERS).map(OsString::into_string).transpose().map_err(SettingsError::Names)?;
        Self::of(config, names.as_deref())
    }

    /// The servers of a file's text: those of these names, separated by commas, or else all.
    ///
    /// # Errors
    ///
    /// As [`from_env`](Self::from_env).
    ///
    /// ```
    /// assert!(gateway::Settings::parse(r#"{"mcpServers": {"web": {"command": "web-mcp"}}}"#, None).is_ok());
    /// ```
    pub fn parse(text: &str, names: Option<&str>) -> Result<Self, SettingsError> {
        Self::of(UpstreamsConfig::parse(text)?, names)
    }

    fn of(config: UpstreamsConfig, names: Option<&str>) -> Result<Self, SettingsError> {
        let names: Vec<&str> = names.into_iter().flat_map(|names| names.split(',')).map(str::trim).collect();
        let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
        Ok(Settings { config: if names.is_empty() { config } else { config.select(names)? } })
    }

    /// What the file says and is not followed.
    ///
    /// ```
    /// let settings = gateway::Settings::parse(r#"{"inputs": [], "mcpServers": {}}"#, None)?;
    /// assert_eq!(settings.remarks().len(), 1);
    /// # Ok::<(), gateway::SettingsError>(())
    /// ```
    pub fn remarks(&self) -> &[String] {
        self.config.remarks()
    }

    /// The servers; none of them is started yet.
    ///
    /// # Errors
    ///
    /// When they do not go together.
    ///
    /// ```
    /// # let settings = gateway::Settings::parse(r#"{"mcpServers": {}}"#, None)?;
    /// let upstreams = settings.upstreams(&tool_mcp::Changes::new())?;
    /// # Ok::<(), gateway::SettingsError>(())
    /// ```
    pub fn upstreams(self, changes: &Changes) -> Result<Upstreams, SettingsError> {
        Ok(Upstreams::builder().config(self.config).changes(changes).build()?)
    }
}

/// Returns the store of results that are too large to be shown, on the directory that `GATEWAY_RESULTS` names, or else
/// `gateway/results` in the user's folder of state. `None` for `GATEWAY_RESULTS=off`. Where the folder of state cannot be used,
/// results are kept in memory.
///
/// # Errors
///
/// When the directory cannot be used that the variable names.
///
/// ```no_run
/// let store = gateway::results_from_env()?;
/// # Ok::<(), gateway::SettingsError>(())
/// ```
pub fn results_from_env() -> Result<Option<ResultStore>, SettingsError> {
    match env::var_os(RESULTS) {
        Some(value) if value == OFF => Ok(None),
        Some(directory) => match ResultStore::local(&directory) {
            Ok(store) => Ok(Some(store)),
            Err(source) => Err(SettingsError::Results { directory, source }),
        },
        None => {
            let state = dirs::state_dir().or_else(dirs::data_local_dir);
            let state = state.ok_or_else(|| io::Error::other("the user has no folder of state"));
            let store = state.and_then(|state| ResultStore::local(state.join("gateway").join("results")));
            Ok(Some(store.unwrap_or_else(|error| {
                tracing::warn!(%error, "large results are kept in memory; name a directory with `{RESULTS}`");
                ResultStore::memory()
            })))
        }
    }
}
