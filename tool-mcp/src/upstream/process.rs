//! The child process of a stdio server: inherits few environment variables, and is terminated together with its own
//! children.

use std::ffi::OsString;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::Instant;

use crate::upstream::transport_config::StdioConfig;

/// The environment variables that a process inherits: search path, home, user, locale and folder for temporary files.
/// None of them is a secret.
#[cfg(not(windows))]
pub(super) const INHERITED_ENV: &[&str] =
    &["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];
#[cfg(windows)]
pub(super) const INHERITED_ENV: &[&str] = &[
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

/// The time to exit after the end of the input, and again after `SIGTERM`.
const GRACE: Duration = Duration::from_secs(2);

/// How long the output of a process that has exited is waited for, even if a child of it keeps the output open.
const OUTPUT_GRACE: Duration = Duration::from_millis(200);

/// A running process, with its pipes.
#[derive(Debug)]
pub(super) struct SpawnedProcess {
    pub(super) process: Process,
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

/// A process and its children. They are killed on drop.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// When the exit was noticed.
    exited_at: Option<Instant>,
    /// The id of its process group; `None` after the group was killed.
    #[cfg(unix)]
    group: Option<nix::unistd::Pid>,
}

impl Process {
    /// Starts a program in its own process group.
    pub(super) fn spawn(config: &StdioConfig) -> io::Result<SpawnedProcess> {
        let mut command = Command::new(&config.command);
        command.args(&config.args).env_clear().envs(inherited_env()).envs(config.env.iter().cloned());
        if let Some(folder) = &config.cwd {
            command.current_dir(folder);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("the process has no pipes"));
        };
        #[cfg(unix)]
        let group = child.id().and_then(|id| i32::try_from(id).ok()).map(nix::unistd::Pid::from_raw);
        let process = Process {
            child,
            exited_at: None,
            #[cfg(unix)]
            group,
        };
        Ok(SpawnedProcess { process, stdin, stdout, stderr })
    }

    /// Returns how the process exited. Waits a moment, because its output ends shortly before it exits.
    pub(super) async fn exit_reason(&mut self) -> Option<String> {
        let status = tokio::time::timeout(Duration::from_millis(500), self.child.wait()).await.ok()?.ok()?;
        Some(describe(status))
    }

    /// Waits until the process has exited, and then for the rest of its output; returns how it exited. Its output may stay open,
    /// because a child of it holds it. Cancel safe.
    pub(super) async fn exited(&mut self) -> String {
        match self.child.wait().await {
            Ok(status) => {
                let since = *self.exited_at.get_or_insert_with(Instant::now);
                tokio::time::sleep_until(since + OUTPUT_GRACE).await;
                describe(status)
            }
            // Its output still tells when it ends.
            Err(_) => std::future::pending().await,
        }
    }

    /// Shuts the process down as specified by MCP: waits, then sends `SIGTERM`, then `SIGKILL`. Its input must be
    /// closed before. Kills its remaining children.
    pub(super) async fn shut_down(&mut self) {
        if tokio::time::timeout(GRACE, self.child.wait()).await.is_err() {
            self.terminate();
            let _ = tokio::time::timeout(GRACE, self.child.wait()).await;
        }
        self.kill();
        // Reaps the process.
        let _ = tokio::time::timeout(GRACE, self.child.wait()).await;
    }

    #[cfg(unix)]
    fn terminate(&self) {
        if let Some(group) = self.group {
            // Fails if no process is left.
            let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGTERM);
        }
    }

    #[cfg(not(unix))]
    fn terminate(&self) {}

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

fn describe(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("its process ended with exit status {code}"),
        None => format!("its process was ended: {status}"),
    }
}

/// Returns the inherited environment variables that are set.
fn inherited_env() -> impl Iterator<Item = (&'static str, OsString)> {
    INHERITED_ENV.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)))
}
