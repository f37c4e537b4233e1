//! Large results: an excerpt, and the stored result in full or in parts.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use bytes::Bytes;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tool_core::authentication::Bearer;
use tool_core::results::{ResultLimits, ResultStore, SharedStorage, StoredBytes};
use tool_core::{BoxFuture, CallOptions, Content, Principal, Registry, ToolDefinition, ToolError, tool};
use tool_http::{Options, router_with};
use tower::ServiceExt as _;

use crate::client::{Answer, send_to};

/// Counts to a number.
#[tool(operation = Read)]
fn counted(
    /** How far. */
    n: usize,
) -> Vec<usize> {
    (1..=n).collect()
}

/// Fails at length.
#[tool(operation = Read)]
fn fails_at_length() -> Result<(), ToolError> {
    Err(ToolError::conflict("sold ".repeat(400)))
}

/// Returns a note and a long text.
#[tool(operation = Read)]
fn annotated() -> Vec<Content> {
    vec![Content::text("It is long."), Content::text("long ".repeat(400))]
}

/// Refuses at length.
#[tool(operation = Read)]
fn refuses_at_length() -> Result<(), ToolError> {
    Err(ToolError::denied("no ".repeat(700)))
}

fn store() -> ResultStore {
    ResultStore::memory().limits(ResultLimits::new().threshold(1_000))
}

fn registry(store: &ResultStore) -> Registry {
    let here = |tool: &ToolDefinition| tool.source().module == module_path!() || tool.name() == "read_result";
    Registry::builder().linked().select(here).storing(store.clone()).build().unwrap()
}

fn options() -> Options {
    Options::new().allow_execute(true).excerpts(true)
}

async fn send(router: &Router, line: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let (method, path) = line.split_once(' ').unwrap();
    let mut request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    send_to(router, request.body(Body::from(body.to_owned())).unwrap()).await
}

