//! The context of a running call: caller, extensions, progress, log, elicitation, permits and time limit.

pub(crate) mod background;
pub(crate) mod elicitation;
pub(crate) mod logging;
pub(crate) mod options;
pub(crate) mod permit;
pub(crate) mod progress;
pub(crate) mod semaphore;
pub(crate) mod shared;
pub(crate) mod task_call;
pub(crate) mod timeout;
pub(crate) mod wait;

use std::any::Any;
use std::sync::{Arc, Mutex, OnceLock, Weak};

use serde_json::Value;

use crate::context::background::BackgroundTasks;
use crate::context::elicitation::{ElicitationClient, ElicitationState};
use crate::context::logging::{LogLevel, LogMessage};
use crate::context::options::{ContextOptions, NO_OPTIONS};
use crate::context::permit::Permit;
use crate::context::progress::Progress;
use crate::model::access::Principal;
use crate::model::call_id::CallId;
use crate::model::extensions::Extensions;
use crate::model::lock::lock;
use crate::model::task::RunningTask;
use crate::model::telemetry;
use crate::model::trace::TraceParent;

/// The call that a tool is running for: its identifier, its caller, and whether the caller still waits.
///
/// ```
/// use tool_core::{Context, tool};
///
/// /// Returns the identifier of this call.
/// #[tool(operation = Explain)]
/// fn which_call(#[inject] context: Context) -> String {
///     format!("{} of {}", context.call_id(), context.tool())
/// }
/// # let context = tool_core::Context::for_tests("which_call");
/// # assert!(which_call(context).ends_with(" of which_call"));
/// ```
#[derive(Clone, Debug)]
pub struct Context(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    call_id: CallId,
    tool: String,
    principal: Principal,
    options: ContextOptions,
    elicitation: ElicitationState,
    /// The permits that the call holds while it runs.
    permits: Mutex<Vec<Weak<Permit>>>,
    #[cfg(feature = "tokio")]
    background: BackgroundTasks,
    #[cfg(feature = "tokio")]
    cancellation: tokio_util::sync::CancellationToken,
}

impl Context {
    /// Creates a context for calling a tool function directly, as in a unit test. The caller is [`Principal::local`].
    ///
    /// ```
    /// assert_eq!(tool_core::Context::for_tests("add").tool(), "add");
    /// ```
    pub fn for_tests(tool: &str) -> Self {
        LazyContext::new(tool, &Principal::local(), &NO_OPTIONS).get().clone()
    }

    /// Returns the identifier of the call, which appears in the answer and in the log.
    ///
    /// ```
    /// let context = tool_core::Context::for_tests("add");
    /// assert_eq!(context.call_id().to_string().len(), 16);
    /// ```
    pub fn call_id(&self) -> CallId {
        self.0.call_id
    }

    /// Returns the name of the tool that was called.
    ///
    /// ```
    /// assert_eq!(tool_core::Context::for_tests("add").tool(), "add");
    /// ```
    pub fn tool(&self) -> &str {
        &self.0.tool
    }

    /// Returns the caller.
    ///
    /// ```
    /// assert_eq!(tool_core::Context::for_tests("add").principal().id(), Some("local"));
    /// ```
    pub fn principal(&self) -> &Principal {
        &self.0.principal
    }

    /// Returns the position of the current span in its trace, so that the tool can send it to services that it calls. Without
    /// a [propagator](crate::telemetry::Propagator) it is the position of the caller.
    ///
    /// ```
    /// assert!(tool_core::Context::for_tests("add").traceparent().is_none());
    /// ```
    pub fn traceparent(&self) -> Option<TraceParent> {
        telemetry::trace_parent().or(self.0.options.trace)
    }

