//! Changes of a site.

use jiff::{Timestamp, Unit};
use sqlx::AnyConnection;

use super::read::{self, Heads, heads, lock, revision};
use super::stored::{Json, Number, Time, Word};
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
    /// When the node does not exist, or the database cannot be read.
    pub async fn owner(&self, id: NodeId) -> Result<String, SiteError> {
        let mut transaction = self.database.read().await?;
        let Heads { owner, .. } = heads(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(owner)
    }

    /// Stores a new node, which belongs to its author.
    ///
    /// # Errors
    ///
    /// When the author is not a user of the site, or the database cannot be written.
    pub async fn create(&self, author: &str, kind: NodeKind, content: &Content) -> Result<Saved, SiteError> {
        let mut transaction = self.begin().await?;
        let saved = create(&mut transaction, author, kind, content).await?;
        self.commit(transaction, saved.id, Some(author)).await?;
        Ok(saved)
    }

    /// Stores a new node as [`create`](Self::create) does, unless this author imported the same content before and the node still
    /// exists. Returns the node in both cases.
    ///
    /// # Errors
    ///
    /// When the author is not a user of the site, or the database cannot be written.
    pub async fn import(&self, author: &str, kind: NodeKind, content: &Content) -> Result<Saved, SiteError> {
        let digest = blake3::hash(serde_json::to_string(&(author, kind, content))?.as_bytes()).to_hex();
        loop {
            let mut transaction = self.begin().await?;
            let find = sqlx::query_as(
                "SELECT node.id, node.current FROM import JOIN node ON node.id = import.node WHERE digest = $1",
            );
            let found = find.bind(digest.as_str()).fetch_optional(&mut *transaction).await?;
            if let Some((id, Number(revision))) = found {
                return Ok(Saved { id, revision });
            }
            let saved = create(&mut transaction, author, kind, content).await?;
            // Waits for another transaction that stores the same digest.
            let store = sqlx::query(
                "INSERT INTO import (digest, node) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING",
            );
            let stored = store.bind(digest.as_str()).bind(saved.id).execute(&mut *transaction).await?;
            if stored.rows_affected() == 1 {
                self.commit(transaction, saved.id, Some(author)).await?;
                return Ok(saved);
            }
            // The other one has created the node in the meantime.
        }
    }

    /// Stores a new revision of a node.
    ///
    /// # Errors
    ///
    /// When the node does not exist, has a newer revision or does not change, the author is not a user of the site, or the database
    /// cannot be written.
    pub async fn change(&self, id: NodeId, author: &str, change: Change) -> Result<Saved, SiteError> {
        let mut transaction = self.begin().await?;
        read::user(&mut transaction, author).await?;
        let Heads { current, .. } = lock(&mut transaction, id).await?;
        if let Some(base) = change.base.filter(|base| *base != current) {
            return Err(SiteError::Changed { id, base, newest: current });
        }
        let before = revision(&mut transaction, id, current).await?.content;
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
        insert(&mut transaction, id, current + 1, author, &change.log, &content).await?;
        let update = sqlx::query("UPDATE node SET current = $2 WHERE id = $1");
        update.bind(id).bind(Number(current + 1)).execute(&mut *transaction).await?;
        self.commit(transaction, id, None).await?;
        Ok(Saved { id, revision: current + 1 })
    }

    /// Stores a translation of the newest revision of a node, and replaces the previous one.
    ///
    /// # Errors
    ///
    /// When the node does not exist, the translator is not a user of the site, or the database cannot be written.
    pub async fn translate(
        &self,
        id: NodeId,
        translator: &str,
        translated: &Translated,
    ) -> Result<Saved, SiteError> {
        let mut transaction = self.begin().await?;
        read::user(&mut transaction, translator).await?;
        let Heads { current, .. } = lock(&mut transaction, id).await?;
        let Translated { langcode, title, body } = translated;
        let insert = sqlx::query(
            "INSERT INTO translation (node, langcode, translator, revision, title, body)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (node, langcode) DO UPDATE SET translator = excluded.translator,
                 revision = excluded.revision, title = excluded.title, body = excluded.body",
        );
        insert
            .bind(id)
            .bind(Word(*langcode))
            .bind(translator)
            .bind(Number(current))
            .bind(title)
            .bind(body)
            .execute(&mut *transaction)
            .await?;
        self.commit(transaction, id, None).await?;
        Ok(Saved { id, revision: current })
    }

    /// Deletes a node with everything that belongs to it.
    ///
    /// # Errors
    ///
    /// When the node does not exist or is published, or the database cannot be written.
    pub async fn delete(&self, id: NodeId) -> Result<Deleted, SiteError> {
        let mut transaction = self.begin().await?;
        let Heads { owner, published, .. } = lock(&mut transaction, id).await?;
        if published.is_some() {
            return Err(SiteError::Published(id));
        }
        let mut counts = [0, 0];
        for (count, sql) in counts.iter_mut().zip([
            "SELECT count(*) FROM revision WHERE node = $1",
            "SELECT count(*) FROM translation WHERE node = $1",
        ]) {
            Number(*count) = sqlx::query_scalar(sql).bind(id).fetch_one(&mut *transaction).await?;
        }
        let [revisions, translations] = counts;
        sqlx::query("DELETE FROM node WHERE id = $1").bind(id).execute(&mut *transaction).await?;
        self.commit(transaction, id, Some(&owner)).await?;
        Ok(Deleted { id, revisions, translations })
    }
}

async fn create(
    connection: &mut AnyConnection,
    author: &str,
    kind: NodeKind,
    content: &Content,
) -> Result<Saved, SiteError> {
    read::user(connection, author).await?;
    let node = sqlx::query_scalar("INSERT INTO node (kind, owner, current) VALUES ($1, $2, 1) RETURNING id");
    let id = node.bind(Word(kind)).bind(author).fetch_one(&mut *connection).await?;
    insert(connection, id, 1, author, "First text", content).await?;
    Ok(Saved { id, revision: 1 })
}

/// Returns the current time in whole seconds.
pub(super) fn now() -> Timestamp {
    let now = Timestamp::now();
    now.round(Unit::Second).unwrap_or(now)
}

async fn insert(
    connection: &mut AnyConnection,
    id: NodeId,
    number: u32,
    author: &str,
    log: &str,
    content: &Content,
) -> Result<(), SiteError> {
    let Content { title, body, tags, meta, components } = content;
    sqlx::query(
        "INSERT INTO revision (node, number, author, created, log, title, body, tags, meta, components)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(id)
    .bind(Number(number))
    .bind(author)
    .bind(Time(now()))
    .bind(log)
    .bind(title)
    .bind(body)
    .bind(Json(tags))
    .bind(Json(meta))
    .bind(Json(components))
    .execute(connection)
    .await?;
    Ok(())
}
