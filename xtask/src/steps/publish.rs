//! The step that tests what the examples publish.

use crate::binaries;
use crate::clients::Clients;
use crate::environment::{Environment, PUBLISH};
use crate::failure::Failure;
use crate::steps::outside;
use crate::tally::Tally;
use crate::workspace;

/// Lets two examples publish themselves, and checks the files with the validators of their formats.
pub(crate) fn publish(tally: &mut Tally) -> Result<(), Failure> {
    let folder = "tests/publish";
    let clients = Clients::install(folder)?;
    let environment = Environment::install(&PUBLISH)?;
    let [weather, content] = binaries::built(["weather", "content"])?;
    let script = workspace::root().join(folder).join("check.py");
    let programs = [weather, content, clients.node(), clients.program("mcpb")];
    outside::checks(environment.invocation(&script).arguments(programs), tally)
}
