//! The scheme of a server's URIs (RFC 3986, section 3.1).

/// A valid scheme, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scheme(String);

impl Scheme {
    /// Parses the scheme that the application has set.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        is_scheme(text).then(|| Scheme(text.to_ascii_lowercase()))
    }

    /// Makes a valid scheme of the name of a server: it begins with a letter, and has `-` for invalid characters.
    pub(crate) fn of_name(name: &str) -> Self {
        let valid = |c: char| if is_inner(c) { c.to_ascii_lowercase() } else { '-' };
        let scheme: String = name.trim().chars().map(valid).collect();
        let scheme = scheme.trim_matches('-');
        if scheme.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Scheme(scheme.to_owned());
        }
        Scheme(if scheme.is_empty() { "mcp".to_owned() } else { format!("mcp-{scheme}") })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Scheme {
    fn default() -> Self {
        Scheme::of_name("")
    }
}

/// Returns `true` for a valid scheme.
pub(crate) fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(is_inner)
}

fn is_inner(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derives_a_valid_scheme_from_a_name() {
        for (name, scheme) in [
            ("weather", "weather"),
            ("OneTool", "onetool"),
            ("My Weather, v2", "my-weather--v2"),
            ("svn+ssh.x-1", "svn+ssh.x-1"),
            ("7zip", "mcp-7zip"),
            (".net", "mcp-.net"),
            ("天気", "mcp"),
            ("", "mcp"),
        ] {
            let derived = Scheme::of_name(name);
            assert_eq!(derived.as_str(), scheme, "{name}");
            assert_eq!(Scheme::parse(derived.as_str()), Some(derived), "{name}");
        }
    }

    #[test]
    fn rejects_invalid_schemes() {
        for text in ["", "1a", "a b", "a_b", "a:", "ä"] {
            assert_eq!(Scheme::parse(text), None, "{text}");
        }
    }
}
