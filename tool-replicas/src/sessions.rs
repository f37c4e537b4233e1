//! Sessions of older MCP clients in PostgreSQL.

use std::time::Duration;

use sqlx::Row as _;
use tool_core::BoxFuture;
use tool_mcp::{SessionStore, SessionStoreError, StoredSession};

use crate::database::{Database, DatabaseError, InvalidDatabaseUrl, Table, options};

/// The sessions. The times are those of the database, so that the clocks of replicas may differ.
const TABLE: Table = Table {
    name: "tool_session",
    create: "
        CREATE TABLE IF NOT EXISTS tool_session (
            key TEXT NOT NULL PRIMARY KEY,
            session TEXT NOT NULL,
            revision BIGINT NOT NULL,
            expires TIMESTAMPTZ NOT NULL
        );
        CREATE INDEX IF NOT EXISTS tool_session_expires ON tool_session (expires);
    ",
};

/// The most connections of a store.
const MOST_CONNECTIONS: u32 = 8;

/// Inserts a session, and deletes some that have expired: more than are inserted. Replicas do not wait for each other.
const INSERT: &str = "
    WITH expired AS (
        DELETE FROM tool_session WHERE key IN (
            SELECT key FROM tool_session WHERE expires <= now() ORDER BY expires LIMIT 100 FOR UPDATE SKIP LOCKED
        )
    )
    INSERT INTO tool_session (key, session, revision, expires)
    VALUES ($1, $2, $3, now() + $4 * interval '1 second')
";

/// Finds a session. Its expiry is only written when a tenth of its time has passed: most requests write nothing.
const FIND: &str = "
    WITH used AS (
        UPDATE tool_session SET expires = now() + $2 * interval '1 second'
        WHERE key = $1 AND expires > now() AND expires < now() + $2 * interval '0.9 seconds'
    )
    SELECT session FROM tool_session WHERE key = $1 AND expires > now()
";

/// Replaces the preceding revision of a session.
const REPLACE: &str = "
    UPDATE tool_session SET session = $2, revision = $3, expires = now() + $4 * interval '1 second'
    WHERE key = $1 AND revision = $3 - 1 AND expires > now()
    RETURNING key
";

/// Removes a session.
const REMOVE: &str = "DELETE FROM tool_session WHERE key = $1";

/// Stores the sessions of MCP clients up to 2025-11-25 in a database of PostgreSQL, which all replicas share.
///
/// It connects at its first use, and creates the table `tool_session` if it does not exist, however many replicas start at once. Expired
/// sessions are deleted when another one is opened. The table has no token and no identifier of a session, but the identifiers
/// of principals.
///
/// ```
/// use std::sync::Arc;
///
/// use tool_replicas::PostgresSessions;
///
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let sessions = PostgresSessions::at("postgres://tools:secret@db.example.org/tools", "weather")?;
/// let server = tool_mcp::Server::new(registry).sessions(Arc::new(sessions));
/// # Ok::<(), tool_replicas::InvalidDatabaseUrl>(())
/// ```
#[derive(Debug)]
pub struct PostgresSessions {
    database: Database,
    server: String,
}

impl PostgresSessions {
    /// Creates a store in the database at a URL, without connecting to it. It has a pool of at most eight connections.
    ///
    /// `server` is the name of the server, the same for all replicas: other servers that use the database do not know its sessions.
    ///
    /// # Errors
    ///
    /// When the text is not a URL of PostgreSQL.
    ///
    /// ```
    /// use tool_replicas::PostgresSessions;
    ///
    /// assert!(PostgresSessions::at("postgres://tools@127.0.0.1:5432/tools", "weather").is_ok());
    /// assert!(PostgresSessions::at("a database", "weather").is_err());
    /// ```
    pub fn at(url: &str, server: &str) -> Result<Self, InvalidDatabaseUrl> {
        let database = Database::new(options(url)?, MOST_CONNECTIONS, Some(TABLE));
        Ok(PostgresSessions { database, server: server.to_owned() })
    }

    /// Returns the key of a session in the table.
    fn key(&self, key: &str) -> String {
        format!("{}/{key}", self.server)
    }
}

impl From<DatabaseError> for SessionStoreError {
    fn from(error: DatabaseError) -> Self {
        SessionStoreError::new(error)
    }
}

/// Returns a session as the database has it: its text and its revision.
fn row(session: &StoredSession) -> Result<(String, i64), SessionStoreError> {
    let text = serde_json::to_string(session).map_err(SessionStoreError::new)?;
    Ok((text, session.revision().cast_signed()))
}

impl SessionStore for PostgresSessions {
    fn insert<'a>(
        &'a self,
        key: &'a str,
        session: &'a StoredSession,
        idle: Duration,
    ) -> BoxFuture<'a, Result<(), SessionStoreError>> {
        Box::pin(async move {
            let (text, revision) = row(session)?;
            let insert = sqlx::query(INSERT).bind(self.key(key)).bind(text).bind(revision);
            self.database.run(insert.bind(idle.as_secs_f64())).await?;
            Ok(())
        })
    }

    fn find<'a>(
        &'a self,
        key: &'a str,
        idle: Duration,
    ) -> BoxFuture<'a, Result<Option<StoredSession>, SessionStoreError>> {
        Box::pin(async move {
            let rows =
                self.database.run(sqlx::query(FIND).bind(self.key(key)).bind(idle.as_secs_f64())).await?;
            let Some(row) = rows.first() else { return Ok(None) };
            let text: &str = row.try_get(0).map_err(SessionStoreError::new)?;
            // What another version of the program has stored may not be readable: then the client has to begin again.
            let unreadable = |error| tracing::warn!(%error, "a stored session cannot be read");
            Ok(serde_json::from_str(text).map_err(unreadable).ok())
        })
    }

    fn replace<'a>(
        &'a self,
        key: &'a str,
        session: &'a StoredSession,
        idle: Duration,
    ) -> BoxFuture<'a, Result<bool, SessionStoreError>> {
        Box::pin(async move {
            let (text, revision) = row(session)?;
            let replace = sqlx::query(REPLACE).bind(self.key(key)).bind(text).bind(revision);
            Ok(self.database.run(replace.bind(idle.as_secs_f64())).await?.len() == 1)
        })
    }

    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), SessionStoreError>> {
        Box::pin(async move {
            self.database.run(sqlx::query(REMOVE).bind(self.key(key))).await?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_texts_do_not_show_the_password() {
        let sessions = PostgresSessions::at("postgres://tools:hunter2@database/tools", "tools").unwrap();
        assert_eq!(
            format!("{sessions:?}"),
            r#"PostgresSessions { database: Database { table: Some("tool_session"), .. }, server: "tools" }"#
        );
    }

    #[test]
    fn refuses_urls_of_other_databases() {
        for url in ["mysql://database/tools", "database", ""] {
            assert_eq!(PostgresSessions::at(url, "tools").map(drop), Err(InvalidDatabaseUrl), "{url}");
        }
    }
}
