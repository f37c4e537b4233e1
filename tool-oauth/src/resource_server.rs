//! The resource server.

use std::error::Error;
use std::fmt;
use std::future::ready;
use std::sync::Arc;

use http::HeaderValue;
use http::request::Parts;
use serde_json::{Value, json};
use tool_core::authentication::{AuthenticationError, Authenticator, ResourceMetadata};
use tool_core::{BoxFuture, Principal};

use crate::address;
use crate::bearer_token::bearer_token;
use crate::challenge::challenge;
use crate::claims::Claims;
use crate::error::ConfigError;
use crate::introspection::{Introspection, IntrospectionClient};
use crate::issuer::Issuer;
use crate::jwt::{Expected, is_jwt};
use crate::refusal::Refusal;
use crate::scopes::{Scopes, is_scope};

/// An OAuth 2.1 resource server: authenticates callers by the access tokens of an issuer.
///
/// Clones share the keys of the issuer.
///
/// ```
/// use tool_core::Principal;
/// use tool_oauth::ResourceServer;
///
/// #[derive(Clone)]
/// struct User {
///     email: Option<String>,
/// }
///
/// let resource_server = ResourceServer::new("https://tools.example.org/mcp")?
///     .issuer("https://id.example.org")?
///     .principal(|claims| Principal::new(claims.subject()).with(User { email: claims.get("email") }));
/// # Ok::<(), tool_oauth::ConfigError>(())
/// ```
#[derive(Clone)]
pub struct ResourceServer {
    resource: String,
    /// The resource, in each spelling that is accepted as an audience.
    audiences: Vec<String>,
    metadata_url: String,
    metadata_path: String,
    name: Option<String>,
    initial_scopes: Vec<String>,
    issuer: Option<Arc<Issuer>>,
    introspection: Option<Arc<Introspection>>,
    scopes: Scopes,
    principal: Arc<PrincipalOf>,
    limit: Arc<Limit>,
}

/// Returns the principal for the claims of a token.
type PrincipalOf = dyn Fn(&Claims) -> BoxFuture<'static, PrincipalResult> + Send + Sync;

type PrincipalResult = Result<Option<Principal>, Box<dyn Error + Send + Sync>>;

/// Returns `true` if a principal may have a permission.
type Limit = dyn Fn(&Principal, &str) -> bool + Send + Sync;

impl ResourceServer {
    /// Creates a resource server with its resource identifier (RFC 8707): the URL that clients use for it, such as
    /// `https://tools.example.org/mcp`. Tokens must be issued for it (`aud`).
    ///
    /// It accepts no token before [`issuer`](ResourceServer::issuer) or [`introspection`](ResourceServer::introspection).
    ///
    /// # Errors
    ///
    /// If this is not a URL with `https` (or `http` on loopback), or if it has a query, a fragment or a user name.
    ///
    /// ```
    /// use tool_oauth::ResourceServer;
    ///
    /// assert!(ResourceServer::new("https://tools.example.org/mcp").is_ok());
    /// assert!(ResourceServer::new("tools.example.org").is_err());
    /// ```
    pub fn new(resource: &str) -> Result<Self, ConfigError> {
        let url = address::parse("resource", resource)?;
        let metadata = address::metadata_url(&url, "oauth-protected-resource");
        let mut audiences = vec![resource.to_owned()];
        if url.path() == "/" {
            // An empty path and `/` are the same (RFC 3986, section 6.2.3), and clients write either.
            let bare = resource.trim_end_matches('/');
            audiences = vec![bare.to_owned(), format!("{bare}/")];
        }
        Ok(ResourceServer {
            resource: resource.to_owned(),
            audiences,
            metadata_path: metadata.path().to_owned(),
            metadata_url: metadata.into(),
            name: None,
            initial_scopes: Vec::new(),
            issuer: None,
            introspection: None,
            scopes: Scopes::default(),
            principal: Arc::new(|claims| Box::pin(ready(Ok(Some(Principal::new(claims.subject())))))),
            limit: Arc::new(|_, _| true),
        })
    }

    /// Sets the issuer of the tokens: the exact identifier that its tokens have as `iss`.
    ///
    /// Its keys are fetched when the first token arrives, from the address in its metadata (RFC 8414, or `OpenID` Connect
    /// discovery). They are fetched again when they are no longer fresh, and for a key that is not known, but at most once
    /// in 30 seconds. While the issuer cannot be reached, they are kept for a day.
    ///
    /// # Errors
    ///
    /// If this is not a URL with `https` (or `http` on loopback), or if it has a query, a fragment or a user name.
    ///
    /// ```
    /// # use tool_oauth::ResourceServer;
    /// let resource_server = ResourceServer::new("https://tools.example.org/mcp")?.issuer("https://id.example.org")?;
    /// # Ok::<(), tool_oauth::ConfigError>(())
    /// ```
    pub fn issuer(mut self, url: &str) -> Result<Self, ConfigError> {
        self.issuer = Some(Arc::new(Issuer::new(url)?));
        Ok(self)
    }

