//! Whose a result is, how much is kept, and for how long.

use std::time::Duration;

use tool_core::results::{ResultLimits, ResultStore, ResultStoreError};
use tool_core::{Digest, Principal};

use crate::storage::{Mood, Shelf};
use crate::{ada, bob, text_of};

const HOUR: Duration = Duration::from_secs(60 * 60);

#[tokio::test]
async fn a_result_is_for_whoever_called() {
    let store = ResultStore::memory();
    let digest = store.keep(&ada(), "text/plain", "mine").await.unwrap();
    assert_eq!(digest, Digest::of_bytes(b"mine"));
    assert_eq!(text_of(&store, &ada(), digest).await.as_deref(), Some("mine"));
    // What a caller may do does not make it another one.
    assert!(text_of(&store, &ada().grant("node.view"), digest).await.is_some());
    for stranger in
        [bob(), Principal::anonymous(), Principal::local(), Principal::new(""), Principal::new("anonymous")]
    {
        assert_eq!(text_of(&store, &stranger, digest).await, None, "{stranger:?}");
    }
    // Who came to the same result has it too, and nobody else.
    assert_eq!(store.keep(&bob(), "text/plain", "mine").await.unwrap(), digest);
    assert_eq!(text_of(&store, &bob(), digest).await.as_deref(), Some("mine"));
    assert_eq!(text_of(&store, &ada(), digest).await.as_deref(), Some("mine"));
    assert_eq!(text_of(&store, &Principal::anonymous(), digest).await, None);
}

#[tokio::test]
async fn callers_of_whom_nothing_is_known_are_one() {
    let store = ResultStore::memory();
    let digest = store.keep(&Principal::anonymous(), "text/plain", "ours").await.unwrap();
    assert!(text_of(&store, &Principal::anonymous(), digest).await.is_some());
    // The words that stand for nobody are not the name of somebody.
    for name in ["", "anonymous", "principal anonymous"] {
        assert_eq!(text_of(&store, &Principal::new(name), digest).await, None, "{name}");
    }
}

