#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod address;
mod bearer_token;
mod challenge;
mod claims;
mod error;
mod fetch;
#[doc(hidden)]
pub mod fuzzing;
mod introspection;
mod issuer;
mod jwt;
mod key_cache;
mod keys;
mod refusal;
mod resource_server;
mod scopes;
mod unique;

pub use claims::Claims;
pub use error::ConfigError;
pub use introspection::IntrospectionClient;
pub use resource_server::ResourceServer;

#[doc = include_str!("../docs/who-may-call-what.md")]
pub mod guide {}
