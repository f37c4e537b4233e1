//! The statements that differ between SQLite and PostgreSQL.

/// A query of the row of a node, with what follows it.
macro_rules! node {
    ($lock:literal) => {
        concat!("SELECT kind, owner, current, published FROM node WHERE id = $1", $lock)
    };
}

/// The row of a node.
pub(super) const NODE: &str = node!("");

/// A query of nodes, with the function that returns the position of a text, and those that return the elements of a list of texts as
/// rows. `LIKE` takes fifty times as long for a text that nearly matches everywhere.
///
/// An empty list of tags matches every node.
macro_rules! find {
    ($position:literal, $wanted:literal, $tags:literal) => {
        concat!(
            "SELECT node.id, node.kind, revision.title, node.owner, node.current, node.published
            FROM node JOIN revision ON revision.node = node.id AND revision.number = node.current
            WHERE ($1 IS NULL OR ",
            $position,
            "(lower(revision.title), lower($1)) > 0 OR ",
            $position,
            "(lower(revision.body), lower($1)) > 0)
                AND ($2 IS NULL OR node.kind = $2)
                AND ($3 IS NULL OR node.owner = $3)
                AND ($4 IS NULL OR (node.published IS NOT NULL) = $4)
                AND NOT EXISTS (
                    SELECT 1 FROM ",
            $wanted,
            " AS wanted WHERE wanted.value NOT IN (SELECT value FROM ",
            $tags,
            "))
            ORDER BY node.id
            LIMIT $6"
        )
    };
}

/// The statements of one database.
#[derive(Debug)]
pub(super) struct Dialect {
    /// The migrations from each version to the next; a new database has version 0. Existing entries never change.
    pub(super) migrations: [&'static str; 3],
    /// Waits for other processes that migrate, and makes room for the version.
    pub(super) begin_migration: &'static str,
    /// Returns the version.
    pub(super) find_version: &'static str,
    /// Stores a version.
    pub(super) store_version: fn(usize) -> String,
    /// Ends the creation of a site.
    pub(super) after_seed: &'static str,
    /// Begins a transaction that sees one state of the site, and cannot change it.
    pub(super) begin_read: &'static str,
    /// Begins a transaction that changes the site.
    pub(super) begin_write: &'static str,
    /// The row of a node, which no other transaction changes until this one ends.
    pub(super) lock_node: &'static str,
    /// A query of nodes.
    pub(super) find: &'static str,
    /// Notifies other processes of the resources at these addresses, once the transaction ends.
    pub(super) notify: Option<&'static str>,
}

pub(super) const SQLITE: Dialect = Dialect {
    migrations: [
        include_str!("../../migrations/sqlite/0001_content.sql"),
        include_str!("../../migrations/sqlite/0002_outbox.sql"),
        include_str!("../../migrations/sqlite/0003_import.sql"),
    ],
    begin_migration: "",
    find_version: "SELECT user_version FROM pragma_user_version",
    store_version: |version| format!("PRAGMA user_version = {version}"),
    after_seed: "",
    begin_read: "BEGIN",
    // Takes the write lock of the file.
    begin_write: "BEGIN IMMEDIATE",
    lock_node: NODE,
    find: find!("instr", "json_each($5)", "json_each(revision.tags)"),
    notify: None,
};

pub(super) const POSTGRES: Dialect = Dialect {
    migrations: [
        include_str!("../../migrations/postgres/0001_content.sql"),
        include_str!("../../migrations/postgres/0002_outbox.sql"),
        include_str!("../../migrations/postgres/0003_import.sql"),
    ],
    // However long the others take.
    begin_migration: "SET LOCAL lock_timeout = 0;
        SELECT pg_advisory_xact_lock(4163017325540018);
        CREATE TABLE IF NOT EXISTS content_version (version BIGINT NOT NULL)",
    find_version: "SELECT coalesce(max(version), 0) FROM content_version",
    store_version: |version| format!("INSERT INTO content_version (version) VALUES ({version})"),
    // The seed has numbers of its own.
    after_seed: "SELECT setval(pg_get_serial_sequence('node', 'id'), max(id)) FROM node",
    begin_read: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    begin_write: "BEGIN",
    lock_node: node!(" FOR UPDATE"),
    find: find!(
        "strpos",
        "json_array_elements_text($5::json)",
        "json_array_elements_text(revision.tags::json)"
    ),
    notify: Some(
        "SELECT pg_notify('content', 'content://' || value) FROM json_array_elements_text($1::json) AS address",
    ),
};

/// Returns `true` if an error of this code may not occur again: a lock that is held for too long, or a deadlock.
pub(super) fn is_about_locks(code: &str) -> bool {
    // SQLITE_BUSY and SQLITE_LOCKED with their extended codes; SQLSTATE of PostgreSQL.
    matches!(code, "5" | "261" | "517" | "773" | "6" | "262" | "518" | "40001" | "40P01" | "55P03")
}

/// Returns `true` if PostgreSQL cannot store a text: it has no U+0000.
pub(super) fn is_about_characters(code: &str) -> bool {
    matches!(code, "22021" | "22P05")
}
