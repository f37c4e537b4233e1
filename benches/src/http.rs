//! What a list of tools costs over HTTP, beside a bare handler of axum that returns the same bytes.
//!
//! The servers run side by side, each with one thread on the same core; the requests come from another core, over four
//! connections that stay open, to one server after the other. What counts is the processor time of the server's thread,
//! as the system tells it, over the number of requests.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;

use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

use crate::cost;
use crate::error::Error;
use crate::leaf::{Leaf, Step};
use crate::workspace::{self, Workspace};

const KINDS: [&str; 3] = ["bare", "router", "server"];
const TOOLS: [usize; 3] = [10, 100, 1_000];
const ROUNDS: usize = 9;
const CONNECTIONS: usize = 4;
/// In each round, over each connection, to each server.
const REQUESTS: u32 = 500;
/// How much the list may cost, as a multiple of the bare handler.
const GOAL: f64 = 1.3;
/// The cores of the servers and of the requests.
const CORES: [usize; 2] = [0, 1];

/// What was measured, and whether the goal is met.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) section: String,
    pub(crate) met: bool,
}

/// Builds the servers and asks them.
pub(crate) fn measure(workspace: &Workspace) -> Result<Measured, Error> {
    let dependencies = "axum = { workspace = true }\n\
                        http-body-util.workspace = true\n\
                        serde_json.workspace = true\n\
                        tokio = { workspace = true, features = [\"macros\", \"net\", \"rt\", \"time\"] }\n\
                        tool-core = { workspace = true, features = [\"default\"] }\n\
                        tool-http.workspace = true\n\
                        tower.workspace = true\n";
    let leaf = workspace.leaf("lists", dependencies, include_str!("../support/http.rs"))?;
    workspace.lock()?;
    eprintln!("building the servers, which takes minutes");
    leaf.prepare(workspace, Step::Release)?;
    let mut section = "| tools | bytes | bare handler | router | bare = 1 | server | bare = 1 |\n\
                       |--:|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    let mut met = true;
    for tools in TOOLS {
        let Row { bytes, microseconds: [bare, router, server], ratios: [_, router_ratio, server_ratio] } =
            row(workspace, &leaf, tools)?;
        met &= router_ratio <= GOAL;
        let _ = writeln!(
            section,
            "| {tools} | {bytes} | {bare:.1} µs | {router:.1} µs | {router_ratio:.2} | {server:.1} µs | {server_ratio:.2} |"
        );
    }
    let verdict = if met { "met" } else { "**missed**" };
    let _ = writeln!(section, "\nThe goal of at most {GOAL} for the router is {verdict}.");
    Ok(Measured { section, met })
}

/// What the list of one number of tools costs.
struct Row {
    bytes: usize,
    microseconds: [f64; 3],
    ratios: [f64; 3],
}

fn row(workspace: &Workspace, leaf: &Leaf, tools: usize) -> Result<Row, Error> {
    let start = |kind| Server::start(workspace, leaf, kind, tools);
    let servers = [start(KINDS[0])?, start(KINDS[1])?, start(KINDS[2])?];
    let mut samples: [Vec<f64>; 3] = Default::default();
    let mut ratios: [Vec<f64>; 3] = Default::default();
    let mut bytes = [0; 3];
    for round in 0..=ROUNDS {
        let mut costs = [0.0; 3];
        for (number, server) in servers.iter().enumerate() {
            (costs[number], bytes[number]) = server.cost()?;
        }
        // The first round makes what is made on first use.
        if round > 0 {
            for (number, cost) in costs.into_iter().enumerate() {
                samples[number].push(cost);
                ratios[number].push(cost / costs[0]);
            }
        }
    }
    if bytes.iter().any(|length| *length != bytes[0]) {
        let answer = format!("{bytes:?} bytes");
        return Err(Error::OtherAnswer { leaf: "lists".to_owned(), answer, expected: "as many".to_owned() });
    }
    let median = |values: [Vec<f64>; 3]| values.map(|values| cost::median(values).unwrap_or_default());
    Ok(Row { bytes: bytes[0], microseconds: median(samples), ratios: median(ratios) })
}

