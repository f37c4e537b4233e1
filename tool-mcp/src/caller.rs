//! Who sends a request over HTTP.

use rmcp::model::CacheScope;
use tool_core::Principal;

/// The sender of a request, in the extensions of its head.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) principal: Principal,
    /// Whether callers are distinguished: an answer is meant for this one alone then.
    pub(crate) is_distinguished: bool,
}

impl Caller {
    /// Returns who may keep an answer that is the same for all callers that are not distinguished.
    pub(crate) fn scope(&self) -> CacheScope {
        if self.is_distinguished { CacheScope::Private } else { CacheScope::Public }
    }
}
