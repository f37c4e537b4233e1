//! How far a call has come: a bar where stderr is a terminal, lines elsewhere. And what it has to say, for whoever wants to
//! know more.

mod bar;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tool_core::logging::{LogMessage, LogSink};
use tool_core::progress::{Progress, ProgressSink};

use crate::page::neutral;
use crate::progress::bar::Bar;
use crate::streams::{self, Stderr, Streams};

/// How often a line is written where there is no bar, at most.
const EVERY: Duration = Duration::from_secs(1);

/// Watches one call. The bar goes away when this is dropped.
pub(crate) struct Watch {
    shown: Arc<Shown>,
}

impl Watch {
    /// What is drawn, for whoever writes in its place.
    pub(crate) fn shown(&self) -> Arc<Shown> {
        Arc::clone(&self.shown)
    }

    /// Whom the call tells.
    pub(crate) fn sink(&self) -> Arc<dyn ProgressSink> {
        Arc::clone(&self.shown) as Arc<dyn ProgressSink>
    }

    /// Who hears what the call has to say.
    pub(crate) fn listener(&self) -> Arc<dyn LogSink> {
        Arc::clone(&self.shown) as Arc<dyn LogSink>
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Shown::Bar(bar) = &*self.shown {
            bar.clear();
        }
    }
}

/// Somebody who watches, unless nothing should be said.
pub(crate) fn watch(streams: &Streams) -> Option<Watch> {
    if streams.is_quiet() {
        return None;
    }
    let shown = if streams.shows_bars() {
        Shown::Bar(Bar::new(streams.stderr(), streams.width()))
    } else {
        Shown::Lines(Mutex::new(Lines { stderr: streams.stderr(), last: None }))
    };
    Some(Watch { shown: Arc::new(shown) })
}

/// What is shown of how far a call has come.
pub(crate) enum Shown {
    Bar(Arc<Bar>),
    Lines(Mutex<Lines>),
}

impl Shown {
    /// Takes what is drawn out of the way for as long as somebody else writes.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match self {
            Shown::Bar(bar) => bar.aside(write),
            Shown::Lines(_) => write(),
        }
    }
}

impl ProgressSink for Shown {
    fn report(&self, progress: &Progress<'_>) {
        let message = neutral(progress.message).replace(['\n', '\t'], " ");
        match self {
            Shown::Bar(bar) => bar.report(progress.done, progress.total, message),
            Shown::Lines(lines) => {
                lines.lock().unwrap_or_else(PoisonError::into_inner).tell(progress, message);
            }
        }
    }
}

impl LogSink for Shown {
    fn log(&self, message: &LogMessage<'_>) {
        let line = format!("{}: {}", message.level, neutral(&message.text()).replace(['\n', '\t'], " "));
        match self {
            // Above the bar, which stays where it is.
            Shown::Bar(bar) => bar.tell(&line),
            Shown::Lines(lines) => {
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
    fn tell(&mut self, progress: &Progress<'_>, message: String) {
        let is_end = progress.total == Some(progress.done);
        let is_new = self.last.as_ref().is_none_or(|(at, last)| *last != message || at.elapsed() >= EVERY);
        if !is_end && !is_new {
            return;
        }
        let total = progress.total.map(|total| format!("/{total}")).unwrap_or_default();
        let line = format!("progress: {}{total} {message}", progress.done);
        streams::write(&self.stderr, &format!("{}\n", line.trim_end()));
        self.last = Some((Instant::now(), message));
    }
}
