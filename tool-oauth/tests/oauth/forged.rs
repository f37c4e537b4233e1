//! Forged, foreign and malformed tokens.

use serde_json::{Value, json};

use crate::issuer::{Issuer, KEYS, authenticate, authenticate_with};
use crate::log::Log;
use crate::signing::{SigningKey, base64, claims, header, now, token_with_secret};

const METADATA: &str =
    r#"resource_metadata="https://tools.example.org/.well-known/oauth-protected-resource/mcp""#;

/// An issuer with one key of each kind, and a resource server.
struct Case {
    rsa: SigningKey,
    p256: SigningKey,
    issuer: Issuer,
}

impl Case {
    async fn new() -> Self {
        let (rsa, p256) = (SigningKey::rsa(), SigningKey::p256());
        let issuer = Issuer::start(vec![rsa.jwk("r"), p256.jwk("p")]).await;
        Case { rsa, p256, issuer }
    }

    fn claims(&self, changes: Value) -> Value {
        claims(&self.issuer.id(), changes)
    }

    /// Signs a token with changed claims.
    fn with(&self, changes: Value) -> String {
        self.p256.token("p", &self.claims(changes))
    }

    /// Signs a token with another header.
    fn under(&self, header: &Value) -> String {
        self.p256.token_of(&header.to_string(), &self.claims(json!({})).to_string())
    }

    /// Signs a token with claims in another text.
    fn text(&self, claims: &str) -> String {
        self.p256.token_of(&header("ES256", "p").to_string(), claims)
    }

