//! Copies of a task that has ended, made in the database.

use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};

/// Leaves so many tasks, all of which are copies of one, with ids of their own, each a millisecond older than the one before.
/// Returns how many there are.
pub(crate) async fn fill(database: &str, tasks: usize) -> i64 {
    let tasks = i64::try_from(tasks).unwrap();
    if database.starts_with("postgres:") {
        in_postgres(database, tasks).await
    } else {
        in_sqlite(database, tasks).await
    }
}

const COUNT: &str = "SELECT COUNT(*) FROM tool_task";
const KEEP_ONE: &str = "DELETE FROM tool_task WHERE id <> (SELECT MIN(id) FROM tool_task)";

async fn in_sqlite(path: &str, tasks: i64) -> i64 {
    let mut connection = SqliteConnection::connect(path).await.unwrap();
    let columns: Vec<String> = sqlx::query_scalar("SELECT name FROM pragma_table_info('tool_task')")
        .fetch_all(&mut connection)
        .await
        .unwrap();
    let copy = copy(
        &columns,
        "lower(hex(randomblob(16)))",
        "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < $1) ",
        "numbers",
    );
    sqlx::query(KEEP_ONE).execute(&mut connection).await.unwrap();
    if tasks > 1 {
        sqlx::query(AssertSqlSafe(copy)).bind(tasks).execute(&mut connection).await.unwrap();
    }
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut connection).await.unwrap();
    sqlx::query_scalar(COUNT).fetch_one(&mut connection).await.unwrap()
}

async fn in_postgres(url: &str, tasks: i64) -> i64 {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let columns: Vec<String> = sqlx::query_scalar(
        "SELECT column_name::text FROM information_schema.columns WHERE table_name = 'tool_task'",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    let copy = copy(
        &columns,
        "replace(gen_random_uuid()::text, '-', '')",
        "",
        "generate_series(1, $1 - 1) AS numbers(n)",
    );
    sqlx::query(KEEP_ONE).execute(&mut connection).await.unwrap();
    if tasks > 1 {
        sqlx::query(AssertSqlSafe(copy)).bind(tasks).execute(&mut connection).await.unwrap();
    }
    // What the server does by itself within minutes.
    for statement in ["VACUUM ANALYZE", "CHECKPOINT"] {
        sqlx::query(statement).execute(&mut connection).await.unwrap();
    }
    sqlx::query_scalar(COUNT).fetch_one(&mut connection).await.unwrap()
}

fn copy(columns: &[String], id: &str, with: &str, numbers: &str) -> String {
    let values = columns.iter().map(|column| match column.as_str() {
        "id" => id.to_owned(),
        "created" => "created - n".to_owned(),
        other => other.to_owned(),
    });
    format!(
        "{with}INSERT INTO tool_task ({}) SELECT {} FROM tool_task CROSS JOIN {numbers}",
        columns.join(", "),
        values.collect::<Vec<_>>().join(", ")
    )
}
