//! What the schemas of a vendor are made of.

use serde_json::Value;

use crate::definition::profile::{Profile, anthropic, gemini, openai};

/// The subset of JSON Schema that a vendor takes, for [`rewriting`](super::rewriting).
pub(super) struct Dialect {
    pub(super) profile: Profile,
    /// Whether a keyword that limits or annotates a value stays as it is; if not, it is told in the description.
    pub(super) takes: fn(keyword: &str, value: &Value) -> bool,
    /// Whether an input may have this name.
    pub(super) takes_input: fn(&str) -> bool,
    /// Whether a property below the inputs may have this name.
    pub(super) takes_property: fn(&str) -> bool,
    pub(super) optional: Optional,
    pub(super) free_names: FreeNames,
    pub(super) untyped: Untyped,
    pub(super) choice: Choice,
}

/// How a property may be left out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Optional {
    /// It is not `required`.
    Absent,
    /// It is `null`.
    Null,
}

/// Whether an object may have properties of any name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FreeNames {
    Taken,
    Refused,
}

/// What a schema that admits every value becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Untyped {
    /// A schema without a type.
    Empty,
    /// A choice of all types.
    EveryType,
    Refused,
}

/// What is particular about a choice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// Nothing.
    Plain,
    /// Its branches are told apart by their first property.
    ByFirstProperty,
    /// Nothing may stand beside it, so that each branch has the description of all.
    Alone,
}

/// Whether a profile takes `$ref`s to a recursive type.
pub(super) fn takes_recursion(profile: Profile) -> bool {
    !matches!(profile, Profile::NoRef | Profile::Gemini)
}

pub(super) fn takes_tool_name(profile: Profile, name: &str) -> bool {
    match profile {
        Profile::OpenAi | Profile::OpenAiStrict => openai::takes_tool_name(name),
        Profile::Anthropic => anthropic::takes_tool_name(name),
        Profile::Gemini => gemini::takes_tool_name(name),
        Profile::Mcp | Profile::NoRef | Profile::Native => true,
    }
}

/// The names of tools that a profile takes, for a message.
pub(super) fn tool_names(profile: Profile) -> &'static str {
    match profile {
        Profile::Gemini => "a letter or `_`, then up to 63 of `A-Za-z0-9_.:-`",
        _ => "1 to 64 of `A-Za-z0-9_-`",
    }
}

/// The names of properties that a profile takes, for a message.
pub(super) fn property_names(profile: Profile) -> &'static str {
    match profile {
        Profile::Gemini => "a letter or `_`, then up to 63 of `A-Za-z0-9_`",
        _ => "1 to 64 of `A-Za-z0-9_.-`",
    }
}

/// Whether a name is 1 to 64 letters, digits and what `others` adds.
pub(super) fn is_name(name: &str, others: &[u8]) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || others.contains(&byte))
}

/// Whether a keyword tells about a value and does not limit it.
pub(super) fn is_note(keyword: &str) -> bool {
    const NOTES: [&str; 8] =
        ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"];
    NOTES.contains(&keyword) || keyword.starts_with("x-")
}
