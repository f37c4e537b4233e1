#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod access;
mod admission;
mod asking;
mod audit;
#[cfg(feature = "http")]
mod authentication;
mod call;
mod completion;
mod context;
mod declaration;
mod declared;
mod definition;
mod digest;
mod entry;
mod extension;
mod failure;
#[cfg(not(all(feature = "inventory", feature = "tokio", feature = "results")))]
mod feature;
mod inject;
mod input;
mod leniency;
mod lint;
mod locator;
mod lock;
mod logging;
mod operation;
mod output;
mod permission;
mod progress;
mod prompt;
mod provider;
mod receiver;
mod registration;
mod registry;
mod requirement;
mod resource;
#[cfg(feature = "tokio")]
mod results;
mod returns;
mod schema;
mod search;
mod state;
mod surface;
mod tool;
mod trace;

#[doc(hidden)]
pub mod private;
pub mod testing;

pub use access::{Access, Principal};
pub use asking::{
    Answer, Ask, AskKind, AskRoots, Asked, Asker, Elicit, ElicitUrl, Elicited, Form, FormError,
    ModelPreferences, Question, Root, Sample, Sampled, Sampling,
};
pub use audit::{AuditEvent, AuditKind, AuditSink};
#[cfg(feature = "http")]
pub use authentication::{AuthenticationError, Authenticator, Bearer, InvalidToken, identify};
pub use call::Reply;
pub use completion::{Completions, Typed};
pub use context::{CallId, Context};
pub use declaration::Deprecated;
pub use declared::Declared;
pub use definition::{
    DefinitionError, DefinitionFault, Parameter, ParameterType, Source, ToolDefinition, ToolDefinitionBuilder,
};
pub use digest::{Digest, ParseDigestError};
pub use extension::{Extension, Extensions};
pub use failure::{Failure, FailureCodes, FailureKind, McpAnswer, Problem, Reason, ToolError};
pub use inject::{Handle, Inject, Injection, Need, Needs, op};
pub use input::Input;
pub use leniency::{Leniency, Repair, RepairKind, Validation};
pub use lint::{Finding, Lint, LintRule};
pub use locator::Locator;
pub use lock::{Change, Difference, DifferenceKind, Lock, LockError};
pub use logging::{LogLevel, LogMessage, LogSink, UnknownLogLevel};
pub use operation::{Annotations, Operation, UnknownOperation};
pub use output::{Content, Output, ResourceBody};
pub use permission::{Permission, PermissionError};
pub use progress::{Progress, ProgressSink};
pub use prompt::{IntoPrompt, Prompt, PromptDefinition, PromptMessage, PromptReply, Prompts, Role};
#[cfg(feature = "tokio")]
pub use provider::Cached;
pub use provider::{
    Discover, Discovered, DiscoveryError, IntoToolsProvider, LeftOut, Provider, Providers, ToolsProvider,
    Toolset, by,
};
pub use registry::{BuildError, BuildErrors, Builder, Registry};
pub use requirement::{Requirements, Unmet};
pub use resource::{Reader, Resource, WritePass, Writer};
#[cfg(feature = "tokio")]
pub use results::{
    Excerpt, Found, FoundLine, Kept, ParseSpanError, PartError, Piece, ResultLimits, ResultPart,
    ResultStorage, ResultStore, ResultStoreError, Shortened, Span, StoredObject,
};
pub use returns::{ReturnError, ReturnValue};
pub use schema::{
    Allowed, Constraints, NativeSchema, Profile, ProfileError, SchemaError, SchemaFault, UnknownProfile,
    nearest,
};
pub use search::{Hit, Match};
pub use state::State;
pub use surface::{Address, Segment, Surface};
pub use tool::{BoxFuture, DynamicTool, Tool};
pub use trace::{TraceParent, TraceParentError};

#[cfg(feature = "macros")]
#[doc = include_str!("../docs/tool.md")]
pub use tool_macros::tool;

#[cfg(feature = "macros")]
#[doc = include_str!("../docs/prompt.md")]
pub use tool_macros::prompt;

#[doc = include_str!("../docs/asking.md")]
pub mod asking_back {}
