//! What the statements read.

use serde_json::json;
use sqlx::PgConnection;
use tool_core::tasks::TaskState;

use crate::process::{Place, ada, create, patiently, until};
use fixture_postgres::PostgresServer;

/// Tables whose rows become more with the tasks, or with the workers.
const READ: &str = "SELECT relname || ': ' || seq_scan FROM pg_stat_user_tables WHERE seq_scan > 0 \
     AND relname IN ('tool_task', 'tool_task_worker', 'jobs', 'workers')";

/// Waits until the connections of engines have ended. Then the server has counted what they read.
async fn until_alone(connection: &mut PgConnection) {
    let others = "SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
    patiently("the end of all connections", async {
        while sqlx::query_scalar::<_, i64>(others).fetch_one(&mut *connection).await.unwrap() > 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

/// Runs tasks, one of which asks, and one of which is canceled, and lists them.
async fn use_engine(place: &Place, prefix: &str) {
    let engine = place.engine();
    let worker = place.work();
    for (tool, key) in [("quick", "1"), ("quick", "2"), ("ask", "3")] {
        let id = create(&engine, tool, &format!("{prefix} {key}"), 0).await;
        let task = until(&engine, &id, |task| task.state != TaskState::Working).await;
        if task.state == TaskState::InputRequired {
            let answers = json!({"name": "Ada"}).as_object().unwrap().clone();
            assert!(engine.answer(&ada(), &id, answers).await.unwrap());
            until(&engine, &id, |task| task.state.has_ended()).await;
        }
    }
    worker.stop().await;
    let id = create(&engine, "quick", &format!("{prefix} 4"), 0).await;
    assert!(engine.cancel(&ada(), &id).await.unwrap());
    let newest = engine.list(&ada(), None, 2).await.unwrap();
    assert!(engine.list(&ada(), Some(&newest[1].id), 50).await.unwrap().len() >= 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_statement_reads_a_whole_table() {
    let server = PostgresServer::start();
    let folder = tempfile::tempdir().unwrap();
    let place = Place { database: server.url(), folder: folder.path().to_owned() };
    let mut connection = server.connect().await;
    // Whoever creates an index reads the table.
    use_engine(&place, "first").await;
    until_alone(&mut connection).await;
    sqlx::query("SELECT pg_stat_reset()").execute(&mut connection).await.unwrap();
    use_engine(&place, "later").await;
    until_alone(&mut connection).await;
    let read: Vec<String> = sqlx::query_scalar(READ).fetch_all(&mut connection).await.unwrap();
    assert!(read.is_empty(), "{read:?}");
}
