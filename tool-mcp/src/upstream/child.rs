//! The process of a server on stdio: started with little of our environment, and ended with all that it has started.

use std::ffi::OsString;
use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use crate::upstream::settings::Program;

/// What a process finds in its environment beside what is configured: where programs and homes are, who runs it, how to
/// speak to people, where temporary files go. No variable of these is a secret.
#[cfg(not(windows))]
pub(super) const PASSED_ON: &[&str] =
    &["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];
#[cfg(windows)]
pub(super) const PASSED_ON: &[&str] = &[
    "APPDATA",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
];

/// How long a process may take to end once its input has, and again once it was asked to.
const GRACE: Duration = Duration::from_secs(2);

/// A process that runs, with its pipes.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) process: Process,
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

/// A process and all that it has started. They end with this value at the latest.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// Of its process group, until it is known that nobody is left in it.
    #[cfg(unix)]
    group: Option<nix::unistd::Pid>,
}

impl Process {
    /// Starts a program in a process group of its own.
    pub(super) fn start(program: &Program) -> io::Result<Started> {
        let mut command = Command::new(&program.command);
        command.args(&program.args).env_clear().envs(environment()).envs(program.env.iter().cloned());
        if let Some(folder) = &program.cwd {
            command.current_dir(folder);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("it has no pipes"));
        };
        #[cfg(unix)]
        let group = child.id().and_then(|id| i32::try_from(id).ok()).map(nix::unistd::Pid::from_raw);
        let process = Process {
            child,
            #[cfg(unix)]
            group,
        };
        Ok(Started { process, stdin, stdout, stderr })
    }

    /// How it ended, if it does so within a moment: its output ends a little before it does.
    pub(super) async fn ended(&mut self) -> Option<String> {
        let status = tokio::time::timeout(Duration::from_millis(500), self.child.wait()).await.ok()?.ok()?;
        Some(match status.code() {
            Some(code) => format!("its process ended with exit status {code}"),
            None => format!("its process was ended: {status}"),
        })
    }

    /// Ends it as the specification says: its input is closed already; what does not end then is asked to, and what does
    /// not listen is made to. Whatever it has started and left behind is ended too.
    pub(super) async fn end(&mut self) {
        if tokio::time::timeout(GRACE, self.child.wait()).await.is_err() {
            self.ask();
            let _ = tokio::time::timeout(GRACE, self.child.wait()).await;
        }
        self.kill();
        // Once it has been killed, it is only taken off the list of processes.
        let _ = tokio::time::timeout(GRACE, self.child.wait()).await;
    }

    #[cfg(unix)]
    fn ask(&self) {
        if let Some(group) = self.group {
            // Whoever is not there any more need not be asked.
            let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGTERM);
        }
    }

    #[cfg(not(unix))]
    fn ask(&self) {}

    #[cfg(unix)]
    fn kill(&mut self) {
        if let Some(group) = self.group.take() {
            let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
        }
    }

    #[cfg(not(unix))]
    fn kill(&mut self) {
        let _ = self.child.start_kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What of our environment a process is given.
fn environment() -> impl Iterator<Item = (&'static str, OsString)> {
    PASSED_ON.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)))
}
