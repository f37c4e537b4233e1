//! Running programs.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::workspace;

/// A program with arguments and environment variables; it runs in the root of the workspace.
#[derive(Debug)]
pub(crate) struct Invocation {
    program: OsString,
    arguments: Vec<OsString>,
    variables: Vec<(&'static str, OsString)>,
    folder: std::path::PathBuf,
}

impl Invocation {
    /// Creates an invocation of `program`.
    pub(crate) fn of(program: impl Into<OsString>) -> Self {
        let (arguments, variables) = (Vec::new(), Vec::new());
        Self { program: program.into(), arguments, variables, folder: workspace::root() }
    }

    /// Creates an invocation of the cargo that runs this program.
    pub(crate) fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Self {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        Self::of(cargo).arguments(arguments)
    }

    /// Adds arguments.
    pub(crate) fn arguments(mut self, more: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.arguments.extend(more.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Sets an environment variable.
    pub(crate) fn env(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// Sets the working directory.
    pub(crate) fn folder(mut self, folder: &Path) -> Self {
        folder.clone_into(&mut self.folder);
        self
    }

    /// Prints the command line, like a shell trace.
    pub(crate) fn announce(self) -> Self {
        println!("$ {self}");
        self
    }

    /// Runs it to its end with inherited output.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let status = self.command().stdin(Stdio::null()).status().map_err(|source| self.no_start(source))?;
        self.check_status(status)
    }

    /// Runs it to its end, prints its output, and passes each line of its standard output to `read`.
    pub(crate) fn run_reading(self, mut read: impl FnMut(&str)) -> Result<(), Failure> {
        let mut command = self.command();
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|source| self.no_start(source))?;
        if let Some(stdout) = child.stdout.take() {
            for line in BufReader::new(stdout).split(b'\n') {
                let line = line.map_err(|source| self.unreadable(source))?;
                let line = String::from_utf8_lossy(&line);
                println!("{line}");
                read(&line);
            }
        }
        let status = child.wait().map_err(|source| self.unreadable(source))?;
        self.check_status(status)
    }

    /// Runs it to its end without printing; it is killed after `limit`.
    pub(crate) fn capture(&self, limit: Duration) -> Result<Captured, Failure> {
        let mut command = self.command();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|source| self.no_start(source))?;
        let stdout = collect(child.stdout.take());
        let stderr = collect(child.stderr.take());
        let deadline = Instant::now() + limit;
        let rest = || deadline.saturating_duration_since(Instant::now());
        let both = stdout.recv_timeout(rest()).and_then(|out| Ok((out, stderr.recv_timeout(rest())?)));
        let Ok((stdout, stderr)) = both else {
            end(&mut child);
            return Err(Failure::Late { command: self.to_string(), due: "end", limit });
        };
        let status = child.wait().map_err(|source| self.unreadable(source))?;
        Ok(Captured { status, stdout, stderr })
    }

    /// Runs it to its end with both outputs in a file; it is killed after `limit`.
    pub(crate) fn run_into(&self, file: File, limit: Duration) -> Result<ExitStatus, Failure> {
        let mut command = self.command();
        let stdout = file.try_clone().map_err(|source| self.unreadable(source))?;
        let mut child = command
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(file)
            .spawn()
            .map_err(|source| self.no_start(source))?;
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if let Some(status) = child.try_wait().map_err(|source| self.unreadable(source))? {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(50));
        }
        end(&mut child);
        Err(Failure::Late { command: self.to_string(), due: "end", limit })
    }

    /// Returns the command for [`std::process`].
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        fixture_cargo::remove_package(&mut command);
        command.args(&self.arguments).current_dir(&self.folder);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Returns the error of a failed start.
    pub(crate) fn no_start(&self, source: std::io::Error) -> Failure {
        Failure::Start { command: self.to_string(), source }
    }

    fn unreadable(&self, source: std::io::Error) -> Failure {
        Failure::Read { command: self.to_string(), source }
    }

    fn check_status(&self, status: ExitStatus) -> Result<(), Failure> {
        if status.success() { Ok(()) } else { Err(Failure::Status { command: self.to_string(), status }) }
    }
}

/// Formats the command line with the name of the program and the variables that are set here.
impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in self.variables.iter().filter(|(name, _)| *name != "PATH") {
            write!(f, "{name}={} ", quoted(value))?;
        }
        let name = Path::new(&self.program).file_name().unwrap_or(&self.program);
        f.write_str(&quoted(name))?;
        self.arguments.iter().try_for_each(|argument| write!(f, " {}", quoted(argument)))
    }
}

/// The result of a program.
#[derive(Debug)]
pub(crate) struct Captured {
    /// The exit status.
    pub(crate) status: ExitStatus,
    /// The standard output.
    pub(crate) stdout: String,
    /// The standard error.
    pub(crate) stderr: String,
}

