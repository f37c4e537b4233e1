//! The commands `sign-in` and `sign-out`.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use gateway::SettingsError;
use tool_cli::ServeError;
use tool_mcp::upstream::Upstreams;

/// A command about the account at a server.
#[derive(Debug)]
pub(crate) enum Command {
    SignIn {
        server: String,
        scopes: Vec<String>,
        timeout: Duration,
    },
    SignOut {
        server: String,
    },
    /// The help, which was asked for.
    Help(clap::Error),
}

impl Command {
    /// Parses a command line. Returns `None` if its first word is another command.
    pub(crate) fn from_args(args: impl IntoIterator<Item = OsString>) -> Result<Option<Self>, ServeError> {
        let args: Vec<OsString> = args.into_iter().collect();
        if !args.get(1).is_some_and(|command| command == "sign-in" || command == "sign-out") {
            return Ok(None);
        }
        match cli().try_get_matches_from(args) {
            Ok(matches) => Ok(Self::from_matches(&matches)),
            Err(error) if error.kind() == ErrorKind::DisplayHelp => Ok(Some(Command::Help(error))),
            Err(error) => Err(error.to_string().trim_start_matches("error: ").trim_end().into()),
        }
    }

    fn from_matches(matches: &ArgMatches) -> Option<Self> {
        let (command, matches) = matches.subcommand()?;
        let server = matches.get_one::<String>("server")?.clone();
        if command == "sign-out" {
            return Some(Command::SignOut { server });
        }
        let scopes = matches.get_many::<String>("scope").into_iter().flatten().cloned().collect();
        let seconds = matches.get_one::<u64>("timeout").copied()?;
        Some(Command::SignIn { server, scopes, timeout: Duration::from_secs(seconds) })
    }

    /// Runs the command. Prints only the URL to stdout, so that a script can read it.
    pub(crate) async fn run(
        self,
        upstreams: Result<Upstreams, SettingsError>,
    ) -> Result<ExitCode, ServeError> {
        match self {
            Command::SignIn { server, scopes, timeout } => {
                let sign_in = upstreams?.sign_in(&server, scopes).await?;
                eprintln!("Sign in to `{server}`: open this URL in a browser on this machine.");
                let mut stdout = io::stdout().lock();
                writeln!(stdout, "{}", sign_in.url())?;
                stdout.flush()?;
                drop(stdout);
                let granted = sign_in.wait(timeout).await?;
                let scopes = if granted.is_empty() {
                    String::new()
                } else {
                    format!(" with the scopes {}", granted.join(" "))
                };
                eprintln!("Signed in to `{server}`{scopes}.");
            }
            Command::SignOut { server } => {
                let removed = upstreams?.sign_out(&server).await?;
                eprintln!(
                    "{} `{server}`.",
                    if removed { "Signed out of" } else { "You were not signed in to" }
                );
            }
            Command::Help(help) => help.print()?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn cli() -> clap::Command {
    let server = || {
        Arg::new("server")
            .value_name("SERVER")
            .required(true)
            .help("The name of the server in the configuration")
    };
    let sign_in = clap::Command::new("sign-in")
        .about("Sign in to a server that uses OAuth, and store its tokens")
        .arg(server())
        .arg(
            Arg::new("scope")
                .long("scope")
                .value_name("SCOPE")
                .action(ArgAction::Append)
                .help("A further scope to ask for; may be repeated"),
        )
        .arg(
            Arg::new("timeout")
                .long("timeout")
                .value_name("SECONDS")
                .value_parser(value_parser!(u64).range(1..=86_400))
                .default_value("300")
                .help("How long to wait for you"),
        );
    let sign_out = clap::Command::new("sign-out").about("Delete the tokens of a server").arg(server());
    clap::Command::new("gateway").subcommand_required(true).subcommand(sign_in).subcommand(sign_out)
}
