//! Signing in: authorization code with PKCE, in the browser of the user.

use std::io;
use std::time::Duration;

use axum::http::StatusCode;
use reqwest::Url;
use rmcp::transport::AuthorizationManager;
use rmcp::transport::auth::{AuthError, AuthorizationMetadata, AuthorizationRequest, AuthorizationSession};
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;

use crate::upstream::oauth::account::{Account, AccountStore};
use crate::upstream::oauth::credential_file::CredentialsError;
use crate::upstream::oauth::describe::{describe, short};
use crate::upstream::oauth::manager::discover;
use crate::upstream::oauth::redirect::{Redirect, RedirectListener};
use crate::upstream::oauth::settings::is_scope;

/// A sign-in that has begun: the user opens its [URL](Self::url) in a browser on this machine.
///
/// ```no_run
/// # async fn sign_in(upstreams: tool_mcp::upstream::Upstreams) -> Result<(), tool_mcp::upstream::SignInError> {
/// use std::time::Duration;
///
/// let sign_in = upstreams.sign_in("notes", ["notes:write"]).await?;
/// println!("open {}", sign_in.url());
/// let granted = sign_in.wait(Duration::from_secs(300)).await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "signing in ends when this is dropped"]
pub struct SignIn {
    account: Account,
    session: AuthorizationSession,
    url: String,
    state: String,
    listener: RedirectListener,
}

/// The reason why signing in or out failed.
///
/// ```
/// use std::time::Duration;
/// use tool_mcp::upstream::SignInError;
///
/// let error = SignInError::TimedOut(Duration::from_secs(300));
/// assert!(error.to_string().starts_with("nobody signed in within 300s"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignInError {
    /// There is no such server.
    #[error("there is no server `{0}`")]
    UnknownServer(String),
    /// The server is not configured to use OAuth.
    #[error("server `{0}` is not configured to use OAuth: add `\"oauth\": {{}}` to its configuration")]
    NotConfigured(String),
    /// A scope has invalid characters.
    #[error("`{0}` is not a valid scope")]
    InvalidScope(String),
    /// The redirect cannot be received.
    #[error("cannot listen for the browser at `{uri}`: {source}")]
    Listen {
        /// The redirect URI.
        uri: String,
        /// The reason.
        source: io::Error,
    },
    /// The authorization server could not be found, or did not accept the client or the code.
    #[error("cannot sign in: {0}")]
    Failed(String),
    /// The user or the authorization server refused.
    #[error("the authorization server refused: {0}")]
    Refused(String),
    /// Nobody signed in.
    #[error(
        "nobody signed in within {0:?}: run the command again, and open the URL in a browser on this machine"
    )]
    TimedOut(Duration),
    /// The tokens cannot be stored.
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
}

const SIGNED_IN: &str = "You are signed in. You can close this page.";
const NOT_SIGNED_IN: &str = "Signing in failed. The program shows the reason. You can close this page.";
const UNKNOWN: &str = "This is not the answer to the sign-in that the program waits for.";

impl SignIn {
    /// Discovers the authorization server, registers the client, and listens for the browser.
    pub(in crate::upstream) async fn begin(
        account: Account,
        scopes: Vec<String>,
    ) -> Result<Self, SignInError> {
        if let Some(scope) = scopes.iter().find(|scope| !is_scope(scope)) {
            return Err(SignInError::InvalidScope(scope.escape_debug().to_string()));
        }
        // Fails now if the file cannot be read, rather than after the user has signed in.
        let granted = account.entry()?.map(|entry| entry.credentials.granted_scopes).unwrap_or_default();
        let uri = account.oauth().redirect_uri.clone();
        let listen = |source| SignInError::Listen { uri: uri.clone(), source };
        let parsed = Url::parse(&uri).map_err(|error| listen(io::Error::other(error.to_string())))?;
        let listener = RedirectListener::bind(parsed).await.map_err(listen)?;
        let redirect_uri = listener.uri().to_string();
        // rmcp logs parts of the responses.
        let session =
            begin_session(&account, &redirect_uri, &granted, scopes).with_subscriber(NoSubscriber::default());
        let session = session.await.map_err(|error| SignInError::Failed(describe(&error)))?;
        let invalid = |reason: &str| SignInError::Failed(format!("the URL for the browser {reason}"));
        let mut url = Url::parse(session.get_authorization_url()).map_err(|_| invalid("is not valid"))?;
        let parameter = |name: &str| {
            url.query_pairs().find(|(other, _)| other == name).map(|(_, value)| value.into_owned())
        };
        let state = parameter("state").ok_or_else(|| invalid("has no `state`"))?;
        // OpenID Connect grants offline access only then, and rmcp asks for it where it is supported.
        if parameter("scope").is_some_and(|scopes| scopes.split(' ').any(|scope| scope == "offline_access")) {
            url.query_pairs_mut().append_pair("prompt", "consent");
        }
        Ok(SignIn { account, session, url: url.into(), state, listener })
    }

