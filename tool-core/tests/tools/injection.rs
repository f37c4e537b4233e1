//! Injected parameters: created once, and only after validation and access checks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tool_core::inject::{Inject, Injection, Needs};
use tool_core::{Access, Failure, FailureKind, Output, Principal, Registry, State, tool};

use crate::builder_of;

/// How often a lease was taken.
#[derive(Default)]
struct Leases(AtomicUsize);

/// A costly value, such as a connection.
struct Lease;

impl<Op> Inject<Op> for Lease {
    fn needs(needs: &mut Needs) {
        needs.state::<Leases>();
    }

    fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
        let leases = source.state::<Leases>().ok_or_else(|| Failure::new(FailureKind::Unmet, "no leases"))?;
        leases.0.fetch_add(1, Ordering::SeqCst);
        if source.context().principal().has("refused") {
            return Err(Failure::new(FailureKind::Busy, "no lease is left"));
        }
        Ok(Lease)
    }
}

/// Takes a lease.
#[tool(operation = Read)]
fn plain(#[inject] _lease: Lease, number: u8) -> u8 {
    number
}

/// Takes a lease and waits.
#[tool(operation = Read)]
async fn later(number: u8, #[inject] _lease: Lease) -> u8 {
    number
}

fn even(_: &Principal, number: &u8) -> Access {
    if number.is_multiple_of(2) { Access::Allow } else { Access::deny("it is odd") }
}

/// Takes a lease when it may.
#[tool(operation = Read, access = even(number))]
fn guarded(#[inject] _lease: Lease, number: u8, #[inject] leases: State<Leases>) -> u8 {
    assert_eq!(leases.0.load(Ordering::SeqCst), 1);
    number
}

/// Takes a lease when it may, and waits.
#[tool(operation = Read, access = even(number))]
async fn guarded_later(#[inject] _lease: Lease, number: u8) -> u8 {
    number
}

/// Takes a lease when it may, and blocks.
#[tool(operation = Read, blocking, access = even(number))]
fn guarded_slowly(#[inject] _lease: Lease, number: u8) -> u8 {
    number
}

fn even_with(principal: &Principal, _: &Lease, number: &u8) -> Access {
    even(principal, number)
}

/// Passes its lease to the access function.
#[tool(operation = Read, access = even_with(lease, number))]
async fn shown(number: u8, #[inject] lease: Lease) -> u8 {
    let Lease = lease;
    number
}

async fn call(name: &str, arguments: Value) -> (Result<Output, Failure>, usize) {
    let leases = Arc::new(Leases::default());
    let registry = builder_of(module_path!()).shared_state(Arc::clone(&leases)).build().unwrap();
    let result = registry.call(name, arguments).await;
    (result, leases.0.load(Ordering::SeqCst))
}

const ALL: [&str; 6] = ["plain", "later", "guarded", "guarded_later", "guarded_slowly", "shown"];

#[tokio::test]
async fn injects_once_per_call() {
    for name in ALL {
        // Plain, spelled differently, and coerced.
        for number in [json!(2), json!(2.0), json!("2")] {
            let (result, leases) = call(name, json!({"number": number})).await;
            assert_eq!((result.unwrap().value(), leases), (json!(2), 1), "{name} {number}");
        }
    }
}

#[tokio::test]
async fn injects_nothing_for_invalid_arguments() {
    for name in ALL {
        for arguments in
            [json!({"number": "x"}), json!({}), json!({"number": 2, "more": 1}), json!({"number": 256})]
        {
            let (result, leases) = call(name, arguments.clone()).await;
            assert_eq!((result.unwrap_err().kind(), leases), (FailureKind::Input, 0), "{name} {arguments}");
        }
    }
}

#[tokio::test]
async fn injects_only_access_parameters_for_denied_calls() {
    for (name, expected) in [("guarded", 0), ("guarded_later", 0), ("guarded_slowly", 0), ("shown", 1)] {
        let (result, leases) = call(name, json!({"number": 3})).await;
        assert_eq!((result.unwrap_err().kind(), leases), (FailureKind::Denied, expected), "{name}");
    }
}

#[tokio::test]
async fn reports_injection_failures_last() {
    let registry = builder_of(module_path!()).state(Leases::default()).build().unwrap();
    let refused: Registry = registry.as_principal(Principal::local().grant("refused"));
    for name in ALL {
        let kind =
            async |number: Value| refused.call(name, json!({"number": number})).await.unwrap_err().kind();
        assert_eq!(kind(json!("x")).await, FailureKind::Input, "{name}");
        assert_eq!(kind(json!(2)).await, FailureKind::Busy, "{name}");
    }
    // The access function of `shown` needs the lease, too.
    assert_eq!(refused.call("shown", json!({"number": 3})).await.unwrap_err().kind(), FailureKind::Busy);
    assert_eq!(refused.call("guarded", json!({"number": 3})).await.unwrap_err().kind(), FailureKind::Denied);
}
