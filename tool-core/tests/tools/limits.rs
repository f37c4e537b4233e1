//! Timeouts of calls, and their failures.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use tokio::sync::Mutex;
use tool_core::{CallOptions, FailureKind, Registry, State, tool};

use crate::builder_of;

/// Is always busy, and gives way to other tasks only when it has to.
#[tool(operation = Read, timeout = "20ms")]
async fn spin() {
    loop {
        tokio::task::consume_budget().await;
    }
}

#[test]
fn times_out_functions_that_never_wait() {
    let (send, ended) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let registry = builder_of(module_path!()).state(Door::default()).build().unwrap();
        let reply = runtime.block_on(registry.call_with("spin", b"{}", &CallOptions::new()));
        // The receiver is gone if the test failed already.
        let _ = send.send(reply.result.map(|_| ()).unwrap_err().kind());
    });
    assert_eq!(ended.recv_timeout(Duration::from_secs(20)), Ok(FailureKind::Timeout));
}

/// Keeps calls waiting while a test holds the lock.
#[derive(Clone, Default)]
struct Door(Arc<Mutex<u32>>);

/// Goes through the door.
#[tool(operation = Write, destructive = false, blocking, timeout = "20ms")]
fn enter(#[inject] door: State<Door>) {
    *door.0.blocking_lock() += 1;
}

#[tokio::test]
async fn reports_calls_without_a_thread_as_retryable() {
    let door = Door::default();
    let registry = builder_of(module_path!()).state(door.clone()).blocking_threads(1).build().unwrap();
    let closed = door.0.lock().await;
    let time_out = async || {
        let failure = registry.call_with("enter", b"{}", &CallOptions::new()).await.result.unwrap_err();
        (failure.kind(), failure.message().to_owned(), failure.retryable())
    };
    let continues = "`enter` did not end within 20ms; it continues, and may still take effect";
    assert_eq!(
        time_out().await,
        (FailureKind::Timeout, continues.to_owned(), false),
        "it waits on its thread"
    );
    let waits = "`enter` did not start within 20ms";
    assert_eq!(time_out().await, (FailureKind::Timeout, waits.to_owned(), true), "it waits for a thread");
    drop(closed);
    registry.drain().await;
    assert_eq!(*door.0.lock().await, 1);
}

#[test]
fn rejects_zero_limits() {
    let builder =
        Registry::builder().allow_empty().concurrency(0).blocking_threads(0).timeout(Duration::ZERO);
    let errors = builder.build().unwrap_err();
    assert_eq!(
        errors.to_string(),
        "`concurrency(0)` lets no call run\nhelp: give it at least 1\n\n\
         `blocking_threads(0)` lets no call run\nhelp: give it at least 1\n\n\
         `timeout(0)` lets no call run\nhelp: give it at least 1"
    );
    let least = Registry::builder().allow_empty().concurrency(1).queue(0).blocking_threads(1);
    assert!(least.timeout(Duration::from_nanos(1)).build().is_ok());
}

/// Keeps its permit until the door opens.
#[tool(operation = Write, destructive = false)]
async fn stay(#[inject] door: State<Door>) {
    *door.0.lock().await += 1;
}

/// Is quick, once it is its turn.
#[tool(operation = Write, destructive = false, timeout = "30s")]
async fn go(#[inject] door: State<Door>) {
    *door.0.lock().await += 1;
}

/// Is quicker still.
#[tool(operation = Read, timeout = "30s")]
async fn look() {}

#[tokio::test(start_paused = true)]
async fn times_out_queued_calls() {
    let door = Door::default();
    let registry = builder_of(module_path!()).state(door.clone()).concurrency(1).queue(9).build().unwrap();
    let closed = door.0.lock().await;
    let staying = tokio::spawn({
        let registry = registry.clone();
        async move { registry.call_with("stay", b"{}", &CallOptions::new()).await.result }
    });
    tokio::task::yield_now().await;
    for name in ["go", "look"] {
        let began = tokio::time::Instant::now();
        let failure = registry.call_with(name, b"{}", &CallOptions::new()).await.result.unwrap_err();
        assert_eq!((failure.kind(), failure.retryable()), (FailureKind::Timeout, true), "{name}");
        assert_eq!(began.elapsed(), Duration::from_secs(30), "{name}");
    }
    // A call that starts in time succeeds.
    let waiting = tokio::spawn({
        let registry = registry.clone();
        async move { registry.call_with("go", b"{}", &CallOptions::new()).await.result }
    });
    tokio::time::sleep(Duration::from_secs(29)).await;
    drop(closed);
    staying.await.unwrap().unwrap();
    waiting.await.unwrap().unwrap();
    registry.drain().await;
    assert_eq!(*door.0.lock().await, 2, "calls that timed out never ran");
}
