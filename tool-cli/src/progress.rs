//! Progress and log messages of a call: a bar if stderr is a terminal, otherwise lines.

mod bar;
mod line;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tool_core::logging::{LogMessage, LogSink};
use tool_core::progress::{Progress, ProgressSink};

use crate::progress::bar::Bar;
use crate::progress::line::progress_line;
use crate::streams::{self, Stderr, Streams};
use crate::style::neutral;

/// The minimum time between two lines.
const LINE_INTERVAL: Duration = Duration::from_secs(1);

/// The display of one call. Dropping it removes the bar.
pub(crate) struct ProgressWatch {
    display: Arc<Display>,
}

impl ProgressWatch {
    /// Returns the display, for code that writes to the terminal.
    pub(crate) fn display(&self) -> Arc<Display> {
        Arc::clone(&self.display)
    }

    /// Ends the display of a call that is no longer waited for, but leaves the last progress.
    pub(crate) fn leave(self) {
        if let Display::Bar(bar) = &*self.display {
            bar.leave();
        }
    }

    /// Returns the sink for progress.
    pub(crate) fn progress_sink(&self) -> Arc<dyn ProgressSink> {
        Arc::clone(&self.display) as Arc<dyn ProgressSink>
    }

    /// Returns the sink for log messages.
    pub(crate) fn log_sink(&self) -> Arc<dyn LogSink> {
        Arc::clone(&self.display) as Arc<dyn LogSink>
    }
}

impl Drop for ProgressWatch {
    fn drop(&mut self) {
        if let Display::Bar(bar) = &*self.display {
            bar.clear();
        }
    }
}

/// Creates the display of a call, unless output is quiet.
pub(crate) fn watch(streams: &Streams) -> Option<ProgressWatch> {
    if streams.is_quiet() {
        return None;
    }
    let display = if streams.shows_bars() {
        Display::Bar(Bar::new(streams.stderr(), streams.width()))
    } else {
        Display::Lines(Mutex::new(Lines { stderr: streams.stderr(), last: None }))
    };
    Some(ProgressWatch { display: Arc::new(display) })
}

/// The display of progress: a bar, or lines.
pub(crate) enum Display {
    Bar(Arc<Bar>),
    Lines(Mutex<Lines>),
}

impl Display {
    /// Hides the bar while `write` runs.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        match self {
            Display::Bar(bar) => bar.suspend(write),
            Display::Lines(_) => write(),
        }
    }
}

impl Display {
    /// Shows progress, as the call reports it.
    pub(crate) fn show(&self, done: u64, total: Option<u64>, message: &str) {
        let message = neutral(message).replace(['\n', '\t'], " ");
        match self {
            Display::Bar(bar) => bar.report(done, total, message),
            Display::Lines(lines) => {
                lines.lock().unwrap_or_else(PoisonError::into_inner).report(done, total, message);
            }
        }
    }
}

impl ProgressSink for Display {
    fn report(&self, progress: &Progress<'_>) {
        self.show(progress.done, progress.total, progress.message);
    }
}

impl LogSink for Display {
    fn log(&self, message: &LogMessage<'_>) {
        let line = format!("{}: {}", message.level, neutral(&message.text()).replace(['\n', '\t'], " "));
        match self {
            // Printed above the bar.
            Display::Bar(bar) => bar.print(&line),
            Display::Lines(lines) => {
                let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                streams::write(&lines.stderr, &format!("{line}\n"));
            }
        }
    }
}

/// Progress as lines.
pub(crate) struct Lines {
    stderr: Stderr,
    /// When the last line was written, and with which message.
    last: Option<(Instant, String)>,
}

impl Lines {
    /// Writes a line for the first and the last step, for a new message, and after a pause.
    fn report(&mut self, done: u64, total: Option<u64>, message: String) {
        let is_end = total == Some(done);
        let is_new =
            self.last.as_ref().is_none_or(|(at, last)| *last != message || at.elapsed() >= LINE_INTERVAL);
        if !is_end && !is_new {
            return;
        }
        streams::write(&self.stderr, &progress_line(done, total, &message));
        self.last = Some((Instant::now(), message));
    }
}
