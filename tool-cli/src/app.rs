//! The command line of an application.

use std::ffi::OsString;
use std::fmt;
use std::future::ready;
use std::sync::Arc;

use serde_json::Value;
use tool_core::lint::Lint;
use tool_core::{BoxFuture, Registry};

use crate::identity::into_identity::{Identities, IntoIdentity};
use crate::openapi::document::OpenApiDocument;
#[cfg(feature = "publish")]
use crate::publish::package::Package;
use crate::{ServeError, Server};

/// A function that returns the tools, called with the name of the tool that the command is about.
pub(crate) type Discovery =
    Box<dyn FnOnce(Option<String>) -> BoxFuture<'static, Result<Registry, ServeError>> + Send>;

/// The command line of a registry.
///
/// ```
/// use tool_cli::{App, Buffer, Streams};
/// use tool_core::{Registry, tool};
///
/// /// Halves a number.
/// #[tool(operation = Transform)]
/// fn halve(/** The number. */ n: f64) -> f64 {
///     n / 2.0
/// }
///
/// # tool_core::private::block_on(async {
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "halve").build().unwrap();
/// let stdout = Buffer::default();
/// let streams = Streams::new(std::io::empty(), stdout.clone(), std::io::sink());
/// let code = App::new("numbers", registry).run_with(["list", "--format", "name"], streams).await;
/// assert_eq!((code, stdout.text().as_str()), (0, "halve\n"));
/// # });
/// ```
///
/// # State that needs a runtime
///
/// A pool of connections is made within a tokio runtime, and often by an async function. Let the first call that needs it open it:
/// [`RegistryBuilder::lazy_state`](tool_core::RegistryBuilder::lazy_state). The registry is then built without a runtime, so that
/// both [`run`](Self::run) and [`run_on`](Self::run_on) work, and commands such as `list`, `info` and the completion of names
/// connect to nothing. If the state cannot be opened, `run` prints that it is not available, and returns the exit code of
/// [`Unavailable`](tool_core::failure::Reason::Unavailable). The reason is in the log: let `main` install a subscriber, such as
/// `tracing_subscriber::fmt().with_writer(std::io::stderr).log_internal_errors(false).init()`.
///
/// ```
/// use sqlx::SqlitePool;
/// use tool_cli::{App, Buffer, Streams};
/// use tool_core::{LazyState, Registry, tool};
///
/// /// Adds two numbers in the database.
/// #[tool(operation = Read)]
/// async fn add_in_sql(#[inject] pool: LazyState<SqlitePool>, a: i64, b: i64) -> Result<i64, sqlx::Error> {
///     sqlx::query_scalar("SELECT ? + ?").bind(a).bind(b).fetch_one(&*pool).await
/// }
///
/// fn app() -> App {
///     let builder = Registry::builder().linked().lazy_state(|| SqlitePool::connect("sqlite::memory:"));
///     # let builder = builder.select(|tool| tool.name() == "add_in_sql");
///     App::new("sums", builder.build().expect("the declarations are valid"))
/// }
///
/// // In a program: `fn main() -> ExitCode { app().run_on(tokio::runtime::Runtime::new) }`.
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let stdout = Buffer::default();
/// let streams = Streams::new(std::io::empty(), stdout.clone(), std::io::stderr());
/// assert_eq!(app().run_with(["run", "add_in_sql", "a=1", "b=2"], streams).await, 0);
/// assert_eq!(stdout.text(), "3\n");
/// # });
/// ```
#[must_use = "an application does nothing until it is run"]
pub struct App {
    pub(crate) name: String,
    pub(crate) version: Option<String>,
    pub(crate) about: Option<String>,
    pub(crate) registry: Registry,
    pub(crate) servers: Vec<(String, Server)>,
    /// The versions of the OpenAPI document, the default first.
    pub(crate) openapi: Vec<OpenApiDocument>,
    pub(crate) identities: Option<Identities>,
    pub(crate) discovery: Option<Discovery>,
    pub(crate) lint: Lint,
    #[cfg(feature = "publish")]
    pub(crate) package: Option<Package>,
    /// The program as it was called, for completion scripts.
    pub(crate) argv0: Option<OsString>,
    /// Called before the process ends.
    pub(crate) on_exit: Option<Box<dyn FnOnce() + Send>>,
}

