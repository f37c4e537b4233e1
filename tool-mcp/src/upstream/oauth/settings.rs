//! How to sign in to one server.

use std::fmt;

use reqwest::Url;

/// How this program signs in to a server with OAuth: the client's identity, and what it asks for.
///
/// The client is, in this order: a configured [client id](Self::client_id), a [client metadata
/// document](Self::client_metadata_url) if the authorization server supports them, or a client that is registered
/// dynamically when signing in.
///
/// ```
/// use tool_mcp::upstream::{OAuth, Upstream};
///
/// let notes = Upstream::url("notes", "https://notes.example.org/mcp").oauth(OAuth::new().scopes(["notes:read"]));
/// # let file = tool_mcp::upstream::CredentialFile::new("credentials.json");
/// # tool_mcp::upstream::Upstreams::builder().server(notes).credentials(file).build().unwrap();
/// ```
#[derive(Clone)]
#[must_use = "it has no effect until it is passed to `Upstream::oauth`"]
pub struct OAuth {
    pub(super) client_id: Option<String>,
    pub(super) client_secret: Option<String>,
    pub(super) issuer: Option<String>,
    pub(super) client_metadata_url: Option<String>,
    pub(super) client_name: String,
    pub(super) scopes: Vec<String>,
    pub(super) redirect_uri: String,
    pub(super) account: String,
    pub(super) private_addresses: bool,
}

/// The default redirect URI. Port 0 stands for a free one.
const DEFAULT_REDIRECT_URI: &str = "http://127.0.0.1:0/callback";

impl OAuth {
    /// Creates settings for a client that is registered dynamically and asks for the scopes that the server names.
    ///
    /// ```
    /// let oauth = tool_mcp::upstream::OAuth::new();
    /// ```
    pub fn new() -> Self {
        OAuth {
            client_id: None,
            client_secret: None,
            issuer: None,
            client_metadata_url: None,
            client_name: "tool-mcp".to_owned(),
            scopes: Vec::new(),
            redirect_uri: DEFAULT_REDIRECT_URI.to_owned(),
            account: "default".to_owned(),
            private_addresses: false,
        }
    }

    /// Sets the id of a client that was registered at the authorization server beforehand.
    ///
    /// ```
    /// let oauth = tool_mcp::upstream::OAuth::new().client_id("gateway").redirect_uri("http://127.0.0.1:8912/callback");
    /// ```
    pub fn client_id(mut self, id: impl Into<String>) -> Self {
        self.client_id = Some(id.into());
        self
    }

    /// Sets the secret of the configured client. It is not written to the credential file, and needs an [`issuer`](Self::issuer).
    ///
    /// ```
    /// let oauth = tool_mcp::upstream::OAuth::new()
    ///     .client_id("gateway")
    ///     .client_secret("0b7c5f1e")
    ///     .issuer("https://id.example.org");
    /// assert!(!format!("{oauth:?}").contains("0b7c5f1e"));
    /// ```
    pub fn client_secret(mut self, secret: impl Into<String>) -> Self {
        self.client_secret = Some(secret.into());
        self
    }

    /// Sets the only authorization server to sign in at, by its issuer as its metadata has it (RFC 8414, section 2). By default, that is
    /// the one that the MCP server names. A [client secret](Self::client_secret) needs an issuer: otherwise an MCP server that is not
    /// trusted could choose who receives it.
    ///
    /// ```
    /// let oauth = tool_mcp::upstream::OAuth::new().issuer("https://id.example.org");
    /// ```
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    /// Sets the `https` URL of a client metadata document, which serves as the client id.
    ///
    /// ```
    /// let oauth = tool_mcp::upstream::OAuth::new().client_metadata_url("https://example.org/gateway.json");
    /// ```
    pub fn client_metadata_url(mut self, url: impl Into<String>) -> Self {
        self.client_metadata_url = Some(url.into());
        self
    }

    /// Sets the name that a client is registered with; `tool-mcp` by default. The authorization server shows it to the
    /// user.
    ///
    /// ```
    /// let oauth = tool_mcp::upstream::OAuth::new().client_name("Gateway of the museum");
    /// ```
    pub fn client_name(mut self, name: impl Into<String>) -> Self {
        self.client_name = name.into();
        self
    }

    /// Sets the scopes to ask for; by default those that the server names.
    ///
    /// ```
    /// let oauth = tool_mcp::upstream::OAuth::new().scopes(["notes:read", "notes:write"]);
    /// ```
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets where the browser returns to: `http`, a loopback host, and a port, or port 0 for a free one; by default
    /// `http://127.0.0.1:0/callback`.
    ///
    /// ```
    /// let oauth = tool_mcp::upstream::OAuth::new().redirect_uri("http://localhost:8912/callback");
    /// ```
    pub fn redirect_uri(mut self, uri: impl Into<String>) -> Self {
        self.redirect_uri = uri.into();
        self
    }

