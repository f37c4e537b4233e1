//! The step that lets a client of other people walk through the OneTool example.

use crate::environment::{Environment, ONETOOL};
use crate::failure::Failure;
use crate::process::Invocation;
use crate::steps::outside;
use crate::tally::Tally;
use crate::workspace;

/// The Python SDK of MCP against the example: every scenario of its specification, both eras over both transports.
pub(crate) fn onetool(tally: &mut Tally) -> Result<(), Failure> {
    let environment = Environment::install(&ONETOOL)?;
    Invocation::cargo(["build", "--package", "onetool", "--locked"]).announce().run()?;
    let program = workspace::binary("onetool")
        .map_err(|source| Failure::File { path: "the folder of this program".to_owned(), source })?;
    let script = workspace::root().join("examples/onetool/tests/client/check.py");
    outside::checks(environment.invocation(&script).arguments([program]), tally)
}
