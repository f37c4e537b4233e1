//! Tools of other servers: any number of MCP servers as one provider of tools.
//!
//! Feature `upstream`, which brings a client of HTTP with TLS along.
//!
//! ```no_run
//! use tool_mcp::upstream::{Upstream, Upstreams};
//! use tool_mcp::{Changes, Discovery, Server};
//!
//! # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
//! let changes = Changes::new();
//! let upstreams = Upstreams::builder()
//!     .server(Upstream::command("weather", "weather").args(["serve", "mcp"]))
//!     .server(Upstream::url("web", "https://mcp.example.org/mcp").header("Authorization", "Bearer 0b7c5f1e"))
//!     .changes(&changes)
//!     .build()?;
//! let server = Server::new(upstreams.clone()).discovery(Discovery::TwoStep).changes(&changes);
//! server.serve_stdio().await?;
//! upstreams.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! # What comes of a tool
//!
//! The tool `search` of the server `web` is `web__search`, with its title, description, hints and schemas. What it takes is
//! checked here before it is asked, and what it returns before it is passed on: text, images, sounds, links, resources and
//! structured content as they are. A tool that cannot be served (its name, a schema that costs too much to check) is
//! [left out](Status::left_out) and reported, and the others are served. A result that `isError` is the failure of the tool,
//! in its own words; any other failure names the server.
//!
//! # Operations
//!
//! A server says what its tools do in hints, which are all that is known:
//!
//! | `readOnlyHint` | `destructiveHint` | `openWorldHint` | operation |
//! |---|---|---|---|
//! | `true` | any | any | `Read` |
//! | else | `false` | `true`, or not said | `Trigger`, not destructive |
//! | else | `false` | `false` | `Write`, not destructive |
//! | else | `true`, or not said | any | `Write`, destructive |
//!
//! So nothing is read only that does not say so. Whether to believe a server is up to whoever configures it.
//!
//! When the caller goes away, a call that reads is taken back from the server; one that modifies runs on. After the
//! [time limit](Upstream::timeout) the caller is answered, and the same holds.
//!
//! An answer that cannot be read is the failure of its call at once: JSON with half of a surrogate pair, nested too deeply, with a
//! number that is too large, or of more bytes than the [limit](Upstream::message_limit). In a list it takes no tool away but those
//! that cannot be read.
//!
//! # Servers that are not there
//!
//! Each server is connected to when the tools are first asked for, at the same time as the others, and stays connected.
//! One that is not there is tried again after pauses that double and are never quite the same; until then its tools are not
//! listed, [`Toolset::skipped`](tool_core::provider::Toolset::skipped) and [`Upstreams::status`] say why, and
//! [`Changes`](crate::Changes) are told when they come and go. A listing waits a bounded time for a server that has just begun to
//! start, and never for one that is known to be gone; a list that is being asked for anew is served as it was.
//!
//! Both eras of the protocol are spoken: 2026-07-28, and `initialize` up to 2025-11-25 where a server does not know the other.
//! A server may ask for nothing in return: no sampling, no elicitation, no roots.

mod backoff;
mod child;
mod config;
mod definition;
mod error;
mod http;
mod inbox;
mod link;
mod listing;
mod message;
mod pipe;
mod provider;
mod result;
mod session;
mod settings;
mod status;
mod stderr;
mod tool;
mod watched;

pub use config::UpstreamsConfig;
pub(crate) use error::Absent;
pub use error::UpstreamsError;
pub use provider::{Upstreams, UpstreamsBuilder};
pub use settings::Upstream;
pub use status::{State, Status};
