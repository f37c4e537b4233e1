//! Validation of descriptions, and the requests built from them.
#![allow(clippy::needless_pass_by_value, reason = "the helpers take values from `json!`")]

use serde_json::{Value, json};
use tool_core::FailureKind;

use super::*;
use crate::client::{Credential, Request};
use crate::secret::Secret;

fn provider(with: Value) -> Provider {
    let mut provider = json!({"code": "shop", "base_url": "https://shop.example.org/api/"});
    provider.as_object_mut().unwrap().extend(with.as_object().unwrap().clone());
    serde_json::from_value(provider).unwrap()
}

fn endpoint_of(provider: Provider, with: Value) -> Result<Endpoint, String> {
    let mut tool = json!({"code": "look", "provider": "shop", "description": "Looks.", "path": "/things"});
    tool.as_object_mut().unwrap().extend(with.as_object().unwrap().clone());
    let service = Arc::new(Service::new(provider)?);
    Endpoint::new(service, serde_json::from_value(tool).unwrap()).map_err(|error| error.to_string())
}

fn endpoint(with: Value) -> Result<Endpoint, String> {
    endpoint_of(provider(json!({})), with)
}

fn request(endpoint: &Endpoint, arguments: Value) -> Request {
    endpoint.request(arguments.as_object().unwrap(), None).unwrap()
}

fn url(endpoint: &Endpoint, arguments: Value) -> String {
    request(endpoint, arguments).url.to_string()
}