/// Kills a child process, which may have ended already.
pub(crate) fn end(child: &mut Child) {
    if child.kill().is_ok() {
        let _ = child.wait();
    }
}

/// Returns how many seconds of a processor the children of this process that have ended took, where the system says it (Linux).
pub(crate) fn cpu_seconds() -> Option<u64> {
    /// Of a second: the same on every processor that Linux runs on.
    const TICKS: u64 = 100;
    Some(ticks_of_children(&std::fs::read_to_string("/proc/self/stat").ok()?)? / TICKS)
}

/// Reads fields 16 and 17 of `/proc/PID/stat`: see `proc_pid_stat(5)`.
fn ticks_of_children(stat: &str) -> Option<u64> {
    // The name of the program, field 2, stands in parentheses and may have any characters.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ').skip(16 - 3);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(next()? + next()?)
}

/// Reads a pipe to its end on its own thread, so that no pipe fills up while another one is read.
fn collect(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // Keep what was read before an error.
            let _ = pipe.read_to_end(&mut bytes);
        }
        // The receiver is gone after a timeout.
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "-_=./:,+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Invocation {
        Invocation::of("sh").arguments(["-c", script])
    }

    #[test]
    fn renders_command_lines_for_a_shell() {
        let shown = Invocation::of("/usr/bin/env")
            .arguments(["--key=value", "two words", "it's", ""])
            .env("FLAGS", "-D warnings")
            .env("PATH", "/nowhere")
            .to_string();
        assert_eq!(shown, r"FLAGS='-D warnings' env --key=value 'two words' 'it'\''s' ''");
    }

    #[test]
    fn captures_both_outputs_and_the_status() {
        let captured = shell("echo out; echo err >&2; exit 3").capture(Duration::from_secs(30)).unwrap();
        assert_eq!((captured.stdout.as_str(), captured.stderr.as_str()), ("out\n", "err\n"));
        assert_eq!(captured.status.code(), Some(3));
    }

    #[test]
    fn captures_more_than_a_pipe_holds() {
        let script = "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero";
        let captured = shell(script).capture(Duration::from_secs(30)).unwrap();
        assert_eq!((captured.stdout.len(), captured.stderr.len()), (300_000, 300_000));
    }

    /// Runs a script with its output in a file, and returns the result and the output.
    fn run_into(script: &str, limit: Duration) -> (Result<ExitStatus, Failure>, String) {
        let name = format!("xtask-output-{}-{}", std::process::id(), script.len());
        let path = std::env::temp_dir().join(name);
        let result = shell(script).run_into(File::create(&path).unwrap(), limit);
        let output = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        (result, output)
    }

    #[test]
    fn keeps_the_order_of_both_outputs_in_a_file() {
        let (result, output) =
            run_into("echo one; echo two >&2; echo three; exit 3", Duration::from_secs(30));
        assert_eq!((result.unwrap().code(), output.as_str()), (Some(3), "one\ntwo\nthree\n"));
    }

    #[test]
    fn keeps_the_output_of_a_program_that_is_killed() {
        let (result, output) = run_into("echo one; exec tail -f /dev/null", Duration::from_secs(2));
        assert!(matches!(result, Err(Failure::Late { due: "end", .. })), "{result:?}");
        assert_eq!(output, "one\n");
    }

    #[test]
    fn kills_a_program_on_timeout() {
        // `exec`, so that no second process is left running.
        let endless = shell("exec tail -f /dev/null");
        let failure = endless.capture(Duration::from_millis(50)).unwrap_err();
        assert!(matches!(failure, Failure::Late { due: "end", .. }), "{failure}");
    }

    #[test]
    fn reads_the_time_of_children() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194304 10 20 30 40 11 12 1300 45 20 0 1 0";
        assert_eq!(ticks_of_children(stat), Some(1_345));
        for short in ["", "7 (a) S", "7 (a) S 1 7 7 0 -1 4194304 10 20 30 40 11 12 x 45"] {
            assert_eq!(ticks_of_children(short), None, "{short}");
        }
    }

    #[test]
    fn reads_each_line_and_reports_the_status() {
        let mut lines = Vec::new();
        let result = shell("printf 'one\\ntwo'; exit 1").run_reading(|line| lines.push(line.to_owned()));
        assert_eq!(lines, ["one", "two"]);
        assert!(matches!(result, Err(Failure::Status { .. })), "{result:?}");
    }

    #[test]
    fn names_a_missing_program() {
        let failure = Invocation::of("no-such-program-anywhere").run().unwrap_err().to_string();
        assert!(failure.starts_with("`no-such-program-anywhere` could not be started: "), "{failure}");
    }
}
