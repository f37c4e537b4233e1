//! Steps of `cargo xtask test`, and their reports.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::program::Program;
use crate::tally::Tally;

/// A step.
#[derive(Debug)]
pub(crate) struct Step {
    /// The name on the command line.
    pub(crate) name: &'static str,
    /// A summary in one line.
    pub(crate) summary: &'static str,
    /// The programs that it needs.
    pub(crate) needs: &'static [Program],
    /// Runs it, and counts passed and failed tests.
    pub(crate) run: fn(&mut Tally) -> Result<(), Failure>,
}

/// Runs the steps one after another and reports each; a failed one does not keep the others from running.
///
/// The last line is `N passed, M failed`. A step that failed without a failed test counts as one.
pub(crate) fn run(steps: &[&Step]) -> ExitCode {
    let reports: Vec<Report> = steps.iter().map(|step| Report::of(step)).collect();
    println!("\n== summary");
    for report in &reports {
        println!("{}", report.line());
    }
    let passed: u64 = reports.iter().map(|report| report.tally.passed).sum();
    let failed: u64 = reports.iter().map(Report::failed).sum();
    println!("{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The result of a step.
struct Report {
    name: &'static str,
    tally: Tally,
    took: Duration,
    failure: Option<Failure>,
}

impl Report {
    /// Runs the step and prints its closing line.
    fn of(step: &Step) -> Self {
        println!("\n== {}: {}", step.name, step.summary);
        let start = Instant::now();
        let mut tally = Tally::default();
        let result = step.needs.iter().try_for_each(Program::ensure).and_then(|()| (step.run)(&mut tally));
        let report = Self { name: step.name, tally, took: start.elapsed(), failure: result.err() };
        println!("{}", report.line());
        report
    }

    /// Returns the number of failures.
    fn failed(&self) -> u64 {
        self.tally.failed.max(u64::from(self.failure.is_some()))
    }

    fn line(&self) -> String {
        let Self { name, tally: Tally { passed, failed, .. }, took, failure } = self;
        let tests =
            if passed + failed > 0 { format!(", {passed} passed, {failed} failed") } else { String::new() };
        let seconds = took.as_secs_f64();
        match failure {
            None => format!("{name}: ok{tests}, {seconds:.1} s"),
            Some(failure) => format!("{name}: FAILED{tests}, {seconds:.1} s: {failure}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOLDS: Step = Step {
        name: "holds",
        summary: "always holds",
        needs: &[],
        run: |tally| {
            tally.passed += 3;
            Ok(())
        },
    };
    const FAILS: Step =
        Step { name: "fails", summary: "never holds", needs: &[], run: |_| Err(Failure::NoTests) };

    #[test]
    fn reports_passed_tests_of_a_step() {
        let report = Report::of(&HOLDS);
        assert_eq!((report.tally.passed, report.failed()), (3, 0));
        assert!(report.line().starts_with("holds: ok, 3 passed, 0 failed, "), "{}", report.line());
    }

    #[test]
    fn counts_a_failure_without_failed_tests() {
        let report = Report::of(&FAILS);
        assert_eq!(report.failed(), 1);
        assert!(report.line().ends_with("not one test ran"), "{}", report.line());
    }

    #[test]
    fn counts_failed_tests_once() {
        let tally = Tally { passed: 1, failed: 2, skipped: 0 };
        let report =
            Report { name: "x", tally, took: Duration::from_secs(1), failure: Some(Failure::Checks(2)) };
        assert_eq!(report.failed(), 2);
    }

    #[test]
    fn runs_other_steps_after_a_failure() {
        // `ExitCode` has no comparison, but its debug text has.
        let code = |steps: &[&Step]| format!("{:?}", run(steps));
        assert_eq!(code(&[&HOLDS]), format!("{:?}", ExitCode::SUCCESS));
        assert_eq!(code(&[&FAILS, &HOLDS]), format!("{:?}", ExitCode::FAILURE));
    }
}
