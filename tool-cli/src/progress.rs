//! How far a call has come: a bar where stderr is a terminal, lines elsewhere. And what it has to say, for whoever wants to
//! know more.

mod bar;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tool_core::logging::{LogMessage, LogSink};
use tool_core::progress::{Progress, ProgressSink};

use crate::progress::bar::Bar;
use crate::streams::{self, Stderr, Streams};
use crate::style::neutral;

/// How often a line is written where there is no bar, at most.
const LINE_INTERVAL: Duration = Duration::from_secs(1);

/// Watches one call. The bar goes away when this is dropped.
pub(crate) struct ProgressWatch {
    display: Arc<Display>,
}

impl ProgressWatch {
    /// What is drawn, for whoever writes in its place.
    pub(crate) fn display(&self) -> Arc<Display> {
        Arc::clone(&self.display)
    }

    /// Whom the call tells.
    pub(crate) fn progress_sink(&self) -> Arc<dyn ProgressSink> {
        Arc::clone(&self.display) as Arc<dyn ProgressSink>
    }

    /// Who hears what the call has to say.
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

/// Somebody who watches, unless nothing should be said.
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

/// What is display of how far a call has come.
pub(crate) enum Display {
    Bar(Arc<Bar>),
    Lines(Mutex<Lines>),
}

impl Display {
    /// Takes what is drawn out of the way for as long as somebody else writes.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        match self {
            Display::Bar(bar) => bar.suspend(write),
            Display::Lines(_) => write(),
        }
    }
}

impl ProgressSink for Display {
    fn report(&self, progress: &Progress<'_>) {
        let message = neutral(progress.message).replace(['\n', '\t'], " ");
        match self {
            Display::Bar(bar) => bar.report(progress.done, progress.total, message),
            Display::Lines(lines) => {
                lines.lock().unwrap_or_else(PoisonError::into_inner).report(progress, message);
            }
        }
    }
}

impl LogSink for Display {
    fn log(&self, message: &LogMessage<'_>) {
        let line = format!("{}: {}", message.level, neutral(&message.text()).replace(['\n', '\t'], " "));
        match self {
            // Above the bar, which stays where it is.
            Display::Bar(bar) => bar.print(&line),
            Display::Lines(lines) => {
                let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                streams::write(&lines.stderr, &format!("{line}\n"));
            }
        }
    }
}

/// What is written line by line.
pub(crate) struct Lines {
    stderr: Stderr,
    /// When the last line was written, and with which message.
    last: Option<(Instant, String)>,
}

impl Lines {
    /// A line for what is new: the first and the last step, another message, and what comes after a while.
    fn report(&mut self, progress: &Progress<'_>, message: String) {
        let is_end = progress.total == Some(progress.done);
        let is_new =
            self.last.as_ref().is_none_or(|(at, last)| *last != message || at.elapsed() >= LINE_INTERVAL);
        if !is_end && !is_new {
            return;
        }
        let total = progress.total.map(|total| format!("/{total}")).unwrap_or_default();
        let line = format!("progress: {}{total} {message}", progress.done);
        streams::write(&self.stderr, &format!("{}\n", line.trim_end()));
        self.last = Some((Instant::now(), message));
    }
}
