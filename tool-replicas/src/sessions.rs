//! Sessions of older MCP clients in PostgreSQL.

use std::time::Duration;

use tool_core::BoxFuture;
use tool_mcp::{SessionStore, SessionStoreError, StoredSession};

use crate::database::{Database, DatabaseError, InvalidDatabaseUrl};

/// Creates the table. Its times are those of the database, so that the clocks of replicas may differ.
const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS tool_session (
        key TEXT NOT NULL PRIMARY KEY,
        session TEXT NOT NULL,
        revision BIGINT NOT NULL,
        expires TIMESTAMPTZ NOT NULL
    );
    CREATE INDEX IF NOT EXISTS tool_session_expires ON tool_session (expires);
";

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
";

/// Removes a session.
const REMOVE: &str = "DELETE FROM tool_session WHERE key = $1";

/// Stores the sessions of MCP clients up to 2025-11-25 in a database of PostgreSQL, which all replicas share.
///
/// It connects and creates the table `tool_session` at its first use, however many replicas start at once. Expired sessions are
/// deleted when another one is opened. The table has no token and no identifier of a session, but the identifiers of principals.
///
/// ```
/// use std::sync::Arc;
///
/// use tool_replicas::PostgresSessions;
///
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let sessions = PostgresSessions::at("postgres://tools:secret@db.example.org/tools")?;
/// let server = tool_mcp::Server::new(registry).sessions(Arc::new(sessions));
/// # Ok::<(), tool_replicas::InvalidDatabaseUrl>(())
/// ```
#[derive(Debug)]
pub struct PostgresSessions(Database);

impl PostgresSessions {
    /// Creates a store in the database at a URL, without connecting to it. It has a pool of at most eight connections.
    ///
    /// # Errors
    ///
    /// When the text is not a URL of PostgreSQL.
    ///
    /// ```
    /// use tool_replicas::PostgresSessions;
    ///
    /// assert!(PostgresSessions::at("postgres://tools@127.0.0.1:5432/tools").is_ok());
    /// assert!(PostgresSessions::at("a database").is_err());
    /// ```
    pub fn at(url: &str) -> Result<Self, InvalidDatabaseUrl> {
        Database::new(url, TABLES).map(PostgresSessions)
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
            let insert = sqlx::query(INSERT).bind(key).bind(text).bind(revision).bind(idle.as_secs_f64());
            self.0.run(|pool| insert.execute(pool)).await?;
            Ok(())
        })
    }

    fn find<'a>(
        &'a self,
        key: &'a str,
        idle: Duration,
    ) -> BoxFuture<'a, Result<Option<StoredSession>, SessionStoreError>> {
        Box::pin(async move {
            let find = sqlx::query_scalar::<_, String>(FIND).bind(key).bind(idle.as_secs_f64());
            let found = self.0.run(|pool| find.fetch_optional(pool)).await?;
            found.map(|text| serde_json::from_str(&text).map_err(SessionStoreError::new)).transpose()
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
            let replace = sqlx::query(REPLACE).bind(key).bind(text).bind(revision).bind(idle.as_secs_f64());
            Ok(self.0.run(|pool| replace.execute(pool)).await?.rows_affected() == 1)
        })
    }

    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), SessionStoreError>> {
        Box::pin(async move {
            self.0.run(|pool| sqlx::query(REMOVE).bind(key).execute(pool)).await?;
            Ok(())
        })
    }
}
