//! One server, as it is to be reached.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue};

/// A server whose tools are to be had: a program that is started and spoken to over its pipes, or a URL.
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
/// // What may be a secret is not shown.
/// assert!(!format!("{web:?}").contains("0b7c5f1e"));
/// ```
#[derive(Clone)]
#[must_use = "a server is of no use until it is added to some `Upstreams`"]
pub struct Upstream {
    pub(super) name: String,
    pub(super) way: Way,
    /// What was said and does not fit the way.
    pub(super) misfits: Vec<&'static str>,
    pub(super) timeout: Duration,
    pub(super) start_timeout: Duration,
    pub(super) message_limit: usize,
}

/// How a server is reached.
#[derive(Clone)]
pub(super) enum Way {
    Program(Program),
    Url(Address),
}

/// A program that is started.
#[derive(Clone)]
pub(super) struct Program {
    pub(super) command: String,
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) cwd: Option<PathBuf>,
}

/// Where a server answers over HTTP.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
}

/// How long a call may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How long a start may take, until the tools are known: programs that are installed when they are first started take long.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// Bytes of a message, where nothing else is set.
const MESSAGE_LIMIT: usize = 16 * 1024 * 1024;

/// A limit below this leaves no room for a list of tools.
const LEAST_MESSAGE_LIMIT: usize = 1024;

/// Characters of the name of a server.
const LONGEST_NAME: usize = 64;

impl Upstream {
    /// A server that is started as a program and speaks over standard input and output. It is ended with all that it has
    /// started when it is no longer needed.
    ///
    /// Its environment is that which is [given](Self::env) and, of ours, what says where programs and homes are and how to
    /// speak to people: `HOME`, `LANG`, `LC_ALL`, `LC_CTYPE`, `LOGNAME`, `PATH`, `SHELL`, `TERM`, `TMPDIR`, `TZ` and `USER`;
    /// on Windows `APPDATA`, `HOMEDRIVE`, `HOMEPATH`, `LOCALAPPDATA`, `PATH`, `PATHEXT`, `PROCESSOR_ARCHITECTURE`,
    /// `PROGRAMFILES`, `SYSTEMDRIVE`, `SYSTEMROOT`, `TEMP`, `TMP`, `USERNAME` and `USERPROFILE`.
    ///
    /// ```
    /// # use tool_mcp::upstream::Upstream;
    /// let weather = Upstream::command("weather", "weather").args(["serve", "mcp"]);
    /// ```
    pub fn command(name: impl Into<String>, command: impl Into<String>) -> Self {
        let program = Program { command: command.into(), args: Vec::new(), env: Vec::new(), cwd: None };
        Self::new(name.into(), Way::Program(program))
    }

    /// A server that answers at this URL, over streamable HTTP.
    ///
    /// A redirection is followed within the same origin alone, since what authorises us goes along.
    ///
    /// ```
    /// # use tool_mcp::upstream::Upstream;
    /// let web = Upstream::url("web", "https://mcp.example.org/mcp");
    /// ```
    pub fn url(name: impl Into<String>, url: impl Into<String>) -> Self {
        Self::new(name.into(), Way::Url(Address { url: url.into(), headers: Vec::new() }))
    }

    fn new(name: String, way: Way) -> Self {
        Upstream {
            name,
            way,
            misfits: Vec::new(),
            timeout: TIMEOUT,
            start_timeout: START_TIMEOUT,
            message_limit: MESSAGE_LIMIT,
        }
    }

