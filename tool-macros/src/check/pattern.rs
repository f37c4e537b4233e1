//! The option `pattern` of an input.

use super::portable::{Fault, portable};
use crate::diagnostics::{Errors, Section};
use crate::parse::Argument;

// A client and the registry must come to the same verdict about a text.
pub(super) fn check_pattern(argument: &Argument, errors: &mut Errors) {
    let Some(given) = &argument.options.pattern else { return };
    if let Err(Fault { fact, help }) = portable(&given.value) {
        errors.push(Section::Parameters, &given.tokens, fact, help);
    }
}
