//! The claims of a token.

use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// What the issuer says about the caller: the claims of a token that was verified.
///
/// A tool can take them as `#[inject] claims: Extension<Claims>`. The token itself is not among them.
///
/// ```
/// use tool_core::{Extension, tool};
/// use tool_oauth::Claims;
///
/// /// Names the caller.
/// #[tool(operation = Explain)]
/// fn who_am_i(#[inject] claims: Extension<Claims>) -> String {
///     let name = claims.get::<String>("name");
///     name.unwrap_or_else(|| claims.subject().to_owned())
/// }
/// ```
#[derive(Clone)]
pub struct Claims(Arc<Inner>);

struct Inner {
    subject: String,
    members: Map<String, Value>,
}

impl Claims {
    /// Creates the claims, if they have a subject.
    pub(crate) fn new(members: Map<String, Value>) -> Option<Self> {
        let subject = members.get("sub")?.as_str().filter(|subject| !subject.is_empty())?.to_owned();
        Some(Claims(Arc::new(Inner { subject, members })))
    }

    /// Returns the identifier of the caller at the issuer (`sub`).
    ///
    /// ```
    /// fn id(claims: &tool_oauth::Claims) -> String {
    ///     format!("example:{}", claims.subject())
    /// }
    /// ```
    pub fn subject(&self) -> &str {
        &self.0.subject
    }

    /// Returns the client program that the token was issued to (`client_id`), if the token says it.
    ///
    /// ```
    /// fn is_inspector(claims: &tool_oauth::Claims) -> bool {
    ///     claims.client() == Some("inspector")
    /// }
    /// ```
    pub fn client(&self) -> Option<&str> {
        ["client_id", "azp"].iter().find_map(|name| self.0.members.get(*name)?.as_str())
    }

    /// Returns the scopes of the token: the words of `scope`, or the members of `scp`.
    ///
    /// ```
    /// fn may_publish(claims: &tool_oauth::Claims) -> bool {
    ///     claims.scopes().any(|scope| scope == "node.publish")
    /// }
    /// ```
    pub fn scopes(&self) -> impl Iterator<Item = &str> {
        let claim = ["scope", "scp"].iter().find_map(|name| self.0.members.get(*name));
        let (words, list) = match claim {
            Some(Value::String(words)) => (words.as_str(), &[][..]),
            Some(Value::Array(list)) => ("", &list[..]),
            _ => ("", &[][..]),
        };
        words.split_ascii_whitespace().chain(list.iter().filter_map(Value::as_str))
    }

    /// Returns a claim, if the token has it and it is of this type.
    ///
    /// ```
    /// fn groups(claims: &tool_oauth::Claims) -> Vec<String> {
    ///     claims.get("groups").unwrap_or_default()
    /// }
    /// ```
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        self.0.members.get(name).and_then(|value| serde_json::from_value(value.clone()).ok())
    }
}

/// Shows the subject only: other claims may be personal.
impl fmt::Debug for Claims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claims").field("subject", &self.0.subject).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Claims;

    fn claims(members: &Value) -> Option<Claims> {
        Claims::new(members.as_object().cloned().unwrap())
    }

    #[test]
    fn needs_a_subject() {
        for members in [json!({}), json!({"sub": ""}), json!({"sub": 7}), json!({"sub": null})] {
            assert!(claims(&members).is_none(), "{members}");
        }
        assert_eq!(claims(&json!({"sub": "ada"})).unwrap().subject(), "ada");
    }

    #[test]
    fn reads_scopes_in_each_form() {
        for (members, expected) in [
            (json!({"sub": "ada", "scope": " a  b"}), &["a", "b"][..]),
            (json!({"sub": "ada", "scope": ["a", 1, "b"]}), &["a", "b"]),
            (json!({"sub": "ada", "scp": ["a b"]}), &["a b"]),
            (json!({"sub": "ada", "scp": "a b"}), &["a", "b"]),
            (json!({"sub": "ada", "scope": 1}), &[]),
            (json!({"sub": "ada"}), &[]),
        ] {
            assert_eq!(claims(&members).unwrap().scopes().collect::<Vec<_>>(), expected, "{members}");
        }
    }

    #[test]
    fn hides_claims_in_debug_output() {
        let claims = claims(&json!({"sub": "ada", "email": "ada@example.org"})).unwrap();
        assert_eq!(format!("{claims:?}"), r#"Claims { subject: "ada", .. }"#);
        assert_eq!(claims.get::<String>("email").as_deref(), Some("ada@example.org"));
        assert_eq!(claims.get::<u8>("email"), None);
    }
}