    /// Returns the extension of type `T` that an adapter or the application attached to the call, or else to the
    /// [caller](Principal::with).
    ///
    /// ```
    /// # use tool_core::{Context, tool};
    /// struct Locale(&'static str);
    ///
    /// /// Greets in the language of the caller.
    /// #[tool(operation = Explain)]
    /// fn greet_in_language(#[inject] context: Context) -> String {
    ///     match context.extension::<Locale>() {
    ///         Some(Locale("de")) => "Guten Tag".to_owned(),
    ///         _ => "Good day".to_owned(),
    ///     }
    /// }
    /// # assert_eq!(greet_in_language(Context::for_tests("greet_in_language")), "Good day");
    /// ```
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.options.extension().or_else(|| self.0.principal.extension())
    }

    /// Reports progress to the caller, if it asked for it: the work done, the total if known, and a message, which may
    /// be empty. `done` should not decrease.
    ///
    /// ```
    /// # let context = tool_core::Context::for_tests("copy");
    /// context.progress(3, 10, "copying");
    /// context.progress(4, None, "");
    /// ```
    pub fn progress(&self, done: u64, total: impl Into<Option<u64>>, message: &str) {
        if let Some(sink) = &self.0.options.progress {
            progress::report(sink, &Progress { done, total: total.into(), message });
        }
    }

    /// Returns the task that the call runs for, or `None` for a call that is waited for.
    ///
    /// ```
    /// assert!(tool_core::Context::for_tests("add").task().is_none());
    /// ```
    pub fn task(&self) -> Option<&RunningTask> {
        self.0.options.task.as_ref().map(|call| &call.0.task)
    }

    /// Sends a log message to the caller, if it takes them: a text or any other JSON value. Otherwise the message goes
    /// to the log of the program.
    ///
    /// MCP clients receive it as `notifications/message`; the command line prints it with `--verbose`. Return results
    /// in the output or the error instead: most models never see log messages. A message must not contain what the
    /// caller may not see.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_core::logging::LogLevel;
    ///
    /// # let context = tool_core::Context::for_tests("copy");
    /// context.log(LogLevel::Info, "opened the archive");
    /// context.log(LogLevel::Warning, json!({"page": 7, "lost": true}));
    /// ```
    pub fn log(&self, level: LogLevel, data: impl Into<Value>) {
        let data = data.into();
        let message = LogMessage { level, tool: self.tool(), call_id: self.call_id(), data: &data };
        logging::log(self.0.options.log.as_ref(), &message);
    }

    /// Marks the call as canceled: nobody waits for it any more.
    #[cfg_attr(not(feature = "tokio"), expect(clippy::unused_self, reason = "nothing outlives its caller"))]
    pub(crate) fn cancel(&self) {
        #[cfg(feature = "tokio")]
        self.0.cancellation.cancel();
    }

    /// Returns the client that answers the questions of the call.
    pub(crate) fn elicitation_client(&self) -> Option<&ElicitationClient> {
        self.0.options.client.as_ref()
    }

    pub(crate) fn elicitation(&self) -> &ElicitationState {
        &self.0.elicitation
    }

    /// Adds a permit that the call, and the calls that it makes, run under.
    #[cfg(feature = "tokio")]
    pub(crate) fn hold(&self, permit: &Arc<Permit>) {
        let mut permits = lock(&self.0.permits);
        permits.push(Arc::downgrade(permit));
    }

    /// Returns the permits of this call and of its outer calls, innermost first.
    fn permits(&self) -> Vec<Weak<Permit>> {
        let calls = std::iter::successors(Some(self), |call| call.0.options.outer.as_ref());
        let permits = calls.map(|call| lock(&call.0.permits));
        permits.flat_map(|permits| permits.clone()).collect()
    }

    /// Returns `true` if the caller canceled the call or disconnected, or if the call timed out.
    ///
    /// ```
    /// assert!(!tool_core::Context::for_tests("add").is_cancelled());
    /// ```
    #[cfg(feature = "tokio")]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancellation.is_cancelled()
    }

    /// Waits until the caller cancels the call or disconnects, or the call times out.
    ///
    /// ```
    /// # let context = tool_core::Context::for_tests("add");
    /// let waiting = context.cancelled();
    /// # drop(waiting);
    /// ```
    #[cfg(feature = "tokio")]
    pub async fn cancelled(&self) {
        self.0.cancellation.cancelled().await;
    }

    /// Spawns a task that may outlive the call. [`Registry::drain`](crate::Registry::drain) waits for it, unlike for a
    /// task of `tokio::spawn`, which is dropped when the program ends.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    ///
    /// ```
    /// use tool_core::{Context, tool};
    ///
    /// /// Orders a book.
    /// #[tool(operation = Trigger, destructive = false)]
    /// async fn order_book(#[inject] context: Context, /** Its title. */ title: String) {
    ///     context.spawn(async move { println!("a letter about {title} is written") });
    /// }
    /// ```
    #[cfg(feature = "tokio")]
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        // The task gets its own span, because it can be spawned from anywhere and outlives the call.
        let span = tracing::error_span!(
            "task",
            gen_ai.tool.name = self.tool(),
            gen_ai.tool.call.id = %self.call_id()
        );
        let task = crate::model::catch_panic::catch_panic_task(task, span);
        self.0.background.spawn(self.tool(), task, &tokio::runtime::Handle::current());
    }
}

