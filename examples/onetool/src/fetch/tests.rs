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
async fn silent_on_length() -> SocketAddr {
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
fn misled(origin: &str, addr: &'static str) -> (Fetcher, Arc<AtomicUsize>) {
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
async fn a_page_is_fetched_and_a_redirect_on_the_same_origin_is_followed() {
    let addr = server().await;
    for path in ["plain", "near"] {
        let page = fetcher(addr).fetch(&format!("http://{addr}/{path}")).await.unwrap();
        assert_eq!(page.url, format!("http://{addr}/plain"));
        assert_eq!((page.content_type.as_str(), page.text.as_str()), ("text/plain", "hello"));
    }
}

#[tokio::test]
async fn another_origin_is_refused_before_anything_is_sent() {
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
        let refused = fetcher.fetch(&url).await.unwrap_err();
        assert!(matches!(refused, FetchError::Origin { .. }), "{url}: {refused:?}");
    }
}

#[tokio::test]
async fn a_redirect_leads_nowhere_else() {
    let addr = server().await;
    let fetcher = fetcher(addr);
    let refused = async |path: &str| fetcher.fetch(&format!("http://{addr}/{path}")).await.unwrap_err();
    assert!(
        matches!(refused("away").await, FetchError::Origin { origin, .. } if origin == "http://169.254.169.254")
    );
    assert!(matches!(refused("file").await, FetchError::Scheme(scheme) if scheme == "file"));
    assert!(matches!(refused("round").await, FetchError::Redirects(5)));
    assert!(matches!(refused("nowhere").await, FetchError::Status(302)));
}

#[tokio::test]
async fn a_name_that_resolves_to_an_address_inside_is_refused() {
    for address in ["127.0.0.1:0", "10.0.0.1:0", "169.254.169.254:0", "[::1]:0", "[::ffff:127.0.0.1]:0"] {
        let (fetcher, lookups) = misled("http://example.org", address);
        let refused = fetcher.fetch("http://example.org/").await.unwrap_err();
        assert!(matches!(refused, FetchError::Address { host, .. } if host == "example.org"), "{address}");
        assert_eq!(lookups.load(Ordering::Relaxed), 1, "{address}");
    }
    let (fetcher, _) = misled("http://localhost:80", "1.1.1.1:0");
    assert!(matches!(fetcher.fetch("http://localhost").await, Err(FetchError::Address { .. })));
}

#[tokio::test]
async fn the_address_that_was_checked_is_the_one_that_is_connected_to() {
    let addr = server().await;
    let (fetcher, lookups) = misled(&format!("http://localhost:{}", addr.port()), "127.0.0.1:0");
    let page = fetcher.fetch(&format!("http://localhost:{}/plain", addr.port())).await.unwrap();
    assert_eq!(page.text, "hello");
    // Resolved once: a second lookup could return something else.
    assert_eq!(lookups.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_page_has_no_more_than_it_may_whatever_it_says_of_itself() {
    for addr in [server().await, silent_on_length().await] {
        let refused = fetcher(addr).fetch(&format!("http://{addr}/long")).await.unwrap_err();
        assert!(matches!(refused, FetchError::TooLong(1000)), "{refused:?}");
    }
}

#[tokio::test]
async fn a_page_that_never_comes_is_given_up() {
    let addr = server().await;
    let limits = FetchLimits { time: Duration::from_millis(50), ..FetchLimits::default() };
    let fetcher = Fetcher::new(Egress::to([format!("http://{addr}")]).unwrap(), limits).unwrap();
    let late = fetcher.fetch(&format!("http://{addr}/silent")).await.unwrap_err();
    assert!(matches!(late, FetchError::Late(_)), "{late:?}");
}

#[tokio::test]
async fn what_cannot_be_read_as_text_is_refused() {
    let addr = server().await;
    for path in ["picture", "packed"] {
        let refused = fetcher(addr).fetch(&format!("http://{addr}/{path}")).await.unwrap_err();
        assert!(matches!(refused, FetchError::NoText(_)), "{path}: {refused:?}");
    }
}

#[tokio::test]
async fn a_status_tells_whether_trying_again_helps() {
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
        let failed = fetcher(addr).fetch(&format!("http://{addr}/status/{code}")).await.unwrap_err();
        assert_eq!(ToolError::from(failed).kind(), FailureKind::Failed(reason), "{code}");
    }
    // Nothing listens on a port that was just closed.
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let closed = listener.local_addr().unwrap();
    drop(listener);
    let failed = fetcher(closed).fetch(&format!("http://{closed}/")).await.unwrap_err();
    assert_eq!(ToolError::from(failed).kind(), FailureKind::Failed(Reason::Unavailable));
}