    /// Returns the URL to open in a browser on this machine.
    ///
    /// ```no_run
    /// # fn show(sign_in: tool_mcp::upstream::SignIn) {
    /// println!("open {}", sign_in.url());
    /// # }
    /// ```
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Waits until the user has signed in, stores the tokens, and returns the granted scopes.
    ///
    /// # Errors
    ///
    /// When nobody signs in in time, the authorization server refuses, or the tokens cannot be stored.
    ///
    /// ```no_run
    /// # async fn wait(sign_in: tool_mcp::upstream::SignIn) -> Result<(), tool_mcp::upstream::SignInError> {
    /// let granted = sign_in.wait(std::time::Duration::from_secs(300)).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn wait(mut self, timeout: Duration) -> Result<Vec<String>, SignInError> {
        let Ok(result) = tokio::time::timeout(timeout, self.receive()).await else {
            return Err(SignInError::TimedOut(timeout));
        };
        self.listener.close().await;
        result
    }

    async fn receive(&mut self) -> Result<Vec<String>, SignInError> {
        loop {
            let Some(redirect) = self.listener.next().await else {
                return Err(SignInError::Failed("the listener for the browser has ended".to_owned()));
            };
            // Another page of the browser must not end the sign-in.
            if redirect.parameter("state") != Some(&self.state) {
                redirect.reply(StatusCode::BAD_REQUEST, UNKNOWN);
                continue;
            }
            let result = self.finish(&redirect).await;
            match result {
                Ok(_) => redirect.reply(StatusCode::OK, SIGNED_IN),
                Err(_) => redirect.reply(StatusCode::BAD_REQUEST, NOT_SIGNED_IN),
            }
            return result;
        }
    }

    /// Exchanges the code of a redirect. rmcp compares `iss` with the issuer.
    async fn finish(&self, redirect: &Redirect) -> Result<Vec<String>, SignInError> {
        if let Some(error) = redirect.parameter("error") {
            let description =
                redirect.parameter("error_description").map(|text| format!(": {}", short(text)));
            return Err(SignInError::Refused(format!("{}{}", short(error), description.unwrap_or_default())));
        }
        let Some(code) = redirect.parameter("code") else {
            return Err(SignInError::Failed("the authorization server returned no code".to_owned()));
        };
        // A running program must not store a token that it refreshes meanwhile.
        let _lock = self.account.lock().await?;
        let exchange = self.session.handle_callback_with_issuer(code, &self.state, redirect.parameter("iss"));
        exchange
            .with_subscriber(NoSubscriber::default())
            .await
            .map_err(|error| SignInError::Failed(describe(&error)))?;
        Ok(self.account.entry()?.map(|entry| entry.credentials.granted_scopes).unwrap_or_default())
    }
}

impl std::fmt::Debug for SignIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignIn").field("redirect_uri", &self.listener.uri().as_str()).finish_non_exhaustive()
    }
}

async fn begin_session(
    account: &Account,
    redirect_uri: &str,
    granted: &[String],
    further: Vec<String>,
) -> Result<AuthorizationSession, AuthError> {
    let (mut manager, metadata) = discover(account).await?;
    let oauth = account.oauth();
    let mut scopes = oauth.scopes.clone();
    if scopes.is_empty() {
        scopes = manager.select_initial_scopes(&[]).await;
    }
    if !further.is_empty() {
        scopes.extend(granted.iter().cloned().chain(further));
        let mut seen = std::collections::HashSet::new();
        scopes.retain(|scope| seen.insert(scope.clone()));
    }
    let request =
        AuthorizationRequest::new(redirect_uri).with_scopes(scopes.clone()).with_initial_scope_selection();
    let request = identify_client(account, &mut manager, &metadata, request, &scopes).await?;
    AuthorizationSession::new(manager, request).await.map_err(|(_, error)| error)
}

/// Adds the identity of the client: configured, a metadata document, or registered now.
async fn identify_client(
    account: &Account,
    manager: &mut AuthorizationManager,
    metadata: &AuthorizationMetadata,
    request: AuthorizationRequest,
    scopes: &[String],
) -> Result<AuthorizationRequest, AuthError> {
    let oauth = account.oauth();
    if let Some(id) = &oauth.client_id {
        let request = request.with_preregistered_client(id);
        return Ok(match &oauth.client_secret {
            Some(secret) => request.with_client_secret(secret),
            None => request,
        });
    }
    let supported = metadata.additional_fields.get("client_id_metadata_document_supported");
    if let Some(url) = &oauth.client_metadata_url
        && supported.is_some_and(|supported| supported == true)
    {
        return Ok(request.with_client_metadata_url(url));
    }
    if metadata.registration_endpoint.is_none() {
        return Err(AuthError::MetadataError(
            "its authorization server registers no clients: set the id of a client that is registered there"
                .to_owned(),
        ));
    }
    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let client = manager.register_client(&oauth.client_name, &request.redirect_uri, &scopes).await?;
    let secret = client.client_secret;
    manager.set_credential_store(AccountStore { account: account.clone(), client_secret: secret.clone() });
    let request = request.with_preregistered_client(client.client_id);
    Ok(match secret {
        Some(secret) => request.with_client_secret(secret),
        None => request,
    })
}
