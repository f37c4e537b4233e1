//! The HTTP interface as a client sees it: exact bodies, and a server on a socket.

mod authentication;
mod callers;
mod calls;
mod catalog;
mod client;
mod completions;
mod cors;
mod discovery;
mod elicitation;
mod events;
mod inputs;
mod json_rpc;
mod openapi;
mod openapi_3_0;
mod program;
mod providers;
mod reading;
mod representation;
mod request_filter;
mod results;
mod robustness;
mod routing;
mod server;
#[cfg(feature = "tasks")]
mod tasks;
mod telemetry;
mod tools;
mod validation;
