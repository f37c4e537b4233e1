//! Replicas as processes, with what they share.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use fixture_postgres::PostgresServer;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::balancer::Balancer;

/// What replicas share: a database, a bucket, and a folder.
pub(crate) struct Shared {
    pub(crate) postgres: PostgresServer,
    bucket: S3,
    folder: TempDir,
}

impl Shared {
    pub(crate) async fn new() -> Self {
        let postgres = PostgresServer::start();
        Shared { postgres, bucket: S3::start().await, folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The file that gets a line for each effect.
    pub(crate) fn effects(&self) -> PathBuf {
        self.folder().join("effects")
    }

    /// Returns the command of a replica.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_of("replica", arguments)
    }

    /// Returns the command of a program, with what replicas share.
    pub(crate) fn command_of(&self, name: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program(name));
        command.args(arguments).kill_on_drop(true).stdin(Stdio::null());
        command.env("DATABASE_URL", self.postgres.url()).env("NO_COLOR", "1");
        command
            .env("AWS_BUCKET", "results")
            .env("AWS_ENDPOINT_URL", &self.bucket.url)
            .env("AWS_ALLOW_HTTP", "true");
        command.env("AWS_ACCESS_KEY_ID", "id").env("AWS_SECRET_ACCESS_KEY", "secret");
        command.env("REPLICA_KEYS", "7").env("REPLICA_EFFECTS", self.effects());
        command
    }
}

/// A service like S3, with an empty bucket. It ends when it is dropped.
struct S3 {
    url: String,
    _process: Child,
}

impl S3 {
    async fn start() -> Self {
        let python = std::env::var_os("S3_PYTHON").expect("`S3_PYTHON` is a Python with moto");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/s3.py");
        let mut command = Command::new(python);
        command
            .arg(script)
            .kill_on_drop(true)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let url = lines.next_line().await.unwrap().expect("the service prints its address");
        S3 { url, _process: process }
    }
}

/// Returns the path of another program of the workspace.
fn program(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent().unwrap_or(Path::new("")).join(name)
}

/// A running replica. It is killed when it is dropped.
pub(crate) struct Replica {
    process: Child,
    pub(crate) address: SocketAddr,
}

impl Replica {
    pub(crate) async fn start(shared: &Shared) -> Self {
        Replica::start_with(shared, &[]).await
    }

    /// Starts a replica with other variables.
    pub(crate) async fn start_with(shared: &Shared, variables: &[(&str, &str)]) -> Self {
        let mut command = shared.command(&["serve", "all"]);
        command.envs(variables.iter().copied());
        Replica::of(command).await
    }

    /// Starts the replica of a command, which prints its address.
    pub(crate) async fn of(mut command: Command) -> Self {
        let mut process = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let line = lines.next_line().await.unwrap().expect("a replica that starts says where it listens");
        let address = line.strip_prefix("listening on http://").unwrap_or_else(|| panic!("{line}"));
        let address = address.parse().unwrap();
        tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                eprintln!("{address}: {line}");
            }
        });
        Replica { process, address }
    }

    pub(crate) async fn kill(mut self) {
        self.process.kill().await.unwrap();
    }
}

/// Several replicas behind a balancer.
pub(crate) struct Service {
    pub(crate) shared: Arc<Shared>,
    pub(crate) replicas: Vec<Replica>,
    pub(crate) balancer: Arc<Balancer>,
}

impl Service {
    pub(crate) async fn start(replicas: usize) -> Self {
        let mut service = Service {
            shared: Arc::new(Shared::new().await),
            replicas: Vec::new(),
            balancer: Arc::new(Balancer::start().await),
        };
        for _ in 0..replicas {
            service.add().await;
        }
        service
    }

    /// Starts one more replica.
    pub(crate) async fn add(&mut self) {
        self.replicas.push(Replica::start(&self.shared).await);
        self.balance();
    }

    /// The ids of the processes of the replicas.
    pub(crate) fn processes(&self) -> impl Iterator<Item = u32> {
        self.replicas.iter().filter_map(|replica| replica.process.id())
    }

    /// Tells the balancer which replicas there are.
    fn balance(&self) {
        self.balancer.set(self.replicas.iter().map(|replica| replica.address).collect());
    }

    /// Kills the oldest replica, and starts another one in its place.
    pub(crate) async fn replace_one(&mut self) {
        self.replicas.remove(0).kill().await;
        self.add().await;
    }
}
