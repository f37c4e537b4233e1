//! How a function is executed, and the option `blocking`.

use crate::diagnostics::{Errors, Section};
use crate::model::Execution;
use crate::parse::{Attribute, Function};

pub(super) fn execution(attribute: &Attribute, function: &Function) -> Execution {
    match (&function.signature.asyncness, &attribute.blocking) {
        (Some(_), _) => Execution::Async,
        (None, Some(_)) => Execution::Blocking,
        (None, None) => Execution::Sync,
    }
}

// An `async fn` that blocks is mended by `spawn_blocking` inside it; the option could not do that.
pub(super) fn check_blocking(attribute: &Attribute, function: &Function, errors: &mut Errors) {
    if let Some(blocking) = &attribute.blocking
        && function.signature.asyncness.is_some()
    {
        errors.push(
            Section::Attribute,
            blocking,
            "an `async fn` cannot be `blocking`",
            "remove `blocking`, or make it a plain `fn`",
        );
    }
}
