//! Selection of servers.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use tool_core::results::ResultStore;
use tool_mcp::Changes;
use tool_mcp::upstream::{CredentialFile, Upstreams, UpstreamsBuilder, UpstreamsConfig, UpstreamsError};

/// The variable with the path of the configuration file.
const CONFIG: &str = "GATEWAY_CONFIG";

/// The variable with the names of the selected servers.
const SERVERS: &str = "ABSTRACT_PROXY_SERVERS";

/// The default configuration file.
const DEFAULT: &str = "gateway.json";

/// The variable with the path of the file with tokens.
const CREDENTIALS: &str = "GATEWAY_CREDENTIALS";

/// The command that signs in to a server.
const SIGN_IN: &str = "gateway sign-in";

/// The variable with the directory for large results.
const RESULTS: &str = "GATEWAY_RESULTS";

/// The value of that variable that disables storing results.
const OFF: &str = "off";

/// The selected servers, in the order in which their tools are listed.
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

/// The reason why the servers cannot be used.
///
/// ```
/// let error = gateway::Settings::parse(r#"{"mcpServers": {}}"#, Some("web")).unwrap_err();
/// assert!(error.to_string().ends_with("there is no server `web`: there are none"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The file or the selection is invalid.
    #[error(transparent)]
    Upstreams(#[from] UpstreamsError),
    /// The file does not exist.
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
    /// The names are not valid UTF-8.
    #[error("`{SERVERS}` is not UTF-8: {0:?}")]
    Names(OsString),
}

impl Settings {
    /// Reads the file that `GATEWAY_CONFIG` names, by default `gateway.json` in the current folder, and selects the servers that
    /// `ABSTRACT_PROXY_SERVERS` names, in that order, by default all.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is invalid, or a name is not one of its servers.
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

    /// Parses a file and selects servers by comma-separated names, by default all.
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

    /// Returns warnings about ignored settings of the file.
    ///
    /// ```
    /// let settings = gateway::Settings::parse(r#"{"inputs": [], "mcpServers": {}}"#, None)?;
    /// assert_eq!(settings.remarks().len(), 1);
    /// # Ok::<(), gateway::SettingsError>(())
    /// ```
    pub fn remarks(&self) -> &[String] {
        self.config.remarks()
    }

    /// Creates the servers without starting them. The tokens of servers that use OAuth are in the file that
    /// `GATEWAY_CREDENTIALS` names, by default `gateway/credentials.json` in the user's state folder.
    ///
    /// # Errors
    ///
    /// When they conflict.
    ///
    /// ```
    /// # let settings = gateway::Settings::parse(r#"{"mcpServers": {}}"#, None)?;
    /// let upstreams = settings.upstreams(&tool_mcp::Changes::new())?;
    /// # Ok::<(), gateway::SettingsError>(())
    /// ```
    pub fn upstreams(self, changes: &Changes) -> Result<Upstreams, SettingsError> {
        let file = env::var_os(CREDENTIALS).map(PathBuf::from);
        let file = file.or_else(|| state_folder().map(|state| state.join("credentials.json")));
        let builder = Upstreams::builder().config(self.config).changes(changes).sign_in_command(SIGN_IN);
        let credentials = file.map(CredentialFile::new);
        Ok(credentials.into_iter().fold(builder, UpstreamsBuilder::credentials).build()?)
    }
}

/// Returns the store for large results, in the directory that `GATEWAY_RESULTS` names, by default `gateway/results` in the user's
/// state folder, or in memory if that cannot be used. `None` for `GATEWAY_RESULTS=off`.
///
/// # Errors
///
/// When the directory of `GATEWAY_RESULTS` cannot be used.
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
            let state = state_folder().ok_or_else(|| io::Error::other("the user has no folder of state"));
            let store = state.and_then(|state| ResultStore::local(state.join("results")));
            Ok(Some(store.unwrap_or_else(|error| {
                tracing::warn!(%error, "large results are kept in memory; name a directory with `{RESULTS}`");
                ResultStore::memory()
            })))
        }
    }
}

/// Returns the folder for the state of the gateway.
fn state_folder() -> Option<PathBuf> {
    Some(dirs::state_dir().or_else(dirs::data_local_dir)?.join("gateway"))
}
