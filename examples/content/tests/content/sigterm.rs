//! SIGTERM on stdio lets a running save finish.

use std::process::Command;

use serde_json::json;
use sqlx::{Connection as _, Executor as _, SqliteConnection};
use tokio::runtime::Runtime;

use crate::shared::call_through_sigterm;

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
            .env_remove("CONTENT_TOKENS")
            .env_remove("DATABASE_URL");
        program
    };
    assert!(program().arg("list").output().unwrap().status.success());
    // The lock keeps a save waiting.
    let runtime = Runtime::new().unwrap();
    let run = async |connection: &mut SqliteConnection, sql| {
        connection.execute(sqlx::raw_sql(sql)).await.unwrap();
    };
    let pages = async |connection: &mut SqliteConnection| {
        sqlx::query_scalar::<_, u32>("SELECT count(*) FROM node").fetch_one(connection).await.unwrap()
    };
    let url = format!("sqlite://{}", database.display());
    let mut connection = runtime.block_on(SqliteConnection::connect(&url)).unwrap();
    let before = runtime.block_on(pages(&mut connection));
    runtime.block_on(run(&mut connection, "BEGIN IMMEDIATE"));
    let result = call_through_sigterm(
        program().args(["serve", "mcp"]),
        "create_node",
        &json!({"kind": "article", "title": "A seal", "body": "It slept on the slipway.\n"}),
        || {},
        || runtime.block_on(run(&mut connection, "COMMIT")),
    );
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(runtime.block_on(pages(&mut connection)), before + 1);
}