#[test]
fn rejects_invalid_providers_with_a_reason() {
    let bearer = |with: Value| {
        let mut provider = json!({"auth": "bearer", "secret_variable": "CATALOGUE_KEY_SHOP"});
        provider.as_object_mut().unwrap().extend(with.as_object().unwrap().clone());
        provider
    };
    for (with, reason) in [
        (json!({"code": ""}), "`code` is not made of"),
        (json!({"code": "a b"}), "`code` is not made of"),
        (json!({"base_url": "shop"}), "`base_url` is no address: relative URL"),
        (
            json!({"base_url": "ftp://shop.example.org"}),
            "`base_url` is no address that begins with `http://`",
        ),
        (json!({"base_url": "https://shop.example.org/?key=1"}), "`base_url` is no address that begins"),
        (
            json!({"base_url": "https://user:hunter2@shop.example.org"}),
            "`base_url` holds a name or a password",
        ),
        (json!({"auth_name": "X-Key"}), "`auth` is `none`, and there is"),
        (json!({"secret_variable": "CATALOGUE_KEY_SHOP"}), "`auth` is `none`, and there is"),
        (json!({"auth": "header", "secret_variable": "CATALOGUE_KEY_SHOP"}), "`auth_name` is missing"),
        (json!({"auth": "query", "secret_variable": "CATALOGUE_KEY_SHOP"}), "`auth_name` is missing"),
        (bearer(json!({"auth_name": "X-Key"})), "which needs no `auth_name`"),
        (bearer(json!({"auth": "header", "auth_name": "Host"})), "`auth_name` is no name of a header"),
        (bearer(json!({"auth": "header", "auth_name": "a b"})), "`auth_name` is no name of a header"),
        (bearer(json!({"secret_variable": "PATH"})), "`secret_variable` is no name such as"),
        (bearer(json!({"secret_variable": "sk-hunter2"})), "`secret_variable` is no name such as"),
        (bearer(json!({"base_url": "http://shop.example.org"})), "a secret is sent over `https://` alone"),
        (json!({"timeout_ms": 0}), "must not be 0"),
        (json!({"health_path": "//evil.example.org/"}), "`health_path` begins with `//`"),
        (json!({"health_path": "health"}), "`health_path` does not begin with `/`"),
    ] {
        let error = Service::new(provider(with.clone())).unwrap_err();
        assert!(error.contains(reason), "{with}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
    for with in [
        bearer(json!({})),
        bearer(json!({"base_url": "http://127.0.0.1:8081"})),
        bearer(json!({"auth": "header", "auth_name": "X-Api-Key"})),
        bearer(json!({"auth": "query", "auth_name": "key"})),
    ] {
        assert!(Service::new(provider(with.clone())).is_ok(), "{with}");
    }
}

#[test]
fn rejects_invalid_tools_with_a_reason() {
    let one = |parameter: Value| json!({"parameters": [parameter]});
    for (with, reason) in [
        (json!({"code": "a b"}), "tool `a b`: its name is not made of"),
        (json!({"description": " "}), "it has no description"),
        (json!({"path": "things"}), "`path` does not begin with `/`"),
        (json!({"path": "//evil.example.org/"}), "`path` begins with `//`"),
        (json!({"path": "/a/../b"}), "`path` has a segment `.` or `..`"),
        (json!({"path": "/a/%2e%2e/b"}), "`path` has a segment `.` or `..`"),
        (json!({"path": "/a b"}), "`path` has a character that no address has"),
        (json!({"path": "/a#b"}), "`path` has a character that no address has"),
        (json!({"path": "/{a"}), "`path` has a brace that is not closed"),
        (json!({"path": "/{}"}), "`path` has braces without a name"),
        (json!({"path": "/{a}/{a}"}), "`path` has `{a}` twice"),
        (json!({"path": "/a?b={c}"}), "`path` has braces after `?`"),
        (json!({"path": "/{id}"}), "`{id}` in `path` is no required input whose place is `path`"),
        (
            json!({"path": "/{id}", "parameters": [{"name": "id", "place": "path", "type": "string"}]}),
            "`{id}` in `path` is no required input",
        ),
        (one(json!({"name": "id", "place": "path", "type": "string"})), "`path` has no `{id}`"),
        (one(json!({"name": "a", "place": "body", "type": "string"})), "which the method does not have"),
        (one(json!({"name": "a", "type": "object"})), "is an object, which is sent in a `body` alone"),
        (
            one(json!({"name": "authorization", "place": "header", "type": "string"})),
            "no header that a caller may set",
        ),
        (
            one(json!({"name": "a", "sent_as": "Host", "place": "header", "type": "string"})),
            "no header that a caller",
        ),
        (
            one(json!({"name": "a", "sent_as": "X-Forwarded-For", "place": "header", "type": "string"})),
            "no header",
        ),
        (one(json!({"name": "a"})), "input `a` needs either a `type`"),
        (one(json!({"name": "a", "type": "string", "schema": {}})), "input `a` needs either a `type`"),
        (
            one(json!({"name": "a", "type": "array", "items": "text"})),
            "input `a` has `items` of a type that there is not",
        ),
        (one(json!({"name": "a", "type": "integer", "default": "x"})), "/a: its default is invalid"),
        (
            one(
                json!({"name": "a", "schema": {"type": "array", "items": {"$ref": "https://example.org/a"}}}),
            ),
            "its input schema was refused",
        ),
        (
            json!({"parameters": [{"name": "a", "type": "string"}, {"name": "b", "type": "string", "sent_as": "a"}]}),
            "input `b` is sent under a name that something else has",
        ),
        (json!({"output_schema": {"type": "string"}}), "its output schema was refused"),
        (
            json!({"operation": "read", "destructive": true}),
            "its operation and its hints contradict one another",
        ),
    ] {
        let error = endpoint(with.clone()).unwrap_err();
        assert!(error.contains(reason), "{with}: {error}");
    }
    let by_query = json!({"auth": "query", "auth_name": "key", "secret_variable": "CATALOGUE_KEY_SHOP"});
    let error = endpoint_of(provider(by_query), one(json!({"name": "key", "type": "string"}))).unwrap_err();
    assert!(error.contains("sent under a name that something else has"), "{error}");
    let by_header = json!({"auth": "header", "auth_name": "X-Key", "secret_variable": "CATALOGUE_KEY_SHOP"});
    let error =
        endpoint_of(provider(by_header), one(json!({"name": "x-key", "place": "header", "type": "string"})));
    assert!(error.unwrap_err().contains("which is the header of the key"));
}

#[test]
fn derives_hints_from_the_method_by_default() {
    let hints = |with: Value| {
        let definition = endpoint(with).unwrap().definition;
        (definition.operation().unwrap().as_str(), definition.destructive(), definition.idempotent())
    };
    assert_eq!(hints(json!({})), ("read", false, true));
    assert_eq!(hints(json!({"method": "POST"})), ("write", true, false));
    assert_eq!(hints(json!({"method": "POST", "destructive": false})), ("write", false, false));
    assert_eq!(hints(json!({"method": "POST", "operation": "read"})), ("read", false, true));
    assert_eq!(hints(json!({"method": "PUT"})), ("write", true, true));
    assert_eq!(hints(json!({"method": "DELETE", "operation": "trigger"})), ("trigger", true, true));
}

#[test]
fn sends_arguments_in_their_declared_places() {
    let endpoint = endpoint(json!({
        "method": "POST",
        "path": "/v1/{city}/of-{country}/now?format=json",
        "parameters": [
            {"name": "city", "place": "path", "type": "string", "required": true},
            {"name": "country", "place": "path", "type": "string", "required": true},
            {"name": "tags", "type": "array", "items": "string", "sent_as": "tag"},
            {"name": "days", "type": "array", "items": "integer", "lists": "comma"},
            {"name": "limit", "type": "integer", "default": 10},
            {"name": "exact", "type": "boolean"},
            {"name": "note", "place": "body", "type": "string"},
            {"name": "more", "place": "body", "type": "object", "sent_as": "extra"},
            {"name": "level", "place": "body", "type": "number", "default": 0.5},
            {"name": "lang", "place": "header", "type": "string", "sent_as": "Accept-Language"},
        ],
    }))
    .unwrap();
    let sent = request(
        &endpoint,
        json!({
            "city": "São Paulo/a?b#c%", "country": "br", "tags": ["a&b", "c=d"], "days": [1, 2], "exact": true,
            "note": "n", "more": {"x": [null]}, "lang": "pt",
        }),
    );
    assert_eq!(
        sent.url.as_str(),
        "https://shop.example.org/api/v1/S%C3%A3o%20Paulo%2Fa%3Fb%23c%25/of-br/now\
         ?format=json&tag=a%26b&tag=c%3Dd&days=1%2C2&limit=10&exact=true"
    );
    assert_eq!(sent.body.unwrap(), r#"{"note":"n","extra":{"x":[null]},"level":0.5}"#);
    assert_eq!(sent.headers, [("accept-language".parse().unwrap(), "pt".parse().unwrap())]);
    // Absent and null are equal, and defaults apply.
    let minimal = json!({"city": "x", "country": "y", "tags": null, "limit": null, "exact": null});
    assert!(url(&endpoint, minimal).ends_with("/v1/x/of-y/now?format=json&limit=10"));
    // Every digit of a number is kept.
    let exact = json!({"city": "x", "country": "y", "days": [9_007_199_254_740_993_i64]});
    assert!(url(&endpoint, exact).contains("days=9007199254740993"));
}

#[test]
fn encodes_path_segments_and_rejects_traversal() {
    let endpoint = endpoint(json!({
        "path": "/a/{id}/b",
        "parameters": [{"name": "id", "place": "path", "type": "string", "required": true}],
    }))
    .unwrap();
    for (id, path) in [
        ("x", "/api/a/x/b"),
        ("AC/DC", "/api/a/AC%2FDC/b"),
        ("a\\b", "/api/a/a%5Cb/b"),
        ("...", "/api/a/.../b"),
        ("a..b", "/api/a/a..b/b"),
        ("%41", "/api/a/%2541/b"),
        ("?x=1#y", "/api/a/%3Fx%3D1%23y/b"),
        ("{id}", "/api/a/%7Bid%7D/b"),
        (" ", "/api/a/%20/b"),
        ("\u{202e}", "/api/a/%E2%80%AE/b"),
    ] {
        assert_eq!(request(&endpoint, json!({"id": id})).url.path(), path, "{id}");
    }
    let often = format!("%{}2e.", "25".repeat(100_000));
    for id in [
        &*often,
        "",
        ".",
        "..",
        "../",
        "a/..",
        "../../admin",
        "..\\..",
        "%2e%2e",
        "%2E.",
        "%2e%2e%2fadmin",
        "%252e%252e",
        "a%2f..",
        "a%5c..%5cb",
        "..%2f",
        "a\nb",
        "a\u{0}b",
    ] {
        let failure = endpoint.request(json!({"id": id}).as_object().unwrap(), None).unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Input, "{id}");
        assert!(failure.message().starts_with("invalid input for `look`: /id: it "), "{id}: {failure}");
    }
}

#[test]
fn rejects_values_that_lead_upwards_together() {
    let of_two = |path: &str| {
        let input = |name: &str| json!({"name": name, "place": "path", "type": "string", "required": true});
        endpoint(json!({"path": path, "parameters": [input("a"), input("b")]}))
    };
    let endpoint = of_two("/x/{a}{b}/y").unwrap();
    for (a, b, is_accepted) in
        [("%2", "f", true), (".", ".", false), ("%2", "e.", false), ("%2", "e%2e", false)]
    {
        let request = endpoint.request(json!({"a": a, "b": b}).as_object().unwrap(), None);
        assert_eq!(request.is_ok(), is_accepted, "{a} {b}");
        if let Err(failure) = request {
            assert!(failure.message().contains("upwards"), "{failure}");
        }
    }
    // A value would complete what the path begins.
    for path in
        ["/x/%2{a}/{b}", "/x/%{a}e/{b}", "/{a}/{b}/%zz", "/{a}/{b}?q=%", "/%2525252525252525252e./{a}{b}"]
    {
        let error = of_two(path).unwrap_err();
        let expected = if path.contains("%25") {
            "has a segment `.` or `..`"
        } else {
            "has a `%` without two hexadecimal digits"
        };
        assert!(error.contains(expected), "{path}: {error}");
    }
}

#[test]
fn rejects_line_breaks_in_headers() {
    let endpoint =
        endpoint(json!({"parameters": [{"name": "note", "place": "header", "type": "string"}]})).unwrap();
    for note in ["a\r\nX-Admin: 1", "a\nb", "a\u{0}"] {
        let failure = endpoint.request(json!({"note": note}).as_object().unwrap(), None).unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Input, "{note:?}");
    }
}

#[test]
fn sends_the_key_in_its_declared_place() {
    let secret = Secret::from("s3cret/key");
    for (auth, name, expected) in [
        ("header", Some("X-Key"), "x-key: s3cret/key"),
        ("query", Some("key"), "?key=s3cret/key"),
        ("bearer", None, "authorization: Bearer s3cret/key"),
    ] {
        let provider =
            provider(json!({"auth": auth, "auth_name": name, "secret_variable": "CATALOGUE_KEY_SHOP"}));
        let endpoint = endpoint_of(provider, json!({})).unwrap();
        let sent = endpoint.request(&serde_json::Map::new(), Some(&secret)).unwrap();
        let found = match sent.credential.as_ref().unwrap() {
            Credential::Header(name, value) => {
                assert!(value.is_sensitive());
                format!("{name}: {}", value.to_str().unwrap())
            }
            Credential::Query(name, value) => format!("?{name}={value}"),
        };
        assert_eq!(found, expected);
        assert!(!format!("{sent:?}").contains("s3cret"), "{sent:?}");
    }
    let provider = provider(json!({"auth": "bearer", "secret_variable": "CATALOGUE_KEY_SHOP"}));
    let endpoint = endpoint_of(provider, json!({})).unwrap();
    let failure = endpoint.request(&serde_json::Map::new(), Some(&Secret::from("two\nlines"))).unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Unmet);
    assert!(!failure.message().contains("two"), "{failure}");
}

