//! Processes that are killed at an exact point: before or after a commit, or in the middle of a function.
//!
//! Another worker lives all the time. It is full when the process is killed, so that the killed process gets the task, and it does what
//! is left to do, without being started again.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use sqlx::Connection;
use tokio::task::JoinSet;
use tool_core::tasks::{Task, TaskEngine, TaskId, TaskState};

use crate::process::{Place, ada, create, new, patiently, rounds, until};
use fixture_postgres::PostgresServer;

/// How a task ends: its state, its attempts, and how often its function began.
type End = (TaskState, u32, usize);

const ONCE: End = (TaskState::Completed, 1, 1);
const RESUMED: End = (TaskState::Completed, 2, 2);

/// A point where a process is killed.
#[derive(Clone, Copy)]
struct Point {
    name: &'static str,
    tool: &'static str,
    /// How the task ends without a retry and with one.
    ends: [End; 2],
    /// Whether the task belongs to the killed process, so that the other worker has to take it over.
    is_taken: bool,
    /// Whether the task exists after the kill, and whether it still waits for an answer.
    exists: bool,
    asks: bool,
}

const fn point(name: &'static str, tool: &'static str, ends: [End; 2]) -> Point {
    Point { name, tool, ends, is_taken: false, exists: true, asks: false }
}

const fn taken(name: &'static str, tool: &'static str, ends: [End; 2]) -> Point {
    Point { is_taken: true, ..point(name, tool, ends) }
}

const INTERRUPTED: End = (TaskState::Failed, 1, 1);

const POINTS: [Point; 11] = [
    Point { exists: false, ..point("before create", "quick", [ONCE, ONCE]) },
    point("after create", "quick", [ONCE, ONCE]),
    point("before claim", "quick", [ONCE, ONCE]),
    taken("after claim", "quick", [(TaskState::Failed, 1, 0), (TaskState::Completed, 2, 1)]),
    taken("in function", "die", [INTERRUPTED, (TaskState::Completed, 2, 2)]),
    taken("before end", "quick", [INTERRUPTED, (TaskState::Completed, 2, 2)]),
    point("after end", "quick", [ONCE, ONCE]),
    taken("before question", "ask", [INTERRUPTED, (TaskState::Completed, 3, 3)]),
    Point { asks: true, ..point("after question", "ask", [RESUMED, RESUMED]) },
    Point { asks: true, ..point("before answer", "ask", [RESUMED, RESUMED]) },
    point("after answer", "ask", [RESUMED, RESUMED]),
];

/// Counts what the worker that lives does.
#[derive(Clone, Default)]
struct Survivor {
    /// How many heartbeats it has begun.
    beats: Arc<AtomicU64>,
    /// The same, at each commit that ends or releases a task.
    ends: Arc<Mutex<Vec<u64>>>,
}

impl Survivor {
    fn count(&self, commit: &str) {
        match commit {
            "heartbeat" => {
                self.beats.fetch_add(1, Ordering::SeqCst);
            }
            "after end" | "after release" => {
                self.ends.lock().unwrap().push(self.beats.load(Ordering::SeqCst));
            }
            _ => {}
        }
    }

    fn ends(&self) -> usize {
        self.ends.lock().unwrap().len()
    }
}

/// Kills a process at this point, without a retry and with one.
async fn kill_at(place: Place, point: Point) {
    let survivor = Survivor::default();
    let counts = survivor.clone();
    let engine = place.observed_engine(move |commit| counts.count(commit));
    let worker = place.work_with(Arc::clone(&engine));
    for round in 0..rounds() {
        let retries = if point.is_taken { 0..2 } else { round % 2..round % 2 + 1 };
        for retries in retries {
            kill_once(&place, &engine, &survivor, point, &format!("{round}-{retries}"), retries).await;
        }
    }
    worker.stop().await;
}

