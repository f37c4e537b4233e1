//! The option `pattern` of an input.

use super::portable::{Fault, portable};
use crate::diagnostics::{Errors, Section};
use crate::parse::Argument;

// Clients and the registry must agree on every string.
pub(super) fn check_pattern(argument: &Argument, errors: &mut Errors) {
    let Some(given) = &argument.options.pattern else { return };
    if let Err(Fault { fact, help }) = portable(&given.value) {
        errors.push(Section::Parameters, &given.tokens, fact, help);
    }
}
