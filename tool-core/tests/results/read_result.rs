//! The tool `read_result`, which reads a stored result in pages.

use serde_json::{Value, json};
use tool_core::failure::Reason;
use tool_core::results::{PartError, ResultLimits, ResultStore, Span};
use tool_core::{CallOptions, FailureKind, Principal, Registry};

use crate::{ada, bob};

fn registry(store: &ResultStore) -> Registry {
    Registry::builder().allow_empty().storing(store.clone()).build().unwrap().as_principal(ada())
}

async fn read(registry: &Registry, arguments: Value) -> String {
    let reply =
        registry.call_with("read_result", arguments.to_string().as_bytes(), &CallOptions::new()).await;
    assert!(reply.preview.is_none(), "pages are not stored");
    reply.result.unwrap().value().as_str().unwrap().to_owned()
}

#[tokio::test]
async fn reads_lines_in_pages() {
    let store = ResultStore::memory().limits(ResultLimits::new().threshold(400));
    let registry = registry(&store);
    let text: String = (1..=100).map(|n| format!("line {n}\n")).collect();
    let digest = store.keep(&ada(), "text/plain", text.clone()).await.unwrap().hex();
    assert_eq!(
        read(&registry, json!({"digest": digest, "lines": "3-4"})).await,
        "line 3\nline 4\n[lines 3-4 of 100]"
    );
    assert_eq!(
        read(&registry, json!({"digest": digest, "lines": "-1"})).await,
        "line 100\n[lines 100-100 of 100]"
    );
    // Following each `next` reads the whole result once.
    let (mut arguments, mut all, mut pages) = (json!({"digest": digest}), String::new(), 0);
    loop {
        let page = read(&registry, arguments.clone()).await;
        assert!(page.len() <= 400, "{page}");
        let (lines, note) = page.rsplit_once('[').unwrap();
        all.push_str(lines);
        pages += 1;
        let Some((_, next)) = note.split_once("next: ") else { break };
        arguments = serde_json::from_str(next.trim_end_matches(']')).unwrap();
    }
    assert_eq!((all, pages), (text, 4));
    // `next` keeps the requested end.
    let page = read(&registry, json!({"digest": digest, "lines": "1-50"})).await;
    assert!(page.ends_with(&format!("next: {{\"digest\": \"{digest}\", \"lines\": \"27-50\"}}]")), "{page}");
}

#[tokio::test]
async fn reads_long_lines_by_bytes() {
    let store = ResultStore::memory().limits(ResultLimits::new().threshold(400));
    let registry = registry(&store);
    let text = "aé€🦀".repeat(100);
    let digest = store.keep(&ada(), "text/plain", text.clone()).await.unwrap().hex();
    let (mut arguments, mut all) = (json!({"digest": digest}), String::new());
    loop {
        let page = read(&registry, arguments.clone()).await;
        let (bytes, note) = page.rsplit_once("\n[").unwrap();
        assert!(bytes.len() <= 200);
        all.push_str(bytes);
        let Some((_, next)) = note.split_once("next: ") else { break };
        arguments = serde_json::from_str(next.trim_end_matches(']')).unwrap();
        assert!(arguments.get("bytes").is_some(), "{arguments}");
    }
    assert_eq!(all, text);
    // Ranges are extended to whole characters.
    let page = read(&registry, json!({"digest": digest, "bytes": "2-4"})).await;
    assert_eq!(page, "é€\n[bytes 1-5 of 1000]");
    assert_eq!(read(&registry, json!({"digest": digest, "bytes": "0-0"})).await, "a\n[bytes 0-0 of 1000]");
}

#[tokio::test]
async fn searches_lines() {
    let store = ResultStore::memory();
    let registry = registry(&store);
    let text: String = (1..=200).map(|n| if n % 2 == 0 { "rain\n" } else { "sun\n" }).collect();
    let digest = store.keep(&ada(), "text/plain", text).await.unwrap().hex();
    let page = read(&registry, json!({"digest": digest, "search": "RAIN"})).await;
    assert!(page.starts_with("2 (byte 4): rain\n4 (byte 13): rain\n"), "{page}");
    let next = format!(
        "[100 lines with \"RAIN\"; next: {{\"digest\": \"{digest}\", \"search\": \"RAIN\", \"lines\": \"102-\"}}]"
    );
    assert!(page.ends_with(&next), "{page}");
    let page = read(&registry, json!({"digest": digest, "search": "rain", "lines": "199-"})).await;
    assert_eq!(page, "200 (byte 895): rain\n[1 line with \"rain\"]");
    assert_eq!(read(&registry, json!({"digest": digest, "search": "snow"})).await, "[0 lines with \"snow\"]");
}

