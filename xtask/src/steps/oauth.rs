//! The step that tests the content example with an issuer of tokens and clients that sign in.

use crate::binaries;
use crate::clients::Clients;
use crate::environment::{Environment, ONETOOL};
use crate::failure::Failure;
use crate::steps::outside;
use crate::tally::Tally;
use crate::workspace;

/// Runs oidc-provider, the example over MCP and HTTP, and two clients in both eras: the Python SDK of MCP and its inspector.
pub(crate) fn oauth(tally: &mut Tally) -> Result<(), Failure> {
    let folder = "tests/oauth";
    let issuer = Clients::install(folder)?;
    let clients = Clients::install("tests/clients")?;
    let environment = Environment::install(&ONETOOL)?;
    let [program] = binaries::built(["content"])?;
    let script = workspace::root().join(folder).join("check.py");
    let programs = [program, issuer.node(), clients.program("mcp-inspector")];
    outside::checks(environment.invocation(&script).arguments(programs), tally)
}
