//! Permissions that a tool requires, and their text form.

mod parse;

use std::collections::BTreeSet;
use std::fmt;

pub use self::parse::PermissionError;
use crate::model::access::Principal;

/// What a caller must be granted: one permission, all of a list, or any of a list. Lists nest.
///
/// The text form is `name`, `all(a, b)` or `any(a, b)`, nested as in `any(admin, all(node.view, node.edit))`.
/// [`Display`](fmt::Display) writes it and [`FromStr`](std::str::FromStr) parses it; HTTP, the command line and lock
/// files use it.
///
/// ```
/// use tool_core::{Permission, Principal};
///
/// let edit = Permission::all(["node.view", "node.edit"]);
/// let viewer = Principal::new("ada").grant("node.view");
/// assert!(!edit.is_met_by(&viewer));
/// assert!(edit.is_met_by(&viewer.grant("node.edit")));
///
/// let nested = Permission::any([Permission::from("admin"), edit]);
/// assert_eq!(nested.to_string(), "any(admin, all(node.view, node.edit))");
/// assert_eq!("any(admin, all(node.view, node.edit))".parse(), Ok(nested));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission(PermissionNode);

#[derive(Clone, Debug, PartialEq, Eq)]
enum PermissionNode {
    Name(String),
    All(Vec<Permission>),
    Any(Vec<Permission>),
}

/// The maximum number of alternatives to compare.
const MAX_ALTERNATIVES: usize = 1024;

impl Permission {
    /// Requires all of these names or permissions. A single one stays as it is. Nobody meets an empty list.
    ///
    /// ```
    /// use tool_core::{Permission, Principal};
    ///
    /// assert_eq!(Permission::all(["a", "b"]).to_string(), "all(a, b)");
    /// assert_eq!(Permission::all(["a"]), Permission::from("a"));
    ///
    /// let empty = Permission::all("".split_whitespace());
    /// assert!(!empty.is_met_by(&Principal::local()));
    /// ```
    pub fn all(permissions: impl IntoIterator<Item = impl Into<Permission>>) -> Self {
        Permission::list(permissions, PermissionNode::All)
    }

    /// Requires any of these names or permissions. A single one stays as it is.
    ///
    /// ```
    /// use tool_core::Permission;
    ///
    /// assert_eq!(Permission::any(["a", "b"]).to_string(), "any(a, b)");
    /// ```
    pub fn any(permissions: impl IntoIterator<Item = impl Into<Permission>>) -> Self {
        Permission::list(permissions, PermissionNode::Any)
    }

    fn list(
        permissions: impl IntoIterator<Item = impl Into<Permission>>,
        node: impl FnOnce(Vec<Permission>) -> PermissionNode,
    ) -> Self {
        let mut permissions: Vec<Permission> = permissions.into_iter().map(Into::into).collect();
        match permissions.pop() {
            Some(only) if permissions.is_empty() => only,
            last => {
                permissions.extend(last);
                Permission(node(permissions))
            }
        }
    }

    /// Parses the text that `#[tool]` has checked. A malformed text becomes a name that nobody is granted.
    pub(crate) fn declared(text: &'static str) -> Self {
        text.parse().unwrap_or_else(|_| Permission::from(text))
    }

    /// Returns `true` if the caller was granted what is required.
    ///
    /// ```
    /// use tool_core::{Permission, Principal};
    ///
    /// assert!(Permission::any(["a", "b"]).is_met_by(&Principal::local().grant("b")));
    /// ```
    pub fn is_met_by(&self, principal: &Principal) -> bool {
        self.holds(&|name| principal.has(name))
    }

    fn holds(&self, granted: &impl Fn(&str) -> bool) -> bool {
        match &self.0 {
            PermissionNode::Name(name) => granted(name),
            PermissionNode::All(permissions) => {
                !permissions.is_empty() && permissions.iter().all(|permission| permission.holds(granted))
            }
            PermissionNode::Any(permissions) => {
                permissions.iter().any(|permission| permission.holds(granted))
            }
        }
    }

    /// Describes what the caller lacks; `None` if it lacks nothing.
    pub(crate) fn lack(&self, principal: &Principal) -> Option<String> {
        if self.is_met_by(principal) {
            return None;
        }
        let missing: Vec<&Permission> = match &self.0 {
            PermissionNode::Any(permissions) => {
                let names = quoted(permissions);
                return Some(format!("one of the permissions {names}, of which the caller has none"));
            }
            PermissionNode::All(permissions) => {
                permissions.iter().filter(|permission| !permission.is_met_by(principal)).collect()
            }
            PermissionNode::Name(_) => vec![self],
        };
        match missing[..] {
            [only] if *only != *self => only.lack(principal),
            [_] => Some(format!("the permission `{self}`, which the caller does not have")),
            _ => Some(format!("the permissions {}, which the caller does not have", quoted(missing))),
        }
    }