/// Results of other callers and unknown digests give the same error.
#[tokio::test]
async fn hides_results_of_other_callers() {
    let store = ResultStore::memory();
    let registry = registry(&store);
    let digest = store.keep(&ada(), "text/plain", "mine").await.unwrap().hex();
    assert!(read(&registry, json!({"digest": digest})).await.starts_with("mine"));
    assert!(read(&registry, json!({"digest": format!("blake3:{digest}")})).await.starts_with("mine"));
    let read_failure = async |principal: Principal, digest: &str| {
        let arguments = json!({"digest": digest});
        registry.as_principal(principal).call("read_result", arguments).await.unwrap_err()
    };
    let unknown = "0".repeat(64);
    let hostile = [
        "",
        "..",
        "../../etc/passwd",
        "/etc/passwd",
        "%2e%2e",
        "C:\\",
        "\\\\?\\x",
        "/proc/self/environ",
        "\0",
    ];
    let upper = digest.to_uppercase();
    let spellings =
        [&upper, &digest[1..], &format!("{digest}0"), &format!(" {digest}"), &format!("{digest}\n")]
            .map(String::from);
    let mut requests: Vec<(Principal, &str)> = vec![(ada(), &unknown)];
    requests.extend([bob(), Principal::anonymous(), Principal::local()].map(|stranger| (stranger, &*digest)));
    requests
        .extend(hostile.into_iter().chain(spellings.iter().map(|text| &**text)).map(|text| (ada(), text)));
    for (principal, digest) in requests {
        let failure = read_failure(principal, digest).await;
        assert_eq!(failure.kind(), FailureKind::Failed(Reason::NotFound), "{digest}");
        assert_eq!(failure.text(), format!("Result not found: {digest}"));
    }
    assert_eq!(
        read_failure(ada(), &"a".repeat(100)).await.kind(),
        FailureKind::Input,
        "bounded by its schema"
    );
}

#[tokio::test]
async fn counts_lines_from_one() {
    let store = ResultStore::memory();
    let digest = store.keep(&ada(), "text/plain", "one\ntwo").await.unwrap();
    let stored = store.read(&ada(), digest).await.unwrap().unwrap();
    for span in ["0-1", "0-", "0"] {
        let span: Span = span.parse().unwrap();
        assert_eq!(stored.search("one", Some(span)).unwrap_err(), PartError::Lines("0".to_owned()));
        assert_eq!(stored.lines(span).unwrap_err(), PartError::Lines("0".to_owned()));
    }
}

#[tokio::test]
async fn reports_invalid_parts() {
    let store = ResultStore::memory();
    let registry = registry(&store);
    let text = store.keep(&ada(), "text/plain", "one\ntwo").await.unwrap().hex();
    let picture = store.keep(&ada(), "image/png", vec![0, 159]).await.unwrap().hex();
    for (mut arguments, path, message) in [
        (json!({"lines": "3-"}), "/lines", "there are 2 lines"),
        (json!({"bytes": "7"}), "/bytes", "there are 7 bytes"),
        (json!({"search": "a", "lines": "9"}), "/lines", "there are 2 lines"),
        (
            json!({"lines": "0-1"}),
            "/lines",
            "`lines` is `0-1`: expected `10-20`, `10-`, `-10` for the last ones, or `10`, from 1 on",
        ),
        (
            json!({"bytes": "1-0"}),
            "/bytes",
            "`bytes` is `1-0`: expected `0-99`, `100-`, `-100` for the last ones, or `100`, from 0 on",
        ),
        (
            json!({"bytes": "1", "lines": "1"}),
            "/bytes",
            "`bytes` goes neither with `lines` nor with `search`",
        ),
        (
            json!({"digest": picture}),
            "/digest",
            "the result is binary (image/png, 2 bytes): read it as a resource",
        ),
    ] {
        if arguments.get("digest").is_none() {
            arguments["digest"] = text.clone().into();
        }
        let failure = registry.call("read_result", arguments.clone()).await.unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Input, "{arguments}");
        let problems: Vec<_> =
            failure.problems().iter().map(|problem| (&*problem.path, &*problem.message)).collect();
        assert_eq!(problems, [(path, message)], "{arguments}");
    }
}
