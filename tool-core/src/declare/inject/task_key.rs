//! Injection of the idempotency key of a task.

use std::ops::Deref;

use crate::declare::inject::{Inject, Injection, Needs, op};
use crate::model::failure::Failure;

/// The idempotency key of a call: the same in each attempt of a task, and different for each other call.
///
/// It is what the caller gave, or else the identifier of the task. A function that sends it along with each of its effects may
/// begin again after its process ended: `task(optional, retries = 2)`. Outside of a task it is the identifier of the call.
///
/// ```
/// use tool_core::tasks::TaskKey;
/// use tool_core::tool;
///
/// /// Charges a credit card, once.
/// #[tool(operation = Trigger, destructive = false, task(optional, retries = 2))]
/// async fn charge(#[inject] key: TaskKey, /** In cents. */ amount: u32) -> String {
///     format!("POST /charges, Idempotency-Key: {}, amount: {amount}", &*key)
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskKey(String);

impl Deref for TaskKey {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Inject<op::Trigger> for TaskKey {
    fn needs(_: &mut Needs) {}

    fn inject(source: &Injection<'_, op::Trigger>) -> Result<Self, Failure> {
        let key = match &source.options().task {
            Some(call) => call.0.task.key.clone(),
            None => source.call_id().to_string(),
        };
        Ok(TaskKey(key))
    }
}
