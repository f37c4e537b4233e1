//! The figures of the server, sampled over time.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context as _;
use serde::Deserialize;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

/// How long the server may take to say its figures: its threads are busy.
const PATIENCE: Duration = Duration::from_secs(30);

/// What the server says of its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Figures {
    /// Resident memory.
    pub(crate) rss_kib: u64,
    pub(crate) threads: u64,
    pub(crate) descriptors: u64,
    /// Tasks of the runtime that have not ended.
    pub(crate) tasks: u64,
}

/// Figures at a time since the begin of the load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) at: Duration,
    /// The calls until then.
    pub(crate) calls: u64,
    pub(crate) figures: Figures,
}

impl Figures {
    /// Reads the figures at this address.
    pub(crate) async fn read(address: SocketAddr) -> anyhow::Result<Self> {
        let read = async {
            let mut text = String::new();
            TcpStream::connect(address).await?.read_to_string(&mut text).await?;
            anyhow::Ok(text)
        };
        let text = timeout(PATIENCE, read).await.context("the server does not say its figures")??;
        serde_json::from_str(&text).with_context(|| text)
    }

    /// Waits until `is_calm` holds for the figures since five seconds, or until `longest` is over. Returns the last figures.
    pub(crate) async fn settle(
        address: SocketAddr,
        longest: Duration,
        is_calm: impl Fn(&Self, &Self) -> bool,
    ) -> anyhow::Result<Self> {
        const CALM: u32 = 5;
        let begin = Instant::now();
        let mut last = Self::read(address).await?;
        let mut calm = 0;
        while calm < CALM && begin.elapsed() < longest {
            sleep(Duration::from_secs(1)).await;
            let figures = Self::read(address).await?;
            calm = if is_calm(&last, &figures) { calm + 1 } else { 0 };
            last = figures;
        }
        Ok(last)
    }
}
