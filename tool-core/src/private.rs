//! What the expansion of `#[tool]` calls. Not public API: nothing here keeps its name or its shape between versions.

pub use crate::__here as here;
pub use crate::__register as register;
pub use crate::call::block_on;
pub use crate::declare::completion::{Complete, CompleteFn, Completing};
pub use crate::declare::declaration::{Declaration, Options, meta, schema};
pub use crate::declare::declared::declared;
pub use crate::declare::entry::{
    Call, Enter, Entry, EntryOutcome, Running, run, run_guarded, run_injected, run_sync, run_sync_guarded,
    run_sync_injected,
};
#[cfg(feature = "tokio")]
pub use crate::declare::entry::{run_blocking, run_blocking_guarded, run_blocking_injected};
pub use crate::declare::handles::WritableBy;
pub use crate::declare::inject::InjectIntoPrompt;
pub use crate::declare::inject::mode::{AsyncMode, Mode, SyncMode};
pub use crate::declare::injected::{
    AsyncParameter, Injected, InjectedAsync, InjectedAtOnce, InjectedType, PromptParameter, SyncParameter,
    ToolParameter, injected, injected_into_prompt, shown,
};
pub use crate::declare::input::{
    AsyncInputs, In, Inputs, Limit, SendParameter, SyncInputs, defaulted, input, json, locator,
};
pub use crate::declare::input_spec::{Bound, InputSpec, JsonFn};
pub use crate::declare::locator::Optional;
pub use crate::declare::presence::Presence;
pub use crate::declare::prompt::{PromptDeclaration, listed_prompts};
pub use crate::declare::receiver::{Received, received, receiver, shown_receiver};
pub use crate::declare::registration::*;
pub use crate::declare::requirement::{RequireFn, Requirement, Requiring};
pub use crate::declare::returns::Shape;
pub use crate::declare::source::Metadata;
#[cfg(not(feature = "tokio"))]
pub use crate::feature::{run_blocking, run_blocking_guarded, run_blocking_injected};
pub use crate::model::access::{Guard, IntoGuard, access};
pub use crate::model::prompt::ReturnMessages;
pub use crate::model::task::{TaskOptions, TaskSupport};
pub use crate::model::ui::Ui;

#[cfg(feature = "macros")]
pub use tool_core_macros::{__prompts, __tools};
