//! Access tokens in the form of signed JWTs (RFC 9068).

use std::time::{SystemTime, UNIX_EPOCH};

use jsonwebtoken::{Algorithm, Header};
use serde_json::{Map, Value};

use crate::claims::Claims;
use crate::keys::{ALGORITHMS, Signed, bytes};
use crate::refusal::Refusal;
use crate::unique;

/// How far the clock of the issuer may differ, in seconds.
const LEEWAY: f64 = 60.0;

/// A token whose signature was not verified.
#[derive(Debug)]
pub(crate) struct Jwt<'t> {
    key_id: Option<String>,
    algorithm: Algorithm,
    message: &'t [u8],
    signature: Vec<u8>,
    claims: Map<String, Value>,
}

/// What the claims of a token must be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected<'e> {
    pub(crate) issuer: Option<&'e str>,
    /// The resource, in each spelling that is accepted.
    pub(crate) audiences: &'e [String],
}

/// Returns `true` if a token has the form of a signed JWT.
pub(crate) fn is_jwt(token: &str) -> bool {
    let parts: Vec<&str> = token.split('.').collect();
    parts.len() == 3 && bytes(parts[0]).is_some_and(|header| unique::object(&header).is_some())
}

impl<'t> Jwt<'t> {
    /// Reads a token.
    pub(crate) fn parse(token: &'t str) -> Result<Self, Refusal> {
        let refused = |reason| Err(Refusal::Token(reason));
        let (message, signature) = match token.split('.').count() {
            3 => token.rsplit_once('.').unwrap_or_default(),
            5 => return refused("the token is encrypted"),
            _ => return refused("the token is not a JWT"),
        };
        let (header, claims) = message.split_once('.').unwrap_or_default();
        let object = |part: &str| unique::object(&bytes(part)?);
        let Some(header) = object(header) else {
            return refused("the header of the token is not an object, or has a duplicate member");
        };
        let Some(claims) = object(claims) else {
            return refused("the claims of the token are not an object, or have a duplicate member");
        };
        let Some(signature) = bytes(signature) else {
            return refused("the signature of the token is not Base64");
        };
        // `none` is no algorithm for the library.
        let Ok(header) = serde_json::from_value::<Header>(header.into()) else {
            return refused("the header of the token has no known algorithm, or a member of a wrong type");
        };
        if !ALGORITHMS.contains(&header.alg) {
            return refused("the algorithm of the token is not one of RS256, PS256, ES256 and EdDSA");
        }
        let kind = header.typ.as_deref().unwrap_or_default().to_ascii_lowercase();
        if !["at+jwt", "jwt"].contains(&kind.strip_prefix("application/").unwrap_or(&kind)) {
            return refused("the type of the token is neither `at+jwt` nor `JWT`");
        }
        if header.crit.is_some() {
            return refused("the header of the token has a critical extension");
        }
        let (message, algorithm) = (message.as_bytes(), header.alg);
        Ok(Jwt { key_id: header.kid, algorithm, message, signature, claims })
    }

    pub(crate) fn signed(&self) -> Signed<'_> {
        let Jwt { key_id, algorithm, message, signature, .. } = self;
        Signed { key_id: key_id.as_deref(), algorithm: *algorithm, message, signature }
    }

    /// Checks the claims of an access token, all of which are required (RFC 9068, section 4).
    pub(crate) fn check(&self, expected: Expected<'_>) -> Result<(), Refusal> {
        if self.claims.get("iss").and_then(Value::as_str) != expected.issuer {
            return Err(Refusal::Token("the token is of another issuer"));
        }
        if !self.claims.contains_key("exp") {
            return Err(Refusal::Token("the token has no time of expiry"));
        }
        check_claims(&self.claims, expected)
    }

    pub(crate) fn into_claims(self) -> Result<Claims, Refusal> {
        Claims::new(self.claims).ok_or(Refusal::Token("the token has no subject"))
    }
}

/// Checks the claims that every token must have, and those that it has, except for its subject.
pub(crate) fn check_claims(claims: &Map<String, Value>, expected: Expected<'_>) -> Result<(), Refusal> {
    let is_ours = |audience: &Value| {
        audience.as_str().is_some_and(|audience| expected.audiences.iter().any(|ours| ours == audience))
    };
    let is_for_us = match claims.get("aud") {
        Some(Value::Array(audiences)) => audiences.iter().any(is_ours),
        audience => audience.is_some_and(is_ours),
    };
    if !is_for_us {
        return Err(Refusal::Token("the token is for another resource"));
    }
    let is_other = |issuer: &Value| expected.issuer.is_some() && issuer.as_str() != expected.issuer;
    if claims.get("iss").is_some_and(is_other) {
        return Err(Refusal::Token("the token is of another issuer"));
    }
    // Whoever presents such a token must prove that it has the key, which nothing here checks: it is no bearer token (RFC 9449,
    // section 7.1, and RFC 8705, section 3).
    if claims.get("cnf").is_some_and(|key| !key.is_null()) {
        return Err(Refusal::Token("the token is bound to a key, and is no bearer token"));
    }
    let now = now();
    let time = |name| match claims.get(name) {
        Some(time) => time.as_f64().map(Some).ok_or(Refusal::Token("a time of the token is not a number")),
        None => Ok(None),
    };
    if time("exp")?.is_some_and(|expiry| now - LEEWAY >= expiry) {
        return Err(Refusal::Token("the token has expired"));
    }
    if time("nbf")?.is_some_and(|start| now + LEEWAY < start) {
        return Err(Refusal::Token("the token is not valid yet"));
    }
    Ok(())
}

/// Returns the seconds since 1970.
pub(crate) fn now() -> f64 {
    // A clock before 1970 lets no token expire, and so none is accepted.
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(f64::INFINITY, |now| now.as_secs_f64())
}
