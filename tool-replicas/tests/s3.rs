//! Replicas that share a bucket of 100,000 objects, in a service like S3.
//!
//! Plain `cargo test` does not run these tests. They need a Python with the packages of `tests/replicas/requirements.txt`, whose path is
//! in the variable `S3_PYTHON`.

#![allow(clippy::print_stdout, reason = "the time of a read is reported")]

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::RwLock;
use tool_core::results::{ResultLimits, ResultStore, ResultStoreError, SharedStorage as _};
use tool_core::{CallOptions, Digest, Principal, Registry, tool, tools};
use tool_replicas::{Bucket, BucketOptions};

const OBJECTS: usize = 100_000;

/// The service, which ends when the pipe to it is closed, at the end of this process.
struct Service {
    url: String,
    _process: Child,
}

static SERVICE: LazyLock<Service> = LazyLock::new(|| {
    let python = std::env::var_os("S3_PYTHON").expect("`S3_PYTHON` is a Python with moto");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/replicas/s3.py");
    let mut process = Command::new(python)
        .args([script, &OBJECTS.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
    assert!(url.starts_with("http://127.0.0.1:"), "`{script}` printed `{url}`");
    Service { url: url.trim_end().to_owned(), _process: process }
});

/// Held for writing by a test that measures, and for reading by the others, which would slow the service down.
static LOAD: RwLock<()> = RwLock::const_new(());

/// Returns the bucket, as one replica opens it.
fn bucket() -> Bucket {
    let options = BucketOptions::new("results").endpoint(&SERVICE.url).allow_http(true);
    Bucket::new(options.credentials("id", "secret")).unwrap()
}

fn ada() -> Principal {
    Principal::new("ada")
}

/// Counts to ten thousand.
#[tool(operation = Explain)]
fn count() -> Vec<u32> {
    (1..=10_000).collect()
}

fn replica() -> Registry {
    let store = ResultStore::shared(bucket()).limits(ResultLimits::new().threshold(20_000));
    Registry::builder().tools(tools![count]).storing(store).build().unwrap()
}

async fn text_of(store: &ResultStore, principal: &Principal, digest: Digest) -> Option<String> {
    let stored = store.read(principal, digest).await.unwrap()?;
    Some(stored.text().unwrap().to_owned())
}

#[tokio::test]
async fn reads_what_another_replica_stored() {
    let _load = LOAD.read().await;
    let reply = replica().call_with("count", b"{}", &CallOptions::new()).await;
    let digest = reply.preview.unwrap().excerpts().next().unwrap().digest().unwrap();
    let other = replica();
    for (part, page) in [
        (json!({"lines": "2-3"}), "1,\n2,\n[lines 2-3 of 10002]"),
        (json!({"bytes": "0-3"}), "[\n1,\n[bytes 0-3 of 58896]"),
        (json!({"search": "1234"}), "1235 (byte 6293): 1234,\n[1 line with \"1234\"]"),
    ] {
        let mut arguments = part.clone();
        arguments["digest"] = json!(digest.hex());
        assert_eq!(other.call("read_result", arguments).await.unwrap().value(), page, "{part}");
    }
    let store = ResultStore::shared(bucket());
    let whole = text_of(&store, &Principal::local(), digest).await.unwrap();
    assert_eq!((whole.len(), Digest::of_bytes(whole.as_bytes())), (58_896, digest));
    assert_eq!(text_of(&store, &ada(), digest).await, None, "it belongs to another caller");
}

/// A call waits for the store for a second at most, and finds the result within that time.
#[tokio::test]
async fn reads_at_once_from_a_large_bucket() {
    let _load = LOAD.write().await;
    let digest = ResultStore::shared(bucket()).keep(&ada(), "text/plain", "one of many").await.unwrap();
    let store = ResultStore::shared(bucket()).limits(ResultLimits::new().patience(Duration::from_secs(1)));
    let began = Instant::now();
    let text = text_of(&store, &ada(), digest).await;
    println!("the first read, with {OBJECTS} objects in the bucket: {:?}", began.elapsed());
    assert_eq!(text.as_deref(), Some("one of many"));
    assert_eq!(text_of(&store, &ada(), Digest::of_bytes(b"unknown")).await, None);
}

/// Each replica stores as much as its limit, and all of it stays.
#[tokio::test]
async fn limits_results_and_not_replicas() {
    let _load = LOAD.read().await;
    let open = || ResultStore::shared(bucket()).limits(ResultLimits::new().largest(5_000));
    let replicas = [open(), open(), open()];
    let mut digests = Vec::new();
    for number in 0..30 {
        let text = format!("{number:0>1000}");
        digests.push(replicas[number % 3].keep(&ada(), "text/plain", text).await.unwrap());
    }
    for (number, digest) in digests.iter().enumerate() {
        let text = text_of(&replicas[(number + 1) % 3], &ada(), *digest).await;
        assert_eq!(text, Some(format!("{number:0>1000}")));
    }
    let error = replicas[0].keep(&ada(), "text/plain", "x".repeat(5_000)).await.unwrap_err();
    assert!(matches!(error, ResultStoreError::TooLarge { bytes: 5_027, most: 5_000 }), "{error}");
}

/// The dates of the service decide, before its lifecycle rule does.
#[tokio::test]
async fn expires_results_by_the_date_in_the_bucket() {
    let _load = LOAD.read().await;
    let store = ResultStore::shared(bucket());
    let digest = store.keep(&ada(), "text/plain", "old").await.unwrap();
    let left = store.read(&ada(), digest).await.unwrap().unwrap().left();
    assert!(left > Duration::from_secs(23 * 60 * 60), "{left:?}");
    let other = ResultStore::shared(bucket()).limits(ResultLimits::new().age(Duration::ZERO));
    assert_eq!(text_of(&other, &ada(), digest).await, None);
}

#[tokio::test]
async fn separates_applications_by_their_prefix() {
    let _load = LOAD.read().await;
    let options =
        || BucketOptions::new("results").endpoint(&SERVICE.url).allow_http(true).credentials("id", "secret");
    let open = |prefix| ResultStore::shared(Bucket::new(options().prefix(prefix)).unwrap());
    let digest = open("one/results").keep(&ada(), "text/plain", "of one").await.unwrap();
    assert!(text_of(&open("one/results"), &ada(), digest).await.is_some());
    for other in ["", "two"] {
        assert_eq!(text_of(&open(other), &ada(), digest).await, None, "{other}");
    }
}

#[tokio::test]
async fn reports_a_bucket_that_does_not_exist() {
    let _load = LOAD.read().await;
    bucket().check().await.unwrap();
    let options = BucketOptions::new("other").endpoint(&SERVICE.url).allow_http(true);
    let other = Bucket::new(options.credentials("id", "secret")).unwrap();
    assert!(other.check().await.unwrap_err().to_string().contains("NoSuchBucket"));
    assert!(other.put("aa/bb", "text".into()).await.unwrap_err().to_string().contains("NoSuchBucket"));
}
