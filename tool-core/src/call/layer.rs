//! Layers: code of the application around calls.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::context::LazyContext;
use crate::definition::ToolDefinition;
use crate::model::access::Principal;
use crate::model::audit_kind::AuditKind;
use crate::model::call_id::CallId;
use crate::model::catch_panic::{Panicked, catch_panic, catch_panic_future};
use crate::model::failure::Failure;
use crate::model::future::BoxFuture;
use crate::model::output::Output;
use crate::schema;

/// Code around every call of the tools and prompts of a registry, see
/// [`RegistryBuilder::layer`](crate::RegistryBuilder::layer).
///
/// A layer sees the [request](CallRequest) before access and arguments are checked, and runs the call with
/// [`Next::run`]. So it also sees why a call was refused: a missing permission, invalid arguments. It may return a failure
/// instead of running the call, replace the outcome, and run a call again [if the tool modifies
/// nothing](Next::try_clone). [`call`](Layer::call) is usually written as `async fn`.
///
/// ```
/// use tool_core::layer::{CallRequest, Layer, Next};
/// use tool_core::{Failure, FailureKind, Output, Registry, tool, tools};
///
/// /// Refuses calls at night.
/// #[derive(Debug)]
/// struct OpeningHours {
///     is_open: fn() -> bool,
/// }
///
/// impl Layer for OpeningHours {
///     async fn call(&self, request: &CallRequest<'_>, next: Next<'_>) -> Result<Output, Failure> {
///         if !(self.is_open)() && request.definition().modifies() {
///             return Err(Failure::new(FailureKind::Disabled, "the shop is closed"));
///         }
///         next.run().await
///     }
/// }
///
/// /// Orders a book.
/// #[tool(operation = Write, destructive = false)]
/// fn order_novel(/** Its title. */ title: String) -> String {
///     format!("{title} is ordered")
/// }
///
/// # tool_core::private::block_on(async {
/// let builder = Registry::builder().tools(tools![order_novel]);
/// let registry = builder.layer(OpeningHours { is_open: || false }).build().unwrap();
/// let failure = registry.call("order_novel", serde_json::json!({"title": "Emma"})).await.unwrap_err();
/// assert_eq!(failure.message(), "the shop is closed");
/// # });
/// ```
///
/// - **What a layer does not see**: calls of names that do not exist for the caller, calls that an adapter refuses itself (such as
///   one that the user does not confirm), completions and validation without a call.
/// - **Audit**: a call is recorded once, with the outcome after all layers. If a function outlives its call, its own outcome is
///   recorded, and what the caller was told as [`reported`](crate::audit::AuditEvent::reported).
/// - **Time**: the [time limit](crate::RegistryBuilder::timeout) is that of each run of the tool, including the wait for a permit. It
///   does not include the layers, which hold no permit of [`concurrency`](crate::RegistryBuilder::concurrency) either.
/// - **Leaving**: the future of a layer is dropped if the caller cancels the call or disconnects. A tool that modifies
///   continues nevertheless, also if a layer drops `next.run()`.
/// - **Panics** of a layer are caught: the call then fails as [`Internal`](crate::FailureKind::Internal), which outer layers see.
/// - **Output** that a layer returns in place of another is validated and limited in size as that of the tool.
/// - **Questions**: a call that is suspended for input ends as [`InputRequired`](crate::FailureKind::InputRequired), and starts again with
///   the answers, through all layers. Return that failure as it is.
///
/// A registry without layers pays nothing for them: a call takes as many instructions as without this feature. The first layer costs
/// about 2,650 instructions more, most of them for a second look at the call and its future in a box, and each further one about 420.
pub trait Layer: fmt::Debug + Send + Sync + 'static {
    /// Handles a call.
    ///
    /// # Errors
    ///
    /// The failure of the call, or another one in its place.
    fn call(
        &self,
        request: &CallRequest<'_>,
        next: Next<'_>,
    ) -> impl Future<Output = Result<Output, Failure>> + Send;
}

/// A layer that several registries share.
impl<L: Layer> Layer for Arc<L> {
    async fn call(&self, request: &CallRequest<'_>, next: Next<'_>) -> Result<Output, Failure> {
        L::call(self, request, next).await
    }
}

