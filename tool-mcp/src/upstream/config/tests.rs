use std::time::Duration;

use super::*;
use crate::upstream::transport_config::TransportConfig;

fn parse(text: &str) -> Result<UpstreamsConfig, String> {
    let variable = |name: &str| match name {
        "KEY" => Some("0b7c5f1e9d2a".to_owned()),
        "EMPTY" => Some(String::new()),
        _ => None,
    };
    UpstreamsConfig::parse_with(text, &variable).map_err(|error| error.to_string())
}

/// The errors, without the first line.
fn errors(servers: &str) -> String {
    let error = parse(&format!(r#"{{"mcpServers": {servers}}}"#)).unwrap_err();
    error.split_once('\n').unwrap().1.to_owned()
}

#[test]
fn applies_every_setting() {
    let config = parse(
        r#"{"mcpServers": {
            "disk": {
                "type": "stdio", "command": "${HOME_OF_IT:-/opt}/disk", "args": ["--key=${KEY}", "$5"], "cwd": "/srv",
                "env": {"KEY": "${KEY}", "NONE": "${EMPTY:-x}"}, "timeout": "2m", "startTimeout": 1500,
                "maxMessageBytes": 4194304
            },
            "web": {"type": "http", "url": "https://example.org/${KEY}", "headers": {"Authorization": "Bearer ${KEY}"}},
            "off": {"command": 5, "disabled": true},
            "also_off": {"enabled": false}
        }}"#,
    )
    .unwrap();
    assert_eq!(config.remarks(), ["server `off` is disabled", "server `also_off` is disabled"]);
    let servers: Vec<Upstream> = config.into_servers().collect();
    assert_eq!(servers.iter().map(Upstream::name).collect::<Vec<_>>(), ["disk", "web"]);
    let TransportConfig::Stdio(program) = &servers[0].transport else { panic!("a program") };
    assert_eq!(program.command, "/opt/disk");
    assert_eq!(program.args, ["--key=0b7c5f1e9d2a", "$5"]);
    assert_eq!(
        program.env,
        [("KEY", "0b7c5f1e9d2a"), ("NONE", "x")].map(|(k, v)| (k.to_owned(), v.to_owned()))
    );
    assert_eq!(program.cwd.as_deref(), Some(Path::new("/srv")));
    assert_eq!(
        (servers[0].timeout, servers[0].start_timeout),
        (Duration::from_secs(120), Duration::from_millis(1500))
    );
    assert_eq!((servers[0].message_limit, servers[1].message_limit), (4 << 20, 16 << 20));
    let TransportConfig::Http(address) = &servers[1].transport else { panic!("a URL") };
    assert_eq!(address.url, "https://example.org/0b7c5f1e9d2a");
    assert_eq!(address.headers[0].1, "Bearer 0b7c5f1e9d2a");
}

