//! Whether memory, file descriptors, tasks and threads are flat.

use std::fmt;
use std::time::Duration;

use crate::figures::{Figures, Sample};

/// What a median may grow by, from one half of the time after the warm-up to the other.
#[derive(Clone, Copy, Debug)]
struct Allowance {
    name: &'static str,
    of: fn(&Figures) -> u64,
    /// Percent of the median of the first half.
    percent: u64,
    /// In the unit of the figure.
    more: u64,
    /// How much more than at the idle begin there may be at the idle end, in the unit of the figure.
    idle: Option<u64>,
}

/// Memory: the allocator of the C library keeps what each of its arenas freed, and when it returns pages depends on the order of
/// the calls: 10 % and 8 MiB are above what repeated runs differ by. Of a server of 60 MiB these are 14 MiB: 4,000 calls that leak
/// 4 KiB each are above that, which takes two minutes, and in an hour 100,000 calls that leak 150 bytes each.
///
/// The others go up and down with the calls that run at the moment, of which there is a fixed number of clients: 25 % and 8. When
/// all clients have left, they are those of the begin, but for connections to the database: the pools have at most 4 + 8 + 1
/// connections, each with a file descriptor, and make and close them as they like. A connection of a client that was just
/// closed may count as well.
const ALLOWANCES: [Allowance; 4] = [
    Allowance { name: "memory in KiB", of: |it| it.rss_kib, percent: 10, more: 8 << 10, idle: None },
    Allowance { name: "file descriptors", of: |it| it.descriptors, percent: 25, more: 8, idle: Some(14) },
    Allowance { name: "tasks", of: |it| it.tasks, percent: 25, more: 8, idle: Some(4) },
    Allowance { name: "threads", of: |it| it.threads, percent: 25, more: 8, idle: Some(2) },
];

/// Returns how long the figures may grow: a sixth of the time, at least 30 s and at most 10 minutes, and never more than a half.
pub(crate) fn warm_up(whole: Duration) -> Duration {
    (whole / 6).clamp(Duration::from_secs(30), Duration::from_secs(600)).min(whole / 2)
}

/// Compares the medians of the two halves of the time after the warm-up, and returns what has grown. Medians, since a tool that
/// allocates 50 MB is a peak of a moment: a leak raises all figures after it.
pub(crate) fn grown(samples: &[Sample], whole: Duration) -> Vec<Growth> {
    let (begin, middle) = (warm_up(whole), (warm_up(whole) + whole) / 2);
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for sample in samples {
        if sample.at >= middle {
            second.push(sample.figures);
        } else if sample.at >= begin {
            first.push(sample.figures);
        }
    }
    let growth = |allowance: &Allowance| {
        let (before, after) = (median(&first, allowance.of)?, median(&second, allowance.of)?);
        let most = before + before * allowance.percent / 100 + allowance.more;
        (after > most).then_some(Growth { name: allowance.name, when: "under load", before, after, most })
    };
    ALLOWANCES.iter().filter_map(growth).collect()
}

/// Compares the figures without clients before and after the load, and returns what has stayed.
pub(crate) fn stayed(before: &Figures, after: &Figures) -> Vec<Growth> {
    let growth = |allowance: &Allowance| {
        let (before, after) = ((allowance.of)(before), (allowance.of)(after));
        let most = before + allowance.idle?;
        (after > most).then_some(Growth {
            name: allowance.name,
            when: "without clients",
            before,
            after,
            most,
        })
    };
    ALLOWANCES.iter().filter_map(growth).collect()
}

fn median(figures: &[Figures], of: fn(&Figures) -> u64) -> Option<u64> {
    let mut values: Vec<u64> = figures.iter().map(of).collect();
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

/// A figure that is not flat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Growth {
    name: &'static str,
    when: &'static str,
    before: u64,
    after: u64,
    most: u64,
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, when, before, after, most } = self;
        write!(f, "{name} {when}: {before} before and {after} after, at most {most} expected")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTES: u64 = 60;
    const HOUR: Duration = Duration::from_secs(60 * MINUTES);
    const IDLE: Figures = Figures { rss_kib: 60_000, threads: 3, descriptors: 20, tasks: 12 };
    const BUSY: Figures = Figures { rss_kib: 90_000, threads: 9, descriptors: 60, tasks: 80 };

    /// An hour of samples, each changed by its number of seconds.
    fn samples(change: impl Fn(u64, &mut Figures)) -> Vec<Sample> {
        let sample = |second: u64| {
            let mut figures = BUSY;
            change(second, &mut figures);
            Sample { at: Duration::from_secs(second), calls: second * 100, figures }
        };
        (0..60 * MINUTES).step_by(5).map(sample).collect()
    }

    fn names(growth: &[Growth]) -> Vec<&str> {
        growth.iter().map(|growth| growth.name).collect()
    }

    #[test]
    fn warms_up_for_a_sixth_of_the_time() {
        for (whole, expected) in [(20, 10), (120, 30), (600, 100), (3_600, 600), (86_400, 600)] {
            assert_eq!(warm_up(Duration::from_secs(whole)).as_secs(), expected, "{whole}");
        }
    }

    #[test]
    fn accepts_flat_figures_with_peaks_and_a_warm_up() {
        assert!(grown(&samples(|_, _| {}), HOUR).is_empty());
        let noisy = samples(|second, figures| {
            // It grows in the first ten minutes, has a peak of 50 MB in every fourth sample, and goes up and down.
            figures.rss_kib += second.min(10 * MINUTES) * 40 + u64::from(second.is_multiple_of(20)) * 51_200;
            figures.tasks += second * 7 % 31;
            figures.descriptors += second * 11 % 23;
            figures.threads += second * 3 % 7;
        });
        assert_eq!(grown(&noisy, HOUR), []);
    }

    #[test]
    fn finds_each_figure_that_grows() {
        for (name, change) in [
            ("memory in KiB", (|second, it| it.rss_kib += second * 14) as fn(u64, &mut Figures)),
            ("file descriptors", |second, it| it.descriptors += second / 40),
            ("tasks", |second, it| it.tasks += second / 40),
            ("threads", |second, it| it.threads += second / 80),
        ] {
            assert_eq!(names(&grown(&samples(change), HOUR)), [name]);
        }
    }

    #[test]
    fn compares_nothing_without_samples() {
        assert_eq!(grown(&[], HOUR), []);
    }

    #[test]
    fn accepts_pools_and_finds_what_stays_without_clients() {
        for (change, expected) in [
            ((|_| {}) as fn(&mut Figures), None),
            (|it| it.descriptors += 14, None),
            (|it| it.descriptors += 15, Some("file descriptors")),
            (|it| it.tasks += 4, None),
            (|it| it.tasks += 5, Some("tasks")),
            (|it| it.threads += 2, None),
            (|it| it.threads += 3, Some("threads")),
            // An allocator keeps memory: it is compared under load only.
            (|it| it.rss_kib *= 2, None),
        ] {
            let mut after = IDLE;
            change(&mut after);
            assert_eq!(names(&stayed(&IDLE, &after)), Vec::from_iter(expected), "{after:?}");
        }
    }
}
