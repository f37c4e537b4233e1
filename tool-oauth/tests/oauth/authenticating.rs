//! Good tokens, and what becomes of their claims.

use serde_json::json;
use tool_core::Principal;
use tool_core::authentication::Authenticator as _;
use tool_oauth::{Claims, ResourceServer};

use crate::issuer::{Answer, Issuer, KEYS, METADATA, authenticate};
use crate::signing::{RESOURCE, SigningKey, claims, header, now};

const PATH: &str = "https://tools.example.org/.well-known/oauth-protected-resource/mcp";

#[tokio::test]
async fn accepts_tokens_of_each_algorithm() {
    let (rsa, p256, ed25519) = (SigningKey::rsa(), SigningKey::p256(), SigningKey::ed25519());
    let issuer = Issuer::start(vec![rsa.jwk("r"), p256.jwk("p"), ed25519.jwk("e")]).await;
    let server = issuer.resource_server();
    let good = claims(&issuer.id(), json!({})).to_string();
    for (key, algorithm, id) in
        [(&rsa, "RS256", "r"), (&rsa, "PS256", "r"), (&p256, "ES256", "p"), (&ed25519, "EdDSA", "e")]
    {
        let token = key.token_of(&header(algorithm, id).to_string(), &good);
        let ada = authenticate(&server, &token).await.unwrap();
        assert_eq!(ada, Principal::new("ada").grant("node.view"), "{algorithm}");
        let claims = ada.extension::<Claims>().unwrap();
        assert_eq!(claims.get::<String>("aud").as_deref(), Some(RESOURCE));
    }
    // Fetched once, for all of them.
    assert_eq!((issuer.count(METADATA), issuer.count(KEYS)), (1, 1));
}

#[tokio::test]
async fn accepts_what_issuers_differ_in() {
    let key = SigningKey::p256();
    let issuer = Issuer::start(vec![key.jwk("p")]).await;
    let server = issuer.resource_server();
    let id = issuer.id();
    for (header, claims) in [
        (json!({"alg": "ES256", "typ": "JWT", "kid": "p"}), claims(&id, json!({}))),
        (json!({"alg": "ES256", "typ": "application/AT+JWT", "kid": "p"}), claims(&id, json!({}))),
        // The only key of its kind.
        (json!({"alg": "ES256", "typ": "jwt"}), claims(&id, json!({}))),
        (header("ES256", "p"), claims(&id, json!({"aud": ["https://other.example.org", RESOURCE]}))),
        (header("ES256", "p"), claims(&id, json!({"exp": now() - 50, "nbf": now() + 50}))),
        (header("ES256", "p"), claims(&id, json!({"exp": 4_102_444_800.5}))),
    ] {
        let token = key.token_of(&header.to_string(), &claims.to_string());
        assert!(authenticate(&server, &token).await.is_ok(), "{header} {claims}");
    }
}

#[tokio::test]
async fn finds_the_keys_by_either_kind_of_discovery() {
    for (path, metadata) in [
        ("", "/.well-known/oauth-authorization-server"),
        ("", "/.well-known/openid-configuration"),
        ("/museum", "/.well-known/oauth-authorization-server/museum"),
        ("/museum", "/.well-known/openid-configuration/museum"),
        ("/museum", "/museum/.well-known/openid-configuration"),
    ] {
        let key = SigningKey::p256();
        let issuer = Issuer::start(vec![key.jwk("p")]).await;
        let id = format!("{}{path}", issuer.id());
        let mut document = issuer.metadata();
        document["issuer"] = id.as_str().into();
        issuer.set(METADATA, Answer::Status(404));
        issuer.set(metadata, Answer::Json(document));
        let server = ResourceServer::new(RESOURCE).unwrap().issuer(&id).unwrap();
        let token = key.token("p", &claims(&id, json!({})));
        assert_eq!(authenticate(&server, &token).await.unwrap().id(), Some("ada"), "{metadata}");
    }
}

