//! Injecting the registry into a tool that calls other tools.

use std::sync::Arc;

use crate::call::options::CallOptions;
use crate::context::elicitation::ElicitationClient;
use crate::context::options::ContextOptions;
use crate::declare::inject::{Inject, Injection, Needs, op};
use crate::model::failure::Failure;
use crate::registry::Registry;

/// Injects the registry that the tool was called through, for the same caller and the same trace: a call that the tool
/// makes has the caller's permissions and a record of its own.
///
/// Progress of these calls is discarded, unless the tool sets [`CallOptions::progress`]: the caller receives the progress of
/// its own call only.
///
/// Only a tool that modifies can have a registry, since it may call tools that modify.
///
/// A tool that is called through it cannot [elicit](crate::Context::elicit) input. After it calls a tool that modifies, the
/// calling tool cannot elicit input either.
///
/// With a limit on [`RegistryBuilder::concurrency`](crate::RegistryBuilder::concurrency), one of these calls at a time uses the
/// permit of the calling tool, and others use free permits, so that a low limit cannot cause a deadlock. If registries with
/// limits are joined, a call that would wait for itself fails as [`Busy`](crate::FailureKind::Busy).
///
/// ```
/// use tool_core::{Failure, Registry, tool, tools};
///
/// /// Doubles a number.
/// #[tool(operation = Transform)]
/// fn doubled(n: i64) -> i64 {
///     2 * n
/// }
///
/// /// Calls a tool twice, the second time with the result of the first call.
/// #[tool(operation = Trigger, destructive = true)]
/// async fn call_twice(#[inject] registry: Registry, name: String, n: i64) -> Result<i64, Failure> {
///     let mut n = n.into();
///     for _ in 0..2 {
///         n = registry.call(&name, serde_json::json!({"n": n})).await?.value();
///     }
///     n.as_i64().ok_or_else(Failure::internal)
/// }
///
/// # tool_core::private::block_on(async {
/// let registry = Registry::builder().tools(tools![doubled, call_twice]).build().unwrap();
/// let output = registry.call("call_twice", serde_json::json!({"name": "doubled", "n": 5})).await.unwrap();
/// assert_eq!(output.value(), 20);
/// # });
/// ```
impl Inject<op::Trigger> for Registry {
    fn needs(_: &mut Needs) {}

    fn inject(source: &Injection<'_, op::Trigger>) -> Result<Self, Failure> {
        of(source)
    }
}

impl Inject<op::Write> for Registry {
    fn needs(_: &mut Needs) {}

    fn inject(source: &Injection<'_, op::Write>) -> Result<Self, Failure> {
        of(source)
    }
}

fn of<Op>(source: &Injection<'_, Op>) -> Result<Registry, Failure> {
    // Injection happens in calls only, and every call comes through a registry.
    let registry = source.registry::<Registry>().ok_or_else(Failure::internal)?;
    let context = source.context();
    let options = ContextOptions {
        // The progress of a nested call is not that of the outer call.
        progress: None,
        // Eliciting input would restart the outer call.
        client: Some(ElicitationClient::OuterCall),
        outer: Some(context.clone()),
        ..source.options().clone()
    };
    let options = Some(Arc::new(CallOptions::nested(options)));
    Ok(Registry { options, ..registry.clone() })
}
