//! Publication of nodes. A signed message in the outbox announces each change to other systems, in the same transaction.

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use super::read::{Heads, heads, revision};
use super::stored::Json;
use super::write::now;
use super::{SiteError, SiteWriter};
use crate::model::{Announced, NodeId};
use crate::settings::SigningKey;

impl SiteWriter {
    /// Publishes a revision, by default the newest one, and announces it.
    ///
    /// # Errors
    ///
    /// When the node or revision does not exist, or the file cannot be written.
    pub fn publish(&self, id: NodeId, vid: Option<u32>, key: &SigningKey) -> Result<Announced, SiteError> {
        self.with(|connection| {
            let Heads { current, kind, .. } = heads(connection, id)?;
            let published = vid.unwrap_or(current);
            let title = revision(connection, id, published)?.content.title;
            show(connection, id, Some(published))?;
            let event = json!({"event": "published", "node": id, "revision": published, "kind": kind, "title": title});
            let message = Some(post(connection, &event, key)?);
            Ok(Announced { id, published: Some(published), message })
        })
    }

    /// Unpublishes a node and announces that.
    ///
    /// # Errors
    ///
    /// When the node does not exist, or the file cannot be written.
    pub fn withdraw(&self, id: NodeId, key: &SigningKey) -> Result<Announced, SiteError> {
        self.with(|connection| {
            if heads(connection, id)?.published.is_none() {
                return Ok(Announced { id, published: None, message: None });
            }
            show(connection, id, None)?;
            let message = Some(post(connection, &json!({"event": "withdrawn", "node": id}), key)?);
            Ok(Announced { id, published: None, message })
        })
    }
}

fn show(connection: &Connection, id: NodeId, vid: Option<u32>) -> Result<(), SiteError> {
    connection.prepare_cached("UPDATE node SET published = ?2 WHERE id = ?1")?.execute(params![id, vid])?;
    Ok(())
}

fn post(connection: &Connection, event: &Value, key: &SigningKey) -> Result<u32, SiteError> {
    let mut statement = connection
        .prepare_cached("INSERT INTO outbox (created, event, signature) VALUES (?1, ?2, ?3) RETURNING id")?;
    let signature = key.sign(&event.to_string());
    Ok(statement.query_row(params![now(), Json(event), signature], |row| row.get(0))?)
}
