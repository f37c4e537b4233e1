//! The command `serve`.

use clap::ArgMatches;

use crate::app::App;
use crate::error::CliError;
use crate::lock;
use crate::serve::{ListenAddr, ServeOptions};
use crate::streams::Streams;

/// Runs a server until it ends, and then waits for modifying calls.
pub(crate) async fn serve(app: App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), CliError> {
    let Some((name, matches)) = matches.subcommand() else { return Ok(()) };
    app.registry.check()?;
    lock::check_running(&app, matches, streams)?;
    let Some((_, server)) = app.servers.into_iter().find(|(choice, _)| choice == name) else { return Ok(()) };
    let given = |kind, name: &String| {
        Some((name.clone(), matches.get_one::<String>(&format!("{kind}:{name}"))?.clone()))
    };
    let choices = server.choices.iter().filter_map(|choice| given("choice", &choice.name)).collect();
    let texts = server.texts.iter().filter_map(|text| given("text", &text.name)).collect();
    let (shutdown, overdue) = streams.interrupt().listen();
    let stop = shutdown.child_token();
    let options = ServeOptions {
        addr: if matches!(server.listen_addr, ListenAddr::Never) {
            None
        } else {
            matches.get_one("addr").copied()
        },
        allow_execute: server.allows_execute && matches.get_flag("allow-execute"),
        name: app.name,
        version: app.version.unwrap_or_default(),
        choices,
        texts,
        shutdown: stop.clone(),
        stderr: streams.stderr(),
    };
    let serving = async {
        let serving = async { (server.run)(options).await.map_err(CliError::Server) };
        #[cfg(feature = "tasks")]
        let serving = crate::task::with_worker(&app.registry, &stop, serving);
        let result = serving.await;
        app.registry.drain().await;
        result
    };
    tokio::select! {
        result = serving => result,
        () = overdue.cancelled() => Err(CliError::shutdown_timeout(&app.registry)),
    }
}
