//! Options of the router and the server.

mod server;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tool_core::authentication::Authenticator;
use tool_core::{CallOptions, Registry, adapter};
use tool_serve::BODY_TIMEOUT;

pub use server::ServerOptions;

/// Options for a router or a server.
///
/// Tools can be listed and validated, but not called, until you set [`allow_execute`](Options::allow_execute).
///
/// ```
/// let options = tool_http::Options::new().allow_execute(true).body_limit(64 * 1024);
/// ```
#[derive(Clone)]
#[must_use = "options do nothing until they are passed to a router or a server"]
pub struct Options {
    pub(crate) allow_execute: bool,
    pub(crate) authenticator: Option<Arc<dyn Authenticator>>,
    pub(crate) protect_discovery: bool,
    /// `None` for the default.
    pub(crate) title: Option<String>,
    pub(crate) cors: Vec<String>,
    pub(crate) excerpts: bool,
    pub(crate) body_limit: usize,
    pub(crate) body_timeout: Duration,
}

impl Options {
    /// Returns the defaults: execution off, public discovery, no cross-origin access, bodies of up to 1 MiB that arrive within
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
            title: None,
            cors: Vec::new(),
            excerpts: false,
            body_limit: 1024 * 1024,
            body_timeout: BODY_TIMEOUT,
        }
    }

    /// Returns an excerpt and a link instead of a result that is too large, if the registry
    /// [stores](tool_core::results::ResultStore) large results. Off by default: programs get the full value that the output
    /// schema describes.
    ///
    /// ```
    /// let options = tool_http::Options::new().excerpts(true);
    /// ```
    pub fn excerpts(mut self, excerpts: bool) -> Self {
        self.excerpts = excerpts;
        self
    }

    /// Returns a registry whose results are full, unless excerpts are wanted.
    pub(crate) fn registry(&self, registry: &Registry) -> Registry {
        let in_full = !self.excerpts && adapter::results(registry).is_some();
        if in_full { registry.with_options(&CallOptions::new().full_results()) } else { registry.clone() }
    }

    /// Enables `POST /tools/{name}/call`, which runs tools.
    ///
    /// A router does not know who can reach it. Enable execution only behind access control, or with an
    /// [authenticator](Options::authenticator). A server without one refuses execution on a public address.
    ///
    /// ```
    /// let options = tool_http::Options::new().allow_execute(true);
    /// ```
    pub fn allow_execute(mut self, allow: bool) -> Self {
        self.allow_execute = allow;
        self
    }

    /// Sets the authenticator: every call must then be authenticated.
    ///
    /// It is skipped if the application has put a [`Principal`](tool_core::Principal) that is not anonymous into the
    /// extensions of the request.
    ///
    /// Public discovery uses it if a request has `Authorization`, and then shows what that caller may see. Invalid
    /// credentials are ignored there.
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

    /// Requires a caller who is not anonymous for lists, definitions, validation and `openapi.json`. A list then contains only the
    /// tools that the caller may call. Calls of tools without a permission are refused only with an [`authenticator`](Self::authenticator).
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

    /// Sets the title of the explorer and of `openapi.json`. The default is `Tools`, and the name of the application for a server that
    /// `tool-cli` starts.
    ///
    /// Use the name of your command-line program, and the calls to copy from the explorer use it too.
    ///
    /// ```
    /// let options = tool_http::Options::new().title("Weather");
    /// ```
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    pub(crate) fn title_or_default(&self) -> &str {
        self.title.as_deref().unwrap_or("Tools")
    }

    /// Allows pages of another origin, such as `https://app.example.org`, to read responses (CORS). `*` is not supported: name
    /// each origin.
    ///
    /// ```
    /// let options = tool_http::Options::new().allow_cors_origin("https://app.example.org");
    /// ```
    pub fn allow_cors_origin(mut self, origin: impl Into<String>) -> Self {
        self.cors.push(origin.into());
        self
    }

    /// Sets the maximum size of a request body in bytes; a larger one is rejected with 413.
    ///
    /// ```
    /// let options = tool_http::Options::new().body_limit(4096);
    /// ```
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Sets the maximum time for receiving a request body; a slower one is rejected with 408.
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
