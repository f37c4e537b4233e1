//! The HTTP face as a client sees it: exact bodies, and a server that is spoken to over its socket.

mod asking;
mod callers;
mod calls;
mod catalogue;
mod client;
mod completions;
mod cors;
mod discovery;
mod edge;
mod gate;
mod identity;
mod inputs;
mod json_rpc;
mod observation;
mod openapi;
#[cfg(unix)]
mod program;
mod providers;
mod representation;
mod results;
mod rows;
mod server;
mod tools;
mod validation;
