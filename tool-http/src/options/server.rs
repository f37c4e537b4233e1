//! Options of the server.

use std::time::Duration;

use tool_serve::Limits;

use crate::options::Options;

/// Options of a [`Server`](crate::Server): limits of its connections, and the [`Options`] of its router.
///
/// ```
/// use tool_http::{Options, ServerOptions};
///
/// let options = ServerOptions::from(Options::new()).allow_host("tools.example.org");
/// ```
#[derive(Clone, Debug)]
#[must_use = "options do nothing until they are passed to a server"]
pub struct ServerOptions {
    pub(crate) router: Options,
    pub(crate) hosts: Vec<String>,
    pub(crate) origins: Vec<String>,
    pub(crate) limits: Limits,
    pub(crate) request_timeout: Duration,
    pub(crate) drain_timeout: Duration,
}

impl ServerOptions {
    /// Accepts requests for this host too, on any port.
    ///
    /// By default, a server accepts only `localhost`, loopback addresses and its own address. This prevents DNS rebinding,
    /// with which a web page makes its own host name resolve to this machine.
    ///
    /// ```
    /// # use tool_http::{Options, ServerOptions};
    /// let options = ServerOptions::from(Options::new()).allow_host("tools.example.org");
    /// ```
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Accepts requests from pages of this origin too, such as `https://tools.example.org` if a proxy adds TLS.
    ///
    /// By default, a server accepts only pages of its own origin, and of
    /// [origins that may read responses](Options::allow_cors_origin).
    ///
    /// ```
    /// # use tool_http::{Options, ServerOptions};
    /// let options = ServerOptions::from(Options::new()).allow_origin("https://tools.example.org");
    /// ```
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Sets the time limit for the head of a request, and for idle connections; the default is 10 seconds.
    ///
    /// ```
    /// # use tool_http::{Options, ServerOptions};
    /// # use std::time::Duration;
    /// let options = ServerOptions::from(Options::new()).header_timeout(Duration::from_secs(2));
    /// ```
    pub fn header_timeout(mut self, timeout: Duration) -> Self {
        self.limits.header_timeout = timeout;
        self
    }

    /// Sets the time limit for a request after its head; the default is 2 minutes. A slower request gets 504. A modifying call
    /// continues, any other is canceled. Set a longer limit for tools that take longer.
    ///
    /// ```
    /// # use tool_http::{Options, ServerOptions};
    /// # use std::time::Duration;
    /// let options = ServerOptions::from(Options::new()).request_timeout(Duration::from_secs(600));
    /// ```
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.request_timeout = timeout;
        self
    }

    /// Sets how long a client may read nothing of its response before the connection is closed; the default is 30 seconds. A client
    /// that is gone without closing the connection is noticed after about twice this time.
    ///
    /// ```
    /// # use tool_http::{Options, ServerOptions};
    /// # use std::time::Duration;
    /// let options = ServerOptions::from(Options::new()).write_timeout(Duration::from_secs(5));
    /// ```
    pub fn write_timeout(mut self, timeout: Duration) -> Self {
        self.limits.write_timeout = timeout;
        self
    }

    /// Sets how long a shutdown waits for running calls; the default is 10 seconds.
    ///
    /// ```
    /// # use tool_http::{Options, ServerOptions};
    /// # use std::time::Duration;
    /// let options = ServerOptions::from(Options::new()).drain_timeout(Duration::from_secs(60));
    /// ```
    pub fn drain_timeout(mut self, timeout: Duration) -> Self {
        self.drain_timeout = timeout;
        self
    }

    /// Sets the maximum number of connections; the default is 512. One over the limit gets 503, except for `GET /health`.
    ///
    /// Each connection is an open file: the limit of the process must be higher by at least 100.
    ///
    /// ```
    /// # use tool_http::{Options, ServerOptions};
    /// let options = ServerOptions::from(Options::new()).max_connections(100);
    /// ```
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.limits.max_connections = connections;
        self
    }
}

impl From<Options> for ServerOptions {
    fn from(router: Options) -> Self {
        ServerOptions {
            router,
            hosts: Vec::new(),
            origins: Vec::new(),
            limits: Limits::default(),
            request_timeout: Duration::from_secs(120),
            drain_timeout: Duration::from_secs(10),
        }
    }
}

impl Default for ServerOptions {
    fn default() -> Self {
        Options::new().into()
    }
}
