//! The public keys of an issuer.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::Algorithm;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PSS_2048_8192_SHA256,
    RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde_json::Value;

use crate::unique;

/// The algorithms that are accepted: signatures with a public key (RFC 8725, section 3.1).
pub(crate) const ALGORITHMS: [Algorithm; 4] =
    [Algorithm::RS256, Algorithm::PS256, Algorithm::ES256, Algorithm::EdDSA];

/// The keys of an issuer that verify signatures.
#[derive(Debug, Default)]
pub(crate) struct KeySet(Vec<Key>);

#[derive(Debug)]
struct Key {
    id: Option<String>,
    /// The only algorithm of the key, if it names one.
    algorithm: Option<Algorithm>,
    public: PublicKey,
}

#[derive(Debug)]
enum PublicKey {
    Rsa(RsaPublicKeyComponents<Vec<u8>>),
    /// An uncompressed point.
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// What is signed, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signed<'t> {
    pub(crate) key_id: Option<&'t str>,
    pub(crate) algorithm: Algorithm,
    pub(crate) message: &'t [u8],
    pub(crate) signature: &'t [u8],
}

/// The result of a verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Valid,
    Invalid,
    /// No key has this identifier: there may be newer keys.
    UnknownKey,
}

impl KeySet {
    /// Reads a JWK set (RFC 7517, section 5); `None` if the text is not one. Keys that verify no signature of an accepted
    /// algorithm are left out.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let mut set = unique::object(text)?;
        let Some(Value::Array(keys)) = set.remove("keys") else { return None };
        let keys = keys.into_iter().filter_map(|key| Key::new(&serde_json::from_value(key).ok()?));
        Some(KeySet(keys.collect()))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn verify(&self, signed: Signed<'_>) -> Verdict {
        let named = |key: &&Key| signed.key_id.is_none_or(|id| key.id.as_deref() == Some(id));
        let mut named = self.0.iter().filter(named).peekable();
        if named.peek().is_none() {
            return Verdict::UnknownKey;
        }
        let fitting: Vec<&Key> = named.filter(|key| key.fits(signed.algorithm)).collect();
        // A token that names no key must leave no choice.
        let is_ambiguous = signed.key_id.is_none() && fitting.len() > 1;
        // Several keys may have one identifier (RFC 7517, section 4.5): all of them are the issuer's.
        if !is_ambiguous && fitting.iter().any(|key| key.public.verifies(signed)) {
            Verdict::Valid
        } else {
            Verdict::Invalid
        }
    }
}

impl Key {
    /// Reads a key; `None` if it does not verify signatures of an accepted algorithm.
    fn new(key: &Jwk) -> Option<Self> {
        let common = &key.common;
        let signs = common.public_key_use.as_ref().is_none_or(|usage| *usage == PublicKeyUse::Signature);
        let operations = common.key_operations.as_ref();
        let verifies = operations.is_none_or(|operations| operations.contains(&KeyOperations::Verify));
        let algorithm = match &common.key_algorithm {
            Some(algorithm) => Some(accepted(algorithm)?),
            None => None,
        };
        let public = PublicKey::new(&key.algorithm)?;
        let is_possible = algorithm.is_none_or(|algorithm| public.is_of(algorithm));
        let id = common.key_id.clone();
        (signs && verifies && is_possible).then_some(Key { id, algorithm, public })
    }

    fn fits(&self, algorithm: Algorithm) -> bool {
        self.algorithm.is_none_or(|only| only == algorithm) && self.public.is_of(algorithm)
    }
}

fn accepted(algorithm: &KeyAlgorithm) -> Option<Algorithm> {
    match algorithm {
        KeyAlgorithm::RS256 => Some(Algorithm::RS256),
        KeyAlgorithm::PS256 => Some(Algorithm::PS256),
        KeyAlgorithm::ES256 => Some(Algorithm::ES256),
        KeyAlgorithm::EdDSA => Some(Algorithm::EdDSA),
        _ => None,
    }
}

impl PublicKey {
    fn new(parameters: &AlgorithmParameters) -> Option<Self> {
        match parameters {
            AlgorithmParameters::RSA(rsa) => {
                Some(PublicKey::Rsa(RsaPublicKeyComponents { n: bytes(&rsa.n)?, e: bytes(&rsa.e)? }))
            }
            AlgorithmParameters::EllipticCurve(point) if point.curve == EllipticCurve::P256 => {
                let (x, y) = (bytes(&point.x)?, bytes(&point.y)?);
                (x.len() == 32 && y.len() == 32).then(|| PublicKey::P256([&[4], &x[..], &y[..]].concat()))
            }
            AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => {
                Some(PublicKey::Ed25519(bytes(&key.x)?))
            }
            _ => None,
        }
    }

    /// Returns `true` if the algorithm works with a key of this kind.
    fn is_of(&self, algorithm: Algorithm) -> bool {
        match self {
            PublicKey::Rsa(_) => matches!(algorithm, Algorithm::RS256 | Algorithm::PS256),
            PublicKey::P256(_) => algorithm == Algorithm::ES256,
            PublicKey::Ed25519(_) => algorithm == Algorithm::EdDSA,
        }
    }

    fn verifies(&self, Signed { algorithm, message, signature, .. }: Signed<'_>) -> bool {
        let verified = match (self, algorithm) {
            (PublicKey::Rsa(key), Algorithm::RS256) => {
                key.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
            (PublicKey::Rsa(key), Algorithm::PS256) => {
                key.verify(&RSA_PSS_2048_8192_SHA256, message, signature)
            }
            (PublicKey::P256(point), Algorithm::ES256) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature)
            }
            (PublicKey::Ed25519(point), Algorithm::EdDSA) => {
                UnparsedPublicKey::new(&ED25519, point).verify(message, signature)
            }
            _ => return false,
        };
        verified.is_ok()
    }
}

/// Decodes Base64 for URLs, without padding.
pub(crate) fn bytes(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}
