//! Owners, size limits and lifetimes of stored results.

use std::time::Duration;

use tool_core::results::{ResultLimits, ResultStore, ResultStoreError};
use tool_core::{Digest, Principal};

use crate::storage::{Fault, FaultyStorage};
use crate::{ada, bob, text_of};

const HOUR: Duration = Duration::from_secs(60 * 60);

#[tokio::test]
async fn returns_results_only_to_their_caller() {
    let store = ResultStore::memory();
    let digest = store.keep(&ada(), "text/plain", "mine").await.unwrap();
    assert_eq!(digest, Digest::of_bytes(b"mine"));
    assert_eq!(text_of(&store, &ada(), digest).await.as_deref(), Some("mine"));
    // Permissions do not change the identity of a caller.
    assert!(text_of(&store, &ada().grant("node.view"), digest).await.is_some());
    for stranger in
        [bob(), Principal::anonymous(), Principal::local(), Principal::new(""), Principal::new("anonymous")]
    {
        assert_eq!(text_of(&store, &stranger, digest).await, None, "{stranger:?}");
    }
    // A caller that stores the same result can read it, too.
    assert_eq!(store.keep(&bob(), "text/plain", "mine").await.unwrap(), digest);
    assert_eq!(text_of(&store, &bob(), digest).await.as_deref(), Some("mine"));
    assert_eq!(text_of(&store, &ada(), digest).await.as_deref(), Some("mine"));
    assert_eq!(text_of(&store, &Principal::anonymous(), digest).await, None);
}

#[tokio::test]
async fn shares_results_of_anonymous_callers() {
    let store = ResultStore::memory();
    let digest = store.keep(&Principal::anonymous(), "text/plain", "ours").await.unwrap();
    assert!(text_of(&store, &Principal::anonymous(), digest).await.is_some());
    // No name equals the anonymous caller.
    for name in ["", "anonymous", "principal anonymous"] {
        assert_eq!(text_of(&store, &Principal::new(name), digest).await, None, "{name}");
    }
}

#[tokio::test]
async fn names_objects_by_digests_only() {
    let storage = FaultyStorage::default();
    let store = ResultStore::managed(storage.clone());
    for id in ["../../etc", "a/b", "\0", "C:\\", "🦀", "."] {
        store.keep(&Principal::new(id), "../../etc/passwd", "text").await.unwrap();
    }
    let names = storage.names();
    assert_eq!(names.len(), 6);
    for name in names {
        let (owner, digest) = name.split_once('/').unwrap();
        for part in [owner, digest] {
            assert!(
                part.len() == 64 && part.bytes().all(|byte| b"0123456789abcdef".contains(&byte)),
                "{name}"
            );
        }
    }
}

#[tokio::test]
async fn evicts_the_oldest_results_first() {
    // The header line has 27 bytes.
    let limits = ResultLimits::new().total(3 * 1_027);
    let store = ResultStore::memory().limits(limits);
    let keep = async |text: &str| store.keep(&ada(), "text/plain", text.repeat(1_000)).await.unwrap();
    let [a, b, c] = [keep("a").await, keep("b").await, keep("c").await];
    // Storing it again makes it the newest, and evicts nothing.
    assert_eq!(keep("a").await, a);
    assert!(text_of(&store, &ada(), b).await.is_some());
    let d = keep("d").await;
    let mut present = Vec::new();
    for digest in [a, b, c, d] {
        present.push(text_of(&store, &ada(), digest).await.is_some());
    }
    assert_eq!(present, [true, false, true, true]);
    // A large result evicts several.
    store.keep(&bob(), "text/plain", "e".repeat(2_500)).await.unwrap();
    assert!(text_of(&store, &ada(), d).await.is_none());
    let error = store.keep(&bob(), "text/plain", "f".repeat(4_000)).await.unwrap_err();
    assert!(matches!(error, ResultStoreError::TooLarge { bytes: 4_027, most: 3_081 }), "{error}");
}

#[tokio::test]
async fn evicts_from_the_caller_with_most_results() {
    let store = ResultStore::memory().limits(ResultLimits::new().total(10_000));
    let keep = async |principal: &Principal, number: usize| {
        store.keep(principal, "text/plain", format!("{number:0>900}")).await.unwrap()
    };
    let mine = keep(&ada(), 0).await;
    let first = keep(&bob(), 1).await;
    let mut last = first;
    for number in 2..50 {
        last = keep(&bob(), number).await;
    }
    assert!(text_of(&store, &ada(), mine).await.is_some(), "it is the oldest, but bob has the rest");
    assert!(text_of(&store, &bob(), first).await.is_none() && text_of(&store, &bob(), last).await.is_some());
    // A new caller gets room from the largest share.
    let carol = Principal::new("carol");
    let late = keep(&carol, 50).await;
    assert!(text_of(&store, &carol, late).await.is_some() && text_of(&store, &ada(), mine).await.is_some());
    // A result that needs all the room evicts everything.
    let all = store.keep(&carol, "text/plain", "x".repeat(9_900)).await.unwrap();
    assert!(text_of(&store, &carol, all).await.is_some());
    assert!(text_of(&store, &ada(), mine).await.is_none() && text_of(&store, &bob(), last).await.is_none());
}