#[test]
fn masks_secret_arguments_in_logs() {
    let endpoint = endpoint(json!({"parameters": [
        {"name": "pin", "type": "integer", "secret": true},
        {"name": "passwords", "type": "array", "items": "string", "secret": true},
        {"name": "note", "type": "string"},
    ]}))
    .unwrap();
    let arguments =
        json!({"pin": 123_456, "passwords": ["hunter2", "x"], "note": "not hunter2, s3cret or 123456"});
    let arguments = arguments.as_object().unwrap();
    let scrubber = endpoint.scrubber(arguments, Some(&Secret::from("s3cret"))).unwrap();
    assert_eq!(
        endpoint.shown(arguments, &scrubber),
        r#"{"pin":"(secret)","passwords":"(secret)","note":"not (secret), (secret) or (secret)"}"#
    );
}

#[test]
fn refuses_more_secrets_than_can_be_masked() {
    let endpoint = endpoint(json!({"method": "POST", "parameters": [
        {"name": "passwords", "place": "body", "type": "array", "items": "string", "secret": true},
    ]}))
    .unwrap();
    let with = |number| json!({"passwords": vec!["12345678"; number]});
    assert!(endpoint.scrubber(with(2_048).as_object().unwrap(), None).is_ok());
    let failure = endpoint.scrubber(with(2_049).as_object().unwrap(), None).unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Input);
    assert!(failure.message().ends_with("its secrets have 16392 bytes, and at most 16384 can be masked"));
}

