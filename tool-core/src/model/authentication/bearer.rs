//! Authentication with bearer tokens.

use std::fmt;

use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderMap, HeaderValue};

use crate::model::access::Principal;
use crate::model::authentication::{AuthenticationError, Authenticator};
use crate::model::future::BoxFuture;

/// The minimum length of a token, without the padding at its end.
const MIN_LENGTH: usize = 16;

/// Authenticates callers by secret tokens, sent as `Authorization: Bearer TOKEN` (RFC 6750).
///
/// Tokens are stored as BLAKE3 hashes, and each request is compared with all of them in constant time, so timing
/// reveals nothing about a guess. Generate tokens with a random generator. They have at least 16 characters.
///
/// ```
/// use tool_core::Principal;
/// use tool_core::authentication::{Authenticator, Bearer};
///
/// let bearer = Bearer::new()
///     .token("0b7c5f1e9d2a4c68", Principal::new("ada").grant("node.edit"))?
///     .token("5a1d3e8f7c6b2094", Principal::new("bob"))?;
///
/// # tool_core::private::block_on(async {
/// let request = http::Request::get("/tools").header("authorization", "Bearer 0b7c5f1e9d2a4c68");
/// let (head, ()) = request.body(()).unwrap().into_parts();
/// assert_eq!(bearer.authenticate(&head).await.unwrap().id(), Some("ada"));
/// # });
/// # Ok::<(), tool_core::authentication::InvalidToken>(())
/// ```
#[derive(Clone, Default)]
pub struct Bearer {
    tokens: Vec<(blake3::Hash, Principal)>,
}

impl Bearer {
    /// Creates an authenticator without tokens, which rejects every request.
    ///
    /// ```
    /// let bearer = tool_core::authentication::Bearer::new();
    /// ```
    pub fn new() -> Self {
        Bearer::default()
    }

    /// Adds a token of a principal.
    ///
    /// # Errors
    ///
    /// If the token is empty (such as from an unset variable), is not valid in a header, is shorter than 16 characters, or was
    /// already added.
    ///
    /// ```
    /// use tool_core::Principal;
    /// use tool_core::authentication::{Bearer, InvalidToken};
    ///
    /// let error = Bearer::new().token("", Principal::new("ada")).unwrap_err();
    /// assert_eq!(error, InvalidToken::Empty);
    /// let error = Bearer::new().token("swordfish", Principal::new("ada")).unwrap_err();
    /// assert_eq!(error, InvalidToken::Short);
    /// ```
    pub fn token(mut self, token: impl AsRef<str>, principal: Principal) -> Result<Self, InvalidToken> {
        let token = token.as_ref();
        if token.is_empty() {
            return Err(InvalidToken::Empty);
        }
        if !is_token(token) {
            return Err(InvalidToken::Characters);
        }
        if token.trim_end_matches('=').len() < MIN_LENGTH {
            return Err(InvalidToken::Short);
        }
        let hash = blake3::hash(token.as_bytes());
        if self.tokens.iter().any(|(token, _)| *token == hash) {
            return Err(InvalidToken::Duplicate);
        }
        self.tokens.push((hash, principal));
        Ok(self)
    }

    fn holder(&self, token: &str) -> Option<&Principal> {
        let hash = blake3::hash(token.as_bytes());
        // `==` of two hashes takes constant time, and no comparison is skipped.
        self.tokens
            .iter()
            .fold(None, |found, (token, holder)| if *token == hash { Some(holder) } else { found })
    }
}

impl Authenticator for Bearer {
    fn authenticate<'a>(&'a self, head: &'a Parts) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
        // RFC 6750, section 3.1: without a token, the challenge has no error code.
        let challenge = match token(&head.headers).map(|token| self.holder(token)) {
            Some(Some(principal)) => return Box::pin(std::future::ready(Ok(principal.clone()))),
            Some(None) => r#"Bearer error="invalid_token""#,
            None => "Bearer",
        };
        let refused = AuthenticationError::refused(HeaderValue::from_static(challenge));
        Box::pin(std::future::ready(Err(refused)))
    }
}

/// Returns the token of a request, if there is exactly one.
fn token(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (scheme, token) = values.next()?.to_str().ok()?.split_once(' ')?;
    let sole = values.next().is_none() && scheme.eq_ignore_ascii_case("bearer");
    sole.then(|| token.trim_matches(' '))
}

