//! A progress bar on one line of a terminal.
//!
//! This replaces `indicatif`, which links the math library for its time estimates. Loading that takes an eighth of the startup
//! time of an empty program.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use unicode_width::UnicodeWidthStr as _;

use crate::progress::line::progress_line;
use crate::streams::{self, Stderr};

/// The maximum number of redraws per second, and in a burst.
const MAX_DRAWS: u32 = 20;

/// The interval at which one more redraw is allowed.
const DRAW_INTERVAL: Duration = Duration::from_millis(1000 / MAX_DRAWS as u64);

/// The maximum size of buffered output while the bar is suspended, in bytes.
const MAX_BUFFERED: usize = 64 * 1024;

/// The maximum width of the bar between its brackets, in columns.
const CELLS: usize = 30;

/// The animation for an unknown total.
const SPINNER: [char; 4] = ['|', '/', '-', '\\'];

/// Moves to the first column and erases the line.
const ERASE: &str = "\r\u{1b}[2K";

/// A bar if the total is known, otherwise a spinner with a count.
pub(crate) struct Bar {
    stderr: Stderr,
    columns: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    line: BarLine,
    is_drawn: bool,
    /// Whether reports were not drawn yet.
    is_stale: bool,
    /// Whether a thread will draw them.
    has_redraw_thread: bool,
    /// The number of writers that suspended the bar.
    suspended: usize,
    /// Output that waits until the bar is resumed.
    buffered: String,
    is_finished: bool,
    budget: Budget,
}

impl Bar {
    /// Creates a bar, which is drawn with the first report.
    pub(crate) fn new(stderr: Stderr, columns: u16) -> Arc<Self> {
        Arc::new(Bar { stderr, columns: columns.into(), state: Mutex::default() })
    }

    /// Reports progress. Reports in quick succession are drawn later. The end is drawn at once, unless the total grows with it.
    pub(crate) fn report(self: &Arc<Self>, done: u64, total: Option<u64>, message: String) {
        let mut state = self.state();
        let turn = state.line.turn.wrapping_add(1);
        let was_end = state.line.total == Some(state.line.done);
        state.line = BarLine { done, total: total.or(state.line.total), message, turn };
        let is_end = total == Some(done) && !was_end;
        state.is_stale = true;
        if state.suspended > 0 {
            return;
        }
        if state.budget.try_draw(Instant::now()) || is_end {
            self.draw(&mut state);
        } else if !std::mem::replace(&mut state.has_redraw_thread, true) {
            // A thread, because a blocking function may occupy the only thread of the runtime.
            let bar = Arc::clone(self);
            let _ = thread::Builder::new().name("progress".to_owned()).spawn(move || bar.redraw_later());
        }
    }

    /// Draws delayed reports until there are no more.
    fn redraw_later(&self) {
        loop {
            thread::sleep(DRAW_INTERVAL * 2);
            let mut state = self.state();
            if !state.is_stale || state.is_finished {
                state.has_redraw_thread = false;
                return;
            }
            if state.suspended == 0 && state.budget.try_draw(Instant::now()) {
                self.draw(&mut state);
            }
        }
    }

    /// Prints a line above the bar, after it is resumed.
    pub(crate) fn print(&self, line: &str) {
        let mut state = self.state();
        state.buffered.push_str(line);
        state.buffered.push('\n');
        if state.suspended == 0 || state.is_finished || state.buffered.len() > MAX_BUFFERED {
            self.show(&mut state);
        }
    }

    /// Hides the bar while `write` runs. Reports are shown afterwards.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        {
            let mut state = self.state();
            state.suspended += 1;
            self.erase(&mut state);
        }
        let _guard = SuspendGuard(self);
        write()
    }

    /// Replaces the bar by a line with the last report, if there was one.
    pub(crate) fn leave(&self) {
        let mut state = self.state();
        if state.line.turn > 0 && !state.is_finished {
            let BarLine { done, total, message, .. } = &state.line;
            let line = progress_line(*done, *total, message);
            state.buffered.push_str(&line);
        }
        state.is_finished = true;
        self.show(&mut state);
    }

    /// Removes the bar.
    pub(crate) fn clear(&self) {
        let mut state = self.state();
        state.is_finished = true;
        self.show(&mut state);
    }

    /// Writes buffered output, and the bar below it.
    fn show(&self, state: &mut State) {
        self.erase(state);
        let buffered = std::mem::take(&mut state.buffered);
        if !buffered.is_empty() {
            streams::write(&self.stderr, &buffered);
        }
        if state.suspended == 0 && state.line.turn > 0 {
            self.draw(state);
        }
    }

    fn draw(&self, state: &mut State) {
        if state.is_finished {
            return;
        }
        // Some terminals wrap after the last column, so it stays empty.
        let line = state.line.text(self.columns.saturating_sub(1));
        streams::write(&self.stderr, &format!("{ERASE}{line}"));
        (state.is_drawn, state.is_stale) = (true, false);
    }

    fn erase(&self, state: &mut State) {
        if std::mem::take(&mut state.is_drawn) {
            streams::write(&self.stderr, ERASE);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Resumes the bar when dropped, also after a panic.
struct SuspendGuard<'b>(&'b Bar);

impl Drop for SuspendGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.suspended -= 1;
        if state.suspended == 0 {
            self.0.show(&mut state);
        }
    }
}

