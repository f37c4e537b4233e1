//! Bearer tokens of users.

use std::fs;
use std::path::Path;

use tool_core::authentication::Bearer;

use crate::Site;

/// Reads an authenticator from a file with one user and one token per line, separated by a space. Empty lines and lines with `#`
/// are ignored.
///
/// Users get the permissions that their roles have now.
///
/// # Errors
///
/// When the file or the site cannot be read, or a line is invalid. Errors contain no tokens.
///
/// ```
/// use content::{Site, tokens};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), std::io::Error> {
/// let folder = tempfile::tempdir()?;
/// let (site, file) = (Site::at(folder.path().join("museum.sqlite")), folder.path().join("tokens"));
/// std::fs::write(&file, "june 0b7c5f1e9d2a4c68\n")?;
/// assert!(tokens::read(&site, &file).await.is_ok());
/// std::fs::write(&file, "june short\n")?;
/// let error = tokens::read(&site, &file).await.unwrap_err();
/// assert!(error.ends_with("line 1: the token has fewer than 16 characters"), "{error}");
/// # Ok(())
/// # }
/// ```
pub async fn read(site: &Site, file: &Path) -> Result<Bearer, String> {
    let text = fs::read_to_string(file)
        .map_err(|error| format!("the tokens in {} cannot be read: {error}", file.display()))?;
    let mut bearer = Bearer::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        bearer = with_token(bearer, site, line)
            .await
            .map_err(|error| format!("{}, line {number}: {error}", file.display()))?;
    }
    Ok(bearer)
}

/// Adds the user of a line.
async fn with_token(bearer: Bearer, site: &Site, line: &str) -> Result<Bearer, String> {
    let Some((user, token)) = line.split_once(char::is_whitespace) else {
        // The line is not repeated: all of it may be a token.
        return Err("a user and a token are expected, with a space between them".to_owned());
    };
    let token = token.trim();
    let principal =
        site.principal(user).await.map_err(|error| format!("`{user}` cannot be looked up: {error}"))?;
    let principal = principal.ok_or_else(|| format!("nobody is called `{user}`"))?;
    bearer.token(token, principal).map_err(|error| error.to_string())
}
