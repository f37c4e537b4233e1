//! The private functions that the fuzz targets of this workspace call. They are not part of the API.

use crate::Claims;
use crate::jwt::{Expected, Jwt};
use crate::keys::{KeySet, Verdict};

/// Returns the number of usable keys in a text; `None` if it is not a set of keys.
pub fn keys(text: &[u8]) -> Option<usize> {
    KeySet::parse(text).map(|keys| keys.len())
}

/// Verifies a token with a set of keys, for an issuer and a resource. Returns its claims if it is accepted.
pub fn verify(keys: &[u8], token: &str, issuer: &str, resource: &str) -> Option<Claims> {
    let (keys, jwt) = (KeySet::parse(keys)?, Jwt::parse(token).ok()?);
    jwt.check(Expected { issuer: Some(issuer), audiences: &[resource.to_owned()] }).ok()?;
    if keys.verify(jwt.signed()) == Verdict::Valid { jwt.into_claims().ok() } else { None }
}
