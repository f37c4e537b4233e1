//! End-to-end tests: administration on the command line, serving over HTTP and MCP, with local services.

mod administration;
mod discovery;
mod faults;
mod mcp;
mod postgres;
mod program;
mod readme;
mod registry;
mod service;
#[cfg(unix)]
#[path = "../../../../tests/sigterm.rs"]
mod shared;
#[cfg(unix)]
mod sigterm;
