//! Publication of nodes. A signed message in the outbox announces each change to other systems, in the same transaction.

use serde_json::{Value, json};
use sqlx::AnyConnection;

use super::read::{Heads, lock, revision};
use super::stored::{Json, Number, Time};
use super::write::now;
use super::{SiteError, SiteWriter};
use crate::model::{Announced, NodeId};
use crate::settings::SigningKey;

impl SiteWriter {
    /// Publishes a revision, by default the newest one, and announces it.
    ///
    /// # Errors
    ///
    /// When the node or revision does not exist, or the database cannot be written.
    pub async fn publish(
        &self,
        id: NodeId,
        vid: Option<u32>,
        key: &SigningKey,
    ) -> Result<Announced, SiteError> {
        let mut transaction = self.begin().await?;
        let Heads { current, kind, .. } = lock(&mut transaction, id).await?;
        let published = vid.unwrap_or(current);
        let title = revision(&mut transaction, id, published).await?.content.title;
        show(&mut transaction, id, Some(published)).await?;
        let event =
            json!({"event": "published", "node": id, "revision": published, "kind": kind, "title": title});
        let message = Some(post(&mut transaction, &event, key).await?);
        self.commit(transaction, id, None).await?;
        Ok(Announced { id, published: Some(published), message })
    }

    /// Unpublishes a node and announces that.
    ///
    /// # Errors
    ///
    /// When the node does not exist, or the database cannot be written.
    pub async fn withdraw(&self, id: NodeId, key: &SigningKey) -> Result<Announced, SiteError> {
        let mut transaction = self.begin().await?;
        if lock(&mut transaction, id).await?.published.is_none() {
            return Ok(Announced { id, published: None, message: None });
        }
        show(&mut transaction, id, None).await?;
        let message = Some(post(&mut transaction, &json!({"event": "withdrawn", "node": id}), key).await?);
        self.commit(transaction, id, None).await?;
        Ok(Announced { id, published: None, message })
    }
}

async fn show(connection: &mut AnyConnection, id: NodeId, vid: Option<u32>) -> Result<(), SiteError> {
    let update = sqlx::query("UPDATE node SET published = $2 WHERE id = $1");
    update.bind(id).bind(vid.map(Number)).execute(connection).await?;
    Ok(())
}

async fn post(connection: &mut AnyConnection, event: &Value, key: &SigningKey) -> Result<u32, SiteError> {
    let insert =
        sqlx::query_scalar("INSERT INTO outbox (created, event, signature) VALUES ($1, $2, $3) RETURNING id");
    let signature = key.sign(&event.to_string());
    let Number(id) = insert.bind(Time(now())).bind(Json(event)).bind(signature).fetch_one(connection).await?;
    Ok(id)
}
