//! rmcp's authorization manager for an account.

use std::sync::Arc;

use reqwest::Url;
use rmcp::transport::AuthorizationManager;
use rmcp::transport::auth::{AuthError, AuthorizationMetadata, AuthorizationMetadataSource};

use crate::upstream::oauth::account::{Account, AccountStore};
use crate::upstream::oauth::address::AddressPolicy;
use crate::upstream::oauth::describe::short;
use crate::upstream::oauth::http::OAuthHttp;

/// Discovers the authorization server of an account.
pub(super) async fn discover(
    account: &Account,
) -> Result<(AuthorizationManager, AuthorizationMetadata), AuthError> {
    let policy = AddressPolicy::new(account.url(), account.oauth().private_addresses);
    let http = Arc::new(OAuthHttp::new(policy.clone())?);
    let mut manager =
        AuthorizationManager::new_with_oauth_http_client(account.url().clone(), Arc::clone(&http) as _)
            .await?;
    manager.set_credential_store(AccountStore { account: account.clone(), client_secret: None });
    let resolution = manager.resolve_metadata().await?;
    if resolution.source == AuthorizationMetadataSource::LegacyEndpointFallback {
        return Err(AuthError::MetadataError("it publishes no OAuth metadata".to_owned()));
    }
    check_metadata(&policy, &resolution.metadata)?;
    let issuer = resolution.metadata.issuer.as_deref().unwrap_or_default();
    check_source(issuer, &http.fetched())?;
    check_issuer(account.oauth().issuer.as_deref(), issuer)?;
    manager.set_metadata(resolution.metadata.clone());
    Ok((manager, resolution.metadata))
}

/// Compares the issuer of the settings, if there is one, with that of the authorization server.
fn check_issuer(expected: Option<&str>, found: &str) -> Result<(), AuthError> {
    match expected {
        Some(expected) if expected != found => Err(AuthError::MetadataError(format!(
            "its authorization server has the issuer `{}`, and not the configured `{expected}`",
            short(found)
        ))),
        _ => Ok(()),
    }
}

/// Checks that the metadata are from their issuer: from its origin, at one of its addresses for metadata (RFC 8414, section 3, and
/// `OpenID` Connect Discovery 1.0, section 4), or from where that redirects to.
///
/// rmcp compares the issuer with the address of the metadata, unless the server names an address of another form as its authorization
/// server. Without this check, such metadata could name the issuer of somebody else and a token endpoint of its own, which would
/// receive the tokens for that issuer.
fn check_source(issuer: &str, fetched: &[Url]) -> Result<(), AuthError> {
    let is_source = Url::parse(issuer).is_ok_and(|issuer| {
        let path = issuer.path().trim_end_matches('/');
        let addresses = [
            format!("/.well-known/oauth-authorization-server{path}"),
            format!("/.well-known/openid-configuration{path}"),
            format!("{path}/.well-known/openid-configuration"),
        ];
        let is_from_issuer = |url: &Url| url.origin() == issuer.origin();
        fetched.last().is_some_and(is_from_issuer)
            && fetched
                .iter()
                .any(|url| is_from_issuer(url) && addresses.iter().any(|path| path == url.path()))
    });
    if is_source {
        return Ok(());
    }
    Err(AuthError::MetadataError(format!(
        "the metadata of its authorization server are not from the issuer that they name, `{}`",
        short(issuer)
    )))
}

/// Checks what rmcp does not: the URLs of all endpoints, and that PKCE is supported rather than not denied.
fn check_metadata(policy: &AddressPolicy, metadata: &AuthorizationMetadata) -> Result<(), AuthError> {
    let endpoints = [
        ("issuer", metadata.issuer.as_ref()),
        ("authorization_endpoint", Some(&metadata.authorization_endpoint)),
        ("token_endpoint", Some(&metadata.token_endpoint)),
        ("registration_endpoint", metadata.registration_endpoint.as_ref()),
    ];
    for (name, url) in endpoints {
        let Some(url) = url else { continue };
        let refused = match Url::parse(url) {
            Ok(url) => policy.check(&url).err().map(|error| error.to_string()),
            Err(error) => Some(error.to_string()),
        };
        if let Some(reason) = refused {
            return Err(AuthError::MetadataError(format!(
                "`{name}` of its authorization server is not allowed: {reason}"
            )));
        }
    }
    let methods = metadata.code_challenge_methods_supported.as_deref().unwrap_or_default();
    if methods.iter().any(|method| method == "S256") { Ok(()) } else { Err(AuthError::PkceUnsupported) }
}
