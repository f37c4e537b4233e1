//! Creating and finding tasks.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::task::JoinSet;
use tool_core::Principal;
use tool_core::tasks::{NewTask, TaskError, TaskId, TaskState};

use super::support::{Engine, Worker, completed, create, get, new, options, output, principal, until_state};

pub(super) async fn returns_what_was_stored(engine: &Engine) {
    let ada = principal("ada");
    let options = options().ttl(90_000).poll(700);
    let new = NewTask::new(&ada, "create", r#"{"text": "\u0000 ü"}"#, options).expect("randomness");
    let id = new.id;
    let created = engine.create(new).await.expect("a task");
    let found = get(engine, &ada, &id).await;
    for task in [&created, &found] {
        assert_eq!((task.id, &*task.tool, task.state), (id, "create", TaskState::Working));
        assert_eq!((task.attempt, task.is_canceled, task.outcome.is_none()), (0, false, true));
        assert_eq!((task.ttl, task.poll), (Duration::from_secs(90), Duration::from_millis(700)));
        assert_eq!(
            (task.version, task.created, task.updated),
            (created.version, created.created, created.created)
        );
    }
    assert!(created.version > 0);
}

pub(super) async fn separates_owners(engine: &Engine) {
    let (ada, bob, anonymous) = (principal("ada"), principal("bob"), Principal::anonymous());
    let task = create(engine, &ada, "create").await;
    let invented = TaskId::from_bytes([7; 16]);
    for (who, id) in [(&bob, task.id), (&anonymous, task.id), (&ada, invented), (&bob, invented)] {
        assert!(engine.get(who, &id).await.expect("an answer").is_none());
        assert!(!engine.answer(who, &id, serde_json::Map::new()).await.expect("an answer"));
        assert!(!engine.cancel(who, &id).await.expect("an answer"));
    }
    assert_eq!(get(engine, &ada, &task.id).await.version, task.version);
    let granted = ada.clone().grant("more");
    assert_eq!(get(engine, &granted, &task.id).await.id, task.id);

    let open = create(engine, &anonymous, "create").await;
    assert_eq!(get(engine, &anonymous, &open.id).await.id, open.id);
    assert!(engine.list(&anonymous, None, 10).await.expect("an answer").is_empty());
}

pub(super) async fn lists_newest_first(engine: &Engine) {
    let (ada, bob) = (principal("ada"), principal("bob"));
    let mut created = Vec::new();
    for _ in 0..5 {
        created.push(create(engine, &ada, "create").await);
        create(engine, &bob, "create").await;
    }
    let mut pages = Vec::new();
    let mut after = None;
    loop {
        let page = engine.list(&ada, after.as_ref(), 2).await.expect("an answer");
        let Some(last) = page.last() else { break };
        assert!(page.len() <= 2);
        after = Some(last.id);
        pages.extend(page);
    }
    let listed: HashSet<_> = pages.iter().map(|task| task.id).collect();
    assert_eq!(listed, created.iter().map(|task| task.id).collect());
    assert_eq!(pages.len(), 5);
    assert!(pages.is_sorted_by(|a, b| a.created >= b.created));
    let foreign = engine.list(&bob, Some(&created[0].id), 2).await.expect("an answer");
    assert!(foreign.is_empty(), "the task of another owner is no position in a list");
}

pub(super) async fn joins_the_same_key(engine: &Engine) {
    let (ada, bob) = (principal("ada"), principal("bob"));
    let new = |owner, tool, arguments| new(owner, tool, &arguments).key("k\u{0}ey");
    let first = engine.create(new(&ada, "create", json!({"a": 1, "b": 2}))).await.expect("a task");
    let same = engine.create(new(&ada, "create", json!({"b": 2, "a": 1}))).await.expect("a task");
    assert_eq!(first.id, same.id);
    let other = engine.create(new(&ada, "create", json!({"a": 2}))).await;
    assert_eq!(other.expect_err("an error"), TaskError::Conflict);
    for other in
        [new(&bob, "create", json!({"a": 1, "b": 2})), new(&ada, "create_2", json!({"a": 1, "b": 2}))]
    {
        assert_ne!(engine.create(other).await.expect("a task").id, first.id);
    }
}

pub(super) async fn joins_the_same_key_at_once(here: &Engine, there: &Engine) {
    let ada = principal("ada");
    let begun = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = Arc::clone(&begun);
    let run = move |attempt: tool_core::tasks::TaskAttempt| {
        if attempt.tool == "create_once" {
            assert_eq!(attempt.task.key, "once");
            count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        }
        async { completed(&json!("done")) }
    };
    let workers = [Worker::start(here, run.clone()), Worker::start(there, run)];
    let mut creating = JoinSet::new();
    for n in 0..100 {
        let engine = Arc::clone(if n % 2 == 0 { here } else { there });
        let new = new(&ada, "create_once", &json!({})).key("once");
        creating.spawn(async move { engine.create(new).await.expect("a task").id });
    }
    let ids: HashSet<_> = creating.join_all().await.into_iter().collect();
    assert_eq!(ids.len(), 1, "{ids:?}");
    for id in &ids {
        assert_eq!(output(&until_state(here, &ada, id, TaskState::Completed).await), json!("done"));
    }
    for worker in workers {
        worker.stop().await;
    }
    assert_eq!(begun.load(std::sync::atomic::Ordering::SeqCst), 1);
}
