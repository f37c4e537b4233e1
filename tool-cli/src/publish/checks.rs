//! Checks of what the application says about itself.

use crate::app::App;
use crate::publish::error::PublishError;
use crate::publish::package::Package;

/// Returns the name of the server that speaks MCP over stdio.
pub(super) fn mcp_server(app: &App) -> Result<&str, PublishError> {
    let server = app.servers.iter().find(|(_, server)| server.speaks_mcp).map(|(name, _)| name.as_str());
    required(server, "server that speaks MCP over stdio", "Server::mcp_stdio")
}

pub(super) fn version(app: &App) -> Result<&str, PublishError> {
    release(required(app.version.as_deref(), "version", "App::version")?)
}

/// Checks the number of a release. Registries take no range of them.
fn release(version: &str) -> Result<&str, PublishError> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
    if version.starts_with(|c: char| c.is_ascii_digit()) && version.chars().all(is_part) {
        return Ok(version);
    }
    let reason = "is not the number of a release, as `1.2.3`";
    Err(PublishError::Invalid { what: "version", value: version.to_owned(), reason })
}

pub(super) fn about(app: &App) -> Result<&str, PublishError> {
    required(app.about.as_deref(), "description", "App::about")
}

pub(super) fn required<'a>(
    value: Option<&'a str>,
    what: &'static str,
    method: &'static str,
) -> Result<&'a str, PublishError> {
    value.map(str::trim).filter(|value| !value.is_empty()).ok_or(PublishError::Missing { what, method })
}

/// Checks an address of the web.
pub(super) fn web_address<'a>(what: &'static str, url: &'a str) -> Result<&'a str, PublishError> {
    let rest = url.strip_prefix("https://").unwrap_or_default();
    let is_plain =
        |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}');
    if rest.is_empty() || rest.starts_with(['/', '?', '#', ':']) || !rest.chars().all(is_plain) {
        let reason = "is not an address that begins with `https://`";
        return Err(PublishError::Invalid { what, value: url.to_owned(), reason });
    }
    Ok(url)
}

pub(super) fn limited<'a>(what: &'static str, text: &'a str, limit: usize) -> Result<&'a str, PublishError> {
    match text.chars().count() {
        length if length > limit => Err(PublishError::TooLong { what, length, limit }),
        _ => Ok(text),
    }
}

/// Returns the addresses of a package, which must be well-formed.
pub(super) fn addresses(package: &Package) -> Result<[Option<&str>; 2], PublishError> {
    let homepage = package.homepage.as_deref().map(|url| web_address("homepage", url));
    let repository = package.repository.as_deref().map(|url| web_address("repository", url));
    Ok([homepage.transpose()?, repository.transpose()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_numbers_of_releases() {
        for version in ["1.2.3", "0.1.0-rc.1+b-2", "2026"] {
            assert!(release(version).is_ok(), "{version}");
        }
        for version in ["^1.2", "latest", "1.2 - 1.3", "1.*", "1.0 || 2.0", ">=1"] {
            assert!(release(version).is_err(), "{version}");
        }
    }

    #[test]
    fn takes_addresses_of_the_web() {
        for url in ["https://example.org", "https://example.org/a?b=c#d", "https://[::1]/%20"] {
            assert!(web_address("homepage", url).is_ok(), "{url}");
        }
        for url in [
            "",
            "example.org",
            "http://example.org",
            "https://",
            "https:///a",
            "https://a b",
            "https://a\n",
            "https://é",
        ] {
            assert!(web_address("homepage", url).is_err(), "{url}");
        }
    }
}
