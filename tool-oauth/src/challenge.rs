//! Challenges: how a client gets a token, or a better one.

use http::HeaderValue;

/// Returns the `WWW-Authenticate` of RFC 6750, section 3, and RFC 9728, section 5.1; `None` if a value is not allowed in a
/// header. Values contain no quotes: they are URLs, scopes and codes.
pub(crate) fn challenge(error: Option<&str>, metadata: &str, scopes: &[String]) -> Option<HeaderValue> {
    let error = error.map(|error| format!(r#"error="{error}", "#)).unwrap_or_default();
    let scope = if scopes.is_empty() { String::new() } else { format!(r#", scope="{}""#, scopes.join(" ")) };
    HeaderValue::from_str(&format!(r#"Bearer {error}resource_metadata="{metadata}"{scope}"#)).ok()
}

#[cfg(test)]
mod tests {
    use super::challenge;

    #[test]
    fn names_the_metadata_and_the_scopes() {
        let url = "https://tools.example.org/.well-known/oauth-protected-resource/mcp";
        assert_eq!(challenge(None, url, &[]).unwrap(), format!(r#"Bearer resource_metadata="{url}""#));
        let scopes = ["a".to_owned(), "b".to_owned()];
        assert_eq!(
            challenge(Some("insufficient_scope"), url, &scopes).unwrap(),
            format!(r#"Bearer error="insufficient_scope", resource_metadata="{url}", scope="a b""#)
        );
    }
}
