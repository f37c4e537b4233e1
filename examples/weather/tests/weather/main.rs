//! The tools, the program on every interface, and what it stores, with real data.

mod examples;
mod harmless;
mod lint;
mod mcp;
mod openapi;
mod pages;
mod program;
mod reports;
mod results;
#[cfg(unix)]
#[path = "../../../../tests/sigterm.rs"]
mod shared;
#[cfg(unix)]
mod sigterm;
mod surfaces;
#[cfg(unix)]
mod telemetry;
