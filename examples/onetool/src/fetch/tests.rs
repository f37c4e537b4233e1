//! Defense against malicious servers and names.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use axum::response::IntoResponse as _;
use axum::routing::get;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::*;

/// Starts a server with pages of all kinds and returns its address.
async fn server() -> SocketAddr {
    let redirect = |to: String| (StatusCode::FOUND, [(LOCATION, to)]);
    let app = Router::new()
        .route("/plain", get(async || "hello"))
        .route("/status/{code}", get(async |Path(code): Path<u16>| StatusCode::from_u16(code).unwrap()))
        .route("/away", get(async move || redirect("http://169.254.169.254/latest/meta-data".to_owned())))
        .route("/file", get(async move || redirect("file:///etc/passwd".to_owned())))
        .route("/near", get(async move || redirect("plain".to_owned())))
        .route("/nowhere", get(async || StatusCode::FOUND))
        .route("/round", get(async move || redirect("/round".to_owned())))
        .route("/long", get(async || "x".repeat(2000)))
        .route("/silent", get(std::future::pending::<&'static str>))
        .route("/picture", get(async || ([(CONTENT_TYPE, "image/png")], "PNG").into_response()))
        .route("/packed", get(async || ([(CONTENT_ENCODING, "gzip")], "x").into_response()));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });
    addr
}

/// Starts a server with a page that is too large and has no `Content-Length`.
async fn server_without_content_length() -> SocketAddr {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 1024]).await.unwrap();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n";
        let page = head.to_owned() + &"x".repeat(100_000);
        // The client may have closed the connection already.
        let _ = stream.write_all(page.as_bytes()).await;
    });
    addr
}

fn fetcher(addr: SocketAddr) -> Fetcher {
    let limits = FetchLimits { bytes: 1000, time: Duration::from_secs(30) };
    Fetcher::new(Egress::to([format!("http://{addr}")]).unwrap(), limits).unwrap()
}

/// Creates a client for which every name has this address, with a counter of lookups.
fn fetcher_resolving_to(origin: &str, addr: &'static str) -> (Fetcher, Arc<AtomicUsize>) {
    let lookups = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&lookups);
    let lookup: Lookup = Arc::new(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move { Ok(vec![addr.parse().unwrap()]) })
    });
    let limits = FetchLimits { time: Duration::from_secs(30), ..FetchLimits::default() };
    (Fetcher::resolving(Egress::to([origin]).unwrap(), limits, lookup).unwrap(), lookups)
}

#[tokio::test]
async fn fetches_pages_and_follows_same_origin_redirects() {
    let addr = server().await;
    for path in ["plain", "near"] {
        let page = fetcher(addr).fetch(&format!("http://{addr}/{path}")).await.unwrap();
        assert_eq!(page.url, format!("http://{addr}/plain"));
        assert_eq!((page.content_type.as_str(), page.text.as_str()), ("text/plain", "hello"));
    }
}

#[tokio::test]
async fn rejects_other_origins_before_sending() {
    let addr = server().await;
    let fetcher = fetcher(addr);
    for url in [
        format!("http://localhost:{}/plain", addr.port()),
        format!("http://[::ffff:127.0.0.1]:{}/plain", addr.port()),
        "http://127.0.0.1:1/".to_owned(),
        "http://169.254.169.254/".to_owned(),
        "http://[::ffff:169.254.169.254]/".to_owned(),
        "http://example.org/".to_owned(),
    ] {
        let error = fetcher.fetch(&url).await.unwrap_err();
        assert!(matches!(error, FetchError::Origin { .. }), "{url}: {error:?}");
    }
}

#[tokio::test]
async fn limits_and_checks_redirects() {
    let addr = server().await;
    let fetcher = fetcher(addr);
    let error = async |path: &str| fetcher.fetch(&format!("http://{addr}/{path}")).await.unwrap_err();
    assert!(
        matches!(error("away").await, FetchError::Origin { origin, .. } if origin == "http://169.254.169.254")
    );
    assert!(matches!(error("file").await, FetchError::Scheme(scheme) if scheme == "file"));
    assert!(matches!(error("round").await, FetchError::Redirects(5)));
    assert!(matches!(error("nowhere").await, FetchError::Status(302)));
}

#[tokio::test]
async fn rejects_names_with_unexpected_addresses() {
    for address in ["127.0.0.1:0", "10.0.0.1:0", "169.254.169.254:0", "[::1]:0", "[::ffff:127.0.0.1]:0"] {
        let (fetcher, lookups) = fetcher_resolving_to("http://example.org", address);
        let error = fetcher.fetch("http://example.org/").await.unwrap_err();
        assert!(matches!(error, FetchError::Address { host, .. } if host == "example.org"), "{address}");
        assert_eq!(lookups.load(Ordering::Relaxed), 1, "{address}");
    }
    let (fetcher, _) = fetcher_resolving_to("http://localhost:80", "1.1.1.1:0");
    assert!(matches!(fetcher.fetch("http://localhost").await, Err(FetchError::Address { .. })));
}

#[tokio::test]
async fn connects_to_the_checked_address() {
    let addr = server().await;
    let (fetcher, lookups) =
        fetcher_resolving_to(&format!("http://localhost:{}", addr.port()), "127.0.0.1:0");
    let page = fetcher.fetch(&format!("http://localhost:{}/plain", addr.port())).await.unwrap();
    assert_eq!(page.text, "hello");
    // Resolved once: a second lookup could return something else.
    assert_eq!(lookups.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn limits_the_size_of_pages() {
    for addr in [server().await, server_without_content_length().await] {
        let error = fetcher(addr).fetch(&format!("http://{addr}/long")).await.unwrap_err();
        assert!(matches!(error, FetchError::TooLong(1000)), "{error:?}");
    }
}

#[tokio::test]
async fn times_out_slow_pages() {
    let addr = server().await;
    let limits = FetchLimits { time: Duration::from_millis(50), ..FetchLimits::default() };
    let fetcher = Fetcher::new(Egress::to([format!("http://{addr}")]).unwrap(), limits).unwrap();
    let error = fetcher.fetch(&format!("http://{addr}/silent")).await.unwrap_err();
    assert!(matches!(error, FetchError::Late(_)), "{error:?}");
}

#[tokio::test]
async fn rejects_content_that_is_not_text() {
    let addr = server().await;
    for path in ["picture", "packed"] {
        let error = fetcher(addr).fetch(&format!("http://{addr}/{path}")).await.unwrap_err();
        assert!(matches!(error, FetchError::NoText(_)), "{path}: {error:?}");
    }
}

#[tokio::test]
async fn maps_the_status_to_a_failure_kind() {
    use tool_core::failure::Reason;
    use tool_core::{FailureKind, ToolError};
    let addr = server().await;
    for (code, reason) in [
        (404, Reason::NotFound),
        (410, Reason::NotFound),
        (403, Reason::Other),
        (204, Reason::Other),
        (429, Reason::Unavailable),
        (503, Reason::Unavailable),
    ] {
        let error = fetcher(addr).fetch(&format!("http://{addr}/status/{code}")).await.unwrap_err();
        assert_eq!(ToolError::from(error).kind(), FailureKind::Failed(reason), "{code}");
    }
    // Nothing listens on a port that was just closed.
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let closed = listener.local_addr().unwrap();
    drop(listener);
    let error = fetcher(closed).fetch(&format!("http://{closed}/")).await.unwrap_err();
    assert_eq!(ToolError::from(error).kind(), FailureKind::Failed(Reason::Unavailable));
}
