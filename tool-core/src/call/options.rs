//! The options of a call.

use std::any::Any;
use std::sync::Arc;

use crate::context::elicitation::{ClientRequests, ElicitationClient};
use crate::context::logging::LogSink;
use crate::context::options::ContextOptions;
use crate::context::progress::ProgressSink;
use crate::context::shared::SharedHandle;
#[cfg(feature = "tasks")]
use crate::context::task_call::TaskCall;
use crate::model::access::Principal;
use crate::model::extensions::Extensions;
use crate::model::setters::setters;
use crate::model::trace::TraceParent;
#[cfg(feature = "tokio")]
use crate::results::ResultStore;

/// The options of a call: its trace, its extensions, the sinks of its progress and log messages, the client for its questions,
/// and the store for a large result.
///
/// An adapter passes them to [`Registry::call_with`](crate::Registry::call_with). An option that is not set has the value of
/// the registry, see [`Registry::with_options`](crate::Registry::with_options). A tool that calls other tools through
/// its injected [`Registry`](crate::Registry) passes the trace, the extensions and the log sink of its own call on to them.
///
/// ```
/// use tool_core::{CallOptions, Context, Extensions, Registry, tool, tools};
///
/// struct Locale(&'static str);
///
/// /// Returns the language of the caller.
/// #[tool(operation = Explain)]
/// fn language(#[inject] context: Context) -> String {
///     context.extension::<Locale>().map_or("unknown", |locale| locale.0).to_owned()
/// }
///
/// # tool_core::private::block_on(async {
/// let registry = Registry::builder().tools(tools![language]).build().unwrap();
/// let options = CallOptions::new().extensions(Extensions::new().with(Locale("de")));
/// let reply = registry.call_with("language", b"{}", &options).await;
/// assert_eq!(reply.result.unwrap().value(), "de");
/// # });
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct CallOptions {
    pub(crate) context: ContextOptions,
    #[cfg(feature = "tokio")]
    results: Results,
}

/// The store for a large result.
#[cfg(feature = "tokio")]
#[derive(Clone, Debug)]
enum Results {
    /// The store of the registry, if it has one.
    Default,
    /// None: every result is returned in full.
    Full,
    Store(ResultStore),
}

/// The origin of a call: its principal and options.
#[derive(Clone, Copy)]
pub(crate) struct CallOrigin<'c> {
    pub(crate) principal: &'c Principal,
    pub(crate) options: &'c CallOptions,
    /// The registry through which the call comes, for a tool that calls others.
    pub(crate) registry: &'c (dyn Any + Send + Sync),
}

/// Options without any value.
pub(crate) static NO_CALL_OPTIONS: CallOptions = CallOptions::new();

impl CallOptions {
    /// Returns options of which none is set.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// use tool_core::{CallOptions, Registry};
    ///
    /// let registry = Registry::builder().allow_empty().build().unwrap();
    /// let reply = registry.call_with("nope", b"{}", &CallOptions::new()).await;
    /// assert_eq!(reply.result.unwrap_err().message(), "Tool not found: nope");
    /// # });
    /// ```
    pub const fn new() -> Self {
        CallOptions {
            context: ContextOptions::new(),
            #[cfg(feature = "tokio")]
            results: Results::Default,
        }
    }

    /// Returns the options of a nested call: every result is returned in full.
    pub(crate) fn nested(context: ContextOptions) -> Self {
        CallOptions {
            context,
            #[cfg(feature = "tokio")]
            results: Results::Full,
        }
    }

