//! What a small MCP server costs to build from nothing, beside the same server on rmcp: crates, processor time and the size of the program.

use std::collections::BTreeSet;
use std::fs;

use crate::error::Error;
use crate::leaf::{Leaf, Step};
use crate::workspace::Workspace;

/// A server with one tool, and what it depends on.
struct Program {
    name: &'static str,
    title: &'static str,
    dependencies: &'static str,
    source: &'static str,
}

const TOKIO: &str = "tokio = { workspace = true, features = [\"macros\", \"rt-multi-thread\"] }\n";

/// Ours serves on stdio and over HTTP in any case.
const PROGRAMS: [Program; 4] = [
    Program {
        name: "cold-ours",
        title: "ours, MCP on stdio and over HTTP",
        dependencies: "tool-core = { workspace = true, features = [\"default\"] }\n\
                       tool-mcp.workspace = true\n",
        source: include_str!("../support/cold/ours.rs"),
    },
    Program {
        name: "cold-rmcp-http",
        title: "rmcp, MCP on stdio and over HTTP",
        dependencies: "axum.workspace = true\n\
                       rmcp = { workspace = true, features = [\"macros\", \"server\", \"transport-io\", \"transport-streamable-http-server\"] }\n\
                       schemars.workspace = true\n\
                       serde.workspace = true\n",
        source: include_str!("../support/cold/rmcp_http.rs"),
    },
    Program {
        name: "cold-rmcp-stdio",
        title: "rmcp, MCP on stdio",
        dependencies: "rmcp = { workspace = true, features = [\"macros\", \"server\", \"transport-io\"] }\n\
                       schemars.workspace = true\n\
                       serde.workspace = true\n",
        source: include_str!("../support/cold/rmcp_stdio.rs"),
    },
    Program {
        name: "cold-hello",
        title: "the program of the README: MCP, HTTP and the command line",
        dependencies: "tool-cli = { workspace = true, features = [\"install\"] }\n\
                       tool-core = { workspace = true, features = [\"default\"] }\n\
                       tool-http.workspace = true\n\
                       tool-mcp.workspace = true\n",
        source: include_str!("../../examples/hello/src/main.rs"),
    },
];

/// Builds each program from nothing, as `cargo build` and as `cargo build --release` do.
pub(crate) fn measure(workspace: &Workspace) -> Result<String, Error> {
    let leaf = |program: &Program| {
        workspace.leaf(program.name, &(TOKIO.to_owned() + program.dependencies), program.source)
    };
    let leaves = PROGRAMS.iter().map(leaf).collect::<Result<Vec<Leaf>, Error>>()?;
    workspace.lock()?;
    let mut section = "| program | crates | debug, CPU seconds | release, CPU seconds | stripped, KiB |\n\
                       |---|--:|--:|--:|--:|\n"
        .to_owned();
    for (program, leaf) in PROGRAMS.iter().zip(&leaves) {
        eprintln!("{}", program.title);
        let cold = |step| build_from_nothing(workspace, leaf, step);
        let ((crates, debug), (_, release)) = (cold(Step::Debug)?, cold(Step::Release)?);
        let (_, stripped) = leaf.sizes(workspace)?;
        section +=
            &format!("| {} | {crates} | {debug:.0} | {release:.0} | {} |\n", program.title, stripped / 1024);
    }
    Ok(section)
}

/// Removes all that was built in the workspace, builds a program, and returns the number of crates and the processor seconds.
fn build_from_nothing(workspace: &Workspace, leaf: &Leaf, step: Step) -> Result<(usize, f64), Error> {
    let target = workspace.target();
    if target.exists() {
        fs::remove_dir_all(&target).map_err(|source| Error::io(&target, source))?;
    }
    let (compiled, seconds) = leaf.build_all(workspace, step)?;
    let crates: BTreeSet<String> = compiled.into_iter().collect();
    Ok((crates.len(), seconds))
}
