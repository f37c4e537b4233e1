//! The access token of a connection, which is refreshed when it expires or is rejected.

use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rmcp::transport::AuthorizationManager;
use rmcp::transport::auth::{AuthError, OAuthClientConfig};
use serde::Deserialize;
use serde_json::Value;
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;

use crate::upstream::oauth::account::Account;
use crate::upstream::oauth::credential_file::{CredentialsError, Entry, FileVersion};
use crate::upstream::oauth::describe::describe;
use crate::upstream::oauth::manager::discover;

/// The access token of an account.
pub(in crate::upstream) struct TokenSource {
    account: Account,
    /// The entry in the file when it had this version.
    cached: Mutex<Option<(Option<FileVersion>, Option<CachedEntry>)>>,
}

#[derive(Clone)]
struct CachedEntry {
    token: Option<Token>,
    granted: Vec<String>,
}

/// The parts of a token response that are used here.
#[derive(Clone, Deserialize)]
struct Token {
    access_token: String,
    #[serde(default)]
    expires_in: Option<u64>,
    #[serde(default)]
    refresh_token: Option<String>,
    /// Seconds since 1970.
    #[serde(skip)]
    received_at: Option<u64>,
}

/// The reason why there is no token, in words that callers may see.
#[derive(Debug)]
pub(in crate::upstream) struct NoToken(pub(in crate::upstream) String);

/// A token is refreshed this many seconds before it expires, or after half of its life if that is later.
const REFRESH_SECONDS: u64 = 30;

impl TokenSource {
    pub(in crate::upstream) fn new(account: Account) -> Self {
        TokenSource { account, cached: Mutex::default() }
    }

    /// Returns a token that has not expired.
    pub(in crate::upstream) async fn token(&self) -> Result<String, NoToken> {
        let token = self.current()?.token.ok_or_else(|| self.not_signed_in())?;
        if !token.is_due() {
            return Ok(token.access_token);
        }
        match self.refresh(Token::is_due).await {
            // It is refreshed early, so that a failure does no harm yet.
            Err(error) if !token.has_expired() && self.current()?.token.is_some() => {
                tracing::debug!(error = error.0, "cannot refresh a token before it expires");
                Ok(token.access_token)
            }
            refreshed => refreshed,
        }
    }

    /// Returns a token in the place of one that the server has rejected.
    pub(in crate::upstream) async fn replace(&self, rejected: &str) -> Result<String, NoToken> {
        self.refresh(|token| token.access_token == rejected).await
    }

    /// Returns those scopes that were not granted, or all if the server asks only for granted ones.
    pub(in crate::upstream) fn missing(&self, required: &[String]) -> Vec<String> {
        let missing = self.not_granted(required);
        if missing.is_empty() { required.to_vec() } else { missing }
    }

    /// Says that the server rejects a new token, and that the user must sign in, with the scopes that it requires.
    pub(in crate::upstream) fn rejected(&self, required: &[String]) -> NoToken {
        let how = self.account.how_to_sign_in(&self.not_granted(required));
        NoToken(format!("it rejects its token (HTTP 401), so you must sign in again: {how}"))
    }

    fn not_granted(&self, required: &[String]) -> Vec<String> {
        let granted = self.current().map(|entry| entry.granted).unwrap_or_default();
        required.iter().filter(|scope| !granted.contains(scope)).cloned().collect()
    }

    /// Says that the user must sign in.
    fn not_signed_in(&self) -> NoToken {
        NoToken(format!("it requires you to sign in: {}", self.account.how_to_sign_in(&[])))
    }

    /// Refreshes the token if it is still `due` when no other task and no other process is refreshing it.
    async fn refresh(&self, due: impl Fn(&Token) -> bool) -> Result<String, NoToken> {
        let _lock = self.account.lock().await.map_err(|error| NoToken(error.to_string()))?;
        let token = self.current()?.token.ok_or_else(|| self.not_signed_in())?;
        if !due(&token) {
            return Ok(token.access_token);
        }
        if token.refresh_token.is_none() {
            return Err(self.not_signed_in());
        }
        // rmcp logs parts of the response.
        let refreshed = self.refresh_now().with_subscriber(NoSubscriber::default()).await;
        match refreshed {
            Ok(()) => {
                let token = self.current()?.token.ok_or_else(|| self.not_signed_in())?;
                Ok(token.access_token)
            }
            Err(AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_)) => {
                Err(self.not_signed_in())
            }
            Err(error) => Err(NoToken(format!("its token cannot be refreshed: {}", describe(&error)))),
        }
    }

    async fn refresh_now(&self) -> Result<(), AuthError> {
        let (mut manager, _) = discover(&self.account).await?;
        // Also compares the issuer with the one that the token is from.
        if !manager.initialize_from_store().await? {
            return Err(AuthError::AuthorizationRequired);
        }
        let entry =
            self.account.entry().map_err(|error| AuthError::CredentialStoreError(error.to_string()))?;
        self.set_secret(&mut manager, entry)?;
        manager.refresh_token().await?;
        Ok(())
    }

    /// Sets the secret of the client, which rmcp does not store.
    fn set_secret(&self, manager: &mut AuthorizationManager, entry: Option<Entry>) -> Result<(), AuthError> {
        let Some(entry) = entry else { return Ok(()) };
        let (id, oauth) = (entry.credentials.client_id, self.account.oauth());
        let configured = oauth.client_secret.clone().filter(|_| oauth.client_id.as_ref() == Some(&id));
        match configured.or(entry.client_secret) {
            Some(secret) => {
                let client =
                    OAuthClientConfig::new(id, oauth.redirect_uri.clone()).with_client_secret(secret);
                manager.configure_client(client)
            }
            None => Ok(()),
        }
    }

    /// Reads the file again if it has changed.
    fn current(&self) -> Result<CachedEntry, NoToken> {
        let failed = |error: CredentialsError| NoToken(error.to_string());
        // Read before the entry: a change in between is noticed the next time.
        let version = self.account.version().map_err(failed)?;
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = match &*cached {
            Some((of, entry)) if *of == version => entry.clone(),
            _ => {
                let entry = self.account.entry().map_err(failed)?.map(CachedEntry::new);
                *cached = Some((version, entry.clone()));
                entry
            }
        };
        entry.ok_or_else(|| self.not_signed_in())
    }
}

impl CachedEntry {
    fn new(entry: Entry) -> Self {
        let credentials = entry.credentials;
        let response = serde_json::to_value(&credentials.token_response).unwrap_or(Value::Null);
        let token = serde_json::from_value(response).ok();
        let received_at = credentials.token_received_at;
        CachedEntry {
            token: token.map(|token| Token { received_at, ..token }),
            granted: credentials.granted_scopes,
        }
    }
}

impl Token {
    /// Returns `true` if the token should be refreshed now.
    fn is_due(&self) -> bool {
        self.expires_in.is_some_and(|lifetime| self.remaining() < REFRESH_SECONDS.min(lifetime / 2).max(1))
    }

    fn has_expired(&self) -> bool {
        self.remaining() == 0
    }

    /// Returns the seconds until the token expires.
    fn remaining(&self) -> u64 {
        let (Some(lifetime), Some(received)) = (self.expires_in, self.received_at) else { return u64::MAX };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        (received.saturating_add(lifetime)).saturating_sub(now)
    }
}
