//! The tests that a [`TaskEngine`] must pass.

mod cancel;
mod commits;
mod create;
mod expire;
mod questions;
mod support;
mod work;

pub(crate) use commits::observe;
use tool_core::tasks::TaskEngine;

/// Runs all tests. Each call of `engine` returns a handle to the same database, which has no tasks at first, as another process
/// has one. The options are the default ones.
///
/// It takes about a minute.
///
/// ```no_run
/// # #[cfg(feature = "sqlite")]
/// # async fn conforms() {
/// let folder = tempfile::tempdir().unwrap();
/// tool_tasks::conformance::run(|| tool_tasks::SqliteEngine::at(folder.path().join("tasks.db"))).await;
/// # }
/// ```
///
/// # Panics
///
/// If a test fails.
pub async fn run<E: TaskEngine + 'static>(engine: impl Fn() -> E) {
    let engine = || std::sync::Arc::new(engine()) as support::Engine;
    create::returns_what_was_stored(&engine()).await;
    create::separates_owners(&engine()).await;
    create::lists_newest_first(&engine()).await;
    create::joins_the_same_key(&engine()).await;
    create::joins_the_same_key_at_once(&engine(), &engine()).await;
    expire::hides_expired_tasks(&engine()).await;
    expire::cancels_running_ones(&engine()).await;
    questions::waits_for_all_answers(&engine(), &engine()).await;
    questions::begins_with_the_answers_of_its_creation(&engine(), &engine()).await;
    questions::does_not_count_as_retry(&engine()).await;
    cancel::ends_a_task_that_waits_for_a_worker(&engine()).await;
    cancel::cancels_a_running_call(&engine(), &engine()).await;
    cancel::ends_a_task_that_waits_for_answers(&engine()).await;
    cancel::leaves_an_ended_task(&engine()).await;
    work::reports_progress(&engine(), &engine()).await;
    work::retries_as_often_as_declared(&engine()).await;
    work::completes_after_a_panic(&engine()).await;
    work::leaves_tasks_without_tool(&engine()).await;
    work::finishes_before_it_stops(&engine()).await;
    work::limits_open_tasks_and_runs_each_once(&engine(), &engine()).await;
}
