//! The HTTP face as a client sees it: exact bodies, and a server that is spoken to over its socket.

mod callers;
mod calls;
mod client;
mod discovery;
mod edge;
mod gate;
mod inputs;
#[cfg(unix)]
mod program;
mod server;
mod tools;
