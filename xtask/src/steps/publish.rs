//! The step that tests what the examples publish.

use crate::clients::Clients;
use crate::environment::{Environment, PUBLISH};
use crate::failure::Failure;
use crate::process::Invocation;
use crate::steps::outside;
use crate::tally::Tally;
use crate::workspace;

/// Lets two examples publish themselves, and checks the files with the validators of their formats.
pub(crate) fn publish(tally: &mut Tally) -> Result<(), Failure> {
    let folder = "tests/publish";
    let clients = Clients::install(folder)?;
    let environment = Environment::install(&PUBLISH)?;
    Invocation::cargo(["build", "--package", "weather", "--package", "content", "--locked"])
        .announce()
        .run()?;
    let program = |name| {
        workspace::binary(name)
            .map_err(|source| Failure::File { path: "the folder of this program".to_owned(), source })
    };
    let script = workspace::root().join(folder).join("check.py");
    let programs = [program("weather")?, program("content")?, clients.node(), clients.program("mcpb")];
    outside::checks(environment.invocation(&script).arguments(programs), tally)
}
