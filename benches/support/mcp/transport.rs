//! What every server of the comparison is served by: the same listener over HTTP, and pipes over stdio.

use std::os::fd::AsFd as _;

use axum::Router;
use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;
use tokio::net::unix::pipe::{Receiver, Sender};

/// Serves a router under `/mcp` on a free port, which it prints.
pub async fn over_http(endpoint: Router) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
    axum::serve(listener, Router::new().nest_service("/mcp", endpoint)).await.unwrap();
}

/// Returns standard input and output as pipes of the runtime, without a thread that reads or writes them.
pub fn pipes() -> (Receiver, Sender) {
    let input = std::io::stdin().as_fd().try_clone_to_owned().unwrap();
    let output = std::io::stdout().as_fd().try_clone_to_owned().unwrap();
    (Receiver::from_owned_fd(input).unwrap(), Sender::from_owned_fd(output).unwrap())
}
