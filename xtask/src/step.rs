//! Steps of `cargo xtask test`, and their reports.

use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::process::Invocation;
use crate::program::Program;
use crate::tally::Tally;

/// How many steps run at the same time, if they may: while one compiles, the other waits for its servers, clients and timers.
const AT_A_TIME: usize = 2;

/// How long a step may take beside others.
const LIMIT: Duration = Duration::from_secs(45 * 60);

/// A step.
#[derive(Debug)]
pub(crate) struct Step {
    /// The name on the command line.
    pub(crate) name: &'static str,
    /// A summary in one line.
    pub(crate) summary: &'static str,
    /// The programs that it needs.
    pub(crate) needs: &'static [Program],
    /// Whether it may run while other steps run. It is then a process of its own, whose output is printed at its end.
    pub(crate) beside_others: bool,
    /// Runs it, and counts passed and failed tests.
    pub(crate) run: fn(&mut Tally) -> Result<(), Failure>,
}

/// Runs the steps and reports each; a failed one does not keep the others from running.
///
/// First come those that run alone, one after another. The last line is `N passed, M failed`. A step that failed without a failed
/// test counts as one.
pub(crate) fn run(steps: &[&Step]) -> ExitCode {
    let (beside, alone): (Vec<&Step>, Vec<&Step>) = match steps {
        // In a process of its own already, or asked for by its name.
        [_] => (Vec::new(), steps.to_vec()),
        _ => steps.iter().partition(|step| step.beside_others),
    };
    let mut reports: Vec<Report> = alone.into_iter().map(Report::of).collect();
    reports.extend(run_beside(&beside, LIMIT, process_of));
    println!("\n== summary");
    for report in &reports {
        println!("{}", report.line());
    }
    let passed: u64 = reports.iter().map(|report| report.tally.passed).sum();
    let failed: u64 = reports.iter().map(Report::failed).sum();
    println!("{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns this program with one step.
fn process_of(step: &Step) -> Invocation {
    Invocation::of(std::env::current_exe().unwrap_or_else(|_| "xtask".into())).arguments(["test", step.name])
}

/// Runs steps in processes, [`AT_A_TIME`] at the same time. The reports are in the order in which the steps end.
fn run_beside(steps: &[&Step], limit: Duration, process: impl Fn(&Step) -> Invocation + Sync) -> Vec<Report> {
    let (waiting, reports) = (Mutex::new(steps.iter()), Mutex::new(Vec::new()));
    let next = || waiting.lock().ok()?.next();
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME.min(steps.len()) {
            scope.spawn(|| {
                while let Some(step) = next() {
                    let report = Report::of_process(step, &process(step), limit);
                    if let Ok(mut reports) = reports.lock() {
                        reports.push(report);
                    }
                }
            });
        }
    });
    reports.into_inner().unwrap_or_default()
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

    /// Runs the step in a process, and prints what it printed.
    fn of_process(step: &Step, process: &Invocation, limit: Duration) -> Self {
        println!("$ {process}");
        let start = Instant::now();
        let mut tally = Tally::default();
        let result = process.capture(limit).and_then(|captured| {
            println!("{}{}", captured.stdout, captured.stderr);
            tally = captured.stdout.lines().next_back().and_then(Tally::of_closing_line).unwrap_or_default();
            captured
                .status
                .success()
                .then_some(())
                .ok_or(Failure::Status { command: process.to_string(), status: captured.status })
        });
        Self { name: step.name, tally, took: start.elapsed(), failure: result.err() }
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
        beside_others: false,
        run: |tally| {
            tally.passed += 3;
            Ok(())
        },
    };
    const FAILS: Step = Step {
        name: "fails",
        summary: "never holds",
        needs: &[],
        beside_others: false,
        run: |_| Err(Failure::NoTests),
    };

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

    /// Steps whose processes are shells with these scripts.
    fn run_scripts(scripts: &[&str]) -> Vec<Report> {
        let steps = vec![&HOLDS; scripts.len()];
        let scripts = Mutex::new(scripts.iter());
        run_beside(&steps, Duration::from_secs(20), |_| {
            let script = scripts.lock().unwrap().next().unwrap();
            Invocation::of("sh").arguments(["-c", script])
        })
    }

    #[test]
    fn counts_the_tests_of_a_step_in_another_process() {
        let reports = run_scripts(&["echo hello; echo '5 passed, 0 failed'"]);
        assert_eq!((reports[0].tally.passed, reports[0].failed()), (5, 0));
        let reports = run_scripts(&["echo '5 passed, 2 failed'; exit 1"]);
        assert_eq!((reports[0].tally.passed, reports[0].failed()), (5, 2));
    }

    #[test]
    fn counts_a_process_that_fails_without_a_failed_test() {
        let reports =
            run_scripts(&["exit 3", "echo '1 passed, 0 failed'; exit 1", "echo '1 passed, 0 failed'"]);
        let mut failed: Vec<u64> = reports.iter().map(Report::failed).collect();
        failed.sort_unstable();
        assert_eq!(failed, [0, 1, 1]);
    }

    #[test]
    fn runs_two_steps_at_the_same_time() {
        let folder = std::env::temp_dir().join(format!("xtask-beside-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let pipe = folder.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        // To open a named pipe for reading waits for its writer, and the other way round.
        let (read, write) =
            (format!("cat {}", pipe.display()), format!("echo '2 passed, 0 failed' > {}", pipe.display()));
        let reports = run_scripts(&[&read, &write]);
        assert_eq!(reports.iter().map(|report| report.tally.passed).sum::<u64>(), 2);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
