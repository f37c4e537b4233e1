//! Servers that behave, and servers that do not, as a provider of tools.

#![allow(clippy::print_stdout, reason = "a server on stdio writes there")]

mod hostile;
mod http;
mod stdio;
mod support;
mod unreadable;
