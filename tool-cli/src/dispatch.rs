//! Runs the command that a command line names.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::ArgMatches;
use clap::error::{ContextKind, ContextValue};
use tokio::runtime::Runtime;
use tool_core::{FailureKind, ToolDefinition};

use crate::app::App;
use crate::cli::{Format, Inputs, completion};
use crate::discovery::{self, Needed};
use crate::error::{self, CliError};
use crate::streams::Streams;
use crate::style::neutral;
#[cfg(feature = "tasks")]
use crate::task;
use crate::{cli, complete, identity, info, lint, list, lock, man, openapi, run, schema, serve, yaml};

impl App {
    /// Runs the command line of this process and returns its exit code.
    ///
    /// The exit codes are those of [`FailureKind::codes`](tool_core::FailureKind::codes), and 2 for wrong usage.
    ///
    /// # Panics
    ///
    /// Panics if `run`, `serve` or `task` is used outside of a tokio runtime.
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

    /// Runs the command line of this process like [`run`](Self::run), but starts a runtime only for commands that need one:
    /// `run`, `serve`, `task` and shell completion. Other commands start faster without one.
    ///
    /// The registry is built before the runtime starts. State that needs a runtime, such as a connection pool, is opened by the
    /// first call that needs it: see [`App`](Self#state-that-needs-a-runtime).
    ///
    /// ```no_run
    /// use std::process::ExitCode;
    ///
    /// fn main() -> ExitCode {
    ///     let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    ///     tool_cli::App::new("weather", registry).run_on(tokio::runtime::Runtime::new)
    /// }
    /// ```
    ///
    /// If the runtime cannot start, prints an error and returns exit code 70.
    pub fn run_on(self, runtime: impl FnOnce() -> io::Result<Runtime>) -> ExitCode {
        self.run_from_on(std::env::args_os().collect(), runtime).into()
    }

    fn run_from_on(self, arguments: Vec<OsString>, runtime: impl FnOnce() -> io::Result<Runtime>) -> u8 {
        // What completes a value is a function of the application, which may wait.
        let awaiting = ["run", "serve", completion::COMMAND];
        let awaits = |word: &OsString| {
            self.discovery.is_some()
                || awaiting.iter().any(|command| word == command)
                || word == "task" && self.has_tasks()
        };
        if !arguments.iter().any(awaits) {
            return tool_core::private::block_on(self.run_from(arguments));
        }
        match runtime() {
            Ok(runtime) => runtime.block_on(self.run_from(arguments)),
            Err(error) => {
                Streams::process().error(&format!("cannot start the runtime: {error}"));
                FailureKind::Internal.codes().exit
            }
        }
    }

