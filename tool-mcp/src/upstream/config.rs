//! The configuration file, in the format that MCP clients share.

mod oauth;
mod parser;
mod values;

use std::path::Path;

use tool_core::schema::nearest;

use crate::upstream::config::parser::{ConfigParser, ServerEntry};
use crate::upstream::error::UpstreamsError;
use crate::upstream::settings::Upstream;

/// The servers of a configuration file, in the format that MCP clients share.
///
/// ```
/// use tool_mcp::upstream::{Upstreams, UpstreamsConfig};
///
/// let config = UpstreamsConfig::parse(r#"{
///     "mcpServers": {
///         "weather": {"command": "weather", "args": ["serve", "mcp"], "env": {"RUST_LOG": "warn"}},
///         "web": {"url": "https://mcp.example.org/mcp", "headers": {"X-Key": "${WEB_KEY:-none}"}, "timeout": "30s"}
///     }
/// }"#)?;
/// let upstreams = Upstreams::builder().config(config.select(["web", "weather"])?).build()?;
/// assert_eq!(upstreams.status()[0].server, "web");
/// # Ok::<(), tool_mcp::upstream::UpstreamsError>(())
/// ```
///
/// A server has a `command`, with `args`, `env` and `cwd`, or a `url`, with `headers`. Other keys:
///
/// | key | meaning |
/// |---|---|
/// | `disabled` | `true` to ignore the server; equivalent to `"enabled": false` |
/// | `oauth` | an object to sign in to the server with OAuth; requires the feature `upstream-oauth` |
/// | `timeout` | the timeout of a call: a text such as `"30s"`, `"500ms"` or `"2m"`, or a number of milliseconds, at least 1000 |
/// | `startTimeout` | the timeout of a start |
/// | `maxMessageBytes` | the maximum size of a message in bytes: [`Upstream::message_limit`] |
/// | `type` | `stdio`, or `http` (also `streamable-http`, `streamableHttp`); optional |
///
/// With the feature `upstream-oauth`, `oauth` has these keys, all of them optional; `true` is equivalent to `{}`. See
/// `OAuth` for their meaning.
///
/// | key | meaning |
/// |---|---|
/// | `clientId`, `clientSecret` | a client that is registered at the authorization server; a secret needs `issuer` |
/// | `issuer` | the issuer of the only authorization server to sign in at, by default the one that the server names |
/// | `clientMetadataUrl` | the URL of a client metadata document |
/// | `clientName` | the name that a client is registered with |
/// | `scopes` | a list of the scopes to ask for, by default those that the server names |
/// | `redirectUri` | where the browser returns to, by default a free port of `127.0.0.1` |
/// | `account` | a name for the account, to use a server with two accounts |
/// | `allowPrivateAddresses` | `true` for servers in a private network |
///
/// In values, `${NAME}` is replaced by an environment variable, and `${NAME:-text}` by the variable or, if it is unset
/// or empty, by the text. Without a default, an unset variable is an error. Unknown keys are ignored and
/// [reported](Self::remarks). Servers keep the order of the file.
#[derive(Clone, Debug)]
pub struct UpstreamsConfig {
    servers: Vec<ServerEntry>,
    remarks: Vec<String>,
}

/// The maximum size of the file.
const MAX_FILE_BYTES: u64 = 1 << 20;

impl UpstreamsConfig {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is invalid. The error lists all problems with their positions.
    ///
    /// ```
    /// let error = tool_mcp::upstream::UpstreamsConfig::read("no/such/file.json").unwrap_err();
    /// assert!(error.to_string().starts_with("the configuration file `no/such/file.json` cannot be read: "));
    /// ```
    pub fn read(path: impl AsRef<Path>) -> Result<Self, UpstreamsError> {
        let path = path.as_ref();
        let unreadable = |source| UpstreamsError::Read { path: path.display().to_string(), source };
        let bytes = std::fs::metadata(path).map_err(unreadable)?.len();
        if bytes > MAX_FILE_BYTES {
            return Err(unreadable(std::io::Error::other(format!(
                "it has more than {MAX_FILE_BYTES} bytes"
            ))));
        }
        Self::parse(&std::fs::read_to_string(path).map_err(unreadable)?)
    }

