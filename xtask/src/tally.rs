//! Counts of tests, parsed from the output of `cargo test`.

use std::ops::AddAssign;

/// Numbers of tests by result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Passed tests.
    pub(crate) passed: u64,
    /// Failed tests.
    pub(crate) failed: u64,
    /// Ignored or filtered out tests.
    pub(crate) skipped: u64,
}

impl Tally {
    /// The tally of one line like `test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; …`.
    ///
    /// A documentation example marked `no_run` is compiled, and counts as passed; one marked `ignore` as skipped.
    pub(crate) fn of_line(line: &str) -> Option<Self> {
        let counts = line.strip_prefix("test result: ")?.split_once(". ")?.1;
        let mut tally = Self::default();
        for part in counts.split("; ") {
            let Some((number, what)) = part.split_once(' ') else { continue };
            let Ok(number) = number.parse::<u64>() else { continue };
            match what {
                "passed" => tally.passed += number,
                "failed" => tally.failed += number,
                "ignored" | "filtered out" => tally.skipped += number,
                _ => {}
            }
        }
        Some(tally)
    }

    /// The tally of the closing line of this program, like `18 passed, 0 failed`.
    pub(crate) fn of_closing_line(line: &str) -> Option<Self> {
        let (passed, failed) = line.strip_suffix(" failed")?.split_once(" passed, ")?;
        Some(Self { passed: passed.parse().ok()?, failed: failed.parse().ok()?, skipped: 0 })
    }

    /// Counts one more check.
    pub(crate) fn count(&mut self, passed_test: bool) {
        if passed_test {
            self.passed += 1;
        } else {
            self.failed += 1;
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_a_summary() {
        let line =
            "test result: ok. 12 passed; 0 failed; 0 ignored; 3 measured; 0 filtered out; finished in 0.02s";
        assert_eq!(Tally::of_line(line), Some(Tally { passed: 12, failed: 0, skipped: 0 }));
    }

    #[test]
    fn counts_failed_and_skipped_tests() {
        let line = "test result: FAILED. 1 passed; 2 failed; 3 ignored; 0 measured; 4 filtered out; finished in 1.50s";
        assert_eq!(Tally::of_line(line), Some(Tally { passed: 1, failed: 2, skipped: 7 }));
    }

    #[test]
    fn ignores_other_lines() {
        for line in [
            "",
            "running 3 tests",
            "test result ... ok",
            "test result: ok",
            "note: test result: ok. 1 passed",
        ] {
            assert_eq!(Tally::of_line(line), None, "{line}");
        }
    }

    #[test]
    fn parses_a_closing_line() {
        let tally = Tally { passed: 18, failed: 2, skipped: 0 };
        assert_eq!(Tally::of_closing_line("18 passed, 2 failed"), Some(tally));
        for line in ["", "18 passed", "x passed, 2 failed", "browser: ok, 18 passed, 0 failed, 2.0 s"] {
            assert_eq!(Tally::of_closing_line(line), None, "{line}");
        }
    }

    #[test]
    fn adds_tallies() {
        let mut sum = Tally { passed: 1, failed: 0, skipped: 2 };
        sum += Tally { passed: 4, failed: 1, skipped: 0 };
        sum.count(true);
        sum.count(false);
        assert_eq!(sum, Tally { passed: 6, failed: 2, skipped: 2 });
    }
}
