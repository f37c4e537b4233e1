//! The keys of the issuer: when they are fetched, and what if they cannot be.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::issuer::{Answer, Issuer, KEYS, METADATA, authenticate};
use crate::log::Log;
use crate::signing::{SigningKey, claims, header};

fn token(key: &SigningKey, id: &str, issuer: &Issuer) -> String {
    key.token(id, &claims(&issuer.id(), json!({})))
}

#[tokio::test]
async fn fetches_once_however_many_tokens_name_unknown_keys() {
    let (old, new) = (SigningKey::p256(), SigningKey::p256());
    let issuer = Issuer::start(vec![old.jwk("a")]).await;
    let server = issuer.resource_server();
    let flood = (0..300).map(|number| {
        let (server, token) = (server.clone(), token(&new, &format!("unknown-{number}"), &issuer));
        tokio::spawn(async move { authenticate(&server, &token).await })
    });
    for refused in flood.collect::<Vec<_>>() {
        assert!(refused.await.unwrap().unwrap_err().contains("invalid_token"));
    }
    assert_eq!((issuer.count(METADATA), issuer.count(KEYS)), (1, 1));
    // Whoever has an old key is served meanwhile.
    assert!(authenticate(&server, &token(&old, "a", &issuer)).await.is_ok());
    // Another instance, which has no keys yet, finds the new key.
    issuer.set_keys(&[old.jwk("a"), new.jwk("b")]);
    assert!(authenticate(&server, &token(&new, "b", &issuer)).await.is_err());
    assert!(authenticate(&issuer.resource_server(), &token(&new, "b", &issuer)).await.is_ok());
    assert_eq!(issuer.count(KEYS), 2);
}

#[tokio::test]
async fn finishes_a_fetch_whose_client_has_left() {
    let key = SigningKey::p256();
    let issuer = Issuer::start(Vec::new()).await;
    let let_go = Arc::new(Notify::new());
    issuer.set(KEYS, Answer::Late(Arc::clone(&let_go), json!({"keys": [key.jwk("a")]})));
    let server = issuer.resource_server();
    let token = token(&key, "a", &issuer);
    let first = tokio::spawn({
        let (server, token) = (server.clone(), token.clone());
        async move { authenticate(&server, &token).await }
    });
    while issuer.count(KEYS) == 0 {
        tokio::task::yield_now().await;
    }
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    let second = tokio::spawn(async move { authenticate(&server, &token).await });
    tokio::task::yield_now().await;
    let_go.notify_one();
    assert!(second.await.unwrap().is_ok());
    assert_eq!(issuer.count(KEYS), 1);
}

#[tokio::test]
async fn serves_old_keys_while_a_fetch_hangs() {
    let (old, new) = (SigningKey::p256(), SigningKey::p256());
    let issuer = Issuer::start(vec![old.jwk("a")]).await;
    issuer.set(KEYS, Answer::Cached(json!({"keys": [old.jwk("a")]}), "max-age=0"));
    let server = issuer.resource_server();
    let good = token(&old, "a", &issuer);
    assert!(authenticate(&server, &good).await.is_ok());
    // Not fresh any more, but not to be asked for again yet.
    issuer.set(KEYS, Answer::Hang(Arc::new(Notify::new())));
    for _ in 0..10 {
        assert!(authenticate(&server, &good).await.is_ok());
    }
    let refused = authenticate(&server, &token(&new, "b", &issuer)).await.unwrap_err();
    assert!(refused.contains("invalid_token"), "{refused}");
    assert_eq!(issuer.count(KEYS), 1);
}

#[tokio::test]
async fn is_unavailable_without_keys() {
    let elsewhere = Issuer::start(vec![SigningKey::p256().jwk("a")]).await;
    let moved = |path: &str| Answer::Redirect(format!("{}{path}", elsewhere.id()));
    let huge = format!(r#"{{"keys": [], "x": "{}"}}"#, "a".repeat(1024 * 1024));
    let duplicate = r#"{"keys": [], "keys": []}"#.to_owned();
    type Change = Box<dyn Fn(Value) -> Answer>;
    let always = |answer: Answer| -> Change { Box::new(move |_| answer.clone()) };
    let changed = |name: &'static str, value: Value| -> Change {
        Box::new(move |mut metadata| {
            metadata[name] = value.clone();
            Answer::Json(metadata)
        })
    };
    let cases: Vec<(&str, Change, &str)> = vec![
        (KEYS, always(Answer::Text(huge.clone())), "more than 1048576 bytes"),
        (KEYS, always(Answer::Pieces(huge)), "more than 1048576 bytes"),
        (KEYS, always(Answer::Hang(Arc::new(Notify::new()))), "timed out"),
        (KEYS, always(moved(KEYS)), "a redirect to another origin"),
        (KEYS, always(Answer::Status(500)), "500"),
        (KEYS, always(Answer::Text("<html>".to_owned())), "is not a set of keys"),
        (KEYS, always(Answer::Text(duplicate)), "is not a set of keys"),
        (KEYS, always(Answer::Json(json!({"keys": {}}))), "is not a set of keys"),
        (METADATA, always(Answer::Status(404)), "there is no metadata"),
        (METADATA, always(moved(METADATA)), "there is no metadata"),
        (METADATA, changed("issuer", "https://evil.example.org".into()), "has another `issuer`"),
        (METADATA, changed("jwks_uri", Value::Null), "has no `jwks_uri`"),
        (METADATA, changed("jwks_uri", "http://evil.example.org/keys".into()), "without https"),
        (METADATA, changed("jwks_uri", "file:///etc/passwd".into()), "without https"),
    ];
    for (path, answer, reason) in cases {
        let log = Log::start();
        let key = SigningKey::p256();
        let issuer = Issuer::start(vec![key.jwk("a")]).await;
        issuer.set(path, answer(issuer.metadata()));
        let server = issuer.resource_server();
        let token = token(&key, "a", &issuer);
        assert_eq!(authenticate(&server, &token).await.unwrap_err(), "503", "{reason}");
        let log = log.take();
        assert!(log.contains(reason) && !log.contains(&token), "{reason}: {log}");
        // What is not the issuer's fault is refused all the same.
        let expired = key.token("a", &claims(&issuer.id(), json!({"exp": 1})));
        assert!(authenticate(&server, &expired).await.unwrap_err().contains("invalid_token"));
    }
    assert_eq!(elsewhere.count(KEYS) + elsewhere.count(METADATA), 0);
}

