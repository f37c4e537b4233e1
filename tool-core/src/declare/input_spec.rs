//! The declaration of one input, without its type.

use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

use crate::declare::completion::CompleteFn;
use crate::declare::presence::Presence;

/// The declaration of one input, without its type.
#[derive(Clone, Copy, Debug)]
pub struct InputSpec {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) schema: fn(&mut SchemaGenerator) -> Schema,
    pub(crate) presence: fn() -> Presence,
    pub(crate) default: Option<JsonFn>,
    pub(crate) examples: &'static [JsonFn],
    pub(crate) minimum: Option<Bound>,
    pub(crate) maximum: Option<Bound>,
    pub(crate) min_length: Option<u64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) pattern: Option<&'static str>,
    pub(crate) secret: bool,
    pub(crate) locator: bool,
    pub(crate) complete: Option<CompleteFn>,
    pub(crate) header: Option<&'static str>,
    pub(crate) flatten: bool,
}

impl InputSpec {
    /// Returns `true` if the value is constrained beyond its type.
    pub(crate) fn is_constrained(&self) -> bool {
        let numbers = self.minimum.is_some() || self.maximum.is_some();
        numbers || self.min_length.is_some() || self.max_length.is_some() || self.pattern.is_some()
    }
}

/// A bound of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// An integer.
    Integer(i128),
    /// A floating-point number.
    Number(f64),
}

/// Creates a default or an example as JSON, on demand.
pub type JsonFn = fn() -> Result<Value, serde_json::Error>;
