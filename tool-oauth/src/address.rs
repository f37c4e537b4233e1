//! Addresses of the resource, the issuer and its endpoints.

use std::net::IpAddr;

use reqwest::Url;

use crate::error::ConfigError;

/// Parses a configured address: `https`, or `http` on loopback, without a user name, a query or a fragment.
pub(crate) fn parse(role: &'static str, text: &str) -> Result<Url, ConfigError> {
    let not_a_url = |reason: String| ConfigError::NotAUrl { role, url: text.to_owned(), reason };
    let url = Url::parse(text).map_err(|error| not_a_url(error.to_string()))?;
    let user = !url.username().is_empty() || url.password().is_some();
    let parts =
        [("user name", user), ("query", url.query().is_some()), ("fragment", url.fragment().is_some())];
    if let Some((part, _)) = parts.into_iter().find(|(_, is_there)| *is_there) {
        return Err(ConfigError::Part { role, part });
    }
    if !url.has_host() {
        return Err(not_a_url("it has no host".to_owned()));
    }
    if !is_secure(&url) {
        return Err(ConfigError::Insecure { role, url: text.to_owned() });
    }
    Ok(url)
}

/// Returns `true` for `https`, and for `http` on loopback.
pub(crate) fn is_secure(url: &Url) -> bool {
    url.scheme() == "https" || url.scheme() == "http" && is_loopback(url)
}

pub(crate) fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        host == "localhost" || address.is_ok_and(|address| address.to_canonical().is_loopback())
    })
}

/// Returns the address of a well-known document. Its name stands between the host and the path (RFC 8615, RFC 8414 section 3).
pub(crate) fn metadata_url(url: &Url, name: &str) -> Url {
    let mut metadata = url.clone();
    let path = url.path();
    metadata.set_path(&format!("/.well-known/{name}{}", if path == "/" { "" } else { path }));
    metadata
}

#[cfg(test)]
mod tests {
    use super::{metadata_url, parse};

    #[test]
    fn accepts_https_and_loopback() {
        for url in ["https://id.example.org", "http://localhost:9/a", "http://127.0.0.2", "http://[::1]:8/"] {
            assert!(parse("issuer", url).is_ok(), "{url}");
        }
        for (url, error) in [
            ("http://id.example.org", "must use https"),
            ("http://localhost.example.org", "must use https"),
            ("ftp://127.0.0.1", "must use https"),
            ("id.example.org", "is not a URL"),
            ("mailto:a@b", "it has no host"),
            ("https://ada:secret@id.example.org", "must not have a user name"),
            ("https://id.example.org?a=secret", "must not have a query"),
            ("https://id.example.org#secret", "must not have a fragment"),
        ] {
            let text = parse("issuer", url).unwrap_err().to_string();
            assert!(text.contains(error) && !text.contains("secret"), "{text}");
        }
    }

    #[test]
    fn inserts_the_name_before_the_path() {
        for (url, expected) in [
            ("https://h.example", "https://h.example/.well-known/x"),
            ("https://h.example/", "https://h.example/.well-known/x"),
            ("https://h.example/a/b", "https://h.example/.well-known/x/a/b"),
        ] {
            assert_eq!(metadata_url(&parse("issuer", url).unwrap(), "x").as_str(), expected);
        }
    }
}