/// Returns `true` for a `b64token` of RFC 6750, section 2.1.
fn is_token(text: &str) -> bool {
    let sound = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
    let token = text.trim_end_matches('=');
    !token.is_empty() && token.bytes().all(sound)
}

impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.tokens.iter().map(|(_, principal)| principal)).finish()
    }
}

/// Why a token is invalid. The message does not contain the token.
///
/// ```
/// assert_eq!(tool_core::authentication::InvalidToken::Empty.to_string(), "the token is empty: is its variable set?");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidToken {
    /// The token is empty.
    #[error("the token is empty: is its variable set?")]
    Empty,
    /// The token has characters that RFC 6750 does not allow.
    #[error("the token has characters other than `A-Za-z0-9-._~+/`, and `=` at its end")]
    Characters,
    /// The token is so short that it could be guessed.
    #[error("the token has fewer than {MIN_LENGTH} characters")]
    Short,
    /// The token was already added.
    #[error("the token was already added")]
    Duplicate,
}

#[cfg(test)]
mod tests {
    use super::{Bearer, InvalidToken};
    use crate::call::block_on;
    use crate::model::access::Principal;
    use crate::model::authentication::{AuthenticationError, Authenticator};

    fn bearer() -> Bearer {
        let bearer = Bearer::new().token("abc.def-ghi-jkl-123==", Principal::new("ada")).unwrap();
        bearer.token("abc.def-ghi-jkl-124==", Principal::new("bob")).unwrap()
    }

    fn authenticate(values: &[&str]) -> Result<Option<String>, String> {
        let mut request = http::Request::get("/");
        for value in values {
            request = request.header("authorization", *value);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        match block_on(bearer().authenticate(&head)) {
            Ok(principal) => Ok(principal.id().map(str::to_owned)),
            Err(AuthenticationError::Refused { challenge }) => Err(challenge.to_str().unwrap().to_owned()),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn maps_each_token_to_its_principal() {
        for (header, id) in [
            ("Bearer abc.def-ghi-jkl-123==", "ada"),
            ("bearer abc.def-ghi-jkl-124==", "bob"),
            ("BEARER   abc.def-ghi-jkl-124==", "bob"),
        ] {
            assert_eq!(authenticate(&[header]), Ok(Some(id.to_owned())), "{header}");
        }
    }

    #[test]
    fn missing_token_is_unauthorized() {
        for headers in [
            &[][..],
            &["Basic YTpi"],
            &["abc.def-ghi-jkl-123=="],
            &["Bearer"],
            &["Bearer\tabc.def-ghi-jkl-123=="],
            // Two tokens are ambiguous.
            &["Bearer abc.def-ghi-jkl-123==", "Bearer abc.def-ghi-jkl-124=="],
        ] {
            assert_eq!(authenticate(headers), Err("Bearer".to_owned()), "{headers:?}");
        }
    }

    #[test]
    fn wrong_token_is_rejected() {
        for header in [
            "Bearer abc.def-ghi-jkl-123=",
            "Bearer abc.def-ghi-jkl-12",
            "Bearer abc.def-ghi-jkl-125==",
            "Bearer ABC.DEF-GHI-JKL-123==",
            "Bearer abc.def-ghi-jkl-123== abc.def-ghi-jkl-123==",
            "Bearer ",
            "Bearer =",
        ] {
            assert_eq!(
                authenticate(&[header]),
                Err(r#"Bearer error="invalid_token""#.to_owned()),
                "{header}"
            );
        }
    }

    #[test]
    fn malformed_token_is_rejected_and_not_repeated() {
        for (token, error) in [
            ("", InvalidToken::Empty),
            ("=", InvalidToken::Characters),
            ("swordfish 2", InvalidToken::Characters),
            ("swordfish=2", InvalidToken::Characters),
            ("sword\u{f6}", InvalidToken::Characters),
            ("swordfish", InvalidToken::Short),
            ("a", InvalidToken::Short),
            ("swordfish123456==", InvalidToken::Short),
            ("abc.def-ghi-jkl-123==", InvalidToken::Duplicate),
        ] {
            let refused = bearer().token(token, Principal::new("eve")).unwrap_err();
            assert_eq!(refused, error, "{token}");
            assert!(!refused.to_string().contains("swordfish"));
        }
        assert_eq!(format!("{:?}", bearer()), r#"[Principal("ada"), Principal("bob")]"#);
    }
}
