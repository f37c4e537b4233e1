//! Checks the declaration of a prompt.

use super::{access, attribute, declaration, execution, inputs, name, permission, signature};
use crate::diagnostics::{Errors, Section};
use crate::model::Prompt;
use crate::parse::{Attribute, Function};

/// Builds the model of a prompt, or adds every error of its declaration.
pub(crate) fn prompt(attribute: &Attribute, function: &Function, errors: &mut Errors) -> Option<Prompt> {
    name::check_name(attribute, function, errors);
    attribute::check_title(attribute, errors);
    attribute::check_description(attribute, function, errors);
    permission::check_permission(attribute, errors);
    access::check_access(attribute, function, errors);
    execution::check_blocking(attribute, function, errors);
    check_messages(function, errors);
    signature::check(function, errors);
    inputs::check(attribute, function, errors);
    if errors.any() { None } else { valid(attribute, function) }
}

// A prompt must return messages.
fn check_messages(function: &Function, errors: &mut Errors) {
    if function.returns().is_none() {
        errors.push(
            Section::Name,
            &function.signature.ident,
            format!("prompt `{}` returns no messages", name::of_function(function)),
            "return a string: `-> String`",
        );
    }
}

fn valid(attribute: &Attribute, function: &Function) -> Option<Prompt> {
    Some(Prompt {
        callee: declaration::callee(attribute, function)?,
        name: name::of(attribute, function),
        title: declaration::title(attribute),
        description: declaration::description(attribute, function)?,
        statically_checked: declaration::is_statically_checked(attribute, function),
        permission: attribute.permission.as_ref().map(permission::text),
        access: attribute.access.as_ref().map(|call| access::resolved(call, function)),
    })
}
