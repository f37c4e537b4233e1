#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod api;
mod authentication;
mod bare_output;
mod body;
mod cache;
mod cache_control;
mod call_events;
mod completion;
mod content_coding;
mod cors;
mod discovery;
mod error;
mod execution;
mod explorer;
#[doc(hidden)]
pub mod fuzzing;
mod idempotency_key;
mod in_flight;
mod json;
mod json_rpc;
mod media_type;
mod openapi;
mod options;
mod origin;
mod query;
mod representation;
mod request_context;
mod request_filter;
mod resource_metadata;
mod response;
mod results;
mod route;
mod router;
mod server;
#[cfg(feature = "tasks")]
mod tasks;
pub mod testing;

pub use openapi::{OpenApiVersion, UnknownOpenApiVersion, openapi};
pub use options::{Options, ServerOptions};
pub use resource_metadata::resource_metadata;
pub use router::{router, router_with};
pub use server::{BoundServer, ServeError, Server, serve, terminated};
