//! The issuer of tokens: its metadata, and the keys that verify what it signs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::{Client, Url};
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::claims::Claims;
use crate::error::ConfigError;
use crate::fetch::{self, fetch};
use crate::jwt::{Expected, Jwt};
use crate::key_cache::{Fetched, KeyCache, Refresh};
use crate::keys::{KeySet, Signed, Verdict};
use crate::refusal::Refusal;
use crate::{address, unique};

/// The time limit for finding and fetching the keys.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The issuer of tokens.
#[derive(Debug)]
pub(crate) struct Issuer {
    /// The identifier, as it was given: it is compared as a text.
    id: String,
    url: Url,
    client: Client,
    cache: Mutex<KeyCache>,
}

impl Issuer {
    pub(crate) fn new(id: &str) -> Result<Self, ConfigError> {
        let url = address::parse("issuer", id)?;
        let client = fetch::client(&url)?;
        Ok(Issuer { id: id.to_owned(), url, client, cache: Mutex::default() })
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Returns the address of the metadata by `OpenID` Connect discovery.
    pub(crate) fn openid_configuration(&self) -> Url {
        let mut url = self.url.clone();
        url.set_path(&format!("{}/.well-known/openid-configuration", self.url.path().trim_end_matches('/')));
        url
    }

    /// Verifies a token.
    pub(crate) async fn verify(
        self: &Arc<Self>,
        token: &str,
        audiences: &[String],
    ) -> Result<Claims, Refusal> {
        let jwt = Jwt::parse(token)?;
        // First what needs no keys.
        jwt.check(Expected { issuer: Some(&self.id), audiences })?;
        match self.verdict(jwt.signed()).await {
            Verdict::Valid => jwt.into_claims(),
            Verdict::Invalid => Err(Refusal::Token("the signature of the token is wrong")),
            Verdict::UnknownKey => match self.cache().failure() {
                Some(failure) => Err(Refusal::Unavailable(format!("no keys of the issuer: {failure}"))),
                None => Err(Refusal::Token("the token is signed with a key that the issuer does not have")),
            },
        }
    }

    /// Verifies a signature, with newer keys if need be.
    async fn verdict(self: &Arc<Self>, signed: Signed<'_>) -> Verdict {
        let verdict = self.verdict_now(signed);
        let refresh = self.cache().refresh(verdict == Verdict::UnknownKey, Instant::now());
        let mut ended = match refresh {
            Refresh::No => return verdict,
            Refresh::Wait(ended) => ended,
            Refresh::Begin(sender, ended) => {
                // A task of its own: it goes on for others when the client of this request leaves.
                tokio::spawn(Arc::clone(self).load(sender));
                ended
            }
        };
        // Nothing is sent: the sender is dropped at the end.
        while ended.changed().await.is_ok() {}
        self.verdict_now(signed)
    }

    fn verdict_now(&self, signed: Signed<'_>) -> Verdict {
        let keys = self.cache().keys(Instant::now());
        keys.map_or(Verdict::UnknownKey, |keys| keys.verify(signed))
    }

    async fn load(self: Arc<Self>, ended: watch::Sender<()>) {
        let fetched = timeout(TIMEOUT, self.fetch()).await;
        let fetched = fetched.unwrap_or_else(|_| Err("the keys did not arrive in time".to_owned()));
        match &fetched {
            Ok(fetched) => tracing::debug!(issuer = self.id, keys = fetched.keys.len(), "fetched keys"),
            Err(reason) => {
                tracing::error!(issuer = self.id, reason, "the keys of the issuer cannot be fetched");
            }
        }
        self.cache().finish(fetched, Instant::now());
        drop(ended);
    }

    async fn fetch(&self) -> Result<Fetched, String> {
        let found = self.cache().endpoint(Instant::now());
        let endpoint = match found {
            Some(endpoint) => endpoint,
            None => (self.discover().await?, Instant::now()),
        };
        let document = fetch(self.client.get(endpoint.0.clone())).await?;
        let keys = KeySet::parse(&document.body);
        let keys = keys.ok_or_else(|| format!("{} is not a set of keys", endpoint.0))?;
        Ok(Fetched { keys, endpoint, max_age: document.max_age })
    }

    /// Finds the address of the keys in the metadata of the issuer: by RFC 8414, or else by `OpenID` Connect discovery.
    async fn discover(&self) -> Result<Url, String> {
        let mut places = vec![
            address::metadata_url(&self.url, "oauth-authorization-server"),
            address::metadata_url(&self.url, "openid-configuration"),
            self.openid_configuration(),
        ];
        places.dedup();
        let mut failure = String::new();
        for place in places {
            match fetch(self.client.get(place.clone())).await {
                Ok(document) => match unique::object(&document.body) {
                    Some(metadata) => return self.key_endpoint(&metadata, &place),
                    None => failure = format!("{place} is not a JSON object"),
                },
                Err(reason) => failure = reason,
            }
        }
        Err(format!("there is no metadata of the issuer: {failure}"))
    }

    fn key_endpoint(&self, metadata: &Map<String, Value>, place: &Url) -> Result<Url, String> {
        let text = |name| metadata.get(name).and_then(Value::as_str);
        // RFC 8414, section 3.3: otherwise the metadata is that of somebody else.
        if text("issuer") != Some(&self.id) {
            return Err(format!("{place} has another `issuer` than `{}`", self.id));
        }
        let endpoint = text("jwks_uri").and_then(|url| Url::parse(url).ok());
        let endpoint = endpoint.ok_or_else(|| format!("{place} has no `jwks_uri`"))?;
        let is_secure = endpoint.scheme() == "https" || self.url.scheme() == "http";
        if !is_secure || !address::is_secure(&endpoint) {
            return Err(format!("{place} has a `jwks_uri` without https: {endpoint}"));
        }
        Ok(endpoint)
    }

    fn cache(&self) -> MutexGuard<'_, KeyCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
