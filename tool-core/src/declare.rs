//! The types that `#[tool]` and `#[prompt]` expand to: declarations, inputs, injection and return values.

pub(crate) mod completion;
pub(crate) mod declaration;
pub(crate) mod declared;
pub(crate) mod entry;
pub(crate) mod handles;
pub(crate) mod inject;
pub(crate) mod injected;
pub(crate) mod input;
pub(crate) mod input_spec;
pub(crate) mod layout;
#[cfg(feature = "tokio")]
pub(crate) mod lazy_state;
pub(crate) mod locator;
pub(crate) mod presence;
pub(crate) mod prompt;
pub(crate) mod reader;
pub(crate) mod receiver;
pub(crate) mod registration;
pub(crate) mod requirement;
pub(crate) mod resource;
pub(crate) mod returns;
pub(crate) mod slots;
pub(crate) mod source;
pub(crate) mod state;
pub(crate) mod states;
