//! Defense against malicious redirects, and every other error of the client.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::Path;
use axum::http::header::{CONTENT_ENCODING, LOCATION};
use axum::http::{HeaderMap, Uri};
use axum::response::IntoResponse as _;
use axum::routing::{get, post};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tool_core::FailureKind;
use tool_core::failure::Reason;

use super::*;
use crate::egress::Refusal;

const PATIENCE: Duration = Duration::from_secs(30);

async fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let addr = listener.local_addr().unwrap();
    (listener, addr)
}

async fn serve(app: Router) -> SocketAddr {
    let (listener, addr) = listener().await;
    tokio::spawn(async move { axum::serve(listener, app).await });
    addr
}

/// Starts a service that redirects as its query says, and echoes requests.
async fn service() -> SocketAddr {
    let echo = async |uri: Uri, headers: HeaderMap| {
        let header = |name| headers.get(name).map_or("none", |value| value.to_str().unwrap()).to_owned();
        format!("{uri} key={} note={}", header("x-key"), header("x-note"))
    };
    let to = |location: String| (StatusCode::FOUND, [(LOCATION, location)]);
    let app = Router::new()
        .route("/echo", get(echo))
        .route(
            "/to/{*location}",
            get(async move |Path(location): Path<String>| to(location))
                .post(async move || to("/echo".to_owned())),
        )
        .route("/round", get(async move || to("/round".to_owned())))
        .route("/nowhere", get(async move || to("http://[".to_owned())))
        .route("/without", get(async || StatusCode::FOUND))
        .route("/status/{code}", get(async |Path(code): Path<u16>| StatusCode::from_u16(code).unwrap()))
        .route("/long", get(async || "x".repeat(2000)))
        .route("/silent", get(std::future::pending::<&'static str>))
        .route("/packed", get(async || ([(CONTENT_ENCODING, "gzip")], "x").into_response()))
        .route("/post", post(async |body: String| body));
    serve(app).await
}

/// Starts a service that answers every connection with these bytes, and closes it.
async fn raw_service(answer: &'static [u8]) -> SocketAddr {
    let (listener, addr) = listener().await;
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 1024]).await;
            // The client may have closed the connection already.
            let _ = stream.write_all(answer).await;
        }
    });
    addr
}

fn client() -> Client {
    Client::new(Egress::public().and_this_machine()).unwrap()
}

fn get_request(url: &str) -> Request {
    let url = url.parse().unwrap();
    Request { method: Method::GET, url, headers: Vec::new(), body: None, credential: None }
}

const LIMITS: Limits = Limits { bytes: 1000, time: PATIENCE };

async fn send_get(url: &str) -> Result<Answer, CallError> {
    client().send(&get_request(url), LIMITS).await
}

fn body(answer: Result<Answer, CallError>) -> String {
    String::from_utf8(answer.unwrap().body).unwrap()
}

/// Creates a client for which every name has these addresses, with a counter of lookups.
fn client_resolving_to(addresses: &'static [&'static str]) -> (Client, Arc<AtomicUsize>) {
    let lookups = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&lookups);
    let lookup: Lookup = Arc::new(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move { Ok(addresses.iter().map(|text| text.parse().unwrap()).collect()) })
    });
    (Client::resolving(Egress::public().and_this_machine(), lookup).unwrap(), lookups)
}

#[tokio::test]
async fn follows_same_origin_redirects_with_the_key() {
    let addr = service().await;
    let mut request = get_request(&format!("http://{addr}/to/echo%3Fa=1"));
    request.url = format!("http://{addr}/to//echo").parse().unwrap();
    request.headers = vec![("x-note".parse().unwrap(), "hello".parse().unwrap())];
    request.credential = Some(Credential::Header("x-key".parse().unwrap(), "k1".parse().unwrap()));
    assert_eq!(body(client().send(&request, LIMITS).await), "/echo key=k1 note=hello");
    request.credential = Some(Credential::Query("k".to_owned(), "a b&c".to_owned()));
    assert_eq!(body(client().send(&request, LIMITS).await), "/echo?k=a+b%26c key=none note=hello");
}

