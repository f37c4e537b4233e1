//! Log messages of a running call, for its caller or for the log of the program.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context::shared::SharedHandle;
use crate::model::call_id::CallId;
use crate::model::catch_panic::catch_panic;
use crate::model::names::names;

names! {
    /// The severity of a message: the eight levels of syslog ([RFC 5424]), lowest first.
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
        /// Details for debugging.
        Debug = "debug",
        /// Normal operation.
        Info = "info",
        /// Normal, but significant.
        Notice = "notice",
        /// A possible problem.
        Warning = "warning",
        /// An error.
        Error = "error",
        /// A component has failed.
        Critical = "critical",
        /// Action is required immediately.
        Alert = "alert",
        /// The system is unusable.
        Emergency = "emergency",
    }

    /// All levels, lowest first.
    ///
    /// ```
    /// assert_eq!(tool_core::logging::LogLevel::ALL.map(tool_core::logging::LogLevel::as_str)[1], "info");
    /// ```
    const ALL: [LogLevel; 8];

    /// Returns the name in lower case.
    ///
    /// ```
    /// assert_eq!(tool_core::logging::LogLevel::Critical.as_str(), "critical");
    /// ```
    pub fn as_str;

    impl FromStr<Err = UnknownLogLevel>, |name: &str| UnknownLogLevel(name.chars().take(32).collect());
}

/// The error for a text that is not a [`LogLevel`].
///
/// ```
/// let error = "loud".parse::<tool_core::logging::LogLevel>().unwrap_err();
/// assert!(error.to_string().starts_with("unknown log level `loud`: expected `debug`, `info`, "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown log level `{0}`: expected `debug`, `info`, `notice`, `warning`, `error`, `critical`, `alert` or `emergency`"
)]
pub struct UnknownLogLevel(String);

/// A log message of a call.
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
    /// The severity.
    pub level: LogLevel,
    /// The name of the tool.
    pub tool: &'m str,
    /// The call.
    pub call_id: CallId,
    /// The message: a text or any other JSON value. The caller may see it.
    pub data: &'m Value,
}

impl LogMessage<'_> {
    /// Returns the message as one line: a text as it is, any other value as JSON.
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

/// Receives the log messages of a call; see [`CallOptions::log`](crate::CallOptions::log). Any function of a
/// [`LogMessage`] is a sink for every level.
///
/// It runs on the thread of the tool and should return quickly. If it panics, the call continues.
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
    /// Receives a message.
    fn log(&self, message: &LogMessage<'_>);

    /// Returns `true` if the sink takes messages of a level; the default is every level. Other messages go to the log
    /// of the program.
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

/// The `tracing` target of messages of calls.
const TARGET: &str = "tool_core::log";

/// Writes a message to the log of the program.
fn trace(message: &LogMessage<'_>) {
    let LogMessage { level, tool, call_id, .. } = *message;
    let text = one_line(&message.text());
    // `tracing` needs the level at compile time.
    macro_rules! write {
        ($severity:ident $(, $field:tt)?) => {
            tracing::$severity!(
                target: TARGET,
                { gen_ai.tool.name = tool, gen_ai.tool.call.id = %call_id $(, $field = %level)? },
                "{text}"
            )
        };
    }
    match level {
        LogLevel::Debug => write!(debug),
        LogLevel::Info | LogLevel::Notice => write!(info),
        LogLevel::Warning => write!(warn),
        LogLevel::Error | LogLevel::Critical | LogLevel::Alert | LogLevel::Emergency => write!(error, level),
    }
}

/// Escapes what ends a line or controls a terminal: a message may have a text of the caller, which must not look like another
/// line of the log.
fn one_line(text: &str) -> String {
    let is_unsafe = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unsafe(c) { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

/// Sends a message to the sink if it takes the level, otherwise to the log of the program.
pub(crate) fn log(sink: Option<&SharedHandle<dyn LogSink>>, message: &LogMessage<'_>) {
    // A panic of the sink is logged, and must not stop the call.
    let handled = catch_panic(|| match sink {
        Some(SharedHandle(sink)) if sink.enabled(message.level) => {
            sink.log(message);
            true
        }
        _ => false,
    });
    if let Ok(false) = handled {
        trace(message);
    }
}