#[tokio::test]
async fn maps_scopes_and_subjects() {
    struct Email(Option<String>);

    let key = SigningKey::ed25519();
    let issuer = Issuer::start(vec![key.jwk("e")]).await;
    let token = |changes| key.token("e", &claims(&issuer.id(), changes));
    let server = issuer
        .resource_server()
        .scopes(
            |scope| match scope {
                "museum:edit" => vec!["node.view".to_owned(), "node.edit".to_owned()],
                scope => scope.strip_prefix("museum:").map(str::to_owned).into_iter().collect(),
            },
            |permission| format!("museum:{permission}"),
        )
        .principal(|claims| {
            let user = Principal::new(format!("user:{}", claims.subject()));
            (claims.subject() != "mallory").then(|| user.with(Email(claims.get("email"))))
        })
        .limit(|user, permission| permission != "node.delete" || user.id() == Some("user:otto"));

    let scope = "museum:edit museum:node.delete openid";
    let ada =
        authenticate(&server, &token(json!({"scope": scope, "email": "ada@example.org"}))).await.unwrap();
    assert_eq!(ada, Principal::new("user:ada").grant("node.view").grant("node.edit"));
    assert_eq!(ada.extension::<Email>().unwrap().0.as_deref(), Some("ada@example.org"));
    let otto = authenticate(&server, &token(json!({"scope": scope, "sub": "otto"}))).await.unwrap();
    assert!(otto.has("node.delete"));
    let mallory = authenticate(&server, &token(json!({"sub": "mallory"}))).await.unwrap_err();
    assert_eq!(mallory, format!(r#"Bearer error="invalid_token", resource_metadata="{PATH}""#));
    let challenge = server.insufficient_scope(&["node.view", "node.edit"]).unwrap();
    assert!(challenge.to_str().unwrap().ends_with(r#", scope="museum:node.view museum:node.edit""#));
}

#[tokio::test]
async fn looks_users_up() {
    let key = SigningKey::ed25519();
    let issuer = Issuer::start(vec![key.jwk("e")]).await;
    let token = |sub: &str| key.token("e", &claims(&issuer.id(), json!({"sub": sub, "scope": "node.view"})));
    let server = issuer.resource_server().look_up(async |claims| {
        tokio::task::yield_now().await;
        match claims.subject() {
            "mallory" => Ok(None),
            "down" => Err("the database is locked"),
            name => Ok(Some(Principal::new(format!("user:{name}")))),
        }
    });
    let ada = authenticate(&server, &token("ada")).await.unwrap();
    assert_eq!(ada, Principal::new("user:ada").grant("node.view"));
    let mallory = authenticate(&server, &token("mallory")).await.unwrap_err();
    assert_eq!(mallory, format!(r#"Bearer error="invalid_token", resource_metadata="{PATH}""#));
    // A fault of the database is not a fault of the token.
    assert_eq!(authenticate(&server, &token("down")).await.unwrap_err(), "503");
}

#[tokio::test]
async fn describes_itself() {
    let issuer = Issuer::start(Vec::new()).await;
    let server = issuer.resource_server().resource_name("Museum").initial_scopes(["node.view"]);
    let metadata = server.resource_metadata(&["node.edit", "node.view"]).unwrap();
    assert_eq!(metadata.path, "/.well-known/oauth-protected-resource/mcp");
    assert_eq!(
        metadata.document,
        json!({
            "resource": RESOURCE,
            "scopes_supported": ["node.edit", "node.view"],
            "bearer_methods_supported": ["header"],
            "authorization_servers": [issuer.id()],
            "resource_name": "Museum",
        })
    );
    let root = ResourceServer::new("https://tools.example.org").unwrap();
    assert_eq!(root.resource_metadata(&[]).unwrap().path, "/.well-known/oauth-protected-resource");
    let url = format!("{}/.well-known/openid-configuration", issuer.id());
    assert_eq!(server.security_scheme(), json!({"type": "openIdConnect", "openIdConnectUrl": url}));
    assert!(!format!("{server:?}").is_empty());
}

#[tokio::test]
async fn takes_both_spellings_of_a_resource_without_a_path() {
    let key = SigningKey::p256();
    let issuer = Issuer::start(vec![key.jwk("p")]).await;
    for resource in ["https://tools.example.org", "https://tools.example.org/"] {
        let server = ResourceServer::new(resource).unwrap().issuer(&issuer.id()).unwrap();
        for (audience, is_ours) in [
            ("https://tools.example.org", true),
            ("https://tools.example.org/", true),
            ("https://tools.example.org/mcp", false),
        ] {
            let token = key.token("p", &claims(&issuer.id(), json!({"aud": audience})));
            assert_eq!(authenticate(&server, &token).await.is_ok(), is_ours, "{resource} {audience}");
        }
    }
}
