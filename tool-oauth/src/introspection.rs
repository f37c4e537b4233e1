//! Opaque tokens, which the issuer is asked about (RFC 7662).

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use reqwest::{Client, Url};
use ring::digest::{SHA256, digest};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::claims::Claims;
use crate::error::ConfigError;
use crate::fetch::{self, fetch};
use crate::jwt::{Expected, check_claims, now};
use crate::refusal::Refusal;
use crate::{address, unique};

/// The longest time that an answer is kept.
const KEPT: Duration = Duration::from_secs(60);

/// The most answers that are kept.
const MOST_ANSWERS: usize = 8_192;

/// The most questions at a time.
const MOST_QUESTIONS: usize = 32;

/// The credentials of this server at the introspection endpoint of the issuer.
///
/// ```
/// use tool_oauth::IntrospectionClient;
///
/// let client = IntrospectionClient::new("tools", "a secret");
/// assert_eq!(format!("{client:?}"), r#"IntrospectionClient { id: "tools", .. }"#);
/// ```
#[derive(Clone)]
pub struct IntrospectionClient {
    id: String,
    secret: String,
}

impl IntrospectionClient {
    /// Creates the credentials, which are sent with HTTP Basic authentication (RFC 6749, section 2.3.1).
    ///
    /// ```
    /// let client = tool_oauth::IntrospectionClient::new("tools", "a secret");
    /// ```
    pub fn new(id: impl Into<String>, secret: impl Into<String>) -> Self {
        IntrospectionClient { id: id.into(), secret: secret.into() }
    }

    fn authorization(&self) -> String {
        let encode = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        format!("Basic {}", STANDARD.encode(format!("{}:{}", encode(&self.id), encode(&self.secret))))
    }
}

/// Hides the secret.
impl fmt::Debug for IntrospectionClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntrospectionClient").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The introspection endpoint of an issuer, with its last answers.
#[derive(Debug)]
pub(crate) struct Introspection {
    url: Url,
    credentials: IntrospectionClient,
    client: Client,
    questions: Semaphore,
    answers: Mutex<Answers>,
}

/// Answers by the digest of their token.
#[derive(Debug, Default)]
struct Answers(HashMap<[u8; 32], Answer>);

#[derive(Clone, Debug)]
struct Answer {
    /// `None` if the token is not active.
    claims: Option<Claims>,
    until: Instant,
}

impl Introspection {
    pub(crate) fn new(url: &str, credentials: IntrospectionClient) -> Result<Self, ConfigError> {
        let url = address::parse("introspection endpoint", url)?;
        let client = fetch::client(&url)?;
        let (questions, answers) = (Semaphore::new(MOST_QUESTIONS), Mutex::default());
        Ok(Introspection { url, credentials, client, questions, answers })
    }

    /// Verifies a token.
    pub(crate) async fn verify(&self, token: &str, expected: Expected<'_>) -> Result<Claims, Refusal> {
        let inactive = Refusal::Token("the issuer says that the token is not active");
        let key = digest(&SHA256, token.as_bytes());
        let key: [u8; 32] = key.as_ref().try_into().map_err(|_| inactive.clone())?;
        if let Some(claims) = self.answers().get(&key, Instant::now()) {
            return claims.ok_or(inactive);
        }
        let start = Instant::now();
        let answer = self.ask(token).await.map_err(|reason| {
            tracing::error!(reason, "the introspection endpoint of the issuer cannot be asked");
            Refusal::Unavailable(reason)
        })?;
        let is_active = answer.get("active") == Some(&Value::Bool(true));
        // Counted from the question, since the token may have been revoked since then.
        let left = answer.get("exp").and_then(Value::as_f64).map_or(KEPT, |expiry| seconds(expiry - now()));
        let until = start + left.min(KEPT);
        if !is_active {
            self.answers().insert(key, Answer { claims: None, until: start + KEPT });
            return Err(inactive);
        }
        check_claims(&answer, expected)?;
        let kind = answer.get("token_type").and_then(Value::as_str).unwrap_or_default();
        if kind.eq_ignore_ascii_case("DPoP") {
            return Err(Refusal::Token("the token is of the type DPoP, and is no bearer token"));
        }
        let claims = Claims::new(answer).ok_or(Refusal::Token("the token has no subject"))?;
        self.answers().insert(key, Answer { claims: Some(claims.clone()), until });
        Ok(claims)
    }

    async fn ask(&self, token: &str) -> Result<Map<String, Value>, String> {
        let _permit = self.questions.acquire().await.map_err(|error| error.to_string())?;
        let form = form_urlencoded::Serializer::new(String::new())
            .append_pair("token", token)
            .append_pair("token_type_hint", "access_token")
            .finish();
        let request = self
            .client
            .post(self.url.clone())
            .header(AUTHORIZATION, self.credentials.authorization())
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(ACCEPT, "application/json")
            .body(form);
        let document = fetch(request).await?;
        unique::object(&document.body).ok_or_else(|| format!("{} does not answer with an object", self.url))
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Answers {
    /// Returns what is known of a token; `Some(None)` if it is not active.
    fn get(&self, token: &[u8; 32], now: Instant) -> Option<Option<Claims>> {
        let answer = self.0.get(token).filter(|answer| now < answer.until)?;
        Some(answer.claims.clone())
    }

    /// Adds an answer. If there are too many, tokens that are not active are forgotten first: anybody can make them up.
    fn insert(&mut self, token: [u8; 32], answer: Answer) {
        if self.0.len() >= MOST_ANSWERS {
            let now = Instant::now();
            self.0.retain(|_, answer| now < answer.until && answer.claims.is_some());
        }
        if self.0.len() >= MOST_ANSWERS {
            self.0.clear();
        }
        self.0.insert(token, answer);
    }
}

/// Returns a number of seconds, of which there are none below 0.
fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(KEPT)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn claims() -> Claims {
        Claims::new(json!({"sub": "ada"}).as_object().cloned().unwrap()).unwrap()
    }

    fn key(number: usize) -> [u8; 32] {
        digest(&SHA256, &number.to_be_bytes()).as_ref().try_into().unwrap()
    }

    #[test]
    fn bounds_the_answers_and_keeps_those_of_active_tokens() {
        let mut answers = Answers::default();
        let until = Instant::now() + KEPT;
        answers.insert(key(0), Answer { claims: Some(claims()), until });
        for number in 1..MOST_ANSWERS * 3 {
            answers.insert(key(number), Answer { claims: None, until });
            assert!(answers.0.len() <= MOST_ANSWERS);
        }
        assert!(answers.get(&key(0), Instant::now()).unwrap().is_some());
        assert!(answers.get(&key(0), until).is_none());
        for number in 0..MOST_ANSWERS * 2 {
            answers.insert(key(number), Answer { claims: Some(claims()), until });
            assert!(answers.0.len() <= MOST_ANSWERS);
        }
    }

    #[test]
    fn encodes_credentials() {
        let authorization = IntrospectionClient::new("a:b", "c d%").authorization();
        assert_eq!(authorization, format!("Basic {}", STANDARD.encode("a%3Ab:c+d%25")));
    }

    #[test]
    fn counts_no_time_after_expiry() {
        assert_eq!(seconds(-1.0), Duration::ZERO);
        assert_eq!(seconds(f64::INFINITY), KEPT);
        assert_eq!(seconds(1.5), Duration::from_millis(1500));
    }
}
