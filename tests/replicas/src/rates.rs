//! How many requests a second one, two and three replicas answer: `replicas rates`.
//!
//! Each replica may use 5 % of a core, so that the replicas are the limit even on a machine with few cores: the clients, the load
//! balancer and the database have the rest.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;

use crate::client::Client;
use crate::replica::Service;
use crate::tasks;

/// How many clients send requests at once, for each replica.
const CLIENTS: usize = 32;
const WARM_UP: Duration = Duration::from_secs(1);
const MEASURED: Duration = Duration::from_secs(5);
/// The part of a core that a replica may use, in percent.
const PERCENT: u32 = 5;

/// What clients ask for, again and again.
#[derive(Clone, Copy, Debug)]
enum Request {
    List,
    Discover,
    Call,
    McpCall,
    Task,
}

impl Request {
    const ALL: [(Request, &str); 5] = [
        (Request::List, "`GET /tools`"),
        (Request::Call, "`POST /tools/add/call`"),
        (Request::Discover, "`server/discover` of MCP"),
        (Request::McpCall, "`tools/call` of MCP"),
        (Request::Task, "a task, from its creation to its result"),
    ];

    async fn send(self, client: &Client) {
        let answer = match self {
            Request::List => client.get("/tools").await,
            Request::Discover => client.mcp("server/discover", json!({})).await,
            Request::Call => client.post("/tools/add/call", &json!({"a": 1, "b": 2}), &[]).await,
            Request::McpCall => {
                client.mcp("tools/call", json!({"name": "add", "arguments": {"a": 1, "b": 2}})).await
            }
            Request::Task => tasks::count(client, 0).await.map_err(|error| panic!("{error:?}")),
        };
        let answer = answer.unwrap();
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

/// Prints a table of Markdown.
#[expect(clippy::print_stdout, reason = "the table is the output of this program")]
pub(crate) async fn print() -> io::Result<()> {
    println!("| requests a second | 1 replica | 2 replicas | 3 replicas |\n|---|---|---|---|");
    let mut rows = vec![String::new(); Request::ALL.len()];
    for replicas in 1..=3 {
        let service = Service::start(replicas).await;
        let mut limits = Vec::new();
        for (number, process) in service.processes().enumerate() {
            limits.push(Limit::new(number, process)?);
        }
        for ((request, _), row) in Request::ALL.into_iter().zip(&mut rows) {
            let rate = rate(service.balancer.address, request, replicas * CLIENTS).await;
            row.push_str(&format!(" {rate:.0} |"));
        }
        // The groups are removed after their processes.
        drop(service);
        drop(limits);
    }
    for ((_, name), row) in Request::ALL.into_iter().zip(rows) {
        println!("| {name} |{row}");
    }
    Ok(())
}

/// Returns how many requests are answered in a second.
async fn rate(address: SocketAddr, request: Request, number: usize) -> f64 {
    let start = Instant::now() + WARM_UP;
    let client = Arc::new(Client::new(address));
    let mut clients = JoinSet::new();
    for _ in 0..number {
        let client = Arc::clone(&client);
        clients.spawn(async move {
            let mut answers = 0_u32;
            loop {
                request.send(&client).await;
                match Instant::now().checked_duration_since(start) {
                    None => {}
                    Some(passed) if passed < MEASURED => answers += 1,
                    Some(_) => return answers,
                }
            }
        });
    }
    let answers: u32 = clients.join_all().await.into_iter().sum();
    f64::from(answers) / MEASURED.as_secs_f64()
}

/// A control group that limits the time of a process on the cores. It is removed with this value, once the process has ended.
struct Limit(PathBuf);

impl Limit {
    fn new(number: usize, process: u32) -> io::Result<Self> {
        const PERIOD: u32 = 100_000;
        let quota = PERIOD / 100 * PERCENT;
        let name = format!("replica-{}-{number}", std::process::id());
        let second = Path::new("/sys/fs/cgroup");
        // Version 1 of control groups has a folder for each controller.
        let first = second.join("cpu");
        let (folder, file, value) = if first.exists() {
            (first.join(name), "cpu.cfs_quota_us", quota.to_string())
        } else {
            (second.join(name), "cpu.max", format!("{quota} {PERIOD}"))
        };
        fs::create_dir(&folder)?;
        let limit = Self(folder);
        fs::write(limit.0.join(file), value)?;
        fs::write(limit.0.join("cgroup.procs"), process.to_string())?;
        Ok(limit)
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        for _ in 0..50 {
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        eprintln!("{} is still in use", self.0.display());
    }
}
