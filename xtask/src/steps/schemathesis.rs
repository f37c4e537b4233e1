//! The step that tests the OpenAPI document with third-party programs.

use std::fs;
use std::path::Path;

use crate::environment::{Environment, OPENAPI};
use crate::failure::Failure;
use crate::process::Invocation;
use crate::server::Server;
use crate::tally::Tally;
use crate::workspace;

/// A fixed seed, for the same requests in every run.
const SEED: &str = "20120101";

/// The number of generated requests per operation.
const EXAMPLES: &str = "200";

/// A validator over the document of the weather example, then schemathesis over the running example: one check each, and
/// one for each way in which the document is broken for the validator to see.
pub(crate) fn schemathesis(tally: &mut Tally) -> Result<(), Failure> {
    let environment = Environment::install(&OPENAPI)?;
    Invocation::cargo(["build", "--package", "weather", "--locked"]).announce().run()?;
    let weather = workspace::binary("weather")
        .map_err(|source| Failure::File { path: "the folder of this program".to_owned(), source })?;
    // The files of the tools and of schemathesis belong in the target folder.
    let folder = weather.with_file_name("schemathesis");
    clear_folder(&folder).map_err(|source| Failure::File { path: folder.display().to_string(), source })?;

    let serve = ["serve", "http", "--addr", "127.0.0.1:0", "--allow-execute"];
    let serve = Invocation::of(&weather)
        .arguments(serve)
        .env("WEATHER_REPORTS", folder.join("reports.jsonl"))
        // The document does not describe coercions.
        .env("WEATHER_LENIENCY", "strict")
        .announce();
    let server = Server::start(&serve)?;
    let document = format!("{}/openapi.json", server.address());

    let script = workspace::root().join("tests/openapi/check.py");
    let valid = environment.invocation(&script).arguments([&document]).announce().run_reading(|line| {
        if line.ends_with(" ... ok") {
            tally.count(true);
        } else if line.ends_with(" ... FAILED") {
            tally.count(false);
        }
    });
    let found = environment
        .program("schemathesis")
        .arguments(["run", &document, "--url", server.address(), "--checks", "all", "--seed", SEED])
        .arguments(["--max-examples", EXAMPLES, "--continue-on-failure", "--no-color"])
        .arguments(["--request-timeout", "10"])
        .folder(&folder)
        .announce()
        .run();
    tally.count(found.is_ok());
    match tally {
        Tally { passed: 0, .. } => valid.and(found).and(Err(Failure::NoTests)),
        _ => valid.and(found),
    }
}

fn clear_folder(folder: &Path) -> std::io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)
}
