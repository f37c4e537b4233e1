//! The settings of the router and of the server.

use std::time::Duration;

/// How tools are shown over HTTP, by a router and by a server alike.
///
/// Tools are listed and checked, and not run, unless [`allow_execute`](Options::allow_execute) says so.
///
/// ```
/// let options = tool_http::Options::new().allow_execute(true).body_limit(64 * 1024);
/// ```
#[derive(Clone, Debug)]
#[must_use = "options do nothing until a router or a server is made with them"]
pub struct Options {
    pub(crate) allow_execute: bool,
    pub(crate) body_limit: usize,
    pub(crate) body_timeout: Duration,
    pub(crate) title: String,
}

impl Options {
    /// The defaults: execution off, bodies of up to 1 MiB that arrive within 30 seconds.
    ///
    /// ```
    /// let options = tool_http::Options::new();
    /// ```
    pub fn new() -> Self {
        Options {
            allow_execute: false,
            body_limit: 1024 * 1024,
            body_timeout: Duration::from_secs(30),
            title: "Tools".to_owned(),
        }
    }

    /// Whether `POST /tools/{name}/call` runs tools.
    ///
    /// A router does not know who can reach it: switch execution on where only those can who may. A server refuses it
    /// on an address that is not loopback.
    ///
    /// ```
    /// let options = tool_http::Options::new().allow_execute(true);
    /// ```
    pub fn allow_execute(mut self, allow: bool) -> Self {
        self.allow_execute = allow;
        self
    }

    /// What the explorer page calls itself: `Tools`, unless it is said.
    ///
    /// When it is the name of the program that has the tools on its command line, the calls to copy name it.
    ///
    /// ```
    /// let options = tool_http::Options::new().title("weather");
    /// ```
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// The most bytes that the arguments of one call may have; more is 413.
    ///
    /// ```
    /// let options = tool_http::Options::new().body_limit(4096);
    /// ```
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// The longest that the arguments of one call may take to arrive; longer is 408.
    ///
    /// ```
    /// let options = tool_http::Options::new().body_timeout(std::time::Duration::from_secs(5));
    /// ```
    pub fn body_timeout(mut self, timeout: Duration) -> Self {
        self.body_timeout = timeout;
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Options::new()
    }
}

/// How a [`Server`](crate::Server) treats its connections, beside the [`Options`] of its router.
///
/// ```
/// use tool_http::{Options, ServeOptions};
///
/// let options = ServeOptions::from(Options::new()).allow_host("tools.example.org");
/// ```
#[derive(Clone, Debug)]
#[must_use = "options do nothing until a server is made with them"]
pub struct ServeOptions {
    pub(crate) router: Options,
    pub(crate) hosts: Vec<String>,
    pub(crate) origins: Vec<String>,
    pub(crate) header_timeout: Duration,
    pub(crate) drain_timeout: Duration,
    pub(crate) max_connections: usize,
}

impl ServeOptions {
    /// Answers requests for this host too, whatever their port.
    ///
    /// Without it only `localhost`, loopback addresses and the bound address are answered for: a web page can make its
    /// own name mean this machine (DNS rebinding), and gives itself away by that name.
    ///
    /// ```
    /// # use tool_http::{Options, ServeOptions};
    /// let options = ServeOptions::from(Options::new()).allow_host("tools.example.org");
    /// ```
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Accepts requests of pages from this origin too, such as `https://tools.example.org` when a proxy adds TLS.
    ///
    /// Without it a page may only come from this very server. No CORS header is ever sent.
    ///
    /// ```
    /// # use tool_http::{Options, ServeOptions};
    /// let options = ServeOptions::from(Options::new()).allow_origin("https://tools.example.org");
    /// ```
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// How long a connection may take to send the head of a request, and stay idle between two: 10 seconds.
    ///
    /// ```
    /// # use tool_http::{Options, ServeOptions};
    /// # use std::time::Duration;
    /// let options = ServeOptions::from(Options::new()).header_timeout(Duration::from_secs(2));
    /// ```
    pub fn header_timeout(mut self, timeout: Duration) -> Self {
        self.header_timeout = timeout;
        self
    }

    /// How long the calls on their way may take to end at shutdown: 10 seconds.
    ///
    /// ```
    /// # use tool_http::{Options, ServeOptions};
    /// # use std::time::Duration;
    /// let options = ServeOptions::from(Options::new()).drain_timeout(Duration::from_secs(60));
    /// ```
    pub fn drain_timeout(mut self, timeout: Duration) -> Self {
        self.drain_timeout = timeout;
        self
    }

    /// How many connections are open at once: 1024. Those beyond wait to be accepted.
    ///
    /// ```
    /// # use tool_http::{Options, ServeOptions};
    /// let options = ServeOptions::from(Options::new()).max_connections(100);
    /// ```
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections;
        self
    }
}

impl From<Options> for ServeOptions {
    fn from(router: Options) -> Self {
        ServeOptions {
            router,
            hosts: Vec::new(),
            origins: Vec::new(),
            header_timeout: Duration::from_secs(10),
            drain_timeout: Duration::from_secs(10),
            max_connections: 1024,
        }
    }
}

impl Default for ServeOptions {
    fn default() -> Self {
        Options::new().into()
    }
}
