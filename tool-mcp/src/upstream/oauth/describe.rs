//! Words for the errors of rmcp's client, without tokens, and without URLs that may contain secrets.

use std::error::Error;

use rmcp::transport::auth::{AuthError, ProtectedResourceMetadataInvalidReason};

use crate::upstream::text::truncate;

/// Describes why signing in or refreshing failed.
pub(super) fn describe(error: &AuthError) -> String {
    match error {
        AuthError::AuthorizationRequired => "it was not signed in to".to_owned(),
        AuthError::TokenExchangeFailed(text) => match text.strip_prefix(SERVER_RESPONSE) {
            Some(answer) => format!("the authorization server refused the code: {}", short(answer)),
            None => "the token endpoint of the authorization server returned no token".to_owned(),
        },
        // The description of the server is left out, because it may quote the token.
        AuthError::TokenRefreshFailed(text) | AuthError::TokenRefreshRejected(text) => {
            match text.strip_prefix(SERVER_RESPONSE) {
                Some(answer) => {
                    let code = answer.split([':', ' ']).next().unwrap_or_default();
                    format!("the authorization server refused to refresh the token: {}", short(code))
                }
                None => "the token endpoint of the authorization server returned no token".to_owned(),
            }
        }
        AuthError::CredentialStoreError(text) => text.clone(),
        AuthError::InvalidTokenType(text) => format!(
            "the authorization server issued a token of the type `{}`, and only `Bearer` is supported",
            short(text)
        ),
        AuthError::MetadataError(text) => short(text),
        AuthError::RegistrationFailed(text) => {
            format!("the authorization server did not register the client: {}", short(text))
        }
        AuthError::DiscoveryRequestFailed { url, source } => {
            let host = url.host_str().unwrap_or_default();
            format!("the OAuth metadata of `{host}` cannot be read: {}", root_cause(source.as_ref()))
        }
        AuthError::ProtectedResourceMetadataInvalid { reason, .. } => match reason.as_ref() {
            ProtectedResourceMetadataInvalidReason::ResourceMismatch { .. } => {
                "its OAuth metadata is that of another resource".to_owned()
            }
            reason => format!("its OAuth metadata is invalid: {}", short(&reason.to_string())),
        },
        AuthError::AuthorizationServersUnavailable { authorization_servers, .. } => {
            let servers: Vec<String> =
                authorization_servers.iter().map(|server| format!("`{}`", short(server))).collect();
            format!(
                "none of the authorization servers that it names has usable metadata: {}",
                short(&servers.join(", "))
            )
        }
        AuthError::PkceUnsupported => "its authorization server does not support PKCE with S256".to_owned(),
        AuthError::AuthorizationServerMismatch { expected_issuer, received_issuer } => format!(
            "the response is from another authorization server: expected `{}`, received `{}`",
            short(expected_issuer),
            short(received_issuer)
        ),
        other => short(&other.to_string()),
    }
}

/// How the error of a token endpoint begins, before the code and the description.
const SERVER_RESPONSE: &str = "Server returned error response: ";

/// Returns the innermost cause: the outer ones repeat the URL.
fn root_cause(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    short(&cause.to_string())
}

/// Returns the first line of a text that a server may have chosen, without control characters.
pub(super) fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    truncate(&line.replace(char::is_control, " "), 200)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omits_descriptions_of_refreshes() {
        let text = "Server returned error response: invalid_grant: token 0b7c5f1e was revoked".to_owned();
        let described = describe(&AuthError::TokenRefreshRejected(text));
        assert_eq!(described, "the authorization server refused to refresh the token: invalid_grant");
        let parse = AuthError::TokenExchangeFailed("invalid type: string \"0b7c5f1e\" at line 1".to_owned());
        assert!(!describe(&parse).contains("0b7c5f1e"), "{}", describe(&parse));
    }
}
