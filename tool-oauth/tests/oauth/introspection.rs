//! Opaque tokens.

use serde_json::{Value, json};
use tool_core::Principal;
use tool_oauth::{IntrospectionClient, ResourceServer};

use crate::issuer::{Answer, Issuer, KEYS, authenticate};
use crate::log::Log;
use crate::signing::{RESOURCE, SigningKey, claims, now};

const PATH: &str = "/introspect";

fn server(issuer: &Issuer) -> ResourceServer {
    let client = IntrospectionClient::new("tools", "correct horse");
    issuer.resource_server().introspection(&format!("{}{PATH}", issuer.id()), client).unwrap()
}

fn active(changes: &Value) -> Answer {
    let mut answer = json!({"active": true, "sub": "ada", "aud": RESOURCE, "scope": "node.view node.edit"});
    for (name, value) in changes.as_object().unwrap() {
        answer[name] = value.clone();
    }
    Answer::Json(answer)
}

#[tokio::test]
async fn asks_the_issuer_about_opaque_tokens_once() {
    let issuer = Issuer::start(Vec::new()).await;
    issuer.set(PATH, active(&json!({"iss": issuer.id(), "exp": now() + 60})));
    let server = server(&issuer);
    for _ in 0..3 {
        let ada = authenticate(&server, "opaque+token/1==").await.unwrap();
        assert_eq!(ada, Principal::new("ada").grant("node.view").grant("node.edit"));
    }
    let [question] = &issuer.received(PATH)[..] else { panic!("{:?}", issuer.received(PATH)) };
    assert_eq!(question.body, "token=opaque%2Btoken%2F1%3D%3D&token_type_hint=access_token");
    assert_eq!(question.headers["authorization"], "Basic dG9vbHM6Y29ycmVjdCtob3JzZQ==");
    // One that is about to expire is not kept.
    issuer.set(PATH, active(&json!({"exp": now() - 30})));
    assert!(authenticate(&server, "opaque-2").await.is_ok());
    assert!(authenticate(&server, "opaque-2").await.is_ok());
    assert_eq!(issuer.count(PATH), 3);
    assert_eq!(issuer.count(KEYS), 0);
}

#[tokio::test]
async fn verifies_signed_tokens_itself() {
    let key = SigningKey::p256();
    let issuer = Issuer::start(vec![key.jwk("a")]).await;
    let server = server(&issuer);
    assert!(authenticate(&server, &key.token("a", &claims(&issuer.id(), json!({})))).await.is_ok());
    assert!(
        authenticate(&server, &key.token("a", &claims(&issuer.id(), json!({"aud": "x"})))).await.is_err()
    );
    assert_eq!(issuer.count(PATH), 0);
}

#[tokio::test]
async fn refuses_tokens_that_the_issuer_does_not_vouch_for() {
    let issuer = Issuer::start(Vec::new()).await;
    let server = server(&issuer);
    let cases = [
        Answer::Json(json!({"active": false})),
        Answer::Json(json!({})),
        active(&json!({"active": "true"})),
        active(&json!({"aud": "https://other.example.org"})),
        active(&json!({"aud": null})),
        active(&json!({"sub": ""})),
        active(&json!({"iss": "https://evil.example.org"})),
        active(&json!({"exp": now() - 61})),
        active(&json!({"nbf": now() + 90})),
        active(&json!({"cnf": {"jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"}})),
        active(&json!({"cnf": {"x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"}})),
        active(&json!({"token_type": "DPoP"})),
        active(&json!({"token_type": "dpop"})),
    ];
    for (number, answer) in cases.into_iter().enumerate() {
        issuer.set(PATH, answer.clone());
        let refused = authenticate(&server, &format!("opaque-{number}")).await.unwrap_err();
        assert!(refused.contains("invalid_token"), "{answer:?}");
    }
    // That one is not active is remembered, too.
    issuer.set(PATH, active(&json!({"cnf": null, "token_type": "Bearer"})));
    assert!(authenticate(&server, "opaque-0").await.is_err());
    assert!(authenticate(&server, "another").await.is_ok());
}

#[tokio::test]
async fn is_unavailable_if_the_issuer_is() {
    let log = Log::start();
    let elsewhere = Issuer::start(Vec::new()).await;
    let issuer = Issuer::start(Vec::new()).await;
    let server = server(&issuer);
    for answer in [
        Answer::Status(401),
        Answer::Text("active".to_owned()),
        Answer::Text(r#"{"active": false, "active": true}"#.to_owned()),
        Answer::Redirect(format!("{}{PATH}", elsewhere.id())),
    ] {
        issuer.set(PATH, answer.clone());
        assert_eq!(authenticate(&server, "opaque-token").await.unwrap_err(), "503", "{answer:?}");
    }
    assert_eq!(elsewhere.count(PATH), 0);
    let log = log.take();
    assert!(log.contains("the introspection endpoint of the issuer cannot be asked"), "{log}");
    assert!(!log.contains("opaque-token") && !log.contains("correct horse"), "{log}");
}

#[tokio::test]
async fn works_without_signed_tokens() {
    let issuer = Issuer::start(Vec::new()).await;
    issuer.set(PATH, active(&json!({"iss": "anybody"})));
    let client = IntrospectionClient::new("tools", "correct horse");
    let url = format!("{}{PATH}", issuer.id());
    let server = ResourceServer::new(RESOURCE).unwrap();
    assert_eq!(authenticate(&server, "opaque").await.unwrap_err(), "503");
    let server = server.introspection(&url, client).unwrap();
    assert_eq!(authenticate(&server, "opaque").await.unwrap().id(), Some("ada"));
}
