//! An application with its own versions of rmcp and SQLite, and a tool with an sqlx pool.

use sqlx::SqlitePool;
use tool_core::{State, tool};

/// Adds two numbers, in the database.
#[tool(operation = Read, open_world = false)]
pub async fn add_in_database(
    #[inject] pool: State<SqlitePool>,
    /** The first. */
    a: i64,
    /** The second. */
    b: i64,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("SELECT ? + ?").bind(a).bind(b).fetch_one(&*pool).await
}

#[cfg(test)]
mod tests {
    use tool_cli::{App, Buffer, Streams};
    use tool_core::{Registry, tools};

    use super::*;

    // The pool panics outside of a runtime, so the registry is built within one, as in the README of `tool-cli`.
    #[tokio::test]
    async fn accepts_an_sqlx_pool_as_state() {
        let pool = SqlitePool::connect_lazy("sqlite::memory:").unwrap();
        let registry = Registry::builder().tools(tools![add_in_database]).state(pool).build().unwrap();
        let stdout = Buffer::default();
        let streams = Streams::new(std::io::empty(), stdout.clone(), std::io::sink());
        let code =
            App::new("beside", registry).run_with(["run", "add_in_database", "a=2", "b=3"], streams).await;
        assert_eq!((code, stdout.text().trim()), (0, "5"));
    }

    #[test]
    fn builds_with_its_own_rmcp() {
        let version = rmcp::model::ProtocolVersion::LATEST;
        assert!(version >= rmcp::model::ProtocolVersion::V_2025_06_18, "{version}");
    }
}
