//! The step that tests the gateway with third-party servers.

use crate::binaries;
use crate::clients::Clients;
use crate::environment::{Environment, GATEWAY};
use crate::failure::Failure;
use crate::steps::outside;
use crate::tally::Tally;
use crate::workspace;

/// Runs the gateway with servers in Python and TypeScript over both transports, and a Python client. Then with servers that take
/// the tokens of an issuer.
pub(crate) fn gateway(tally: &mut Tally) -> Result<(), Failure> {
    let folder = "examples/gateway/tests/servers";
    let servers = Clients::install(folder)?;
    let environment = Environment::install(&GATEWAY)?;
    let issuer = Clients::install("tests/oauth")?;
    let [gateway, content] = binaries::built(["gateway", "content"])?;
    let script = |name| workspace::root().join(folder).join(name);
    let check = environment.invocation(&script("check.py")).arguments([&gateway, &servers.node()]);
    outside::checks(check, tally)?;
    let check = environment.invocation(&script("oauth.py"));
    let check = check.arguments([gateway, content, issuer.node()]);
    outside::checks(check, tally)
}
