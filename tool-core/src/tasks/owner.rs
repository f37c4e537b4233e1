//! The owner of a task.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::model::access::Principal;
use crate::model::digest::Digest;

/// The owner of a task, as stored: the identity and the permissions of the caller who created it. Extensions, tokens and
/// headers are not stored.
///
/// ```
/// use tool_core::Principal;
/// use tool_core::tasks::Owner;
///
/// let ada = Principal::new("ada").grant("site.export");
/// let stored = serde_json::to_string(&Owner::from(&ada)).unwrap();
/// assert_eq!(stored, r#"{"id":"ada","permissions":["site.export"]}"#);
/// let owner: Owner = serde_json::from_str(&stored).unwrap();
/// assert_eq!(Principal::from(owner), ada);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    permissions: BTreeSet<String>,
}

impl Owner {
    /// Returns the digest of the identity. It is the same whatever the permissions are, and that of an anonymous caller differs
    /// from all others.
    ///
    /// ```
    /// use tool_core::Principal;
    /// use tool_core::tasks::Owner;
    ///
    /// let ada = Principal::new("ada");
    /// assert_eq!(Owner::digest(&ada), Owner::digest(&ada.clone().grant("site.export")));
    /// assert_ne!(Owner::digest(&ada), Owner::digest(&Principal::anonymous()));
    /// ```
    pub fn digest(principal: &Principal) -> Digest {
        match principal.id() {
            Some(id) => Digest::of_bytes(&[b"id:", id.as_bytes()].concat()),
            None => Digest::of_bytes(b"anonymous"),
        }
    }
}

impl From<&Principal> for Owner {
    fn from(principal: &Principal) -> Self {
        Owner { id: principal.id().map(str::to_owned), permissions: principal.permissions().clone() }
    }
}

impl From<Owner> for Principal {
    fn from(owner: Owner) -> Self {
        let principal = owner.id.map_or_else(Principal::anonymous, Principal::new);
        owner.permissions.into_iter().fold(principal, Principal::grant)
    }
}
