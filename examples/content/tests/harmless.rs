//! Reading tools do not modify the site with any input, and cannot.

use content::{Role, Settings, SigningKey, Site, SiteError};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use serde_json::json;
use tool_core::{Operation, Principal, Reader, Registry, ToolError, testing, tool};

fn administrator() -> Principal {
    Role::Administrator.permissions().iter().copied().fold(Principal::new("otto"), Principal::grant)
}

fn registry(site: Site) -> Registry {
    let settings = Settings { signing_key: SigningKey::new("correct horse battery") };
    content::builder(site, settings).local(administrator()).build().unwrap()
}

/// Returns every row of every table as text.
fn dump(path: &std::path::Path) -> String {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let mut text = String::new();
    for table in ["user", "user_role", "node", "revision", "translation", "outbox"] {
        let mut statement = connection.prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2")).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let values: Vec<rusqlite::types::Value> =
                (0..columns).map(|index| row.get(index).unwrap()).collect();
            text.push_str(&format!("{table} {values:?}\n"));
        }
    }
    text
}

#[tokio::test]
async fn leaves_the_site_unchanged_when_reading() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("museum.sqlite");
    let registry = registry(Site::at(&path));
    // The first call creates the file.
    registry.call("site_overview", json!({})).await.unwrap();
    let before = dump(&path);

    let trials = testing::run_non_modifying(&registry).await;
    trials.assert_harmless();
    let ours = trials.iter().filter(|trial| trial.tool != "vandalise").count();
    assert_eq!(ours, registry.tools().filter(|tool| !tool.modifies()).count() - 1);
    assert_eq!(dump(&path), before);

    registry
        .call("translate_node", json!({"id": 1, "langcode": "de", "title": "x", "body": "y"}))
        .await
        .unwrap();
    assert_ne!(dump(&path), before, "a change is visible in the dump");
}

/// Declared as one that reads, and tries everything to write.
#[tool(operation = Read, blocking)]
fn vandalise(#[inject] site: Reader<Site>) -> Result<Vec<String>, ToolError> {
    let path = site.with(|connection| Ok(connection.path().unwrap_or_default().to_owned()))?;
    let attempts = [
        "DELETE FROM outbox".to_owned(),
        "UPDATE node SET owner = 'vera'".to_owned(),
        "INSERT INTO user VALUES ('eve', 'Eve')".to_owned(),
        "DROP TABLE translation".to_owned(),
        "CREATE TEMP TABLE note (text)".to_owned(),
        "PRAGMA query_only = OFF; DELETE FROM outbox".to_owned(),
        "PRAGMA query_only = OFF; PRAGMA user_version = 0".to_owned(),
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema".to_owned(),
        format!(
            "COMMIT; PRAGMA query_only = OFF; ATTACH 'file:{path}?mode=rw' AS other; DELETE FROM other.outbox"
        ),
        format!("COMMIT; PRAGMA query_only = OFF; ATTACH '{path}' AS other; DELETE FROM other.node"),
        format!(
            "COMMIT; PRAGMA query_only = OFF; ATTACH '{path}.other' AS other; CREATE TABLE other.note (text)"
        ),
        format!("COMMIT; PRAGMA query_only = OFF; VACUUM INTO '{path}.copy'"),
        "COMMIT; PRAGMA query_only = OFF; VACUUM".to_owned(),
        "COMMIT; PRAGMA query_only = OFF; PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE".to_owned(),
    ];
    let outcome = |attempt: &String| {
        match site.with(|connection| Ok(connection.execute_batch(attempt)?)) {
            Ok(()) => format!("succeeded: {attempt}"),
            Err(SiteError::Sqlite(error)) => match error.sqlite_error_code() {
                // Changing the journal mode requires deleting a file, which fails.
                Some(
                    ErrorCode::ReadOnly
                    | ErrorCode::SystemIoFailure
                    | ErrorCode::AuthorizationForStatementDenied,
                ) => "refused".to_owned(),
                _ if error.to_string().contains("access mode not allowed") => "refused".to_owned(),
                code => format!("{code:?} {error}: {attempt}"),
            },
            Err(error) => format!("{error}: {attempt}"),
        }
    };
    Ok(attempts.iter().map(outcome).collect())
}

#[tokio::test]
async fn prevents_writes_by_reading_tools() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("museum.sqlite");
    let registry = registry(Site::at(&path));
    assert_eq!(registry.get("vandalise").unwrap().operation(), Some(Operation::Read));
    registry.call("site_overview", json!({})).await.unwrap();
    let before = dump(&path);
    let outcomes: Vec<String> = registry.call("vandalise", json!({})).await.unwrap().decode().unwrap();
    assert_eq!(outcomes.len(), 14);
    assert!(outcomes.iter().all(|outcome| outcome == "refused"), "{outcomes:#?}");
    assert_eq!(dump(&path), before);
    // SQLite keeps two more files while the database is open.
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(["museum.sqlite", "museum.sqlite-wal", "museum.sqlite-shm"].contains(&&*name), "{name}");
    }
    // The connection still works for later calls.
    assert!(registry.call("get_node", json!({"id": 1})).await.is_ok());
}
