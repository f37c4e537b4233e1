//! The settings of one server.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue};

#[cfg(feature = "upstream-oauth")]
use crate::upstream::oauth::{Account, CredentialFile, OAuth};
use crate::upstream::transport_config::{HttpConfig, StdioConfig, TransportConfig};

/// An MCP server whose tools are used: a program that is started and uses stdio, or a URL.
///
/// ```
/// use std::time::Duration;
/// use tool_mcp::upstream::Upstream;
///
/// let weather = Upstream::command("weather", "weather").args(["serve", "mcp"]).env("RUST_LOG", "warn");
/// let web = Upstream::url("web", "https://mcp.example.org/mcp")
///     .header("Authorization", "Bearer 0b7c5f1e")
///     .timeout(Duration::from_secs(30));
/// assert_eq!((weather.name(), web.name()), ("weather", "web"));
/// // `Debug` hides secrets.
/// assert!(!format!("{web:?}").contains("0b7c5f1e"));
/// ```
#[derive(Clone)]
#[must_use = "a server has no effect until it is added to `Upstreams`"]
pub struct Upstream {
    pub(super) name: String,
    pub(super) transport: TransportConfig,
    /// The names of settings that belong to the other transport.
    misplaced: Vec<&'static str>,
    pub(super) timeout: Duration,
    pub(super) start_timeout: Duration,
    pub(super) message_limit: usize,
}

/// The default timeout of a call.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// The default timeout of a start. Long, because some programs are installed when they are first started.
const DEFAULT_START_TIMEOUT: Duration = Duration::from_secs(60);

/// The default message limit in bytes.
const DEFAULT_MESSAGE_LIMIT: usize = 16 * 1024 * 1024;

/// The lowest message limit in bytes.
const MIN_MESSAGE_LIMIT: usize = 1024;

/// The maximum length of the name of a server, in characters.
const MAX_NAME_LENGTH: usize = 64;

impl Upstream {
    /// Creates a server that is started as a program and uses stdio. It is terminated together with its child
    /// processes.
    ///
    /// Its environment has the variables that are [set](Self::env), and inherits only: `HOME`, `LANG`, `LC_ALL`,
    /// `LC_CTYPE`, `LOGNAME`, `PATH`, `SHELL`, `TERM`, `TMPDIR`, `TZ` and `USER`; on Windows `APPDATA`, `HOMEDRIVE`,
    /// `HOMEPATH`, `LOCALAPPDATA`, `PATH`, `PATHEXT`, `PROCESSOR_ARCHITECTURE`, `PROGRAMFILES`, `SYSTEMDRIVE`,
    /// `SYSTEMROOT`, `TEMP`, `TMP`, `USERNAME` and `USERPROFILE`.
    ///
    /// ```
    /// # use tool_mcp::upstream::Upstream;
    /// let weather = Upstream::command("weather", "weather").args(["serve", "mcp"]);
    /// ```
    pub fn command(name: impl Into<String>, command: impl Into<String>) -> Self {
        let config = StdioConfig { command: command.into(), args: Vec::new(), env: Vec::new(), cwd: None };
        Self::new(name.into(), TransportConfig::Stdio(config))
    }

    /// Creates a server that uses streamable HTTP at this URL.
    ///
    /// Redirects to another origin are not followed, because requests carry credentials.
    ///
    /// ```
    /// # use tool_mcp::upstream::Upstream;
    /// let web = Upstream::url("web", "https://mcp.example.org/mcp");
    /// ```
    pub fn url(name: impl Into<String>, url: impl Into<String>) -> Self {
        let config = HttpConfig {
            url: url.into(),
            headers: Vec::new(),
            #[cfg(feature = "upstream-oauth")]
            oauth: None,
            #[cfg(feature = "upstream-oauth")]
            account: None,
        };
        Self::new(name.into(), TransportConfig::Http(config))
    }

    fn new(name: String, transport: TransportConfig) -> Self {
        Upstream {
            name,
            transport,
            misplaced: Vec::new(),
            timeout: DEFAULT_TIMEOUT,
            start_timeout: DEFAULT_START_TIMEOUT,
            message_limit: DEFAULT_MESSAGE_LIMIT,
        }
    }

