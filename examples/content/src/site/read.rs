//! Queries of a site.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use super::stored::{Json, Word};
use super::{SiteError, SiteReader};
use crate::model::{
    Content, Langcode, Node, NodeId, NodeKind, NodeSummary, Overview, Revision, RevisionSummary, Translation,
};
use crate::role::{Role, User};

/// A query for nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Only nodes whose title or text contains this.
    pub text: Option<String>,
    /// Only nodes of this kind.
    pub kind: Option<NodeKind>,
    /// Only nodes that have all of these tags.
    pub tags: Vec<String>,
    /// Only nodes of this user.
    pub owner: Option<String>,
    /// Only published nodes, or only unpublished ones.
    pub published: Option<bool>,
    /// The maximum number of results.
    pub limit: u32,
}

impl SiteReader {
    /// Returns a node with its newest revision.
    ///
    /// # Errors
    ///
    /// When it does not exist, or the file cannot be read.
    pub fn node(&self, id: NodeId) -> Result<Node, SiteError> {
        self.with(|connection| node(connection, id))
    }

    /// Returns a revision of a node.
    ///
    /// # Errors
    ///
    /// When it does not exist, or the file cannot be read.
    pub fn revision(&self, id: NodeId, vid: u32) -> Result<Revision, SiteError> {
        self.with(|connection| revision(connection, id, vid))
    }

    /// Returns two revisions of a node from one snapshot.
    ///
    /// # Errors
    ///
    /// When one of them does not exist, or the file cannot be read.
    pub fn two_revisions(&self, id: NodeId, vids: (u32, u32)) -> Result<(Revision, Revision), SiteError> {
        self.with(|connection| Ok((revision(connection, id, vids.0)?, revision(connection, id, vids.1)?)))
    }

    /// Returns every revision of a node, newest first.
    ///
    /// # Errors
    ///
    /// When the node does not exist, or the file cannot be read.
    pub fn revisions(&self, id: NodeId) -> Result<Vec<RevisionSummary>, SiteError> {
        self.with(|connection| {
            let Heads { published, .. } = heads(connection, id)?;
            let mut statement = connection.prepare_cached(
                "SELECT number, author, created, log FROM revision WHERE node = ?1 ORDER BY number DESC",
            )?;
            let summary = |row: &Row<'_>| {
                let vid = row.get(0)?;
                let published = published == Some(vid);
                Ok(RevisionSummary {
                    vid,
                    author: row.get(1)?,
                    created: row.get(2)?,
                    log: row.get(3)?,
                    published,
                })
            };
            Ok(statement.query_map([id], summary)?.collect::<Result<_, _>>()?)
        })
    }

    /// Returns a translation of a node.
    ///
    /// # Errors
    ///
    /// When it does not exist, or the file cannot be read.
    pub fn translation(&self, id: NodeId, langcode: Langcode) -> Result<Translation, SiteError> {
        self.with(|connection| {
            let Heads { current, .. } = heads(connection, id)?;
            let mut statement = connection.prepare_cached(
                "SELECT translator, revision, title, body FROM translation WHERE node = ?1 AND langcode = ?2",
            )?;
            let translation = |row: &Row<'_>| {
                let revision = row.get(1)?;
                let outdated = revision != current;
                let (translator, title, body) = (row.get(0)?, row.get(2)?, row.get(3)?);
                Ok(Translation { id, langcode, translator, revision, outdated, title, body })
            };
            let found = statement.query_row(params![id, Word(langcode)], translation).optional()?;
            found.ok_or(SiteError::NoTranslation { id, langcode })
        })
    }

    /// Returns the nodes that match a query, ordered by number.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn find(&self, query: &Query) -> Result<Vec<NodeSummary>, SiteError> {
        self.with(|connection| {
            let mut statement = connection.prepare_cached(FIND)?;
            // `%` and `_` are literal.
            let pattern = query.text.as_ref().map(|text| {
                format!("%{}%", text.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_"))
            });
            let rows = statement.query_map(
                named_params! {
                    ":pattern": pattern,
                    ":kind": query.kind.map(Word),
                    ":tags": Json(&query.tags),
                    ":owner": query.owner,
                    ":published": query.published,
                    ":limit": query.limit,
                },
                |row| {
                    let (Word(kind), title) = (row.get(1)?, row.get(2)?);
                    let (owner, revision, published) = (row.get(3)?, row.get(4)?, row.get(5)?);
                    Ok(NodeSummary { id: row.get(0)?, kind, title, owner, revision, published })
                },
            )?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Returns statistics of the site.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn overview(&self) -> Result<Overview, SiteError> {
        self.with(|connection| {
            let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, u32>(0));
            Ok(Overview {
                nodes: counts(connection, "SELECT kind, count(*) FROM node GROUP BY kind")?,
                published: number("SELECT count(published) FROM node")?,
                revisions: number("SELECT count(*) FROM revision")?,
                translations: counts(
                    connection,
                    "SELECT langcode, count(*) FROM translation GROUP BY langcode",
                )?,
                waiting: number("SELECT count(*) FROM outbox WHERE delivered IS NULL")?,
            })
        })
    }

    /// Returns a user of the site.
    ///
    /// # Errors
    ///
    /// When it does not exist, or the file cannot be read.
    pub fn user(&self, name: &str) -> Result<User, SiteError> {
        self.with(|connection| user(connection, name))
    }

    /// Returns the numbers of all nodes, in order.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn ids(&self) -> Result<Vec<NodeId>, SiteError> {
        self.with(|connection| list(connection, "SELECT id FROM node ORDER BY id"))
    }

    /// Returns the names of users that nodes belong to, in order.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn owners(&self) -> Result<Vec<String>, SiteError> {
        self.with(|connection| list(connection, "SELECT DISTINCT owner FROM node ORDER BY owner"))
    }

    /// Returns the names of all users, in order.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn user_names(&self) -> Result<Vec<String>, SiteError> {
        self.with(|connection| list(connection, "SELECT name FROM user ORDER BY name"))
    }
}

