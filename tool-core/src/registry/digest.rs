//! The identity of all tools and prompts together.

use crate::model::digest::Digest;
use crate::registry::Registry;

impl Registry {
    /// The identity of all tools and prompts together, whoever calls: another when one of them is added, is gone or
    /// promises something else.
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
