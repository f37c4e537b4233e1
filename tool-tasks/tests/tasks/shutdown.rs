//! Workers that end while their database is away.

use std::sync::Arc;

use tool_core::tasks::TaskEngine;
use tool_tasks::SqliteEngine;

use crate::faults::lock;
use crate::process::{Place, create};

/// How many tasks end at once: many more than are recorded together.
const TASKS: usize = 600;

#[tokio::test(flavor = "multi_thread")]
async fn does_not_wait_for_each_batch() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::sqlite(folder.path());
    let engine = SqliteEngine::at(&place.database).concurrency(TASKS);
    let engine = Arc::new(engine) as Arc<dyn TaskEngine>;
    let worker = place.work_with(Arc::clone(&engine));
    for number in 0..TASKS {
        create(&engine, "hold", &number.to_string(), 0).await;
    }
    place.until_notes("begun", TASKS).await;
    let lock = lock(&place).await;
    place.note("go", "all");
    // It would wait for longer than this test if it did so for each batch.
    worker.stop().await;
    drop(lock);
}
