//! One call in the pipeline.

#[cfg(feature = "tokio")]
use tokio::runtime::Handle;
#[cfg(feature = "tokio")]
use tracing::Instrument as _;
use tracing::Span;
use tracing::field::{Empty, display};

use crate::call::audit::{Audit, AuditSubject, Record};
#[cfg(feature = "tokio")]
use crate::call::check_blocking::check_blocking;
use crate::call::content::{record_arguments, record_result};
#[cfg(feature = "tokio")]
use crate::call::decode::check::takes_long;
use crate::call::decode::{ArgumentDecoder, Purpose, check_text};
use crate::call::failure_log::FailureLog;
use crate::call::implementation::Implementation;
use crate::call::options::CallOrigin;
use crate::call::reply::Reply;
use crate::call::target::{Scope, Target};
use crate::context::LazyContext;
use crate::context::background::BackgroundToken;
use crate::context::timeout::Timer;
use crate::declare::entry::EntryOutcome;
use crate::declare::inject::InjectionSource;
use crate::definition::ToolDefinition;
use crate::model::audit_kind::AuditKind;
use crate::model::call_id::CallId;
use crate::model::catch_panic::catch_panic;
use crate::model::failure::{Failure, FailureKind};
use crate::model::output::Output;
use crate::model::telemetry;
use crate::model::trace::TraceParent;
#[cfg(feature = "tokio")]
use crate::results::ResultStore;

/// A call that was started.
pub(crate) enum Started<'c> {
    /// The call has ended without waiting.
    Ended(Reply),
    /// The function runs, or the call waits for a permit, or its layers are yet to run.
    Waits(Invocation<'c>, Option<EntryOutcome>),
}

/// A call, with its record and its span.
pub(crate) struct Invocation<'c> {
    pub(super) tool: &'c ToolDefinition,
    pub(super) kind: AuditKind,
    implementation: Implementation<'c>,
    pub(super) scope: &'c Scope,
    #[cfg(feature = "tokio")]
    results: Option<&'c ResultStore>,
    pub(super) arguments: &'c [u8],
    pub(super) context: LazyContext<'c>,
    pub(super) span: Span,
    /// Moves into a function that may outlive its caller, and is written when that ends.
    pub(super) record: Option<Box<Record>>,
    /// Whether the failure was logged, or will be by a function that outlives its caller.
    pub(super) is_logged: bool,
    /// Whether this is a run inside of layers, whose outcome is not that of the call.
    is_inner: bool,
    /// Dropped last, so that the record is written before the call counts as ended.
    _background_token: Option<BackgroundToken>,
}

impl Started<'_> {
    /// Runs the call to its end.
    pub(crate) async fn end(self) -> Reply {
        match self {
            Started::Ended(reply) => reply,
            Started::Waits(mut call, step) => {
                let result = call.end::<false>(step).await;
                call.reply(result)
            }
        }
    }
}

/// Runs a call as far as possible without waiting: to its end for most functions that are not `async`.
pub(crate) fn begin<'c>(origin: CallOrigin<'c>, member: Target<'c>, arguments: &'c [u8]) -> Started<'c> {
    let mut call = Invocation::new(origin, member, arguments);
    let entered = {
        let _inside = call.span.enter();
        match call.admit() {
            Ok(()) if !call.scope.is_deferred => call.enter(),
            // The layers come first, also around a call without access.
            _ if !call.scope.layers.is_empty() => Ok(None),
            admitted => admitted.map(|()| None),
        }
    };
    let mut result = match entered {
        Ok(Some(EntryOutcome::Done(result))) => result,
        Ok(step) => return Started::Waits(call, step),
        Err(failure) => return Started::Ended(call.reply(Err(failure))),
    };
    call.check_output(&mut result);
    Started::Ended(call.reply(result))
}

impl<'c> Invocation<'c> {
    pub(super) fn new(origin: CallOrigin<'c>, member: Target<'c>, arguments: &'c [u8]) -> Self {
        let Target { kind, definition: tool, implementation, scope, extensions } = member;
        let (options, background) = (&origin.options.context, scope.executor.background());
        let context = LazyContext::new(tool.name(), origin.principal, options);
        let context = context.running(extensions, origin.registry, background);
        let call_id = context.call_id();
        let begin = |audit| {
            Record::begin(audit, call_id, origin, kind, AuditSubject::Definition(tool.clone()), arguments)
        };
        let counted = tool.modifies().then(|| {
            if let Some(outer) = &options.outer {
                outer.elicitation().mark_modified();
            }
            background.token()
        });
        let span = call_span(kind, tool.name(), call_id, options.trace);
        if scope.traces_content && kind == AuditKind::Tool && !span.is_disabled() {
            record_arguments(&span, tool, arguments);
        }
        Invocation {
            tool,
            kind,
            implementation,
            scope,
            #[cfg(feature = "tokio")]
            results: origin.options.store(),
            arguments,
            context,
            span,
            record: scope.audit.as_ref().map(begin),
            is_logged: false,
            is_inner: false,
            _background_token: counted,
        }
    }

