//! The JSON Schema dialects of vendors.

use serde_json::Value;

use crate::definition::profile::Profile;

/// The subset of JSON Schema that a vendor supports, for [`rewriting`](super::rewriting).
pub(super) struct Dialect {
    pub(super) profile: Profile,
    /// Whether a keyword that limits or annotates a value is supported; if not, it is moved into the description.
    pub(super) takes: fn(keyword: &str, value: &Value) -> bool,
    /// Whether an input may have this name.
    pub(super) takes_input: fn(&str) -> bool,
    /// Whether a property below the inputs may have this name.
    pub(super) takes_property: fn(&str) -> bool,
    pub(super) optional: OptionalSupport,
    pub(super) free_names: FreeNames,
    pub(super) untyped: UntypedSupport,
    pub(super) choice: ChoiceSupport,
}

/// How optional properties are expressed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionalSupport {
    /// Not `required`.
    Absent,
    /// Nullable.
    Null,
}

/// Whether objects may have arbitrary property names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FreeNames {
    Taken,
    Refused,
}

/// How a schema for any value is expressed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum UntypedSupport {
    /// A schema without a type.
    Empty,
    /// A choice of all types.
    EveryType,
    Refused,
}

/// The restrictions of choices.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ChoiceSupport {
    /// None.
    Plain,
    /// Branches must differ in their first property.
    ByFirstProperty,
    /// No sibling keywords, so each branch has the description of the choice.
    Alone,
}

/// Returns `true` if a profile supports `$ref`s to recursive types.
pub(super) fn takes_recursion(profile: Profile) -> bool {
    !matches!(profile, Profile::NoRef | Profile::Gemini)
}

/// Describes the tool names that a profile supports.
pub(super) fn tool_names(profile: Profile) -> &'static str {
    match profile {
        Profile::Gemini => "a letter or `_`, then up to 63 of `A-Za-z0-9_.:-`",
        _ => "1 to 64 of `A-Za-z0-9_-`",
    }
}

/// Describes the property names that a profile supports.
pub(super) fn property_names(profile: Profile) -> &'static str {
    match profile {
        Profile::Gemini => "a letter or `_`, then up to 63 of `A-Za-z0-9_`",
        _ => "1 to 64 of `A-Za-z0-9_.-`",
    }
}

/// Returns `true` for 1 to 64 letters, digits and characters of `others`.
pub(super) fn is_name(name: &str, others: &[u8]) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || others.contains(&byte))
}

/// Returns `true` for keywords that describe a value without limiting it.
pub(super) fn is_note(keyword: &str) -> bool {
    const NOTES: [&str; 8] =
        ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"];
    NOTES.contains(&keyword) || keyword.starts_with("x-")
}