#[tokio::test]
async fn fails_when_eviction_fails() {
    let storage = FaultyStorage::default();
    let store = ResultStore::managed(storage.clone()).limits(ResultLimits::new().total(1_500));
    let first = store.keep(&ada(), "text/plain", "a".repeat(1_000)).await.unwrap();
    storage.set(Fault::DeleteFails);
    let error = store.keep(&ada(), "text/plain", "b".repeat(1_000)).await.unwrap_err();
    assert!(matches!(error, ResultStoreError::Storage(_)), "{error}");
    // The confirmed result is kept.
    assert!(text_of(&store, &ada(), first).await.is_some());
    storage.set(Fault::None);
    store.keep(&ada(), "text/plain", "b".repeat(1_000)).await.unwrap();
    assert_eq!(storage.names().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn deletes_expired_results() {
    let storage = FaultyStorage::default();
    let store = ResultStore::managed(storage.clone()).limits(ResultLimits::new().age(HOUR));
    let first = store.keep(&ada(), "text/plain", "first").await.unwrap();
    tokio::time::advance(HOUR / 2).await;
    let second = store.keep(&ada(), "text/plain", "second").await.unwrap();
    let left = store.read(&ada(), first).await.unwrap().unwrap().left();
    assert_eq!(left, HOUR / 2);
    tokio::time::advance(HOUR / 2).await;
    assert_eq!(text_of(&store, &ada(), first).await, None);
    assert!(text_of(&store, &ada(), second).await.is_some());
    // It is deleted without further requests.
    tokio::time::sleep(HOUR).await;
    assert_eq!(storage.names(), Vec::<String>::new());
    // Deletion continues after an idle time.
    store.keep(&ada(), "text/plain", "third").await.unwrap();
    tokio::time::sleep(2 * HOUR).await;
    assert_eq!(storage.names(), Vec::<String>::new());
}

/// Two processes on one storage read and expire each other's results.
#[tokio::test(start_paused = true)]
async fn expires_results_of_other_processes() {
    let storage = FaultyStorage::default();
    let limits = ResultLimits::new().age(HOUR);
    let (one, other) = (
        ResultStore::managed(storage.clone()).limits(limits),
        ResultStore::managed(storage.clone()).limits(limits),
    );
    assert_eq!(text_of(&one, &ada(), Digest::of_bytes(b"late")).await, None);
    let late = other.keep(&ada(), "text/plain", "late").await.unwrap();
    drop(other);
    assert_eq!(text_of(&one, &ada(), late).await.as_deref(), Some("late"));
    tokio::time::advance(HOUR).await;
    assert_eq!(text_of(&one, &ada(), late).await, None);
    tokio::time::sleep(HOUR).await;
    assert_eq!(storage.names(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn retries_failed_deletes() {
    let storage = FaultyStorage::default();
    let store = ResultStore::managed(storage.clone()).limits(ResultLimits::new().age(HOUR));
    let digest = store.keep(&ada(), "text/plain", "first").await.unwrap();
    storage.set(Fault::DeleteFails);
    tokio::time::sleep(2 * HOUR).await;
    assert_eq!(storage.names().len(), 1);
    assert_eq!(text_of(&store, &ada(), digest).await, None, "it is expired, deleted or not");
    storage.set(Fault::None);
    tokio::time::sleep(HOUR).await;
    assert_eq!(storage.names().len(), 0);
}

/// Ages come from the system clock: they are clamped, and read only once.
#[tokio::test(start_paused = true)]
async fn tolerates_clock_jumps() {
    let storage = FaultyStorage::default();
    let limits = ResultLimits::new().age(HOUR);
    let digest =
        ResultStore::managed(storage.clone()).limits(limits).keep(&ada(), "text/plain", "a").await.unwrap();
    for (age, present) in [(Duration::ZERO, true), (HOUR / 2, true), (HOUR, false), (Duration::MAX, false)] {
        storage.age_all(age);
        let store = ResultStore::managed(storage.clone()).limits(limits);
        assert_eq!(text_of(&store, &ada(), digest).await.is_some(), present, "{age:?}");
    }
    // A result from the future is kept for at most an hour from now.
    storage.age_all(Duration::ZERO);
    let store = ResultStore::managed(storage.clone()).limits(limits);
    assert!(text_of(&store, &ada(), digest).await.is_some());
    storage.age_all(Duration::ZERO);
    tokio::time::advance(HOUR).await;
    assert!(text_of(&store, &ada(), digest).await.is_none());
}

#[tokio::test]
async fn ignores_foreign_objects() {
    let storage = FaultyStorage::default();
    let hex = Digest::of_bytes(b"a").hex();
    let foreign = [
        "",
        "readme.txt",
        &hex,
        "../a",
        &format!("{hex}/{hex}/x"),
        &format!("blake3:{hex}/{hex}"),
        &format!("{}/{hex}", hex.to_uppercase()),
    ];
    foreign.iter().for_each(|name| storage.insert(name, b"?"));
    let store = ResultStore::managed(storage.clone()).limits(ResultLimits::new().total(100));
    store.keep(&ada(), "text/plain", "a".repeat(50)).await.unwrap();
    store.keep(&ada(), "text/plain", "b".repeat(50)).await.unwrap();
    assert_eq!(storage.names().len(), foreign.len() + 1, "neither counted nor deleted");
}

#[tokio::test]
async fn rejects_corrupted_results() {
    let storage = FaultyStorage::default();
    let store = ResultStore::managed(storage.clone());
    let digest = store.keep(&ada(), "text/plain", "text").await.unwrap();
    storage.corrupt();
    assert_eq!(text_of(&store, &ada(), digest).await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn stores_the_same_result_concurrently() {
    let storage = FaultyStorage::default();
    let store = ResultStore::managed(storage.clone());
    let text = "same".repeat(10_000);
    let tasks = (0..50).map(|n| {
        let (store, text) = (store.clone(), text.clone());
        let principal = if n % 2 == 0 { ada() } else { bob() };
        tokio::spawn(async move { store.keep(&principal, "text/plain", text).await.unwrap() })
    });
    let tasks: Vec<_> = tasks.collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), Digest::of_bytes(text.as_bytes()));
    }
    assert_eq!(storage.names().len(), 2);
    assert_eq!(text_of(&store, &bob(), Digest::of_bytes(text.as_bytes())).await, Some(text));
}

/// The key of a listing gives the same result to each caller until the listing changes.
#[tokio::test(start_paused = true)]
async fn reuses_excerpts_by_key() {
    let storage = FaultyStorage::default();
    let store = ResultStore::managed(storage.clone()).limits(ResultLimits::new().threshold(10).age(HOUR));
    let key = Digest::of_bytes(b"server, tools");
    let renders = std::cell::Cell::new(0);
    let excerpt = async |principal: &Principal, key: Digest, text: &str| {
        let make = || {
            renders.set(renders.get() + 1);
            text.to_owned()
        };
        store.excerpt(principal, key, "text/plain", make).await
    };
    let first = excerpt(&ada(), key, "a long listing").await.unwrap();
    let again = excerpt(&ada(), key, "a long listing").await.unwrap();
    assert_eq!((&first, renders.get(), storage.writes()), (&again, 1, 1));
    assert!(text_of(&store, &ada(), first.digest().unwrap()).await.is_some());
    // Another caller has another result.
    excerpt(&bob(), key, "a long listing").await.unwrap();
    let changed = excerpt(&ada(), Digest::of_bytes(b"server, other tools"), "another listing").await.unwrap();
    assert_eq!((renders.get(), changed.digest() == first.digest()), (3, false));
    // Small texts are rendered each time, and not stored.
    assert!(excerpt(&ada(), Digest::of_bytes(b"small"), "small").await.is_none());
    assert_eq!(storage.writes(), 3);
    // An excerpt that expires soon is stored again.
    tokio::time::advance(HOUR * 3 / 4).await;
    assert_eq!(excerpt(&ada(), key, "a long listing").await.unwrap(), first);
    assert_eq!(storage.writes(), 4);
    assert!(store.read(&ada(), first.digest().unwrap()).await.unwrap().unwrap().left() > HOUR / 2);
    // A failed write is not cached.
    storage.set(Fault::Full);
    let lost = excerpt(&ada(), Digest::of_bytes(b"third"), "a third listing").await.unwrap();
    assert_eq!(lost.digest(), None);
    storage.set(Fault::None);
    assert!(excerpt(&ada(), Digest::of_bytes(b"third"), "a third listing").await.unwrap().digest().is_some());
}