#[tokio::test]
async fn rejects_redirects_to_internal_addresses() {
    let (first, second) = (service().await, service().await);
    for to in [
        format!("http://{second}/echo"),
        format!("http://localhost:{}/echo", second.port()),
        format!("http://[::1]:{}/echo", second.port()),
    ] {
        let error = send_get(&format!("http://{first}/to/{to}")).await.unwrap_err();
        assert!(matches!(error, CallError::Astray), "{to}: {error:?}");
    }
    for to in [
        "http://169.254.169.254/latest/meta-data",
        "http://0xa9fea9fe/",
        "http://10.0.0.1/",
        "http://[::ffff:169.254.169.254]/",
        "http://[fd00:ec2::254]/",
        "http://0.0.0.0:80/",
        "file:///etc/passwd",
        "http://user:pass@1.1.1.1/",
    ] {
        let error = send_get(&format!("http://{first}/to/{to}")).await.unwrap_err();
        assert!(matches!(error, CallError::Refused(_)), "{to}: {error:?}");
    }
}

#[test]
fn never_sends_the_key_to_another_origin_or_unencrypted() {
    let client = client();
    let from: Url = "https://api.example.org/v1".parse().unwrap();
    let mut request = get_request(from.as_str());
    request.credential = Some(Credential::Query("key".to_owned(), "s3cret key".to_owned()));
    for (to, admitted) in [
        ("https://cdn.example.org/v1", true),
        ("https://api.example.org/v1?key=s3cret%20key", true),
        ("https://cdn.example.org/v1?key=s3cret+key", false),
        ("https://cdn.example.org/s3cret%20key", false),
        ("http://cdn.example.org/v1", false),
        ("http://api.example.org/v1", false),
        ("https://127.0.0.1/v1", false),
    ] {
        assert_eq!(client.admit(&request, &from, &to.parse().unwrap()).is_ok(), admitted, "{to}");
    }
}

#[test]
fn sends_the_key_and_the_inputs_to_the_named_service_only() {
    let client = client();
    let mut request = get_request("https://api.example.org/v1");
    request.headers = vec![("x-note".parse().unwrap(), "hello".parse().unwrap())];
    for credential in [
        Credential::Query("key".to_owned(), "s3cret".to_owned()),
        Credential::Header("x-key".parse().unwrap(), "s3cret".parse().unwrap()),
    ] {
        request.credential = Some(credential);
        for (to, sent_along) in [
            ("https://api.example.org/v2", true),
            ("https://api.example.org:8443/v1", false),
            ("https://cdn.example.org/v1", false),
            ("http://api.example.org/v1", false),
            ("https://api.example.org.evil.test/v1", false),
        ] {
            for same_origin in [true, false] {
                let sent = client.built(&request, &to.parse().unwrap(), same_origin).unwrap();
                let key = sent.url().query().is_some_and(|query| query.contains("s3cret"))
                    || sent.headers().contains_key("x-key");
                let sent_along = sent_along && same_origin;
                assert_eq!(
                    (key, sent.headers().contains_key("x-note")),
                    (sent_along, sent_along),
                    "{to} {same_origin}"
                );
            }
        }
    }
}

#[tokio::test]
async fn limits_and_validates_redirects() {
    let addr = service().await;
    assert!(matches!(send_get(&format!("http://{addr}/round")).await, Err(CallError::Redirects(5))));
    assert!(matches!(send_get(&format!("http://{addr}/nowhere")).await, Err(CallError::Nowhere)));
    let answer = send_get(&format!("http://{addr}/without")).await.unwrap();
    assert_eq!(answer.status, StatusCode::FOUND, "a redirect without a location is an ordinary response");
    let mut modifying = get_request(&format!("http://{addr}/to/x"));
    modifying.method = Method::POST;
    assert!(matches!(client().send(&modifying, LIMITS).await, Err(CallError::Moved)));
}

#[tokio::test]
async fn rejects_names_that_resolve_to_internal_addresses() {
    for addresses in [
        &["127.0.0.1:0"][..],
        &["10.0.0.1:0"],
        &["169.254.169.254:0"],
        &["[::1]:0"],
        &["[::ffff:127.0.0.1]:0"],
        &["1.1.1.1:0", "192.168.0.1:0"],
    ] {
        let (client, lookups) = client_resolving_to(addresses);
        let error = client.send(&get_request("http://api.example.org/"), LIMITS).await.unwrap_err();
        assert!(
            matches!(&error, CallError::Refused(Refusal::Host { host, .. }) if host == "api.example.org"),
            "{error:?}"
        );
        assert_eq!(lookups.load(Ordering::Relaxed), 1, "{addresses:?}");
        let failure = error.failure("shop", false);
        assert_eq!((failure.kind(), failure.retryable()), (FailureKind::Failed(Reason::Other), false));
        assert!(
            failure.message().starts_with("provider `shop`: `api.example.org` has the address "),
            "{failure}"
        );
    }
}