    /// Asks the issuer about tokens that are not signed JWTs (RFC 7662). Its answers are kept for a minute at most.
    ///
    /// An answer must name the resource as audience (`aud`), and a subject (`sub`).
    ///
    /// # Errors
    ///
    /// If this is not a URL with `https` (or `http` on loopback), or if it has a query, a fragment or a user name.
    ///
    /// ```
    /// use tool_oauth::{IntrospectionClient, ResourceServer};
    ///
    /// # let secret = "from the vault";
    /// let resource_server = ResourceServer::new("https://tools.example.org/mcp")?
    ///     .issuer("https://id.example.org")?
    ///     .introspection("https://id.example.org/introspect", IntrospectionClient::new("tools", secret))?;
    /// # Ok::<(), tool_oauth::ConfigError>(())
    /// ```
    pub fn introspection(mut self, url: &str, client: IntrospectionClient) -> Result<Self, ConfigError> {
        self.introspection = Some(Arc::new(Introspection::new(url, client)?));
        Ok(self)
    }

    /// Sets the permissions that a scope grants, and for a permission the scope to ask for. The default: a scope is the
    /// permission of the same name.
    ///
    /// ```
    /// # use tool_oauth::ResourceServer;
    /// let resource_server = ResourceServer::new("https://tools.example.org/mcp")?.scopes(
    ///     |scope| scope.strip_prefix("tools:").map(str::to_owned).into_iter().collect(),
    ///     |permission| format!("tools:{permission}"),
    /// );
    /// # Ok::<(), tool_oauth::ConfigError>(())
    /// ```
    #[must_use]
    pub fn scopes(
        mut self,
        permissions_of: impl Fn(&str) -> Vec<String> + Send + Sync + 'static,
        scope_of: impl Fn(&str) -> String + Send + Sync + 'static,
    ) -> Self {
        self.scopes = Scopes { permissions_of: Arc::new(permissions_of), scope_of: Arc::new(scope_of) };
        self
    }

    /// Sets the principal for the claims of a token; `None` refuses the token, for a user that does not exist any more. The
    /// default has the subject as its identifier.
    ///
    /// The permissions that the scopes of the token grant are added, and the [`Claims`] as an extension. Grant nothing here
    /// that a token must not do without its scope; see [`limit`](ResourceServer::limit).
    ///
    /// ```
    /// # use tool_core::Principal;
    /// # use tool_oauth::ResourceServer;
    /// let resource_server = ResourceServer::new("https://tools.example.org/mcp")?
    ///     .principal(|claims| (claims.subject() != "mallory").then(|| Principal::new(claims.subject())));
    /// # Ok::<(), tool_oauth::ConfigError>(())
    /// ```
    #[must_use]
    pub fn principal<P: Into<Option<Principal>>>(
        mut self,
        principal: impl Fn(&Claims) -> P + Send + Sync + 'static,
    ) -> Self {
        self.principal = Arc::new(move |claims| Box::pin(ready(Ok(principal(claims).into()))));
        self
    }