    /// Sets a name for the account at the server; `default` by default. Accounts are stored apart, so that one server
    /// can be configured twice, with two accounts.
    ///
    /// ```
    /// let oauth = tool_mcp::upstream::OAuth::new().account("work");
    /// ```
    pub fn account(mut self, name: impl Into<String>) -> Self {
        self.account = name.into();
        self
    }

    /// Allows the server and its authorization server to have private addresses, such as `10.0.0.9`. By default, only
    /// public addresses are allowed, and loopback addresses if the URL of the server has one.
    ///
    /// ```
    /// let oauth = tool_mcp::upstream::OAuth::new().allow_private_addresses(true);
    /// ```
    pub fn allow_private_addresses(mut self, allow: bool) -> Self {
        self.private_addresses = allow;
        self
    }

    /// Returns all problems of the settings, for a server with this URL.
    pub(in crate::upstream) fn faults(&self, server: &str) -> Vec<String> {
        let mut faults = Vec::new();
        if Url::parse(server).is_ok_and(|url| !is_secure(&url)) {
            faults.push("OAuth needs a URL with `https`, or with `http` and a loopback host".to_owned());
        }
        if self.client_id.as_deref() == Some("") {
            faults.push("the client id is empty".to_owned());
        }
        if self.client_secret.is_some() && self.client_id.is_none() {
            faults.push("a client secret needs a client id".to_owned());
        }
        if self.client_secret.is_some() && self.issuer.is_none() {
            faults.push(
                "a client secret needs the issuer that it is for, or the server could choose who receives it"
                    .to_owned(),
            );
        }
        if self.issuer.as_ref().is_some_and(|issuer| !Url::parse(issuer).is_ok_and(|url| is_secure(&url))) {
            faults.push("an issuer is a URL with `https`, or with `http` and a loopback host".to_owned());
        }
        if self.client_id.is_some() && self.client_metadata_url.is_some() {
            faults
                .push("expected a client id or the URL of a client metadata document, found both".to_owned());
        }
        let is_document = |url: &String| {
            Url::parse(url).is_ok_and(|url| url.scheme() == "https" && url.has_host() && url.path() != "/")
        };
        if self.client_metadata_url.as_ref().is_some_and(|url| !is_document(url)) {
            faults.push("a client metadata document needs a URL with `https` and a path".to_owned());
        }
        if !Url::parse(&self.redirect_uri).is_ok_and(|url| is_redirect(&url)) {
            faults.push(
                "the redirect URI is not `http` with the host `127.0.0.1`, `[::1]` or `localhost`, and a port"
                    .to_owned(),
            );
        }
        for scope in self.scopes.iter().filter(|scope| !is_scope(scope)) {
            faults.push(format!("`{}` is not a valid scope", scope.escape_debug()));
        }
        if self.account.is_empty() || self.account.chars().any(char::is_control) {
            faults.push("the name of the account is empty, or has control characters".to_owned());
        }
        faults
    }
}

impl Default for OAuth {
    fn default() -> Self {
        Self::new()
    }
}

/// Hides the client secret.
impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth")
            .field("client_id", &self.client_id)
            .field("issuer", &self.issuer)
            .field("client_metadata_url", &self.client_metadata_url)
            .field("scopes", &self.scopes)
            .field("redirect_uri", &self.redirect_uri)
            .field("account", &self.account)
            .finish_non_exhaustive()
    }
}

/// Returns `true` if a text is a scope (RFC 6749, section 3.3).
pub(super) fn is_scope(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| matches!(b, 0x21 | 0x23..=0x5b | 0x5d..=0x7e))
}

/// Returns `true` for `https`, and for `http` with a loopback host.
pub(super) fn is_secure(url: &Url) -> bool {
    url.scheme() == "https" && url.has_host() || url.scheme() == "http" && is_loopback(url)
}

/// Returns `true` for `localhost` and loopback addresses.
pub(super) fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
        host == "localhost" || address.is_ok_and(|address| address.to_canonical().is_loopback())
    })
}

fn is_redirect(url: &Url) -> bool {
    let is_local = matches!(url.host_str(), Some("127.0.0.1" | "[::1]" | "localhost"));
    url.scheme() == "http"
        && is_local
        && url.port().is_some()
        && url.query().is_none()
        && url.fragment().is_none()
}
