#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod call;
mod context;
mod declare;
mod definition;
#[cfg(not(all(feature = "inventory", feature = "tokio", feature = "results")))]
mod feature;
mod lint;
mod lock;
mod model;
mod registry;
#[cfg(feature = "tokio")]
mod results;
mod schema;

#[doc(hidden)]
pub mod private;
#[cfg(feature = "serve")]
#[doc(hidden)]
pub mod serving;
pub mod testing;

pub use crate::call::audit::{AuditEvent, AuditSink};
pub use crate::call::tool::{DynamicTool, Tool};
pub use crate::context::elicitation::{
    Answer, Ask, AskKind, AskRoots, Asked, Asker, Elicit, ElicitUrl, Elicited, Form, FormError,
    ModelPreferences, Question, Root, Sample, Sampled, Sampling,
};
pub use crate::context::extensions::{Extension, Extensions};
pub use crate::context::logging::{LogLevel, LogMessage, LogSink, UnknownLogLevel};
pub use crate::context::progress::{Progress, ProgressSink};
pub use crate::declare::completion::{Completions, Typed};
pub use crate::declare::declaration::Deprecated;
pub use crate::declare::declared::Declared;
pub use crate::declare::inject::{Handle, Inject, Injection, Need, Needs, op};
pub use crate::declare::input::Input;
pub use crate::declare::locator::Locator;
pub use crate::declare::prompt::Prompts;
pub use crate::declare::requirement::{Requirements, Unmet};
pub use crate::declare::resource::{Reader, Resource, WritePass, Writer};
pub use crate::declare::returns::{ReturnError, ReturnValue};
pub use crate::declare::source::Source;
pub use crate::declare::state::State;
pub use crate::definition::profile::{Profile, ProfileError, UnknownProfile};
pub use crate::definition::prompt::PromptDefinition;
pub use crate::definition::surface::{Address, Segment, Surface};
pub use crate::model::access::{Access, Principal};
pub use crate::model::audit_kind::AuditKind;
#[cfg(feature = "http")]
pub use crate::model::authentication::{AuthenticationError, Authenticator, Bearer, InvalidToken, identify};
pub use crate::model::call_id::CallId;
pub use crate::model::digest::{Digest, ParseDigestError};
pub use crate::model::failure::{Failure, FailureCodes, FailureKind, McpAnswer, Reason, ToolError};
pub use crate::model::future::BoxFuture;
pub use crate::model::operation::{Annotations, Operation, UnknownOperation};
pub use crate::model::output::{Content, Output, ResourceBody};
pub use crate::model::permission::{Permission, PermissionError};
pub use crate::model::prompt::{IntoPrompt, Prompt, PromptMessage, PromptReply, Role};
pub use crate::model::trace::{TraceParent, TraceParentError};
#[cfg(feature = "tokio")]
pub use crate::registry::provider::Cached;
pub use crate::registry::provider::{
    DiscoveryError, IntoTools, IntoToolsProvider, Provider, Providers, Skipped, ToolSource, ToolsProvider,
    Toolset, by,
};
pub use crate::registry::search::{Hit, Match};
pub use crate::schema::leniency::{Leniency, Repair, RepairKind, Validation};
pub use crate::schema::problem::Problem;
pub use call::Reply;
pub use context::Context;
pub use definition::{
    DefinitionError, DefinitionFault, Parameter, ParameterType, ToolDefinition, ToolDefinitionBuilder,
};
pub use lint::{Finding, Lint, LintRule};
pub use lock::{Change, Difference, DifferenceKind, Lock, LockError};
pub use registry::{BuildError, BuildErrors, Registry, RegistryBuilder};
#[cfg(feature = "tokio")]
pub use results::{
    Excerpt, Found, FoundLine, Kept, ParseSpanError, PartError, Preview, PreviewPart, ResultLimits,
    ResultPart, ResultStorage, ResultStore, ResultStoreError, Span, StoredObject,
};
pub use schema::{Allowed, Constraints, NativeSchema, SchemaError, SchemaFault, nearest};

#[cfg(feature = "macros")]
#[doc = include_str!("../docs/tool.md")]
pub use tool_macros::tool;

#[cfg(feature = "macros")]
#[doc = include_str!("../docs/prompt.md")]
pub use tool_macros::prompt;

#[doc = include_str!("../docs/asking.md")]
pub mod asking_back {}
