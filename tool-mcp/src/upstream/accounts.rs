//! Accounts at servers: signing in and out.

use crate::upstream::oauth::{Account, CredentialFile, SignIn, SignInError};
use crate::upstream::provider::{Upstreams, UpstreamsBuilder};

impl Upstreams {
    /// Begins to sign in to a server that uses [OAuth](crate::upstream::OAuth), with its configured scopes. With further
    /// scopes, also those are asked for that were granted before.
    ///
    /// The server is not started. A running one uses the new token for its next request or attempt to connect.
    ///
    /// # Errors
    ///
    /// When there is no such server, it does not use OAuth, its authorization server cannot be found or does not accept
    /// the client, or the redirect cannot be received.
    ///
    /// ```no_run
    /// # async fn sign_in(upstreams: tool_mcp::upstream::Upstreams) -> Result<(), tool_mcp::upstream::SignInError> {
    /// let sign_in = upstreams.sign_in("notes", ["notes:write"]).await?;
    /// println!("open {}", sign_in.url());
    /// sign_in.wait(std::time::Duration::from_secs(300)).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn sign_in(
        &self,
        server: &str,
        further_scopes: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<SignIn, SignInError> {
        let scopes = further_scopes.into_iter().map(Into::into).collect();
        SignIn::begin(self.account(server)?.clone(), scopes).await
    }

    /// Deletes the tokens of a server. Returns `false` if there were none.
    ///
    /// The authorization server is not told: a copy of the tokens stays valid until they expire.
    ///
    /// # Errors
    ///
    /// When there is no such server, it does not use OAuth, or the file cannot be changed.
    ///
    /// ```
    /// # use tool_mcp::upstream::{CredentialFile, OAuth, SignInError, Upstream, Upstreams};
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let folder = std::env::temp_dir().join("tool-mcp-sign-out");
    /// # let notes = Upstream::url("notes", "https://notes.example.org/mcp").oauth(OAuth::new());
    /// # let builder = Upstreams::builder().server(notes).credentials(CredentialFile::new(folder.join("none.json")));
    /// # let upstreams = builder.build().unwrap();
    /// assert_eq!(upstreams.sign_out("notes").await?, false);
    /// # Ok::<(), SignInError>(())
    /// # }).unwrap();
    /// ```
    pub async fn sign_out(&self, server: &str) -> Result<bool, SignInError> {
        Ok(self.account(server)?.sign_out().await?)
    }

    fn account(&self, server: &str) -> Result<&Account, SignInError> {
        let connection = self.0.connections.iter().find(|connection| connection.name() == server);
        let connection =
            connection.ok_or_else(|| SignInError::UnknownServer(server.escape_debug().to_string()))?;
        connection.upstream.account().ok_or_else(|| SignInError::NotConfigured(server.to_owned()))
    }
}

impl UpstreamsBuilder {
    /// Sets the file with the tokens of servers that use OAuth.
    ///
    /// ```
    /// # use tool_mcp::upstream::{CredentialFile, Upstreams};
    /// let builder = Upstreams::builder().credentials(CredentialFile::new("credentials.json"));
    /// ```
    pub fn credentials(mut self, file: CredentialFile) -> Self {
        self.credentials = Some(file);
        self
    }

    /// Sets the command that signs in to a server, without the name of the server. Errors name it.
    ///
    /// ```
    /// # use tool_mcp::upstream::Upstreams;
    /// let builder = Upstreams::builder().sign_in_command("gateway sign-in");
    /// ```
    pub fn sign_in_command(mut self, command: impl Into<String>) -> Self {
        self.sign_in_command = Some(command.into());
        self
    }
}