/// One running server.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(workspace: &Workspace, leaf: &Leaf, kind: &str, tools: usize) -> Result<Self, Error> {
        let mut command = Command::new("taskset");
        command.args(["--cpu-list", &CORES[0].to_string()]).arg(leaf.program(workspace));
        command.args([kind, &tools.to_string()]).stdout(Stdio::piped());
        let line = cost::line(&command);
        let mut child = command.spawn().map_err(|source| Error::Start { command: line.clone(), source })?;
        let stdout = child.stdout.take();
        let mut server = Server { child, port: 0 };
        let mut first = String::new();
        let read = stdout.map(|stdout| BufReader::new(stdout).read_line(&mut first));
        server.port = match (read, first.trim().parse()) {
            (Some(Ok(_)), Ok(port)) => port,
            _ => return Err(Error::Unreadable { command: line, expected: "a port" }),
        };
        Ok(server)
    }

    /// The microseconds of the processor that a request takes, and the bytes of the answer.
    fn cost(&self) -> Result<(f64, usize), Error> {
        let before = self.nanoseconds()?;
        let port = self.port;
        let clients: Vec<_> = (0..CONNECTIONS).map(|_| thread::spawn(move || ask(port))).collect();
        let mut bytes = 0;
        for client in clients {
            let joined = client.join().unwrap_or_else(|_| Err(std::io::Error::other("a client panicked")));
            bytes = joined.map_err(|source| Error::io("the connection to a server", source))?;
        }
        let requests = f64::from(REQUESTS) * CONNECTIONS as f64;
        Ok(((self.nanoseconds()? - before) / requests / 1_000.0, bytes))
    }

    /// How long the one thread of the server was on the processor.
    fn nanoseconds(&self) -> Result<f64, Error> {
        let path = format!("/proc/{}/schedstat", self.child.id());
        let text = workspace::read(path.as_ref())?;
        let first = text.split_whitespace().next().and_then(|first| first.parse().ok());
        first.ok_or(Error::Unreadable { command: path, expected: "nanoseconds" })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Gone already, when it did not start.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks for the list over one connection, again and again; the bytes of its body.
fn ask(port: u16) -> std::io::Result<usize> {
    let mut core = CpuSet::new();
    core.set(CORES[1])?;
    sched_setaffinity(Pid::from_raw(0), &core)?;
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_nodelay(true)?;
    let request = b"GET /tools HTTP/1.1\r\nhost: localhost\r\nuser-agent: benches\r\naccept: */*\r\n\r\n";
    let mut buffer = vec![0; 1 << 20];
    let mut body = 0;
    for _ in 0..REQUESTS {
        stream.write_all(request)?;
        let mut read = 0;
        let mut whole = usize::MAX;
        while read < whole {
            let more = stream.read(&mut buffer[read..])?;
            if more == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            read += more;
            if whole == usize::MAX
                && let Some((head, length)) = head(&buffer[..read])
            {
                (whole, body) = (head + length, length);
            }
        }
    }
    Ok(body)
}

/// The length of the head of an answer, and that of the body that it announces.
fn head(text: &[u8]) -> Option<(usize, usize)> {
    let end = text.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&text[..end]).ok()?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then(|| value.parse().ok())?
    })?;
    head.starts_with("HTTP/1.1 200 ").then_some((end, length))
}

#[cfg(test)]
mod tests {
    use super::head;

    #[test]
    fn finds_the_end_of_a_response() {
        let text = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\netag: W/\"a\"\r\n\r\nabc";
        assert_eq!(head(text), Some((text.len() - 3, 3)));
        assert_eq!(head(b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n"), None);
        assert_eq!(head(b"HTTP/1.1 500 Oops\r\ncontent-length: 3\r\n\r\n"), None);
    }
}
