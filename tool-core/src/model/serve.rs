//! Servers that a command line starts.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::future::pending;
use std::net::SocketAddr;
use std::sync::Arc;

use crate::model::future::BoxFuture;

/// The error of a server: any error.
///
/// ```
/// let error: tool_core::adapter::ServeError = "the port is taken".into();
/// ```
pub type ServeError = Box<dyn Error + Send + Sync>;

/// A server that a command line starts. Those of adapters implement it, and `App::server` of `tool-cli` takes them.
///
/// ```
/// use tool_core::BoxFuture;
/// use tool_core::adapter::{ListenAddr, Serve, ServeCommand, ServeError, ServeOptions};
///
/// /// Listens, and answers nobody.
/// struct Silent;
///
/// impl Serve for Silent {
///     fn command(&self) -> ServeCommand {
///         ServeCommand::new("Listen", ListenAddr::Default(([127, 0, 0, 1], 9000).into()))
///     }
///
///     fn serve(self, options: ServeOptions) -> BoxFuture<'static, Result<(), ServeError>> {
///         Box::pin(async move {
///             let listener = std::net::TcpListener::bind(options.addr.ok_or("an address is needed")?)?;
///             options.listening(listener.local_addr()?);
///             options.shutdown().await;
///             Ok(())
///         })
///     }
/// }
/// ```
pub trait Serve: Send + 'static {
    /// Returns the command that starts it.
    fn command(&self) -> ServeCommand;

    /// Serves until [`ServeOptions::shutdown`] completes, or until there is nothing more to serve, as when stdin ends.
    fn serve(self, options: ServeOptions) -> BoxFuture<'static, Result<(), ServeError>>;
}

/// The command that starts a server: its description and its options.
///
/// ```
/// use tool_core::adapter::{ListenAddr, ServeCommand};
///
/// let command = ServeCommand::new("Serve HTTP", ListenAddr::Default(([127, 0, 0, 1], 8080).into())).allow_execute(true);
/// assert!(command.allow_execute && !command.mcp_stdio);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServeCommand {
    /// The description, for `--help`.
    pub about: String,
    /// The option `--addr`.
    pub addr: ListenAddr,
    /// Whether there is the option `--allow-execute`: the server by default does not call tools.
    pub allow_execute: bool,
    /// Whether the server speaks MCP over stdio, at least without `--addr`.
    pub mcp_stdio: bool,
}

impl ServeCommand {
    /// Creates a command with neither `--allow-execute` nor MCP over stdio.
    ///
    /// ```
    /// use tool_core::adapter::{ListenAddr, ServeCommand};
    ///
    /// assert_eq!(ServeCommand::new("Serve HTTP", ListenAddr::Never).about, "Serve HTTP");
    /// ```
    pub fn new(about: impl Into<String>, addr: ListenAddr) -> Self {
        ServeCommand { about: about.into(), addr, allow_execute: false, mcp_stdio: false }
    }

    /// Sets whether there is the option `--allow-execute`.
    ///
    /// ```
    /// # use tool_core::adapter::{ListenAddr, ServeCommand};
    /// assert!(ServeCommand::new("Serve HTTP", ListenAddr::Never).allow_execute(true).allow_execute);
    /// ```
    #[must_use]
    pub fn allow_execute(mut self, allow_execute: bool) -> Self {
        self.allow_execute = allow_execute;
        self
    }

    /// Sets whether the server speaks MCP over stdio, at least without `--addr`.
    ///
    /// ```
    /// # use tool_core::adapter::{ListenAddr, ServeCommand};
    /// assert!(ServeCommand::new("Serve MCP", ListenAddr::Optional).mcp_stdio(true).mcp_stdio);
    /// ```
    #[must_use]
    pub fn mcp_stdio(mut self, mcp_stdio: bool) -> Self {
        self.mcp_stdio = mcp_stdio;
        self
    }
}

/// Whether a command has the option `--addr`.
///
/// ```
/// use tool_core::adapter::ListenAddr;
///
/// let addr = ListenAddr::Default(([127, 0, 0, 1], 8080).into());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListenAddr {
    /// The server listens on no address.
    Never,
    /// Without the option, the server listens on no address.
    Optional,
    /// Without the option, the server listens on this address.
    Default(SocketAddr),
}

