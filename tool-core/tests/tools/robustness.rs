//! Bad inputs and faults, one row each: the outcome, exactly one audit event without secrets, and a next call
//! that succeeds.

mod aborts;
mod arguments;
mod faults;
mod load;

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use tool_core::audit::AuditEvent;
use tool_core::{CallOptions, Failure, FailureKind, Output, Registry, RegistryBuilder, Reply, tool};

/// What no audit event and no failure may contain.
const SECRET: &str = "hunter2";

/// Adds two numbers: the call that succeeds after each row.
#[tool(operation = Transform)]
fn next_call(a: u8, b: u8) -> u8 {
    a + b
}

/// A registry whose calls are recorded.
struct Recorded {
    registry: Registry,
    events: Events,
}

/// The audit events so far, as JSON.
#[derive(Clone, Default)]
struct Events(Arc<Mutex<Vec<Value>>>);

impl Events {
    fn take(&self) -> Vec<Value> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Recorded {
    /// The tools of one module of this test, and the call that succeeds after each row.
    fn new(module: &'static str, with: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Self {
        let events = Events::default();
        let sink = {
            let events = events.clone();
            move |event: &AuditEvent<'_>| {
                assert!(!format!("{event:?}").contains(SECRET), "{event:?}");
                events.0.lock().unwrap().push(serde_json::to_value(event).unwrap());
            }
        };
        let builder = Registry::builder()
            .linked()
            .select(move |tool| tool.source().module == module || tool.name() == "next_call")
            .audit(sink);
        Recorded { registry: with(builder).build().unwrap(), events }
    }

    /// Makes one call, and checks its only audit event and the next call.
    async fn call(&self, row: &str, tool: &str, arguments: impl AsRef<[u8]>) -> Result<Output, Failure> {
        let arguments = arguments.as_ref();
        let Reply { call_id, result, .. } =
            self.registry.call_with(tool, arguments, &CallOptions::new()).await;
        let event = self.only_event(row);
        assert_eq!(event["callId"], call_id.to_string(), "{row}");
        assert_eq!(event["name"], tool, "{row}");
        assert_eq!(event["bytesIn"], arguments.len(), "{row}");
        let outcome = result.as_ref().map_or_else(|failure| failure.kind().codes().error_type, |_| "success");
        assert_eq!(event["outcome"], outcome, "{row}");
        if let Err(failure) = &result {
            assert!(!failure.text().contains(SECRET), "{row}: {}", failure.text());
        }
        self.next(row).await;
        result
    }

    /// Makes a call that fails, and returns its kind and text.
    async fn fails(&self, row: &str, tool: &str, arguments: impl AsRef<[u8]>) -> (FailureKind, String) {
        let failure = self.call(row, tool, arguments).await.expect_err(row);
        (failure.kind(), failure.text())
    }

    /// Checks that the next call succeeds.
    async fn next(&self, row: &str) {
        let output = self.registry.call("next_call", json!({"a": 1, "b": 2})).await;
        assert_eq!(output.unwrap_or_else(|failure| panic!("after {row}: {failure:?}")).value(), 3);
        self.only_event(row);
    }

    fn only_event(&self, row: &str) -> Value {
        let mut events = self.events.take();
        assert_eq!(events.len(), 1, "{row}: {events:?}");
        events.remove(0)
    }
}
