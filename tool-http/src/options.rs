//! The settings of the router and of the server.

mod serve;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tool_core::authentication::Authenticator;

pub use serve::ServeOptions;

/// How tools are shown over HTTP, by a router and by a server alike.
///
/// Tools are listed and checked, and not run, unless [`allow_execute`](Options::allow_execute) says so.
///
/// ```
/// let options = tool_http::Options::new().allow_execute(true).body_limit(64 * 1024);
/// ```
#[derive(Clone)]
#[must_use = "options do nothing until a router or a server is made with them"]
pub struct Options {
    pub(crate) allow_execute: bool,
    pub(crate) authenticator: Option<Arc<dyn Authenticator>>,
    pub(crate) protect_discovery: bool,
    pub(crate) title: String,
    pub(crate) cors: Vec<String>,
    pub(crate) excerpts: bool,
    pub(crate) body_limit: usize,
    pub(crate) body_timeout: Duration,
}

impl Options {
    /// The defaults: execution off, discovery public, no page of another origin, bodies of up to 1 MiB that arrive within
    /// 30 seconds.
    ///
    /// ```
    /// let options = tool_http::Options::new();
    /// ```
    pub fn new() -> Self {
        Options {
            allow_execute: false,
            authenticator: None,
            protect_discovery: false,
            title: "Tools".to_owned(),
            cors: Vec::new(),
            excerpts: false,
            body_limit: 1024 * 1024,
            body_timeout: Duration::from_secs(30),
        }
    }

    /// Answers a call whose result is too large with an excerpt and a link to the whole, where the registry
    /// [keeps](tool_core::results::ResultStore) large results. Off by default: a program reads the value that the output schema describes,
    /// whatever its size.
    ///
    /// ```
    /// let options = tool_http::Options::new().excerpts(true);
    /// ```
    pub fn excerpts(mut self, excerpts: bool) -> Self {
        self.excerpts = excerpts;
        self
    }

    /// Whether `POST /tools/{name}/call` runs tools.
    ///
    /// A router does not know who can reach it: switch execution on where only those can who may, or with an
    /// [authenticator](Options::authenticator). A server refuses it on an address that is not loopback without one.
    ///
    /// ```
    /// let options = tool_http::Options::new().allow_execute(true);
    /// ```
    pub fn allow_execute(mut self, allow: bool) -> Self {
        self.allow_execute = allow;
        self
    }

    /// Who finds out who sends a request: nobody calls a tool without having said who it is.
    ///
    /// Not asked where the application has found out itself, and put a [`Principal`](tool_core::Principal) that is not
    /// anonymous into the extensions of the request.
    ///
    /// Discovery that is public asks it where a request has `Authorization`, and shows what that caller sees; a request that
    /// it refuses is answered as one without.
    ///
    /// ```
    /// use tool_core::Principal;
    /// use tool_core::authentication::Bearer;
    ///
    /// let token = "0b7c5f1e9d2a4c68";
    /// let bearer = Bearer::new().token(token, Principal::new("ada").grant("node.edit"))?;
    /// let options = tool_http::Options::new().allow_execute(true).authenticator(bearer);
    /// # Ok::<(), tool_core::authentication::InvalidToken>(())
    /// ```
    pub fn authenticator(mut self, authenticator: impl Authenticator + 'static) -> Self {
        self.authenticator = Some(Arc::new(authenticator));
        self
    }

    /// Whether nobody learns of tools either without having said who it is. A list then holds what the caller may call.
    ///
    /// ```
    /// # use tool_core::Principal;
    /// # use tool_core::authentication::Bearer;
    /// # let bearer = Bearer::new().token("0b7c5f1e9d2a4c68", Principal::new("ada"))?;
    /// let options = tool_http::Options::new().authenticator(bearer).protect_discovery(true);
    /// # Ok::<(), tool_core::authentication::InvalidToken>(())
    /// ```
    pub fn protect_discovery(mut self, protect: bool) -> Self {
        self.protect_discovery = protect;
        self
    }

    /// What the whole is called, on its page and in `openapi.json`: `Tools`, unless it is said.
    ///
    /// When it is the name of the program that has the tools on its command line, the calls to copy from the page name it.
    ///
    /// ```
    /// let options = tool_http::Options::new().title("Weather");
    /// ```
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Lets pages of another origin, such as `https://app.example.org`, read the answers (CORS). Nobody else may, and `*`
    /// is no origin: say which.
    ///
    /// ```
    /// let options = tool_http::Options::new().allow_cors_origin("https://app.example.org");
    /// ```
    pub fn allow_cors_origin(mut self, origin: impl Into<String>) -> Self {
        self.cors.push(origin.into());
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

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("allow_execute", &self.allow_execute)
            .field("authenticator", &self.authenticator.is_some())
            .field("protect_discovery", &self.protect_discovery)
            .field("title", &self.title)
            .field("cors", &self.cors)
            .field("excerpts", &self.excerpts)
            .field("body_limit", &self.body_limit)
            .field("body_timeout", &self.body_timeout)
            .finish()
    }
}
