//! The registry in the hands of a tool that calls other tools.

use crate::context::elicitation::ElicitationClient;
use crate::declare::inject::{Inject, Injection, Needs, op};
use crate::model::failure::Failure;
use crate::registry::Registry;

/// Injected into a tool, it is the registry that the tool was called through, for the same caller and as part of the same
/// trace: what the tool calls goes through the one pipeline, with the caller's permissions and a record of its own.
///
/// How far these calls have come is told to nobody, unless the tool listens with
/// [`Registry::reporting`](crate::Registry::reporting): what the caller hears is how far its own call has come.
///
/// Only into a tool that modifies, since whoever may call any tool may call one that writes.
///
/// A tool that is called like this cannot [ask](crate::Context::elicit) anything, and a call of one that modifies counts as
/// having written: after it, the calling tool cannot ask either.
///
/// Where [`RegistryBuilder::concurrency`](crate::RegistryBuilder::concurrency) limits how many calls run, these calls go on with the place of the
/// call that makes them, one at a time, and beside it with places that are free: no limit is so low that calls wait for one another
/// for good. Where registries with limits are joined, a call that would wait for calls that wait for it is refused as
/// [`Busy`](crate::FailureKind::Busy).
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
/// /// Calls a tool twice, the second time with what came of the first.
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
    // Nothing is injected where nothing runs, and what runs was called through a registry.
    let mut registry = source.registry::<Registry>().cloned().ok_or_else(Failure::internal)?;
    // How far a call within the call has come says nothing of how far the outer one has.
    registry.caller.progress = None;
    // What is called asks nobody: the outer call would start again. What it changes, it changes for the outer one.
    registry.caller.client = Some(ElicitationClient::OuterCall(source.context().clone()));
    registry.caller.outer = Some(source.context().clone());
    // What a tool is given it reads itself, and its caller is not told of it.
    #[cfg(feature = "tokio")]
    let registry = registry.in_full();
    Ok(registry)
}
