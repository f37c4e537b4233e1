//! The figures of this process: memory, threads, file descriptors and tasks.

use std::fs;
use std::io;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::runtime::Handle;

/// Sends each client the figures as JSON, and closes the connection.
pub(crate) async fn serve(listener: TcpListener) {
    while let Ok((mut client, _)) = listener.accept().await {
        if let Ok(figures) = figures() {
            // A client that has left needs no figures.
            let _ = client.write_all(figures.to_string().as_bytes()).await;
        }
    }
}

/// Returns `{"rss_kib", "threads", "descriptors", "tasks"}`.
fn figures() -> io::Result<Value> {
    let status = fs::read_to_string("/proc/self/status")?;
    let number = |name: &str| -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    // One of them is that of the folder.
    let descriptors = fs::read_dir("/proc/self/fd")?.count() - 1;
    let tasks = Handle::current().metrics().num_alive_tasks();
    Ok(json!({
        "rss_kib": number("VmRSS:"), "threads": number("Threads:"), "descriptors": descriptors, "tasks": tasks,
    }))
}
