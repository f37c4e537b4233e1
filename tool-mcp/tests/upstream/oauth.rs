//! Signing in to servers and at authorization servers that misbehave. `cargo xtask test gateway` signs in at a real one.

mod site;

use std::collections::HashMap;
use std::time::Duration;

use axum::Router;
use axum::extract::{Query, Request};
use axum::http::{StatusCode, Uri, header};
use axum::response::IntoResponse as _;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tool_core::FailureKind;
use tool_mcp::upstream::{CredentialFile, OAuth, SignInError, Status, Upstream, Upstreams};

use crate::oauth::site::{Answers, REFRESH, SECOND, Site};
use crate::support::{Servers, servers_as, within};

fn query(url: &str) -> HashMap<String, String> {
    Query::try_from_uri(&url.parse::<Uri>().unwrap()).unwrap().0
}

/// Servers with one account at a site.
struct Account {
    servers: Servers,
    folder: TempDir,
}

impl Account {
    fn new(site: &Site, oauth: OAuth) -> Self {
        Self::in_folder(site, oauth, tempfile::tempdir().unwrap())
    }

    fn in_folder(site: &Site, oauth: OAuth, folder: TempDir) -> Self {
        let file = CredentialFile::new(folder.path().join("credentials.json"));
        let upstream = Upstream::url("notes", site.url("/mcp")).oauth(oauth);
        let servers =
            servers_as([upstream], |builder| builder.credentials(file).sign_in_command("example sign-in"));
        Account { servers, folder }
    }

    async fn fails_to_begin(&self) -> String {
        let error = within(self.servers.upstreams.sign_in("notes", [""; 0])).await.unwrap_err();
        assert!(matches!(error, SignInError::Failed(_)), "{error:?}");
        error.to_string()
    }

    /// Signs in as a user whose browser opens the URL, and returns the query of the URL.
    async fn sign_in(&self) -> HashMap<String, String> {
        let (query, page, signed_in) = self.try_to_sign_in().await;
        signed_in.unwrap();
        assert_eq!(page, 200);
        query
    }

    /// Signs in, and returns the query of the URL, the status of the page that the browser shows, and the result.
    async fn try_to_sign_in(
        &self,
    ) -> (HashMap<String, String>, StatusCode, Result<Vec<String>, SignInError>) {
        let sign_in = within(self.servers.upstreams.sign_in("notes", [""; 0])).await.unwrap();
        let query = query(sign_in.url());
        let callback = format!("{}?code=c0de&state={}", query["redirect_uri"], query["state"]);
        let waiting = tokio::spawn(sign_in.wait(Duration::from_secs(60)));
        let page = tokio::task::spawn_blocking(move || {
            let request = ureq::get(&callback).config().http_status_as_error(false).build();
            request.call().unwrap().status()
        });
        let page = within(page).await.unwrap();
        (query, page, within(waiting).await.unwrap())
    }

    fn stored(&self) -> Value {
        let text = std::fs::read_to_string(self.folder.path().join("credentials.json")).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["accounts"][0].take()
    }

    /// Starts again with the same file, as another program.
    async fn restart(self, site: &Site) -> Self {
        self.servers.upstreams.shutdown().await;
        Self::in_folder(site, OAuth::new(), self.folder)
    }
}

#[tokio::test]
async fn refuses_endpoints_that_are_not_allowed() {
    for (name, value, expected) in [
        ("token_endpoint", json!("http://id.example.org/token"), "neither `https` nor a loopback host"),
        ("token_endpoint", json!("https://169.254.169.254/token"), "has a special address"),
        ("authorization_endpoint", json!("javascript:alert(1)"), "neither `https` nor a loopback host"),
        ("authorization_endpoint", json!("file:///etc/passwd"), "neither `https` nor a loopback host"),
        ("registration_endpoint", json!("https://10.0.0.9/register"), "has a private address"),
        ("issuer", json!("https://id.example.org"), "from another authorization server"),
        ("issuer", Value::Null, "issuer"),
        ("code_challenge_methods_supported", json!(["plain"]), "does not support PKCE with S256"),
        ("code_challenge_methods_supported", Value::Null, "does not support PKCE with S256"),
        ("registration_endpoint", Value::Null, "set the id of a client that is registered there"),
    ] {
        let site = Site::start().await;
        site.change(|answers| answers.metadata = json!({name: value}));
        let error = Account::new(&site, OAuth::new()).fails_to_begin().await;
        assert!(error.contains(expected), "{name}: {error}");
        assert!(site.requests("/register").is_empty() && site.requests("/token").is_empty(), "{name}");
    }
}

