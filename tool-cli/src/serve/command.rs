//! The command `serve`.

use clap::ArgMatches;
use tool_core::adapter::{ListenAddr, ServeOptions};

use crate::app::App;
use crate::error::CliError;
use crate::lock;
use crate::streams::{self, Streams};

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
    let (signal, stderr) = (stop.clone(), streams.stderr());
    let mut options = ServeOptions::default()
        .with_shutdown(move || Box::pin(signal.clone().cancelled_owned()))
        .on_listening(move |addr| streams::write(&stderr, &format!("listening on http://{addr}\n")));
    if !matches!(server.listen_addr, ListenAddr::Never) {
        options.addr = matches.get_one("addr").copied();
    }
    options.allow_execute = server.allows_execute && matches.get_flag("allow-execute");
    (options.name, options.version) = (app.name, app.version.unwrap_or_default());
    (options.choices, options.texts) = (choices, texts);
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
