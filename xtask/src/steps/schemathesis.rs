//! The step that tests the OpenAPI document with third-party programs.

use std::fs;
use std::path::Path;

use crate::binaries;
use crate::environment::{Environment, OPENAPI};
use crate::failure::Failure;
use crate::process::Invocation;
use crate::server::Server;
use crate::tally::Tally;
use crate::workspace;

/// A fixed seed, for the same requests in every run.
const SEED: &str = "20120101";

/// A running server, and how schemathesis tests it.
struct Subject {
    server: Server,
    /// The number of generated requests per operation.
    examples: &'static str,
    /// Options of schemathesis before the command, and of the command.
    options: Vec<String>,
    arguments: Vec<String>,
}

/// The token of the caller of the server with tasks: anonymous callers have no list of tasks.
const TOKEN: &str = "swordfish-of-room-1";

/// A validator over the documents of two servers in both versions, then schemathesis over the running servers: one check for each,
/// and one for each way in which a document is broken for the validator to see.
pub(crate) fn schemathesis(tally: &mut Tally) -> Result<(), Failure> {
    let environment = Environment::install(&OPENAPI)?;
    let [weather, fixture] = binaries::built(["weather", "fixture-openapi"])?;
    // The files of the tools and of schemathesis belong in the target folder.
    let folder = weather.with_file_name("schemathesis");
    clear_folder(&folder).map_err(|source| Failure::File { path: folder.display().to_string(), source })?;
    let mut result = Ok(());
    for subject in [start_weather(&weather, &folder), start_tasks(&fixture, &folder)] {
        result = result.and(check(&environment, &subject?, &folder, tally));
    }
    match tally {
        Tally { passed: 0, .. } => result.and(Err(Failure::NoTests)),
        _ => result,
    }
}

/// Starts the weather example.
fn start_weather(program: &Path, folder: &Path) -> Result<Subject, Failure> {
    let serve = Invocation::of(program)
        .arguments(["serve", "http", "--addr", "127.0.0.1:0", "--allow-execute"])
        .env("WEATHER_REPORTS", folder.join("reports.jsonl"))
        // The document does not describe coercions.
        .env("WEATHER_LENIENCY", "strict");
    let server = Server::start(&serve.announce())?;
    Ok(Subject { server, examples: "200", options: Vec::new(), arguments: Vec::new() })
}

/// Starts a server with tasks.
fn start_tasks(program: &Path, folder: &Path) -> Result<Subject, Failure> {
    let database = folder.join("tasks.db");
    let serve = Invocation::of(program).arguments([&database]);
    let server = Server::start(&serve.arguments([TOKEN]).announce())?;
    let config = workspace::root().join("tests/openapi/tasks.toml");
    let options = vec!["--config-file".to_owned(), config.display().to_string()];
    // `DELETE /tasks/{id}` cancels a task, which can be read until it expires.
    let arguments = ["--exclude-checks", "use_after_free", "--header"].map(str::to_owned);
    let arguments = [&arguments[..], &[format!("Authorization: Bearer {TOKEN}")]].concat();
    Ok(Subject { server, examples: "30", options, arguments })
}

/// Validates the document of a server, and tests the server with it.
fn check(
    environment: &Environment,
    subject: &Subject,
    folder: &Path,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let document = format!("{}/openapi.json", subject.server.address());
    let script = workspace::root().join("tests/openapi/check.py");
    let valid = environment
        .invocation(&script)
        .arguments([&document, &format!("{document}?version=3.0")])
        .announce()
        .run_reading(|line| {
            if line.ends_with(" ... ok") {
                tally.count(true);
            } else if line.ends_with(" ... FAILED") {
                tally.count(false);
            }
        });
    let found = environment
        .program("schemathesis")
        .arguments(&subject.options)
        .arguments(["run", &document, "--url", subject.server.address(), "--checks", "all", "--seed", SEED])
        .arguments(["--max-examples", subject.examples, "--continue-on-failure", "--no-color"])
        .arguments(["--request-timeout", "10"])
        .arguments(&subject.arguments)
        .folder(folder)
        .announce()
        .run();
    tally.count(found.is_ok());
    valid.and(found)
}

fn clear_folder(folder: &Path) -> std::io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)
}
