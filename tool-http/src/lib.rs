#![doc = include_str!("../README.md")]

mod answer;
mod arguments;
mod discovery;
mod execution;
mod explorer;
mod gate;
mod options;
mod query;
mod refusal;
mod router;
mod server;

pub use options::{Options, ServeOptions};
pub use router::{router, router_with};
pub use server::{ServeError, Server, serve, terminated};
