//! Row 97: more calls than may run at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tokio::sync::Semaphore;
use tool_core::{CallOptions, FailureKind, Principal, State, tool};

use super::Recorded;

struct Door {
    open: Semaphore,
    inside: AtomicUsize,
    most: AtomicUsize,
    served: [AtomicUsize; 2],
}

/// Goes through the door.
#[tool(operation = Read)]
async fn enter(#[inject] door: State<Door>, caller: usize) {
    let inside = door.inside.fetch_add(1, Ordering::SeqCst) + 1;
    door.most.fetch_max(inside, Ordering::SeqCst);
    door.open.acquire().await.unwrap().forget();
    door.served[caller].fetch_add(1, Ordering::SeqCst);
    door.inside.fetch_sub(1, Ordering::SeqCst);
}

#[tokio::test]
async fn row_97_limits_concurrent_calls_and_alternates_callers() {
    let door = Arc::new(Door {
        open: Semaphore::new(0),
        inside: AtomicUsize::new(0),
        most: AtomicUsize::new(0),
        served: [AtomicUsize::new(0), AtomicUsize::new(0)],
    });
    let with = |builder: tool_core::RegistryBuilder| {
        builder.shared_state(Arc::clone(&door)).concurrency(100).queue(200)
    };
    let recorded = Recorded::new(module_path!(), with);
    let call = |caller: usize| {
        let registry = recorded.registry.as_principal(Principal::new(["greedy", "modest"][caller]));
        let arguments = json!({"caller": caller}).to_string();
        tokio::spawn(async move {
            registry.call_with("enter", arguments.as_bytes(), &CallOptions::new()).await.result.map(|_| ())
        })
    };
    // A thousand calls of one caller come first: 100 run, 200 wait, and 700 are rejected.
    let greedy: Vec<_> = (0..1_000).map(|_| call(0)).collect();
    while recorded.events.0.lock().unwrap().len() < 700 {
        tokio::task::yield_now().await;
    }
    // The next caller gets half of the queue.
    let modest: Vec<_> = (0..100).map(|_| call(1)).collect();
    while recorded.events.0.lock().unwrap().len() < 800 {
        tokio::task::yield_now().await;
    }
    assert_eq!(door.inside.load(Ordering::SeqCst), 100);
    // 100 end, and 100 start, from both callers alike.
    door.open.add_permits(200);
    while door.served.iter().map(|served| served.load(Ordering::SeqCst)).sum::<usize>() < 200 {
        tokio::task::yield_now().await;
    }
    assert_eq!([&door.served[0], &door.served[1]].map(|served| served.load(Ordering::SeqCst)), [150, 50]);
    door.open.add_permits(100);
    let mut ended = [0, 0];
    for (caller, calls) in [greedy, modest].into_iter().enumerate() {
        for call in calls {
            match call.await.unwrap() {
                Ok(()) => ended[caller] += 1,
                Err(failure) => {
                    assert_eq!((failure.kind(), failure.retryable()), (FailureKind::Busy, true));
                    assert!(failure.retry_after().is_some());
                }
            }
        }
    }
    assert_eq!(ended, [200, 100]);
    assert_eq!(door.most.load(Ordering::SeqCst), 100);
    let events = recorded.events.take();
    let of = |outcome: &str| events.iter().filter(|event| event["outcome"] == outcome).count();
    assert_eq!((events.len(), of("success"), of("busy")), (1_100, 300, 800));
    recorded.next("97").await;
}
