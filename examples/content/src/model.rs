//! The content of a site: [`Node`]s, their [`Revision`]s and [`Translation`]s.
//!
//! The doc comments of these types are the descriptions in their schemas.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::Locator;

use crate::component::Component;

/// The number of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct NodeId(pub NonZeroU32);

/// It identifies one node.
impl Locator for NodeId {}

impl NodeId {
    /// Returns the number as stored.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0.get()
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// Something to read, with an author.
    Article,
    /// Something that takes place on a day.
    Event,
    /// A part of the site that stays.
    Page,
}

/// A language that pages are translated into. The originals are in English.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Langcode {
    /// German.
    De,
    /// French.
    Fr,
    /// Dutch.
    Nl,
}

impl Langcode {
    /// All languages.
    pub const ALL: [Langcode; 3] = [Langcode::De, Langcode::Fr, Langcode::Nl];
}

/// It identifies one translation of a node.
impl Locator for Langcode {}

impl fmt::Display for Langcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// What an author writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Content {
    /// Headline of the page, one line.
    #[schemars(length(min = 1, max = 120))]
    pub title: String,
    /// Text of the page, in Markdown.
    #[schemars(length(max = 100_000))]
    pub body: String,
    /// Words that the page is found by.
    #[serde(default)]
    #[schemars(length(max = 12), inner(length(min = 1, max = 30)))]
    pub tags: Vec<String>,
    /// What search engines and templates are told about the page, each under a name of its own.
    #[serde(default)]
    pub meta: BTreeMap<String, String>,
    /// Blocks that follow the text, from top to bottom.
    #[serde(default)]
    pub components: Vec<Component>,
}

/// A page of the site, as its authors see it: the newest revision, published or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Node {
    /// Its number.
    pub id: NodeId,
    /// What it is.
    pub kind: NodeKind,
    /// The user whom it belongs to.
    pub owner: String,
    /// Number of the newest revision.
    pub revision: u32,
    /// Number of the revision that visitors see, if there is one.
    pub published: Option<u32>,
    /// When it was last changed.
    pub changed: Timestamp,
    /// The languages that it is translated into.
    pub translations: Vec<Langcode>,
    /// What its newest revision says.
    #[serde(flatten)]
    pub content: Content,
}

/// A node as it was saved once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Revision {
    /// The number of the node.
    pub id: NodeId,
    /// Its number among the revisions of the node, from 1.
    pub vid: u32,
    /// Who saved it.
    pub author: String,
    /// When it was saved.
    pub created: Timestamp,
    /// What its author said about it.
    pub log: String,
    /// What it says.
    #[serde(flatten)]
    pub content: Content,
}

/// A revision without its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RevisionSummary {
    /// Its number among the revisions of the node, from 1.
    pub vid: u32,
    /// Who saved it.
    pub author: String,
    /// When it was saved.
    pub created: Timestamp,
    /// What its author said about it.
    pub log: String,
    /// Whether it is the one that visitors see.
    pub published: bool,
}

/// A node in another language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Translation {
    /// The number of the node.
    pub id: NodeId,
    /// The language.
    pub langcode: Langcode,
    /// Who translated it.
    pub translator: String,
    /// The revision that was translated.
    pub revision: u32,
    /// Whether the node has been changed since.
    pub outdated: bool,
    /// Its headline.
    pub title: String,
    /// Its text, in Markdown.
    pub body: String,
}

/// A node in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeSummary {
    /// Its number.
    pub id: NodeId,
    /// What it is.
    pub kind: NodeKind,
    /// Its headline.
    pub title: String,
    /// The user whom it belongs to.
    pub owner: String,
    /// Number of the newest revision.
    pub revision: u32,
    /// Number of the revision that visitors see, if there is one.
    pub published: Option<u32>,
}

/// The whole site in figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Overview {
    /// How many nodes there are of each kind.
    pub nodes: BTreeMap<String, u32>,
    /// How many nodes visitors see.
    pub published: u32,
    /// How many revisions there are of all nodes.
    pub revisions: u32,
    /// How many translations there are into each language.
    pub translations: BTreeMap<String, u32>,
    /// How many messages wait in the outbox.
    pub waiting: u32,
}

/// That a node was saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Saved {
    /// The number of the node.
    pub id: NodeId,
    /// The number of the revision that is now its newest.
    pub revision: u32,
}

/// That a node is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Deleted {
    /// The number of the node.
    pub id: NodeId,
    /// How many revisions went with it.
    pub revisions: u32,
    /// How many translations went with it.
    pub translations: u32,
}

/// That something was announced to other systems.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Announced {
    /// The number of the node.
    pub id: NodeId,
    /// The revision that visitors see from now on, if there is one.
    pub published: Option<u32>,
    /// The number of the message in the outbox; absent when there was nothing to tell.
    pub message: Option<u32>,
}
