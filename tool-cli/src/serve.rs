//! The servers that an application adds, and what `serve` tells them.

pub(crate) mod command;

use std::error::Error;
use std::fmt;
use std::net::SocketAddr;
use std::pin::Pin;

use tokio_util::sync::CancellationToken;

use crate::streams::{self, Stderr};

/// The error of a server: any error.
///
/// ```
/// let error: tool_cli::ServeError = "the port is taken".into();
/// ```
pub type ServeError = Box<dyn Error + Send + Sync>;

type ServeFuture = Pin<Box<dyn Future<Output = Result<(), ServeError>> + Send>>;

/// A server for `serve`: an async function, its description and its options.
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
/// .about("Accept connections and close them")
/// .addr(([127, 0, 0, 1], 8080));
/// ```
#[must_use]
pub struct Server {
    run: Box<dyn FnOnce(ServeOptions) -> ServeFuture + Send>,
    pub(crate) about: Option<String>,
    pub(crate) listen_addr: ListenAddr,
    pub(crate) allows_execute: bool,
    pub(crate) choices: Vec<ServerChoice>,
    pub(crate) texts: Vec<ServerText>,
    /// Whether it speaks MCP over stdio, unless an address is given.
    #[cfg(any(feature = "install", feature = "publish"))]
    pub(crate) speaks_mcp: bool,
}

/// Whether a server has `--addr`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ListenAddr {
    Never,
    Optional,
    Default(SocketAddr),
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

impl<F, S> From<F> for Server
where
    F: FnOnce(ServeOptions) -> S + Send + 'static,
    S: Future<Output = Result<(), ServeError>> + Send + 'static,
{
    fn from(server: F) -> Self {
        Server::new(server)
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

/// The options of a server from the command line.
///
/// ```
/// use tool_cli::{ServeError, ServeOptions};
///
/// async fn serve(options: ServeOptions) -> Result<(), ServeError> {
///     match options.addr {
///         Some(addr) => options.listening(addr),
///         None => { /* stdio */ }
///     }
///     options.shutdown().await;
///     Ok(())
/// }
/// # drop(tool_cli::Server::new(serve));
/// ```
#[non_exhaustive]
pub struct ServeOptions {
    /// `--addr`, or the default of [`Server::addr`].
    pub addr: Option<SocketAddr>,
    /// Whether `--allow-execute` was given: clients may call tools. Always `false` without [`Server::allow_execute`].
    pub allow_execute: bool,
    /// The name of the application, for clients of the server: see [`App::new`](crate::App::new).
    pub name: String,
    /// The version of the application, for clients of the server: see [`App::version`](crate::App::version). Empty without one.
    pub version: String,
    choices: Vec<(String, String)>,
    texts: Vec<(String, String)>,
    shutdown: CancellationToken,
    stderr: Stderr,
}

impl ServeOptions {
    /// Prints `listening on http://ADDR` to stderr. Other programs can wait for this line.
    ///
    /// ```
    /// # drop(tool_cli::Server::new(async |options| {
    /// options.listening(([127, 0, 0, 1], 8080).into());
    /// # Ok(())
    /// # }));
    /// ```
    pub fn listening(&self, addr: SocketAddr) {
        streams::write(&self.stderr, &format!("listening on http://{addr}\n"));
    }

    /// Returns the value of an option that [`Server::choice`] added.
    ///
    /// ```
    /// # drop(tool_cli::Server::new(async |options| {
    /// let exclusive = options.choice("surfaces") == Some("exclusive");
    /// # assert!(!exclusive);
    /// # Ok(())
    /// # }));
    /// ```
    pub fn choice(&self, name: &str) -> Option<&str> {
        self.choices.iter().find(|(choice, _)| choice == name).map(|(_, value)| value.as_str())
    }

    /// Returns the value of an option that [`Server::text`] added, if it was given.
    ///
    /// ```
    /// # drop(tool_cli::Server::new(async |options| {
    /// let issuer = options.text("issuer");
    /// # assert!(issuer.is_none());
    /// # Ok(())
    /// # }));
    /// ```
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.iter().find(|(text, _)| text == name).map(|(_, value)| value.as_str())
    }

    /// Waits for Ctrl-C or SIGTERM, after which the server should shut down. Can be called many times.
    ///
    /// ```
    /// # drop(tool_cli::Server::new(async |options| {
    /// let shutdown = options.shutdown();
    /// # drop(shutdown);
    /// # Ok(())
    /// # }));
    /// ```
    pub fn shutdown(&self) -> impl Future<Output = ()> + Send + 'static + use<> {
        self.shutdown.clone().cancelled_owned()
    }
}

impl fmt::Debug for ServeOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServeOptions")
            .field("addr", &self.addr)
            .field("allow_execute", &self.allow_execute)
            .finish_non_exhaustive()
    }
}