#[test]
fn hides_secret_defaults_but_sends_them() {
    let with = |kind: &str, default: Value| {
        endpoint(json!({"parameters": [{"name": "token", "type": kind, "secret": true, "default": default}]}))
    };
    let endpoint = with("string", json!("hunter2-hunter2")).unwrap();
    assert_eq!(url(&endpoint, json!({})), "https://shop.example.org/api/things?token=hunter2-hunter2");
    let shown = endpoint.definition.input_schema().to_string();
    assert!(!shown.contains("hunter2"), "{shown}");
    let scrubber = endpoint.scrubber(&serde_json::Map::new(), None).unwrap();
    assert_eq!(scrubber.scrub("you sent hunter2-hunter2"), "you sent (secret)");
    // The error does not say why the secret is invalid.
    let error = with("integer", json!("hunter2-hunter2")).unwrap_err();
    assert!(error.contains("token") && !error.contains("hunter2"), "{error}");
}

#[test]
fn treats_write_only_schemas_as_secret() {
    let endpoint = endpoint(json!({"method": "POST", "parameters": [
        {"name": "login", "place": "body", "schema": {
            "type": "object",
            "properties": {
                "user": {"type": "string"},
                "passwords": {"type": "array", "items": {"type": "string", "writeOnly": true}},
            },
        }},
        {"name": "tokens", "type": "array", "items": {"type": "string", "writeOnly": true}},
        {"name": "pin", "schema": {"type": "string", "writeOnly": true}, "default": "31415926"},
        {"name": "note", "type": "string"},
    ]}))
    .unwrap();
    let arguments = json!({
        "login": {"user": "ada lovelace", "passwords": ["hunter2"]},
        "tokens": ["swordfish"],
        "note": "ada lovelace, not hunter2 or swordfish",
    });
    let arguments = arguments.as_object().unwrap();
    let scrubber = endpoint.scrubber(arguments, None).unwrap();
    assert_eq!(
        endpoint.shown(arguments, &scrubber),
        r#"{"login":"(secret)","tokens":"(secret)","note":"ada lovelace, not (secret) or (secret)"}"#
    );
    assert_eq!(
        scrubber.scrub("ada lovelace hunter2 swordfish 31415926"),
        "ada lovelace (secret) (secret) (secret)"
    );
    let hides: Vec<bool> = endpoint.tool.parameters.iter().map(Parameter::hides).collect();
    assert_eq!(hides, [true, true, true, false]);
}