    /// Returns another run of this call, with a record of its own.
    pub(super) fn again(&self, record: Option<Box<Record>>) -> Self {
        Invocation {
            context: self.context.again(),
            span: self.span.clone(),
            record,
            is_logged: false,
            is_inner: true,
            _background_token: None,
            ..*self
        }
    }

    /// Runs the call inside of its layers.
    pub(super) async fn run_once(mut self) -> Result<Output, Failure> {
        let entered = self.span.in_scope(|| match self.admit() {
            Ok(()) if !self.scope.executor.limits_concurrency() => self.enter(),
            admitted => admitted.map(|()| None),
        });
        let result = match entered {
            Ok(Some(EntryOutcome::Done(mut result))) => {
                self.check_output(&mut result);
                result
            }
            Ok(step) => self.end::<true>(step).await,
            Err(failure) => Err(failure),
        };
        self.reply(result).result
    }

    /// Runs the call to its end.
    ///
    /// The timer starts before the call waits for a permit. A run `IN_LAYERS` has a timer of its own.
    async fn end<const IN_LAYERS: bool>(&mut self, step: Option<EntryOutcome>) -> Result<Output, Failure> {
        let executor = &self.scope.executor;
        let timer = match &self.context.options().task {
            Some(call) => call.0.timeout.map(Timer::start).transpose(),
            None => executor.timer(self.tool),
        };
        let mut timer = match timer {
            Ok(timer) => timer,
            Err(failure) => {
                let _ = self.span.in_scope(|| catch_panic(|| drop(step)));
                return Err(failure);
            }
        };
        let permit = if self.scope.is_deferred {
            if !IN_LAYERS && !self.scope.layers.is_empty() {
                drop(timer);
                return Box::pin(self.run_layers()).await;
            }
            executor.acquire(self.tool, &self.context, &mut timer).await?
        } else {
            None
        };
        if let Some(permit) = &permit {
            self.context.hold(permit);
        }
        let step = match step {
            Some(step) => Some(step),
            None => self.span.in_scope(|| self.enter())?,
        };
        #[cfg(feature = "tokio")]
        let step = match step {
            Some(step) => Some(step),
            None => Some(Box::pin(self.enter_blocking(&mut timer)).await?),
        };
        // Without a runtime, nothing is validated on another thread.
        let step = step.ok_or_else(Failure::internal)?;
        self.run(permit, timer, step).await
    }

