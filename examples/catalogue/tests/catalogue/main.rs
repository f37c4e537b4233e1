//! The program from end to end: described on the command line, served over HTTP and MCP, over services of this machine.

mod administration;
mod discovery;
mod faults;
mod mcp;
mod program;
mod readme;
mod registry;
mod service;
#[cfg(unix)]
#[path = "../../../../tests/sigterm.rs"]
mod shared;
#[cfg(unix)]
mod sigterm;
