//! What the expansion of `#[tool]` calls. Not public API: nothing here keeps its name or its shape between versions.

pub use crate::__here as here;
pub use crate::__register as register;
pub use crate::access::{Guard, IntoGuard, access};
pub use crate::call::block_on;
pub use crate::completion::{Complete, CompleteFn, Completing};
pub use crate::declaration::{Declaration, Options, Told, schema};
pub use crate::declared::declared;
pub use crate::entry::{Call, Entry, Running, Step, run, run_guarded, run_sync, run_sync_guarded};
#[cfg(feature = "tokio")]
pub use crate::entry::{run_blocking, run_blocking_guarded};
#[cfg(not(feature = "tokio"))]
pub use crate::feature::{run_blocking, run_blocking_guarded};
pub use crate::inject::InjectIntoPrompt;
pub use crate::input::{
    Bound, In, Injected, InputSpec, Inputs, JsonFn, Limit, Presence, defaulted, injected,
    injected_into_prompt, input, json, locator, shown,
};
pub use crate::locator::Optional;
pub use crate::prompt::{PromptDeclaration, ReturnMessages, listed_prompts};
pub use crate::receiver::{Received, received, receiver, shown_receiver};
pub use crate::registration::*;
pub use crate::requirement::{RequireFn, Requirement, Requiring};
pub use crate::resource::WrittenBy;
pub use crate::returns::Shape;

#[cfg(feature = "macros")]
pub use tool_macros::{__prompts, __tools};
