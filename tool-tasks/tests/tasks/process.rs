//! Worker processes that a test can kill.

use std::fs::OpenOptions;
use std::future::pending;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tool_core::tasks::{
    NewTask, Task, TaskAttempt, TaskEnd, TaskEngine, TaskId, TaskOptions, TaskOutcome, TaskQuestion, TaskRun,
    TaskSupport,
};
use tool_core::{BoxFuture, CallId, Failure, Output, Principal};
use tool_tasks::{PostgresEngine, SqliteEngine};

/// Returns the engine of a place, whichever it is, with options.
macro_rules! configured {
    ($place:expr, |$engine:ident| $options:expr) => {
        if $place.is_postgres() {
            let $engine = PostgresEngine::at($place.database.clone());
            Arc::new($options) as Arc<dyn TaskEngine>
        } else {
            let $engine = SqliteEngine::at(&$place.database);
            Arc::new($options)
        }
    };
}

/// A heartbeat with which a worker sweeps about each second.
pub(crate) const HEARTBEAT: Duration = Duration::from_millis(10);

/// A database and a folder where the functions of tasks note that they began.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The URL of a database, or the path of a file.
    pub(crate) database: String,
    pub(crate) folder: PathBuf,
}

impl Place {
    pub(crate) fn sqlite(folder: &Path) -> Self {
        Place { database: folder.join("tasks.db").display().to_string(), folder: folder.to_owned() }
    }

    pub(crate) fn is_postgres(&self) -> bool {
        self.database.starts_with("postgres:")
    }

    pub(crate) fn engine(&self) -> Arc<dyn TaskEngine> {
        configured!(self, |engine| engine)
    }

    /// Returns an engine that runs one task at a time, and calls `hook` at its commits.
    pub(crate) fn observed_engine(&self, hook: impl Fn(&str) + Send + Sync + 'static) -> Arc<dyn TaskEngine> {
        configured!(self, |engine| engine.concurrency(1).at_commits(hook))
    }

    /// Returns an engine with this heartbeat.
    pub(crate) fn engine_with_heartbeat(&self, heartbeat: Duration) -> Arc<dyn TaskEngine> {
        configured!(self, |engine| engine.heartbeat(heartbeat))
    }

    /// Appends a line to a file of the folder.
    pub(crate) fn note(&self, file: &str, line: &str) {
        let mut file = OpenOptions::new().create(true).append(true).open(self.folder.join(file)).unwrap();
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Returns the lines of a file of the folder.
    pub(crate) fn notes(&self, file: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.join(file)).unwrap_or_default();
        text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')).map(str::to_owned).collect()
    }

