//! Arguments on their way from JSON to the types of a function.

pub(crate) mod check;
pub(crate) mod dynamic;
pub(crate) mod scan;