/// `LIKE` ignores the case of ASCII letters. An empty list of tags matches every node.
const FIND: &str = r"
    SELECT node.id, node.kind, revision.title, node.owner, node.current, node.published
    FROM node JOIN revision ON revision.node = node.id AND revision.number = node.current
    WHERE (:pattern IS NULL OR revision.title LIKE :pattern ESCAPE '\' OR revision.body LIKE :pattern ESCAPE '\')
        AND (:kind IS NULL OR node.kind = :kind)
        AND (:owner IS NULL OR node.owner = :owner)
        AND (:published IS NULL OR (node.published IS NOT NULL) = :published)
        AND NOT EXISTS (
            SELECT 1 FROM json_each(:tags) AS wanted
            WHERE wanted.value NOT IN (SELECT value FROM json_each(revision.tags))
        )
    ORDER BY node.id
    LIMIT :limit";

/// The row of a node.
pub(super) struct Heads {
    pub(super) kind: NodeKind,
    pub(super) owner: String,
    pub(super) current: u32,
    pub(super) published: Option<u32>,
}

pub(super) fn heads(connection: &Connection, id: NodeId) -> Result<Heads, SiteError> {
    let mut statement =
        connection.prepare_cached("SELECT kind, owner, current, published FROM node WHERE id = ?1")?;
    let heads = |row: &Row<'_>| {
        let Word(kind) = row.get(0)?;
        Ok(Heads { kind, owner: row.get(1)?, current: row.get(2)?, published: row.get(3)? })
    };
    statement.query_row([id], heads).optional()?.ok_or(SiteError::NoNode(id))
}

fn node(connection: &Connection, id: NodeId) -> Result<Node, SiteError> {
    let Heads { kind, owner, current, published } = heads(connection, id)?;
    let Revision { created, content, .. } = revision(connection, id, current)?;
    let mut statement =
        connection.prepare_cached("SELECT langcode FROM translation WHERE node = ?1 ORDER BY langcode")?;
    let langcode = |row: &Row<'_>| row.get(0).map(|Word(langcode)| langcode);
    let translations = statement.query_map([id], langcode)?.collect::<Result<_, _>>()?;
    Ok(Node { id, kind, owner, revision: current, published, changed: created, translations, content })
}

pub(super) fn revision(connection: &Connection, id: NodeId, vid: u32) -> Result<Revision, SiteError> {
    let Heads { current, .. } = heads(connection, id)?;
    let mut statement = connection.prepare_cached(
        "SELECT author, created, log, title, body, tags, meta, components
         FROM revision WHERE node = ?1 AND number = ?2",
    )?;
    let revision = |row: &Row<'_>| {
        let (Json(tags), Json(meta), Json(components)) = (row.get(5)?, row.get(6)?, row.get(7)?);
        let content = Content { title: row.get(3)?, body: row.get(4)?, tags, meta, components };
        Ok(Revision { id, vid, author: row.get(0)?, created: row.get(1)?, log: row.get(2)?, content })
    };
    let found = statement.query_row(params![id, vid], revision).optional()?;
    found.ok_or(SiteError::NoRevision { id, vid, newest: current })
}

pub(super) fn user(connection: &Connection, name: &str) -> Result<User, SiteError> {
    let mut statement = connection.prepare_cached(
        "SELECT full_name, (SELECT count(*) FROM node WHERE owner = name) FROM user WHERE name = ?1",
    )?;
    let found = statement.query_row([name], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let (full_name, nodes) = found.ok_or_else(|| SiteError::NoUser(name.to_owned()))?;
    let mut statement =
        connection.prepare_cached("SELECT role FROM user_role WHERE user = ?1 ORDER BY role")?;
    let role = |row: &Row<'_>| row.get(0).map(|Word(role)| role);
    let roles: Vec<Role> = statement.query_map([name], role)?.collect::<Result<_, _>>()?;
    let mut permissions: Vec<String> =
        roles.iter().flat_map(|role| role.permissions()).map(ToString::to_string).collect();
    permissions.sort_unstable();
    permissions.dedup();
    Ok(User { name: name.to_owned(), full_name, roles, permissions, nodes })
}

fn counts(connection: &Connection, sql: &str) -> Result<BTreeMap<String, u32>, SiteError> {
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?)
}

fn list<T: rusqlite::types::FromSql>(connection: &Connection, sql: &str) -> Result<Vec<T>, SiteError> {
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}