#[tokio::test]
async fn follows_redirects_within_the_origin() {
    let key = SigningKey::p256();
    let issuer = Issuer::start(vec![key.jwk("a")]).await;
    issuer.set("/new", Answer::Json(json!({"keys": [key.jwk("a")]})));
    issuer.set(KEYS, Answer::Redirect("/new".to_owned()));
    assert!(authenticate(&issuer.resource_server(), &token(&key, "a", &issuer)).await.is_ok());
    // Round and round is nowhere.
    issuer.set("/new", Answer::Redirect(KEYS.to_owned()));
    let refused = authenticate(&issuer.resource_server(), &token(&key, "a", &issuer)).await.unwrap_err();
    assert_eq!(refused, "503");
}

#[tokio::test]
async fn tries_every_key_of_one_identifier() {
    let (one, two, foreign) = (SigningKey::p256(), SigningKey::p256(), SigningKey::p256());
    let rsa = SigningKey::rsa();
    let secret = json!({"kty": "oct", "kid": "a", "k": "c2VjcmV0", "alg": "HS256"});
    let issuer = Issuer::start(vec![secret, one.jwk("a"), rsa.jwk("a"), two.jwk("a")]).await;
    let server = issuer.resource_server();
    for key in [&one, &two, &rsa] {
        assert!(authenticate(&server, &token(key, "a", &issuer)).await.is_ok(), "{}", key.algorithm());
    }
    assert!(authenticate(&server, &token(&foreign, "a", &issuer)).await.is_err());
    // A token that names no key leaves a choice of two.
    let unnamed = json!({"alg": "ES256", "typ": "JWT"}).to_string();
    let claims = claims(&issuer.id(), json!({})).to_string();
    assert!(authenticate(&server, &one.token_of(&unnamed, &claims)).await.is_err());
    let unnamed = json!({"alg": "RS256", "typ": "JWT"}).to_string();
    assert!(authenticate(&server, &rsa.token_of(&unnamed, &claims)).await.is_ok());
}

#[tokio::test]
async fn uses_keys_only_for_what_they_are_meant_for() {
    let key = SigningKey::rsa();
    let with = |changes: Value| {
        let mut jwk = key.jwk("r");
        changes.as_object().unwrap().iter().for_each(|(name, value)| jwk[name] = value.clone());
        jwk
    };
    for (jwk, algorithm, is_accepted) in [
        (with(json!({"use": "sig", "alg": "RS256", "key_ops": ["verify"]})), "RS256", true),
        (with(json!({"use": "enc"})), "RS256", false),
        (with(json!({"key_ops": ["encrypt", "wrapKey"]})), "RS256", false),
        (with(json!({"alg": "PS256"})), "RS256", false),
        (with(json!({"alg": "PS256"})), "PS256", true),
        (with(json!({"alg": "RSA-OAEP"})), "RS256", false),
        (with(json!({"alg": "ES256"})), "RS256", false),
        (with(json!({"n": "AQAB"})), "RS256", false),
        (with(json!({"n": 7})), "RS256", false),
        (with(json!({"n": "not base64!"})), "RS256", false),
    ] {
        let issuer = Issuer::start(vec![json!({"kty": "unheard of"}), json!(7), jwk.clone()]).await;
        let claims = claims(&issuer.id(), json!({})).to_string();
        let token = key.token_of(&header(algorithm, "r").to_string(), &claims);
        let result = authenticate(&issuer.resource_server(), &token).await;
        assert_eq!(result.is_ok(), is_accepted, "{algorithm} {jwk}: {result:?}");
    }
}
