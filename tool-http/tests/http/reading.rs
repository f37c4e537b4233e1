//! Results without the envelope of MCP: by `GET`, and by `POST` with `Prefer: return=minimal`.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use tool_core::authentication::Bearer;
use tool_core::layer::{CallRequest, Layer, Next};
use tool_core::{Content, Extension, Failure, Output, Principal, Registry, ToolError, tool, tools};
use tool_http::{Options, router_with};

use crate::client::{Answer, get, send_to};

/// Temperatures of some days.
#[tool(operation = Read, cache = "5m")]
fn temperatures(
    /// Where.
    place: String,
    /// Which days.
    days: Vec<u32>,
    /// In Fahrenheit.
    #[arg(default)]
    fahrenheit: bool,
) -> Result<Value, ToolError> {
    if place == "Atlantis" {
        return Err(ToolError::not_found("there is no such place"));
    }
    Ok(json!({"place": place, "days": days, "fahrenheit": fahrenheit}))
}

/// A poem.
#[tool(operation = Explain)]
fn poem() -> &'static str {
    "Roses are red,\n"
}

/// A picture.
#[tool(operation = Read, permission = "picture.view")]
fn picture() -> Output {
    Output::from_content(vec![Content::image(*b"<svg/>", "image/svg+xml")])
}

/// Writes.
#[tool(operation = Write, destructive = false)]
fn write_it() {}

/// Computes.
#[tool(operation = Transform)]
fn double_it(n: u32) -> u32 {
    2 * n
}

/// Opens.
#[tool(operation = Read)]
fn open_vault(#[arg(secret)] code: String) -> usize {
    code.len()
}

/// A revision of a node.
#[tool(operation = Read, path = "node/{id}/revision/{number}", cache = "5m")]
fn revision(#[arg(locator)] id: String, #[arg(locator)] number: u32) -> String {
    format!("{id} as of {number}")
}

/// The newest revision of a node.
#[tool(operation = Read, path = "node/newest/revision/1")]
fn newest_revision() -> &'static str {
    "newest"
}

/// A tool whose address begins as a route does.
#[tool(operation = Read, path = "tools/all/result")]
fn shadowed() -> &'static str {
    "shadowed"
}

/// A revision that not everybody may read.
#[tool(operation = Read, path = "secret/{id}", permission = "secret.view")]
fn secret_node(#[arg(locator)] id: u32) -> u32 {
    id
}

#[derive(Clone)]
struct User(&'static str);

/// Greets the user that a layer of the application found.
#[tool(operation = Read, cache = "5m")]
fn greeting(#[inject] user: Extension<User>) -> String {
    format!("Hello {}", user.0.0)
}

/// Paints.
#[tool(operation = Read, meta = json!({"com.example/team": "art"}))]
fn paint() -> Output {
    Output::text("painted").with_meta("com.example/colours", json!(["red"])).unwrap()
}

fn registry() -> Registry {
    let addressed = tools![revision, newest_revision, shadowed, secret_node, paint];
    let tools = tools![greeting, temperatures, poem, picture, write_it, double_it, open_vault];
    Registry::builder().tools(tools).tools(addressed).build().unwrap()
}

fn executing() -> Router {
    router_with(registry(), Options::new().allow_execute(true))
}

async fn send(router: &Router, request: axum::http::request::Builder, body: &str) -> Answer {
    send_to(router, request.body(Body::from(body.to_owned())).unwrap()).await
}

#[tokio::test]
async fn reads_by_get() {
    let router = executing();
    let path = "/tools/temperatures/result?place=S%C3%A3o+Paulo&days=1&days=2&fahrenheit=true";
    let answer = get(&router, path).await;
    let body = r#"{"place":"São Paulo","days":[1,2],"fahrenheit":true}"#;
    assert_eq!((answer.status, &*answer.body), (200, body));
    for (name, value) in [
        ("content-type", "application/json"),
        ("cache-control", "max-age=300"),
        ("vary", "accept-encoding"),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "default-src 'none'; sandbox"),
    ] {
        assert_eq!(answer.header(name), value, "{name}");
    }
    assert_eq!(answer.header("tool-call-id").len(), 16);

    let etag = answer.header("etag").to_owned();
    let again = send(&router, Request::get(path).header("if-none-match", &etag), "").await;
    assert_eq!((again.status, &*again.body, again.header("etag")), (304, "", &*etag));
    assert_eq!(again.header("cache-control"), "max-age=300");
    let head = send(&router, Request::head(path), "").await;
    assert_eq!((head.status, &*head.body, head.header("etag")), (200, "", &*etag));

    let answer = get(&router, "/tools/poem/result").await;
    assert_eq!((answer.status, &*answer.body), (200, "Roses are red,\n"));
    assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(answer.header("cache-control"), "no-cache");
}