    /// Returns the source of injected parameters.
    pub(super) fn source(&self) -> InjectionSource<'_> {
        InjectionSource { states: &self.scope.states, context: &self.context }
    }

    /// Returns `true` if an output that is too large is stored.
    pub(super) fn keeps(&self) -> bool {
        #[cfg(feature = "tokio")]
        let keeps = self.results.is_some_and(|results| results.is_for(self.tool));
        #[cfg(not(feature = "tokio"))]
        let keeps = false;
        keeps
    }

    /// Checks whether the caller may make this call.
    #[inline]
    pub(super) fn admit(&self) -> Result<(), Failure> {
        let Scope { admission, states, .. } = self.scope;
        admission.admit(self.tool, states, self.context.principal())
    }

    /// Decodes the arguments and enters the tool; `None` if they must be validated on a blocking thread.
    #[inline(always)]
    fn enter(&self) -> Result<Option<EntryOutcome>, Failure> {
        let decoder = self.decoder();
        if let Some(step) = decoder.enter_unchecked(self.arguments, Purpose::Run)? {
            return Ok(Some(step));
        }
        #[cfg(feature = "tokio")]
        if takes_long(self.tool, self.arguments) && Handle::try_current().is_ok() {
            return Ok(None);
        }
        let checked = check_text(self.tool, decoder.leniency, self.arguments)?;
        decoder.enter_checked(checked, Purpose::Run, &mut Vec::new()).map(Some)
    }

    /// Validates the arguments on a blocking thread and enters the tool.
    #[cfg(feature = "tokio")]
    async fn enter_blocking(&self, timer: &mut Option<Timer>) -> Result<EntryOutcome, Failure> {
        let Scope { executor, leniency, .. } = self.scope;
        let checking = check_blocking(executor, self.tool, *leniency, self.arguments, &self.context, timer);
        let checked = checking.instrument(self.span.clone()).await?;
        self.span.in_scope(|| self.decoder().enter_checked(checked, Purpose::Run, &mut Vec::new()))
    }

    /// Decodes the arguments and enters the tool, however long that takes.
    #[cfg(feature = "tasks")]
    pub(super) fn enter_at_once(&self) -> Result<EntryOutcome, Failure> {
        self.decoder().enter(self.arguments, Purpose::Run, &mut Vec::new())
    }

    fn decoder(&self) -> ArgumentDecoder<'_> {
        let Scope { states, leniency, .. } = self.scope;
        let Invocation { tool, implementation, context, .. } = self;
        ArgumentDecoder { tool, implementation: *implementation, states, leniency: *leniency, context }
    }

    /// Returns the log line for a failure of the call.
    pub(super) fn log(&self) -> FailureLog {
        FailureLog { tool: self.tool.clone(), kind: self.kind, call_id: self.context.call_id() }
    }

    /// Logs and records the result, and builds the reply.
    #[inline]
    pub(super) fn reply(&mut self, result: Result<Output, Failure>) -> Reply {
        match &result {
            Ok(output) => {
                let is_traced = self.scope.traces_content && !self.is_inner;
                if is_traced && self.kind == AuditKind::Tool && !self.span.is_disabled() {
                    record_result(&self.span, output);
                }
            }
            Err(failure) => {
                if !self.is_inner {
                    record_failure(&self.span, failure);
                }
                if !self.is_logged {
                    self.span.in_scope(|| self.log().write(failure));
                }
            }
        }
        if let Some(record) = self.record.take() {
            self.span.in_scope(|| record.end(&result));
        }
        Reply::new(self.context.call_id(), result)
    }
}

/// Creates the span of a call, by OpenTelemetry's conventions for tools. It is at the level of errors, so that log lines of any
/// level have the span of their call.
#[inline]
fn call_span(kind: AuditKind, name: &str, call_id: CallId, caller: Option<TraceParent>) -> Span {
    let trace_id = || caller.map(|caller| display(format!("{:032x}", caller.trace_id())));
    let span = match kind {
        AuditKind::Tool => tracing::error_span!(
            "execute_tool",
            otel.name = %format_args!("execute_tool {name}"),
            otel.status_code = Empty,
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = name,
            gen_ai.tool.call.id = %call_id,
            gen_ai.tool.call.arguments = Empty,
            gen_ai.tool.call.result = Empty,
            error.type = Empty,
            trace_id = trace_id(),
        ),
        AuditKind::Prompt => tracing::error_span!(
            "get_prompt",
            otel.name = %format_args!("get_prompt {name}"),
            otel.status_code = Empty,
            gen_ai.prompt.name = name,
            gen_ai.tool.call.id = %call_id,
            error.type = Empty,
            trace_id = trace_id(),
        ),
    };
    telemetry::set_parent(&span, caller);
    span
}

/// Records the kind of a failure. A question to the caller is none: the call goes on with the answer.
fn record_failure(span: &Span, failure: &Failure) {
    if failure.kind() != FailureKind::InputRequired && !span.is_disabled() {
        span.record("error.type", failure.kind().codes().error_type);
        span.record("otel.status_code", "ERROR");
    }
}

/// Replies to a call of a tool or a prompt that does not exist, and records it.
pub(crate) fn unknown(
    audit: Option<&Audit>,
    origin: CallOrigin<'_>,
    kind: AuditKind,
    name: &str,
    arguments: &[u8],
    failure: Failure,
) -> Reply {
    let subject = || AuditSubject::UnknownName(name.chars().take(128).collect());
    answered(audit, origin, kind, subject, arguments, failure)
}

/// Replies to a call that is not made, and records it.
pub(crate) fn refused(
    origin: CallOrigin<'_>,
    member: Target<'_>,
    arguments: &[u8],
    failure: Failure,
) -> Reply {
    let subject = || AuditSubject::Definition(member.definition.clone());
    answered(member.scope.audit.as_ref(), origin, member.kind, subject, arguments, failure)
}

fn answered(
    audit: Option<&Audit>,
    origin: CallOrigin<'_>,
    kind: AuditKind,
    subject: impl FnOnce() -> AuditSubject,
    arguments: &[u8],
    failure: Failure,
) -> Reply {
    let call_id = CallId::new();
    let result = Err(failure);
    if let Some(audit) = audit {
        Record::begin(audit, call_id, origin, kind, subject(), arguments).end(&result);
    }
    Reply::new(call_id, result)
}
