//! The execution of a function, and the option `blocking`.

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

// An `async fn` that blocks needs `spawn_blocking` in its body; the option could not help.
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
