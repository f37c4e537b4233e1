//! Tokens of an OAuth issuer.

use std::error::Error;

use tool_core::Principal;
use tool_oauth::{ConfigError, ResourceServer};

use crate::role::User;
use crate::site::SiteError;
use crate::{Role, Site};

/// Returns an authenticator for tokens of an issuer, for this resource: the URL that clients use.
///
/// The subject of a token is the name of a user. The scopes of a token are permissions, of which the user gets those that the
/// roles of the user permit now. A client asks for the right to read first.
///
/// # Errors
///
/// When one of them is not a URL that is secure.
///
/// ```
/// use content::{Site, issuer};
///
/// let site = Site::at("museum.sqlite");
/// assert!(issuer::resource_server(&site, "https://museum.example.org/mcp", "https://id.example.org").is_ok());
/// assert!(issuer::resource_server(&site, "https://museum.example.org/mcp", "http://id.example.org").is_err());
/// ```
pub fn resource_server(site: &Site, resource: &str, issuer: &str) -> Result<ResourceServer, ConfigError> {
    let site = site.clone();
    let resource_server = ResourceServer::new(resource)?
        .issuer(issuer)?
        .resource_name("The website of a small museum")
        .initial_scopes(Role::Visitor.permissions().iter().copied())
        .look_up(move |claims| {
            let site = site.clone();
            async move { principal(&site, claims.subject()).await }
        })
        .limit(|principal, permission| {
            let user = principal.extension::<User>();
            user.is_some_and(|user| user.permissions.iter().any(|permitted| permitted == permission))
        });
    Ok(resource_server)
}

/// Returns a user without permissions, which come from the scopes of the token; `None` if nobody has this name.
async fn principal(site: &Site, name: &str) -> Result<Option<Principal>, Box<dyn Error + Send + Sync>> {
    match site.reader().user(name).await {
        Ok(user) => Ok(Some(Principal::new(user.name.clone()).with(user))),
        Err(SiteError::NoUser(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
