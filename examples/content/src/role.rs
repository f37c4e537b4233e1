//! Roles of users and their permissions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a user of the site is, and so what the user may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Sees everything and writes nothing.
    Visitor,
    /// Writes, and changes what is the author's own.
    Author,
    /// Translates what others wrote.
    Translator,
    /// Changes and publishes everything.
    Editor,
    /// May do everything.
    Administrator,
}

/// The permission to change the nodes of others.
pub const EDIT_ANY: &str = "node.edit_any";

impl Role {
    /// Returns the permissions of the role.
    ///
    /// ```
    /// use content::Role;
    ///
    /// assert!(Role::Author.permissions().contains(&"node.edit"));
    /// assert!(!Role::Author.permissions().contains(&"node.publish"));
    /// ```
    #[must_use]
    pub fn permissions(self) -> &'static [&'static str] {
        match self {
            Role::Visitor => &["node.view"],
            Role::Author => &["node.view", "node.create", "node.edit"],
            Role::Translator => &["node.view", "node.translate"],
            Role::Editor => &[
                "node.view",
                "node.create",
                "node.edit",
                EDIT_ANY,
                "node.translate",
                "node.publish",
                "user.view",
            ],
            Role::Administrator => &[
                "node.view",
                "node.create",
                "node.edit",
                EDIT_ANY,
                "node.translate",
                "node.publish",
                "node.delete",
                "user.view",
                "user.manage",
            ],
        }
    }
}

/// Somebody who works on the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct User {
    /// The name that the user calls by.
    pub name: String,
    /// The name that others say.
    pub full_name: String,
    /// What the user is.
    pub roles: Vec<Role>,
    /// What the roles permit.
    pub permissions: Vec<String>,
    /// How many nodes belong to the user.
    pub nodes: u32,
}
