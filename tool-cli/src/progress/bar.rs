//! One line at the foot of a terminal that is drawn over and over.
//!
//! Our own and not that of a library: those that there are estimate the time that is left, for which they need the system's
//! mathematics, and whoever links them loads it each time the program starts. That is an eighth of what an empty program takes.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::streams::{self, Stderr};

/// How many times a second a line is drawn at most, and how many times at once.
const OFTEN: u32 = 20;

/// The columns of a bar between its brackets, where there is room.
const CELLS: usize = 30;

/// What turns where the end is not known.
const SPINNER: [char; 4] = ['|', '/', '-', '\\'];

/// Back to the first column, and away with what stands in the line.
const ERASE: &str = "\r\u{1b}[2K";

/// A bar where the end is known, otherwise a count that turns.
pub(crate) struct Bar {
    stderr: Stderr,
    columns: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    line: Line,
    is_drawn: bool,
    /// How many write in its place.
    aside: usize,
    is_over: bool,
    budget: Budget,
}

impl Bar {
    /// Draws nothing before there is something to tell.
    pub(crate) fn new(stderr: Stderr, columns: u16) -> Self {
        Bar { stderr, columns: columns.into(), state: Mutex::default() }
    }

    /// Shows how far it has come. Not every step is drawn where they follow each other quickly; the last one is.
    pub(crate) fn report(&self, done: u64, total: Option<u64>, message: String) {
        let mut state = self.state();
        let turn = state.line.turn.wrapping_add(1);
        state.line = Line { done, total: total.or(state.line.total), message, turn };
        let is_end = total == Some(done);
        if state.aside == 0 && (state.budget.draws(Instant::now()) || is_end) {
            self.draw(&mut state);
        }
    }

    /// Writes a line above.
    pub(crate) fn tell(&self, line: &str) {
        self.aside(|| streams::write(&self.stderr, &format!("{line}\n")));
    }

    /// Takes the line out of the way for as long as somebody else writes. What is reported meanwhile is shown after it.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        {
            let mut state = self.state();
            state.aside += 1;
            self.erase(&mut state);
        }
        let told = write();
        let mut state = self.state();
        state.aside -= 1;
        if state.aside == 0 && state.line.turn > 0 {
            self.draw(&mut state);
        }
        told
    }

    /// Takes the line away for good.
    pub(crate) fn clear(&self) {
        let mut state = self.state();
        state.is_over = true;
        self.erase(&mut state);
    }

    fn draw(&self, state: &mut State) {
        if state.is_over {
            return;
        }
        // The last column stays free: some terminals begin a new line there.
        let line = state.line.text(self.columns.saturating_sub(1));
        streams::write(&self.stderr, &format!("{ERASE}{line}"));
        state.is_drawn = true;
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

/// What the line tells.
#[derive(Default)]
struct Line {
    done: u64,
    total: Option<u64>,
    message: String,
    /// How many times something was reported.
    turn: usize,
}

impl Line {
    /// The line, in so many columns.
    fn text(&self, columns: usize) -> String {
        let Line { done, total, message, turn } = self;
        let line = match total {
            Some(total) => {
                let cells = CELLS.min(columns / 3);
                // Beyond its end, and of nothing at all, everything is done.
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
        let mut left = columns;
        let fits = |c: &char| match left.checked_sub(c.width().unwrap_or_default()) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        };
        line.chars().take_while(fits).collect()
    }
}

/// So many at once, and then as many a second.
struct Budget {
    left: u32,
    since: Option<Instant>,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { left: OFTEN, since: None }
    }
}

impl Budget {
    fn draws(&mut self, now: Instant) -> bool {
        const EACH: Duration = Duration::from_millis(1000 / OFTEN as u64);
        let since = *self.since.get_or_insert(now);
        let earned = now.saturating_duration_since(since).as_millis() / EACH.as_millis();
        if earned > 0 {
            self.left = OFTEN.min(self.left.saturating_add(u32::try_from(earned).unwrap_or(OFTEN)));
            self.since = Some(now);
        }
        let draws = self.left > 0;
        self.left = self.left.saturating_sub(1);
        draws
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant};

    use unicode_width::UnicodeWidthStr as _;

    use super::{Bar, Budget, ERASE, Line, OFTEN};
    use crate::Buffer;

    fn line(done: u64, total: Option<u64>, message: &str) -> Line {
        Line { done, total, message: message.to_owned(), turn: 1 }
    }

    #[test]
    fn a_line_has_room_for_what_it_tells() {
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
    fn a_few_steps_are_drawn_at_once_and_then_so_many_a_second() {
        let start = Instant::now();
        let mut budget = Budget::default();
        let mut drawn = |after: u64| {
            (0..1000).filter(|_| budget.draws(start + Duration::from_millis(after))).count() as u32
        };
        assert_eq!([drawn(0), drawn(49), drawn(50), drawn(1050), drawn(9050)], [OFTEN, 0, 1, OFTEN, OFTEN]);
    }

    #[test]
    fn the_line_makes_room_for_others_and_shows_what_came_meanwhile() {
        let buffer = Buffer::default();
        let bar = Bar::new(Arc::new(Mutex::new(buffer.clone())), 40);
        let report = |done| bar.report(done, Some(2), String::new());
        bar.tell("first");
        report(1);
        bar.aside(|| {
            report(2);
            bar.tell("second");
        });
        bar.clear();
        // Somebody who still asks, and a call that nobody waits for.
        bar.tell("third");
        report(2);
        let [half, whole] = ["[======>      ] 1/2", "[=============] 2/2"];
        let drawn = format!("first\n{ERASE}{half}{ERASE}second\n{ERASE}{whole}{ERASE}third\n");
        assert_eq!(buffer.text(), drawn, "and nothing is taken away that was not drawn");
    }
}