/// Calls a tool and returns the result.
async fn called(router: &Router, headers: &[(&str, &str)]) -> Value {
    let answer = send(router, "POST /tools/counted/call", headers, r#"{"n":1000}"#).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

async fn kept(router: &Router, headers: &[(&str, &str)]) -> String {
    called(router, headers).await["structuredContent"]["digest"].as_str().unwrap().to_owned()
}

fn whole() -> String {
    format!("[\n{}\n]", (1..=1_000).map(|n| n.to_string()).collect::<Vec<_>>().join(",\n"))
}

#[tokio::test]
async fn returns_an_excerpt_and_a_link_for_large_values() {
    let router = router_with(registry(&store()), options());
    let called = called(&router, &[]).await;
    let digest = called["structuredContent"]["digest"].as_str().unwrap();
    let location = format!("../../results/{digest}");
    let preview = &whole()[..499];
    assert_eq!(called["isError"], false);
    let text = called["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with(preview) && text.ends_with(&format!("digest: {digest}]")), "{text}");
    assert_eq!(
        called["content"][1],
        json!({"type": "resource_link", "uri": location, "name": "the whole result", "mimeType": "application/json"})
    );
    assert_eq!(
        called["structuredContent"],
        json!({
            "preview": preview,
            "mediaType": "application/json",
            "bytes": whole().len(),
            "lines": 1002,
            "digest": digest,
            "location": location,
        })
    );
    // The link resolves relative to the call, under any prefix.
    let nested = Router::new().nest("/api/v1", router.clone());
    let answer = send(&nested, &format!("GET /api/v1/results/{digest}"), &[], "").await;
    assert_eq!((answer.status, answer.body), (200, whole()));
    let small = send(&router, "POST /tools/counted/call", &[], r#"{"n":2}"#).await;
    assert!(small.body.contains(r#""structuredContent":{"result":[1,2]}"#), "{}", small.body);
}

/// A program reads the value that the output schema describes, whatever its size.
#[tokio::test]
async fn returns_large_values_in_full_without_excerpts() {
    let router = router_with(registry(&store()), Options::new().allow_execute(true));
    let called = called(&router, &[]).await;
    let value: Vec<usize> = serde_json::from_value(called["structuredContent"]["result"].clone()).unwrap();
    assert_eq!(value.len(), 1_000);
    assert!(send(&router, "GET /tools/counted", &[], "").await.body.contains("outputSchema"));
    let document = send(&router, "GET /openapi.json", &[], "").await.body;
    assert!(document.contains("/results/{digest}") && !document.contains("Excerpt"), "{document}");
    // Results stored by another interface can be read, too.
    let store = store();
    let digest = store.keep(&Principal::anonymous(), "text/plain", "sun").await.unwrap();
    let router = router_with(registry(&store), Options::new());
    assert_eq!(send(&router, &format!("GET /results/{}", digest.hex()), &[], "").await.body, "sun");
}

#[tokio::test]
async fn stores_results_of_selected_tools_only() {
    let store = store().for_tools(|tool| tool.name() != "counted");
    let router = router_with(registry(&store), options());
    let called = called(&router, &[]).await;
    assert!(called["structuredContent"]["result"].is_array(), "{called}");
    assert!(send(&router, "GET /tools/counted", &[], "").await.body.contains("outputSchema"));
    let document = send(&router, "GET /openapi.json", &[], "").await;
    let document: Value = serde_json::from_str(&document.body).unwrap();
    let success = |tool: &str| {
        let call = &document["paths"][format!("/tools/{tool}/call")]["post"]["responses"]["200"];
        call["content"]["application/json"]["schema"]["properties"]["structuredContent"].clone()
    };
    assert!(success("counted").get("anyOf").is_none(), "{}", success("counted"));
}

#[tokio::test]
async fn returns_content_blocks_that_fit() {
    let router = router_with(registry(&store()), options());
    let answer = send(&router, "POST /tools/annotated/call", &[], "{}").await;
    let called: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(called["content"][0], json!({"type": "text", "text": "It is long."}), "{called}");
    assert!(called["content"][1]["text"].as_str().unwrap().len() < 1_000, "{called}");
    assert_eq!(called["content"][2]["type"], "resource_link", "{called}");
}

#[tokio::test]
async fn keeps_failures_as_failures() {
    let router = router_with(registry(&store()), options());
    let answer = send(&router, "POST /tools/fails_at_length/call", &[], "{}").await;
    assert_eq!(answer.status, 409);
    let failed: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(failed["isError"], true);
    let digest = failed["content"][1]["uri"].as_str().unwrap().strip_prefix("../../results/").unwrap();
    let whole = send(&router, &format!("GET /results/{digest}"), &[], "").await;
    assert_eq!((whole.status, whole.body), (200, "sold ".repeat(400)));
    // A refusal is not a result of the tool.
    let answer = send(&router, "POST /tools/refuses_at_length/call", &[], "{}").await;
    let refused: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!((answer.status, &refused["kind"]), (403, &json!("access_denied")), "{refused}");
    let error = refused["error"].as_str().unwrap();
    assert!(error.starts_with("no no ") && error.len() < 1_000 && error.contains("2100"), "{error}");
}

#[tokio::test]
async fn sets_download_and_private_cache_headers() {
    let router = router_with(registry(&store()), options());
    let digest = kept(&router, &[]).await;
    let path = format!("/results/{digest}");
    let gzip = [("accept-encoding", "gzip")];
    for query in ["", "?lines=1-2", "?bytes=0-5", "?search=9"] {
        let answer = send(&router, &format!("GET {path}{query}"), &[], "").await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("content-security-policy"), "default-src 'none'; sandbox");
        let name = &digest[..12];
        assert_eq!(
            answer.header("content-disposition"),
            format!("attachment; filename=\"result-{name}.json\"")
        );
        let control = answer.header("cache-control");
        let age: u64 = control.strip_prefix("private, immutable, max-age=").unwrap().parse().unwrap();
        assert!((86_000..=86_400).contains(&age), "{control}");
    }
    // The entity tag of a compressed response does not match a range.
    let request = Request::get(&path).header("accept-encoding", "gzip").body(Body::empty()).unwrap();
    let (head, body) = router.clone().oneshot(request).await.unwrap().into_parts();
    let header = |name| head.headers.get(name).map_or("", |value| value.to_str().unwrap());
    assert_eq!(
        ["etag", "accept-ranges", "content-encoding"].map(header),
        [&*format!("W/\"{digest}\""), "", "gzip"]
    );
    let mut unzipped = String::new();
    let body = body.collect().await.unwrap().to_bytes();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&body[..]), &mut unzipped).unwrap();
    assert!(unzipped == whole() && body.len() < unzipped.len());
    let validator = format!("W/\"{digest}\"");
    let cached = [gzip[0], ("if-none-match", &*validator)];
    assert_eq!(send(&router, &format!("GET {path}"), &cached, "").await.status, 304);
    let range = [gzip[0], ("range", "bytes=0-0"), ("if-range", &*validator)];
    assert_eq!(send(&router, &format!("GET {path}"), &range, "").await.status, 200);
    // Ranges are never compressed: their entity tag stands for these bytes.
    let part = send(&router, &format!("GET {path}"), &[gzip[0], ("range", "bytes=0-1")], "").await;
    assert_eq!((part.status, &*part.body, part.header("content-encoding")), (206, "[\n", ""));
    // A client that accepts only gzip gets the full result.
    let request = Request::get(&path).header("accept-encoding", "gzip, identity;q=0");
    let request = request.header("range", "bytes=0-1").body(Body::empty()).unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let coding = response.headers().get("content-encoding").map(|coding| coding.to_str().unwrap());
    assert_eq!((response.status().as_u16(), coding), (200, Some("gzip")));
    let answer = send(&router, &format!("GET {path}"), &[], "").await;
    assert_eq!(answer.header("vary"), "accept-encoding");
    let etag = format!("\"{digest}\"");
    let headers = ["etag", "accept-ranges", "content-encoding", "content-type"]
        .map(|name| answer.header(name).to_owned());
    assert_eq!(headers, [&etag, "bytes", "", "application/json"]);
    let cached =
        send(&router, &format!("GET {path}"), &[("if-none-match", &etag), ("range", "bytes=0-0")], "").await;
    assert_eq!((cached.status, &*cached.body, cached.header("etag")), (304, "", &*etag));
    let head = send(&router, &format!("HEAD {path}"), &[("range", "bytes=0-0")], "").await;
    assert_eq!(
        (head.status, &*head.body, head.header("content-length")),
        (200, "", &*whole().len().to_string())
    );
    assert_eq!(send(&router, &format!("POST {path}"), &[], "").await.status, 405);
}

#[tokio::test]
async fn serves_byte_ranges() {
    let router = router_with(registry(&store()), options());
    let digest = kept(&router, &[]).await;
    let (path, length) = (format!("/results/{digest}"), whole().len());
    let etag = format!("\"{digest}\"");
    for (range, status, body) in [
        ("bytes=0-0", 206, &whole()[..1]),
        ("bytes=2-5", 206, &whole()[2..6]),
        ("bytes=4890-", 206, &whole()[4890..]),
        ("bytes=-2", 206, "\n]"),
        ("bytes=0-99999", 206, &*whole()),
        ("bytes=0-0,2-2", 200, &*whole()),
        ("bytes=2-1", 200, &*whole()),
        ("lines=1-2", 200, &*whole()),
    ] {
        let answer = send(&router, &format!("GET {path}"), &[("range", range)], "").await;
        assert_eq!((answer.status, &*answer.body), (status, body), "{range}");
        let content_range = answer.header("content-range");
        assert_eq!(content_range.ends_with(&format!("/{length}")), status == 206, "{range}: {content_range}");
    }
    for range in ["bytes=4897-", "bytes=99999-100000", "bytes=-0"] {
        let answer = send(&router, &format!("GET {path}"), &[("range", range)], "").await;
        assert_eq!((answer.status, answer.header("content-range")), (416, "bytes */4895"), "{range}");
        assert_eq!(answer.body, r#"{"error":"there are 4895 bytes"}"#);
    }
    let own = send(&router, &format!("GET {path}"), &[("range", "bytes=0-0"), ("if-range", &etag)], "").await;
    let other =
        send(&router, &format!("GET {path}"), &[("range", "bytes=0-0"), ("if-range", "\"x\"")], "").await;
    assert_eq!((own.status, other.status), (206, 200));
}

#[tokio::test]
async fn serves_lines_and_searches() {
    let router = router_with(registry(&store()), options());
    let path = format!("/results/{}", kept(&router, &[]).await);
    let get = async |query: &str| send(&router, &format!("GET {path}?{query}"), &[], "").await;
    let lines = get("lines=2-3").await;
    assert_eq!(
        (lines.status, &*lines.body, lines.header("content-type")),
        (200, "1,\n2,\n", "text/plain; charset=utf-8")
    );
    let bytes = get("bytes=0-2").await;
    assert_eq!((&*bytes.body, bytes.header("content-type")), ("[\n1", "application/octet-stream"));
    let found = get("search=100&lines=500-").await;
    assert_eq!(found.body, r#"{"matches":[{"line":1001,"byte":4889,"text":"1000"}],"total":1}"#);
    for (query, status, error) in [
        ("lines=2000-", 416, "there are 1002 lines"),
        (
            "lines=x",
            400,
            "`lines` is `x`: expected `10-20`, `10-`, `-10` for the last ones, or `10`, from 1 on",
        ),
        ("bytes=1&lines=1", 400, "`bytes` goes neither with `lines` nor with `search`"),
        ("search=", 400, "`search` has 0 bytes: expected 1 to 1000"),
        ("lines=1&lines=2", 400, "the query parameter `lines` is given twice"),
        ("line=1", 400, "unknown query parameter `line`: known are lines, bytes, search"),
    ] {
        let answer = get(query).await;
        assert_eq!((answer.status, answer.body), (status, json!({"error": error}).to_string()), "{query}");
    }
}

#[tokio::test]
async fn rejects_results_of_other_callers() {
    let bearer = Bearer::new().token("swordfish-of-room-1", Principal::new("ada")).unwrap();
    let bearer = bearer.token("swordfish-of-room-2", Principal::new("bob")).unwrap();
    let router = router_with(registry(&store()), options().authenticator(bearer));
    let (ada, bob) = (
        [("authorization", "Bearer swordfish-of-room-1")],
        [("authorization", "Bearer swordfish-of-room-2")],
    );
    let digest = kept(&router, &ada).await;
    let path = format!("GET /results/{digest}");
    let own = send(&router, &path, &ada, "").await;
    assert_eq!((own.status, own.header("vary")), (200, "accept-encoding, authorization"));
    assert_eq!(send(&router, &path, &[], "").await.status, 401);
    // Another caller gets exactly the response for a missing result.
    let other = send(&router, &path, &bob, "").await;
    let unknown = "0".repeat(64);
    let nothing = send(&router, &format!("GET /results/{unknown}"), &ada, "").await;
    assert_eq!((other.status, nothing.status), (404, 404));
    assert_eq!(other.body.replace(&digest, "…"), nothing.body.replace(&unknown, "…"));
    assert_eq!(other.body, format!(r#"{{"error":"Result not found: {digest}"}}"#));
    let other = send(&router, &format!("{path}?lines=oops"), &bob, "").await;
    assert_eq!(other.status, 404, "an invalid query reveals nothing");
    kept(&router, &bob).await;
    assert_eq!(send(&router, &path, &bob, "").await.status, 200, "callers with the same result can read it");
}

#[tokio::test]
async fn rejects_invalid_digests() {
    let router = router_with(registry(&store()), options());
    let digest = kept(&router, &[]).await;
    let upper = digest.to_uppercase();
    let escaped = format!("%{:x}{}", digest.as_bytes()[0], &digest[1..]);
    let longer = format!("{digest}0");
    let prefixed = format!("blake3:{digest}");
    let names = [
        "..",
        "%2e%2e",
        "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "%00",
        "%ff",
        "C:%5c",
        &*upper,
        &*longer,
        &*prefixed,
        "x",
    ];
    for name in names {
        let answer = send(&router, &format!("GET /results/{name}"), &[], "").await;
        assert_eq!(answer.status, 404, "{name}: {}", answer.body);
    }
    // Percent-encoded digits are decoded first.
    assert_eq!(send(&router, &format!("GET /results/{escaped}"), &[], "").await.status, 200);
    assert_eq!(send(&router, &format!("GET /results/{digest}/x"), &[], "").await.status, 404);
}

#[tokio::test]
async fn describes_stored_results() {
    let router = router_with(registry(&store()), options());
    let detail = send(&router, "GET /tools/counted", &[], "").await;
    assert!(!detail.body.contains("outputSchema"), "{}", detail.body);
    let document: Value =
        serde_json::from_str(&send(&router, "GET /openapi.json", &[], "").await.body).unwrap();
    let read = &document["paths"]["/results/{digest}"]["get"];
    let statuses: Vec<&String> = read["responses"].as_object().unwrap().keys().collect();
    assert_eq!(statuses, ["200", "206", "304", "400", "404", "416", "503"]);
    let success = &document["paths"]["/tools/counted/call"]["post"]["responses"]["200"]["content"]["application/json"]
        ["schema"];
    assert_eq!(
        success["properties"]["structuredContent"]["anyOf"][1]["$ref"],
        "#/components/schemas/Excerpt"
    );
    assert!(document["components"]["schemas"]["Excerpt"].is_object());
    // Without a store, the route does not exist.
    let without = router_with(registry(&store()).with_options(&CallOptions::new().full_results()), options());
    assert!(send(&without, "GET /tools/counted", &[], "").await.body.contains("outputSchema"));
    let document = send(&without, "GET /openapi.json", &[], "").await.body;
    assert!(!document.contains("/results/") && !document.contains("Excerpt"));
    let answer = send(&without, &format!("GET /results/{}", "0".repeat(64)), &[], "").await;
    assert_eq!((answer.status, &*answer.body), (404, r#"{"error":"Not found"}"#));
}

/// The storage, or the source of the tools, fails: what can be answered is.
#[tokio::test]
async fn isolates_storage_faults() {
    let disk = Disk::default();
    let store = ResultStore::shared(disk.clone()).limits(ResultLimits::new().threshold(1_000));
    let (down, tools) = (Arc::new(AtomicBool::new(false)), registry(&store));
    let is_down = Arc::clone(&down);
    let provider = store.wrap(move || {
        if is_down.load(Ordering::Relaxed) {
            Err(io::Error::other("the database is down"))
        } else {
            Ok(tools.clone())
        }
    });
    let router = router_with(provider, options());
    let digest = kept(&router, &[]).await;
    let path = format!("GET /results/{digest}");
    disk.fails.store(true, Ordering::Relaxed);
    let short = called(&router, &[]).await;
    assert_eq!((&short["isError"], short["content"].as_array().unwrap().len()), (&json!(false), 1));
    assert!(
        short["structuredContent"].get("digest").is_none()
            && short["structuredContent"].get("location").is_none()
    );
    assert!(short["content"][0]["text"].as_str().unwrap().contains("could not be kept"), "{short}");
    let unread = send(&router, &path, &[], "").await;
    assert_eq!((unread.status, unread.header("retry-after")), (503, "1"));
    assert_eq!(unread.body, r#"{"error":"results cannot be read at the moment"}"#);
    disk.fails.store(false, Ordering::Relaxed);
    down.store(true, Ordering::Relaxed);
    assert_eq!(send(&router, "GET /tools", &[], "").await.status, 500);
    assert_eq!(send(&router, &path, &[], "").await.status, 200, "what was confirmed is there");
}

#[derive(Clone, Default)]
struct Disk {
    kept: Arc<std::sync::Mutex<std::collections::HashMap<String, Bytes>>>,
    fails: Arc<AtomicBool>,
}

impl Disk {
    fn answer<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut std::collections::HashMap<String, Bytes>) -> T,
    ) -> BoxFuture<'static, io::Result<T>> {
        let answer = if self.fails.load(Ordering::Relaxed) {
            Err(io::Error::new(io::ErrorKind::StorageFull, "no space left on device"))
        } else {
            Ok(work(&mut self.kept.lock().unwrap()))
        };
        Box::pin(std::future::ready(answer))
    }
}

impl SharedStorage for Disk {
    fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, io::Result<()>> {
        self.answer(|kept| drop(kept.insert(name.to_owned(), bytes)))
    }

    fn get<'a>(&'a self, name: &'a str, _: u64) -> BoxFuture<'a, io::Result<Option<StoredBytes>>> {
        let stored = |bytes| StoredBytes { bytes, age: Duration::ZERO };
        self.answer(move |kept| kept.get(name).cloned().map(stored))
    }
}
