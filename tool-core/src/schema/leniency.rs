//! How strictly arguments are taken, and what was repaired in those that were taken leniently.

use std::fmt;

use serde::Serialize;

/// What becomes of an argument of the wrong JSON type; one setting of a registry, alike on every face.
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
pub enum Leniency {
    /// A string is read as the JSON text that it is, where the schema forbids a string and allows what the text stands
    /// for: `"5"` as 5, `"true"` as true, `"[1]"` as a list, `"{}"` as an object. Models send these.
    #[default]
    Coerce,
    /// Every argument is of the type that the schema asks for.
    Strict,
}

/// What a check of arguments found to be valid, and how.
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
    /// What was repaired; nothing in a registry that is [`Leniency::Strict`].
    pub coercions: Vec<Coercion>,
}

/// One argument that was read as what it stands for.
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
    /// Where: a JSON Pointer (RFC 6901) into the arguments; empty for the arguments as a whole.
    pub path: String,
    /// What the string was read as.
    pub kind: CoercionKind,
}

/// What a string was read as.
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
