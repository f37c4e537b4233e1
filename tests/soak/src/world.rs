//! What all actions share: the running server, its database, and the ledger of calls.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Mutex;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::Instant;

use crate::http::HttpClient;
use crate::ledger::Ledger;
use crate::mcp::McpClient;

/// How long a request may take until it has an answer or a closed connection.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// The environment of the actions.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) ledger: Ledger,
    pub(crate) http: HttpClient,
    pub(crate) mcp: McpClient,
    pub(crate) program: Program,
    /// The sessions that were left open, and since when.
    pub(crate) sessions: Mutex<Vec<(Instant, String)>>,
}

/// The server as a program, with its variables.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) database: String,
    pub(crate) audit: PathBuf,
}

impl Program {
    /// Returns a command of the program. Its process is killed when it is dropped.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.path);
        command.args(arguments).kill_on_drop(true).stdin(Stdio::null());
        command.env("DATABASE_URL", &self.database).env("SOAK_AUDIT", &self.audit).env("NO_COLOR", "1");
        command.env("RUST_BACKTRACE", "0");
        command
    }
}

impl World {
    pub(crate) fn new(ledger: Ledger, http: SocketAddr, mcp: SocketAddr, program: Program) -> Self {
        Self {
            ledger,
            http: HttpClient::new(http),
            mcp: McpClient::new(mcp),
            program,
            sessions: Mutex::default(),
        }
    }
}
