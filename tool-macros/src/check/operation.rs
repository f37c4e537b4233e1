//! The option `operation`.

use super::name;
use crate::diagnostics::{Errors, Section, similar};
use crate::parse::{Attribute, Function};

const OPERATIONS: [&str; 5] = ["Explain", "Read", "Transform", "Trigger", "Write"];

/// Returns `true` if tools of this operation modify state.
pub(super) fn modifies(operation: &str) -> bool {
    matches!(operation, "Trigger" | "Write")
}

/// Returns the operation, if it is one of the five.
pub(super) fn operation(attribute: &Attribute) -> Option<String> {
    let operation = attribute.operation.as_ref()?.value.to_string();
    OPERATIONS.contains(&operation.as_str()).then_some(operation)
}

// Clients rely on the operation, so it is never guessed.
pub(super) fn check_operation(attribute: &Attribute, function: &Function, errors: &mut Errors) {
    let list = "the operations are `Explain`, `Read`, `Transform`, `Trigger` and `Write`";
    match &attribute.operation {
        None if errors.is_unreadable("operation") => {}
        None => errors.push(
            Section::Name,
            &function.signature.ident,
            format!("tool `{}` has no operation", name::of_function(function)),
            format!("write `#[tool(operation = Read)]`; {list}"),
        ),
        Some(given) => {
            let word = given.value.to_string();
            if !OPERATIONS.contains(&word.as_str()) {
                let help = match similar(&word, OPERATIONS) {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => list.to_owned(),
                };
                errors.push(Section::Attribute, &given.tokens, format!("unknown operation `{word}`"), help);
            }
        }
    }
}
