//! Queries of a site.

use std::collections::BTreeMap;

use sqlx::AnyConnection;

use super::database::Transaction;
use super::dialect;
use super::stored::{Json, Number, Time, Word};
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
    /// When it does not exist, or the database cannot be read.
    pub async fn node(&self, id: NodeId) -> Result<Node, SiteError> {
        let mut transaction = self.begin().await?;
        let node = node(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(node)
    }

    /// Returns a revision of a node.
    ///
    /// # Errors
    ///
    /// When it does not exist, or the database cannot be read.
    pub async fn revision(&self, id: NodeId, vid: u32) -> Result<Revision, SiteError> {
        let mut transaction = self.begin().await?;
        let revision = revision(&mut transaction, id, vid).await?;
        transaction.commit().await?;
        Ok(revision)
    }

    /// Returns two revisions of a node from one snapshot.
    ///
    /// # Errors
    ///
    /// When one of them does not exist, or the database cannot be read.
    pub async fn two_revisions(
        &self,
        id: NodeId,
        vids: (u32, u32),
    ) -> Result<(Revision, Revision), SiteError> {
        let mut transaction = self.begin().await?;
        let first = revision(&mut transaction, id, vids.0).await?;
        let second = revision(&mut transaction, id, vids.1).await?;
        transaction.commit().await?;
        Ok((first, second))
    }

    /// Returns every revision of a node, newest first.
    ///
    /// # Errors
    ///
    /// When the node does not exist, or the database cannot be read.
    pub async fn revisions(&self, id: NodeId) -> Result<Vec<RevisionSummary>, SiteError> {
        let mut transaction = self.begin().await?;
        let Heads { published, .. } = heads(&mut transaction, id).await?;
        let query = sqlx::query_as::<_, (Number, String, Time, String)>(
            "SELECT number, author, created, log FROM revision WHERE node = $1 ORDER BY number DESC",
        );
        let rows = query.bind(id).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        let summary = |(Number(vid), author, Time(created), log)| {
            let published = published == Some(vid);
            RevisionSummary { vid, author, created, log, published }
        };
        Ok(rows.into_iter().map(summary).collect())
    }

    /// Returns a translation of a node.
    ///
    /// # Errors
    ///
    /// When it does not exist, or the database cannot be read.
    pub async fn translation(&self, id: NodeId, langcode: Langcode) -> Result<Translation, SiteError> {
        let mut transaction = self.begin().await?;
        let Heads { current, .. } = heads(&mut transaction, id).await?;
        let query = sqlx::query_as(
            "SELECT translator, revision, title, body FROM translation WHERE node = $1 AND langcode = $2",
        );
        let found = query.bind(id).bind(Word(langcode)).fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        let (translator, Number(revision), title, body) =
            found.ok_or(SiteError::NoTranslation { id, langcode })?;
        let outdated = revision != current;
        Ok(Translation { id, langcode, translator, revision, outdated, title, body })
    }

    /// Returns the nodes that match a query, ordered by number.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub async fn find(&self, query: &Query) -> Result<Vec<NodeSummary>, SiteError> {
        let mut transaction = self.begin().await?;
        let rows = sqlx::query_as(transaction.dialect.find)
            .bind(&query.text)
            .bind(query.kind.map(Word))
            .bind(&query.owner)
            .bind(query.published)
            .bind(Json(&query.tags))
            .bind(Number(query.limit))
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        let summary =
            |(id, Word(kind), title, owner, Number(revision), published): (_, _, _, _, _, Option<_>)| {
                let published = published.map(|Number(published)| published);
                NodeSummary { id, kind, title, owner, revision, published }
            };
        Ok(rows.into_iter().map(summary).collect())
    }

    /// Returns statistics of the site.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub async fn overview(&self) -> Result<Overview, SiteError> {
        let mut transaction = self.begin().await?;
        let overview = Overview {
            nodes: counts(&mut transaction, "SELECT kind, count(*) FROM node GROUP BY kind").await?,
            published: count(&mut transaction, "SELECT count(published) FROM node").await?,
            revisions: count(&mut transaction, "SELECT count(*) FROM revision").await?,
            translations: counts(
                &mut transaction,
                "SELECT langcode, count(*) FROM translation GROUP BY langcode",
            )
            .await?,
            waiting: count(&mut transaction, "SELECT count(*) FROM outbox WHERE delivered IS NULL").await?,
        };
        transaction.commit().await?;
        Ok(overview)
    }

    /// Returns a user of the site.
    ///
    /// # Errors
    ///
    /// When it does not exist, or the database cannot be read.
    pub async fn user(&self, name: &str) -> Result<User, SiteError> {
        let mut transaction = self.begin().await?;
        let user = user(&mut transaction, name).await?;
        transaction.commit().await?;
        Ok(user)
    }

    /// Returns the numbers of all nodes, in order.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub async fn ids(&self) -> Result<Vec<NodeId>, SiteError> {
        let mut transaction = self.begin().await?;
        let query = sqlx::query_scalar("SELECT id FROM node ORDER BY id");
        let ids = query.fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(ids)
    }

    /// Returns the names of users that nodes belong to, in order.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub async fn owners(&self) -> Result<Vec<String>, SiteError> {
        self.names("SELECT DISTINCT owner FROM node ORDER BY owner").await
    }

    /// Returns the names of all users, in order.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub async fn user_names(&self) -> Result<Vec<String>, SiteError> {
        self.names(r#"SELECT name FROM "user" ORDER BY name"#).await
    }

    async fn names(&self, sql: &'static str) -> Result<Vec<String>, SiteError> {
        let mut transaction = self.begin().await?;
        let names = sqlx::query_scalar(sql).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(names)
    }
}