    /// Its name, which the names of its tools begin with.
    ///
    /// ```
    /// # use tool_mcp::upstream::Upstream;
    /// assert_eq!(Upstream::command("weather", "weather").name(), "weather");
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// More arguments of the program.
    ///
    /// ```
    /// # use tool_mcp::upstream::Upstream;
    /// let files = Upstream::command("files", "npx").args(["-y", "@example/files", "/srv"]);
    /// ```
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<String>>) -> Self {
        match &mut self.way {
            Way::Program(program) => program.args.extend(args.into_iter().map(Into::into)),
            Way::Url(_) => self.misfits.push("args"),
        }
        self
    }

    /// A variable of the environment of the program.
    ///
    /// ```
    /// # use tool_mcp::upstream::Upstream;
    /// let web = Upstream::command("web", "web-mcp").env("WEB_API_KEY", "0b7c5f1e");
    /// ```
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        match &mut self.way {
            Way::Program(program) => program.env.push((name.into(), value.into())),
            Way::Url(_) => self.misfits.push("env"),
        }
        self
    }

    /// The folder that the program runs in, in place of ours.
    ///
    /// ```
    /// # use tool_mcp::upstream::Upstream;
    /// let files = Upstream::command("files", "files-mcp").cwd("/srv");
    /// ```
    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        match &mut self.way {
            Way::Program(program) => program.cwd = Some(folder.into()),
            Way::Url(_) => self.misfits.push("cwd"),
        }
        self
    }

    /// A header of every request to the URL.
    ///
    /// ```
    /// # use tool_mcp::upstream::Upstream;
    /// let web = Upstream::url("web", "https://mcp.example.org/mcp").header("Authorization", "Bearer 0b7c5f1e");
    /// ```
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        match &mut self.way {
            Way::Url(address) => address.headers.push((name.into(), value.into())),
            Way::Program(_) => self.misfits.push("headers"),
        }
        self
    }

    /// How long a call may take, or a list; 60 seconds if it is not said.
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

    /// How long it may take to start, until its tools are known; 60 seconds if it is not said. What takes longer is ended
    /// and tried again.
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

    /// Sets how many bytes a message of the server may have; 16 MiB by default. A message may also have one value of JSON for every
    /// 32 bytes of the limit, whatever its length: a value takes a multiple of its text in memory.
    ///
    /// A longer answer is not read and fails its call. Of a list of tools that is too large, the tools that fit are served.
    ///
    /// ```
    /// # use tool_mcp::upstream::Upstream;
    /// let scans = Upstream::command("scans", "scans-mcp").message_limit(64 * 1024 * 1024);
    /// ```
    pub fn message_limit(mut self, bytes: usize) -> Self {
        self.message_limit = bytes;
        self
    }

    /// Everything that is wrong with it.
    pub(super) fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if !is_name(&self.name) {
            faults.push(format!(
                "its name is not made of 1 to {LONGEST_NAME} of the characters `A-Z`, `a-z`, `0-9`, `_`, `.` and `-`, \
                 without `__`, which stands between the names of servers and tools, and without `_` at its end"
            ));
        }
        for misfit in &self.misfits {
            faults.push(match self.way {
                Way::Program(_) => format!("`{misfit}` is for a URL, and this is a program"),
                Way::Url(_) => format!("`{misfit}` is for a program, and this is a URL"),
            });
        }
        if self.timeout.is_zero() || self.start_timeout.is_zero() {
            faults.push("a time limit of nothing leaves no time".to_owned());
        }
        if self.message_limit < LEAST_MESSAGE_LIMIT {
            faults.push(format!(
                "a message limit of less than {LEAST_MESSAGE_LIMIT} bytes leaves no room for a list of tools"
            ));
        }
        match &self.way {
            Way::Program(program) => {
                if program.command.trim().is_empty() {
                    faults.push("its command is empty".to_owned());
                }
                let texts = program.args.iter().chain([&program.command]);
                let texts = texts.chain(program.env.iter().flat_map(|(name, value)| [name, value]));
                if texts.into_iter().any(|text| text.contains('\0')) {
                    faults.push("no argument and no variable may have a NUL character".to_owned());
                }
                let bad = |name: &str| name.is_empty() || name.contains('=');
                for (name, _) in program.env.iter().filter(|(name, _)| bad(name)) {
                    faults.push(format!("`{}` is no name of a variable", name.escape_debug()));
                }
            }
            Way::Url(address) => {
                if !is_http(&address.url) {
                    faults.push("its URL does not begin with `http://` or `https://` and a host".to_owned());
                }
                if let Err(fault) = address.headers() {
                    faults.push(fault);
                }
            }
        }
        faults
    }

    /// What must not be seen in a log.
    pub(super) fn secrets(&self) -> Vec<String> {
        let values = match &self.way {
            Way::Program(program) => &program.env,
            Way::Url(address) => &address.headers,
        };
        // Shorter ones are no secrets, and are part of every other word.
        let values = values.iter().map(|(_, value)| value.trim_start_matches("Bearer ").to_owned());
        values.filter(|value| value.len() >= 8).collect()
    }
}

impl Address {
    /// The headers as they are sent, or what is wrong with one.
    pub(super) fn headers(&self) -> Result<HashMap<HeaderName, HeaderValue>, String> {
        let mut headers = HashMap::new();
        for (name, value) in &self.headers {
            let header: HeaderName =
                name.parse().map_err(|_| format!("`{}` is no name of a header", name.escape_debug()))?;
            if RESERVED.contains(&header.as_str()) {
                return Err(format!("the header `{name}` belongs to the protocol and cannot be set"));
            }
            let mut value: HeaderValue = value.parse().map_err(|_| {
                format!("the value of the header `{name}` has characters that it cannot have")
            })?;
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

pub(super) fn is_name(name: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
    (1..=LONGEST_NAME).contains(&name.len())
        && name.bytes().all(allowed)
        && !name.contains("__")
        && !name.ends_with('_')
}

fn is_http(url: &str) -> bool {
    reqwest::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// What may be a secret is not shown: of a program its name alone, of a URL where it leads.
impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Upstream");
        shown.field("name", &self.name);
        match &self.way {
            Way::Program(program) => shown.field("command", &program.command),
            Way::Url(address) => {
                let url = reqwest::Url::parse(&address.url).ok();
                shown.field("host", &url.and_then(|url| url.host_str().map(str::to_owned)))
            }
        };
        shown.finish_non_exhaustive()
    }
}
