//! `run` with `--detach` and `--key`, and tools that must run as a task.

use std::sync::Arc;

use serde_json::json;

use crate::registry::{self, Failing};
use crate::{Bench, on};
use tool_cli::{App, Streams};
use tool_core::tasks::TaskError;

#[tokio::test]
async fn detaches_and_prints_the_id() {
    let bench = Bench::new();
    let id = bench.run(&["run", "count", "to=2", "--detach"]).await.id();
    let worker = bench.work();
    bench.run(&["task", "wait", &id, "-q"]).await.is(0, "number  is_last\n1       false\n2       true\n", "");
    worker.stop().await;
}

#[tokio::test]
async fn prints_the_task_as_data() {
    let bench = Bench::new();
    let task = bench.run(&["run", "count", "to=2", "--detach", "--format", "json"]).await.json();
    let names: Vec<&str> = task.as_object().unwrap().keys().map(String::as_str).collect();
    let expected =
        ["taskId", "tool", "status", "createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs", "attempt"];
    assert_eq!(names, expected);
    assert_eq!((&task["tool"], &task["status"]), (&json!("count"), &json!("working")));
    let yaml = bench.run(&["run", "count", "to=2", "--detach", "--format", "yaml"]).await;
    assert!(yaml.stdout.starts_with("taskId: "), "{yaml:?}");
}

#[tokio::test]
async fn creates_one_task_for_a_key() {
    let bench = Bench::new();
    let first = bench.run(&["run", "count", "to=2", "--detach", "--key", "monday"]).await.id();
    assert_eq!(bench.run(&["run", "count", "to=2", "--detach", "--key", "monday"]).await.id(), first);
    assert_ne!(bench.run(&["run", "count", "to=2", "--detach", "--key", "tuesday"]).await.id(), first);
    bench.run(&["run", "count", "to=3", "--detach", "--key", "monday"]).await.is(
        11,
        "",
        "error: a task with this idempotency key exists, and has other arguments: use another key\n",
    );
}

#[tokio::test]
async fn waits_for_a_key_without_detach() {
    let bench = Bench::new();
    let worker = bench.work();
    for _ in 0..2 {
        let ran = bench.run(&["run", "count", "to=1", "--key", "monday", "-q"]).await;
        ran.is(0, "number  is_last\n1       true\n", "");
    }
    worker.stop().await;
    assert_eq!(bench.run(&["task", "list", "--format", "json"]).await.json().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn waits_for_a_tool_that_must_run_as_a_task() {
    let bench = Bench::new();
    let worker = bench.work();
    let ran = bench.run(&["run", "build_house", "key=Villa", "storeys=2"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "Villa with 2 storeys\n"));
    let id = ran.stderr.strip_prefix("task ").unwrap().trim_end();
    assert_eq!(bench.run(&["task", "show", id, "--format", "json"]).await.json()["status"], "completed");

    let ran = bench.run(&["run", "build_house", "key=Villa", "storeys=0", "-q"]).await;
    ran.is(11, "", "error: Villa has no storeys\n");
    let ran = bench.run(&["run", "build_house", "key=Villa", "storeys=0", "--format", "json"]).await;
    assert_eq!((ran.code, &ran.json()["error"]), (11, &json!("Villa has no storeys")));
    worker.stop().await;
}

#[tokio::test]
async fn refuses_as_a_call_is_refused() {
    let bench = Bench::new();
    for arguments in [&["run", "count", "to=many"][..], &["run", "nope"], &["run", "delete_all"]] {
        let called = bench.run(arguments).await;
        let detached = bench.run(&[arguments, &["--detach"]].concat()).await;
        assert_ne!(called.code, 0);
        detached.is(called.code, "", &called.stderr);
    }
    bench.run(&["run", "delete_all", "--yes", "--detach"]).await.id();
    let message = "error: `greet` does not run as a task: call it, and wait for its result\n";
    bench.run(&["run", "greet", "key=Ada", "--detach"]).await.is(11, "", message);
    let wrong = bench.run(&["run", "count", "to=1", "--detach", "--answer", "a=b"]).await;
    assert_eq!(wrong.code, 2, "{wrong:?}");
}

#[tokio::test]
async fn refuses_without_an_engine() {
    let streams = |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr);
    let app = || App::new("demo", registry::without_engine());
    let message = "error: `count` cannot run as a task here, since the application has no task engine: call it, and wait \
                   for its result\n";
    on(app(), &["run", "count", "to=1", "--detach"], streams).await.is(11, "", message);
    on(app(), &["run", "greet", "--key", "Ada"], streams).await.is(0, "Hello Ada\n", "");
    assert_eq!(on(app(), &["task", "list"], streams).await.code, 2);
}

#[tokio::test]
async fn reports_an_engine_that_fails() {
    let streams = |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr);
    let id = "00112233445566778899aabbccddeeff";
    let away = "error: the tasks cannot be reached at the moment\ntry again in 1 second\n";
    let unusable = "error: the tasks cannot be used; the log has the cause\n";
    for arguments in [&["run", "count", "to=1", "--detach"][..], &["task", "list"], &["task", "wait", id]] {
        let app = |engine| App::new("demo", registry::with(Arc::new(engine)));
        on(app(Failing::away()), arguments, streams).await.is(12, "", away);
        let engine = Failing(TaskError::Unusable("all users have access to it".to_owned()));
        on(app(engine), arguments, streams).await.is(70, "", unusable);
    }
}

#[tokio::test]
async fn keeps_flags_of_tools_without_tasks() {
    let bench = Bench::new();
    bench.run(&["run", "greet", "--key", "Ada"]).await.is(0, "Hello Ada\n", "");
}