#[tokio::test]
async fn refuses_authorization_servers_that_are_not_allowed() {
    for (server, expected) in [
        ("http://id.example.org", "neither `https` nor a loopback host"),
        ("https://10.0.0.9", "none of the authorization servers that it names"),
        ("https://169.254.169.254", "none of the authorization servers that it names"),
    ] {
        let site = Site::start().await;
        site.change(|answers| answers.authorization_server = Some(server.to_owned()));
        let error = Account::new(&site, OAuth::new()).fails_to_begin().await;
        assert!(error.contains(expected), "{error}");
    }
}

#[tokio::test]
async fn sends_a_secret_only_to_its_issuer() {
    let site = Site::start().await;
    let secret = |issuer: String| OAuth::new().client_id("gateway").client_secret("0b7c5f1e").issuer(issuer);
    let error = Account::new(&site, secret("https://id.example.org".to_owned())).fails_to_begin().await;
    let found = site.url("");
    let expected = format!("has the issuer `{found}`, and not the configured `https://id.example.org`");
    assert!(error.contains(&expected), "{error}");
    assert_eq!(site.requests("/token"), []);
    Account::new(&site, secret(found)).sign_in().await;
    assert_eq!(site.requests("/token").len(), 1);
}

#[tokio::test]
async fn follows_no_redirect_to_another_origin() {
    let other = Site::start().await;
    for path in
        ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server", "/register"]
    {
        let site = Site::start().await;
        site.change(|answers| _ = answers.redirects.insert(path, other.url(path)));
        Account::new(&site, OAuth::new()).fails_to_begin().await;
        assert_eq!(site.requests(path).len(), 1, "{path}");
        assert_eq!(other.requests(path), [], "{path}");
    }
    // Nor with the code and the tokens.
    let site = Site::start().await;
    site.change(|answers| _ = answers.redirects.insert("/token", other.url("/token")));
    let account = Account::new(&site, OAuth::new());
    let sign_in = within(account.servers.upstreams.sign_in("notes", [""; 0])).await.unwrap();
    let query = query(sign_in.url());
    let callback = format!("{}?code=c0de&state={}", query["redirect_uri"], query["state"]);
    tokio::task::spawn_blocking(move || ureq::get(&callback).call());
    let error = within(sign_in.wait(Duration::from_secs(60))).await.unwrap_err().to_string();
    assert!(error.contains("returned no token"), "{error}");
    assert_eq!((site.requests("/token").len(), other.requests("/token").len()), (1, 0));
}

#[tokio::test]
async fn identifies_the_client() {
    let document = "https://example.org/gateway.json";
    for (oauth, supported, expected) in [
        (OAuth::new().client_id("configured"), true, "configured"),
        (OAuth::new().client_metadata_url(document), true, document),
        (OAuth::new().client_metadata_url(document), false, "registered"),
        (OAuth::new(), true, "registered"),
    ] {
        let site = Site::start().await;
        site.change(|answers| answers.metadata = json!({"client_id_metadata_document_supported": supported}));
        let account = Account::new(&site, oauth.scopes(["a", "b"]));
        let query = account.sign_in().await;
        assert_eq!(query["client_id"], expected);
        assert_eq!((query["code_challenge_method"].as_str(), query["scope"].as_str()), ("S256", "a b"));
        assert_eq!(site.requests("/register").len(), usize::from(expected == "registered"));
        assert_eq!(account.stored()["client_id"], expected);
        let [(None, body)] = &site.requests("/token")[..] else { panic!("one request without a secret") };
        let verifier = body.split('&').find_map(|pair| pair.strip_prefix("code_verifier=")).unwrap();
        assert!(
            verifier.len() >= 43
                && body.contains(&format!(
                    "client_id={}",
                    expected.split('/').next().unwrap().replace(':', "%3A")
                )),
            "{body}"
        );
        assert_eq!(account.servers.call("notes__echo", json!({})).await.unwrap().value(), "hello");
    }
}

