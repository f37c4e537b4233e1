//! The engines pass the tests that an engine must pass.

use tool_tasks::{SqliteEngine, conformance};

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_passes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state/tasks.db");
    conformance::run(|| SqliteEngine::at(&path)).await;
}
