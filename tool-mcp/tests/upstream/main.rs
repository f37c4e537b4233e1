//! Upstream MCP servers as providers of tools: well-behaved and hostile ones.

#![allow(clippy::print_stdout, reason = "a server on stdio writes there")]

mod hostile;
mod http;
#[cfg(feature = "upstream-oauth")]
mod oauth;
mod stdio;
mod support;
mod unreadable;