impl App {
    /// Creates a command line for a registry, with the name of the program.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let app = tool_cli::App::new("weather", registry);
    /// ```
    pub fn new(name: impl Into<String>, registry: Registry) -> Self {
        App {
            name: name.into(),
            version: None,
            about: None,
            registry,
            servers: Vec::new(),
            openapi: Vec::new(),
            identities: None,
            discovery: None,
            lint: Lint::default(),
            #[cfg(feature = "publish")]
            package: None,
            argv0: None,
            on_exit: None,
        }
    }

    /// Sets the version that `--version` prints, with the number of tools.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let app = tool_cli::App::new("weather", registry).version(env!("CARGO_PKG_VERSION"));
    /// ```
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Sets the description of the program for `--help`, one sentence.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let app = tool_cli::App::new("weather", registry).about("Weather as it was observed");
    /// ```
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.about = Some(about.into());
        self
    }

    /// Sets a function that is called at the end of [`run`](Self::run) and [`run_from`](Self::run_from), also where they exit the
    /// process. It exports the last traces, for example.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let app = tool_cli::App::new("weather", registry).on_exit(|| eprintln!("good night"));
    /// ```
    pub fn on_exit(mut self, function: impl FnOnce() + Send + 'static) -> Self {
        self.on_exit = Some(Box::new(function));
        self
    }

    /// Adds a server, which `serve NAME` runs. It replaces an earlier one of the same name.
    ///
    /// Pass a `Server` of `tool-http` or `tool-mcp` as it is, or a [`Server`] of this crate: an async function and its options.
    ///
    /// ```
    /// use tool_cli::{App, ServeError, ServeOptions, Server};
    ///
    /// async fn listen(options: ServeOptions) -> Result<(), ServeError> {
    ///     options.shutdown().await;
    ///     Ok(())
    /// }
    ///
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let app = App::new("weather", registry).server("listen", Server::new(listen).addr(([127, 0, 0, 1], 9000)));
    /// ```
    pub fn server(mut self, name: impl Into<String>, server: impl Into<Server>) -> Self {
        let name = name.into();
        self.servers.retain(|(other, _)| *other != name);
        self.servers.push((name, server.into()));
        self
    }

    /// Adds the command `openapi`, which prints the OpenAPI document that a function makes. `versions` are the choices of its option
    /// `--version`, the default first; without any, there is no command.
    ///
    /// With the crate `tool-http`, pass `tool_http::OpenApiVersion::ALL` and a closure that calls `tool_http::openapi`.
    ///
    /// ```
    /// use serde_json::json;
    ///
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let app = tool_cli::App::new("weather", registry)
    ///     .openapi(["3.1.0"], |registry, version| json!({"openapi": version, "x-tools": registry.tools().count()}));
    /// ```
    pub fn openapi<V: Copy + fmt::Display + Send + Sync + 'static>(
        mut self,
        versions: impl IntoIterator<Item = V>,
        render: impl Fn(&Registry, V) -> Value + Send + Sync + 'static,
    ) -> Self {
        let render = Arc::new(render);
        let document = |version: V| {
            let render = Arc::clone(&render);
            OpenApiDocument {
                version: version.to_string(),
                render: Box::new(move |registry| render(registry, version)),
            }
        };
        self.openapi = versions.into_iter().map(document).collect();
        self
    }

    /// Sets the function that looks up the caller for `--as ID`: a principal with its permissions, or `None` if it is unknown.
    /// By default, `--as ID` is a principal of that name without permissions. `--grant` adds permissions in both cases. A
    /// function that can fail returns a `Result`, and its error is reported.
    ///
    /// ```
    /// use tool_core::Principal;
    ///
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let app = tool_cli::App::new("weather", registry).identities(|id| match id {
    ///     "ada" => Some(Principal::new("ada").grant("report.file")),
    ///     _ => None,
    /// });
    /// ```
    pub fn identities<R: IntoIdentity>(mut self, lookup: impl Fn(&str) -> R + Send + Sync + 'static) -> Self {
        self.identities = Some(Box::new(move |id| Box::pin(ready(lookup(id).into_identity()))));
        self
    }

    /// Sets an async function that looks up the caller for `--as ID`, as [`identities`](Self::identities) does.
    ///
    /// It is awaited by every command that takes `--as`. If it needs a tokio runtime, use [`run`](Self::run) and not
    /// [`run_on`](Self::run_on), which starts one only for some commands.
    ///
    /// ```
    /// use tool_core::Principal;
    ///
    /// # async fn find_user(id: &str) -> Result<Option<String>, std::io::Error> { Ok(Some(id.to_owned())) }
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let app = tool_cli::App::new("weather", registry)
    ///     .identities_async(async |id: String| find_user(&id).await.map(|user| user.map(Principal::new)));
    /// ```
    pub fn identities_async<F, R>(mut self, lookup: impl Fn(String) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = R> + Send + 'static,
        R: IntoIdentity,
    {
        self.identities = Some(Box::new(move |id| {
            let found = lookup(id.to_owned());
            Box::pin(async move { found.await.into_identity() })
        }));
        self
    }

    /// Sets an async function that returns the tools, for tools that are looked up elsewhere, such as at other servers. Its registry
    /// takes the place of that of [`new`](Self::new).
    ///
    /// It is called at most once, and only by a command that needs tools: not for help, the version or wrong usage, nor by `serve`
    /// and `task`, which use the registry of [`new`](Self::new). `run`, `validate`, `info` and `schema` pass the name of their tool,
    /// and need no other one. An error ends the command with exit code 1. Like [`identities_async`](Self::identities_async), the
    /// function needs a tokio runtime if it uses one: [`run_on`](Self::run_on) starts it for every command.
    ///
    /// ```
    /// use tool_core::{Registry, tool, tools};
    ///
    /// /// Divides a number by four.
    /// #[tool(operation = Transform)]
    /// fn quarter(/** The number. */ n: f64) -> f64 {
    ///     n / 4.0
    /// }
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use tool_cli::{App, Buffer, Streams};
    ///
    /// let empty = Registry::builder().allow_empty().build().unwrap();
    /// let app = App::new("numbers", empty).discover(async |tool: Option<String>| {
    ///     let is_wanted = move |name: &str| tool.as_ref().is_none_or(|tool| tool == name);
    ///     Registry::builder().tools(tools![quarter]).select(move |tool| is_wanted(tool.name())).build()
    /// });
    /// let stdout = Buffer::default();
    /// let streams = Streams::new(std::io::empty(), stdout.clone(), std::io::sink());
    /// assert_eq!(app.run_with(["run", "quarter", "n=3"], streams).await, 0);
    /// assert_eq!(stdout.text(), "0.75\n");
    /// # });
    /// ```
    pub fn discover<F, E>(mut self, discover: impl FnOnce(Option<String>) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<Registry, E>> + Send + 'static,
        E: Into<ServeError>,
    {
        self.discovery = Some(Box::new(move |tool| {
            let found = discover(tool);
            Box::pin(async move { found.await.map_err(Into::into) })
        }));
        self
    }

    /// Returns `true` if the application stores tasks.
    pub(crate) fn has_tasks(&self) -> bool {
        #[cfg(feature = "tasks")]
        return self.registry.task_engine().is_some();
        #[cfg(not(feature = "tasks"))]
        false
    }

    /// Returns `true` if the application can be published.
    pub(crate) fn has_package(&self) -> bool {
        #[cfg(feature = "publish")]
        return self.package.is_some();
        #[cfg(not(feature = "publish"))]
        false
    }

    /// Describes the application to those who publish it, and adds the command `publish`.
    ///
    /// ```
    /// use tool_cli::{App, Package};
    ///
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let app = App::new("weather", registry)
    ///     .version(env!("CARGO_PKG_VERSION"))
    ///     .about("Weather as it was observed")
    ///     .package(Package::new("io.github.ada/weather").author("Ada").license("MIT"));
    /// ```
    #[cfg(feature = "publish")]
    #[cfg_attr(docsrs, doc(cfg(feature = "publish")))]
    pub fn package(mut self, package: Package) -> Self {
        self.package = Some(package);
        self
    }

    /// Sets the rules and limits of the command `lint`; the default is [`Lint::default`].
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let app = tool_cli::App::new("weather", registry).lint(tool_core::lint::Lint::default().most_tools(40));
    /// ```
    pub fn lint(mut self, lint: Lint) -> Self {
        self.lint = lint;
        self
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App")
            .field("name", &self.name)
            .field("registry", &self.registry)
            .field("servers", &self.servers)
            .finish_non_exhaustive()
    }
}
