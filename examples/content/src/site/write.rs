//! Changes of a site.

use jiff::{Timestamp, Unit};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::read::{self, Heads, heads, revision};
use super::stored::{Json, Word};
use super::{SiteError, SiteWriter};
use crate::component::Component;
use crate::model::{Content, Deleted, Langcode, NodeId, NodeKind, Saved};

/// The content of a new revision; `None` keeps the previous value.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// The revision on which the change is based; by default the newest.
    pub base: Option<u32>,
    /// The headline.
    pub title: Option<String>,
    /// The text.
    pub body: Option<String>,
    /// All tags.
    pub tags: Option<Vec<String>>,
    /// All metadata for search engines and templates.
    pub meta: Option<std::collections::BTreeMap<String, String>>,
    /// A component to append, or to insert at this index.
    pub component: Option<(Component, Option<usize>)>,
    /// The author's comment on the change.
    pub log: String,
}

/// A translation of a node.
#[derive(Debug, Clone)]
pub struct Translated {
    /// The language.
    pub langcode: Langcode,
    /// The headline.
    pub title: String,
    /// The text.
    pub body: String,
}

impl SiteWriter {
    /// Returns the owner of a node.
    ///
    /// # Errors
    ///
    /// When the node does not exist, or the file cannot be read.
    pub fn owner(&self, id: NodeId) -> Result<String, SiteError> {
        self.0.lend(|connection| Ok(heads(connection, id)?.owner))
    }

    /// Stores a new node, which belongs to its author.
    ///
    /// # Errors
    ///
    /// When the author is not a user of the site, or the file cannot be written.
    pub fn create(&self, author: &str, kind: NodeKind, content: &Content) -> Result<Saved, SiteError> {
        self.with(|connection| create(connection, author, kind, content))
    }

    /// Stores a new node as [`create`](Self::create) does, unless this author imported the same content before and the node still
    /// exists. Returns the node in both cases.
    ///
    /// # Errors
    ///
    /// When the author is not a user of the site, or the file cannot be written.
    pub fn import(&self, author: &str, kind: NodeKind, content: &Content) -> Result<Saved, SiteError> {
        let digest = blake3::hash(serde_json::to_string(&(author, kind, content))?.as_bytes()).to_hex();
        self.with(|connection| {
            let mut find = connection.prepare_cached(
                "SELECT node.id, node.current FROM import JOIN node ON node.id = import.node WHERE digest = ?1",
            )?;
            let saved = |row: &Row<'_>| Ok(Saved { id: row.get(0)?, revision: row.get(1)? });
            if let Some(saved) = find.query_row([digest.as_str()], saved).optional()? {
                return Ok(saved);
            }
            let saved = create(connection, author, kind, content)?;
            let mut store = connection.prepare_cached("INSERT INTO import (digest, node) VALUES (?1, ?2)")?;
            store.execute(params![digest.as_str(), saved.id])?;
            Ok(saved)
        })
    }

    /// Stores a new revision of a node.
    ///
    /// # Errors
    ///
    /// When the node does not exist, has a newer revision or does not change, the author is not a user of the site, or the file
    /// cannot be written.
    pub fn change(&self, id: NodeId, author: &str, change: Change) -> Result<Saved, SiteError> {
        self.with(|connection| {
            read::user(connection, author)?;
            let Heads { current, .. } = heads(connection, id)?;
            if let Some(base) = change.base.filter(|base| *base != current) {
                return Err(SiteError::Changed { id, base, newest: current });
            }
            let before = revision(connection, id, current)?.content;
            let mut content = before.clone();
            content.title = change.title.unwrap_or(content.title);
            content.body = change.body.unwrap_or(content.body);
            content.tags = change.tags.unwrap_or(content.tags);
            content.meta = change.meta.unwrap_or(content.meta);
            if let Some((component, place)) = change.component {
                let end = content.components.len();
                content.components.insert(place.unwrap_or(end).min(end), component);
            }
            if content == before {
                return Err(SiteError::Unchanged(id));
            }
            insert(connection, id, current + 1, author, &change.log, &content)?;
            let mut statement = connection.prepare_cached("UPDATE node SET current = ?2 WHERE id = ?1")?;
            statement.execute(params![id, current + 1])?;
            Ok(Saved { id, revision: current + 1 })
        })
    }

    /// Stores a translation of the newest revision of a node, and replaces the previous one.
    ///
    /// # Errors
    ///
    /// When the node does not exist, the translator is not a user of the site, or the file cannot be written.
    pub fn translate(
        &self,
        id: NodeId,
        translator: &str,
        translated: &Translated,
    ) -> Result<Saved, SiteError> {
        self.with(|connection| {
            read::user(connection, translator)?;
            let Heads { current, .. } = heads(connection, id)?;
            let Translated { langcode, title, body } = translated;
            let mut statement = connection.prepare_cached(
                "INSERT INTO translation (node, langcode, translator, revision, title, body)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT (node, langcode) DO UPDATE SET translator = excluded.translator,
                     revision = excluded.revision, title = excluded.title, body = excluded.body",
            )?;
            statement.execute(params![id, Word(langcode), translator, current, title, body])?;
            Ok(Saved { id, revision: current })
        })
    }

    /// Deletes a node with everything that belongs to it.
    ///
    /// # Errors
    ///
    /// When the node does not exist or is published, or the file cannot be written.
    pub fn delete(&self, id: NodeId) -> Result<Deleted, SiteError> {
        self.with(|connection| {
            if heads(connection, id)?.published.is_some() {
                return Err(SiteError::Published(id));
            }
            let count = |sql: &str| connection.query_row(sql, [id], |row| row.get::<_, u32>(0));
            let revisions = count("SELECT count(*) FROM revision WHERE node = ?1")?;
            let translations = count("SELECT count(*) FROM translation WHERE node = ?1")?;
            connection.execute("DELETE FROM node WHERE id = ?1", [id])?;
            Ok(Deleted { id, revisions, translations })
        })
    }
}

fn create(
    connection: &Connection,
    author: &str,
    kind: NodeKind,
    content: &Content,
) -> Result<Saved, SiteError> {
    read::user(connection, author)?;
    let mut statement = connection
        .prepare_cached("INSERT INTO node (kind, owner, current) VALUES (?1, ?2, 1) RETURNING id")?;
    let id: NodeId = statement.query_row(params![Word(kind), author], |row| row.get(0))?;
    insert(connection, id, 1, author, "First text", content)?;
    Ok(Saved { id, revision: 1 })
}

/// Returns the current time in whole seconds.
pub(super) fn now() -> Timestamp {
    let now = Timestamp::now();
    now.round(Unit::Second).unwrap_or(now)
}

fn insert(
    connection: &Connection,
    id: NodeId,
    number: u32,
    author: &str,
    log: &str,
    content: &Content,
) -> Result<(), SiteError> {
    let Content { title, body, tags, meta, components } = content;
    let mut statement = connection.prepare_cached(
        "INSERT INTO revision (node, number, author, created, log, title, body, tags, meta, components)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    let values =
        params![id, number, author, now(), log, title, body, Json(tags), Json(meta), Json(components)];
    statement.execute(values)?;
    Ok(())
}
