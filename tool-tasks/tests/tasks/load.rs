//! Workers of a process that has many requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::task::JoinSet;
use tool_core::tasks::{TaskEngine, TaskId};
use tool_tasks::{PostgresEngine, SqliteEngine};

use crate::process::{Place, Worker, create, new, patiently, until};
use fixture_postgres::PostgresServer;

const HEARTBEAT: Duration = Duration::from_millis(200);

/// Two workers, each of which runs one task without retries. The second one counts its heartbeats.
struct Workers {
    place: Place,
    engines: [Arc<dyn TaskEngine>; 2],
    beats: Arc<AtomicU64>,
    workers: [Worker; 2],
    ids: [TaskId; 2],
}

impl Workers {
    async fn start<E: TaskEngine + 'static>(place: &Place, first: E, second: impl FnOnce(Hook) -> E) -> Self {
        let beats = Arc::new(AtomicU64::new(0));
        let engine = Arc::new(first) as Arc<dyn TaskEngine>;
        let worker = place.work_with(Arc::clone(&engine));
        let id = create(&engine, "hold", "first", 0).await;
        place.until_notes("begun", 1).await;
        let counted = Arc::clone(&beats);
        let second = second(Box::new(move |commit| {
            if commit == "heartbeat" {
                counted.fetch_add(1, Ordering::SeqCst);
            }
        }));
        let second = Arc::new(second) as Arc<dyn TaskEngine>;
        let workers = [worker, place.work_with(Arc::clone(&second))];
        let ids = [id, create(&second, "hold", "second", 0).await];
        place.until_notes("begun", 2).await;
        Workers { place: place.clone(), engines: [engine, second], beats, workers, ids }
    }

    /// Creates tasks at once with the engine of the first or second worker. Nobody runs them before the two tasks have ended.
    fn create(&self, index: usize, tasks: usize) -> JoinSet<()> {
        let mut creating = JoinSet::new();
        for number in 0..tasks {
            let engine = Arc::clone(&self.engines[index]);
            let new = new("quick", &format!("{index} {number}"), 0);
            creating.spawn(async move {
                engine.create(new).await.unwrap();
            });
        }
        creating
    }

    /// Waits until the second worker has begun more heartbeats than it takes to find that the first one is dead.
    async fn until_beats(&self) {
        let until = self.beats.load(Ordering::SeqCst) + 8;
        patiently("heartbeats", async {
            while self.beats.load(Ordering::SeqCst) < until {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
    }

    /// Checks that both tasks are where they were.
    async fn finish(self) {
        self.place.note("go", "all");
        for id in &self.ids {
            let task = until(&self.engines[0], id, |task| task.state.has_ended()).await;
            let outcome = task.outcome.unwrap();
            assert_eq!(outcome.result().map(tool_core::Output::value), Ok(json!("late")), "{outcome:?}");
            assert_eq!((task.attempt, self.place.begun(id)), (1, 1));
        }
        for worker in self.workers {
            worker.stop().await;
        }
    }
}

type Hook = Box<dyn Fn(&str) + Send + Sync>;

/// Requests use all connections of the process, and wait for a lock.
#[tokio::test(flavor = "multi_thread")]
async fn all_connections_take_no_task_from_their_worker() {
    let server = PostgresServer::start();
    let folder = tempfile::tempdir().unwrap();
    let place = Place { database: server.url(), folder: folder.path().to_owned() };
    let engine = || PostgresEngine::at(server.url()).heartbeat(HEARTBEAT).concurrency(1);
    let workers = Workers::start(&place, engine(), |hook| engine().at_commits(hook)).await;
    let mut lock = server.connect().await;
    sqlx::raw_sql("BEGIN; LOCK TABLE apalis.jobs IN EXCLUSIVE MODE").execute(&mut lock).await.unwrap();
    let creating = workers.create(0, 16);
    let waiting = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND relation = 'apalis.jobs'::regclass";
    let mut connection = server.connect().await;
    patiently("requests that wait", async {
        while sqlx::query_scalar::<_, i64>(waiting).fetch_one(&mut connection).await.unwrap() < 8 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    workers.until_beats().await;
    sqlx::raw_sql("COMMIT").execute(&mut lock).await.unwrap();
    creating.join_all().await;
    workers.finish().await;
}

/// Requests write without a pause, in the process of the worker or in another one.
#[tokio::test(flavor = "multi_thread")]
async fn many_writes_take_no_task_from_their_worker() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::sqlite(folder.path());
    let engine = || SqliteEngine::at(&place.database).heartbeat(HEARTBEAT).concurrency(1).max_open(10_000);
    let workers = Workers::start(&place, engine(), |hook| engine().at_commits(hook)).await;
    for index in 0..2 {
        workers.create(index, 2_000).join_all().await;
    }
    workers.finish().await;
}