    /// Returns the name of the server, the prefix of the names of its tools.
    ///
    /// ```
    /// # use tool_mcp::upstream::Upstream;
    /// assert_eq!(Upstream::command("weather", "weather").name(), "weather");
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Adds arguments of the program.
    ///
    /// ```
    /// # use tool_mcp::upstream::Upstream;
    /// let files = Upstream::command("files", "npx").args(["-y", "@example/files", "/srv"]);
    /// ```
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<String>>) -> Self {
        match &mut self.transport {
            TransportConfig::Stdio(config) => config.args.extend(args.into_iter().map(Into::into)),
            TransportConfig::Http(_) => self.misplaced.push("args"),
        }
        self
    }

    /// Sets an environment variable of the program.
    ///
    /// ```
    /// # use tool_mcp::upstream::Upstream;
    /// let web = Upstream::command("web", "web-mcp").env("WEB_API_KEY", "0b7c5f1e");
    /// ```
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        match &mut self.transport {
            TransportConfig::Stdio(config) => config.env.push((name.into(), value.into())),
            TransportConfig::Http(_) => self.misplaced.push("env"),
        }
        self
    }

    /// Sets the working directory of the program; by default that of this process.
    ///
    /// ```
    /// # use tool_mcp::upstream::Upstream;
    /// let files = Upstream::command("files", "files-mcp").cwd("/srv");
    /// ```
    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        match &mut self.transport {
            TransportConfig::Stdio(config) => config.cwd = Some(folder.into()),
            TransportConfig::Http(_) => self.misplaced.push("cwd"),
        }
        self
    }

    /// Adds a header to each request.
    ///
    /// ```
    /// # use tool_mcp::upstream::Upstream;
    /// let web = Upstream::url("web", "https://mcp.example.org/mcp").header("Authorization", "Bearer 0b7c5f1e");
    /// ```
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        match &mut self.transport {
            TransportConfig::Http(config) => config.headers.push((name.into(), value.into())),
            TransportConfig::Stdio(_) => self.misplaced.push("headers"),
        }
        self
    }

    /// Signs in to the server with OAuth. Its tokens are in the [credential
    /// file](crate::upstream::UpstreamsBuilder::credentials).
    ///
    /// ```
    /// # use tool_mcp::upstream::{OAuth, Upstream};
    /// let notes = Upstream::url("notes", "https://notes.example.org/mcp").oauth(OAuth::new());
    /// ```
    #[cfg(feature = "upstream-oauth")]
    pub fn oauth(mut self, oauth: OAuth) -> Self {
        match &mut self.transport {
            TransportConfig::Http(config) => config.oauth = Some(oauth),
            TransportConfig::Stdio(_) => self.misplaced.push("oauth"),
        }
        self
    }

    /// Sets the timeout of a call, and of reading the list of tools; 60 seconds by default.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_mcp::upstream::Upstream;
    /// let web = Upstream::url("web", "https://mcp.example.org/mcp").timeout(Duration::from_secs(10));
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the timeout of a start, including reading the list of tools; 60 seconds by default. Afterwards the server
    /// is stopped, and started again.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_mcp::upstream::Upstream;
    /// let files = Upstream::command("files", "files-mcp").start_timeout(Duration::from_secs(10));
    /// ```
    pub fn start_timeout(mut self, timeout: Duration) -> Self {
        self.start_timeout = timeout;
        self
    }

    /// Sets the maximum size of a message of the server in bytes; 16 MiB by default. A message may also have at most
    /// one JSON value for every 32 bytes of the limit, because a value takes a multiple of its text in memory.
    ///
    /// A call with a larger response fails. If the list of tools has too many values, the tools that fit are served.
    ///
    /// ```
    /// # use tool_mcp::upstream::Upstream;
    /// let scans = Upstream::command("scans", "scans-mcp").message_limit(64 * 1024 * 1024);
    /// ```
    pub fn message_limit(mut self, bytes: usize) -> Self {
        self.message_limit = bytes;
        self
    }

    /// Returns all problems of the settings.
    pub(super) fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if !is_name(&self.name) {
            faults.push(format!(
                "its name is not made of 1 to {MAX_NAME_LENGTH} of the characters `A-Z`, `a-z`, `0-9`, `_`, `.` and `-`, \
                 without `__`, which separates the names of servers and tools, and without `_` at its end"
            ));
        }
        for setting in &self.misplaced {
            faults.push(match self.transport {
                TransportConfig::Stdio(_) => format!("`{setting}` is for a URL, and this is a program"),
                TransportConfig::Http(_) => format!("`{setting}` is for a program, and this is a URL"),
            });
        }
        if self.timeout.is_zero() || self.start_timeout.is_zero() {
            faults.push("a timeout must not be zero".to_owned());
        }
        if self.message_limit < MIN_MESSAGE_LIMIT {
            faults.push(format!(
                "a message limit of less than {MIN_MESSAGE_LIMIT} bytes leaves no room for a list of tools"
            ));
        }
        match &self.transport {
            TransportConfig::Stdio(config) => {
                if config.command.trim().is_empty() {
                    faults.push("its command is empty".to_owned());
                }
                let texts = config.args.iter().chain([&config.command]);
                let texts = texts.chain(config.env.iter().flat_map(|(name, value)| [name, value]));
                if texts.into_iter().any(|text| text.contains('\0')) {
                    faults.push("arguments and variables must not contain NUL".to_owned());
                }
                let is_invalid = |name: &str| name.is_empty() || name.contains('=');
                for (name, _) in config.env.iter().filter(|(name, _)| is_invalid(name)) {
                    faults.push(format!("`{}` is not a valid variable name", name.escape_debug()));
                }
            }
            TransportConfig::Http(config) => {
                if !is_http(&config.url) {
                    faults.push("its URL does not begin with `http://` or `https://` and a host".to_owned());
                }
                if let Err(fault) = config.headers() {
                    faults.push(fault);
                }
                #[cfg(feature = "upstream-oauth")]
                if let Some(oauth) = &config.oauth {
                    faults.extend(oauth.faults(&config.url));
                    if config.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization")) {
                        faults.push("OAuth sets the header `Authorization`, which is set as well".to_owned());
                    }
                }
            }
        }
        faults
    }

    /// Sets the file with the tokens of a server that uses OAuth, and the beginning of the command that signs in.
    /// Returns `false` if it is needed and there is none.
    #[cfg(feature = "upstream-oauth")]
    pub(super) fn set_account(&mut self, file: Option<&CredentialFile>, command: Option<&str>) -> bool {
        let TransportConfig::Http(config) = &mut self.transport else { return true };
        let (Some(oauth), Ok(url)) = (&config.oauth, reqwest::Url::parse(&config.url)) else { return true };
        let command = command.map(str::to_owned);
        config.account = file.map(|file| Account::new(&self.name, url, oauth.clone(), file.clone(), command));
        config.account.is_some()
    }

    /// Returns the account of a server that uses OAuth.
    #[cfg(feature = "upstream-oauth")]
    pub(super) fn account(&self) -> Option<&Account> {
        match &self.transport {
            TransportConfig::Http(config) => config.account.as_ref(),
            TransportConfig::Stdio(_) => None,
        }
    }

    /// Says how to sign in to the server again with these scopes, if it uses OAuth.
    pub(super) fn how_to_sign_in(&self, scopes: &[String]) -> Option<String> {
        #[cfg(feature = "upstream-oauth")]
        return self.account().map(|account| account.how_to_sign_in(scopes));
        #[cfg(not(feature = "upstream-oauth"))]
        {
            let _ = scopes;
            None
        }
    }

    /// Returns the texts to remove from logs.
    pub(super) fn secrets(&self) -> Vec<String> {
        let values = match &self.transport {
            TransportConfig::Stdio(config) => &config.env,
            TransportConfig::Http(config) => &config.headers,
        };
        // Shorter values are not secrets, and occur in ordinary words.
        let values = values.iter().map(|(_, value)| value.trim_start_matches("Bearer ").to_owned());
        values.filter(|value| value.len() >= 8).collect()
    }
}

