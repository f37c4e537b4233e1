//! The server process.

use std::fs::File;
use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use rustix::process::{Pid, Signal, kill_process};
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Child;
use tokio::time::timeout;

use crate::world::Program;

/// A running server. It is killed when it is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    process: Child,
    pub(crate) addresses: Addresses,
}

/// Where the server listens.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Addresses {
    pub(crate) http: SocketAddr,
    pub(crate) mcp: SocketAddr,
    pub(crate) figures: SocketAddr,
}

impl Server {
    /// Starts the server, which logs to a file, and waits until it listens.
    pub(crate) async fn start(program: &Program, log: File) -> anyhow::Result<Self> {
        let mut command = program.command(&["serve", "all"]);
        let mut process = command.stdout(Stdio::piped()).stderr(log).spawn().context("the server")?;
        let output = process.stdout.take().context("the output is a pipe")?;
        let mut lines = BufReader::new(output).lines();
        let line = lines.next_line().await?.context("a server that starts prints its addresses")?;
        let addresses = serde_json::from_str(&line).with_context(|| line.clone())?;
        // Tools print there.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Ok(Self { process, addresses })
    }

    /// Asks the server to end, and waits until it has.
    pub(crate) async fn stop(mut self) -> anyhow::Result<()> {
        const PATIENCE: Duration = Duration::from_secs(60);
        let pid = self.process.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        kill_process(pid.context("the server has ended before its time")?, Signal::TERM)?;
        let status = timeout(PATIENCE, self.process.wait()).await.context("the server does not end")??;
        ensure!(status.success(), "the server ends with {status}");
        Ok(())
    }
}
