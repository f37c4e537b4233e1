//! The client of rmcp, whose requests alternate between two replicas.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::Request;
use fixture_postgres::PostgresServer;
use rmcp::model::CallToolRequestParams;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientLifecycleMode, ClientServiceExt as _};
use serde_json::json;
use tokio::net::TcpListener;
use tower::ServiceExt as _;

use crate::replicas::replica;

/// Serves replicas at one address, one request each in turn. Returns the URL, and how many requests each one got.
async fn round_robin(replicas: [Router; 2]) -> (String, Arc<[AtomicUsize; 2]>) {
    let counts = Arc::<[AtomicUsize; 2]>::default();
    let next = Arc::<AtomicUsize>::default();
    let counted = Arc::clone(&counts);
    let balancer = Router::new().fallback(move |request: Request| {
        let turn = next.fetch_add(1, Ordering::Relaxed) % 2;
        counted[turn].fetch_add(1, Ordering::Relaxed);
        replicas[turn].clone().oneshot(request)
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async { axum::serve(listener, balancer).await.unwrap() });
    (url, counts)
}

#[tokio::test]
async fn an_older_client_does_not_notice_that_its_requests_alternate() {
    let database = PostgresServer::start();
    let (url, counts) = round_robin([replica(&database), replica(&database)]).await;
    // Fails if another test has installed it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let transport = StreamableHttpClientTransport::with_client(
        http,
        StreamableHttpClientTransportConfig::with_uri(url.as_str()),
    );
    let client = ().serve_with_lifecycle(transport, ClientLifecycleMode::Initialize).await.unwrap();
    for n in 0..20 {
        let tools = client.list_all_tools().await.unwrap();
        assert_eq!(tools.len(), 1);
        let arguments = json!({"n": n}).as_object().unwrap().clone();
        let params = CallToolRequestParams::new("double").with_arguments(arguments);
        let result = client.call_tool(params).await.unwrap();
        assert_eq!(result.structured_content, Some(json!({"result": 2 * n})));
    }
    client.cancel().await.unwrap();
    let counts = counts.each_ref().map(|count| count.load(Ordering::Relaxed));
    assert!(counts.iter().all(|count| *count >= 20), "{counts:?}");
}
