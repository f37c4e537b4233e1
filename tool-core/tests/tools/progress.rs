//! How far a call has come, told to whoever wants to know.

use std::sync::{Arc, Mutex};

use tool_core::progress::Progress;
use tool_core::{CallOptions, Context, Principal, Registry, tool};

use crate::builder_of;

/// Counts.
#[tool(operation = Transform)]
fn count(#[inject] context: Context, to: u64) -> u64 {
    for n in 1..=to {
        context.progress(n, to, "counting");
    }
    to
}

/// Counts, and nobody knows how far.
#[tool(operation = Write, destructive = false)]
async fn count_on(#[inject] context: Context) {
    context.progress(1, None, "");
}

type Told = Arc<Mutex<Vec<(u64, Option<u64>, String)>>>;

fn told_by(registry: &Registry) -> (Registry, Told) {
    let told = Told::default();
    let sink = {
        let told = Arc::clone(&told);
        move |progress: &Progress<'_>| {
            told.lock().unwrap().push((progress.done, progress.total, progress.message.to_owned()));
        }
    };
    (registry.with_options(&CallOptions::new().progress(Arc::new(sink))), told)
}

#[tokio::test]
async fn each_call_tells_its_own_sink() {
    let registry = builder_of(module_path!()).build().unwrap();
    let ((first, told_first), (second, told_second)) = (told_by(&registry), told_by(&registry));
    first.call_with("count", br#"{"to": 2}"#, &CallOptions::new()).await.result.unwrap();
    second
        .as_principal(Principal::new("ada"))
        .call_with("count_on", b"{}", &CallOptions::new())
        .await
        .result
        .unwrap();
    registry.call_with("count", br#"{"to": 1}"#, &CallOptions::new()).await.result.unwrap();
    let step = |done, total, message: &str| (done, total, message.to_owned());
    assert_eq!(*told_first.lock().unwrap(), [step(1, Some(2), "counting"), step(2, Some(2), "counting")]);
    assert_eq!(*told_second.lock().unwrap(), [step(1, None, "")]);
}

#[tokio::test]
async fn a_sink_that_panics_harms_no_call() {
    let registry = builder_of(module_path!()).build().unwrap();
    let registry = registry.with_options(
        &CallOptions::new().progress(Arc::new(|_: &Progress<'_>| panic!("the terminal is gone"))),
    );
    assert_eq!(
        registry.call_with("count", br#"{"to": 3}"#, &CallOptions::new()).await.result.unwrap().value(),
        3
    );
}
