#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer;
mod api;
mod arguments;
mod asking;
mod audience;
mod coding;
mod completion;
mod cors;
mod discovery;
mod documents;
mod execution;
mod explorer;
mod gate;
mod identity;
mod in_flight;
mod json;
mod json_rpc;
mod openapi;
mod options;
mod origin;
mod query;
mod refusal;
mod representation;
mod results;
mod route;
mod router;
mod server;

pub use options::{Options, ServeOptions};
pub use router::{router, router_with};
pub use server::{ServeError, Server, serve, terminated};
