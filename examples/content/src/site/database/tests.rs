//! Tests of what the database promises to the queries.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use fixture_postgres::PostgresServer;
use sqlx::{AssertSqlSafe, Connection as _, Row as _, SqliteConnection};

use super::*;
use crate::site::sqlite::create;

/// Creates a file with these statements.
async fn write_file(path: &Path, sql: &str) {
    let url = format!("sqlite://{}?mode=rwc", path.display());
    let mut connection = SqliteConnection::connect(&url).await.unwrap();
    connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.unwrap();
    connection.close().await.unwrap();
}

async fn count(transaction: &mut Transaction, table: &str) -> i64 {
    let query = AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
    sqlx::query_scalar(query).fetch_one(&mut **transaction).await.unwrap()
}

#[tokio::test]
async fn migrates_an_old_file_and_keeps_its_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.sqlite");
    let ada = "INSERT INTO user VALUES ('ada', 'Ada Old'); PRAGMA user_version = 1";
    write_file(&path, &format!("{}; {ada}", SQLITE.migrations[0])).await;

    let database = Database::file(path.clone());
    let mut transaction = database.read().await.unwrap();
    assert_eq!(count(&mut transaction, "\"user\"").await, 1);
    assert_eq!(count(&mut transaction, "node").await, 0);
    assert_eq!(count(&mut transaction, "outbox").await, 0);
    transaction.commit().await.unwrap();
    // Now it is up to date, and no migration runs again.
    Database::file(path).write().await.unwrap().commit().await.unwrap();
}

#[tokio::test]
async fn rejects_a_newer_site() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("newer.sqlite");
    write_file(&path, "PRAGMA user_version = 99").await;
    let error = Database::file(path).write().await.err().unwrap();
    assert!(matches!(error, SiteError::Newer { found: 99, newest: 3 }), "{error}");

    let server = PostgresServer::start();
    let database = || Database::postgres(&server.url()).unwrap();
    database().write().await.unwrap().commit().await.unwrap();
    sqlx::raw_sql("INSERT INTO content_version VALUES (4)")
        .execute(&mut server.connect().await)
        .await
        .unwrap();
    let error = database().write().await.err().unwrap();
    assert!(matches!(error, SiteError::Newer { found: 4, newest: 3 }), "{error}");
}

#[tokio::test]
async fn keeps_an_existing_file() {
    install_default_drivers();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/100% in#side?/museum.sqlite");
    create(&path).await.unwrap();
    let first = fs::metadata(&path).unwrap().modified().unwrap();
    create(&path).await.unwrap();
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), first);
    let names: Vec<_> = fs::read_dir(path.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names, ["museum.sqlite"], "nothing is left behind");
}

#[tokio::test]
async fn writes_to_the_disk_before_a_commit_returns() {
    let folder = tempfile::tempdir().unwrap();
    let mut transaction = Database::file(folder.path().join("new.sqlite")).write().await.unwrap();
    let settings = sqlx::query(
        "SELECT journal_mode, synchronous, foreign_keys FROM pragma_journal_mode, pragma_synchronous, pragma_foreign_keys",
    );
    let settings = settings.fetch_one(&mut *transaction).await.unwrap();
    assert_eq!(settings.get::<String, _>(0), "wal");
    assert_eq!((settings.get::<i64, _>(1), settings.get::<i64, _>(2)), (2, 1));
}

/// What a transaction that reads refuses, in both databases.
const CHANGES: [&str; 6] = [
    "DELETE FROM outbox",
    "UPDATE node SET owner = 'vera'",
    "INSERT INTO \"user\" VALUES ('eve', 'Eve')",
    "DROP TABLE translation",
    "CREATE TEMPORARY TABLE note (text TEXT)",
    "CREATE TABLE note (text TEXT)",
];

