//! The step that tests the gateway with third-party servers.

use crate::clients::Clients;
use crate::environment::{Environment, GATEWAY};
use crate::failure::Failure;
use crate::process::Invocation;
use crate::steps::outside;
use crate::tally::Tally;
use crate::workspace;

/// Runs the gateway with servers in Python and TypeScript over both transports, and a Python client.
pub(crate) fn gateway(tally: &mut Tally) -> Result<(), Failure> {
    let folder = "examples/gateway/tests/servers";
    let servers = Clients::install(folder)?;
    let environment = Environment::install(&GATEWAY)?;
    Invocation::cargo(["build", "--package", "gateway", "--locked"]).announce().run()?;
    let program = workspace::binary("gateway")
        .map_err(|source| Failure::File { path: "the folder of this program".to_owned(), source })?;
    let script = workspace::root().join(folder).join("check.py");
    outside::checks(environment.invocation(&script).arguments([program, servers.node()]), tally)
}
