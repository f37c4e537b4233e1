#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod call;
mod context;
mod declare;
pub mod definition;
#[cfg(not(all(feature = "inventory", feature = "tokio", feature = "results")))]
mod feature;
#[doc(hidden)]
pub mod fuzzing;
pub mod lint;
pub mod lock;
mod model;
#[doc(hidden)]
pub mod private;
mod registry;
#[cfg(feature = "tokio")]
pub mod results;
pub mod schema;
#[cfg(feature = "tasks")]
pub mod tasks;
pub mod testing;

// Declare: tools, prompts, and the types of their parameters.
pub use crate::declare::declaration::Deprecated;
pub use crate::declare::declared::Declared;
pub use crate::declare::handles::{Reader, Writer};
pub use crate::declare::input::Input;
#[cfg(feature = "tokio")]
pub use crate::declare::lazy_state::LazyState;
pub use crate::declare::locator::Locator;
pub use crate::declare::prompt::Prompts;
pub use crate::declare::resource::{Resource, WritePass};
pub use crate::declare::returns::{ReturnError, ReturnValue};
pub use crate::declare::source::Source;
pub use crate::declare::state::State;
pub use crate::definition::ToolDefinition;
pub use crate::definition::prompt::PromptDefinition;
pub use crate::model::operation::{Annotations, Operation, UnknownOperation};
#[cfg(feature = "macros")]
#[doc = include_str!("../docs/prompt.md")]
pub use tool_core_macros::prompt;
#[cfg(feature = "macros")]
#[doc = include_str!("../docs/tool.md")]
pub use tool_core_macros::tool;

// Register: tools by name.
pub use crate::call::tool::{DynamicTool, Tool};
pub use crate::model::digest::{Digest, ParseDigestError};
pub use crate::model::future::BoxFuture;
pub use crate::registry::{BuildError, BuildErrors, Registry, RegistryBuilder, adapter};

// Call: the context of a call, its options, and its result.
pub use crate::call::Reply;
pub use crate::call::options::CallOptions;
pub use crate::context::Context;
pub use crate::model::call_id::CallId;
pub use crate::model::content::{Content, ResourceBody};
pub use crate::model::extensions::{Extension, Extensions};
pub use crate::model::failure::{Failure, FailureKind, ToolError};
pub use crate::model::meta::MetaError;
pub use crate::model::output::Output;
pub use crate::model::prompt::{IntoPrompt, Prompt, PromptMessage, PromptReply, Role};
pub use crate::model::trace::{TraceParent, TraceParentError};
pub use crate::schema::problem::Problem;

// Access: callers and their permissions.
pub use crate::declare::requirement::{Requirements, Unmet};
pub use crate::model::access::{Access, Principal};
pub use crate::model::permission::{Permission, PermissionError};

/// Addresses of tools, for adapters that serve results as resources.
pub mod address {
    pub use crate::definition::surface::{
        Address, InvalidVariable, Segment, SegmentError, Surface, Variables, check_segment, decode_segment,
    };
}

/// Records of calls.
pub mod audit {
    pub use crate::call::audit::{AuditEvent, AuditSink};
    pub use crate::model::audit_kind::AuditKind;
}

/// Authentication of HTTP requests.
#[cfg(feature = "http")]
pub mod authentication {
    pub use crate::model::authentication::{
        AuthenticationError, Authenticator, Bearer, InvalidToken, ResourceMetadata, identify,
    };
}

/// Completion of inputs.
pub mod completion {
    pub use crate::declare::completion::{CompletionRequest, Completions};
}

#[doc = include_str!("../docs/asking.md")]
pub mod elicitation {
    pub use crate::context::elicitation::{
        Answer, Ask, AskKind, AskOutcome, AskRoots, ClientRequests, Elicit, ElicitUrl, Elicited, Form,
        FormError, ModelPreferences, Question, QuestionError, Root, Sample, Sampled, Sampling,
    };
}

/// How adapters represent a failure.
pub mod failure {
    pub use crate::model::failure::{FailureCodes, McpAnswer, Reason};
}

/// Injected parameters, which come from the call and not from the caller.
pub mod inject {
    pub use crate::declare::inject::asynchronous::InjectAsync;
    pub use crate::declare::inject::{Handle, Inject, Injection, Need, Needs, op};
}

/// Layers around calls.
pub mod layer {
    pub use crate::call::layer::{CallRequest, Layer, Next};
    #[cfg(feature = "rate-limit")]
    pub use crate::call::rate_limit::RateLimit;
}

/// Log messages of calls for their callers, by level.
pub mod logging {
    pub use crate::context::logging::{LogLevel, LogMessage, LogSink, UnknownLogLevel};
}

/// Schemas in the dialects of model vendors.
pub mod profile {
    pub use crate::definition::profile::{Profile, ProfileError, UnknownProfile};
}

/// Progress of calls.
pub mod progress {
    pub use crate::context::progress::{Progress, ProgressSink};
}

/// Tools from other sources, which may change.
pub mod provider {
    #[cfg(feature = "tokio")]
    pub use crate::registry::provider::Cached;
    pub use crate::registry::provider::{
        DiscoveryError, IntoTools, IntoToolsProvider, Keyed, Provider, Providers, Skipped, ToolSource,
        ToolsProvider, Toolset, marker,
    };
}

/// Traces and metrics of calls, by the semantic conventions of OpenTelemetry.
///
/// Spans and metrics have the names of OpenTelemetry, and go to the subscriber of `tracing` and the recorder of `metrics`
/// that the application has installed. A [`Propagator`](telemetry::Propagator) connects them with the traces of callers.
pub mod telemetry {
    pub use crate::model::telemetry::{Propagator, SetPropagatorError, set_propagator};
}

/// Pages of tools, which MCP clients show.
pub mod ui {
    pub use crate::model::ui::{Ui, UiError, UiPermission, UiVisibility};
}

/// Search for tools by words.
pub mod search {
    pub use crate::registry::search::{Hit, Match};
}
