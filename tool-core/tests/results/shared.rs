//! A storage that several processes share, and that deletes old entries itself.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use serde_json::json;
use tokio::sync::Barrier;
use tokio::time::Instant;
use tool_core::results::{ResultLimits, ResultStore, ResultStoreError, SharedStorage, StoredBytes};
use tool_core::{BoxFuture, CallOptions, Digest, Registry, tool, tools};

use crate::{ada, bob, text_of};

const HOUR: Duration = Duration::from_secs(60 * 60);

/// The most concurrent reads, and writes.
const MOST: usize = 8;

/// A storage in memory, whose clones are the same storage.
#[derive(Clone, Default)]
struct Shared(Arc<Inner>);

#[derive(Default)]
struct Inner {
    objects: Mutex<HashMap<String, (Bytes, Instant)>>,
    writes: AtomicUsize,
    /// Where each write waits for others.
    barrier: Option<Barrier>,
    /// The reads that are running, and the most that ever were.
    reads: (AtomicUsize, AtomicUsize),
}

impl Shared {
    /// Returns a storage whose writes wait until there are so many.
    fn waiting_for(writes: usize) -> Self {
        Shared(Arc::new(Inner { barrier: Some(Barrier::new(writes)), ..Inner::default() }))
    }

    fn names(&self) -> usize {
        self.0.objects.lock().unwrap().len()
    }

    fn writes(&self) -> usize {
        self.0.writes.load(Ordering::Relaxed)
    }

    fn most_reads(&self) -> usize {
        self.0.reads.1.load(Ordering::Relaxed)
    }
}

impl SharedStorage for Shared {
    fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            self.0.writes.fetch_add(1, Ordering::Relaxed);
            if let Some(barrier) = &self.0.barrier {
                barrier.wait().await;
            }
            self.0.objects.lock().unwrap().insert(name.to_owned(), (bytes, Instant::now()));
            Ok(())
        })
    }

    fn get<'a>(&'a self, name: &'a str, most: u64) -> BoxFuture<'a, io::Result<Option<StoredBytes>>> {
        Box::pin(async move {
            let (running, most_running) = &self.0.reads;
            most_running.fetch_max(running.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
            // Lets the other reads begin.
            tokio::task::yield_now().await;
            running.fetch_sub(1, Ordering::Relaxed);
            match self.0.objects.lock().unwrap().get(name).cloned() {
                Some((bytes, _)) if bytes.len() as u64 > most => Err(io::ErrorKind::FileTooLarge.into()),
                found => Ok(found.map(|(bytes, since)| StoredBytes { bytes, age: since.elapsed() })),
            }
        })
    }
}

/// Counts to ten thousand.
#[tool(operation = Explain)]
fn count() -> Vec<u32> {
    (1..=10_000).collect()
}

fn registry(storage: &Shared) -> Registry {
    let store = ResultStore::shared(storage.clone()).limits(ResultLimits::new().threshold(20_000));
    Registry::builder().tools(tools![count]).storing(store).build().unwrap()
}

#[tokio::test]
async fn reads_what_another_process_stored() {
    let storage = Shared::default();
    let (one, other) = (registry(&storage), registry(&storage));
    let reply = one.call_with("count", b"{}", &CallOptions::new()).await;
    let digest = reply.preview.unwrap().excerpts().next().unwrap().digest().unwrap().hex();
    for (part, page) in [
        (json!({"lines": "2-3"}), "1,\n2,\n[lines 2-3 of 10002]"),
        (json!({"bytes": "0-3"}), "[\n1,\n[bytes 0-3 of 58896]"),
        (json!({"search": "1234"}), "1235 (byte 6293): 1234,\n[1 line with \"1234\"]"),
    ] {
        let mut arguments = part.clone();
        arguments["digest"] = json!(digest);
        assert_eq!(other.call("read_result", arguments).await.unwrap().value(), page, "{part}");
    }
}

#[tokio::test(start_paused = true)]
async fn returns_shared_results_only_to_their_caller() {
    let storage = Shared::default();
    let (one, other) = (ResultStore::shared(storage.clone()), ResultStore::shared(storage));
    let digest = one.keep(&ada(), "text/plain", "mine").await.unwrap();
    assert_eq!(text_of(&other, &ada(), digest).await.as_deref(), Some("mine"));
    assert_eq!(text_of(&other, &bob(), digest).await, None);
}

/// One result is limited, their total is not, and nothing is deleted: however many processes there are, the limits are the same.
#[tokio::test(start_paused = true)]
async fn limits_single_results_only() {
    let storage = Shared::default();
    let limits = ResultLimits::new().total(10).largest(1_500).age(HOUR);
    let mut digests = Vec::new();
    for number in 0..20 {
        let store = ResultStore::shared(storage.clone()).limits(limits);
        digests.push(store.keep(&ada(), "text/plain", format!("{number:0>1000}")).await.unwrap());
        let error = store.keep(&ada(), "text/plain", "x".repeat(1_500)).await.unwrap_err();
        assert!(matches!(error, ResultStoreError::TooLarge { bytes: 1_527, most: 1_500 }), "{error}");
    }
    let store = ResultStore::shared(storage.clone()).limits(limits);
    for digest in &digests {
        assert!(text_of(&store, &ada(), *digest).await.is_some(), "{digest}");
    }
    tokio::time::sleep(2 * HOUR).await;
    assert_eq!(storage.names(), 20, "the storage deletes them itself");
    for digest in &digests {
        assert_eq!(text_of(&store, &ada(), *digest).await, None, "{digest}");
    }
}

