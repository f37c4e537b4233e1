//! Tokens into types of our own, without judging them: what the attribute says, what the function looks like.

mod argument;
mod attribute;
mod function;
mod options;

pub(crate) use argument::{Argument, Default};
pub(crate) use attribute::{Attribute, attribute};
pub(crate) use function::{Function, function};
pub(crate) use options::{Call, Limits, Spanned, ungrouped};
