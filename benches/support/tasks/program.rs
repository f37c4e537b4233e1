//! `tasks ROLE DATABASE NUMBER`: an engine over the database, which is a URL of PostgreSQL or the path of a file of SQLite.
//!
//! - `fill`: leaves so many tasks that have ended, and no other ones
//! - `busy`: runs so many tasks for many callers at once, and prints the tasks a second
//! - `here`: runs so many tasks one after another, and prints the milliseconds of each
//! - `remote`: the same, of tasks that another process runs
//! - `list`: lists tasks as often, and prints the milliseconds of each list
//! - `work`: runs tasks for so many seconds

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio_util::sync::CancellationToken;
use tool_core::tasks::{TaskEngine, TaskState};
use tool_core::{Principal, Registry, tool};
use tool_tasks::{PostgresEngine, SqliteEngine};

/// How many callers have a task at once.
const CALLERS: usize = 32;
/// How many tasks are run before the measured ones.
const WARM_UP: usize = 5;
/// How many tasks a list has.
const PAGE: usize = 50;

/// Returns the next number.
#[tool(operation = Trigger, destructive = false, task(optional))]
async fn next_number(number: u64) -> u64 {
    number + 1
}

#[tokio::main]
async fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [role, database, number] = words.as_slice() else { panic!("three words, and not {words:?}") };
    let number: usize = number.parse().unwrap();
    let registry = registry(database);
    let stop = CancellationToken::new();
    let worker = tokio::spawn({
        let (registry, stop) = (registry.clone(), stop.clone());
        let runs_tasks = !matches!(role.as_str(), "remote" | "list");
        async move { if runs_tasks { registry.run_tasks(stop).await } else { Ok(()) } }
    });
    let report = match role.as_str() {
        "fill" => {
            run(&registry, 0).await;
            json!(stored::fill(database, number).await)
        }
        "busy" => json!(busy(&registry, number).await),
        "here" | "remote" => json!(one_after_another(&registry, number).await),
        "list" => json!(lists(&registry, number).await),
        "work" => {
            tokio::time::sleep(Duration::from_secs(number.try_into().unwrap())).await;
            json!(null)
        }
        role => panic!("no role `{role}`"),
    };
    stop.cancel();
    worker.await.unwrap().unwrap();
    println!("{report}");
}

/// The tool, for one caller who owns all tasks.
fn registry(database: &str) -> Registry {
    let engine: Arc<dyn TaskEngine> = if database.starts_with("postgres:") {
        Arc::new(PostgresEngine::at(database))
    } else {
        Arc::new(SqliteEngine::at(database))
    };
    let registry = Registry::builder().linked().tasks(engine).build().unwrap();
    registry.as_principal(Principal::new("ada"))
}

/// Creates a task, and waits for its end as the interfaces do.
async fn run(registry: &Registry, number: usize) {
    let arguments = json!({"number": number}).to_string();
    let mut task = registry.create_task("next_number", arguments.as_bytes(), None, None).await.unwrap();
    let engine = registry.task_engine().unwrap();
    while !task.state.has_ended() {
        engine.changed(&task.id, task.version).await;
        task = engine.get(registry.principal(), &task.id).await.unwrap().unwrap();
    }
    assert_eq!(task.state, TaskState::Completed);
}

async fn busy(registry: &Registry, tasks: usize) -> f64 {
    one_after_another(registry, WARM_UP).await;
    let began = Instant::now();
    let callers: Vec<_> = (0..CALLERS)
        .map(|caller| {
            let registry = registry.clone();
            let own = (caller..tasks).step_by(CALLERS);
            tokio::spawn(async move {
                for number in own {
                    run(&registry, number).await;
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.unwrap();
    }
    tasks as f64 / began.elapsed().as_secs_f64()
}

async fn one_after_another(registry: &Registry, tasks: usize) -> Vec<f64> {
    let mut all = Vec::new();
    for number in 0..tasks + WARM_UP {
        let began = Instant::now();
        run(registry, number).await;
        all.push(milliseconds(began));
    }
    all.split_off(WARM_UP)
}

async fn lists(registry: &Registry, lists: usize) -> Vec<f64> {
    let engine = registry.task_engine().unwrap();
    let mut all = Vec::new();
    for _ in 0..lists + WARM_UP {
        let began = Instant::now();
        let tasks = engine.list(registry.principal(), None, PAGE).await.unwrap();
        all.push(milliseconds(began));
        assert!((1..=PAGE).contains(&tasks.len()));
    }
    all.split_off(WARM_UP)
}

fn milliseconds(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1e3
}
