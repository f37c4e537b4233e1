//! What a call has to say while it runs: to its caller, or else to the log of the program.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context::Context;
use crate::model::call_id::CallId;
use crate::model::catch_panic::catch_panic;

/// How much a message of a call matters: the eight severities of syslog ([RFC 5424]), the least first.
///
/// [RFC 5424]: https://www.rfc-editor.org/rfc/rfc5424#section-6.2.1
///
/// ```
/// use tool_core::logging::LogLevel;
///
/// assert!(LogLevel::Debug < LogLevel::Emergency);
/// assert_eq!("warning".parse(), Ok(LogLevel::Warning));
/// assert_eq!(LogLevel::Warning.to_string(), "warning");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// For whoever looks for a mistake.
    Debug,
    /// What happens as it should.
    Info,
    /// What happens as it should, and is worth knowing.
    Notice,
    /// What may go wrong.
    Warning,
    /// What went wrong.
    Error,
    /// A part does not work any more.
    Critical,
    /// Somebody must act at once.
    Alert,
    /// Nothing works any more.
    Emergency,
}

impl LogLevel {
    /// All of them, the least first.
    ///
    /// ```
    /// assert_eq!(tool_core::logging::LogLevel::ALL.map(tool_core::logging::LogLevel::as_str)[1], "info");
    /// ```
    pub const ALL: [LogLevel; 8] = [
        LogLevel::Debug,
        LogLevel::Info,
        LogLevel::Notice,
        LogLevel::Warning,
        LogLevel::Error,
        LogLevel::Critical,
        LogLevel::Alert,
        LogLevel::Emergency,
    ];

    /// Its name, in lower case.
    ///
    /// ```
    /// assert_eq!(tool_core::logging::LogLevel::Critical.as_str(), "critical");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            LogLevel::Debug => "debug",
            LogLevel::Info => "info",
            LogLevel::Notice => "notice",
            LogLevel::Warning => "warning",
            LogLevel::Error => "error",
            LogLevel::Critical => "critical",
            LogLevel::Alert => "alert",
            LogLevel::Emergency => "emergency",
        }
    }
}

impl fmt::Display for LogLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for LogLevel {
    type Err = UnknownLogLevel;

    fn from_str(name: &str) -> Result<Self, UnknownLogLevel> {
        let level = LogLevel::ALL.into_iter().find(|level| level.as_str() == name);
        level.ok_or_else(|| UnknownLogLevel(name.chars().take(32).collect()))
    }
}

/// A text that is the name of no [`LogLevel`].
///
/// ```
/// let error = "loud".parse::<tool_core::logging::LogLevel>().unwrap_err();
/// assert!(error.to_string().starts_with("`loud` is no level: expected `debug`, `info`, "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no level: expected `debug`, `info`, `notice`, `warning`, `error`, `critical`, `alert` or `emergency`"
)]
pub struct UnknownLogLevel(String);

/// One message of a call.
///
/// ```
/// use tool_core::logging::LogMessage;
///
/// fn line(message: &LogMessage<'_>) -> String {
///     format!("{} {}: {}", message.level, message.tool, message.data)
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LogMessage<'m> {
    /// How much it matters.
    pub level: LogLevel,
    /// Which tool says it.
    pub tool: &'m str,
    /// In which call.
    pub call_id: CallId,
    /// What it says: a text, or any other JSON value. The caller may see it.
    pub data: &'m Value,
}

impl LogMessage<'_> {
    /// What it says, as a line: a text bare, any other value as JSON.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use tool_core::CallOptions;
    /// use tool_core::logging::LogMessage;
    ///
    /// let options = CallOptions::new().log(Arc::new(|message: &LogMessage<'_>| eprintln!("{}", message.text())));
    /// ```
    pub fn text(&self) -> String {
        self.data.as_str().map_or_else(|| self.data.to_string(), str::to_owned)
    }
}

/// Who hears what a call has to say: given to it with [`CallOptions::log`](crate::CallOptions::log). A function or a closure of a [`LogMessage`] is
/// a sink for every level.
///
/// It is called on the thread of the tool and should be quick. When it panics, the call goes on.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use tool_core::{CallOptions, Context, Registry, tool};
/// use tool_core::logging::{LogLevel, LogMessage};
///
/// /// Copies a book.
/// #[tool(operation = Transform)]
/// fn copy_book(#[inject] context: Context, /** Its title. */ title: String) {
///     context.log(LogLevel::Warning, format!("{title} has no last page"));
/// }
///
/// # tool_core::private::block_on(async {
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "copy_book").build().unwrap();
/// let heard = Arc::new(Mutex::new(Vec::new()));
/// let sink = {
///     let heard = Arc::clone(&heard);
///     move |message: &LogMessage<'_>| heard.lock().unwrap().push((message.level, message.text()))
/// };
/// let options = CallOptions::new().log(Arc::new(sink));
/// registry.call_with("copy_book", br#"{"title": "Emma"}"#, &options).await;
/// assert_eq!(*heard.lock().unwrap(), [(LogLevel::Warning, "Emma has no last page".to_owned())]);
/// # });
/// ```
pub trait LogSink: Send + Sync {
    /// Hears a message.
    fn log(&self, message: &LogMessage<'_>);

    /// Whether it wants to hear messages of a level; every one, unless it says otherwise. What it does not want goes to
    /// the log of the program.
    fn enabled(&self, level: LogLevel) -> bool {
        let _ = level;
        true
    }
}

impl<F: Fn(&LogMessage<'_>) + Send + Sync> LogSink for F {
    fn log(&self, message: &LogMessage<'_>) {
        self(message);
    }
}

impl Context {
    /// Tells the caller something while the call runs, if it wants to know: a text, or any other JSON value. Otherwise it
    /// is in the log of the program.
    ///
    /// MCP clients hear it as `notifications/message`, the command line shows it with `--verbose`. The outcome belongs into
    /// the output or the error: most models never see what is said here. So nothing may be in it that the caller may not see.
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
        // A panic is in the log; what the call does is worth more than that somebody hears of it.
        let handled = catch_panic(|| match self.log_sink() {
            Some(LogHandle(sink)) if sink.enabled(level) => {
                sink.log(&message);
                true
            }
            _ => false,
        });
        if let Ok(false) = handled {
            trace(&message);
        }
    }
}

/// What messages of calls are filtered by in the log of the program.
const TARGET: &str = "tool_core::log";

/// Writes a message that nobody else hears into the log of the program.
fn trace(message: &LogMessage<'_>) {
    let LogMessage { level, tool, call_id, .. } = *message;
    // A level of `tracing` is part of the place in the code.
    match level {
        LogLevel::Debug => tracing::debug!(target: TARGET, tool, %call_id, "{}", message.text()),
        LogLevel::Info | LogLevel::Notice => {
            tracing::info!(target: TARGET, tool, %call_id, "{}", message.text());
        }
        LogLevel::Warning => tracing::warn!(target: TARGET, tool, %call_id, "{}", message.text()),
        LogLevel::Error | LogLevel::Critical | LogLevel::Alert | LogLevel::Emergency => {
            tracing::error!(target: TARGET, tool, %call_id, %level, "{}", message.text());
        }
    }
}

/// Who hears what a call has to say. Two are equal when they are one.
#[derive(Clone)]
pub(crate) struct LogHandle(Arc<dyn LogSink>);

impl LogHandle {
    pub(crate) fn new(sink: Arc<dyn LogSink>) -> Self {
        LogHandle(sink)
    }
}

impl PartialEq for LogHandle {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for LogHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}