#[tokio::test]
async fn reads_by_address() {
    let router = executing();
    let table = [
        ("/node/a%20b/revision/3", 200, "a b as of 3"),
        ("/node/%C3%BC+/revision/3", 200, "ü+ as of 3"),
        // An exact address takes precedence.
        ("/node/newest/revision/1", 200, "newest"),
        ("/node/newest/revision/2", 200, "newest as of 2"),
        // Inputs that are not text, and a tool without inputs.
        (
            "/secret/x",
            403,
            r#"{"error":"`secret_node` needs the permission `secret.view`, which the caller does not have","kind":"access_denied","retryable":false}"#,
        ),
        ("/poem", 200, "Roses are red,\n"),
        // A route takes precedence.
        ("/tools/all/result", 404, r#"{"error":"Tool not found: all"}"#),
        // No address.
        ("/node/a", 404, r#"{"error":"Not found"}"#),
        ("/node/a/revision/3/", 404, r#"{"error":"Not found"}"#),
        ("//node/a/revision/3", 404, r#"{"error":"Not found"}"#),
        ("/temperatures", 404, r#"{"error":"Not found"}"#),
        // Invalid values.
        ("/node/a%2Fb/revision/3", 400, r#"{"error":"the value of `id` contains a `/` or a `\\`"}"#),
        ("/node/%FF/revision/3", 400, r#"{"error":"the value of `id` is not UTF-8 once it is decoded"}"#),
        (
            "/node/a/revision/3?number=4",
            400,
            r#"{"error":"unknown query parameter `number`: there are none here"}"#,
        ),
    ];
    for (path, status, body) in table {
        let answer = get(&router, path).await;
        assert_eq!((answer.status, &*answer.body), (status, body), "{path}");
    }
    let invalid = get(&router, "/node/a/revision/three").await;
    let by_query = get(&router, "/tools/revision/result?id=a&number=three").await;
    assert_eq!((invalid.status, &invalid.body), (422, &by_query.body));
}

#[tokio::test]
async fn answers_addresses_as_results() {
    let router = executing();
    let by_name = get(&router, "/tools/revision/result?id=a&number=3").await;
    let path = "/node/a/revision/3";
    let answer = get(&router, path).await;
    assert_eq!(answer.body, by_name.body);
    for name in ["etag", "content-type", "cache-control", "vary", "content-security-policy"] {
        assert_eq!(answer.header(name), by_name.header(name), "{name}");
    }
    let etag = answer.header("etag").to_owned();
    let again = send(&router, Request::get(path).header("if-none-match", &etag), "").await;
    assert_eq!((again.status, &*again.body), (304, ""));
    let head = send(&router, Request::head(path), "").await;
    assert_eq!((head.status, &*head.body, head.header("etag")), (200, "", &*etag));
    let foreign = send(&router, Request::get(path).header("sec-fetch-site", "cross-site"), "").await;
    assert_eq!(foreign.status, 403);
    let off = router_with(registry(), Options::new());
    assert_eq!(get(&off, path).await.status, 404);
    let nested = Router::new().nest("/api", executing());
    assert_eq!(get(&nested, "/api/node/a/revision/3").await.body, answer.body);
}

#[tokio::test]
async fn refuses_other_methods_at_addresses() {
    let executing = executing();
    let off = router_with(registry(), Options::new());
    for method in ["POST", "PUT", "DELETE", "TRACE", "OPTIONS"] {
        for (router, path, status, allow) in [
            (&executing, "/node/a/revision/3", 405, "GET,HEAD"),
            (&executing, "/poem", 405, "GET,HEAD"),
            (&executing, "/node/a", 404, ""),
            (&executing, "/temperatures", 404, ""),
            (&off, "/node/a/revision/3", 404, ""),
        ] {
            let answer = send(router, Request::builder().method(method).uri(path), "").await;
            assert_eq!((answer.status, answer.header("allow")), (status, allow), "{method} {path}");
        }
    }
}

#[tokio::test]
async fn authenticates_callers_of_addresses() {
    let options = || {
        let bearer =
            Bearer::new().token("swordfish-of-room-1", Principal::new("ada").grant("secret.view")).unwrap();
        Options::new().allow_execute(true).authenticator(bearer)
    };
    let open = router_with(registry(), options());
    let closed = router_with(registry(), options().protect_discovery(true));
    for (router, path, token, status) in [
        (&open, "/secret/7", Some("swordfish-of-room-1"), 200),
        (&open, "/secret/7", None, 401),
        (&open, "/secret/7", Some("wrong"), 401),
        (&open, "/secret/7/8", None, 404),
        (&closed, "/secret/7", Some("swordfish-of-room-1"), 200),
        (&closed, "/secret/7", None, 401),
        // Whether there is something at a path is not said to others.
        (&closed, "/secret/7/8", None, 401),
        (&closed, "/secret/7/8", Some("swordfish-of-room-1"), 404),
    ] {
        let mut request = Request::get(path);
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let answer = send(router, request, "").await;
        assert_eq!(answer.status, status, "{path} {token:?}");
        assert_eq!(answer.header("www-authenticate").is_empty(), status != 401, "{path} {token:?}");
    }
}

#[tokio::test]
async fn shows_metadata_of_tools_and_results() {
    let router = executing();
    let detail: Value = serde_json::from_str(&get(&router, "/tools/paint").await.body).unwrap();
    assert_eq!(detail["meta"], json!({"com.example/team": "art"}));
    let called = send(&router, Request::post("/tools/paint/call"), "").await;
    let meta = r#""_meta":{"callId":"…","com.example/colours":["red"]}"#;
    assert!(called.masked().contains(meta), "{}", called.masked());
    assert_eq!(get(&router, "/tools/paint/result").await.body, "painted", "the value alone");
}

#[tokio::test]
async fn reports_failures_as_post_does() {
    let router = executing();
    for (path, status, body) in [
        (
            "/tools/temperatures/result?place=Atlantis&days=1",
            404,
            r#"{"error":"there is no such place","kind":"execution_failed","retryable":false}"#,
        ),
        ("/tools/nope/result", 404, r#"{"error":"Tool not found: nope"}"#),
        (
            "/tools/write_it/result",
            404,
            r#"{"error":"`write_it` does more than read: call it with POST /tools/write_it/call"}"#,
        ),
        (
            "/tools/double_it/result?n=1",
            404,
            r#"{"error":"`double_it` does more than read: call it with POST /tools/double_it/call"}"#,
        ),
        (
            "/tools/open_vault/result?code=swordfish",
            404,
            r#"{"error":"the secret input `code` of `open_vault` must not be in a URL: call it with POST /tools/open_vault/call"}"#,
        ),
        (
            "/tools/picture/result",
            403,
            r#"{"error":"`picture` needs the permission `picture.view`, which the caller does not have","kind":"access_denied","retryable":false}"#,
        ),
    ] {
        let answer = get(&router, path).await;
        assert_eq!((answer.status, &*answer.body), (status, body), "{path}");
        assert_eq!(answer.header("etag"), "", "{path}");
    }
    for (path, problem) in [
        (
            "place=here",
            json!({"path": "/days", "message": "missing required input: expected a list", "keyword": "required"}),
        ),
        (
            "place=here&days=one",
            json!({"path": "/days/0", "message": "expected an integer from 0 to 4294967295, got the string `one`", "keyword": "type"}),
        ),
    ] {
        let answer = get(&router, &format!("/tools/temperatures/result?{path}")).await;
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!((answer.status, &body["problems"][0]), (422, &problem), "{path}");
    }
    let off = router_with(registry(), Options::new());
    let answer = get(&off, "/tools/poem/result").await;
    assert_eq!((answer.status, &*answer.body), (403, r#"{"error":"Tool execution is disabled."}"#));
    assert_eq!(send(&router, Request::post("/tools/poem/result"), "").await.status, 405);
}

#[tokio::test]
async fn keeps_results_of_callers_private() {
    let bearer =
        Bearer::new().token("swordfish-of-room-1", Principal::new("ada").grant("picture.view")).unwrap();
    let router = router_with(registry(), Options::new().allow_execute(true).authenticator(bearer));
    assert_eq!(get(&router, "/tools/poem/result").await.status, 401);
    let signed = |path: &str| Request::get(path).header("authorization", "Bearer swordfish-of-room-1");
    let answer = send(&router, signed("/tools/picture/result"), "").await;
    assert_eq!((answer.status, &*answer.body), (200, "<svg/>"));
    assert_eq!(answer.header("content-type"), "image/svg+xml");
    assert_eq!(answer.header("cache-control"), "private, no-cache");
    assert_eq!(answer.header("vary"), "accept-encoding, authorization");
    let answer = send(&router, signed("/tools/temperatures/result?place=x&days=1"), "").await;
    assert_eq!(answer.header("cache-control"), "private, max-age=300");
}

/// A layer may decide by anything.
#[tokio::test]
async fn keeps_results_behind_layers_private() {
    #[derive(Debug)]
    struct Pass;

    impl Layer for Pass {
        async fn call(&self, _: &CallRequest<'_>, next: Next<'_>) -> Result<Output, Failure> {
            next.run().await
        }
    }

    let registry = Registry::builder().tools(tools![temperatures]).layer(Pass).build().unwrap();
    let router = router_with(registry, Options::new().allow_execute(true));
    let answer = get(&router, "/tools/temperatures/result?place=Rome&days=1").await;
    assert_eq!((answer.status, answer.header("cache-control")), (200, "private, max-age=300"));
}

/// A shared cache does not know by what the application knows its users.
#[tokio::test]
async fn keeps_results_that_depend_on_the_call_private() {
    for user in ["ada", "bob"] {
        let router = executing().layer(axum::Extension(User(user)));
        let answer = get(&router, "/tools/greeting/result").await;
        assert_eq!((answer.status, answer.body.as_str()), (200, &*format!("Hello {user}")));
        assert_eq!(answer.header("cache-control"), "private, max-age=300");
    }
    // Nobody is signed in.
    let answer = get(&executing(), "/tools/greeting/result").await;
    let expected =
        r#"{"error":"`greeting` needs a caller that is signed in","kind":"access_denied","retryable":false}"#;
    assert_eq!((answer.status, answer.body.as_str()), (403, expected));
}

/// What a page of another origin loads must not decide what runs here; scripts that read answers follow the rules of CORS.
#[tokio::test]
async fn refuses_links_images_and_scripts_of_other_origins() {
    let router = executing();
    for (site, mode, status) in [
        ("cross-site", "navigate", 403),
        ("cross-site", "no-cors", 403),
        ("same-site", "no-cors", 403),
        ("same-origin", "no-cors", 200),
        ("none", "navigate", 200),
        ("cross-site", "cors", 200),
    ] {
        let request = Request::get("/tools/poem/result").header("sec-fetch-site", site);
        let answer = send(&router, request.header("sec-fetch-mode", mode), "").await;
        assert_eq!(answer.status, status, "{site} {mode}");
    }
}

#[tokio::test]
async fn returns_the_bare_output_to_clients_that_prefer_it() {
    let router = executing();
    let post = |tool: &str| {
        let request = Request::post(format!("/tools/{tool}/call"));
        request.header("content-type", "application/json").header("prefer", "return=minimal")
    };
    for (tool, arguments, status, body) in [
        ("double_it", r#"{"n":21}"#, 200, "42"),
        ("write_it", "", 200, "null"),
        ("poem", "{}", 200, "Roses are red,\n"),
        (
            "temperatures",
            r#"{"place":"Atlantis","days":[]}"#,
            404,
            r#"{"error":"there is no such place","kind":"execution_failed","retryable":false}"#,
        ),
    ] {
        let answer = send(&router, post(tool), arguments).await;
        assert_eq!((answer.status, &*answer.body), (status, body), "{tool}");
        assert_eq!(answer.header("preference-applied"), "return=minimal", "{tool}");
        assert_eq!(answer.header("tool-call-id").len(), 16, "{tool}");
    }
}
