//! Tasks on the command line, stored by the engine over SQLite.

#[path = "tasks/answers.rs"]
mod answers;
#[path = "tasks/help.rs"]
mod help;
#[path = "tasks/listing.rs"]
mod listing;
#[path = "tasks/process.rs"]
mod process;
#[path = "tasks/registry.rs"]
mod registry;
#[path = "tasks/running.rs"]
mod running;
#[path = "tasks/serving.rs"]
mod serving;
#[path = "tasks/waiting.rs"]
mod waiting;

use std::sync::Arc;

use serde_json::Value;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tool_cli::{App, Buffer, Streams};
use tool_core::Registry;
use tool_core::tasks::TaskError;
use tool_tasks::SqliteEngine;

/// What a command left behind.
#[derive(Debug)]
struct Ran {
    code: u8,
    stdout: String,
    stderr: String,
}

impl Ran {
    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns the id that `--detach` printed.
    #[track_caller]
    fn id(&self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{self:?}");
        let id = self.stdout.trim_end().to_owned();
        assert_eq!((id.len(), self.stdout.len()), (32, 33), "{self:?}");
        id
    }

    #[track_caller]
    fn is(&self, code: u8, stdout: &str, stderr: &str) {
        assert_eq!((self.code, self.stdout.as_str(), self.stderr.as_str()), (code, stdout, stderr));
    }
}

/// A folder with the file of an engine.
struct Bench {
    registry: Registry,
    _folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = SqliteEngine::at(folder.path().join("tasks.db"));
        Bench { registry: registry::with(Arc::new(engine)), _folder: folder }
    }

    fn app(&self) -> App {
        App::new("demo", self.registry.clone())
    }

    async fn run(&self, arguments: &[&str]) -> Ran {
        on(self.app(), arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await
    }

    async fn typed(&self, arguments: &[&str], lines: &'static str) -> Ran {
        let streams = |stdout, stderr| Streams::new(lines.as_bytes(), stdout, stderr).interactive();
        on(self.app(), arguments, streams).await
    }

    /// Runs tasks until it is stopped.
    fn work(&self) -> Worker {
        let (registry, stop) = (self.registry.clone(), CancellationToken::new());
        let running = tokio::spawn({
            let stop = stop.clone();
            async move { registry.run_tasks(stop).await }
        });
        Worker { running, stop }
    }

    /// Creates a task, lets it run to its end or to its question, and returns its id.
    async fn ended(&self, arguments: &[&str]) -> String {
        let id = self.run(arguments).await.id();
        let worker = self.work();
        let (engine, owner) = (self.registry.task_engine().unwrap(), self.registry.principal());
        let task = id.parse().unwrap();
        loop {
            let found = engine.get(owner, &task).await.unwrap().unwrap();
            if found.state.has_ended() || !found.questions.is_empty() {
                break;
            }
            engine.changed(&task, found.version).await;
        }
        worker.stop().await;
        id
    }
}

struct Worker {
    running: JoinHandle<Result<(), TaskError>>,
    stop: CancellationToken,
}

impl Worker {
    async fn stop(self) {
        self.stop.cancel();
        self.running.await.unwrap().unwrap();
    }
}

async fn on(app: App, arguments: &[&str], streams: impl FnOnce(Buffer, Buffer) -> Streams) -> Ran {
    let (stdout, stderr) = (Buffer::default(), Buffer::default());
    let code = app.run_with(arguments, streams(stdout.clone(), stderr.clone())).await;
    Ran { code, stdout: stdout.text(), stderr: stderr.text() }
}
