//! How far a call has come: a bar where stderr is a terminal, lines elsewhere. And what it has to say, for whoever wants to
//! know more.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};
use tool_core::{LogMessage, LogSink, Progress, ProgressSink};

use crate::page::neutral;
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
            bar.finish_and_clear();
        }
    }
}

/// Somebody who watches, unless nothing should be said.
pub(crate) fn watch(streams: &Streams) -> Option<Watch> {
    if streams.is_quiet() {
        return None;
    }
    let shown = if streams.shows_bars() {
        let target = ProgressDrawTarget::term_like(Box::new(Terminal {
            stderr: streams.stderr(),
            width: streams.width(),
        }));
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(style(false));
        Shown::Bar(bar)
    } else {
        Shown::Lines(Mutex::new(Lines { stderr: streams.stderr(), last: None }))
    };
    Some(Watch { shown: Arc::new(shown) })
}

/// With a known end a bar, otherwise a count.
fn style(bounded: bool) -> ProgressStyle {
    let template = if bounded { "[{bar:30}] {pos}/{len} {msg}" } else { "{spinner} {pos} {msg}" };
    // The templates are ours, and right.
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}

/// What is shown of how far a call has come.
pub(crate) enum Shown {
    Bar(ProgressBar),
    Lines(Mutex<Lines>),
}

impl Shown {
    /// Takes what is drawn out of the way for as long as somebody else writes.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match self {
            Shown::Bar(bar) if bar.position() > 0 || bar.length().is_some() => bar.suspend(write),
            // Nothing was drawn that would have to be drawn again.
            Shown::Bar(_) | Shown::Lines(_) => write(),
        }
    }
}

impl ProgressSink for Shown {
    fn report(&self, progress: &Progress<'_>) {
        let message = neutral(progress.message).replace(['\n', '\t'], " ");
        match self {
            Shown::Bar(bar) => {
                if let Some(total) = progress.total
                    && bar.length() != Some(total)
                {
                    bar.set_style(style(true));
                    bar.set_length(total);
                }
                bar.set_message(message);
                bar.set_position(progress.done);
            }
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
            Shown::Bar(bar) => bar.println(line),
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

/// Stderr as indicatif draws on it.
struct Terminal {
    stderr: Stderr,
    width: u16,
}

impl fmt::Debug for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terminal").field("width", &self.width).finish_non_exhaustive()
    }
}

impl Terminal {
    fn put(&self, text: &str) -> std::io::Result<()> {
        streams::write(&self.stderr, text);
        Ok(())
    }
}

impl TermLike for Terminal {
    fn width(&self) -> u16 {
        self.width
    }

    fn move_cursor_up(&self, n: usize) -> std::io::Result<()> {
        if n == 0 { Ok(()) } else { self.put(&format!("\u{1b}[{n}A")) }
    }

    fn move_cursor_down(&self, n: usize) -> std::io::Result<()> {
        if n == 0 { Ok(()) } else { self.put(&format!("\u{1b}[{n}B")) }
    }

    fn move_cursor_right(&self, n: usize) -> std::io::Result<()> {
        if n == 0 { Ok(()) } else { self.put(&format!("\u{1b}[{n}C")) }
    }

    fn move_cursor_left(&self, n: usize) -> std::io::Result<()> {
        if n == 0 { Ok(()) } else { self.put(&format!("\u{1b}[{n}D")) }
    }

    fn write_line(&self, text: &str) -> std::io::Result<()> {
        self.put(&format!("{text}\n"))
    }

    fn write_str(&self, text: &str) -> std::io::Result<()> {
        self.put(text)
    }

    fn clear_line(&self) -> std::io::Result<()> {
        self.put("\r\u{1b}[2K")
    }

    fn flush(&self) -> std::io::Result<()> {
        Ok(())
    }
}
