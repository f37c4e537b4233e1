//! Sessions of older MCP clients at two replicas that share a database of PostgreSQL.

mod client;
mod replicas;
mod store;
