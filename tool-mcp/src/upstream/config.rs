//! The configuration file, in the form that clients of MCP share.

mod members;
mod reading;
mod text;

use std::path::Path;

use tool_core::schema::nearest;

use crate::upstream::config::reading::Reading;
use crate::upstream::error::UpstreamsError;
use crate::upstream::settings::Upstream;

/// Servers as a configuration file names them, in the form that clients of MCP share.
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
/// A server has a `command`, with `args`, `env` and `cwd`, or a `url`, with `headers`. Besides:
///
/// | key | meaning |
/// |---|---|
/// | `disabled` | `true` for one that is not to be used; `"enabled": false` says the same |
/// | `timeout` | how long a call may take: a text such as `"30s"`, `"500ms"` or `"2m"`, or a number of milliseconds, at least 1000 |
/// | `startTimeout` | the same of a start |
/// | `maxMessageBytes` | how many bytes a message of the server may have: [`Upstream::message_limit`] |
/// | `type` | `stdio`, or `http` (also `streamable-http`, `streamableHttp`): need not be said |
///
/// In all texts but names and keys `${NAME}` is the variable of the environment, and `${NAME:-text}` that or else the text. A
/// variable that is not there is a fault. Other keys are for other clients, and [told](Self::remarks); servers stand in the
/// order of the file.
#[derive(Clone, Debug)]
pub struct UpstreamsConfig {
    servers: Vec<Configured>,
    remarks: Vec<String>,
}

#[derive(Clone, Debug)]
struct Configured {
    upstream: Upstream,
    disabled: bool,
}

/// A file that is larger is no configuration.
const MOST_BYTES: u64 = 1 << 20;

impl UpstreamsConfig {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or says something that is wrong: all faults at once, each with its place.
    ///
    /// ```
    /// let error = tool_mcp::upstream::UpstreamsConfig::read("no/such/file.json").unwrap_err();
    /// assert!(error.to_string().starts_with("the configuration file `no/such/file.json` cannot be read: "));
    /// ```
    pub fn read(path: impl AsRef<Path>) -> Result<Self, UpstreamsError> {
        let path = path.as_ref();
        let unreadable = |source| UpstreamsError::Read { path: path.display().to_string(), source };
        let bytes = std::fs::metadata(path).map_err(unreadable)?.len();
        if bytes > MOST_BYTES {
            return Err(unreadable(std::io::Error::other(format!("it has more than {MOST_BYTES} bytes"))));
        }
        Self::parse(&std::fs::read_to_string(path).map_err(unreadable)?)
    }

    /// Reads what stands in such a file.
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
            .map_err(|error| UpstreamsError::of(&[format!("this is no configuration: {error}")]))?;
        let mut reading = Reading::new(variable);
        let servers = reading.servers(&root);
        if reading.faults.is_empty() {
            Ok(UpstreamsConfig { servers, remarks: reading.remarks })
        } else {
            Err(UpstreamsError::of(&reading.faults))
        }
    }

    /// These servers alone, in this order.
    ///
    /// # Errors
    ///
    /// When there is no server of one of these names, or it is disabled, or a name is given twice.
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
        let (mut servers, mut faults) = (Vec::<Configured>::new(), Vec::new());
        for name in names {
            let name = name.as_ref();
            match self.servers.iter().find(|server| server.upstream.name() == name) {
                None => faults.push(self.unknown(name)),
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
            Err(UpstreamsError::of(&faults))
        }
    }

    /// What the file says and is not followed, and which servers are disabled: a line each.
    ///
    /// ```
    /// use tool_mcp::upstream::UpstreamsConfig;
    ///
    /// let config = UpstreamsConfig::parse(r#"{"mcpServers": {"web": {"command": "web", "autoApprove": ["search"]}}}"#)?;
    /// assert_eq!(config.remarks(), ["at /mcpServers/web/autoApprove: not known here, and not followed"]);
    /// # Ok::<(), tool_mcp::upstream::UpstreamsError>(())
    /// ```
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// The servers that are to be used.
    pub(super) fn into_servers(self) -> impl Iterator<Item = Upstream> {
        self.servers.into_iter().filter(|server| !server.disabled).map(|server| server.upstream)
    }

    fn unknown(&self, name: &str) -> String {
        let names: Vec<&str> = self.servers.iter().map(|server| server.upstream.name()).collect();
        let similar = nearest(name, names.iter().copied());
        let similar = similar.map(|name| format!("; there is one with a similar name: `{name}`"));
        let known: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let known = if known.is_empty() {
            "there are none".to_owned()
        } else {
            format!("the servers are {}", known.join(", "))
        };
        format!("there is no server `{}`{}: {known}", name.escape_debug(), similar.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests;
