//! `server.json`: the entry of a server in the MCP registry.
//!
//! The format is <https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json>, with the further rules of the
//! [official registry](https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/official-registry-requirements.md).

use std::fs::File;
use std::io;
use std::path::Path;

use clap::ArgMatches;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::app::App;
use crate::list::object;
use crate::publish::checks::{about, addresses, limited, mcp_server, version, web_address};
use crate::publish::error::PublishError;
use crate::publish::package::Package;

const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/// The limit of the description and of the title.
const MAX_TEXT: usize = 100;

/// The length of a name.
const NAME_LENGTH: std::ops::RangeInclusive<usize> = 3..=200;

/// Returns the document, with the bundles and addresses of the command line.
pub(super) fn document(app: &App, package: &Package, matches: &ArgMatches) -> Result<Value, PublishError> {
    mcp_server(app)?;
    let [homepage, repository] = addresses(package)?;
    let title = package.title.as_deref().map(|title| limited("title", title, MAX_TEXT)).transpose()?;
    let version = version(app)?;
    let bundles: Vec<&String> = matches.get_many("mcpb").into_iter().flatten().collect();
    let bundles = bundles.chunks_exact(2).map(|pair| bundle(pair[0].as_ref(), pair[1], version));
    let bundles = bundles.collect::<Result<Vec<_>, _>>()?;
    let remotes = matches
        .get_many::<String>("remote")
        .into_iter()
        .flatten()
        .map(|url| Ok(json!({ "type": "streamable-http", "url": web_address("remote", url)? })));
    let remotes = remotes.collect::<Result<Vec<_>, PublishError>>()?;
    Ok(object([
        ("$schema", Some(SCHEMA.into())),
        ("name", Some(name(&package.name)?.into())),
        ("title", title.map(Value::from)),
        ("description", Some(limited("description", about(app)?, MAX_TEXT)?.into())),
        ("repository", repository.and_then(source)),
        ("version", Some(version.into())),
        ("websiteUrl", homepage.map(Value::from)),
        ("packages", (!bundles.is_empty()).then_some(bundles.into())),
        ("remotes", (!remotes.is_empty()).then_some(remotes.into())),
    ]))
}

fn name(name: &str) -> Result<&str, PublishError> {
    let is_namespace = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    let is_valid = name.split_once('/').is_some_and(|(namespace, server)| {
        !namespace.is_empty()
            && namespace.chars().all(is_namespace)
            && !server.is_empty()
            && server.chars().all(|c| is_namespace(c) || c == '_')
    });
    if is_valid && NAME_LENGTH.contains(&name.len()) {
        return Ok(name);
    }
    let reason = "is not a namespace, a slash and a name, as `io.github.user/weather`";
    Err(PublishError::Invalid { what: "name", value: name.to_owned(), reason })
}

/// Returns where the source code is; `None` for a service that the registry does not read.
fn source(url: &str) -> Option<Value> {
    let host = url.strip_prefix("https://")?.split('/').next()?;
    let source = ["github", "gitlab"].into_iter().find(|source| host == format!("{source}.com"))?;
    Some(json!({ "url": url, "source": source }))
}

fn bundle(path: &Path, url: &str, version: &str) -> Result<Value, PublishError> {
    let url = web_address("address of the bundle", url)?;
    if !url.to_ascii_lowercase().contains("mcp") {
        let reason = "does not contain `mcp`, as the registry wants it";
        return Err(PublishError::Invalid { what: "address of the bundle", value: url.to_owned(), reason });
    }
    let digest = digest(path).map_err(|error| PublishError::Read { path: path.to_owned(), error })?;
    Ok(json!({
        "registryType": "mcpb",
        "identifier": url,
        "version": version,
        "fileSha256": digest,
        "transport": { "type": "stdio" },
    }))
}

fn digest(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut digest = DigestWriter(Sha256::new());
    io::copy(&mut file, &mut digest)?;
    Ok(digest.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Digests what is written to it.
struct DigestWriter(Sha256);

impl io::Write for DigestWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_names_of_the_registry() {
        for valid in ["io.github.ada/weather", "a/b", "org.example-1/w_e.a-ther"] {
            assert!(name(valid).is_ok(), "{valid}");
        }
        for invalid in
            ["weather", "/weather", "a/", "a/b/c", "a b/c", "a_b/c", "ä/b", &format!("a/{}", "b".repeat(199))]
        {
            assert!(name(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn names_services_that_the_registry_reads() {
        assert_eq!(source("https://gitlab.com/ada/weather").unwrap()["source"], "gitlab");
        assert_eq!(source("https://github.com.example.org/ada/weather"), None);
        assert_eq!(source("https://codeberg.org/ada/weather"), None);
    }
}
