//! The schema of a tool: composed from its inputs, brought into one normal form, validated against, and shown.
//!
//! Everything is computed once a tool, on first use, from the types that the declaration names.

mod amend;
mod bounds;
mod compose;
mod constrain;
mod example;
mod expansion;
mod flatten;
mod limits;
mod message;
mod native;
mod nearest;
mod normal;
mod outline;
mod place;
mod profile;
pub(crate) mod reference;
mod secret;
mod types;
mod validator;

pub use bounds::{SchemaError, SchemaFault};
pub use native::{Allowed, Constraints, NativeSchema};
pub use nearest::nearest;
pub use profile::{Profile, ProfileError, UnknownProfile};

pub(crate) use amend::Amendments;
pub(crate) use bounds::{Foreign, Shown, check_headers};
pub(crate) use compose::{InputSchema, Layout, OutputSchema};
pub(crate) use limits::Limits;
pub(crate) use message::unknown_input;
pub(crate) use validator::{MOST_PROBLEMS, Validator};

/// The JSON Pointer (RFC 6901) of a member of the root object.
pub(crate) fn pointer(name: &str) -> String {
    let mut pointer = String::from("/");
    push_escaped(&mut pointer, name);
    pointer
}

/// Appends one reference token to a JSON Pointer.
pub(crate) fn push_escaped(pointer: &mut String, token: &str) {
    for c in token.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// One reference token of a JSON Pointer, unescaped.
pub(crate) fn unescaped(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}