    /// Returns each forged token, with the reason that the log gives.
    fn forged(&self) -> Vec<(&'static str, String, &'static str)> {
        let good = self.with(json!({}));
        let parts: Vec<&str> = good.split('.').collect();
        let unsigned = |header: &Value| format!("{}.{}.", base64(header.to_string()), parts[1]);
        let duplicate = self.claims(json!({})).to_string().replacen('{', r#"{"sub":"eve","#, 1);
        let nested = self
            .claims(json!({"realm": 1}))
            .to_string()
            .replace(r#""realm":1"#, r#""realm":{"roles":[],"roles":["admin"]}"#);
        let public = self.rsa.jwk("r");
        let modulus = public["n"].as_str().unwrap();
        let claims = self.claims(json!({}));
        let hmac = |secret: &[u8]| token_with_secret(&header("HS256", "r"), &claims, secret);
        let evil = self.claims(json!({"sub": "eve"})).to_string();
        let swapped = format!("{}.{}.{}", parts[0], base64(evil), parts[2]);
        let others = SigningKey::p256();
        vec![
            ("no algorithm", unsigned(&header("none", "p")), "no known algorithm"),
            ("no algorithm, capitals", unsigned(&header("nOnE", "p")), "no known algorithm"),
            ("HMAC with the modulus", hmac(modulus.as_bytes()), "not one of"),
            ("HMAC with the JWK", hmac(public.to_string().as_bytes()), "not one of"),
            ("HMAC with nothing", hmac(b""), "not one of"),
            (
                "another audience",
                self.with(json!({"aud": "https://other.example.org"})),
                "for another resource",
            ),
            (
                "a longer audience",
                self.with(json!({"aud": "https://tools.example.org/mcp/x"})),
                "for another resource",
            ),
            ("no audience", self.with(json!({"aud": null})), "for another resource"),
            ("no audience in the list", self.with(json!({"aud": []})), "for another resource"),
            ("another issuer", self.with(json!({"iss": "https://evil.example.org"})), "of another issuer"),
            (
                "almost the issuer",
                self.with(json!({"iss": format!("{}/", self.issuer.id())})),
                "of another issuer",
            ),
            ("no issuer", self.with(json!({"iss": null})), "of another issuer"),
            ("expired", self.with(json!({"exp": now() - 61})), "has expired"),
            ("no expiry", self.with(json!({"exp": null})), "no time of expiry"),
            ("expiry is a text", self.with(json!({"exp": "4102444800"})), "not a number"),
            ("not yet valid", self.with(json!({"nbf": now() + 90})), "not valid yet"),
            (
                "bound to a key",
                self.with(json!({"cnf": {"jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"}})),
                "bound to a key",
            ),
            (
                "bound to a certificate",
                self.with(json!({"cnf": {"x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"}})),
                "bound to a key",
            ),
            ("bound to something else", self.with(json!({"cnf": {}})), "bound to a key"),
            ("no subject", self.with(json!({"sub": null})), "no subject"),
            ("empty subject", self.with(json!({"sub": ""})), "no subject"),
            (
                "an ID token",
                self.under(&json!({"alg": "ES256", "typ": "id+jwt", "kid": "p"})),
                "neither `at+jwt`",
            ),
            ("no type", self.under(&json!({"alg": "ES256", "kid": "p"})), "neither `at+jwt`"),
            ("unknown key", self.under(&header("ES256", "q")), "a key that the issuer does not have"),
            (
                "the key of another algorithm",
                self.under(&header("ES256", "r")),
                "signature of the token is wrong",
            ),
            ("another algorithm", self.under(&header("EdDSA", "p")), "signature of the token is wrong"),
            ("an algorithm that is not allowed", self.under(&header("ES384", "p")), "not one of"),
            (
                "a critical extension",
                self.under(&json!({"alg": "ES256", "typ": "JWT", "kid": "p", "crit": ["b64"], "b64": false})),
                "critical extension",
            ),
            (
                "a key of its own",
                others.token_of(
                    &json!({"alg": "ES256", "typ": "JWT", "kid": "p", "jwk": others.jwk("p")}).to_string(),
                    &claims.to_string(),
                ),
                "signature of the token is wrong",
            ),
            ("signed with another key", others.token("p", &claims), "signature of the token is wrong"),
            ("claims of another token", swapped, "signature of the token is wrong"),
            (
                "encrypted",
                "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.a.b.c.d".to_owned(),
                "is encrypted",
            ),
            ("duplicate claims", self.text(&duplicate), "duplicate member"),
            ("duplicate claims below", self.text(&nested), "duplicate member"),
            (
                "duplicate members of the header",
                self.p256
                    .token_of(r#"{"alg":"ES256","alg":"none","typ":"JWT","kid":"p"}"#, &claims.to_string()),
                "duplicate member",
            ),
            ("claims are a list", self.text("[]"), "not an object"),
            ("opaque", "2YotnFZFEjr1zCsicMWpAA".to_owned(), "not a JWT"),
            ("padding", format!("{good}=="), "not Base64"),
            ("no signature", format!("{}.{}.", parts[0], parts[1]), "signature of the token is wrong"),
            ("too long", format!("{good}{}", "a".repeat(8 * 1024)), "longer than 8 KiB"),
        ]
    }
}

#[tokio::test]
async fn refuses_forged_tokens() {
    let log = Log::start();
    let case = Case::new().await;
    let server = case.issuer.resource_server();
    for (name, token, reason) in case.forged() {
        log.take();
        let challenge = authenticate(&server, &token).await.unwrap_err();
        // The reason is not answered.
        assert_eq!(challenge, format!(r#"Bearer error="invalid_token", {METADATA}"#), "{name}");
        let log = log.take();
        assert!(log.contains(reason), "{name}: {log}");
        assert!(!log.contains(&token), "{name}");
    }
    // The next good token is still accepted.
    let ada = authenticate(&server, &case.with(json!({}))).await.unwrap();
    assert_eq!(ada.id(), Some("ada"));
    assert_eq!(case.issuer.count(KEYS), 1);
}

#[tokio::test]
async fn refuses_tokens_elsewhere_than_in_one_header() {
    let case = Case::new().await;
    let server = case.issuer.resource_server().initial_scopes(["node.view"]);
    let token = case.with(json!({}));
    let bearer = ("authorization", format!("Bearer {token}"));
    let form = ("content-type", "application/x-www-form-urlencoded".to_owned());
    let in_query = format!("/mcp?access_token={token}");
    let invalid_request = format!(r#"Bearer error="invalid_request", {METADATA}, scope="node.view""#);
    let missing = format!(r#"Bearer {METADATA}, scope="node.view""#);
    for (uri, headers, challenge) in [
        ("/mcp", vec![bearer.clone(), bearer.clone()], &invalid_request),
        ("/mcp", vec![bearer.clone(), ("authorization", "Basic YTpi".to_owned())], &invalid_request),
        (&in_query, vec![], &invalid_request),
        (&in_query, vec![bearer.clone()], &invalid_request),
        ("/mcp", vec![], &missing),
        // A token in the body is not looked for.
        ("/mcp", vec![form], &missing),
        ("/mcp", vec![("authorization", format!("DPoP {token}"))], &missing),
    ] {
        let refused = authenticate_with(&server, uri, &headers).await.unwrap_err();
        assert_eq!(&refused, challenge, "{uri} {}", headers.len());
    }
    assert!(authenticate_with(&server, "/mcp", &[bearer]).await.is_ok());
}
