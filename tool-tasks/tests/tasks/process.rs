//! Worker processes that a test can kill.

use std::fs::OpenOptions;
use std::future::pending;
use std::io::Write;
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

    pub(crate) fn engine(&self) -> Arc<dyn TaskEngine> {
        if self.database.starts_with("postgres:") {
            Arc::new(PostgresEngine::at(self.database.clone()))
        } else {
            Arc::new(SqliteEngine::at(&self.database))
        }
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
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        })
        .await;
    }

    /// Returns how often the function of the task began.
    pub(crate) fn begun(&self, id: &TaskId) -> usize {
        let id = id.to_string();
        self.notes("begun").iter().filter(|line| line.starts_with(&id)).count()
    }

    /// Starts a process that does what `role` says.
    pub(crate) fn spawn(&self, role: &str) -> Process {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "process::is_the_process_of_other_tests", "--nocapture"]);
        command.env("TOOL_TASKS_ROLE", role).env("TOOL_TASKS_DATABASE", &self.database);
        command.env("TOOL_TASKS_FOLDER", &self.folder).stdout(Stdio::null());
        Process(command.spawn().unwrap())
    }

    /// Runs tasks in this process.
    pub(crate) fn work(&self) -> Worker {
        let stop = CancellationToken::new();
        let (engine, place, stopped) = (self.engine(), self.clone(), stop.clone());
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
pub(crate) struct Process(Child);

impl Process {
    pub(crate) fn signal(&self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.0.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    pub(crate) fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    pub(crate) fn wait(mut self) {
        self.0.wait().unwrap();
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
                "hold" if attempt.task.attempt == 1 => {
                    self.until_notes("go", 1).await;
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

pub(crate) fn ada() -> Principal {
    Principal::new("ada")
}

/// Creates a task with a key.
pub(crate) async fn create(engine: &Arc<dyn TaskEngine>, tool: &str, key: &str, retries: u32) -> TaskId {
    let options = TaskOptions::new(TaskSupport::Optional).retries(retries);
    engine.create(NewTask::new(&ada(), tool, "{}", options).unwrap().key(key)).await.unwrap().id
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

/// Does what another test starts this binary for.
#[tokio::test(flavor = "multi_thread")]
async fn is_the_process_of_other_tests() {
    let Ok(role) = std::env::var("TOOL_TASKS_ROLE") else { return };
    let folder = PathBuf::from(std::env::var_os("TOOL_TASKS_FOLDER").unwrap());
    let place = Place { database: std::env::var("TOOL_TASKS_DATABASE").unwrap(), folder };
    let _worker = place.work();
    if let Some(round) = role.strip_prefix("create ") {
        let engine = place.engine();
        for number in 0..30 {
            let key = format!("{round}-{number}");
            let id = create(&engine, "quick", &key, number % 2).await;
            place.note("created", &format!("{id} {key}"));
        }
    }
    pending::<()>().await;
}