#[tokio::test]
async fn refuses_changes_by_transactions_that_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("museum.sqlite");
    let server = PostgresServer::start();
    for database in [Database::file(path.clone()), Database::postgres(&server.url()).unwrap()] {
        for change in CHANGES {
            let mut transaction = database.read().await.unwrap();
            let error = transaction.execute(change).await.unwrap_err();
            let code = error.as_database_error().unwrap().code().unwrap();
            // SQLITE_READONLY, and `read_only_sql_transaction`.
            assert!(["8", "25006"].contains(&&*code), "{change}: {code} {error}");
        }
    }
    // SQLite opened the file read-only: no setting changes that.
    let name = path.display();
    for change in [
        "PRAGMA query_only = OFF; DELETE FROM outbox".to_owned(),
        "PRAGMA query_only = OFF; PRAGMA user_version = 0".to_owned(),
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema".to_owned(),
        format!("COMMIT; PRAGMA query_only = OFF; ATTACH '{name}' AS other; DELETE FROM other.node"),
        format!(
            "COMMIT; PRAGMA query_only = OFF; ATTACH '{name}.other' AS other; CREATE TABLE other.note (text)"
        ),
        "COMMIT; PRAGMA query_only = OFF; VACUUM".to_owned(),
    ] {
        let database = Database::file(path.clone());
        let mut transaction = database.read().await.unwrap();
        let refused = transaction.execute(sqlx::raw_sql(AssertSqlSafe(&*change))).await;
        assert!(refused.is_err(), "{change}");
    }
    let names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| !name.to_str().unwrap().ends_with(".other")), "{names:?}");
}

/// After a full disk, SQLite has rolled back by itself, and refuses what sqlx sends to end the transaction.
#[tokio::test]
async fn writes_again_after_a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::file(folder.path().join("museum.sqlite"));
    let large = "INSERT INTO outbox (created, event, signature) VALUES ('', json_object('text', hex(zeroblob(1000000))), '')";
    let mut transaction = database.write().await.unwrap();
    let limit: i64 =
        sqlx::query_scalar("PRAGMA max_page_count = 1").fetch_one(&mut *transaction).await.unwrap();
    assert!(limit < 1000, "{limit}");
    let error = transaction.execute(large).await.unwrap_err();
    assert_eq!(error.as_database_error().unwrap().code().unwrap(), "13", "{error}");
    drop(transaction);
    let mut transaction = database.write().await.unwrap();
    transaction.execute(large).await.unwrap();
    transaction.commit().await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn reads_a_file_while_the_disk_is_full() {
    const CHILD: &str = "CONTENT_TEST_READS";
    if let Some(path) = std::env::var_os(CHILD) {
        let error = fs::write(Path::new(&path).with_extension("full"), "more").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
        let database = Database::file(path.into());
        for _ in 0..2 {
            let mut transaction = database.read().await.unwrap();
            assert!(count(&mut transaction, "node").await > 0);
            transaction.commit().await.unwrap();
        }
        return;
    }
    install_default_drivers();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("there.sqlite");
    create(&path).await.unwrap();
    let name = "site::database::tests::reads_a_file_while_the_disk_is_full";
    // Simulates a full disk: no file of this process can grow; output goes into pipes.
    let mut child = std::process::Command::new("sh");
    child.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""]).arg(std::env::current_exe().unwrap());
    let output = child.args(["--exact", name, "--nocapture"]).env(CHILD, &path).output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && stdout.contains("1 passed"), "{stdout}{output:?}");
}

#[test]
fn hides_the_url_in_debug_output() {
    let database = Database::postgres("postgres://museum:secret@127.0.0.1/museum").unwrap();
    assert_eq!(format!("{database:?}"), "Database(\"PostgreSQL\")");
    let error = Database::postgres("mysql://museum:secret@127.0.0.1/museum").unwrap_err();
    assert!(matches!(error, SiteError::Url) && !error.to_string().contains("secret"), "{error}");
}

#[tokio::test]
async fn keeps_temporary_files_of_sqlite_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::file(folder.path().join("site.sqlite"));
    let writing = database.write().await.unwrap();
    writing.commit().await.unwrap();
    for mut transaction in [database.read().await.unwrap(), database.write().await.unwrap()] {
        let place: i64 = sqlx::query_scalar("PRAGMA temp_store").fetch_one(&mut *transaction).await.unwrap();
        assert_eq!(place, 2, "2 is memory");
        transaction.commit().await.unwrap();
    }
}