    /// Returns the distinct names, in order.
    ///
    /// ```
    /// use tool_core::Permission;
    ///
    /// let permission = Permission::any([Permission::from("a"), Permission::all(["b", "a"])]);
    /// assert_eq!(permission.names().collect::<Vec<_>>(), ["a", "b"]);
    /// ```
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let mut names = Vec::new();
        self.collect_names(&mut names);
        names.into_iter()
    }

    /// Returns the names that a caller must be granted together. Of alternatives it chooses the one of which the caller
    /// lacks the fewest, and of those the first.
    pub(crate) fn needed_by(&self, principal: &Principal) -> Vec<&str> {
        let mut needed = Vec::new();
        match &self.0 {
            PermissionNode::Name(name) => needed.push(name.as_str()),
            PermissionNode::All(permissions) => {
                for name in permissions.iter().flat_map(|permission| permission.needed_by(principal)) {
                    if !needed.contains(&name) {
                        needed.push(name);
                    }
                }
            }
            PermissionNode::Any(permissions) => {
                let alternatives = permissions.iter().map(|permission| permission.needed_by(principal));
                let lacking = |names: &Vec<&str>| names.iter().filter(|name| !principal.has(name)).count();
                needed = alternatives.min_by_key(lacking).unwrap_or_default();
            }
        }
        needed
    }

    fn collect_names<'a>(&'a self, names: &mut Vec<&'a str>) {
        match &self.0 {
            PermissionNode::Name(name) if names.contains(&name.as_str()) => {}
            PermissionNode::Name(name) => names.push(name),
            PermissionNode::All(permissions) | PermissionNode::Any(permissions) => {
                permissions.iter().for_each(|permission| permission.collect_names(names));
            }
        }
    }

    /// Returns `true` if every caller that meets `self` also meets `other`, or `false` if there are too many
    /// alternatives to tell.
    pub(crate) fn implies(&self, other: &Permission) -> bool {
        let alternatives = self.alternatives();
        alternatives.is_some_and(|sets| sets.iter().all(|set| other.holds(&|name| set.contains(name))))
    }

    /// Returns the sets of names that meet the permission; `None` if there are too many.
    fn alternatives(&self) -> Option<Vec<BTreeSet<&str>>> {
        let alternatives = match &self.0 {
            PermissionNode::Name(name) => vec![BTreeSet::from([name.as_str()])],
            PermissionNode::Any(permissions) => {
                let lists: Option<Vec<_>> = permissions.iter().map(Permission::alternatives).collect();
                lists?.concat()
            }
            PermissionNode::All(permissions) => {
                let mut sets = vec![BTreeSet::new()];
                for permission in permissions {
                    let next = permission.alternatives()?;
                    if sets.len() * next.len() > MAX_ALTERNATIVES {
                        return None;
                    }
                    sets = sets.iter().flat_map(|set| next.iter().map(move |next| set | next)).collect();
                }
                sets
            }
        };
        (alternatives.len() <= MAX_ALTERNATIVES).then_some(alternatives)
    }
}

fn quoted<'a>(permissions: impl IntoIterator<Item = &'a Permission>) -> String {
    let names: Vec<String> = permissions.into_iter().map(|permission| format!("`{permission}`")).collect();
    names.join(", ")
}

impl From<&str> for Permission {
    /// Creates a permission with this name.
    fn from(name: &str) -> Self {
        Permission(PermissionNode::Name(name.to_owned()))
    }
}

impl From<String> for Permission {
    /// Creates a permission with this name.
    fn from(name: String) -> Self {
        Permission(PermissionNode::Name(name))
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, permissions) = match &self.0 {
            PermissionNode::Name(name) => return f.write_str(name),
            PermissionNode::All(permissions) => ("all", permissions),
            PermissionNode::Any(permissions) => ("any", permissions),
        };
        write!(f, "{word}(")?;
        for (at, permission) in permissions.iter().enumerate() {
            let separator = if at == 0 { "" } else { ", " };
            write!(f, "{separator}{permission}")?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests;
