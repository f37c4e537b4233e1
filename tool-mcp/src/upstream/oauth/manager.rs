//! rmcp's authorization manager for an account.

use std::sync::Arc;

use reqwest::Url;
use rmcp::transport::AuthorizationManager;
use rmcp::transport::auth::{AuthError, AuthorizationMetadata, AuthorizationMetadataSource};

use crate::upstream::oauth::account::{Account, AccountStore};
use crate::upstream::oauth::address::AddressPolicy;
use crate::upstream::oauth::http::OAuthHttp;

/// Discovers the authorization server of an account.
pub(super) async fn discover(
    account: &Account,
) -> Result<(AuthorizationManager, AuthorizationMetadata), AuthError> {
    let policy = AddressPolicy::new(account.url(), account.oauth().private_addresses);
    let http = Arc::new(OAuthHttp::new(policy.clone())?);
    let mut manager = AuthorizationManager::new_with_oauth_http_client(account.url().clone(), http).await?;
    manager.set_credential_store(AccountStore { account: account.clone(), client_secret: None });
    let resolution = manager.resolve_metadata().await?;
    if resolution.source == AuthorizationMetadataSource::LegacyEndpointFallback {
        return Err(AuthError::MetadataError("it publishes no OAuth metadata".to_owned()));
    }
    check_metadata(&policy, &resolution.metadata)?;
    manager.set_metadata(resolution.metadata.clone());
    Ok((manager, resolution.metadata))
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
