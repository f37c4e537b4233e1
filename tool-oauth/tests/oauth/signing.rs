//! Keys and tokens.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256,
    RSA_PSS_SHA256, RsaKeyPair, RsaPublicKeyComponents,
};
use serde_json::{Value, json};

/// The resource that tokens are for.
pub(crate) const RESOURCE: &str = "https://tools.example.org/mcp";

/// A key that signs tokens.
pub(crate) enum SigningKey {
    Rsa(Box<RsaKeyPair>),
    P256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

pub(crate) fn base64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl SigningKey {
    /// Reads an RSA key, since `ring` makes none: `openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -outform DER |
    /// openssl pkcs8 -topk8 -nocrypt -inform DER -outform DER`.
    pub(crate) fn rsa() -> Self {
        SigningKey::Rsa(Box::new(RsaKeyPair::from_pkcs8(include_bytes!("rsa.p8")).unwrap()))
    }

    pub(crate) fn p256() -> Self {
        let random = SystemRandom::new();
        let text = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, text.as_ref(), &random);
        SigningKey::P256(key.unwrap())
    }

    pub(crate) fn ed25519() -> Self {
        let text = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        SigningKey::Ed25519(Ed25519KeyPair::from_pkcs8(text.as_ref()).unwrap())
    }

    pub(crate) fn algorithm(&self) -> &'static str {
        match self {
            SigningKey::Rsa(_) => "RS256",
            SigningKey::P256(_) => "ES256",
            SigningKey::Ed25519(_) => "EdDSA",
        }
    }

    /// Returns the public key as a JWK.
    pub(crate) fn jwk(&self, id: &str) -> Value {
        let mut jwk = match self {
            SigningKey::Rsa(key) => {
                let RsaPublicKeyComponents { n, e } = RsaPublicKeyComponents::<Vec<u8>>::from(key.public());
                json!({"kty": "RSA", "n": base64(n), "e": base64(e)})
            }
            SigningKey::P256(key) => {
                let point = key.public_key().as_ref();
                json!({"kty": "EC", "crv": "P-256", "x": base64(&point[1..33]), "y": base64(&point[33..])})
            }
            SigningKey::Ed25519(key) => {
                json!({"kty": "OKP", "crv": "Ed25519", "x": base64(key.public_key())})
            }
        };
        jwk["kid"] = id.into();
        jwk
    }

    fn sign(&self, algorithm: &str, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            SigningKey::Rsa(key) => {
                let encoding: &dyn ring::signature::RsaEncoding =
                    if algorithm == "PS256" { &RSA_PSS_SHA256 } else { &RSA_PKCS1_SHA256 };
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(encoding, &random, message, &mut signature).unwrap();
                signature
            }
            SigningKey::P256(key) => key.sign(&random, message).unwrap().as_ref().to_vec(),
            SigningKey::Ed25519(key) => key.sign(message).as_ref().to_vec(),
        }
    }

    /// Signs a token with this header and these claims, which need not be JSON.
    pub(crate) fn token_of(&self, header: &str, claims: &str) -> String {
        let algorithm = if header.contains("PS256") { "PS256" } else { self.algorithm() };
        let message = format!("{}.{}", base64(header), base64(claims));
        let signature = base64(self.sign(algorithm, message.as_bytes()));
        format!("{message}.{signature}")
    }

    /// Signs a token with these claims, and the usual header.
    pub(crate) fn token(&self, id: &str, claims: &Value) -> String {
        self.token_of(&header(self.algorithm(), id).to_string(), &claims.to_string())
    }
}

pub(crate) fn header(algorithm: &str, key: &str) -> Value {
    json!({"alg": algorithm, "typ": "at+jwt", "kid": key})
}

/// Returns a token that is authenticated with a secret instead of signed.
pub(crate) fn token_with_secret(header: &Value, claims: &Value, secret: &[u8]) -> String {
    let message = format!("{}.{}", base64(header.to_string()), base64(claims.to_string()));
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), message.as_bytes());
    format!("{message}.{}", base64(tag))
}

/// Returns the claims of a good token, with changes; `null` removes a claim.
pub(crate) fn claims(issuer: &str, changes: Value) -> Value {
    let mut claims = json!({
        "iss": issuer,
        "aud": RESOURCE,
        "sub": "ada",
        "scope": "node.view",
        "iat": now(),
        "exp": now() + 300,
    });
    let Value::Object(changes) = changes else { panic!("{changes}") };
    for (name, value) in changes {
        match value {
            Value::Null => drop(claims.as_object_mut().unwrap().shift_remove(&name)),
            value => claims[name] = value,
        }
    }
    claims
}

pub(crate) fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(now.as_secs()).unwrap()
}