/// The options of a server from the command line.
///
/// ```
/// use tool_core::adapter::{ServeError, ServeOptions};
///
/// async fn serve(options: ServeOptions) -> Result<(), ServeError> {
///     match options.addr {
///         Some(addr) => options.listening(addr),
///         None => { /* stdio */ }
///     }
///     options.shutdown().await;
///     Ok(())
/// }
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct ServeOptions {
    /// `--addr`, or its default.
    pub addr: Option<SocketAddr>,
    /// Whether `--allow-execute` was given: clients may call tools.
    pub allow_execute: bool,
    /// The name of the application, for clients of the server.
    pub name: String,
    /// The version of the application, for clients of the server. Empty without one.
    pub version: String,
    /// The values of options that take one of some values, by name.
    pub choices: BTreeMap<String, String>,
    /// The values of options that take any text, by name.
    pub texts: BTreeMap<String, String>,
    shutdown: Arc<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>,
    listening: Arc<dyn Fn(SocketAddr) + Send + Sync>,
}

impl ServeOptions {
    /// Sets the function that [`shutdown`](ServeOptions::shutdown) calls.
    ///
    /// ```
    /// use tool_core::adapter::ServeOptions;
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// ServeOptions::default().with_shutdown(|| Box::pin(async {})).shutdown().await;
    /// # });
    /// ```
    #[must_use]
    pub fn with_shutdown(
        mut self,
        shutdown: impl Fn() -> BoxFuture<'static, ()> + Send + Sync + 'static,
    ) -> Self {
        self.shutdown = Arc::new(shutdown);
        self
    }

    /// Sets the function that [`listening`](ServeOptions::listening) calls.
    ///
    /// ```
    /// use tool_core::adapter::ServeOptions;
    ///
    /// ServeOptions::default().on_listening(|addr| eprintln!("listening on http://{addr}"));
    /// ```
    #[must_use]
    pub fn on_listening(mut self, listening: impl Fn(SocketAddr) + Send + Sync + 'static) -> Self {
        self.listening = Arc::new(listening);
        self
    }

    /// Waits until the server should shut down: with `tool-cli`, for Ctrl-C or SIGTERM. Can be called many times. The default never
    /// completes.
    ///
    /// ```
    /// # use tool_core::adapter::ServeOptions;
    /// let shutdown = ServeOptions::default().shutdown();
    /// # drop(shutdown);
    /// ```
    pub fn shutdown(&self) -> impl Future<Output = ()> + Send + 'static + use<> {
        (self.shutdown)()
    }

    /// Reports the address of the server: `tool-cli` prints `listening on http://ADDR` to stderr. Other programs can wait for this line.
    ///
    /// ```
    /// # use tool_core::adapter::ServeOptions;
    /// ServeOptions::default().listening(([127, 0, 0, 1], 8080).into());
    /// ```
    pub fn listening(&self, addr: SocketAddr) {
        (self.listening)(addr);
    }

    /// Returns the value of an option that takes one of some values.
    ///
    /// ```
    /// # use tool_core::adapter::ServeOptions;
    /// let mut options = ServeOptions::default();
    /// options.choices.insert("surfaces".to_owned(), "exclusive".to_owned());
    /// assert_eq!(options.choice("surfaces"), Some("exclusive"));
    /// ```
    pub fn choice(&self, name: &str) -> Option<&str> {
        self.choices.get(name).map(String::as_str)
    }

    /// Returns the value of an option that takes any text, if it was given.
    ///
    /// ```
    /// # use tool_core::adapter::ServeOptions;
    /// assert_eq!(ServeOptions::default().text("issuer"), None);
    /// ```
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// Runs a server with these options.
    ///
    /// ```
    /// # async fn example(options: tool_core::adapter::ServeOptions, server: impl tool_core::adapter::Serve) {
    /// options.run(server).await.unwrap();
    /// # }
    /// ```
    pub fn run(self, server: impl Serve) -> BoxFuture<'static, Result<(), ServeError>> {
        server.serve(self)
    }
}

impl Default for ServeOptions {
    fn default() -> Self {
        ServeOptions {
            addr: None,
            allow_execute: false,
            name: String::new(),
            version: String::new(),
            choices: BTreeMap::new(),
            texts: BTreeMap::new(),
            shutdown: Arc::new(|| Box::pin(pending())),
            listening: Arc::new(drop),
        }
    }
}

impl fmt::Debug for ServeOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServeOptions")
            .field("addr", &self.addr)
            .field("allow_execute", &self.allow_execute)
            .field("name", &self.name)
            .field("version", &self.version)
            .field("choices", &self.choices)
            .field("texts", &self.texts)
            .finish_non_exhaustive()
    }
}