/// The content of the line.
#[derive(Default)]
struct BarLine {
    done: u64,
    total: Option<u64>,
    message: String,
    /// The number of reports.
    turn: usize,
}

impl BarLine {
    /// Returns the line in the given number of columns.
    fn text(&self, columns: usize) -> String {
        let BarLine { done, total, message, turn } = self;
        let line = match total {
            Some(total) => {
                let cells = CELLS.min(columns / 3);
                // Progress beyond the total, or of a total of zero, is complete.
                let (part, whole) = (u128::from((*done).min(*total)), u128::from(*total));
                let full = (part * cells as u128).checked_div(whole).map_or(cells, |full| full as usize);
                let tip = if full < cells { ">" } else { "" };
                format!("[{:<cells$}] {done}/{total} {message}", "=".repeat(full) + tip)
            }
            None => format!("{} {done} {message}", SPINNER[turn % SPINNER.len()]),
        };
        let line = line.trim_end();
        if line.width() <= columns {
            return line.to_owned();
        }
        // A string can be wider than the sum of its characters.
        let ends: Vec<usize> = line.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
        let fitting = ends.partition_point(|end| line[..*end].width() <= columns);
        ends[..fitting].last().map_or_else(String::new, |end| line[..*end].to_owned())
    }
}

/// A token bucket that limits redraws.
struct Budget {
    left: u32,
    since: Option<Instant>,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { left: MAX_DRAWS, since: None }
    }
}

impl Budget {
    fn try_draw(&mut self, now: Instant) -> bool {
        let since = *self.since.get_or_insert(now);
        let earned = now.saturating_duration_since(since).as_millis() / DRAW_INTERVAL.as_millis();
        if earned > 0 {
            self.left = MAX_DRAWS.min(self.left.saturating_add(u32::try_from(earned).unwrap_or(MAX_DRAWS)));
            self.since = Some(now);
        }
        let try_draw = self.left > 0;
        self.left = self.left.saturating_sub(1);
        try_draw
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant};

    use unicode_width::UnicodeWidthStr as _;

    use super::{Bar, BarLine, Budget, ERASE, MAX_DRAWS};
    use crate::Buffer;

    fn line(done: u64, total: Option<u64>, message: &str) -> BarLine {
        BarLine { done, total, message: message.to_owned(), turn: 1 }
    }

    #[test]
    fn fits_the_line_to_the_columns() {
        for (line, columns, expected) in [
            (line(0, Some(3), ""), 80, "[>                         ] 0/3"),
            (line(1, Some(3), "pages"), 80, "[========>                 ] 1/3 pages"),
            (line(3, Some(3), "pages"), 100, "[==============================] 3/3 pages"),
            (line(9, Some(3), ""), 80, "[==========================] 9/3"),
            (line(0, Some(0), ""), 80, "[==========================] 0/0"),
            (line(u64::MAX - 1, Some(u64::MAX), ""), 12, "[===>] 18446"),
            (line(1, Some(2), "pages"), 19, "[===>  ] 1/2 pages"),
            (line(1, Some(2), "many pages"), 19, "[===>  ] 1/2 many p"),
            (line(1, Some(2), "日本語の頁"), 19, "[===>  ] 1/2 日本語"),
            (line(7, None, "pages"), 80, "/ 7 pages"),
            (line(7, None, "pages"), 5, "/ 7 p"),
        ] {
            let text = line.text(columns);
            assert_eq!(text, expected);
            assert!(text.width() <= columns, "{text}");
        }
    }

    #[test]
    fn limits_draws_per_second() {
        let start = Instant::now();
        let mut budget = Budget::default();
        let mut drawn = |after: u64| {
            (0..1000).filter(|_| budget.try_draw(start + Duration::from_millis(after))).count() as u32
        };
        assert_eq!(
            [drawn(0), drawn(49), drawn(50), drawn(1050), drawn(9050)],
            [MAX_DRAWS, 0, 1, MAX_DRAWS, MAX_DRAWS]
        );
    }

