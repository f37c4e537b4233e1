#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod changes;
#[cfg(feature = "conformance")]
pub mod conformance;
mod core;
mod database;
mod engine;
mod options;
#[cfg(feature = "postgres")]
mod postgres;
mod record;
mod requests;
mod running;
mod schema;
#[cfg(feature = "sqlite")]
mod sqlite;
mod statements;
mod worker;

#[cfg(feature = "postgres")]
pub use engine::PostgresEngine;
#[cfg(feature = "sqlite")]
pub use engine::SqliteEngine;