#[tokio::test]
async fn keeps_the_secret_of_a_registered_client() {
    let site = Site::start().await;
    site.change(|answers| {
        answers.client = json!({"client_id": "registered", "client_secret": "s3cret", "redirect_uris": []});
    });
    let account = Account::new(&site, OAuth::new());
    account.sign_in().await;
    // As a later start of the program, whose token the server rejects.
    let account = account.restart(&site).await;
    site.change(|answers| {
        answers.accepted = SECOND.to_owned();
        answers.token.1["access_token"] = json!(SECOND);
    });
    assert_eq!(account.servers.call("notes__echo", json!({})).await.unwrap().value(), "hello");
    let requests = site.requests("/token");
    assert_eq!(requests.len(), 2, "{requests:?}");
    assert!(
        requests.iter().all(|(secret, _)| secret.as_deref() == Some("Basic cmVnaXN0ZXJlZDpzM2NyZXQ=")),
        "{requests:?}"
    );
    assert!(
        requests[1].1.contains("grant_type=refresh_token") && requests[1].1.contains("resource="),
        "{requests:?}"
    );
    assert_eq!(account.stored()["client_secret"], "s3cret");
}

#[tokio::test]
async fn keeps_the_tokens_when_a_refresh_fails() {
    let site = Site::start().await;
    let account = Account::new(&site, OAuth::new());
    account.sign_in().await;
    account.servers.call("notes__echo", json!({})).await.unwrap();
    site.change(|answers| answers.accepted = SECOND.to_owned());
    let quoting = format!("the token {REFRESH} is odd");
    for (status, token, expected) in [
        (StatusCode::BAD_GATEWAY, json!({}), "its token cannot be refreshed: "),
        (StatusCode::OK, json!({"access_token": [REFRESH]}), "its token cannot be refreshed: "),
        (
            StatusCode::BAD_REQUEST,
            json!({"error": "invalid_request", "error_description": quoting}),
            "refused to refresh the token: invalid_request",
        ),
    ] {
        site.change(|answers| answers.token = (status, token));
        // The first call notices it, and each attempt to connect after that.
        if let Err(failure) = account.servers.call("notes__echo", json!({})).await {
            assert!(!failure.message().contains("0b7c5f1e9d2a"), "{failure}");
        }
        let before = site.requests("/token").len();
        // The second request shows that the answer to the first was handled.
        let is_down = |status: &Status| {
            site.requests("/token").len() > before + 1 && status.state.to_string().contains(expected)
        };
        let down = within(account.servers.upstreams.wait_for("notes", is_down)).await.unwrap();
        assert!(!down.state.to_string().contains("0b7c5f1e9d2a"), "{down:?}");
        assert_eq!(account.stored()["token_response"]["refresh_token"], REFRESH);
    }
    site.change(|answers| {
        answers.token = (StatusCode::OK, json!({"access_token": SECOND, "token_type": "Bearer"}));
    });
    account.servers.start_until_up("notes").await;
    assert_eq!(account.servers.call("notes__echo", json!({})).await.unwrap().value(), "hello");
    // The authorization server has issued no other refresh token.
    assert_eq!(account.stored()["token_response"]["refresh_token"], REFRESH);
}

#[tokio::test]
async fn does_not_send_a_token_to_another_issuer() {
    let (site, other) = (Site::start().await, Site::start().await);
    let account = Account::new(&site, OAuth::new());
    account.sign_in().await;
    site.change(|answers| {
        answers.authorization_server = Some(other.url(""));
        answers.accepted = SECOND.to_owned();
    });
    account.servers.upstreams.start();
    let down = account.servers.down("notes").await;
    assert!(down.contains("it requires you to sign in: run `example sign-in notes`"), "{down}");
    assert_eq!((other.requests("/token"), site.requests("/token").len()), (Vec::new(), 1));
}

/// Metadata name the issuer of somebody else, and a token endpoint of their own.
#[tokio::test]
async fn does_not_send_a_token_to_a_server_that_lies_about_its_issuer() {
    for path in ["/.well-known/other", "/other/.well-known/other"] {
        let (site, honest) = (Site::start().await, Site::start().await);
        site.change(|answers| answers.authorization_server = Some(honest.url("")));
        let account = Account::new(&site, OAuth::new());
        account.sign_in().await;
        assert_eq!((site.requests("/token").len(), honest.requests("/token").len()), (0, 1));
        site.change(|answers| {
            answers.authorization_server = Some(site.url(path));
            answers.metadata = json!({
                "issuer": honest.url(""),
                "authorization_endpoint": honest.url("/authorize"),
                "registration_endpoint": honest.url("/register"),
            });
            answers.accepted = SECOND.to_owned();
        });
        account.servers.upstreams.start();
        account.servers.down("notes").await;
        assert!(!site.requests(path).is_empty(), "{path}");
        assert_eq!(site.requests("/token"), [], "{path}");
        // Neither is a code, nor a secret that is for the honest issuer.
        let expected = "not from the issuer that they name";
        let error = account.fails_to_begin().await;
        assert!(error.contains(expected), "{path}: {error}");
        let oauth = OAuth::new().client_id("gateway").client_secret("0b7c5f1e").issuer(honest.url(""));
        let error = Account::new(&site, oauth).fails_to_begin().await;
        assert!(error.contains(expected), "{path}: {error}");
    }
}