    /// Sets the principal for the claims of a token as [`principal`](ResourceServer::principal) does, for an application that
    /// has to look it up, for example in its database. An error is answered with 503, and its text is for the log.
    ///
    /// ```
    /// # use tool_core::Principal;
    /// # use tool_oauth::ResourceServer;
    /// /// Looks up a user by name.
    /// async fn user(name: &str) -> Result<Option<Principal>, std::io::Error> {
    ///     Ok(if name == "ada" { Some(Principal::new(name)) } else { None })
    /// }
    ///
    /// let resource_server = ResourceServer::new("https://tools.example.org/mcp")?
    ///     .look_up(async |claims| user(claims.subject()).await);
    /// # Ok::<(), tool_oauth::ConfigError>(())
    /// ```
    #[must_use]
    pub fn look_up<F, E>(mut self, look_up: impl Fn(Claims) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Option<Principal>, E>> + Send + 'static,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        self.principal = Arc::new(move |claims| {
            let found = look_up(claims.clone());
            Box::pin(async { found.await.map_err(Into::into) })
        });
        self
    }

    /// Sets what a user may do at all: a permission of a scope is granted only if this returns `true` for what
    /// [`principal`](ResourceServer::principal) returned. Use it if the issuer gives out scopes that not every user has a
    /// right to.
    ///
    /// ```
    /// # use tool_core::Principal;
    /// # use tool_oauth::ResourceServer;
    /// struct Roles(Vec<String>);
    ///
    /// let resource_server = ResourceServer::new("https://tools.example.org/mcp")?
    ///     .principal(|claims| {
    ///         let roles = claims.get("roles").unwrap_or_default();
    ///         Principal::new(claims.subject()).with(Roles(roles))
    ///     })
    ///     .limit(|user, permission| {
    ///         let is_editor = user.extension::<Roles>().is_some_and(|roles| roles.0.iter().any(|it| it == "editor"));
    ///         is_editor || permission == "node.view"
    ///     });
    /// # Ok::<(), tool_oauth::ConfigError>(())
    /// ```
    #[must_use]
    pub fn limit(mut self, allows: impl Fn(&Principal, &str) -> bool + Send + Sync + 'static) -> Self {
        self.limit = Arc::new(allows);
        self
    }

    /// Sets the scopes that a client without a valid token is told to ask for. It asks for more when a call needs more.
    /// Without them, clients ask for all scopes of the metadata.
    ///
    /// ```
    /// # use tool_oauth::ResourceServer;
    /// let resource_server = ResourceServer::new("https://tools.example.org/mcp")?.initial_scopes(["node.view"]);
    /// # Ok::<(), tool_oauth::ConfigError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If a scope has characters that no scope has, such as a space.
    #[must_use]
    pub fn initial_scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.initial_scopes = scopes.into_iter().map(Into::into).collect();
        let wrong = self.initial_scopes.iter().find(|scope| !is_scope(scope));
        assert!(wrong.is_none(), "`{}` is not a scope (RFC 6749, section 3.3)", wrong.map_or("", |it| it));
        self
    }

    /// Sets the name of the resource that clients show to their users.
    ///
    /// ```
    /// # use tool_oauth::ResourceServer;
    /// let resource_server = ResourceServer::new("https://tools.example.org/mcp")?.resource_name("Museum");
    /// # Ok::<(), tool_oauth::ConfigError>(())
    /// ```
    #[must_use]
    pub fn resource_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Verifies the token of a request.
    async fn verify(&self, head: &Parts) -> Result<Principal, Refusal> {
        let token = bearer_token(head)?;
        let claims = match (&self.issuer, &self.introspection) {
            (Some(issuer), introspection) if introspection.is_none() || is_jwt(token) => {
                issuer.verify(token, &self.audiences).await?
            }
            (issuer, Some(introspection)) => {
                let issuer = issuer.as_ref().map(|issuer| issuer.id());
                introspection.verify(token, Expected { issuer, audiences: &self.audiences }).await?
            }
            _ => {
                let reason = "no issuer is set: call `ResourceServer::issuer`";
                return Err(Refusal::Unavailable(reason.to_owned()));
            }
        };
        let principal = (self.principal)(&claims).await.map_err(|error| {
            tracing::error!(%error, "the user of a token cannot be looked up");
            Refusal::Unavailable(error.to_string())
        })?;
        let principal =
            principal.ok_or(Refusal::Token("the application refuses the subject of the token"))?;
        let granted = claims.scopes().flat_map(|scope| (self.scopes.permissions_of)(scope));
        let granted: Vec<String> = granted.filter(|it| (self.limit)(&principal, it)).collect();
        let principal = granted.into_iter().fold(principal, Principal::grant);
        Ok(principal.with(claims))
    }

    fn refused(&self, refusal: &Refusal) -> AuthenticationError {
        let error = match refusal {
            Refusal::Unavailable(reason) => return AuthenticationError::unavailable(reason.clone()),
            Refusal::Missing => None,
            Refusal::Request(_) => Some("invalid_request"),
            Refusal::Token(_) => Some("invalid_token"),
        };
        if error.is_some() {
            tracing::info!(reason = %refusal, "a token is refused");
        }
        let challenge = challenge(error, &self.metadata_url, &self.initial_scopes);
        AuthenticationError::refused(challenge.unwrap_or(HeaderValue::from_static("Bearer")))
    }
}

impl Authenticator for ResourceServer {
    fn authenticate<'a>(&'a self, head: &'a Parts) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
        Box::pin(async { self.verify(head).await.map_err(|refusal| self.refused(&refusal)) })
    }

    fn insufficient_scope(&self, permissions: &[&str]) -> Option<HeaderValue> {
        challenge(Some("insufficient_scope"), &self.metadata_url, &self.scopes.granting(permissions))
    }

    fn resource_metadata(&self, permissions: &[&str]) -> Option<ResourceMetadata> {
        let mut document = json!({
            "resource": self.resource,
            "scopes_supported": self.scopes.granting(permissions),
            "bearer_methods_supported": ["header"],
        });
        if let Some(issuer) = &self.issuer {
            document["authorization_servers"] = json!([issuer.id()]);
        }
        if let Some(name) = &self.name {
            document["resource_name"] = name.as_str().into();
        }
        Some(ResourceMetadata { path: self.metadata_path.clone(), document })
    }

    fn security_scheme(&self) -> Value {
        match &self.issuer {
            Some(issuer) => json!({
                "type": "openIdConnect",
                "openIdConnectUrl": issuer.openid_configuration().as_str(),
            }),
            None => json!({"type": "http", "scheme": "bearer"}),
        }
    }
}

impl fmt::Debug for ResourceServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceServer")
            .field("resource", &self.resource)
            .field("issuer", &self.issuer.as_ref().map(|issuer| issuer.id()))
            .field("initial_scopes", &self.initial_scopes)
            .finish_non_exhaustive()
    }
}