    #[test]
    fn suspends_the_line_while_others_write() {
        let buffer = Buffer::default();
        let bar = Bar::new(Arc::new(Mutex::new(buffer.clone())), 40);
        let report = |done| bar.report(done, Some(2), String::new());
        bar.print("first");
        report(1);
        bar.suspend(|| {
            report(2);
            bar.print("second");
        });
        bar.clear();
        // Somebody who still asks, and a call that nobody waits for.
        bar.print("third");
        report(2);
        let [half, whole] = ["[======>      ] 1/2", "[=============] 2/2"];
        let drawn = format!("first\n{ERASE}{half}{ERASE}second\n{ERASE}{whole}{ERASE}third\n");
        assert_eq!(buffer.text(), drawn, "and nothing is taken away that was not drawn");
    }

    #[test]
    fn measures_the_width_of_combined_characters() {
        // A character and a variation selector: one column separately, two on the terminal.
        for columns in 0..40 {
            let text = line(1, Some(2), &"\u{26a0}\u{fe0f}".repeat(30)).text(columns);
            assert!(text.width() <= columns, "{} of {columns}: {text}", text.width());
        }
    }

    #[test]
    fn resumes_after_a_panic() {
        let buffer = Buffer::default();
        let bar = Bar::new(Arc::new(Mutex::new(buffer.clone())), 40);
        bar.report(1, Some(2), String::new());
        let result =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| bar.suspend(|| panic!("asked"))));
        assert!(result.is_err());
        bar.report(2, Some(2), String::new());
        assert!(buffer.text().ends_with("2/2"), "{:?}", buffer.text());
    }

    #[test]
    fn limits_draws_when_the_total_grows() {
        let buffer = Buffer::default();
        let bar = Bar::new(Arc::new(Mutex::new(buffer.clone())), 40);
        (1..=100_000).for_each(|found| bar.report(found, Some(found), String::new()));
        let drawn = buffer.text().matches(ERASE).count();
        assert!(drawn < 1000, "{drawn} times");
    }

    #[test]
    fn draws_skipped_steps_later() {
        let buffer = Buffer::default();
        let bar = Bar::new(Arc::new(Mutex::new(buffer.clone())), 40);
        (1..=1000).for_each(|done| bar.report(done, None, String::new()));
        let drawn = || buffer.text().matches(ERASE).count();
        let before = drawn();
        while bar.state().has_redraw_thread {
            std::thread::yield_now();
        }
        assert!(buffer.text().ends_with("1000"), "{}", buffer.text());
        assert!(drawn() <= before + 1, "nothing is drawn twice");
    }

    #[test]
    fn always_draws_the_end() {
        let buffer = Buffer::default();
        let bar = Bar::new(Arc::new(Mutex::new(buffer.clone())), 40);
        (1..=1000).for_each(|done| bar.report(done, Some(1000), String::new()));
        assert!(buffer.text().ends_with("1000/1000"), "{}", buffer.text());
    }

    #[test]
    fn keeps_the_last_total() {
        let buffer = Buffer::default();
        let bar = Bar::new(Arc::new(Mutex::new(buffer.clone())), 12);
        for (done, total) in [(1, None), (2, None), (3, Some(4)), (3, None)] {
            bar.report(done, total, "pages".to_owned());
        }
        let drawn = ["/ 1 pages", "- 2 pages", "[==>] 3/4 p", "[==>] 3/4 p"];
        assert_eq!(buffer.text(), drawn.map(|line| format!("{ERASE}{line}")).concat());
    }

    #[test]
    fn buffers_lines_while_suspended_up_to_a_limit() {
        let buffer = Buffer::default();
        let stderr: crate::streams::Stderr = Arc::new(Mutex::new(buffer.clone()));
        let bar = Bar::new(Arc::clone(&stderr), 40);
        bar.suspend(|| {
            crate::streams::write(&stderr, "city> ");
            bar.print("info: still here");
            crate::streams::write(&stderr, "\n");
        });
        assert_eq!(buffer.text(), "city> \ninfo: still here\n");
        bar.suspend(|| {
            let line = "x".repeat(1000);
            (0..1000).for_each(|_| bar.print(&line));
            assert!(buffer.text().len() > 900_000, "nobody keeps as much as they want to tell");
            bar.clear();
            bar.print("the end");
            assert!(buffer.text().ends_with("the end\n"), "nobody waits for an answer any more");
        });
    }
}