    /// Runs the command line of this process with these arguments, and returns the exit code. The first argument is the name
    /// of the program.
    ///
    /// After an interrupt or a `--timeout`, this method exits the process, since a blocking tool or a blocking read of stdin would
    /// delay the shutdown of the runtime. The exit code is 130, or 0 after a graceful shutdown of a server.
    ///
    /// # Panics
    ///
    /// Panics if `run`, `serve` or `task` is used outside of a tokio runtime.
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
        let mut arguments = arguments.into_iter().map(Into::into);
        let argv0 = arguments.next();
        let mut app = App { argv0, ..self };
        let on_exit = app.on_exit.take();
        let code = app.finish(arguments.collect(), &mut streams).await;
        if let Some(on_exit) = on_exit {
            on_exit();
        }
        if streams.ends_now() {
            std::process::exit(code.into());
        }
        code
    }

    /// Runs the command line on these streams, for tests. The arguments do not include the name of the program.
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

    /// Runs a command, reports its error, and returns the exit code.
    async fn finish(mut self, arguments: Vec<OsString>, streams: &mut Streams) -> u8 {
        let has_control_characters =
            arguments.iter().any(|argument| argument.to_string_lossy().contains(char::is_control));
        if let Err(error) = self.discovered(&arguments, streams.width()).await {
            return error.report(streams);
        }
        let tool = self.tool_named(&arguments).await;
        let inputs = tool.as_ref().map(Inputs::of);
        let matches = match cli::parse(&self, streams.width(), inputs.as_ref(), &arguments) {
            Ok(matches) => matches,
            Err(error) => {
                let error = self.with_tool_tip(error, &arguments).await;
                return CliError::Clap { error, has_control_characters }.report(streams);
            }
        };
        streams.set_color(cli::color(&matches));
        streams.set_verbosity(cli::verbosity(&matches));
        match self.dispatch(inputs.as_ref(), &matches, streams).await {
            Ok(()) => 0,
            Err(error) => error.report(streams),
        }
    }

    /// Looks up the tools that the command needs.
    async fn discovered(&mut self, arguments: &[OsString], width: u16) -> Result<(), CliError> {
        let Some(discover) = self.discovery.take() else { return Ok(()) };
        let tool = match discovery::needed(self, width, arguments) {
            Needed::Nothing => return Ok(()),
            Needed::One(tool) => Some(tool),
            Needed::All => None,
        };
        self.registry = discover(tool).await.map_err(CliError::Discovery)?;
        Ok(())
    }

    /// Adds how to run a tool whose name was given as a command.
    async fn with_tool_tip(&self, mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
        let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else {
            return error;
        };
        let registry = identity::guess_registry(self, arguments).await;
        if let Some(tool) = registry.get(name) {
            let tip = format!("'{0}' is a tool: '{1} run {0}'", tool.name(), neutral(&self.name));
            // A command with a similar name was hardly meant.
            error.remove(ContextKind::SuggestedSubcommand);
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        }
        error
    }

    /// Returns the tool that `run` or `validate` names. Only its inputs become flags.
    pub(crate) async fn tool_named(&self, arguments: &[OsString]) -> Option<ToolDefinition> {
        if !arguments.iter().any(|word| word == "run" || word == "validate") {
            return None;
        }
        let registry = identity::guess_registry(self, arguments).await;
        if let [command, name, ..] = arguments
            && (command == "run" || command == "validate")
            && let Some(name) = name.to_str().filter(|name| !name.starts_with('-'))
        {
            // As nearly always: where the name is, nothing has to be found out about options.
            return registry.get(name).cloned();
        }
        let program = cli::command_for(self, 0, None, arguments);
        let name = cli::tool_named(&program, arguments, |name| registry.get(name).is_some())?;
        registry.get(name).cloned()
    }

    async fn dispatch(
        self,
        inputs: Option<&Inputs<'_>>,
        matches: &ArgMatches,
        streams: &mut Streams,
    ) -> Result<(), CliError> {
        let Some((command, matches)) = matches.subcommand() else { return Ok(()) };
        let result = match command {
            "list" => list::list(&self, matches, streams).await,
            "search" => list::search(&self, matches, streams).await,
            "info" => info::info(&self, matches, streams).await,
            "schema" => schema::schema(&self, matches, streams).await,
            "openapi" => openapi::openapi(&self, matches, streams).await,
            "validate" => run::validate(&self, inputs, matches, streams).await,
            // Boxed, so that the commands that never wait take no room for what these keep while they do.
            "run" => Box::pin(run::run(&self, inputs, matches, streams)).await,
            #[cfg(feature = "tasks")]
            "task" => Box::pin(task::task(&self, matches, streams)).await,
            "lint" => lint::lint(&self, matches, streams),
            "lock" => lock::lock(&self, matches, streams),
            "completions" => complete::script(&self, matches, streams),
            "man" => man::man(&self, matches, streams),
            #[cfg(feature = "publish")]
            "publish" => crate::publish::publish(&self, matches, streams),
            completion::COMMAND => Box::pin(complete::complete(&self, matches, streams)).await,
            #[cfg(feature = "install")]
            "serve" if crate::install::client(matches).is_some() => {
                crate::install::install(&self, matches, streams)
            }
            _ => Box::pin(serve::command::serve(self, matches, streams)).await,
        };
        match result {
            // Whoever asks for data reads stdout, and finds one object there in any case.
            Err(CliError::Call { failure, suggestion }) => {
                let innermost = matches.subcommand().map_or(matches, |(_, matches)| matches);
                let Some(format) = cli::data_format(innermost) else {
                    return Err(CliError::Call { failure, suggestion });
                };
                let object = error::failure_json(&failure);
                let page = if format == Format::Yaml { yaml::text(&object) } else { format!("{object}\n") };
                streams.print(&page)?;
                Err(CliError::Printed(failure))
            }
            result => result,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use tool_core::Registry;

    use crate::app::App;
    use crate::cli::completion;

    #[test]
    fn starts_a_runtime_only_for_async_commands() {
        for (words, starts) in [
            (&["list"][..], false),
            (&["lint"], false),
            (&["search", "run of the mill"], false),
            (&["run", "nope"], true),
            (&["--quiet", "run", "nope"], true),
            (&[completion::COMMAND], true),
        ] {
            let app = App::new("empty", Registry::builder().allow_empty().build().unwrap());
            let mut started = false;
            let arguments = std::iter::once("empty").chain(words.iter().copied()).map(Into::into).collect();
            let code = app.run_from_on(arguments, || {
                started = true;
                tokio::runtime::Builder::new_current_thread().enable_all().build()
            });
            assert_eq!(started, starts, "{words:?}");
            assert_eq!(code == 0, !starts, "{words:?}");
        }
    }

    #[test]
    fn reports_a_runtime_that_cannot_start() {
        let app = App::new("empty", Registry::builder().allow_empty().build().unwrap());
        let code =
            app.run_from_on(["empty", "run", "nope"].map(Into::into).into(), || Err(io::Error::other("no")));
        assert_eq!(code, 70);
    }
}
