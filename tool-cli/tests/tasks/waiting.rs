//! `task wait`: its progress, and its end before that of the task.

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tool_cli::Streams;

use crate::{Bench, on};

#[tokio::test]
async fn leaves_the_task_running() {
    let bench = Bench::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let id = bench.run(&["run", "hold", &format!("port={port}"), "--detach"]).await.id();
    let worker = bench.work();
    let mut held = BufReader::new(listener.accept().await.unwrap().0);
    let mut attempt = String::new();
    held.read_line(&mut attempt).await.unwrap();

    let goes_on = format!(
        "the task goes on: wait for it with `demo task wait {id}`, or cancel it with `demo task cancel {id}`\n"
    );
    let ran = bench.run(&["task", "wait", &id, "-q", "--timeout", "1ms"]).await;
    ran.is(6, "", &format!("error: the task did not end within 1ms; {goes_on}"));
    let interrupted = |stdout, stderr| {
        Streams::new(std::io::empty(), stdout, stderr).interrupted_by(std::future::ready(()))
    };
    let ran = on(bench.app(), &["task", "wait", &id, "-q"], interrupted).await;
    ran.is(130, "", &format!("error: the wait was interrupted; {goes_on}"));

    held.write_all(b"done\n").await.unwrap();
    bench.run(&["task", "wait", &id, "-q"]).await.is(0, "done on attempt 1\n", "");
    worker.stop().await;
}

#[tokio::test]
async fn shows_the_progress() {
    let bench = Bench::new();
    let id = bench.ended(&["run", "count", "to=3", "--detach"]).await;
    let ran = bench.run(&["task", "wait", &id]).await;
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "progress: 3/3 counted\n"));
    let ran = bench.run(&["task", "wait", &id, "--format", "json"]).await;
    assert_eq!(ran.json()["output"][0]["number"], 1);
}

#[tokio::test]
async fn hears_a_cancellation() {
    let bench = Bench::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let id = bench.run(&["run", "hold", &format!("port={port}"), "--detach"]).await.id();
    let worker = bench.work();
    let _held = listener.accept().await.unwrap();
    let ran = bench.run(&["task", "cancel", &id]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{ran:?}");
    let ran = bench.run(&["task", "wait", &id, "-q"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (130, ""), "{ran:?}");
    worker.stop().await;
}

/// The engine may wait for long until it looks again, and must not delay the hint.
#[tokio::test]
async fn says_that_no_worker_has_taken_the_task() {
    let bench = Bench::new();
    let id = bench.run(&["run", "count", "to=3", "--detach"]).await.id();
    let hint = "no worker has taken the task yet: `demo task work` runs one, and so does a server\n";
    let until_hint = |stdout, stderr: tool_cli::Buffer| {
        let shown = stderr.clone();
        let hinted = async move {
            while !shown.text().contains(hint) {
                tokio::task::yield_now().await;
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            }
        };
        Streams::new(std::io::empty(), stdout, stderr).interrupted_by(hinted)
    };
    let ran = on(bench.app(), &["task", "wait", &id, "--timeout", "15s"], until_hint).await;
    assert_eq!((ran.code, ran.stderr.matches(hint).count()), (130, 1), "{ran:?}");
}
