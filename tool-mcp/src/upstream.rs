//! Tools of other MCP servers, combined in one provider.
//!
//! Requires the feature `upstream`, which adds an HTTP client with TLS.
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
//! # Tools
//!
//! The tool `search` of the server `web` is named `web__search`, and keeps its title, description, hints and schemas.
//! Its arguments are validated before the server is called, and its output is validated before it is returned: text,
//! images, audio, links, resources and structured content are passed on unchanged. A tool with an invalid name, an
//! unreadable definition or a schema that is too expensive to validate is [skipped](Status::skipped) and reported; the
//! others are served. A result with `isError` becomes the failure of the tool, with the message of the server. Any
//! other failure names the server.
//!
//! # Operations
//!
//! The operation of a tool follows from the hints of its server:
//!
//! | `readOnlyHint` | `destructiveHint` | `openWorldHint` | operation |
//! |---|---|---|---|
//! | `true` | any | any | `Read` |
//! | else | `false` | `true` or absent | `Trigger`, not destructive |
//! | else | `false` | `false` | `Write`, not destructive |
//! | else | `true` or absent | any | `Write`, destructive |
//!
//! Only a tool that says so is read-only. Configure only servers whose hints you trust.
//!
//! If the caller disconnects, a read-only call is canceled on the server; a modifying call keeps running. After the
//! [timeout](Upstream::timeout) the caller gets a failure, and the same applies to the call.
//!
//! An unreadable response fails its call at once: JSON with an unpaired surrogate, too deeply nested, with a number out
//! of range, or with more bytes than the [limit](Upstream::message_limit). In a list, only the unreadable tools are
//! skipped.
//!
//! # Unavailable servers
//!
//! All servers are connected concurrently when the tools are first requested, and stay connected. A server that is down
//! is retried with exponential backoff and jitter. Until it is up, its tools are not listed;
//! [`Toolset::skipped`](tool_core::provider::Toolset::skipped) and [`Upstreams::status`] give the reason, and
//! [`Changes`](crate::Changes) notifies clients when tools come and go. A listing waits for a limited time for a server
//! that is starting, and does not wait for one that is down. While a list is refreshed, the previous one is served.
//!
//! Both eras of the protocol are supported: 2026-07-28, and `initialize` up to 2025-11-25 for servers that do not
//! support the former. Servers cannot use sampling, elicitation or roots.
//!
//! # OAuth
//!
//! With the feature `upstream-oauth`, a server can be signed in to: `Upstream::oauth`, or the key `oauth` of the
//! [configuration file](UpstreamsConfig). The user signs in once, with `Upstreams::sign_in`, in a browser on the same
//! machine. The tokens are in a `CredentialFile`, which is private to the user, and are refreshed before they expire and
//! when the server rejects one. Processes that share the file refresh a token once.
//!
//! - A server that was not signed in to, or whose token can no longer be refreshed, is unavailable, and the reason names the
//!   [command](UpstreamsBuilder) that signs in. It is back at the next attempt to connect, within a minute by default.
//! - A call that the server denies because the account lacks scopes fails as
//!   [`Denied`](tool_core::FailureKind::Denied), and the message names them. Signing in with them takes effect while the
//!   program runs.
//! - All callers share the account. The token of a caller is never sent to a server, and the token of a server never
//!   reaches a caller, a log or an error.
//!
//! The authorization code is protected by PKCE with S256, `state` and, if it is sent or announced, `iss`. An
//! authorization server without S256 is refused. Metadata and endpoints must use `https`, or `http` on loopback if the
//! URL of the server is on loopback. Link-local and other special addresses are always refused, private ones unless
//! `OAuth::allow_private_addresses` is set. No redirect to another origin is followed. A token is sent only to the
//! issuer that it is from.

#[cfg(feature = "upstream-oauth")]
mod accounts;
mod backoff;
mod build_listing;
mod config;
mod connection;
mod definition;
mod error;
pub(crate) mod fuzzing;
mod http;
mod inbox;
mod intercepted_transport;
mod listing;
mod message;
#[cfg(feature = "upstream-oauth")]
mod oauth;
mod process;
mod provider;
mod result;
mod session;
mod settings;
mod status;
mod stderr;
mod stdio;
mod supervisor;
mod text;
mod tool;
mod transport_config;

pub use config::UpstreamsConfig;
pub(crate) use error::UpstreamUnavailable;
pub use error::UpstreamsError;
#[cfg(feature = "upstream-oauth")]
pub use oauth::{CredentialFile, CredentialsError, OAuth, SignIn, SignInError};
pub use provider::{Upstreams, UpstreamsBuilder};
pub use settings::Upstream;
pub use status::{State, Status};