#[tokio::test(start_paused = true)]
async fn expires_results_by_the_age_that_the_storage_reports() {
    let storage = Shared::default();
    let open = || ResultStore::shared(storage.clone()).limits(ResultLimits::new().age(HOUR));
    let store = open();
    let digest = store.keep(&ada(), "text/plain", "text").await.unwrap();
    tokio::time::advance(HOUR / 4).await;
    assert_eq!(open().read(&ada(), digest).await.unwrap().unwrap().left(), HOUR * 3 / 4);
    // Storing it again renews it for every process.
    open().keep(&ada(), "text/plain", "text").await.unwrap();
    assert_eq!(store.read(&ada(), digest).await.unwrap().unwrap().left(), HOUR);
    tokio::time::advance(HOUR).await;
    assert_eq!(text_of(&store, &ada(), digest).await, None);
}

#[tokio::test(start_paused = true)]
async fn reuses_excerpts_of_a_shared_storage() {
    let storage = Shared::default();
    let store = ResultStore::shared(storage.clone()).limits(ResultLimits::new().threshold(10).age(HOUR));
    let key = Digest::of_bytes(b"server, tools");
    let excerpt = async || store.excerpt(&ada(), key, "text/plain", || "a long listing".to_owned()).await;
    let first = excerpt().await.unwrap();
    assert_eq!((excerpt().await.unwrap(), storage.writes()), (first.clone(), 1));
    tokio::time::advance(HOUR * 3 / 4).await;
    assert_eq!((excerpt().await.unwrap(), storage.writes()), (first, 2), "it expires soon");
}

/// Each write ends only when all have begun.
#[tokio::test(start_paused = true)]
async fn writes_concurrently() {
    let store = ResultStore::shared(Shared::waiting_for(MOST));
    let writes: Vec<_> = (0..MOST)
        .map(|number| {
            let store = store.clone();
            tokio::spawn(async move { store.keep(&ada(), "text/plain", number.to_string()).await })
        })
        .collect();
    for write in writes {
        write.await.unwrap().unwrap();
    }
}

/// A storage that does not answer has a bounded number of writes, and the others do not wait for it.
#[tokio::test(start_paused = true)]
async fn bounds_writes_that_hang() {
    let storage = Shared::waiting_for(1_000);
    let store = ResultStore::shared(storage.clone());
    let keep = async |number: usize| store.keep(&ada(), "text/plain", number.to_string()).await.unwrap_err();
    for number in 0..MOST {
        assert!(matches!(keep(number).await, ResultStoreError::Late));
    }
    let began = Instant::now();
    for number in MOST..200 {
        assert!(matches!(keep(number).await, ResultStoreError::Late));
    }
    assert_eq!((began.elapsed(), storage.writes()), (Duration::ZERO, MOST));
}

/// A storage whose writes fail after a while, as requests to a bucket do that is away.
struct Away;

impl SharedStorage for Away {
    fn put<'a>(&'a self, _: &'a str, _: Bytes) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(8)).await;
            Err(io::ErrorKind::TimedOut.into())
        })
    }

    fn get<'a>(&'a self, _: &'a str, _: u64) -> BoxFuture<'a, io::Result<Option<StoredBytes>>> {
        Box::pin(async { Ok(None) })
    }
}

/// While no write succeeds, only the calls that try one wait for the storage.
#[tokio::test(start_paused = true)]
async fn waits_for_no_turn_while_writes_fail() {
    let store = ResultStore::shared(Away);
    let write = |number: usize| {
        let store = store.clone();
        tokio::spawn(async move {
            let began = Instant::now();
            let error = store.keep(&ada(), "text/plain", number.to_string()).await.unwrap_err();
            assert!(matches!(error, ResultStoreError::Late), "{error}");
            !began.elapsed().is_zero()
        })
    };
    for wave in 0..3 {
        let writes: Vec<_> = (0..5 * MOST).map(write).collect();
        let mut waited = 0;
        for write in writes {
            waited += usize::from(write.await.unwrap());
        }
        // All wait for the first writes, since nothing is known yet.
        assert_eq!(waited, if wave == 0 { 5 * MOST } else { MOST }, "{wave}");
        // The writes end.
        tokio::time::sleep(Duration::from_secs(8)).await;
    }
}

/// Each read holds a result in memory.
#[tokio::test(start_paused = true)]
async fn bounds_concurrent_reads() {
    let storage = Shared::default();
    let store = ResultStore::shared(storage.clone());
    let digest = store.keep(&ada(), "text/plain", "text").await.unwrap();
    let reads: Vec<_> = (0..5 * MOST)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { text_of(&store, &ada(), digest).await })
        })
        .collect();
    for read in reads {
        assert_eq!(read.await.unwrap().as_deref(), Some("text"));
    }
    assert_eq!(storage.most_reads(), MOST);
}

#[tokio::test(start_paused = true)]
async fn stores_eight_mebibytes_by_default() {
    let store = ResultStore::shared(Shared::default());
    let digest = store.keep(&ada(), "text/plain", vec![b'x'; (8 << 20) - 100]).await.unwrap();
    assert!(store.read(&ada(), digest).await.unwrap().is_some());
    let error = store.keep(&ada(), "text/plain", vec![b'x'; 8 << 20]).await.unwrap_err();
    assert!(matches!(error, ResultStoreError::TooLarge { most: 8_388_608, .. }), "{error}");
}

/// A process with other limits has stored it. That is no reason to try again.
#[tokio::test(start_paused = true)]
async fn finds_no_result_that_is_too_large() {
    let storage = Shared::default();
    let digest =
        ResultStore::shared(storage.clone()).keep(&ada(), "text/plain", "x".repeat(1_000)).await.unwrap();
    let open = |largest| ResultStore::shared(storage.clone()).limits(ResultLimits::new().largest(largest));
    assert!(text_of(&open(1_027), &ada(), digest).await.is_some());
    assert_eq!(text_of(&open(1_026), &ada(), digest).await, None);
}
