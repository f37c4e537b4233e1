//! One running server on a core of its own, and those that ask it.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::signal::{Signal, kill};
use nix::sys::time::TimeValLike as _;
use nix::time::ClockId;
use nix::unistd::Pid;

use crate::cost;
use crate::error::Error;
use crate::mcp::client::{self, Client, Era, Operation};

/// The cores of the servers and of the requests.
const CORES: [usize; 2] = [0, 1];
const CONNECTIONS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Transport {
    Http,
    Stdio,
}

impl Transport {
    pub(super) const ALL: [Transport; 2] = [Transport::Http, Transport::Stdio];

    pub(super) fn name(self) -> &'static str {
        match self {
            Transport::Http => "http",
            Transport::Stdio => "stdio",
        }
    }

    /// The name in tables.
    pub(super) fn title(self) -> &'static str {
        match self {
            Transport::Http => "HTTP",
            Transport::Stdio => "stdio",
        }
    }
}

pub(super) struct Server {
    name: String,
    child: Child,
    /// Of a server that speaks HTTP.
    port: u16,
    clients: Vec<Client>,
}

impl Server {
    /// Starts a program and opens it in one era. A program of which the first word is no number speaks no MCP. The command before it
    /// runs it, if there is one.
    pub(super) fn start(
        before: &[&str],
        program: &Path,
        words: &[&str],
        transport: Transport,
        era: Era,
    ) -> Result<Self, Error> {
        let mut command = Command::new("taskset");
        command
            .args(["--cpu-list", &CORES[0].to_string()])
            .args(before)
            .arg(program)
            .args(words)
            .stdout(Stdio::piped());
        if transport == Transport::Stdio {
            command.stdin(Stdio::piped());
        }
        let name = cost::line(&command);
        let child = command.spawn().map_err(|source| Error::Start { command: name.clone(), source })?;
        let mut server = Server { name, child, port: 0, clients: Vec::new() };
        let is_mcp = words[0].parse::<usize>().is_ok();
        let opened = match transport {
            Transport::Http => server.connect(era, is_mcp),
            Transport::Stdio => server.pipe(era, is_mcp),
        };
        server.clients = opened.map_err(|source| Error::io(&server.name, source))?;
        Ok(server)
    }

    fn connect(&mut self, era: Era, is_mcp: bool) -> std::io::Result<Vec<Client>> {
        let mut first = String::new();
        if let Some(stdout) = self.child.stdout.take() {
            BufReader::new(stdout).read_line(&mut first)?;
        }
        self.port = first.trim().parse().map_err(std::io::Error::other)?;
        (0..CONNECTIONS).map(|_| client::Http::open(self.port, era, is_mcp).map(Client::Http)).collect()
    }

    fn pipe(&mut self, era: Era, is_mcp: bool) -> std::io::Result<Vec<Client>> {
        let (Some(stdin), Some(stdout)) = (self.child.stdin.take(), self.child.stdout.take()) else {
            return Err(std::io::Error::other("no pipes"));
        };
        Ok(vec![Client::Stdio(client::Stdio::open(stdin, stdout, era, is_mcp)?)])
    }

    /// The answer to one request.
    pub(super) fn ask_once(&mut self, operation: Operation) -> Result<String, Error> {
        let answer = self.clients[0].ask(operation).map(str::to_owned);
        answer.map_err(|source| Error::io(&self.name, source))
    }

    /// Ends the server so that it can write what it has counted.
    pub(super) fn stop(mut self) -> Result<(), Error> {
        let pid = Pid::from_raw(self.child.id().cast_signed());
        let stopped = kill(pid, Signal::SIGTERM).map_err(std::io::Error::from);
        stopped.and_then(|()| self.child.wait().map(drop)).map_err(|source| Error::io(&self.name, source))
    }

    /// Whether the server does what it is measured for.
    pub(super) fn check(&mut self, operation: Operation, tools: usize) -> Result<(), Error> {
        let answer = self.ask_once(operation)?;
        if operation.is_answered_by(&answer, tools) {
            return Ok(());
        }
        let expected = format!("an answer to {} with {tools} tools", operation.title());
        Err(Error::OtherAnswer { leaf: self.name.clone(), answer, expected })
    }

    /// The microseconds of the processor that a request takes, of so many over each connection.
    pub(super) fn cost(&mut self, operation: Operation, requests: u32) -> Result<f64, Error> {
        let before = self.nanoseconds()?;
        let connections = self.clients.len();
        thread::scope(|scope| {
            let workers = self.clients.iter_mut().map(|client| {
                scope.spawn(move || -> std::io::Result<()> {
                    let mut core = CpuSet::new();
                    core.set(CORES[1])?;
                    sched_setaffinity(Pid::from_raw(0), &core)?;
                    (0..requests).try_for_each(|_| client.ask(operation).map(drop))
                })
            });
            let workers: Vec<_> = workers.collect();
            workers.into_iter().try_for_each(|client| {
                client.join().unwrap_or_else(|_| Err(std::io::Error::other("a client panicked")))
            })
        })
        .map_err(|source| Error::io(&self.name, source))?;
        let requests = f64::from(requests) * connections as f64;
        Ok((self.nanoseconds()? - before) / requests / 1_000.0)
    }

    /// Opens so many sessions of the older era over one connection, which stays open.
    pub(super) fn open_sessions(&self, sessions: usize) -> Result<client::Http, Error> {
        let open = || {
            let mut client = client::Http::open(self.port, Era::Modern, true)?;
            (0..sessions).try_for_each(|_| client.open_session().map(drop))?;
            Ok(client)
        };
        open().map_err(|source| Error::io(&self.name, source))
    }

    /// Opens so many connections, each with a session of the older era where the server has sessions, or else after a call.
    pub(super) fn open_connections(&self, connections: usize, is_mcp: bool) -> Result<Vec<Client>, Error> {
        let open = || {
            let mut client = Client::Http(client::Http::open(self.port, Era::Legacy, is_mcp)?);
            if !is_mcp {
                client.ask(Operation::Call)?;
            }
            Ok(client)
        };
        (0..connections)
            .map(|_| open())
            .collect::<std::io::Result<_>>()
            .map_err(|source| Error::io(&self.name, source))
    }

    /// The number of connections that requests are sent over.
    pub(super) fn connections(&self) -> u32 {
        u32::try_from(self.clients.len()).unwrap_or(u32::MAX)
    }

    /// The bytes of the server that are resident.
    pub(super) fn resident(&self) -> Result<f64, Error> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = fs::read_to_string(&path).map_err(|source| Error::io(&path, source))?;
        let value = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:")?.strip_suffix("kB")?.trim().parse().ok());
        let kilobytes: f64 = value.ok_or(Error::Unreadable { command: path, expected: "`VmRSS: 1 kB`" })?;
        Ok(kilobytes * 1024.0)
    }

    /// How long the threads of the server were on the processor, those that have ended too.
    #[expect(clippy::cast_precision_loss, reason = "nanoseconds of a run are far below 2^53")]
    fn nanoseconds(&self) -> Result<f64, Error> {
        let pid = Pid::from_raw(self.child.id().cast_signed());
        let now = ClockId::pid_cpu_clock_id(pid).and_then(ClockId::now).map_err(Error::Usage)?;
        Ok(now.num_nanoseconds() as f64)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Gone already, when it did not start.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