#[test]
fn reports_the_location_of_each_error() {
    for (servers, expected) in [
        ("[]", "at /mcpServers: expected an object of servers by name, found a list"),
        (r#"{"a": "b"}"#, "at /mcpServers/a: expected an object with `command` or `url`, found a text"),
        (r#"{"a": {}}"#, "at /mcpServers/a: expected a `command` or a `url`, found neither"),
        (
            r#"{"a": {"command": "a", "url": "http://b"}}"#,
            "at /mcpServers/a: expected a `command` or a `url`, found both",
        ),
        (r#"{"a": {"command": ["a"]}}"#, "at /mcpServers/a/command: expected a text, found a list"),
        (
            r#"{"a": {"command": "a", "args": "b"}}"#,
            "at /mcpServers/a/args: expected a list of texts, found a text",
        ),
        (
            r#"{"a": {"command": "a", "args": ["b", 5]}}"#,
            "at /mcpServers/a/args/1: expected a text, found a number",
        ),
        (
            r#"{"a": {"command": "a", "env": {"B": true}}}"#,
            "at /mcpServers/a/env/B: expected a text, found true or false",
        ),
        (
            r#"{"a": {"command": "a", "disabled": "no"}}"#,
            "at /mcpServers/a/disabled: expected `true` or `false`, found a text",
        ),
        (
            r#"{"a": {"command": "a", "args": ["${NO}"]}}"#,
            "at /mcpServers/a/args/0: the variable `NO` is not set: set it, or write `${NO:-a text}`",
        ),
        (r#"{"a": {"command": "${KEY"}}"#, "at /mcpServers/a/command: `${` has no `}`"),
        (r#"{"a": {"command": "${K-Y}"}}"#, "at /mcpServers/a/command: `K-Y` is not a valid variable name"),
        (
            r#"{"a": {"command": "a", "timeout": 30}}"#,
            "at /mcpServers/a/timeout: expected a text such as \"30s\", or milliseconds, at least 1000, found 30",
        ),
        (
            r#"{"a": {"command": "a", "timeout": "0s"}}"#,
            "at /mcpServers/a/timeout: expected a text such as \"30s\", or milliseconds, at least 1000, found \"0s\"",
        ),
        (
            r#"{"a": {"command": "a", "maxMessageBytes": "4 MiB"}}"#,
            "at /mcpServers/a/maxMessageBytes: expected a number of bytes, found \"4 MiB\"",
        ),
        (
            r#"{"a": {"command": "a", "maxMessageBytes": 100}}"#,
            "at /mcpServers/a: a message limit of less than 1024 bytes leaves no room for a list of tools",
        ),
        (
            r#"{"a": {"command": "a", "type": "http"}}"#,
            "at /mcpServers/a/type: expected `stdio`, found \"http\"",
        ),
        (
            r#"{"a": {"url": "http://b", "type": "sse"}}"#,
            "at /mcpServers/a/type: the transport `sse` of 2024-11-05 is not spoken: most servers have streamable HTTP too",
        ),
        (
            r#"{"a": {"url": "b"}}"#,
            "at /mcpServers/a: its URL does not begin with `http://` or `https://` and a host",
        ),
        (
            r#"{"a": {"url": "http://b", "env": {"C": "d"}}}"#,
            "at /mcpServers/a: `env` is for a program, and this is a URL",
        ),
        (
            r#"{"a": {"url": "http://b", "headers": {"Mcp-Session-Id": "5"}}}"#,
            "at /mcpServers/a: the header `Mcp-Session-Id` belongs to the protocol and cannot be set",
        ),
        (
            r#"{"a": {"command": "a"}, "a": {"command": "b"}}"#,
            "at /mcpServers/a: there are two servers of this name",
        ),
    ] {
        assert_eq!(errors(servers), expected, "{servers}");
    }
    let name = errors(r#"{"a__b": {"command": "a"}, "a/b": {"command": "a"}}"#);
    assert!(name.starts_with("at /mcpServers/a__b: its name is not made of 1 to 64"), "{name}");
    // The tool `_b` of `a` and the tool `b` of `a_` would have one name.
    let ends = errors(r#"{"a_": {"command": "a"}}"#);
    assert!(ends.starts_with("at /mcpServers/a_: its name is not made of 1 to 64"), "{ends}");
    assert!(name.contains("\nat /mcpServers/a~1b: its name is not made of"), "all at once: {name}");
}

#[test]
fn rejects_text_that_is_not_a_configuration() {
    for (text, expected) in [
        ("", "invalid configuration: EOF"),
        ("[]", "invalid configuration: invalid type: sequence, expected an object"),
        ("{}", "at /mcpServers: expected an object of servers by name, found nothing"),
        (r#"{"servers": {}}"#, "found nothing: `servers` is what another client calls it"),
        (r#"{"mcpServers": {}, "mcpServers": {}}"#, "at /mcpServers: it is given twice"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    assert!(parse("\u{feff}{\"mcpServers\": {}}").is_ok(), "a byte order mark");
}

#[test]
fn hides_secrets_in_errors() {
    let error = errors(r#"{"a": {"url": "ftp://${KEY}", "headers": {"X-Key": "${KEY}\n"}}}"#);
    assert!(
        error.contains("its URL does not begin") && error.contains("the value of the header `X-Key`"),
        "{error}"
    );
    assert!(!error.contains("0b7c5f1e9d2a"), "{error}");
}

#[test]
fn reports_unknown_settings() {
    let config =
        parse(r#"{"inputs": [], "mcpServers": {"a": {"command": "a", "comand": "b", "alwaysAllow": []}}}"#);
    assert_eq!(
        config.unwrap().remarks(),
        [
            "at /inputs: unknown key, ignored",
            "at /mcpServers/a/comand: unknown key, ignored; there is one with a similar name: `command`",
            "at /mcpServers/a/alwaysAllow: unknown key, ignored",
        ]
    );
}

#[test]
fn selects_servers_by_name_in_order() {
    let config =
        parse(r#"{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}, "c": {"disabled": true}}}"#);
    let config = config.unwrap();
    let selected: Vec<Upstream> = config.clone().select(["b", "a"]).unwrap().into_servers().collect();
    assert_eq!(selected.iter().map(Upstream::name).collect::<Vec<_>>(), ["b", "a"]);
    let error = config.select(["b", "b", "c", "delta"]).unwrap_err().to_string();
    let expected = "server `b` is chosen twice\nserver `c` is disabled\nthere is no server `delta`: the servers are `a`, `b`, `c`";
    assert_eq!(error.split_once('\n').unwrap().1, expected);
}

#[cfg(feature = "upstream-oauth")]
#[test]
fn applies_the_settings_of_oauth() {
    let config = parse(
        r#"{"mcpServers": {
            "a": {"url": "https://a.example/mcp", "oauth": {
                "clientId": "gateway", "clientSecret": "${KEY}", "issuer": "https://id.example", "scopes": ["a", "b"], "account": "work",
                "redirectUri": "http://localhost:8912/callback", "clientName": "Museum", "scope": "c"
            }},
            "b": {"url": "https://b.example/mcp", "oauth": true},
            "c": {"url": "https://c.example/mcp", "oauth": false}
        }}"#,
    )
    .unwrap();
    let remark =
        "at /mcpServers/a/oauth/scope: unknown key, ignored; there is one with a similar name: `scopes`";
    assert_eq!(config.remarks(), [remark]);
    let oauth = config.into_servers().map(|server| match server.transport {
        TransportConfig::Http(config) => config.oauth.map(|oauth| format!("{oauth:?}")),
        TransportConfig::Stdio(_) => panic!("a URL"),
    });
    let [Some(first), Some(second), None] = &oauth.collect::<Vec<_>>()[..] else { panic!("two use OAuth") };
    for expected in [
        r#"client_id: Some("gateway")"#,
        r#"issuer: Some("https://id.example")"#,
        r#"scopes: ["a", "b"]"#,
        r#"account: "work""#,
        r#"redirect_uri: "http://localhost:8912/callback""#,
    ] {
        assert!(first.contains(expected), "{first}");
    }
    assert!(!first.contains("0b7c5f1e9d2a"), "{first}");
    assert!(second.contains(r#"account: "default""#), "{second}");
    for (oauth, expected) in [
        (r#""yes""#, "at /mcpServers/a/oauth: expected an object, found a text"),
        (r#"{"scopes": "a"}"#, "at /mcpServers/a/oauth/scopes: expected a list of texts, found a text"),
        (r#"{"clientId": 5}"#, "at /mcpServers/a/oauth/clientId: expected a text, found a number"),
        (
            r#"{"allowPrivateAddresses": 1}"#,
            "allowPrivateAddresses: expected `true` or `false`, found a number",
        ),
        (r#"{"clientSecret": "a"}"#, "at /mcpServers/a: a client secret needs a client id"),
        (
            r#"{"clientId": "a", "clientSecret": "a"}"#,
            "at /mcpServers/a: a client secret needs the issuer that it is for, or the server could choose who receives it",
        ),
    ] {
        let errors = errors(&format!(r#"{{"a": {{"url": "https://a.example/mcp", "oauth": {oauth}}}}}"#));
        assert!(errors.contains(expected), "{errors}");
    }
}

#[cfg(not(feature = "upstream-oauth"))]
#[test]
fn explains_that_oauth_is_missing() {
    let errors = errors(r#"{"a": {"url": "https://a.example/mcp", "oauth": {}}}"#);
    assert!(errors.contains("at /mcpServers/a/oauth: this program cannot sign in with OAuth"), "{errors}");
}
