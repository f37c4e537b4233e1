//! The step that tests the OneTool example with a third-party client.

use crate::binaries;
use crate::environment::{Environment, ONETOOL};
use crate::failure::Failure;
use crate::steps::outside;
use crate::tally::Tally;
use crate::workspace;

/// Runs the Python SDK of MCP with every scenario of the example, in both eras over both transports.
pub(crate) fn onetool(tally: &mut Tally) -> Result<(), Failure> {
    let environment = Environment::install(&ONETOOL)?;
    let [program] = binaries::built(["onetool"])?;
    let script = workspace::root().join("examples/onetool/tests/client/check.py");
    outside::checks(environment.invocation(&script).arguments([program]), tally)
}
