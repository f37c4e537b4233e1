//! What every server of the comparison is served by: the same listener over HTTP, and pipes over stdio.

use axum::Router;
use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;

/// Serves a router under `/mcp` on a free port, which it prints.
pub async fn over_http(endpoint: Router) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
    axum::serve(listener, Router::new().nest_service("/mcp", endpoint)).await.unwrap();
}
