//! Scopes of tokens and permissions of tools.

use std::fmt;
use std::sync::Arc;

/// Maps scopes to permissions and back.
#[derive(Clone)]
pub(crate) struct Scopes {
    pub(crate) permissions_of: Arc<PermissionsOf>,
    pub(crate) scope_of: Arc<dyn Fn(&str) -> String + Send + Sync>,
}

/// Returns the permissions that a scope grants.
type PermissionsOf = dyn Fn(&str) -> Vec<String> + Send + Sync;

impl Default for Scopes {
    /// A scope is the permission of the same name.
    fn default() -> Self {
        Scopes { permissions_of: Arc::new(|scope| vec![scope.to_owned()]), scope_of: Arc::new(str::to_owned) }
    }
}

impl Scopes {
    /// Returns the scopes that grant these permissions, each once. A name that no scope can have is left out.
    pub(crate) fn granting(&self, permissions: &[&str]) -> Vec<String> {
        let mut scopes = Vec::new();
        for scope in permissions.iter().map(|permission| (self.scope_of)(permission)) {
            if is_scope(&scope) && !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        scopes
    }
}

/// Returns `true` for a `scope-token` of RFC 6749, section 3.3.
pub(crate) fn is_scope(text: &str) -> bool {
    let sound = |byte: u8| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
    !text.is_empty() && text.bytes().all(sound)
}

impl fmt::Debug for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scopes").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Scopes;

    #[test]
    fn leaves_out_what_is_no_scope() {
        let scopes = Scopes::default();
        assert_eq!(scopes.granting(&["node.view", "two words", "a\"b", "", "node.view"]), ["node.view"]);
        let scopes = Scopes { scope_of: Arc::new(|it| format!("api:{it}")), ..Scopes::default() };
        assert_eq!(scopes.granting(&["b", "a"]), ["api:b", "api:a"]);
    }
}
