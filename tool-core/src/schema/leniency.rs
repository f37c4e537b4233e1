//! Leniency of argument types, and the coercions that were applied.

use std::fmt;

use serde::Serialize;

/// How a registry handles arguments of the wrong JSON type, in every protocol.
///
/// ```
/// use serde_json::json;
/// use tool_core::{Registry, tool};
/// use tool_core::schema::Leniency;
///
/// /// Halves a number.
/// #[tool(operation = Transform)]
/// fn halve_it(/** The number. */ n: u32) -> u32 {
///     n / 2
/// }
///
/// # tool_core::private::block_on(async {
/// let builder = || Registry::builder().linked().select(|tool| tool.name() == "halve_it");
/// let registry = builder().build().unwrap();
/// assert_eq!(registry.call("halve_it", json!({"n": "8"})).await.unwrap().value(), 4);
///
/// let strict = builder().leniency(Leniency::Strict).build().unwrap();
/// assert!(strict.call("halve_it", json!({"n": "8"})).await.is_err());
/// # });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Leniency {
    /// A string is parsed as JSON if the schema forbids strings and allows the result: `"5"` as 5, `"true"` as true,
    /// `"[1]"` as a list, `"{}"` as an object. Models send such strings.
    #[default]
    Coerce,
    /// Every argument must have the type of the schema.
    Strict,
}

/// The result of validating arguments that are valid.
///
/// ```
/// # use tool_core::{Registry, tool};
/// /// Negates a truth.
/// #[tool(operation = Transform)]
/// fn negate(/** The truth. */ truth: bool) -> bool {
///     !truth
/// }
/// # let registry = Registry::builder().linked().select(|tool| tool.name() == "negate").build().unwrap();
/// let validation = registry.validate("negate", br#"{"truth": "true"}"#).unwrap();
/// assert_eq!(validation.coercions[0].to_string(), "/truth: the string was read as a boolean");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Validation {
    /// The coercions that were applied; none with [`Leniency::Strict`].
    pub coercions: Vec<Coercion>,
}

/// A string argument that was parsed as JSON.
///
/// ```
/// # use tool_core::Registry;
/// # use tool_core::schema::{Coercion, CoercionKind};
/// fn is_number(repair: &Coercion) -> bool {
///     repair.kind == CoercionKind::Number
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Coercion {
    /// The JSON Pointer (RFC 6901) into the arguments; empty for the arguments as a whole.
    pub path: String,
    /// The type that the string was parsed as.
    pub kind: CoercionKind,
}

/// The type that a string was parsed as.
///
/// ```
/// assert_eq!(serde_json::to_string(&tool_core::schema::CoercionKind::List).unwrap(), r#""list""#);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CoercionKind {
    /// A number or an integer.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A list.
    List,
    /// An object.
    Object,
}

impl fmt::Display for CoercionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CoercionKind::Number => "number",
            CoercionKind::Boolean => "boolean",
            CoercionKind::List => "list",
            CoercionKind::Object => "object",
        })
    }
}

impl fmt::Display for Coercion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let article = if self.kind == CoercionKind::Object { "an" } else { "a" };
        let separator = if self.path.is_empty() { "" } else { ": " };
        write!(f, "{}{separator}the string was read as {article} {}", self.path, self.kind)
    }
}
