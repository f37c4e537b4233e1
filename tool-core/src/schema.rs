//! JSON and JSON Schema: normal form, validation, coercion, bounds and examples. Independent of tools.
//!
//! Everything is computed once per tool, on first use, from the types of its declaration.

pub(crate) mod bounds;
mod coercion;
pub(crate) mod constants;
mod deep;
pub(crate) mod defaults;
pub(crate) mod example;
pub(crate) mod expansion;
mod format;
pub(crate) mod guarantee;
pub(crate) mod json;
pub(crate) mod leniency;
pub(crate) mod limits;
mod locate;
pub(crate) mod message;
pub(crate) mod native;
mod nearest;
pub(crate) mod normal;
mod patterns;
mod portable;
pub(crate) mod problem;
pub(crate) mod reference;
mod samples;
pub(crate) mod secret;
pub(crate) mod subschemas;
pub(crate) mod types;
mod untagged;
mod validator;

pub use crate::schema::leniency::{Coercion, CoercionKind, Leniency, Validation};
pub use bounds::{SchemaError, SchemaFault};
pub use native::{Allowed, Constraints, NativeSchema};
pub use nearest::nearest;

pub(crate) use crate::schema::coercion::Coercions;
pub(crate) use bounds::{Escaped, Untrusted, check_headers};

pub(crate) use defaults::refused as refused_defaults;
pub(crate) use guarantee::Guarantee;
pub(crate) use limits::Limits;
pub(crate) use message::{shortened as repeated, unknown_input};
pub(crate) use native::item;
pub(crate) use patterns::refused as refused_patterns;
pub(crate) use samples::of as samples;
pub(crate) use secret::{any as has_secret, masked};
pub(crate) use validator::{Formats, MAX_PROBLEMS, Validator};