/// A [`Layer`] whose futures are boxed.
pub(crate) trait DynLayer: fmt::Debug + Send + Sync {
    fn call_boxed<'a>(
        &'a self,
        request: &'a CallRequest<'a>,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<Output, Failure>>;
}

impl<L: Layer> DynLayer for L {
    fn call_boxed<'a>(
        &'a self,
        request: &'a CallRequest<'a>,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<Output, Failure>> {
        Box::pin(self.call(request, next))
    }
}

/// The layers of a registry, the outermost first.
pub(crate) type Layers = Vec<Arc<dyn DynLayer>>;

/// A call, as a [`Layer`] sees it.
///
/// ```
/// use tool_core::layer::{CallRequest, Layer, Next};
/// use tool_core::{Failure, Output};
///
/// /// Logs every call.
/// #[derive(Debug)]
/// struct Log;
///
/// impl Layer for Log {
///     async fn call(&self, request: &CallRequest<'_>, next: Next<'_>) -> Result<Output, Failure> {
///         let result = next.run().await;
///         let caller = request.principal().id().unwrap_or("an anonymous caller");
///         let end = result.as_ref().map_or_else(|failure| failure.kind().codes().error_type, |_| "success");
///         println!("{caller} called {}: {end}", request.definition().name());
///         result
///     }
/// }
/// # let _ = tool_core::Registry::builder().layer(Log);
/// ```
pub struct CallRequest<'c> {
    pub(super) tool: &'c ToolDefinition,
    pub(super) kind: AuditKind,
    pub(super) arguments: &'c [u8],
    pub(super) context: &'c LazyContext<'c>,
}

impl<'c> CallRequest<'c> {
    /// Returns the definition of the tool, or the one behind the prompt.
    ///
    /// ```
    /// # use tool_core::layer::CallRequest;
    /// fn is_tagged(request: &CallRequest<'_>, tag: &str) -> bool {
    ///     request.definition().tags().any(|other| other == tag)
    /// }
    /// ```
    pub fn definition(&self) -> &'c ToolDefinition {
        self.tool
    }

    /// Returns whether a tool or a prompt is called.
    ///
    /// ```
    /// # use tool_core::{audit::AuditKind, layer::CallRequest};
    /// fn is_prompt(request: &CallRequest<'_>) -> bool {
    ///     request.kind() == AuditKind::Prompt
    /// }
    /// ```
    pub fn kind(&self) -> AuditKind {
        self.kind
    }

    /// Returns the caller.
    ///
    /// ```
    /// # use tool_core::layer::CallRequest;
    /// fn is_anonymous(request: &CallRequest<'_>) -> bool {
    ///     request.principal().id().is_none()
    /// }
    /// ```
    pub fn principal(&self) -> &'c Principal {
        self.context.principal()
    }

    /// Returns the identifier of the call, which the answer, the log and the audit event have as well.
    ///
    /// ```
    /// # use tool_core::{CallId, layer::CallRequest};
    /// fn id(request: &CallRequest<'_>) -> CallId {
    ///     request.call_id()
    /// }
    /// ```
    pub fn call_id(&self) -> CallId {
        self.context.call_id()
    }

    /// Returns the extension of type `T` of the call, or else of its caller, as
    /// [`Context::extension`](crate::Context::extension) does.
    ///
    /// ```
    /// # use tool_core::layer::CallRequest;
    /// struct Tenant(u32);
    ///
    /// fn tenant(request: &CallRequest<'_>) -> Option<u32> {
    ///     request.extension::<Tenant>().map(|tenant| tenant.0)
    /// }
    /// ```
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&'c T> {
        self.context.extension()
    }

    /// Returns the text of the arguments as the caller sent it, which may be invalid. It is empty if an adapter knows that
    /// the call is denied, and has not read it.
    ///
    /// If the tool has secret inputs, their values are replaced by `"(secret)"`, and so are those of inputs that it does not have. The text is
    /// `null` if such arguments are not an object.
    ///
    /// ```
    /// # use std::borrow::Cow;
    /// # use tool_core::layer::CallRequest;
    /// fn log_line(request: &CallRequest<'_>) -> String {
    ///     format!("{} {}", request.definition().name(), String::from_utf8_lossy(&request.arguments()))
    /// }
    /// ```
    pub fn arguments(&self) -> Cow<'c, [u8]> {
        schema::masked(self.tool.input_schema(), self.arguments)
    }

    /// Returns the text of the arguments as the caller sent it, with the values of secret inputs.
    ///
    /// ```
    /// # use tool_core::layer::CallRequest;
    /// fn size(request: &CallRequest<'_>) -> usize {
    ///     request.arguments_with_secrets().len()
    /// }
    /// ```
    pub fn arguments_with_secrets(&self) -> &'c [u8] {
        self.arguments
    }
}