    /// Parses the content of a file.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    ///
    /// ```
    /// use tool_mcp::upstream::UpstreamsConfig;
    ///
    /// let error = UpstreamsConfig::parse(r#"{"mcpServers": {"web": {"url": 5}}}"#).unwrap_err();
    /// assert!(error.to_string().ends_with("at /mcpServers/web/url: expected a text, found a number"));
    /// ```
    pub fn parse(text: &str) -> Result<Self, UpstreamsError> {
        Self::parse_with(text, &|name| std::env::var(name).ok())
    }

    fn parse_with(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, UpstreamsError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let root = serde_json::from_str(text)
            .map_err(|error| UpstreamsError::from_faults(&[format!("invalid configuration: {error}")]))?;
        let mut parser = ConfigParser::new(variable);
        let servers = parser.servers(&root);
        if parser.faults.is_empty() {
            Ok(UpstreamsConfig { servers, remarks: parser.remarks })
        } else {
            Err(UpstreamsError::from_faults(&parser.faults))
        }
    }

    /// Selects servers by name, in the given order.
    ///
    /// # Errors
    ///
    /// When a server does not exist or is disabled, or a name is repeated.
    ///
    /// ```
    /// use tool_mcp::upstream::UpstreamsConfig;
    ///
    /// let config = UpstreamsConfig::parse(r#"{"mcpServers": {"web": {"command": "web"}, "disk": {"command": "disk"}}}"#)?;
    /// let error = config.select(["wbe"]).unwrap_err().to_string();
    /// assert!(error.ends_with(
    ///     "there is no server `wbe`; there is one with a similar name: `web`: the servers are `web`, `disk`"
    /// ));
    /// # Ok::<(), tool_mcp::upstream::UpstreamsError>(())
    /// ```
    pub fn select(self, names: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, UpstreamsError> {
        let (mut servers, mut faults) = (Vec::<ServerEntry>::new(), Vec::new());
        for name in names {
            let name = name.as_ref();
            match self.servers.iter().find(|server| server.upstream.name() == name) {
                None => faults.push(self.unknown_server(name)),
                Some(server) if server.disabled => faults.push(format!("server `{name}` is disabled")),
                Some(_) if servers.iter().any(|chosen| chosen.upstream.name() == name) => {
                    faults.push(format!("server `{name}` is chosen twice"));
                }
                Some(server) => servers.push(server.clone()),
            }
        }
        if faults.is_empty() {
            Ok(UpstreamsConfig { servers, remarks: self.remarks })
        } else {
            Err(UpstreamsError::from_faults(&faults))
        }
    }

    /// Returns a line for each unknown key and each disabled server.
    ///
    /// ```
    /// use tool_mcp::upstream::UpstreamsConfig;
    ///
    /// let config = UpstreamsConfig::parse(r#"{"mcpServers": {"web": {"command": "web", "autoApprove": ["search"]}}}"#)?;
    /// assert_eq!(config.remarks(), ["at /mcpServers/web/autoApprove: unknown key, ignored"]);
    /// # Ok::<(), tool_mcp::upstream::UpstreamsError>(())
    /// ```
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Returns the enabled servers.
    pub(super) fn into_servers(self) -> impl Iterator<Item = Upstream> {
        self.servers.into_iter().filter(|server| !server.disabled).map(|server| server.upstream)
    }

    fn unknown_server(&self, name: &str) -> String {
        let names: Vec<&str> = self.servers.iter().map(|server| server.upstream.name()).collect();
        let similar = nearest(name, names.iter().copied());
        let similar = similar.map(|name| format!("; there is one with a similar name: `{name}`"));
        let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let list = if quoted.is_empty() {
            "there are none".to_owned()
        } else {
            format!("the servers are {}", quoted.join(", "))
        };
        format!("there is no server `{}`{}: {list}", name.escape_debug(), similar.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests;
