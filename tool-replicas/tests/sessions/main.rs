//! Sessions of older MCP clients at two replicas that share a database of PostgreSQL.

#![expect(clippy::needless_pass_by_value, reason = "a literal of JSON reads better without a borrow")]

mod client;
mod replicas;
mod store;
