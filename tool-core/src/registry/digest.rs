//! The digest of a registry.

use crate::model::digest::Digest;
use crate::registry::Registry;

impl Registry {
    /// Returns the digest of all tools and prompts, for any caller. It changes if one is added, removed, or changed in what it
    /// promises.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// let empty = || Registry::builder().allow_empty().build().unwrap();
    /// assert_eq!(empty().digest(), empty().digest());
    /// ```
    pub fn digest(&self) -> Digest {
        let tools = self.definitions().map(|tool| tool.digest().to_string());
        Digest::of_all(tools, self.declared_prompts().map(|prompt| prompt.digest().to_string()))
    }
}
