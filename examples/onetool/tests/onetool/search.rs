//! Searching and fetching.

use onetool::Search;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tool_core::FailureKind;
use tool_core::failure::Reason;

use crate::Fixture;

#[tokio::test]
async fn fetches_a_search_result() {
    let fixture = Fixture::new().await;
    let found =
        fixture.registry.call("brave_web_search", json!({"query": "borrow checker"})).await.unwrap().value();
    let first = &found[0];
    assert_eq!(first["title"], "Ownership and borrowing in Rust");
    assert!(first["description"].as_str().unwrap().contains("borrow checker"), "{first}");
    assert_eq!(first["url"], format!("{}/pages/ownership", fixture.origin));
    let page = fixture.registry.call("web_fetch", json!({"url": first["url"]})).await.unwrap().value();
    assert_eq!((&page["url"], &page["content_type"]), (&first["url"], &json!("text/html")));
    assert!(
        page["text"].as_str().unwrap().starts_with("# Ownership and borrowing in Rust\n\nEvery value"),
        "{page}"
    );
}

#[tokio::test]
async fn returns_five_results_by_default() {
    let fixture = Fixture::new().await;
    for (arguments, count) in [(json!({"query": "rust"}), 5), (json!({"query": "rust", "count": 2}), 2)] {
        let found = fixture.registry.call("brave_web_search", arguments).await.unwrap().value();
        assert_eq!(found.as_array().unwrap().len(), count);
    }
    let failure =
        fixture.registry.call("brave_web_search", json!({"query": "", "count": 21})).await.unwrap_err();
    let paths: Vec<&str> = failure.problems().iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(paths, ["/query", "/count"]);
}

#[tokio::test]
async fn reports_an_unavailable_service_as_retryable() {
    let fixture = Fixture::new().await;
    drop(fixture._running);
    let failure = fixture.registry.call("brave_web_search", json!({"query": "rust"})).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Failed(Reason::Unavailable));
    assert!(failure.retryable() && failure.message() == "the search service cannot be reached at the moment");
}

/// Starts a service that answers one request with an empty list and this many spaces.
async fn padded_service(headers: &'static str, spaces: usize) -> String {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 4096];
        assert_ne!(stream.read(&mut request).await.unwrap(), 0);
        let answer = r#"{"query":"rust","results":[]}"#;
        let answer = format!("HTTP/1.1 200 OK\r\n{headers}\r\n{answer}{}", " ".repeat(spaces));
        // The client may have closed the connection already.
        let _ = stream.write_all(answer.as_bytes()).await;
    });
    origin
}

#[tokio::test]
async fn limits_the_size_of_responses() {
    let connection = "Connection: close\r\n";
    for (headers, spaces, is_accepted) in [
        (connection, 1 << 19, true),
        (connection, 1 << 21, false),
        ("Connection: close\r\nContent-Length: 2097181\r\n", 1 << 21, false),
    ] {
        let search = Search::new(&padded_service(headers, spaces).await).unwrap();
        match search.ask("rust", 1).await {
            Ok(hits) => assert!(is_accepted && hits.is_empty(), "{headers} {spaces}"),
            Err(error) => {
                let expected = "the search service answered with more than 1048576 bytes";
                assert!(!is_accepted && error.to_string() == expected, "{headers} {spaces}: {error}");
            }
        }
    }
}

#[tokio::test]
async fn fetches_only_allowed_urls() {
    let fixture = Fixture::new().await;
    let call = async |url: &str| fixture.registry.call("web_fetch", json!({"url": url})).await.unwrap_err();
    let elsewhere = call("http://169.254.169.254/latest/meta-data").await;
    assert_eq!(elsewhere.kind(), FailureKind::Failed(Reason::Other));
    let expected =
        format!("fetching from `http://169.254.169.254` is not allowed, only from: {}", fixture.origin);
    assert_eq!(elsewhere.message(), expected);
    assert_eq!(call("file:///etc/passwd").await.message(), "`file:` cannot be fetched, only `http:`");
    let missing = call(&format!("{}/pages/nope", fixture.origin)).await;
    assert_eq!(missing.kind(), FailureKind::Failed(Reason::NotFound));
}

#[tokio::test]
async fn serves_searches_and_pages() {
    let fixture = Fixture::new().await;
    let get = async |path: &str| {
        let answer = crate::http::client().build().unwrap();
        let answer = answer.get(format!("{}{path}", fixture.origin)).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    let (status, text) = get("/search?q=tcp&count=1").await;
    let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (status, &answer["query"], &answer["results"][0]["title"]),
        (200, &json!("tcp"), &json!("TCP"))
    );
    for path in ["/search", "/search?q=a&count=0", "/search?q=a&count=x", "/search?q=a&n=1"] {
        let (status, text) = get(path).await;
        assert!(status == 400 && text.starts_with(r#"{"error":""#), "{path}: {status} {text}");
    }
    let (status, text) = get("/").await;
    assert!(status == 200 && text.contains(r#"<a href="/pages/zurich">Zürich</a>"#), "{text}");
    for path in ["/pages/nope", "/pages/..%2f..%2fetc%2fpasswd", "/nope"] {
        let (status, text) = get(path).await;
        assert!(status == 404 && text.contains("There is no page"), "{path}: {status}");
    }
}
