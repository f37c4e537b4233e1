//! The databases that tasks are measured over, and the program that does it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use nix::sys::time::TimeValLike as _;
use nix::time::ClockId;
use nix::unistd::Pid;
use serde::de::DeserializeOwned;

use crate::cost;
use crate::error::Error;
use crate::leaf;
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
        let words = [role, &self.address, &number.to_string()];
        let answer = leaf::answer_to(self.program, &words)?;
        let command = format!("tasks {}", words.join(" "));
        serde_json::from_str(&answer).map_err(|_| Error::Unreadable { command, expected: "a report" })
    }

    /// The milliseconds of tasks that a worker in another process runs.
    pub(super) fn apart(&self, tasks: usize) -> Result<Vec<f64>, Error> {
        let _worker = self.worker()?;
        self.report("apart", tasks)
    }

    /// What part of a core a worker takes that has nothing to do, and what part its server.
    pub(super) fn idle(&self) -> Result<Idle, Error> {
        let worker = self.worker()?;
        thread::sleep(BEFORE);
        let now = || -> Result<(f64, HashMap<i32, f64>), Error> {
            let server = self.server.map(|server| family(server.process()?)).transpose()?;
            Ok((nanoseconds(worker.id())?, server.unwrap_or_default()))
        };
        let (own, server) = now()?;
        thread::sleep(IDLE);
        let (own_after, server_after) = now()?;
        let server: f64 = server_after
            .into_iter()
            .map(|(process, after)| after - server.get(&process).copied().unwrap_or_default())
            .sum();
        let part = |nanoseconds: f64| nanoseconds / 1e9 / IDLE.as_secs_f64();
        Ok(Idle { worker: part(own_after - own), server: part(server) })
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

/// How long a process and each of its children were on the processor.
fn family(process: i32) -> Result<HashMap<i32, f64>, Error> {
    let path = format!("/proc/{process}/task/{process}/children");
    let children = workspace::read(path.as_ref())?;
    let children = children.split_whitespace().filter_map(|child| child.parse().ok());
    // Some end between one look and the other.
    let times = children.filter_map(|child| Some((child, nanoseconds(child).ok()?)));
    Ok(times.chain([(process, nanoseconds(process)?)]).collect())
}

/// How long the threads of a process were on the processor, those that have ended too.
#[expect(clippy::cast_precision_loss, reason = "nanoseconds of a run are far below 2^53")]
fn nanoseconds(process: i32) -> Result<f64, Error> {
    let now = ClockId::pid_cpu_clock_id(Pid::from_raw(process)).and_then(ClockId::now);
    Ok(now.map_err(Error::Usage)?.num_nanoseconds() as f64)
}
