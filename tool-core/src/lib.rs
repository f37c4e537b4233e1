#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod call;
mod context;
mod declare;
pub mod definition;
#[cfg(not(all(feature = "inventory", feature = "tokio", feature = "results")))]
mod feature;
pub mod lint;
pub mod lock;
mod model;
#[doc(hidden)]
pub mod private;
mod registry;
#[cfg(feature = "tokio")]
pub mod results;
pub mod schema;
pub mod testing;

// Declare: what a tool and a prompt are made of.
pub use crate::declare::declaration::Deprecated;
pub use crate::declare::declared::Declared;
pub use crate::declare::input::Input;
pub use crate::declare::locator::Locator;
pub use crate::declare::prompt::Prompts;
pub use crate::declare::resource::{Reader, Resource, WritePass, Writer};
pub use crate::declare::returns::{ReturnError, ReturnValue};
pub use crate::declare::source::Source;
pub use crate::declare::state::State;
pub use crate::definition::ToolDefinition;
pub use crate::definition::prompt::PromptDefinition;
pub use crate::model::operation::{Annotations, Operation, UnknownOperation};
#[cfg(feature = "macros")]
#[doc = include_str!("../docs/prompt.md")]
pub use tool_macros::prompt;
#[cfg(feature = "macros")]
#[doc = include_str!("../docs/tool.md")]
pub use tool_macros::tool;

// Register: tools by their names.
pub use crate::call::tool::{DynamicTool, Tool};
pub use crate::model::digest::{Digest, ParseDigestError};
pub use crate::model::future::BoxFuture;
pub use crate::registry::{BuildError, BuildErrors, Registry, RegistryBuilder, adapter};

// Call: what a tool knows of its call, and what comes of it.
pub use crate::call::Reply;
pub use crate::call::options::CallOptions;
pub use crate::context::Context;
pub use crate::context::extensions::{Extension, Extensions};
pub use crate::model::call_id::CallId;
pub use crate::model::failure::{Failure, FailureKind, ToolError};
pub use crate::model::output::{Content, Output, ResourceBody};
pub use crate::model::prompt::{IntoPrompt, Prompt, PromptMessage, PromptReply, Role};
pub use crate::model::trace::{TraceParent, TraceParentError};
pub use crate::schema::problem::Problem;

// Access: who calls, and what this caller may.
pub use crate::declare::requirement::{Requirements, Unmet};
pub use crate::model::access::{Access, Principal};
pub use crate::model::permission::{Permission, PermissionError};

/// Where a tool lives: the path of its address, for adapters that serve results as resources.
pub mod address {
    pub use crate::definition::surface::{Address, Segment, Surface};
}

/// What is recorded of each call.
pub mod audit {
    pub use crate::call::audit::{AuditEvent, AuditSink};
    pub use crate::model::audit_kind::AuditKind;
}

/// Who sends a request over HTTP.
#[cfg(feature = "http")]
pub mod authentication {
    pub use crate::model::authentication::{
        AuthenticationError, Authenticator, Bearer, InvalidToken, identify,
    };
}

/// Values that could complete what a caller types for an input.
pub mod completion {
    pub use crate::declare::completion::{CompletionRequest, Completions};
}

#[doc = include_str!("../docs/asking.md")]
pub mod elicitation {
    pub use crate::context::elicitation::{
        Answer, Ask, AskKind, AskOutcome, AskRoots, ClientRequests, Elicit, ElicitUrl, Elicited, Form,
        FormError, ModelPreferences, Question, Root, Sample, Sampled, Sampling,
    };
}

/// What adapters make of a failure.
pub mod failure {
    pub use crate::model::failure::{FailureCodes, McpAnswer, Reason};
}

/// Parameters that come from the call and not from the caller.
pub mod inject {
    pub use crate::declare::inject::{Handle, Inject, Injection, Need, Needs, op};
}

/// What a call tells its caller while it runs, by level.
pub mod logging {
    pub use crate::context::logging::{LogLevel, LogMessage, LogSink, UnknownLogLevel};
}

/// A schema in the words of a vendor.
pub mod profile {
    pub use crate::definition::profile::{Profile, ProfileError, UnknownProfile};
}

/// How far a call has come.
pub mod progress {
    pub use crate::context::progress::{Progress, ProgressSink};
}

/// Tools that come from elsewhere.
pub mod provider {
    #[cfg(feature = "tokio")]
    pub use crate::registry::provider::Cached;
    pub use crate::registry::provider::{
        DiscoveryError, IntoTools, IntoToolsProvider, Provider, Providers, Skipped, ToolSource,
        ToolsProvider, Toolset, marker,
    };
}

/// Tools found by words.
pub mod search {
    pub use crate::registry::search::{Hit, Match};
}
