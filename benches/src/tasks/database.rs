//! The databases that tasks are measured over, and the program that does it.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use nix::sys::time::TimeValLike as _;
use nix::time::ClockId;
use nix::unistd::Pid;
use serde::de::DeserializeOwned;

use crate::cost::{self, Seconds};
use crate::error::Error;
use crate::tasks::postgres_server::PostgresServer;
use crate::workspace;

/// How long an idle worker is measured, and how long it runs before that.
const IDLE: Duration = Duration::from_secs(10);
const BEFORE: Duration = Duration::from_secs(3);

/// Where tasks are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Sqlite,
    Postgres,
}

impl Kind {
    pub(super) const ALL: [Kind; 2] = [Kind::Sqlite, Kind::Postgres];

    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Sqlite => "SQLite",
            Kind::Postgres => "PostgreSQL",
        }
    }
}

/// One database with its stored tasks.
pub(super) struct Database<'a> {
    pub(super) program: &'a PathBuf,
    /// The path of a file, or a URL.
    pub(super) address: String,
    /// The server, if there is one.
    pub(super) server: Option<&'a PostgresServer>,
}

impl Database<'_> {
    /// What the program reports that is called in this role.
    pub(super) fn report<T: DeserializeOwned>(&self, role: &str, number: usize) -> Result<T, Error> {
        Ok(self.report_with_cost(role, number)?.0)
    }

    /// What the program reports, and the processor time that it took, with that of its server.
    pub(super) fn report_with_cost<T: DeserializeOwned>(
        &self,
        role: &str,
        number: usize,
    ) -> Result<(T, Seconds), Error> {
        let mut command = Command::new(self.program);
        command.args([role, &self.address, &number.to_string()]);
        let before = self.of_server()?;
        let (output, own) = cost::run(&mut command)?;
        let server = self.of_server()? - before;
        let report = serde_json::from_slice(&output.stdout);
        let unreadable = |_| Error::Unreadable { command: cost::line(&command), expected: "a report" };
        Ok((report.map_err(unreadable)?, own + server))
    }

    /// What the server has taken until now; nothing if there is none.
    fn of_server(&self) -> Result<Seconds, Error> {
        self.server.map_or(Ok(0.0), |server| family(server.process()?))
    }

    /// The milliseconds of tasks that a worker in another process runs.
    pub(super) fn remote(&self, tasks: usize) -> Result<Vec<f64>, Error> {
        let _worker = self.worker()?;
        self.report("remote", tasks)
    }

    /// What part of a core a worker takes that has nothing to do, and what part its server.
    pub(super) fn idle(&self) -> Result<Idle, Error> {
        let worker = self.worker()?;
        thread::sleep(BEFORE);
        let now = || Ok::<_, Error>((seconds(worker.id())?, self.of_server()?));
        let (worker_before, server_before) = now()?;
        thread::sleep(IDLE);
        let (worker, server) = now()?;
        let part = |seconds: f64| seconds / IDLE.as_secs_f64();
        Ok(Idle { worker: part(worker - worker_before), server: part(server - server_before) })
    }

    fn worker(&self) -> Result<Worker, Error> {
        let mut command = Command::new(self.program);
        command.args(["work", &self.address, "3600"]).stdout(Stdio::null());
        let line = cost::line(&command);
        command.spawn().map(Worker).map_err(|source| Error::Start { command: line, source })
    }
}

/// Parts of a core.
#[derive(Clone, Copy, Debug)]
pub(super) struct Idle {
    pub(super) worker: f64,
    pub(super) server: f64,
}

/// A process that runs tasks. It ends when it is dropped.
struct Worker(Child);

impl Worker {
    fn id(&self) -> i32 {
        self.0.id().cast_signed()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Gone already, when it failed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// How long a process and its children were on the processor, those that have ended too.
fn family(process: i32) -> Result<Seconds, Error> {
    let path = format!("/proc/{process}/task/{process}/children");
    let children = workspace::read(path.as_ref())?;
    let children = children.split_whitespace().filter_map(|child| child.parse().ok());
    // Some end between one look and the other.
    let running: Seconds = children.filter_map(|child| seconds(child).ok()).sum();
    let path = format!("/proc/{process}/stat");
    let ended = of_ended_children(&workspace::read(path.as_ref())?);
    let ended = ended.ok_or(Error::Unreadable { command: path, expected: "the times of a process" })?;
    Ok(seconds(process)? + running + ended)
}

/// What the children of a process took that it has waited for, from its `stat`: in hundredths of a second on Linux.
fn of_ended_children(stat: &str) -> Option<Seconds> {
    // The name may have spaces and brackets. It is the second field, and the times are the 16th and the 17th.
    let mut fields = stat.rsplit_once(") ")?.1.split_whitespace().skip(13);
    let mut next = || fields.next()?.parse::<Seconds>().ok();
    Some((next()? + next()?) / 100.0)
}

/// How long the threads of a process were on the processor, those that have ended too.
#[expect(clippy::cast_precision_loss, reason = "nanoseconds of a run are far below 2^53")]
fn seconds(process: i32) -> Result<Seconds, Error> {
    let now = ClockId::pid_cpu_clock_id(Pid::from_raw(process)).and_then(ClockId::now);
    Ok(now.map_err(Error::Usage)?.num_nanoseconds() as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::of_ended_children;

    #[test]
    fn finds_the_times_of_ended_children() {
        let stat = "4711 (post) gres) S 1 2 3 0 -1 4194560 10 20 30 40 50 60 125 75 20 0 1 0 99 1000 200";
        assert_eq!(of_ended_children(stat), Some(2.0));
        assert_eq!(of_ended_children("4711 (postgres) S 1 2"), None);
    }
}
