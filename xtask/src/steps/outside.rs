//! The steps that let other people's programs talk to ours.

use crate::clients::Clients;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::inspector::{Era, Inspection, Question, Transport};
use crate::process::Invocation;
use crate::server::Server;
use crate::tally::Tally;
use crate::workspace;

/// The MCP Inspector against the weather example: both eras over both transports, every question in each.
pub(crate) fn clients(tally: &mut Tally) -> Result<(), Failure> {
    let clients = Clients::install()?;
    Invocation::cargo(["build", "--package", "weather", "--locked"]).announce().run()?;
    let weather = workspace::binary("weather")
        .map_err(|source| Failure::File { path: "the folder of this program".to_owned(), source })?;
    // What the inspector remembers belongs into the target folder, and not into anybody's home.
    let storage = weather.with_file_name("inspector");

    let serve = Invocation::of(&weather).arguments(["serve", "mcp", "--addr", "127.0.0.1:0"]).announce();
    let server = Server::start(&serve)?;
    let endpoint = format!("{}/mcp", server.address());

    for era in [Era::Modern, Era::Legacy] {
        for transport in [Transport::Stdio(&weather), Transport::Http(&endpoint)] {
            for question in Question::ALL {
                let inspection = Inspection { era, transport, question };
                let result = inspection.run(&clients, &storage);
                tally.count(result.is_ok());
                match result {
                    Ok(()) => println!("{inspection} ... ok"),
                    Err(fault) => println!("{inspection} ... FAILED\n{fault}"),
                }
            }
        }
    }
    if tally.failed == 0 { Ok(()) } else { Err(Failure::Checks(tally.failed)) }
}

/// The SDKs of openai, anthropic and google over the golden files of `tool-core`, one check a tool and profile.
pub(crate) fn profiles(tally: &mut Tally) -> Result<(), Failure> {
    let environment = Environment::install()?;
    let script = workspace::root().join("tests/profiles/check.py");
    let result = environment.invocation(&script).announce().run_reading(|line| {
        if line.ends_with(" ... ok") {
            tally.count(true);
        } else if line.ends_with(" ... FAILED") {
            tally.count(false);
        }
    });
    match tally {
        Tally { failed: 1.., .. } => Err(Failure::Checks(tally.failed)),
        Tally { passed: 0, .. } => result.and(Err(Failure::NoTests)),
        _ => result,
    }
}
