//! Progress of calls, sent to a sink.

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

/// Counts without a total.
#[tool(operation = Write, destructive = false)]
async fn count_on(#[inject] context: Context) {
    context.progress(1, None, "");
}

type Reports = Arc<Mutex<Vec<(u64, Option<u64>, String)>>>;

fn with_sink(registry: &Registry) -> (Registry, Reports) {
    let reports = Reports::default();
    let sink = {
        let reports = Arc::clone(&reports);
        move |progress: &Progress<'_>| {
            reports.lock().unwrap().push((progress.done, progress.total, progress.message.to_owned()));
        }
    };
    (registry.with_options(&CallOptions::new().progress(Arc::new(sink))), reports)
}

#[tokio::test]
async fn reports_to_the_sink_of_the_call() {
    let registry = builder_of(module_path!()).build().unwrap();
    let ((first, first_reports), (second, second_reports)) = (with_sink(&registry), with_sink(&registry));
    first.call_with("count", br#"{"to": 2}"#, &CallOptions::new()).await.result.unwrap();
    second
        .as_principal(Principal::new("ada"))
        .call_with("count_on", b"{}", &CallOptions::new())
        .await
        .result
        .unwrap();
    registry.call_with("count", br#"{"to": 1}"#, &CallOptions::new()).await.result.unwrap();
    let step = |done, total, message: &str| (done, total, message.to_owned());
    assert_eq!(*first_reports.lock().unwrap(), [step(1, Some(2), "counting"), step(2, Some(2), "counting")]);
    assert_eq!(*second_reports.lock().unwrap(), [step(1, None, "")]);
}

#[tokio::test]
async fn survives_panicking_sinks() {
    let registry = builder_of(module_path!()).build().unwrap();
    let registry = registry.with_options(
        &CallOptions::new().progress(Arc::new(|_: &Progress<'_>| panic!("the terminal is gone"))),
    );
    assert_eq!(
        registry.call_with("count", br#"{"to": 3}"#, &CallOptions::new()).await.result.unwrap().value(),
        3
    );
}