#[tokio::test]
async fn names_are_made_of_digests_alone() {
    let shelf = Shelf::default();
    let store = ResultStore::on(shelf.clone());
    for id in ["../../etc", "a/b", "\0", "C:\\", "🦀", "."] {
        store.keep(&Principal::new(id), "../../etc/passwd", "text").await.unwrap();
    }
    let names = shelf.names();
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
async fn the_oldest_go_first() {
    // A line that says what it is has 27 bytes.
    let limits = ResultLimits::new().total(3 * 1_027);
    let store = ResultStore::memory().limits(limits);
    let keep = async |text: &str| store.keep(&ada(), "text/plain", text.repeat(1_000)).await.unwrap();
    let [a, b, c] = [keep("a").await, keep("b").await, keep("c").await];
    // It was kept again, and is the newest now; nothing has to go for it.
    assert_eq!(keep("a").await, a);
    assert!(text_of(&store, &ada(), b).await.is_some());
    let d = keep("d").await;
    let mut there = Vec::new();
    for digest in [a, b, c, d] {
        there.push(text_of(&store, &ada(), digest).await.is_some());
    }
    assert_eq!(there, [true, false, true, true]);
    // A large one takes the place of several.
    store.keep(&bob(), "text/plain", "e".repeat(2_500)).await.unwrap();
    assert!(text_of(&store, &ada(), d).await.is_none());
    let error = store.keep(&bob(), "text/plain", "f".repeat(4_000)).await.unwrap_err();
    assert!(matches!(error, ResultStoreError::TooLarge { bytes: 4_027, most: 3_081 }), "{error}");
}

#[tokio::test]
async fn whoever_keeps_much_takes_no_room_from_others() {
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
    assert!(text_of(&store, &ada(), mine).await.is_some(), "it is the oldest, and bob has the rest");
    assert!(text_of(&store, &bob(), first).await.is_none() && text_of(&store, &bob(), last).await.is_some());
    // Somebody who comes later finds room: of what there is most of.
    let carol = Principal::new("carol");
    let late = keep(&carol, 50).await;
    assert!(text_of(&store, &carol, late).await.is_some() && text_of(&store, &ada(), mine).await.is_some());
    // One result that takes all the room takes it from everybody.
    let all = store.keep(&carol, "text/plain", "x".repeat(9_900)).await.unwrap();
    assert!(text_of(&store, &carol, all).await.is_some());
    assert!(text_of(&store, &ada(), mine).await.is_none() && text_of(&store, &bob(), last).await.is_none());
}

#[tokio::test]
async fn what_cannot_be_deleted_leaves_no_room() {
    let shelf = Shelf::default();
    let store = ResultStore::on(shelf.clone()).limits(ResultLimits::new().total(1_500));
    let first = store.keep(&ada(), "text/plain", "a".repeat(1_000)).await.unwrap();
    shelf.set(Mood::Clings);
    let error = store.keep(&ada(), "text/plain", "b".repeat(1_000)).await.unwrap_err();
    assert!(matches!(error, ResultStoreError::Storage(_)), "{error}");
    // What was confirmed is there.
    assert!(text_of(&store, &ada(), first).await.is_some());
    shelf.set(Mood::Fine);
    store.keep(&ada(), "text/plain", "b".repeat(1_000)).await.unwrap();
    assert_eq!(shelf.names().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_is_out_of_time_is_gone_and_deleted() {
    let shelf = Shelf::default();
    let store = ResultStore::on(shelf.clone()).limits(ResultLimits::new().age(HOUR));
    let first = store.keep(&ada(), "text/plain", "first").await.unwrap();
    tokio::time::advance(HOUR / 2).await;
    let second = store.keep(&ada(), "text/plain", "second").await.unwrap();
    let left = store.read(&ada(), first).await.unwrap().unwrap().left();
    assert_eq!(left, HOUR / 2);
    tokio::time::advance(HOUR / 2).await;
    assert_eq!(text_of(&store, &ada(), first).await, None);
    assert!(text_of(&store, &ada(), second).await.is_some());
    // Nobody keeps or reads anything any more, and it goes all the same.
    tokio::time::sleep(HOUR).await;
    assert_eq!(shelf.names(), Vec::<String>::new());
    // After a time without anything, it is as before.
    store.keep(&ada(), "text/plain", "third").await.unwrap();
    tokio::time::sleep(2 * HOUR).await;
    assert_eq!(shelf.names(), Vec::<String>::new());
}

/// Two processes on one storage: what the other one keeps is read, and goes when its time is over too.
#[tokio::test(start_paused = true)]
async fn what_somebody_else_keeps_counts_once_it_is_known() {
    let shelf = Shelf::default();
    let limits = ResultLimits::new().age(HOUR);
    let (one, other) =
        (ResultStore::on(shelf.clone()).limits(limits), ResultStore::on(shelf.clone()).limits(limits));
    assert_eq!(text_of(&one, &ada(), Digest::of_bytes(b"late")).await, None);
    let late = other.keep(&ada(), "text/plain", "late").await.unwrap();
    drop(other);
    assert_eq!(text_of(&one, &ada(), late).await.as_deref(), Some("late"));
    tokio::time::advance(HOUR).await;
    assert_eq!(text_of(&one, &ada(), late).await, None);
    tokio::time::sleep(HOUR).await;
    assert_eq!(shelf.names(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_deleted_is_tried_again() {
    let shelf = Shelf::default();
    let store = ResultStore::on(shelf.clone()).limits(ResultLimits::new().age(HOUR));
    let digest = store.keep(&ada(), "text/plain", "first").await.unwrap();
    shelf.set(Mood::Clings);
    tokio::time::sleep(2 * HOUR).await;
    assert_eq!(shelf.names().len(), 1);
    assert_eq!(text_of(&store, &ada(), digest).await, None, "it is out of time, deleted or not");
    shelf.set(Mood::Fine);
    tokio::time::sleep(HOUR).await;
    assert_eq!(shelf.names().len(), 0);
}

/// Ages come from a clock that people set: they are taken within reason, and only once.
#[tokio::test(start_paused = true)]
async fn a_clock_that_jumps_changes_little() {
    let shelf = Shelf::default();
    let limits = ResultLimits::new().age(HOUR);
    let digest = ResultStore::on(shelf.clone()).limits(limits).keep(&ada(), "text/plain", "a").await.unwrap();
    for (age, there) in [(Duration::ZERO, true), (HOUR / 2, true), (HOUR, false), (Duration::MAX, false)] {
        shelf.age_all(age);
        let store = ResultStore::on(shelf.clone()).limits(limits);
        assert_eq!(text_of(&store, &ada(), digest).await.is_some(), there, "{age:?}");
    }
    // Written tomorrow: it is kept for no longer than an hour from now on.
    shelf.age_all(Duration::ZERO);
    let store = ResultStore::on(shelf.clone()).limits(limits);
    assert!(text_of(&store, &ada(), digest).await.is_some());
    shelf.age_all(Duration::ZERO);
    tokio::time::advance(HOUR).await;
    assert!(text_of(&store, &ada(), digest).await.is_none());
}

#[tokio::test]
async fn what_else_lies_there_is_nobodys_business() {
    let shelf = Shelf::default();
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
    foreign.iter().for_each(|name| shelf.insert(name, b"?"));
    let store = ResultStore::on(shelf.clone()).limits(ResultLimits::new().total(100));
    store.keep(&ada(), "text/plain", "a".repeat(50)).await.unwrap();
    store.keep(&ada(), "text/plain", "b".repeat(50)).await.unwrap();
    assert_eq!(shelf.names().len(), foreign.len() + 1, "neither counted nor deleted");
}

#[tokio::test]
async fn what_was_spoilt_is_not_read() {
    let shelf = Shelf::default();
    let store = ResultStore::on(shelf.clone());
    let digest = store.keep(&ada(), "text/plain", "text").await.unwrap();
    shelf.spoil();
    assert_eq!(text_of(&store, &ada(), digest).await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_write_the_same() {
    let shelf = Shelf::default();
    let store = ResultStore::on(shelf.clone());
    let text = "same".repeat(10_000);
    let keeping = (0..50).map(|n| {
        let (store, text) = (store.clone(), text.clone());
        let principal = if n % 2 == 0 { ada() } else { bob() };
        tokio::spawn(async move { store.keep(&principal, "text/plain", text).await.unwrap() })
    });
    let keeping: Vec<_> = keeping.collect();
    for kept in keeping {
        assert_eq!(kept.await.unwrap(), Digest::of_bytes(text.as_bytes()));
    }
    assert_eq!(shelf.names().len(), 2);
    assert_eq!(text_of(&store, &bob(), Digest::of_bytes(text.as_bytes())).await, Some(text));
}

/// What a listing is known by leads to the same result until something changes, for each caller.
#[tokio::test(start_paused = true)]
async fn a_key_leads_to_what_was_made_of_it() {
    let shelf = Shelf::default();
    let store = ResultStore::on(shelf.clone()).limits(ResultLimits::new().threshold(10).age(HOUR));
    let key = Digest::of_bytes(b"server, tools");
    let made = std::cell::Cell::new(0);
    let excerpt = async |principal: &Principal, key: Digest, text: &str| {
        let make = || {
            made.set(made.get() + 1);
            text.to_owned()
        };
        store.excerpt(principal, key, "text/plain", make).await
    };
    let first = excerpt(&ada(), key, "a long listing").await.unwrap();
    let again = excerpt(&ada(), key, "a long listing").await.unwrap();
    assert_eq!((&first, made.get(), shelf.writes()), (&again, 1, 1));
    assert!(text_of(&store, &ada(), first.digest().unwrap()).await.is_some());
    // Another caller, another list.
    excerpt(&bob(), key, "a long listing").await.unwrap();
    let changed = excerpt(&ada(), Digest::of_bytes(b"server, other tools"), "another listing").await.unwrap();
    assert_eq!((made.get(), changed.digest() == first.digest()), (3, false));
    // What is small is made each time, and kept nowhere.
    assert!(excerpt(&ada(), Digest::of_bytes(b"small"), "small").await.is_none());
    assert_eq!(shelf.writes(), 3);
    // Who is told of it has time to read it.
    tokio::time::advance(HOUR * 3 / 4).await;
    assert_eq!(excerpt(&ada(), key, "a long listing").await.unwrap(), first);
    assert_eq!(shelf.writes(), 4);
    assert!(store.read(&ada(), first.digest().unwrap()).await.unwrap().unwrap().left() > HOUR / 2);
    // What cannot be kept is no answer for later.
    shelf.set(Mood::Full);
    let lost = excerpt(&ada(), Digest::of_bytes(b"third"), "a third listing").await.unwrap();
    assert_eq!(lost.digest(), None);
    shelf.set(Mood::Fine);
    assert!(excerpt(&ada(), Digest::of_bytes(b"third"), "a third listing").await.unwrap().digest().is_some());
}
