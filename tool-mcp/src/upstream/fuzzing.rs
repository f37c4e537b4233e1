//! A server that speaks over pipes, for the fuzz targets of this workspace.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tool_core::Registry;

use crate::upstream::backoff::Backoff;
use crate::upstream::build_listing::build_listing;
use crate::upstream::connection::{ConnectionPolicy, ConnectionState, Phase, UpstreamConnection};
use crate::upstream::inbox::Inbox;
use crate::upstream::listing::{Listing, empty_registry};
use crate::upstream::session::ClientSession;
use crate::upstream::settings::Upstream;
use crate::upstream::stdio::StdioTransport;

/// A server whose messages come over a pipe, with the tools that it lists.
pub struct PipedServer {
    connection: Arc<UpstreamConnection>,
    session: Arc<ClientSession>,
    listing: Arc<Listing>,
}

impl PipedServer {
    /// Connects to a server over its output and its input, and reads its list of tools. Its messages have at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// A reason that may be shown to callers.
    pub async fn connect<R, W>(name: &str, stdout: R, stdin: W, limit: usize) -> Result<Self, String>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let inbox = Arc::new(Inbox::default());
        let transport = StdioTransport::new(None, (stdin, stdout), limit, Arc::clone(&inbox));
        let session = Arc::new(ClientSession::handshake(transport, inbox).await?);
        let tools = match session.list_tools().await {
            Ok(tools) => tools,
            Err(error) => {
                session.close().await;
                return Err(error.message);
            }
        };
        let policy = ConnectionPolicy {
            backoff: Backoff::default(),
            patience: Duration::ZERO,
            fresh_for: Duration::MAX,
            changes: None,
            registry: empty_registry(),
        };
        // The program is never started.
        let upstream = Upstream::command(name, name).message_limit(limit);
        let connection = Arc::new(UpstreamConnection::new(upstream, policy));
        let listing = build_listing(tools, None, &connection).await;
        connection.update(|state| state.phase = Phase::Up(Arc::clone(&session)));
        Ok(PipedServer { connection, session, listing })
    }

    /// Returns the tools of the server, which can be called.
    pub fn registry(&self) -> &Registry {
        self.listing.toolset.registry()
    }

    /// Returns a line for each tool that is skipped or served in part.
    pub fn skipped(&self) -> Vec<String> {
        self.listing.skipped()
    }

    /// Closes the connection.
    pub async fn close(self) {
        self.session.close().await;
        self.connection
            .update(|state| *state = ConnectionState { phase: Phase::Ended, ..Default::default() });
    }
}
