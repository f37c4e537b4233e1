//! Tokens into types of our own, without judging them: what the attribute says, what the function looks like.

mod attribute;
mod function;

pub(crate) use attribute::{Attribute, attribute};
pub(crate) use function::{Argument, Default, Function, function};