/// The context of one call, created on first use: most tools never need it.
#[derive(Debug)]
pub(crate) struct LazyContext<'c> {
    call_id: CallId,
    tool: &'c str,
    principal: &'c Principal,
    options: &'c ContextOptions,
    /// Extensions of the application; those of the caller take precedence.
    beside: Option<&'c Arc<Extensions>>,
    /// The registry that the call was made through; `None` if nothing runs.
    registry: Option<&'c (dyn Any + Send + Sync)>,
    #[cfg(feature = "tokio")]
    background: Option<&'c BackgroundTasks>,
    /// The permit that the call runs under.
    permit: Option<Weak<Permit>>,
    context: OnceLock<Context>,
}

impl<'c> LazyContext<'c> {
    #[inline]
    pub(crate) fn new(tool: &'c str, principal: &'c Principal, options: &'c ContextOptions) -> Self {
        LazyContext {
            call_id: CallId::new(),
            tool,
            principal,
            options,
            beside: None,
            registry: None,
            #[cfg(feature = "tokio")]
            background: None,
            permit: None,
            context: OnceLock::new(),
        }
    }

    /// Sets what only a call that runs has.
    #[inline]
    #[cfg_attr(not(feature = "tokio"), expect(unused_variables, reason = "no task outlives its call"))]
    pub(crate) fn running(
        mut self,
        beside: Option<&'c Arc<Extensions>>,
        registry: &'c (dyn Any + Send + Sync),
        background: &'c BackgroundTasks,
    ) -> Self {
        self.beside = beside;
        self.registry = Some(registry);
        #[cfg(feature = "tokio")]
        {
            self.background = Some(background);
        }
        self
    }

    /// Returns the context of another run of the same call.
    pub(crate) fn again(&self) -> Self {
        LazyContext { permit: None, context: OnceLock::new(), ..*self }
    }

    pub(crate) fn options(&self) -> &'c ContextOptions {
        self.options
    }

    /// Returns the registry that the call was made through, if it is of type `R`.
    pub(crate) fn registry<R: 'static>(&self) -> Option<&'c R> {
        self.registry?.downcast_ref()
    }

    /// Returns the extension of type `T` of the call, or else of its caller.
    pub(crate) fn extension<T: Send + Sync + 'static>(&self) -> Option<&'c T> {
        let of_call = self.options.extension().or_else(|| self.beside?.get());
        of_call.or_else(|| self.principal.extension())
    }

    pub(crate) fn call_id(&self) -> CallId {
        self.call_id
    }

    pub(crate) fn principal(&self) -> &'c Principal {
        self.principal
    }

    pub(crate) fn get(&self) -> &Context {
        self.context.get_or_init(|| {
            Context(Arc::new(Inner {
                call_id: self.call_id,
                tool: self.tool.to_owned(),
                principal: self.principal.clone(),
                options: ContextOptions {
                    extensions: Extensions::layered(self.options.extensions.as_ref(), self.beside),
                    ..self.options.clone()
                },
                elicitation: ElicitationState::default(),
                permits: Mutex::new(self.permit.iter().cloned().collect()),
                #[cfg(feature = "tokio")]
                background: self.background.cloned().unwrap_or_default(),
                #[cfg(feature = "tokio")]
                cancellation: self.options.cancellation(),
            }))
        })
    }

    /// Sets the permit that the call runs under. The context has not been created yet.
    pub(crate) fn hold(&mut self, permit: &Arc<Permit>) {
        self.permit = Some(Arc::downgrade(permit));
    }

    /// Returns the permits of this call and of its outer calls, innermost first.
    pub(crate) fn permits(&self) -> Vec<Weak<Permit>> {
        let outer = self.options.outer.as_ref().map(Context::permits);
        self.permit.iter().cloned().chain(outer.into_iter().flatten()).collect()
    }

    /// Returns the context if it was created. A call without one cannot have asked anything.
    pub(crate) fn existing(&self) -> Option<&Context> {
        self.context.get()
    }

    /// Cancels the context, if it was created.
    pub(crate) fn cancel(&self) {
        if let Some(context) = self.context.get() {
            context.cancel();
        }
    }
}
