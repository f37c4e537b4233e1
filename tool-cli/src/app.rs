//! The command line of an application: what it is called, what it holds, and how it is run.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::ArgMatches;
use tool_core::Registry;

use crate::stop::{self, Stop};
use crate::streams::Streams;
use crate::{Server, catalogue, grammar, info, invocation, schema, serve};

/// The command line of one registry.
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
#[derive(Debug)]
#[must_use = "an application does nothing until it is run"]
pub struct App {
    pub(crate) name: String,
    pub(crate) version: Option<String>,
    pub(crate) about: Option<String>,
    pub(crate) registry: Registry,
    pub(crate) servers: Vec<(String, Server)>,
}

impl App {
    /// The command line of this registry, under the name of the program.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let app = tool_cli::App::new("weather", registry);
    /// ```
    pub fn new(name: impl Into<String>, registry: Registry) -> Self {
        App { name: name.into(), version: None, about: None, registry, servers: Vec::new() }
    }

    /// The version that `--version` shows, beside the number of tools.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let app = tool_cli::App::new("weather", registry).version(env!("CARGO_PKG_VERSION"));
    /// ```
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// What the program is, in one sentence for its help.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let app = tool_cli::App::new("weather", registry).about("Weather as it was observed");
    /// ```
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.about = Some(about.into());
        self
    }

    /// Plugs in a server: what `serve NAME` runs. The last of a name counts.
    ///
    /// A plain `async fn(ServeOptions) -> Result<(), ServeError>` will do; [`Server::new`] also takes closures whose
    /// types are inferred, and says more.
    ///
    /// ```
    /// use tool_cli::{App, ServeError, ServeOptions, Server};
    ///
    /// async fn serve_mcp(options: ServeOptions) -> Result<(), ServeError> {
    ///     options.shutdown().await;
    ///     Ok(())
    /// }
    ///
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let app = App::new("weather", registry)
    ///     .server("mcp", serve_mcp)
    ///     .server("http", Server::new(async |_| Ok(())).addr(([127, 0, 0, 1], 8080)));
    /// ```
    pub fn server(mut self, name: impl Into<String>, server: impl Into<Server>) -> Self {
        let name = name.into();
        self.servers.retain(|(known, _)| *known != name);
        self.servers.push((name, server.into()));
        self
    }

    /// Runs the command line of this process and returns its exit code.
    ///
    /// The codes are those of [`FailureKind::codes`](tool_core::FailureKind::codes), and 2 for wrong usage.
    ///
    /// # Panics
    ///
    /// `run` and `serve` need the runtime of tokio around them.
    ///
    /// ```no_run
    /// use std::process::ExitCode;
    ///
    /// #[tokio::main]
    /// async fn main() -> ExitCode {
    ///     let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    ///     tool_cli::App::new("weather", registry).run().await
    /// }
    /// ```
    pub async fn run(self) -> ExitCode {
        self.run_from(std::env::args_os()).await.into()
    }

    /// Runs the command line of this process with arguments of the application's choice, of which the first is the name
    /// of the program, and returns the exit code.
    ///
    /// After an interrupt the process ends right here, since a tool that blocks or a blocking read of stdin would hold
    /// its runtime up: with 130, or with 0 when a server shut down in good order.
    ///
    /// # Panics
    ///
    /// `run` and `serve` need the runtime of tokio around them.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let code = tool_cli::App::new("weather", registry).run_from(["weather", "list", "--format", "name"]).await;
    /// assert_eq!(code, 0);
    /// # });
    /// ```
    pub async fn run_from<A: Into<OsString>>(self, arguments: impl IntoIterator<Item = A>) -> u8 {
        let mut streams = Streams::process();
        let code = self.finish(arguments.into_iter().skip(1).map(Into::into).collect(), &mut streams).await;
        if streams.interrupted() {
            std::process::exit(code.into());
        }
        code
    }

    /// Runs the command line with these arguments, without the program's name, on these streams: what tests do.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// use tool_cli::{App, Buffer, Streams};
    ///
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let stderr = Buffer::default();
    /// let streams = Streams::new(std::io::empty(), std::io::sink(), stderr.clone());
    /// let code = App::new("weather", registry).run_with(["info", "nope"], streams).await;
    /// assert_eq!((code, stderr.text().as_str()), (3, "error: Tool not found: nope\n"));
    /// # });
    /// ```
    pub async fn run_with<A: Into<OsString>>(
        self,
        arguments: impl IntoIterator<Item = A>,
        streams: Streams,
    ) -> u8 {
        let mut streams = streams;
        self.finish(arguments.into_iter().map(Into::into).collect(), &mut streams).await
    }

    /// Runs to the end, whatever that is, and tells it.
    async fn finish(self, arguments: Vec<OsString>, streams: &mut Streams) -> u8 {
        let hostile = arguments.iter().any(|argument| argument.to_string_lossy().contains(char::is_control));
        let program = OsString::from(&self.name);
        let grammar = grammar::grammar(&self, streams.width());
        let matches = match grammar.try_get_matches_from(std::iter::once(program).chain(arguments)) {
            Ok(matches) => matches,
            Err(error) => return Stop::Grammar { error, hostile }.tell(streams),
        };
        streams.colour(grammar::colour(&matches));
        match self.dispatch(&matches, streams).await {
            Ok(()) => 0,
            Err(stop) => stop.tell(streams),
        }
    }

    async fn dispatch(self, matches: &ArgMatches, streams: &mut Streams) -> Result<(), Stop> {
        let Some((command, matches)) = matches.subcommand() else { return Ok(()) };
        let done = match command {
            "list" => catalogue::list(&self.registry, matches, streams),
            "info" => info::info(&self, matches, streams),
            "schema" => schema::schema(&self.registry, matches, streams),
            "validate" => invocation::validate(&self.registry, matches, streams),
            "run" => invocation::run(&self.registry, matches, streams).await,
            _ => serve::serve(self, matches, streams).await,
        };
        match done {
            // Whoever asks for JSON reads stdout, and finds one object there in any case.
            Err(Stop::Call { failure, .. }) if grammar::wants_json(matches) => {
                streams.print(&format!("{}\n", stop::failure_json(&failure)))?;
                Err(Stop::Told(failure))
            }
            done => done,
        }
    }
}
