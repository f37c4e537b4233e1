//! The reader of tokens, and that of the keys of their issuer.

use serde_json::{Value, json};
use tool_oauth::fuzzing::{keys, verify};

const ISSUER: &str = "https://id.example.org";

const RESOURCE: &str = "https://tools.example.org/mcp";

/// The public key that signs [`GOOD`].
const PUBLIC: &str = "A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg";

/// A good token, until the year 3000. No other token is signed with its key that would be accepted.
const GOOD: &str = concat!(
    "eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCIsImtpZCI6ImEifQ.",
    "eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUub3JnIiwiYXVkIjoiaHR0cHM6Ly90b29scy5leGFtcGxl",
    "Lm9yZy9tY3AiLCJzdWIiOiJhZGEiLCJzY29wZSI6Im5vZGUudmlldyIsImV4cCI6MzI1MDM2ODAwMDB9.",
    "lcl2vI4EOoevn8jIYFo-BaVwGBlGrsSUbKqByu89f5cSxkn4czL09p2Za7NK9-jgUof6cQw4a4JspMOHP9rwDQ",
);

/// Reads a token, or a set of keys.
///
/// The first byte says which: `t` for a token, which is verified with a fixed key, and `k` for keys, which verify a fixed token.
///
/// - No token is accepted but the good one.
/// - The good token is accepted only with its key, for its issuer and resource.
/// - What is accepted as a set of keys is JSON with a list `keys`, which has no fewer keys than are used.
pub fn tokens(input: &[u8]) {
    match input.split_first() {
        Some((b't', token)) => {
            let Ok(token) = std::str::from_utf8(token) else { return };
            let set =
                json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "a", "x": PUBLIC}]}).to_string();
            let claims = verify(set.as_bytes(), token, ISSUER, RESOURCE);
            assert_eq!(claims.is_some(), token == GOOD, "accepts another token, or not the good one");
            assert!(verify(set.as_bytes(), token, ISSUER, "https://other.example.org").is_none());
            assert!(verify(set.as_bytes(), token, "https://other.example.org", RESOURCE).is_none());
        }
        Some((b'k', set)) => {
            let Some(used) = keys(set) else { return };
            let text: Value = serde_json::from_slice(set).expect("accepts keys that are not JSON");
            let listed = text["keys"].as_array().expect("accepts keys without a list");
            assert!(used <= listed.len(), "has more keys than there are");
            if verify(set, GOOD, ISSUER, RESOURCE).is_some() {
                let is_good = |key: &Value| key["x"] == PUBLIC && key["kid"] == "a";
                assert!(listed.iter().any(is_good), "verifies with a key that is not there");
            }
        }
        _ => {}
    }
}