    setters! {
        /// Sets the trace that the call is part of.
        ///
        /// ```
        /// use tool_core::CallOptions;
        ///
        /// let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        /// let options = CallOptions::new().trace(header.parse().ok());
        /// ```
        pub fn trace(trace: Option<TraceParent>) => context.trace = trace;

        /// Sets the values that a tool reads with [`Context::extension`](crate::Context::extension). They take precedence over
        /// values of the same type that the registry has for its calls.
        ///
        /// ```
        /// use tool_core::{CallOptions, Extensions};
        ///
        /// struct Locale(&'static str);
        ///
        /// let options = CallOptions::new().extensions(Extensions::new().with(Locale("de")));
        /// ```
        pub fn extensions(extensions: impl Into<Arc<Extensions>>) => context.extensions = Some(extensions.into());

        /// Sends the progress of the call to this sink.
        ///
        /// ```
        /// use std::sync::Arc;
        /// use tool_core::CallOptions;
        /// use tool_core::progress::Progress;
        ///
        /// let options = CallOptions::new().progress(Arc::new(|progress: &Progress<'_>| eprintln!("{}", progress.message)));
        /// ```
        pub fn progress(sink: Arc<dyn ProgressSink>) => context.progress = Some(SharedHandle(sink));

        /// Sends the log messages of the call to this sink.
        ///
        /// Without a sink, they go to the log of the program ([`tracing`](https://docs.rs/tracing)), with the target
        /// `tool_core::log`, the name of the tool and the identifier of the call.
        ///
        /// ```
        /// use std::sync::Arc;
        /// use tool_core::CallOptions;
        /// use tool_core::logging::LogMessage;
        ///
        /// let options = CallOptions::new().log(Arc::new(|message: &LogMessage<'_>| eprintln!("{}", message.text())));
        /// ```
        pub fn log(sink: Arc<dyn LogSink>) => context.log = Some(SharedHandle(sink));

        /// Puts the questions of the call to this client.
        ///
        /// ```
        /// use std::sync::Arc;
        /// use tool_core::CallOptions;
        /// use tool_core::testing::Answers;
        ///
        /// let options = CallOptions::new().client(Arc::new(Answers::new().decline()));
        /// ```
        pub fn client(client: Arc<dyn ClientRequests>) => context.client = Some(ElicitationClient::Direct(SharedHandle(client)));

        /// Stores a large result in this store; the reply then has a preview.
        ///
        /// ```
        /// # #[cfg(feature = "results")]
        /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
        /// use tool_core::results::ResultStore;
        /// use tool_core::{CallOptions, Registry, tool, tools};
        ///
        /// /// Counts to 20,000.
        /// #[tool(operation = Explain)]
        /// fn count_far() -> Vec<u32> {
        ///     (0..20_000).collect()
        /// }
        ///
        /// let store = ResultStore::memory();
        /// let registry = Registry::builder().tools(tools![count_far]).build().unwrap();
        /// let reply = registry.call_with("count_far", b"{}", &CallOptions::new().results(&store)).await;
        /// let preview = reply.preview.unwrap();
        /// let excerpt = preview.excerpts().next().unwrap();
        /// assert!(excerpt.preview().starts_with("[\n0,\n1,\n"));
        /// let stored = store.read(registry.principal(), excerpt.digest().unwrap()).await.unwrap().unwrap();
        /// assert!(stored.text().unwrap().ends_with("19999\n]"));
        /// # });
        /// ```
        #[cfg(feature = "tokio")]
        pub fn results(store: &ResultStore) => results = Results::Store(store.clone());

        /// Returns every result in full, also if the registry has a [`ResultStore`](crate::results::ResultStore).
        ///
        /// ```
        /// let options = tool_core::CallOptions::new().full_results();
        /// ```
        #[cfg(feature = "tokio")]
        pub fn full_results() => results = Results::Full;
    }

    /// Makes the call an attempt of a task.
    #[cfg(feature = "tasks")]
    pub(crate) fn task(mut self, call: TaskCall) -> Self {
        self.context.task = Some(SharedHandle(Arc::new(call)));
        self
    }

    /// Returns these options; `defaults` replace missing ones.
    pub(crate) fn or(&self, defaults: &Self) -> Self {
        CallOptions {
            context: self.context.or(&defaults.context),
            #[cfg(feature = "tokio")]
            results: match &self.results {
                Results::Default => defaults.results.clone(),
                results => results.clone(),
            },
        }
    }

    /// Returns these options without the extensions.
    pub(crate) fn without_extensions(&self) -> Self {
        let mut options = self.clone();
        options.context.extensions = None;
        options
    }

    /// Returns the store for large results.
    #[cfg(feature = "tokio")]
    #[inline]
    pub(crate) fn store(&self) -> Option<&ResultStore> {
        match &self.results {
            Results::Store(store) => Some(store),
            Results::Default | Results::Full => None,
        }
    }
}

impl Default for CallOptions {
    fn default() -> Self {
        CallOptions::new()
    }
}

#[cfg(feature = "tokio")]
impl PartialEq for Results {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Results::Store(one), Results::Store(other)) => one.is(other),
            (Results::Store(_), _) | (_, Results::Store(_)) => false,
            _ => true,
        }
    }
}
