//! SIGTERM on stdio lets a running save finish.
#![cfg(unix)]

#[path = "../../../tests/sigterm.rs"]
mod shared;

use std::process::Command;

use rusqlite::Connection;
use serde_json::json;

#[test]
fn finishes_a_modifying_call_on_sigterm() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("museum.sqlite");
    let program = || {
        let mut program = Command::new(env!("CARGO_BIN_EXE_content"));
        program
            .env("CONTENT_DATABASE", &database)
            .env("CONTENT_SIGNING_KEY", "correct horse battery")
            .env("CONTENT_USER", "june")
            .env_remove("CONTENT_TOKENS");
        program
    };
    assert!(program().arg("list").output().unwrap().status.success());
    let pages = |connection: &Connection| -> u32 {
        connection.query_row("SELECT count(*) FROM node", [], |row| row.get(0)).unwrap()
    };
    // The lock keeps a save waiting.
    let connection = Connection::open(&database).unwrap();
    let before = pages(&connection);
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    let result = shared::call_through_sigterm(
        program().args(["serve", "mcp"]),
        "create_node",
        &json!({"kind": "article", "title": "A seal", "body": "It slept on the slipway.\n"}),
        || {},
        || connection.execute_batch("COMMIT").unwrap(),
    );
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(pages(&connection), before + 1);
}
