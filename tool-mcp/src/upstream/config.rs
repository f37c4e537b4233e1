//! The configuration file, in the form that clients of MCP share.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;
use tool_core::nearest;

use crate::upstream::error::UpstreamsError;
use crate::upstream::members::Members;
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
        let mut reading = Reading { variable, faults: Vec::new(), remarks: Vec::new() };
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

/// Reads the values, and gathers what is wrong.
struct Reading<'r> {
    variable: &'r dyn Fn(&str) -> Option<String>,
    faults: Vec<String>,
    remarks: Vec<String>,
}

const KNOWN: [&str; 12] = [
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "headers",
    "disabled",
    "enabled",
    "timeout",
    "startTimeout",
    "type",
    "transport",
];

impl Reading<'_> {
    fn servers(&mut self, root: &Members<Box<RawValue>>) -> Vec<Configured> {
        let mut servers = None;
        for (name, value) in root.iter() {
            match name {
                "mcpServers" if servers.is_some() => self.fault("/mcpServers", "it is given twice"),
                "mcpServers" => servers = Some(value),
                _ => self.remarks.push(format!("at /{name}: not known here, and not followed")),
            }
        }
        let Some(servers) = servers else {
            let instead = root.iter().any(|(name, _)| name == "servers");
            let hint = if instead { ": `servers` is what another client calls it" } else { "" };
            self.fault("/mcpServers", &format!("expected an object of servers by name, found nothing{hint}"));
            return Vec::new();
        };
        // Not as a `Value`, which would have one of two servers of the same name.
        let Ok(members) = serde_json::from_str::<Members<Value>>(servers.get()) else {
            let found = serde_json::from_str(servers.get()).unwrap_or_default();
            self.expected("/mcpServers", "an object of servers by name", &found);
            return Vec::new();
        };
        let mut configured: Vec<Configured> = Vec::new();
        for (name, server) in members.iter() {
            let at = format!("/mcpServers/{}", name.replace('~', "~0").replace('/', "~1"));
            if configured.iter().any(|other| other.upstream.name() == name) {
                self.fault(&at, "there are two servers of this name");
            }
            configured.extend(self.server(&at, name, server));
        }
        configured
    }

    fn server(&mut self, at: &str, name: &str, server: &Value) -> Option<Configured> {
        let Some(members) = server.as_object() else {
            self.expected(at, "an object with `command` or `url`", server);
            return None;
        };
        for key in members.keys().filter(|key| !KNOWN.contains(&key.as_str())) {
            let similar =
                nearest(key, KNOWN).map(|known| format!("; there is one with a similar name: `{known}`"));
            let similar = similar.unwrap_or_default();
            self.remarks.push(format!("at {at}/{key}: not known here, and not followed{similar}"));
        }
        let before = self.faults.len();
        let disabled = self.flag(at, "disabled", server) == Some(true)
            || self.flag(at, "enabled", server) == Some(false);
        if disabled {
            self.remarks.push(format!("server `{name}` is disabled"));
            // It may be so because something about it is wrong.
            let upstream = Upstream::command(name, "-");
            return Some(Configured { upstream, disabled });
        }
        self.kind(at, server);
        let mut upstream = match (server.get("command"), server.get("url")) {
            (Some(_), Some(_)) => {
                self.fault(at, "expected a `command` or a `url`, found both");
                return None;
            }
            (None, None) => {
                self.fault(at, "expected a `command` or a `url`, found neither");
                return None;
            }
            (Some(command), None) => Upstream::command(name, self.text(&format!("{at}/command"), command)?),
            (None, Some(url)) => Upstream::url(name, self.text(&format!("{at}/url"), url)?),
        };
        if let Some(args) = server.get("args").filter(|args| !args.is_null()) {
            upstream = upstream.args(self.list(&format!("{at}/args"), args));
        }
        for (variable, value) in self.map(&format!("{at}/env"), &server["env"]) {
            upstream = upstream.env(variable, value);
        }
        for (header, value) in self.map(&format!("{at}/headers"), &server["headers"]) {
            upstream = upstream.header(header, value);
        }
        if let Some(cwd) = server.get("cwd").filter(|cwd| !cwd.is_null()) {
            upstream = upstream.cwd(self.text(&format!("{at}/cwd"), cwd)?);
        }
        if let Some(timeout) = self.duration(at, "timeout", server) {
            upstream = upstream.timeout(timeout);
        }
        if let Some(timeout) = self.duration(at, "startTimeout", server) {
            upstream = upstream.start_timeout(timeout);
        }
        for fault in upstream.faults() {
            self.fault(at, &fault);
        }
        (self.faults.len() == before).then_some(Configured { upstream, disabled })
    }

    fn kind(&mut self, at: &str, server: &Value) {
        for key in ["type", "transport"] {
            let Some(kind) = server.get(key) else { continue };
            let expected = if server.get("url").is_some() { "`http`" } else { "`stdio`" };
            let fits = match kind.as_str() {
                Some("stdio") => server.get("command").is_some(),
                Some("http" | "streamable-http" | "streamableHttp" | "streamable_http") => {
                    server.get("url").is_some()
                }
                Some("sse") => {
                    self.fault(
                        &format!("{at}/{key}"),
                        "the transport `sse` of 2024-11-05 is not spoken: most servers have streamable HTTP too",
                    );
                    true
                }
                _ => false,
            };
            if !fits {
                self.fault(&format!("{at}/{key}"), &format!("expected {expected}, found {kind}"));
            }
        }
    }

    fn flag(&mut self, at: &str, key: &str, server: &Value) -> Option<bool> {
        let value = server.get(key)?;
        if !value.is_boolean() {
            self.expected(&format!("{at}/{key}"), "`true` or `false`", value);
        }
        value.as_bool()
    }

    fn list(&mut self, at: &str, value: &Value) -> Vec<String> {
        match value {
            Value::Null => Vec::new(),
            Value::Array(items) => {
                let items = items.iter().enumerate();
                items.filter_map(|(position, item)| self.text(&format!("{at}/{position}"), item)).collect()
            }
            other => {
                self.expected(at, "a list of texts", other);
                Vec::new()
            }
        }
    }

    fn map(&mut self, at: &str, value: &Value) -> Vec<(String, String)> {
        match value {
            Value::Null => Vec::new(),
            Value::Object(members) => {
                let texts = members.iter().filter_map(|(name, value)| {
                    Some((name.clone(), self.text(&format!("{at}/{name}"), value)?))
                });
                texts.collect()
            }
            other => {
                self.expected(at, "an object of texts", other);
                Vec::new()
            }
        }
    }

    /// A text in which variables stand for their values.
    fn text(&mut self, at: &str, value: &Value) -> Option<String> {
        let Some(text) = value.as_str() else {
            self.expected(at, "a text", value);
            return None;
        };
        match expanded(text, self.variable) {
            Ok(text) => Some(text),
            Err(fault) => {
                self.fault(at, &fault);
                None
            }
        }
    }

    fn duration(&mut self, at: &str, key: &str, server: &Value) -> Option<Duration> {
        let value = server.get(key)?;
        let duration = match value {
            Value::String(text) => spelled(text),
            value => value.as_u64().filter(|millis| *millis >= 1000).map(Duration::from_millis),
        };
        let duration = duration.filter(|duration| !duration.is_zero());
        if duration.is_none() {
            let expected = "a text such as \"30s\", or milliseconds, at least 1000";
            self.fault(&format!("{at}/{key}"), &format!("expected {expected}, found {value}"));
        }
        duration
    }

    fn expected(&mut self, at: &str, what: &str, found: &Value) {
        let found = match found {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        self.fault(at, &format!("expected {what}, found {found}"));
    }

    fn fault(&mut self, at: &str, fault: &str) {
        self.faults.push(format!("at {at}: {fault}"));
    }
}

/// A text with each `${NAME}` and `${NAME:-otherwise}` replaced.
fn expanded(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let (mut whole, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        let Some((inside, after)) = after.split_once('}') else {
            return Err("`${` has no `}`".to_owned());
        };
        let (name, otherwise) = match inside.split_once(":-") {
            Some((name, otherwise)) => (name, Some(otherwise)),
            None => (inside, None),
        };
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return Err(format!("`{}` is no name of a variable", name.escape_debug()));
        }
        whole.push_str(before);
        match (variable(name), otherwise) {
            (Some(value), None) => whole.push_str(&value),
            (Some(value), Some(_)) if !value.is_empty() => whole.push_str(&value),
            (_, Some(otherwise)) => whole.push_str(otherwise),
            (None, None) => {
                return Err(format!(
                    "the variable `{name}` is not set: set it, or write `${{{name}:-a text}}`"
                ));
            }
        }
        rest = after;
    }
    whole.push_str(rest);
    Ok(whole)
}

/// A number and its unit.
fn spelled(text: &str) -> Option<Duration> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok()?;
    match unit.trim() {
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(Duration::from_secs(number)),
        "m" => number.checked_mul(60).map(Duration::from_secs),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
