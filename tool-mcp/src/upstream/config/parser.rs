//! Parses the configuration file, and collects all problems in it.

use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;
use tool_core::adapter::ObjectMembers;
use tool_core::schema::nearest;

use crate::upstream::config::values::{expand, parse_duration};
use crate::upstream::settings::Upstream;

/// A server of the file.
#[derive(Clone, Debug)]
pub(super) struct ServerEntry {
    pub(super) upstream: Upstream,
    pub(super) disabled: bool,
}

/// Parses the file. Positions (`at`) are JSON pointers.
pub(super) struct ConfigParser<'p> {
    /// Returns the value of an environment variable.
    variable: &'p dyn Fn(&str) -> Option<String>,
    pub(super) faults: Vec<String>,
    pub(super) remarks: Vec<String>,
}

/// The keys of a server.
const KEYS: [&str; 14] = [
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "headers",
    "oauth",
    "disabled",
    "enabled",
    "timeout",
    "startTimeout",
    "maxMessageBytes",
    "type",
    "transport",
];

impl<'p> ConfigParser<'p> {
    pub(super) fn new(variable: &'p dyn Fn(&str) -> Option<String>) -> Self {
        ConfigParser { variable, faults: Vec::new(), remarks: Vec::new() }
    }

    pub(super) fn servers(&mut self, root: &ObjectMembers<Box<RawValue>>) -> Vec<ServerEntry> {
        let mut servers = None;
        for (name, value) in &root.0 {
            match name.as_str() {
                "mcpServers" if servers.is_some() => self.fault("/mcpServers", "it is given twice"),
                "mcpServers" => servers = Some(value),
                _ => self.remarks.push(format!("at /{name}: unknown key, ignored")),
            }
        }
        let Some(servers) = servers else {
            let instead = root.0.iter().any(|(name, _)| name == "servers");
            let hint = if instead { ": `servers` is what another client calls it" } else { "" };
            self.fault("/mcpServers", &format!("expected an object of servers by name, found nothing{hint}"));
            return Vec::new();
        };
        // A `Value` would drop one of two servers with the same name.
        let Ok(members) = serde_json::from_str::<ObjectMembers<Value>>(servers.get()) else {
            let found = serde_json::from_str(servers.get()).unwrap_or_default();
            self.expected("/mcpServers", "an object of servers by name", &found);
            return Vec::new();
        };
        let mut entries: Vec<ServerEntry> = Vec::new();
        for (name, server) in &members.0 {
            let at = format!("/mcpServers/{}", name.replace('~', "~0").replace('/', "~1"));
            if entries.iter().any(|other| other.upstream.name() == *name) {
                self.fault(&at, "there are two servers of this name");
            }
            entries.extend(self.server(&at, name, server));
        }
        entries
    }

    fn server(&mut self, at: &str, name: &str, server: &Value) -> Option<ServerEntry> {
        let Some(members) = server.as_object() else {
            self.expected(at, "an object with `command` or `url`", server);
            return None;
        };
        for key in members.keys().filter(|key| !KEYS.contains(&key.as_str())) {
            let similar =
                nearest(key, KEYS).map(|similar| format!("; there is one with a similar name: `{similar}`"));
            let similar = similar.unwrap_or_default();
            self.remarks.push(format!("at {at}/{key}: unknown key, ignored{similar}"));
        }
        let before = self.faults.len();
        let disabled = self.flag(at, "disabled", server) == Some(true)
            || self.flag(at, "enabled", server) == Some(false);
        if disabled {
            self.remarks.push(format!("server `{name}` is disabled"));
            // A disabled server may be invalid.
            let upstream = Upstream::command(name, "-");
            return Some(ServerEntry { upstream, disabled });
        }
        self.check_transport(at, server);
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
        upstream = self.oauth(at, server, upstream);
        if let Some(cwd) = server.get("cwd").filter(|cwd| !cwd.is_null()) {
            upstream = upstream.cwd(self.text(&format!("{at}/cwd"), cwd)?);
        }
        if let Some(timeout) = self.duration(at, "timeout", server) {
            upstream = upstream.timeout(timeout);
        }
        if let Some(timeout) = self.duration(at, "startTimeout", server) {
            upstream = upstream.start_timeout(timeout);
        }
        if let Some(limit) = self.bytes(at, "maxMessageBytes", server) {
            upstream = upstream.message_limit(limit);
        }
        for fault in upstream.faults() {
            self.fault(at, &fault);
        }
        (self.faults.len() == before).then_some(ServerEntry { upstream, disabled })
    }

    fn check_transport(&mut self, at: &str, server: &Value) {
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

    pub(super) fn flag(&mut self, at: &str, key: &str, server: &Value) -> Option<bool> {
        let value = server.get(key)?;
        if !value.is_boolean() {
            self.expected(&format!("{at}/{key}"), "`true` or `false`", value);
        }
        value.as_bool()
    }

    pub(super) fn list(&mut self, at: &str, value: &Value) -> Vec<String> {
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

    /// Returns a text with its variables replaced.
    pub(super) fn text(&mut self, at: &str, value: &Value) -> Option<String> {
        let Some(text) = value.as_str() else {
            self.expected(at, "a text", value);
            return None;
        };
        match expand(text, self.variable) {
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
            Value::String(text) => parse_duration(text),
            value => value.as_u64().filter(|millis| *millis >= 1000).map(Duration::from_millis),
        };
        let duration = duration.filter(|duration| !duration.is_zero());
        if duration.is_none() {
            let expected = "a text such as \"30s\", or milliseconds, at least 1000";
            self.fault(&format!("{at}/{key}"), &format!("expected {expected}, found {value}"));
        }
        duration
    }

    fn bytes(&mut self, at: &str, key: &str, server: &Value) -> Option<usize> {
        let value = server.get(key)?;
        let bytes = value.as_u64().and_then(|bytes| usize::try_from(bytes).ok());
        if bytes.is_none() {
            self.fault(&format!("{at}/{key}"), &format!("expected a number of bytes, found {value}"));
        }
        bytes
    }

    pub(super) fn expected(&mut self, at: &str, what: &str, found: &Value) {
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

    pub(super) fn fault(&mut self, at: &str, fault: &str) {
        self.faults.push(format!("at {at}: {fault}"));
    }
}
