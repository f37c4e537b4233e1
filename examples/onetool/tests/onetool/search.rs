//! Searching and fetching.

use onetool::Search;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tool_core::FailureKind;
use tool_core::failure::Reason;

use crate::World;

#[tokio::test]
async fn a_page_that_was_found_can_be_fetched() {
    let world = World::new().await;
    let found =
        world.registry.call("brave_web_search", json!({"query": "borrow checker"})).await.unwrap().value();
    let first = &found[0];
    assert_eq!(first["title"], "Ownership and borrowing in Rust");
    assert!(first["description"].as_str().unwrap().contains("borrow checker"), "{first}");
    assert_eq!(first["url"], format!("{}/pages/ownership", world.origin));
    let page = world.registry.call("web_fetch", json!({"url": first["url"]})).await.unwrap().value();
    assert_eq!((&page["url"], &page["content_type"]), (&first["url"], &json!("text/html")));
    assert!(
        page["text"].as_str().unwrap().starts_with("# Ownership and borrowing in Rust\n\nEvery value"),
        "{page}"
    );
}

#[tokio::test]
async fn five_pages_are_found_unless_it_is_said() {
    let world = World::new().await;
    for (arguments, count) in [(json!({"query": "rust"}), 5), (json!({"query": "rust", "count": 2}), 2)] {
        let found = world.registry.call("brave_web_search", arguments).await.unwrap().value();
        assert_eq!(found.as_array().unwrap().len(), count);
    }
    let failure =
        world.registry.call("brave_web_search", json!({"query": "", "count": 21})).await.unwrap_err();
    let places: Vec<&str> = failure.problems().iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(places, ["/query", "/count"]);
}

#[tokio::test]
async fn a_service_that_is_gone_may_come_back() {
    let world = World::new().await;
    drop(world._running);
    let failure = world.registry.call("brave_web_search", json!({"query": "rust"})).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Failed(Reason::Unavailable));
    assert!(failure.retryable() && failure.message() == "the search service cannot be reached at the moment");
}

/// A service that answers one request with an empty list and this many spaces.
async fn service_of_many_spaces(headers: &'static str, spaces: usize) -> String {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 4096];
        assert_ne!(stream.read(&mut request).await.unwrap(), 0);
        let answer = r#"{"query":"rust","results":[]}"#;
        let answer = format!("HTTP/1.1 200 OK\r\n{headers}\r\n{answer}{}", " ".repeat(spaces));
        // Who asks may have heard enough.
        let _ = stream.write_all(answer.as_bytes()).await;
    });
    origin
}

#[tokio::test]
async fn an_answer_of_any_length_is_not_kept() {
    let connection = "Connection: close\r\n";
    for (headers, spaces, is_taken) in [
        (connection, 1 << 19, true),
        (connection, 1 << 21, false),
        ("Connection: close\r\nContent-Length: 2097181\r\n", 1 << 21, false),
    ] {
        let search = Search::new(&service_of_many_spaces(headers, spaces).await).unwrap();
        match search.ask("rust", 1).await {
            Ok(hits) => assert!(is_taken && hits.is_empty(), "{headers} {spaces}"),
            Err(error) => {
                let expected = "the search service answered with more than 1048576 bytes";
                assert!(!is_taken && error.to_string() == expected, "{headers} {spaces}: {error}");
            }
        }
    }
}

#[tokio::test]
async fn only_what_is_allowed_is_fetched() {
    let world = World::new().await;
    let call = async |url: &str| world.registry.call("web_fetch", json!({"url": url})).await.unwrap_err();
    let elsewhere = call("http://169.254.169.254/latest/meta-data").await;
    assert_eq!(elsewhere.kind(), FailureKind::Failed(Reason::Other));
    let expected =
        format!("fetching from `http://169.254.169.254` is not allowed, only from: {}", world.origin);
    assert_eq!(elsewhere.message(), expected);
    assert_eq!(call("file:///etc/passwd").await.message(), "`file:` cannot be fetched, only `http:`");
    let missing = call(&format!("{}/pages/nope", world.origin)).await;
    assert_eq!(missing.kind(), FailureKind::Failed(Reason::NotFound));
}

#[tokio::test]
async fn the_service_answers_as_it_is_described() {
    let world = World::new().await;
    let get = async |path: &str| {
        let answer = crate::http::client().build().unwrap();
        let answer = answer.get(format!("{}{path}", world.origin)).send().await.unwrap();
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