#[tokio::test]
async fn connects_to_the_checked_address() {
    let addr = service().await;
    let (client, lookups) = client_resolving_to(&["127.0.0.1:0"]);
    let answer = client.send(&get_request(&format!("http://localhost:{}/echo", addr.port())), LIMITS).await;
    assert_eq!(body(answer), "/echo key=none note=none");
    // Resolved once: a second lookup could return something else.
    assert_eq!(lookups.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn rejects_oversized_and_compressed_responses() {
    let oversized: &'static [u8] =
        format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(1 << 20)).leak().as_bytes();
    for url in
        [format!("http://{}/long", service().await), format!("http://{}/", raw_service(oversized).await)]
    {
        assert!(matches!(send_get(&url).await, Err(CallError::TooLarge(1000))), "{url}");
    }
    let compressed = send_get(&format!("http://{}/packed", service().await)).await;
    assert!(matches!(compressed, Err(CallError::Compressed)));
}

#[tokio::test]
async fn times_out_slow_responses() {
    let limits = Limits { bytes: 1000, time: Duration::from_millis(50) };
    // A single byte.
    let (stalled, addr) = listener().await;
    tokio::spawn(async move {
        let (mut stream, _) = stalled.accept().await.unwrap();
        let _ = stream.read(&mut [0; 1024]).await.unwrap();
        stream.write_all(b"H").await.unwrap();
        std::future::pending::<()>().await;
    });
    for url in [format!("http://{}/silent", service().await), format!("http://{addr}/")] {
        let error = client().send(&get_request(&url), limits).await.unwrap_err();
        assert!(matches!(error, CallError::Late(_)), "{url}: {error:?}");
        for modifies in [false, true] {
            let failure = error.failure("shop", modifies);
            assert_eq!((failure.kind(), failure.retryable()), (FailureKind::Timeout, !modifies));
            assert_eq!(failure.message(), "provider `shop`: it did not answer within 50ms");
        }
    }
}

#[tokio::test]
async fn reports_connection_failures_as_retryable() {
    // Nothing listens on a port that was free a moment ago.
    let (closed, closed_addr) = listener().await;
    drop(closed);
    let no_tls = raw_service(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    let unresolved: Lookup = Arc::new(|_| Box::pin(async { Err(std::io::Error::other("no such host")) }));
    let nowhere = Client::resolving(Egress::public(), unresolved).unwrap();
    for (client, url, reason) in [
        (client(), format!("http://{closed_addr}/"), "nobody listens there"),
        (client(), format!("https://{no_tls}/"), "TLS failed"),
        (nowhere, "http://api.example.org/?key=s3cret".to_owned(), "its name does not resolve"),
    ] {
        let error = client.send(&get_request(&url), LIMITS).await.unwrap_err();
        assert!(matches!(error, CallError::Unreachable(..)), "{url}: {error:?}");
        assert!(!format!("{error:?} {}", error.chain()).contains("s3cret"), "{error:?}");
        for modifies in [false, true] {
            // Nothing was sent, so that even a modifying call is retryable.
            let failure = error.failure("shop", modifies);
            assert_eq!(
                (failure.kind(), failure.retryable()),
                (FailureKind::Failed(Reason::Unavailable), true)
            );
            assert_eq!(failure.message(), format!("provider `shop`: it cannot be reached: {reason}"));
        }
    }
}

#[tokio::test]
async fn reports_incomplete_responses() {
    for answer in [
        &b""[..],
        b"HTTP/1.1 200 OK\r\nContent-Len",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
    ] {
        let error = send_get(&format!("http://{}/", raw_service(answer).await)).await.unwrap_err();
        assert!(matches!(error, CallError::Broken(_)), "{answer:?}: {error:?}");
        let (reading, writing) = (error.failure("shop", false), error.failure("shop", true));
        assert_eq!(reading.message(), "provider `shop`: it broke off in the middle of its answer");
        assert!(reading.retryable() && !writing.retryable(), "a change may have had its effect");
    }
}

#[tokio::test]
async fn sends_bodies_and_returns_any_status() {
    let addr = service().await;
    let mut request = get_request(&format!("http://{addr}/post"));
    (request.method, request.body) = (Method::POST, Some("{\"a\":1}".to_owned()));
    assert_eq!(body(client().send(&request, LIMITS).await), "{\"a\":1}");
    for code in [204, 304, 404, 500] {
        let answer = send_get(&format!("http://{addr}/status/{code}")).await.unwrap();
        assert_eq!(answer.status.as_u16(), code);
    }
}
