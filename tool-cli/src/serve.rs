//! The servers that an application adds.

pub(crate) mod command;

use std::fmt;
use std::net::SocketAddr;

use tool_core::BoxFuture;
use tool_core::adapter::{ListenAddr, Serve, ServeError, ServeOptions};

/// A server for `serve`: an async function, its description and its options. [`App::server`](crate::App::server) also takes the
/// servers of `tool-http` and `tool-mcp` as they are.
///
/// ```
/// use tool_cli::Server;
///
/// let server = Server::new(async |options| {
///     let listener = std::net::TcpListener::bind(options.addr.ok_or("an address is needed")?)?;
///     options.listening(listener.local_addr()?);
///     options.shutdown().await;
///     Ok(())
/// })
/// .about("Listen, and answer nobody")
/// .addr(([127, 0, 0, 1], 8080));
/// ```
#[must_use]
pub struct Server {
    run: Box<dyn FnOnce(ServeOptions) -> BoxFuture<'static, Result<(), ServeError>> + Send>,
    pub(crate) about: Option<String>,
    pub(crate) listen_addr: ListenAddr,
    pub(crate) allows_execute: bool,
    pub(crate) choices: Vec<ServerChoice>,
    pub(crate) texts: Vec<ServerText>,
    /// Whether it speaks MCP over stdio, unless an address is given.
    #[cfg(any(feature = "install", feature = "publish"))]
    pub(crate) speaks_mcp: bool,
}

/// An option of a server that takes one of some values.
#[derive(Debug)]
pub(crate) struct ServerChoice {
    pub(crate) name: String,
    pub(crate) values: Vec<String>,
    pub(crate) about: String,
}

/// An option of a server that takes any text.
#[derive(Debug)]
pub(crate) struct ServerText {
    pub(crate) name: String,
    pub(crate) value_name: String,
    pub(crate) about: String,
}

impl Server {
    /// Creates a server from an async function. The function returns after [`ServeOptions::shutdown`], or when there is nothing
    /// more to serve, as when stdin ends.
    ///
    /// ```
    /// let server = tool_cli::Server::new(|options| async move {
    ///     options.shutdown().await;
    ///     Ok(())
    /// });
    /// ```
    pub fn new<F, S>(server: F) -> Self
    where
        F: FnOnce(ServeOptions) -> S + Send + 'static,
        S: Future<Output = Result<(), ServeError>> + Send + 'static,
    {
        Server {
            run: Box::new(|options| Box::pin(server(options))),
            about: None,
            listen_addr: ListenAddr::Never,
            allows_execute: false,
            choices: Vec::new(),
            texts: Vec::new(),
            #[cfg(any(feature = "install", feature = "publish"))]
            speaks_mcp: false,
        }
    }

    /// Sets the description for `--help`.
    ///
    /// ```
    /// let server = tool_cli::Server::new(async |_| Ok(())).about("Serve MCP, over stdio unless --addr is given");
    /// ```
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.about = Some(about.into());
        self
    }

    /// Adds the option `--addr` with a default.
    ///
    /// ```
    /// let server = tool_cli::Server::new(async |_| Ok(())).addr(([127, 0, 0, 1], 8080));
    /// ```
    pub fn addr(mut self, default: impl Into<SocketAddr>) -> Self {
        self.listen_addr = ListenAddr::Default(default.into());
        self
    }

    /// Adds the option `--addr` without a default. Without the option, [`ServeOptions::addr`] is `None`.
    ///
    /// ```
    /// let server = tool_cli::Server::new(async |options| {
    ///     let over_stdio = options.addr.is_none();
    /// #   assert!(over_stdio);
    ///     Ok(())
    /// })
    /// .optional_addr();
    /// ```
    pub fn optional_addr(mut self) -> Self {
        self.listen_addr = ListenAddr::Optional;
        self
    }

    /// Adds the option `--allow-execute`, for a server that by default does not call tools.
    ///
    /// ```
    /// let server = tool_cli::Server::new(async |options| {
    ///     let only_described = !options.allow_execute;
    /// #   assert!(only_described);
    ///     Ok(())
    /// })
    /// .allow_execute();
    /// ```
    pub fn allow_execute(mut self) -> Self {
        self.allows_execute = true;
        self
    }

    /// Adds the option `--NAME`, which takes one of these values; the first is the default. Read it with
    /// [`ServeOptions::choice`].
    ///
    /// ```
    /// let server = tool_cli::Server::new(async |options| {
    ///     let exclusive = options.choice("surfaces") == Some("exclusive");
    /// #   assert!(!exclusive);
    ///     Ok(())
    /// })
    /// .choice("surfaces", ["tools-too", "exclusive"], "Whether what is a resource is listed as a tool too");
    /// ```
    pub fn choice(
        mut self,
        name: impl Into<String>,
        values: impl IntoIterator<Item = impl Into<String>>,
        about: impl Into<String>,
    ) -> Self {
        let values = values.into_iter().map(Into::into).collect();
        self.choices.push(ServerChoice { name: name.into(), values, about: about.into() });
        self
    }

    /// Adds the option `--NAME VALUE_NAME`, which takes any text. Read it with [`ServeOptions::text`].
    ///
    /// ```
    /// let server = tool_cli::Server::new(async |options| {
    ///     let issuer = options.text("issuer");
    /// #   assert!(issuer.is_none());
    ///     Ok(())
    /// })
    /// .text("issuer", "URL", "Take tokens of this issuer");
    /// ```
    pub fn text(
        mut self,
        name: impl Into<String>,
        value_name: impl Into<String>,
        about: impl Into<String>,
    ) -> Self {
        let (name, value_name, about) = (name.into(), value_name.into(), about.into());
        self.texts.push(ServerText { name, value_name, about });
        self
    }

    /// Declares that the server speaks MCP over stdio, at least without `--addr`.
    ///
    /// The feature `install` adds the option `--install CLIENT`, which adds the server to the configuration of an MCP client. The
    /// feature `publish` uses it for the command `publish`, see [`App::package`](crate::App).
    ///
    /// An option of the server that is named `install`, `project`, `replace` or `yes` takes the place of all of these.
    ///
    /// ```
    /// let server = tool_cli::Server::new(async |_| Ok(())).optional_addr().mcp_stdio();
    /// ```
    #[cfg(any(feature = "install", feature = "publish"))]
    #[cfg_attr(docsrs, doc(cfg(any(feature = "install", feature = "publish"))))]
    pub fn mcp_stdio(mut self) -> Self {
        self.speaks_mcp = true;
        self
    }
}

/// The server of an adapter, with the options that it asks for.
impl<S: Serve> From<S> for Server {
    fn from(server: S) -> Self {
        let command = server.command();
        Server {
            run: Box::new(|options| server.serve(options)),
            about: Some(command.about),
            listen_addr: command.addr,
            allows_execute: command.allow_execute,
            choices: Vec::new(),
            texts: Vec::new(),
            #[cfg(any(feature = "install", feature = "publish"))]
            speaks_mcp: command.mcp_stdio,
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("about", &self.about)
            .field("listen_addr", &self.listen_addr)
            .finish_non_exhaustive()
    }
}