/// RFC 6749, section 7.1.
#[tokio::test]
async fn uses_no_token_of_a_type_that_it_does_not_know() {
    let of_dpop = |answers: &mut Answers| answers.token.1["token_type"] = json!("DPoP");
    let site = Site::start().await;
    site.change(of_dpop);
    let account = Account::new(&site, OAuth::new());
    let (_, page, signed_in) = account.try_to_sign_in().await;
    assert_eq!(page, 400);
    let error = signed_in.unwrap_err().to_string();
    let expected =
        "the authorization server issued a token of the type `dpop`, and only `Bearer` is supported";
    assert_eq!(error, format!("cannot sign in: {expected}"));
    assert!(!account.folder.path().join("credentials.json").exists());

    site.change(|answers| answers.token.1["token_type"] = json!("bearer"));
    account.sign_in().await;
    site.change(|answers| answers.accepted = SECOND.to_owned());
    site.change(of_dpop);
    account.servers.upstreams.start();
    let down = account.servers.down("notes").await;
    assert!(down.contains(expected), "{down}");
}

#[tokio::test]
async fn reports_denied_calls_without_an_account() {
    let site = Site::start().await;
    let router = Router::new().fallback(move |request: Request| {
        let site = site.clone();
        async move {
            if request.headers().get("mcp-method").is_some_and(|method| method == "tools/call") {
                let challenge = "Bearer error=\"insufficient_scope\", scope=\"notes:read notes:write\"";
                return (StatusCode::FORBIDDEN, [(header::WWW_AUTHENTICATE, challenge)]).into_response();
            }
            site.forward(request).await
        }
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let servers = crate::support::servers([Upstream::url("notes", format!("http://{addr}/mcp"))]);
    let failure = servers.call("notes__echo", json!({})).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Denied);
    let expected = "server `notes` denied `notes__echo`: it needs the scopes `notes:read`, `notes:write`";
    assert_eq!(failure.message(), expected);
}

#[tokio::test]
async fn explains_invalid_settings() {
    let secure = "https://notes.example.org/mcp";
    let with = |url: &str, oauth: OAuth| Upstream::url("notes", url).oauth(oauth);
    for (upstream, expected) in [
        (with(secure, OAuth::new()), "OAuth needs a file for its tokens: set `credentials`"),
        (
            Upstream::command("notes", "notes").oauth(OAuth::new()),
            "`oauth` is for a URL, and this is a program",
        ),
        (with("http://notes.example.org/mcp", OAuth::new()), "needs a URL with `https`"),
        (with(secure, OAuth::new().client_secret("s")), "a client secret needs a client id"),
        (with(secure, OAuth::new().client_id("c").client_secret("s")), "a client secret needs the issuer"),
        (with(secure, OAuth::new().issuer("http://id.example.org")), "an issuer is a URL with `https`"),
        (with(secure, OAuth::new().issuer("id.example.org")), "an issuer is a URL with `https`"),
        (with(secure, OAuth::new().client_metadata_url("http://a.example/c")), "with `https` and a path"),
        (
            with(secure, OAuth::new().redirect_uri("http://0.0.0.0:1/a")),
            "the redirect URI is not `http` with the host",
        ),
        (with(secure, OAuth::new().scopes(["a b"])), "`a b` is not a valid scope"),
        (with(secure, OAuth::new()).header("authorization", "Bearer a"), "sets the header `Authorization`"),
    ] {
        let error = Upstreams::new([upstream]).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let folder = tempfile::tempdir().unwrap();
    let plain = Upstream::url("plain", "https://plain.example.org/mcp");
    let builder =
        Upstreams::builder().server(plain).credentials(CredentialFile::new(folder.path().join("c.json")));
    let upstreams = builder.build().unwrap();
    let error = upstreams.sign_in("plain", [""; 0]).await.unwrap_err();
    assert!(matches!(error, SignInError::NotConfigured(_)), "{error}");
    assert!(matches!(upstreams.sign_out("nobody").await.unwrap_err(), SignInError::UnknownServer(_)));
}