impl HttpConfig {
    /// Parses the headers.
    pub(super) fn headers(&self) -> Result<HashMap<HeaderName, HeaderValue>, String> {
        let mut headers = HashMap::new();
        for (name, value) in &self.headers {
            let header: HeaderName =
                name.parse().map_err(|_| format!("`{}` is not a valid header name", name.escape_debug()))?;
            if RESERVED.contains(&header.as_str()) {
                return Err(format!("the header `{name}` belongs to the protocol and cannot be set"));
            }
            let mut value: HeaderValue = value
                .parse()
                .map_err(|_| format!("the value of the header `{name}` contains invalid characters"))?;
            value.set_sensitive(true);
            headers.insert(header, value);
        }
        Ok(headers)
    }
}

/// Headers that the protocol sets.
const RESERVED: [&str; 7] = [
    "accept",
    "content-type",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
];

fn is_name(name: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
    (1..=MAX_NAME_LENGTH).contains(&name.len())
        && name.bytes().all(allowed)
        && !name.contains("__")
        && !name.ends_with('_')
}

fn is_http(url: &str) -> bool {
    reqwest::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// Hides what may be a secret: shows only the command of a program, and only the host of a URL.
impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Upstream");
        debug.field("name", &self.name);
        match &self.transport {
            TransportConfig::Stdio(config) => debug.field("command", &config.command),
            TransportConfig::Http(config) => {
                let url = reqwest::Url::parse(&config.url).ok();
                debug.field("host", &url.and_then(|url| url.host_str().map(str::to_owned)))
            }
        };
        debug.finish_non_exhaustive()
    }
}