async fn kill_once(
    place: &Place,
    engine: &Arc<dyn TaskEngine>,
    survivor: &Survivor,
    point: Point,
    key: &str,
    retries: usize,
) {
    let Point { name, tool, .. } = point;
    let retry = u32::try_from(retries).unwrap();
    let is_created_there = name.ends_with("create");
    if name.ends_with("answer") {
        let id = create(engine, tool, key, retry).await;
        until(engine, &id, |task| task.state == TaskState::InputRequired).await;
    }
    let hold = create(engine, "hold", &format!("hold {key}"), 0).await;
    until(engine, &hold, |task| task.attempt == 1).await;
    if !is_created_there {
        create(engine, tool, key, retry).await;
    }
    let ended = survivor.ends();
    place.spawn(&format!("die {name} {tool} {key} {retries}")).wait_for_signal(9).await;
    until_sessions_end(place).await;
    let beats = survivor.beats.load(Ordering::SeqCst);
    if is_created_there {
        assert_existence(place, engine, key, point.exists).await;
    }
    let id = create(engine, tool, key, retry).await;
    if point.is_taken {
        let taken = patiently("the takeover", async {
            while survivor.ends() == ended {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            survivor.ends.lock().unwrap()[ended]
        });
        // The task is taken at the begin of a heartbeat: so many were complete since the process ended.
        let complete = taken.await.saturating_sub(beats + 1);
        let database = &place.database;
        assert!(complete <= 3, "{name} with {database}: {complete} heartbeats until the task was taken");
    }
    let task = until(engine, &id, |_| true).await;
    assert_eq!(task.state == TaskState::InputRequired, point.asks, "{name}: {task:?}");
    place.note("go", &format!("hold {key}"));
    let task = finish(engine, &id).await;
    let found = (task.state, task.attempt, place.begun(&id));
    assert_eq!(found, point.ends[retries], "{name} {key}: {task:?}");
    let held = until(engine, &hold, |task| task.state.has_ended()).await;
    assert_eq!((held.state, held.attempt, place.begun(&hold)), ONCE, "others are unharmed");
    assert_end_is_final(engine, &id, &task).await;
}

/// Waits until PostgreSQL has noticed the end of the process. What it had sent before, even a heartbeat, is committed until then.
async fn until_sessions_end(place: &Place) {
    if !place.is_postgres() {
        return;
    }
    let query = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'child'";
    let mut connection = sqlx::PgConnection::connect(&place.database).await.unwrap();
    patiently("the end of the sessions", async {
        while sqlx::query_scalar::<_, i64>(query).fetch_one(&mut connection).await.unwrap() > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

/// Checks whether the task is there that the killed process was about to create.
async fn assert_existence(place: &Place, engine: &Arc<dyn TaskEngine>, key: &str, exists: bool) {
    let created = place.notes("created");
    let created: Vec<_> = created.iter().filter_map(|line| line.strip_suffix(&format!(" {key}"))).collect();
    let [id] = created[..] else { panic!("{created:?}") };
    let found = engine.get(&ada(), &id.parse().unwrap()).await.unwrap();
    assert_eq!(found.is_some(), exists, "{key}: {found:?}");
}

/// Waits for the end of a task, and answers its question.
async fn finish(engine: &Arc<dyn TaskEngine>, id: &TaskId) -> Task {
    let task = until(engine, id, |task| task.state != TaskState::Working).await;
    if task.state.has_ended() {
        return task;
    }
    let answer = json!({"name": "an answer"}).as_object().unwrap().clone();
    assert!(engine.answer(&ada(), id, answer).await.unwrap());
    until(engine, id, |task| task.state.has_ended()).await
}

/// Checks the outcome of a task, and that it is the last one.
async fn assert_end_is_final(engine: &Arc<dyn TaskEngine>, id: &TaskId, task: &Task) {
    let outcome = task.outcome.as_ref().unwrap();
    if task.state == TaskState::Failed {
        assert_eq!(outcome.result().unwrap_err().kind().codes().error_type, "interrupted");
    } else {
        outcome.result().unwrap();
    }
    let again = engine.create(new("quick", &format!("after {id}"), 0)).await.unwrap().id;
    finish(engine, &again).await;
    let after = until(engine, id, |_| true).await;
    assert_eq!((after.version, after.state), (task.version, task.state));
}

#[tokio::test(flavor = "multi_thread")]
async fn are_survived() {
    let server = PostgresServer::start();
    let folder = tempfile::tempdir().unwrap();
    let mut kills = JoinSet::new();
    for (number, point) in POINTS.into_iter().enumerate() {
        for database in ["sqlite", "postgres"] {
            let folder = folder.path().join(format!("{database}_{number}"));
            std::fs::create_dir(&folder).unwrap();
            let mut place = Place::sqlite(&folder);
            if database == "postgres" {
                place.database = server.create_database(&format!("point_{number}")).await;
            }
            kills.spawn(kill_at(place, point));
        }
    }
    kills.join_all().await;
}
