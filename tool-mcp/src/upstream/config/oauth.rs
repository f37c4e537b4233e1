//! The key `oauth` of a server.

use serde_json::Value;

use crate::upstream::config::parser::ConfigParser;
#[cfg(feature = "upstream-oauth")]
use crate::upstream::oauth::OAuth;
use crate::upstream::settings::Upstream;

/// The keys of `oauth`.
#[cfg(feature = "upstream-oauth")]
const KEYS: [&str; 9] = [
    "clientId",
    "clientSecret",
    "issuer",
    "clientMetadataUrl",
    "clientName",
    "scopes",
    "redirectUri",
    "account",
    "allowPrivateAddresses",
];

impl ConfigParser<'_> {
    /// Parses `oauth`: an object, or `true` for an empty one.
    pub(super) fn oauth(&mut self, at: &str, server: &Value, upstream: Upstream) -> Upstream {
        let at = format!("{at}/oauth");
        match &server["oauth"] {
            Value::Null | Value::Bool(false) => upstream,
            #[cfg(feature = "upstream-oauth")]
            Value::Bool(true) => upstream.oauth(OAuth::new()),
            #[cfg(feature = "upstream-oauth")]
            Value::Object(members) => {
                for key in members.keys().filter(|key| !KEYS.contains(&key.as_str())) {
                    let similar = tool_core::schema::nearest(key, KEYS);
                    let similar =
                        similar.map(|similar| format!("; there is one with a similar name: `{similar}`"));
                    self.remarks
                        .push(format!("at {at}/{key}: unknown key, ignored{}", similar.unwrap_or_default()));
                }
                upstream.oauth(self.oauth_settings(&at, &server["oauth"]))
            }
            #[cfg(feature = "upstream-oauth")]
            other => {
                self.expected(&at, "an object", other);
                upstream
            }
            #[cfg(not(feature = "upstream-oauth"))]
            _ => {
                self.fault(
                    &at,
                    "this program cannot sign in with OAuth: it was built without `upstream-oauth`",
                );
                upstream
            }
        }
    }

    #[cfg(feature = "upstream-oauth")]
    fn oauth_settings(&mut self, at: &str, settings: &Value) -> OAuth {
        let mut oauth = OAuth::new();
        type Setter = fn(OAuth, String) -> OAuth;
        let setters: [(&str, Setter); 7] = [
            ("clientId", OAuth::client_id),
            ("clientSecret", OAuth::client_secret),
            ("issuer", OAuth::issuer),
            ("clientMetadataUrl", OAuth::client_metadata_url),
            ("clientName", OAuth::client_name),
            ("redirectUri", OAuth::redirect_uri),
            ("account", OAuth::account),
        ];
        for (key, set) in setters {
            if let Some(value) = settings.get(key)
                && let Some(text) = self.text(&format!("{at}/{key}"), value)
            {
                oauth = set(oauth, text);
            }
        }
        if let Some(scopes) = settings.get("scopes") {
            oauth = oauth.scopes(self.list(&format!("{at}/scopes"), scopes));
        }
        let allow = self.flag(at, "allowPrivateAddresses", settings);
        oauth.allow_private_addresses(allow == Some(true))
    }
}
