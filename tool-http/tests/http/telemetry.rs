//! Traces and metrics of requests.

use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use tool_http::{Options, Server, ServerOptions, router_with};
use tracing_subscriber::fmt::MakeWriter;

use crate::client::{exchange, get, post, request, send_to};
use crate::tools::{Progress, registry, registry_with};

fn executing() -> Router {
    Router::new().nest("/api", router_with(registry(), Options::new().allow_execute(true)))
}

/// A log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Log;

    fn make_writer(&self) -> Log {
        self.clone()
    }
}

impl Log {
    /// The log of the whole process: a log of one thread would miss call sites that another thread reached first.
    fn begin() -> &'static Log {
        static LOG: LazyLock<Log> = LazyLock::new(|| {
            let log = Log::default();
            let subscriber = tracing_subscriber::fmt().with_writer(log.clone()).with_ansi(false);
            subscriber.with_max_level(tracing::Level::DEBUG).init();
            log
        });
        &LOG
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

#[tokio::test]
async fn records_span_fields() {
    let log = Log::begin();
    let answer = post(&executing(), "/api/tools/panics/call", "").await;
    get(&executing(), "/api/tools/add").await;
    get(&executing(), "/api/tools/nope").await;
    get(&executing(), "/api/tools/no.thing/result").await;
    let (_, id) = answer.body.split_once(r#""callId":""#).unwrap();
    let text = log.text();
    let has = |parts: &[&str]| text.lines().any(|line| parts.iter().all(|part| line.contains(part)));
    let call = r#"http.route="/tools/{name}/call""#;
    let call_id = format!("gen_ai.tool.call.id={}", &id[..16]);
    // The log has the cause with the ID that the caller got.
    assert!(has(&[call, &call_id, "swordfish"]), "{text}");
    assert!(
        has(&[call, &call_id, "http.response.status_code=500", r#"error.type="500""#, "answered"]),
        "{text}"
    );
    assert!(
        has(&["GET /tools/{name}", r#"gen_ai.tool.name="add""#, "http.response.status_code=200", "answered"]),
        "{text}"
    );
    assert!(has(&["GET /tools/{name}", "http.response.status_code=404", "answered"]), "{text}");
    assert!(!answer.body.contains("swordfish"));
    // Each field once: a log would show both.
    let result = r#"http.route="/tools/{name}/result""#;
    let mut lines = text.lines().filter(|line| line.contains(result) && line.contains("answered"));
    let line = lines.next().expect("the response is logged");
    let (span, _) = line.split_once("answered").unwrap();
    assert_eq!(
        span.split_once("execute_tool").map_or(span, |(span, _)| span).matches("gen_ai.tool.name").count(),
        1,
        "{line}"
    );
}

#[tokio::test]
async fn records_request_and_call_metrics() {
    let recorder = DebuggingRecorder::new();
    let snapshots = recorder.snapshotter();
    let guard = metrics::set_default_local_recorder(&recorder);
    let router = executing();
    get(&router, "/api/tools").await;
    get(&router, "/api/tools").await;
    post(&router, "/api/tools/add/call", r#"{"a":1}"#).await;
    post(&router, "/api/tools/add/call", "{}").await;
    post(&router, "/api/tools/made-up/call", "{}").await;
    get(&router, "/api/nope/made-up").await;
    send_to(&router, Request::builder().method("BREW").uri("/api/tools").body(Body::empty()).unwrap()).await;
    drop(guard);
    let mut lines: Vec<String> = snapshots
        .snapshot()
        .into_vec()
        .into_iter()
        .map(|(key, _, _, value)| {
            let labels: Vec<String> =
                key.key().labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
            let value = match value {
                DebugValue::Histogram(values) => {
                    assert!(values.iter().all(|seconds| (0.0..60.0).contains(&seconds.0)));
                    format!("{} measured", values.len())
                }
                other => panic!("{other:?} is no histogram"),
            };
            format!("{} {}: {value}", key.key().name(), labels.join(" "))
        })
        .collect();
    lines.sort();
    assert_eq!(
        lines,
        [
            // Unknown names from clients are not labels.
            "gen_ai.execute_tool.duration error.type=tool_not_found: 1 measured",
            "gen_ai.execute_tool.duration gen_ai.tool.name=add error.type=invalid_input: 1 measured",
            "gen_ai.execute_tool.duration gen_ai.tool.name=add: 1 measured",
            "http.server.request.duration http.request.method=GET url.scheme=http network.protocol.version=1.1 http.response.status_code=404: 1 measured",
            "http.server.request.duration http.request.method=GET url.scheme=http network.protocol.version=1.1 http.route=/tools http.response.status_code=200: 2 measured",
            "http.server.request.duration http.request.method=POST url.scheme=http network.protocol.version=1.1 http.route=/tools/{name}/call http.response.status_code=200: 1 measured",
            "http.server.request.duration http.request.method=POST url.scheme=http network.protocol.version=1.1 http.route=/tools/{name}/call http.response.status_code=404: 1 measured",
            "http.server.request.duration http.request.method=POST url.scheme=http network.protocol.version=1.1 http.route=/tools/{name}/call http.response.status_code=422: 1 measured",
            "http.server.request.duration http.request.method=_OTHER url.scheme=http network.protocol.version=1.1 http.response.status_code=405: 1 measured",
        ]
    );
}

#[tokio::test]
async fn logs_the_cause_of_provider_failures() {
    let log = Log::begin();
    let fails = || Err::<tool_core::Registry, _>(std::io::Error::other("marlin"));
    let answer = get(&router_with(fails, Options::new()), "/mcp/tools/list").await;
    assert!(!answer.body.contains("marlin"));
    let text = log.text();
    assert!(text.lines().any(|line| line.contains("marlin") && line.contains("/mcp/tools/list")), "{text}");
}

#[tokio::test]
async fn counts_timed_out_requests_by_status() {
    let log = Log::begin();
    let recorder = DebuggingRecorder::new();
    let snapshots = recorder.snapshotter();
    // The whole server runs on this thread.
    let guard = metrics::set_default_local_recorder(&recorder);
    let options = Options::new().allow_execute(true).allow_cors_origin("https://app.example.org");
    let options = ServerOptions::from(options).request_timeout(Duration::from_millis(100));
    let server = Server::new(registry()).options(options).bind("127.0.0.1:0").await.unwrap();
    let address = server.local_addr();
    tokio::spawn(server.run(std::future::pending()));
    let headers = ["Host: localhost", "Origin: https://app.example.org"];
    let answer = exchange(address, &request("POST /tools/wait_reading/call", &headers, "{}")).await;
    assert_eq!(answer.status, 504);
    // The requesting page may read it.
    assert_eq!(answer.header("access-control-allow-origin"), "https://app.example.org");
    drop(guard);
    let counted = snapshots.snapshot().into_vec();
    let statuses: Vec<&str> = counted
        .iter()
        .filter(|(key, ..)| key.key().name() == "http.server.request.duration")
        .flat_map(|(key, ..)| key.key().labels())
        .filter(|label| label.key() == "http.response.status_code")
        .map(metrics::Label::value)
        .collect();
    assert_eq!(statuses, ["504"]);
    let text = log.text();
    let has = |parts: &[&str]| text.lines().any(|line| parts.iter().all(|part| line.contains(part)));
    assert!(
        has(&[
            "/tools/{name}/call",
            "gen_ai.tool.name=\"wait_reading\"",
            "http.response.status_code=504",
            "answered"
        ]),
        "{text}"
    );
}

#[tokio::test]
async fn measures_requests_whose_client_went_away() {
    let log = Log::begin();
    let recorder = DebuggingRecorder::new();
    let snapshots = recorder.snapshotter();
    let guard = metrics::set_default_local_recorder(&recorder);
    let progress = Progress::default();
    let router = router_with(registry_with(progress.clone()), Options::new().allow_execute(true));
    tokio::select! {
        answer = post(&router, "/tools/wait_reading/call", "{}") => panic!("{answer:?}"),
        () = progress.started() => {}
    }
    drop(guard);
    let measured = snapshots.snapshot().into_vec();
    let labels: Vec<(&str, &str)> = measured
        .iter()
        .filter(|(key, ..)| key.key().name() == "http.server.request.duration")
        .flat_map(|(key, ..)| key.key().labels().map(|label| (label.key(), label.value())))
        .collect();
    assert!(labels.contains(&("http.route", "/tools/{name}/call")), "{labels:?}");
    assert!(labels.contains(&("error.type", "cancelled")), "{labels:?}");
    assert!(labels.iter().all(|(key, _)| *key != "http.response.status_code"), "{labels:?}");
    let text = log.text();
    assert!(text.contains("dropped before it was answered"), "{text}");
}
