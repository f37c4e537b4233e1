//! The settings of the server.

use std::time::Duration;

use crate::options::Options;

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
    pub(crate) request_timeout: Duration,
    pub(crate) write_timeout: Duration,
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
    /// Without it a page may only come from this very server, or from an
    /// [origin that may read the answers](Options::allow_cors_origin).
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

    /// How long a request may take to be answered, once its head is there: 2 minutes. It is then answered 504; a call that
    /// modifies runs on, any other is dropped. A tool that may take longer needs a longer one.
    ///
    /// ```
    /// # use tool_http::{Options, ServeOptions};
    /// # use std::time::Duration;
    /// let options = ServeOptions::from(Options::new()).request_timeout(Duration::from_secs(600));
    /// ```
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.request_timeout = timeout;
        self
    }

    /// How long a client may take none of its answer before the connection is closed: 30 seconds.
    ///
    /// ```
    /// # use tool_http::{Options, ServeOptions};
    /// # use std::time::Duration;
    /// let options = ServeOptions::from(Options::new()).write_timeout(Duration::from_secs(5));
    /// ```
    pub fn write_timeout(mut self, timeout: Duration) -> Self {
        self.write_timeout = timeout;
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

    /// How many connections are served at once: 512. One beyond is answered 503 and closed, but for `GET /health`.
    ///
    /// Each is an open file: the limit of the process must be higher by 100 at least.
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
            request_timeout: Duration::from_secs(120),
            write_timeout: Duration::from_secs(30),
            drain_timeout: Duration::from_secs(10),
            max_connections: 512,
        }
    }
}

impl Default for ServeOptions {
    fn default() -> Self {
        Options::new().into()
    }
}