impl fmt::Debug for CallRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallRequest")
            .field("kind", &self.kind)
            .field("name", &self.tool.name())
            .field("principal", self.principal())
            .field("call_id", &self.call_id())
            .finish_non_exhaustive()
    }
}

/// The rest of a call: the layers further inside, then the tool.
///
/// ```
/// use tool_core::layer::{CallRequest, Layer, Next};
/// use tool_core::{Failure, FailureKind, Output};
///
/// /// Hides what went wrong.
/// #[derive(Debug)]
/// struct Discreet;
///
/// impl Layer for Discreet {
///     async fn call(&self, _: &CallRequest<'_>, next: Next<'_>) -> Result<Output, Failure> {
///         next.run().await.map_err(|failure| match failure.kind() {
///             FailureKind::Failed(_) => failure.with_message("it did not work"),
///             _ => failure,
///         })
///     }
/// }
/// # let _ = tool_core::Registry::builder().layer(Discreet);
/// ```
pub struct Next<'c> {
    layers: &'c [Arc<dyn DynLayer>],
    request: &'c CallRequest<'c>,
    run: &'c dyn RunCall,
}

/// Runs the tool of a call, inside of all layers.
pub(super) trait RunCall: Sync {
    fn run(&self) -> BoxFuture<'_, Result<Output, Failure>>;
}

impl<'c> Next<'c> {
    pub(super) fn new(
        layers: &'c [Arc<dyn DynLayer>],
        request: &'c CallRequest<'c>,
        run: &'c dyn RunCall,
    ) -> Self {
        Next { layers, request, run }
    }

    /// Runs the rest of the call, and returns its outcome.
    ///
    /// # Errors
    ///
    /// The failure of the call: also that of access, arguments and limits.
    ///
    /// ```
    /// # use tool_core::{Failure, Output, layer::Next};
    /// async fn measured(next: Next<'_>) -> Result<Output, Failure> {
    ///     let began = std::time::Instant::now();
    ///     let result = next.run().await;
    ///     println!("took {:?}", began.elapsed());
    ///     result
    /// }
    /// ```
    pub async fn run(self) -> Result<Output, Failure> {
        let Some((layer, inner)) = self.layers.split_first() else { return self.run.run().await };
        let next = Next { layers: inner, ..self };
        let called = match catch_panic(|| layer.call_boxed(self.request, next)) {
            Ok(called) => catch_panic_future(called).await,
            Err(Panicked) => Err(Panicked),
        };
        called.unwrap_or_else(|Panicked| Err(Failure::internal()))
    }

    /// Returns another handle to run the rest of the call again, or `None` if the tool modifies: a change must not happen twice.
    ///
    /// Each run checks access and arguments, and is limited as the first one. A prompt can be run again.
    ///
    /// ```
    /// use tool_core::failure::Reason;
    /// use tool_core::layer::{CallRequest, Layer, Next};
    /// use tool_core::{Failure, FailureKind, Output};
    ///
    /// /// Runs a call once more if a dependency of the tool was unavailable.
    /// #[derive(Debug)]
    /// struct Retry;
    ///
    /// impl Layer for Retry {
    ///     async fn call(&self, _: &CallRequest<'_>, next: Next<'_>) -> Result<Output, Failure> {
    ///         let again = next.try_clone();
    ///         match (next.run().await, again) {
    ///             (Err(failure), Some(again)) if failure.kind() == FailureKind::Failed(Reason::Unavailable) => {
    ///                 again.run().await
    ///             }
    ///             (result, _) => result,
    ///         }
    ///     }
    /// }
    /// # let _ = tool_core::Registry::builder().layer(Retry);
    /// ```
    pub fn try_clone(&self) -> Option<Self> {
        let Next { layers, request, run } = *self;
        (!request.tool.modifies()).then_some(Next { layers, request, run })
    }
}

impl fmt::Debug for Next<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next").field("layers", &self.layers).finish_non_exhaustive()
    }
}
