//! Steps of `cargo xtask test`, and their reports.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::process::{self, Invocation};
use crate::program::Program;
use crate::tally::Tally;
use crate::workspace;

/// How many steps run at the same time. Cargo lets one of them compile at a time, on all processors; the others mostly wait, for it or
/// for servers, clients and timers.
const AT_A_TIME: usize = 3;

/// How long a step may take beside others.
const LIMIT: Duration = Duration::from_secs(80 * 60);

/// How many lines of a failed step are printed again before the summary, where one looks first.
const LAST_LINES: usize = 100;

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

/// Runs the steps and reports each; a failed one does not keep the others from running.
///
/// A single step runs here. Of several, each is a process of its own, whose output is printed at its end. The last line is
/// `N passed, M failed`. A step that failed without a failed test counts as one.
pub(crate) fn run(steps: &[&Step]) -> ExitCode {
    let reports = match steps {
        [step] => vec![Report::of(step)],
        _ => run_in_processes(steps, LIMIT, process_of),
    };
    for report in reports.iter().filter(|report| report.failed > 0 && !report.output.is_empty()) {
        println!("\n== the end of {}\n{}", report.name, last_lines(&report.output));
    }
    println!("\n== summary");
    for report in &reports {
        println!("{}", report.line);
    }
    let passed: u64 = reports.iter().map(|report| report.passed).sum();
    let failed: u64 = reports.iter().map(|report| report.failed).sum();
    println!("{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns this program with one step.
fn process_of(step: &Step) -> Invocation {
    Invocation::of(std::env::current_exe().unwrap_or_else(|_| "xtask".into())).arguments(["test", step.name])
}

/// Runs steps in processes, [`AT_A_TIME`] at the same time. The reports are in the order in which the steps end.
fn run_in_processes(
    steps: &[&Step],
    limit: Duration,
    process: impl Fn(&Step) -> Invocation + Sync,
) -> Vec<Report> {
    let (waiting, reports) = (Mutex::new(steps.iter()), Mutex::new(Vec::new()));
    let next = || waiting.lock().ok()?.next();
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME.min(steps.len()) {
            scope.spawn(|| {
                while let Some(step) = next() {
                    let report = Report::of_process(step.name, &process(step), limit);
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
    passed: u64,
    failed: u64,
    line: String,
    /// What it printed, if it was a process of its own.
    output: String,
}

impl Report {
    /// Runs the step.
    fn of(step: &Step) -> Self {
        println!("\n== {}: {}", step.name, step.summary);
        let start = Instant::now();
        let mut tally = Tally::default();
        let result = step.needs.iter().try_for_each(Program::ensure).and_then(|()| (step.run)(&mut tally));
        Self::new(step.name, tally, start.elapsed(), process::cpu_seconds(), result.err().as_ref())
    }

    /// Runs the step in a process, and prints what it printed.
    fn of_process(name: &'static str, process: &Invocation, limit: Duration) -> Self {
        let start = Instant::now();
        let path = output_file(name);
        let opened = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| File::create(&path));
        let file = match opened {
            Ok(file) => file,
            Err(source) => {
                let failure = Failure::File { path: path.display().to_string(), source };
                return Self::new(name, Tally::default(), start.elapsed(), None, Some(&failure));
            }
        };
        println!("$ {process} > {}", path.display());
        let result = process.run_into(file, limit).and_then(|status| {
            let command = process.to_string();
            if status.success() { Ok(()) } else { Err(Failure::Status { command, status }) }
        });
        let output =
            fs::read(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        println!("{output}");
        let tally = output.lines().next_back().and_then(Tally::of_closing_line).unwrap_or_default();
        let report = Self::new(name, tally, start.elapsed(), None, result.as_ref().err());
        // The process says the cause of a failure, and its time.
        let line = output.lines().rfind(|line| line.starts_with(&format!("{name}: ")));
        Self { line: line.map_or(report.line, str::to_owned), output, ..report }
    }

    /// Creates a report of a step that `took` so long by the clock, and `computed` so many seconds.
    fn new(
        name: &'static str,
        tally: Tally,
        took: Duration,
        computed: Option<u64>,
        failure: Option<&Failure>,
    ) -> Self {
        let Tally { passed, failed, .. } = tally;
        let tests =
            if passed + failed > 0 { format!(", {passed} passed, {failed} failed") } else { String::new() };
        let took = took.as_secs_f64();
        let computed = computed.map_or(String::new(), |seconds| format!(", {seconds} CPU s"));
        let line = match failure {
            None => format!("{name}: ok{tests}, {took:.1} s{computed}"),
            Some(failure) => format!("{name}: FAILED{tests}, {took:.1} s{computed}: {failure}"),
        };
        Self { name, passed, failed: failed.max(u64::from(failure.is_some())), line, output: String::new() }
    }
}

/// Returns the file with the output of a step, which can be read while it runs.
fn output_file(name: &str) -> PathBuf {
    workspace::target().join("steps").join(format!("{name}.txt"))
}

/// Returns the last [`LAST_LINES`] of a text.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
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
        assert_eq!((report.passed, report.failed), (3, 0));
        assert!(report.line.starts_with("holds: ok, 3 passed, 0 failed, "), "{}", report.line);
    }

    #[test]
    fn counts_a_failure_without_failed_tests() {
        let report = Report::of(&FAILS);
        assert_eq!(report.failed, 1);
        assert!(report.line.ends_with("not one test ran"), "{}", report.line);
    }

    #[test]
    fn counts_failed_tests_once() {
        let tally = Tally { passed: 1, failed: 2, skipped: 0 };
        let report = Report::new("x", tally, Duration::from_secs(1), None, Some(&Failure::Checks(2)));
        assert_eq!(report.failed, 2);
    }

    #[test]
    fn runs_other_steps_after_a_failure() {
        let scripts = [&["exit 1"; AT_A_TIME][..], &["echo '1 passed, 0 failed'"]].concat();
        let reports = run_scripts(&scripts);
        assert_eq!(reports.len(), AT_A_TIME + 1);
        assert_eq!(reports.iter().map(|report| report.passed).sum::<u64>(), 1);
    }

    #[test]
    fn ends_with_the_result_of_a_single_step() {
        // `ExitCode` has no comparison, but its debug text has.
        let code = |step: &Step| format!("{:?}", run(&[step]));
        assert_eq!(code(&HOLDS), format!("{:?}", ExitCode::SUCCESS));
        assert_eq!(code(&FAILS), format!("{:?}", ExitCode::FAILURE));
    }

    /// Steps whose processes are shells with these scripts.
    fn run_scripts(scripts: &[&str]) -> Vec<Report> {
        // Each step has a file of its own.
        const NAMES: [&str; AT_A_TIME + 1] = ["script-1", "script-2", "script-3", "script-4"];
        let steps: Vec<Step> = NAMES.iter().take(scripts.len()).map(|name| Step { name, ..HOLDS }).collect();
        run_in_processes(&steps.iter().collect::<Vec<_>>(), Duration::from_secs(20), |step| {
            let script = scripts[NAMES.iter().position(|name| *name == step.name).unwrap()];
            Invocation::of("sh").arguments(["-c", script])
        })
    }

    #[test]
    fn counts_the_tests_of_a_step_in_another_process() {
        let reports = run_scripts(&["echo hello; echo '5 passed, 0 failed'"]);
        assert_eq!((reports[0].passed, reports[0].failed), (5, 0));
        let reports = run_scripts(&["echo '5 passed, 2 failed'; exit 1"]);
        assert_eq!((reports[0].passed, reports[0].failed), (5, 2));
    }

    #[test]
    fn counts_a_process_that_fails_without_a_failed_test() {
        let reports =
            run_scripts(&["exit 3", "echo '1 passed, 0 failed'; exit 1", "echo '1 passed, 0 failed'"]);
        let mut failed: Vec<u64> = reports.iter().map(|report| report.failed).collect();
        failed.sort_unstable();
        assert_eq!(failed, [0, 1, 1]);
    }

    #[test]
    fn reports_the_cause_that_a_process_names() {
        let line = "script-1: FAILED, 0 passed, 1 failed, 120.0 s, 30 CPU s: memory has grown";
        let reports = run_scripts(&[&format!("echo '{line}'; echo '0 passed, 1 failed'; exit 1"), "exit 3"]);
        let mut lines: Vec<&str> = reports.iter().map(|report| report.line.as_str()).collect();
        lines.sort_unstable();
        assert_eq!(lines[0], line);
        assert!(
            lines[1].starts_with("script-2: FAILED, ") && lines[1].ends_with("exit status: 3"),
            "{lines:?}"
        );
    }

    #[test]
    fn repeats_the_last_lines_of_a_text() {
        assert_eq!(last_lines("one\ntwo\n"), "one\ntwo");
        let text: Vec<String> = (0..140).map(|line| line.to_string()).collect();
        assert_eq!(last_lines(&text.join("\n")), text[40..].join("\n"));
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
        assert_eq!(reports.iter().map(|report| report.passed).sum::<u64>(), 2);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
