//! A declaration of a prompt.

use super::{attribute, inputs, name, signature};
use crate::diagnostics::{Errors, Place};
use crate::model::Prompt;
use crate::parse::{Attribute, Function};

/// Makes a declaration of what was read, or notes everything that is wrong with it.
pub(crate) fn prompt(attribute: &Attribute, function: &Function, errors: &mut Errors) -> Option<Prompt> {
    name::check_name(attribute, function, errors);
    attribute::check_title(attribute, errors);
    attribute::check_description(attribute, function, errors);
    signature::check(function, errors);
    inputs::check(attribute, function, errors);
    check_options(function, errors);
    if errors.any() { None } else { valid(attribute, function) }
}

// A prompt has no address, and no request of HTTP of its own.
fn check_options(function: &Function, errors: &mut Errors) {
    for argument in &function.arguments {
        for option in ["locator", "header"] {
            if let Some(key) = argument.says.key(option) {
                let fact = format!("`{option}` says nothing about an argument of a prompt");
                errors.push(Place::Parameters, key, fact, format!("drop `{option}`"));
            }
        }
    }
}

fn valid(attribute: &Attribute, function: &Function) -> Option<Prompt> {
    Some(Prompt {
        callee: super::callee(attribute, function)?,
        name: name::of(attribute, function),
        title: super::title(attribute),
        description: super::description(attribute, function)?,
    })
}