    /// Waits until a file of the folder has so many lines.
    pub(crate) async fn until_notes(&self, file: &str, lines: usize) {
        patiently(file, async {
            while self.notes(file).len() < lines {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
    }

    /// Waits until a file of the folder has this line, or the line `all`.
    async fn until_note(&self, file: &str, line: &str) {
        while !self.notes(file).iter().any(|found| found == line || found == "all") {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Returns how often the function of the task began.
    pub(crate) fn begun(&self, id: &TaskId) -> usize {
        let id = id.to_string();
        self.notes("begun").iter().filter(|line| line.starts_with(&id)).count()
    }

    /// Starts a process that does what `role` says.
    pub(crate) fn spawn(&self, role: &str) -> Process {
        Process(self.command(role).spawn().unwrap())
    }

    /// Returns the command that starts a process that does what `role` says.
    pub(crate) fn command(&self, role: &str) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "child::is_the_process_of_other_tests", "--nocapture"]);
        command.env("TOOL_TASKS_ROLE", role).env("TOOL_TASKS_DATABASE", &self.database);
        // sqlx tells PostgreSQL this name.
        command.env("TOOL_TASKS_FOLDER", &self.folder).env("PGAPPNAME", "child").stdout(Stdio::null());
        command
    }

    /// Runs tasks in this process.
    pub(crate) fn work(&self) -> Worker {
        self.work_with(self.engine())
    }

    /// Runs tasks of this engine in this process.
    pub(crate) fn work_with(&self, engine: Arc<dyn TaskEngine>) -> Worker {
        let stop = CancellationToken::new();
        let (place, stopped) = (self.clone(), stop.clone());
        Worker {
            stop,
            work: tokio::spawn(async move { engine.work(Arc::new(place), stopped).await.unwrap() }),
        }
    }
}

/// A worker in this process.
pub(crate) struct Worker {
    stop: CancellationToken,
    work: tokio::task::JoinHandle<()>,
}

impl Worker {
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        patiently("the end of a worker", self.work).await.unwrap();
    }
}

/// Waits for what must happen.
pub(crate) async fn patiently<T>(what: &str, future: impl Future<Output = T>) -> T {
    let result = tokio::time::timeout(Duration::from_secs(60), future).await;
    result.unwrap_or_else(|_| panic!("{what}: nothing happened"))
}

/// A process. It is killed when it is dropped.
pub(crate) struct Process(pub(crate) Child);

impl Process {
    pub(crate) fn signal(&self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.0.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    pub(crate) fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Waits until it has ended by this signal.
    pub(crate) async fn wait_for_signal(mut self, signal: i32) {
        let status = patiently("the end of the process", async {
            loop {
                match self.0.try_wait().unwrap() {
                    Some(status) => return status,
                    None => tokio::time::sleep(Duration::from_millis(5)).await,
                }
            }
        });
        let status = status.await;
        assert_eq!(status.signal(), Some(signal), "{status}");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl TaskRun for Place {
    fn run(&self, attempt: TaskAttempt) -> BoxFuture<'_, TaskEnd> {
        self.note("begun", &format!("{} {}", attempt.task.id, attempt.task.attempt));
        Box::pin(async move {
            match &*attempt.tool {
                "abort" => std::process::abort(),
                "die" if attempt.task.attempt == 1 => crate::child::die(),
                "hold" if attempt.task.attempt == 1 => {
                    self.until_note("go", &attempt.task.key).await;
                    completed(&json!("late"))
                }
                "stuck" if attempt.task.attempt == 1 => pending().await,
                "ask" => match attempt.answers.get("name") {
                    Some(answer) => completed(&answer.answer),
                    None => asks(),
                },
                _ => completed(&json!(attempt.task.attempt)),
            }
        })
    }
}

fn completed(output: &Value) -> TaskEnd {
    let output = Output::json(output).map_err(|_| Failure::internal());
    TaskEnd::Ended { outcome: TaskOutcome::new(CallId::new(), output), may_retry: false }
}

fn asks() -> TaskEnd {
    let request = json!({"method": "elicitation/create", "params": {}});
    let question = TaskQuestion { digest: "digest".to_owned(), request };
    TaskEnd::InputRequired([("name".to_owned(), question)].into())
}

/// How often each fault is repeated: `TOOL_TASKS_ROUNDS`.
pub(crate) fn rounds() -> usize {
    std::env::var("TOOL_TASKS_ROUNDS").map_or(3, |rounds| rounds.parse().unwrap())
}

pub(crate) fn ada() -> Principal {
    Principal::new("ada")
}

/// Returns a task with a key.
pub(crate) fn new(tool: &str, key: &str, retries: u32) -> NewTask {
    let options = TaskOptions::new(TaskSupport::Optional).retries(retries);
    NewTask::new(&ada(), tool, "{}", options).unwrap().key(key)
}

/// Creates so many tasks that run until `go` has their numbers, and waits until all have begun.
pub(crate) async fn hold(place: &Place, engine: &Arc<dyn TaskEngine>, count: usize) -> Vec<TaskId> {
    let mut ids = Vec::new();
    for number in 0..count {
        ids.push(create(engine, "hold", &number.to_string(), 0).await);
    }
    place.until_notes("begun", count).await;
    ids
}

/// Creates a task with a key.
pub(crate) async fn create(engine: &Arc<dyn TaskEngine>, tool: &str, key: &str, retries: u32) -> TaskId {
    engine.create(new(tool, key, retries)).await.unwrap().id
}

/// Waits until the task satisfies `condition`.
pub(crate) async fn until(
    engine: &Arc<dyn TaskEngine>,
    id: &TaskId,
    condition: impl Fn(&Task) -> bool,
) -> Task {
    patiently("a change of the task", async {
        loop {
            if let Ok(task) = engine.get(&ada(), id).await {
                let task = task.expect("the task");
                if condition(&task) {
                    return task;
                }
                engine.changed(id, task.version).await;
            }
        }
    })
    .await
}