/// The row of a node.
pub(super) struct Heads {
    pub(super) kind: NodeKind,
    pub(super) owner: String,
    pub(super) current: u32,
    pub(super) published: Option<u32>,
}

/// Returns the row of a node.
pub(super) async fn heads(connection: &mut AnyConnection, id: NodeId) -> Result<Heads, SiteError> {
    heads_by(connection, dialect::NODE, id).await
}

/// Returns the row of a node, which no other transaction changes until this one ends.
pub(super) async fn lock(transaction: &mut Transaction, id: NodeId) -> Result<Heads, SiteError> {
    let sql = transaction.dialect.lock_node;
    heads_by(transaction, sql, id).await
}

async fn heads_by(connection: &mut AnyConnection, sql: &'static str, id: NodeId) -> Result<Heads, SiteError> {
    let found = sqlx::query_as(sql).bind(id).fetch_optional(connection).await?;
    let (Word(kind), owner, Number(current), published): (_, _, _, Option<Number>) =
        found.ok_or(SiteError::NoNode(id))?;
    Ok(Heads { kind, owner, current, published: published.map(|Number(published)| published) })
}

async fn node(connection: &mut AnyConnection, id: NodeId) -> Result<Node, SiteError> {
    let Heads { kind, owner, current, published } = heads(connection, id).await?;
    let Revision { created, content, .. } = revision(connection, id, current).await?;
    let query = sqlx::query_scalar("SELECT langcode FROM translation WHERE node = $1 ORDER BY langcode");
    let translations: Vec<Word<Langcode>> = query.bind(id).fetch_all(connection).await?;
    let translations = translations.into_iter().map(|Word(langcode)| langcode).collect();
    Ok(Node { id, kind, owner, revision: current, published, changed: created, translations, content })
}

/// Returns a revision of a node.
pub(super) async fn revision(
    connection: &mut AnyConnection,
    id: NodeId,
    vid: u32,
) -> Result<Revision, SiteError> {
    let Heads { current, .. } = heads(connection, id).await?;
    let query = sqlx::query_as(
        "SELECT author, created, log, title, body, tags, meta, components
         FROM revision WHERE node = $1 AND number = $2",
    );
    let found = query.bind(id).bind(Number(vid)).fetch_optional(connection).await?;
    let (author, Time(created), log, title, body, Json(tags), Json(meta), Json(components)) =
        found.ok_or(SiteError::NoRevision { id, vid, newest: current })?;
    let content = Content { title, body, tags, meta, components };
    Ok(Revision { id, vid, author, created, log, content })
}

/// Returns a user of the site.
pub(super) async fn user(connection: &mut AnyConnection, name: &str) -> Result<User, SiteError> {
    let query = sqlx::query_as(
        r#"SELECT full_name, (SELECT count(*) FROM node WHERE node.owner = "user".name) FROM "user" WHERE name = $1"#,
    );
    let found = query.bind(name).fetch_optional(&mut *connection).await?;
    let (full_name, Number(nodes)) = found.ok_or_else(|| SiteError::NoUser(name.to_owned()))?;
    let query = sqlx::query_scalar(r#"SELECT role FROM user_role WHERE "user" = $1 ORDER BY role"#);
    let roles: Vec<Word<Role>> = query.bind(name).fetch_all(connection).await?;
    let roles: Vec<Role> = roles.into_iter().map(|Word(role)| role).collect();
    let mut permissions: Vec<String> =
        roles.iter().flat_map(|role| role.permissions()).map(ToString::to_string).collect();
    permissions.sort_unstable();
    permissions.dedup();
    Ok(User { name: name.to_owned(), full_name, roles, permissions, nodes })
}

async fn count(connection: &mut AnyConnection, sql: &'static str) -> Result<u32, SiteError> {
    let Number(count) = sqlx::query_scalar(sql).fetch_one(connection).await?;
    Ok(count)
}

async fn counts(
    connection: &mut AnyConnection,
    sql: &'static str,
) -> Result<BTreeMap<String, u32>, SiteError> {
    let rows = sqlx::query_as(sql).fetch_all(connection).await?;
    Ok(rows.into_iter().map(|(name, Number(count))| (name, count)).collect())
}
