//! Allowed hosts and origins, on every route.

use std::net::SocketAddr;

use tokio::sync::oneshot;
use tool_http::{Options, ServeError, Server, ServerOptions};

use crate::client::{exchange, request};
use crate::tools::registry;

const SAME: &str = "Host: localhost:1";

async fn serving(options: impl Into<ServerOptions>, address: &str) -> (SocketAddr, oneshot::Sender<()>) {
    let server = Server::new(registry()).options(options).bind(address).await.unwrap();
    let address = server.local_addr();
    let (stop, stopped) = oneshot::channel::<()>();
    tokio::spawn(server.run(async {
        let _ = stopped.await;
    }));
    (address, stop)
}

#[tokio::test]
async fn row_45_checks_the_host() {
    let (address, _stop) = serving(Options::new(), "127.0.0.1:0").await;
    let own = format!("Host: {address}");
    for (headers, status) in [
        (&[&*own][..], 200),
        (&["Host: localhost"], 200),
        (&["Host: LOCALHOST:80"], 200),
        (&["Host: localhost."], 200),
        (&["Host: localhost:"], 200),
        (&["Host: 127.0.0.1:1"], 200),
        (&["Host: [::1]:8080"], 200),
        (&["Host: [::ffff:127.0.0.1]"], 200),
        (&[], 400),
        (&["Host: "], 400),
        (&["Host: localhost", "Host: localhost"], 400),
        (&["Host: localhost", "Host: evil.example"], 400),
        (&["Host: localhost:x"], 400),
        (&["Host: localhost:99999"], 400),
        (&["Host: user@localhost"], 400),
        (&["Host: localhost/x"], 400),
        (&["Host: [localhost]"], 400),
        (&["Host: [::1"], 400),
        (&["Host: lo\u{e7}alhost"], 400),
        (&["Host: evil.example"], 403),
        (&["Host: localhost.evil.example"], 403),
        (&["Host: evil.localhost"], 403),
        (&["Host: 127.0.0.1.evil.example"], 403),
        (&["Host: 10.0.0.1"], 403),
        (&["Host: 0.0.0.0"], 403),
        (&["Host: [::2]"], 403),
    ] {
        for line in ["GET /tools", "GET /nope", "POST /tools/add/call", "OPTIONS /tools"] {
            let answer = exchange(address, &request(line, headers, "")).await;
            let admitted = answer.status != 400 && !answer.body.contains("answer for the host");
            assert_eq!(admitted, status == 200, "{line} {headers:?}: {} {}", answer.status, answer.body);
            if status != 200 {
                assert_eq!(answer.status, status, "{line} {headers:?}");
            }
        }
    }
    let answer = exchange(address, &request("GET /tools", &["Host: evil.example:80"], "")).await;
    assert_eq!(answer.body, r#"{"error":"this server does not answer for the host `evil.example:80`"}"#);
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
}

#[tokio::test]
async fn row_45_checks_the_host_of_an_absolute_target() {
    let (address, _stop) = serving(Options::new(), "127.0.0.1:0").await;
    for (target, host, status) in [
        ("http://localhost/tools", "Host: localhost", 200),
        ("http://evil.example/tools", "Host: localhost", 403),
        ("http://localhost/tools", "Host: evil.example", 403),
    ] {
        let answer = exchange(address, &request(&format!("GET {target}"), &[host], "")).await;
        assert_eq!(answer.status, status, "{target} {host}");
    }
}

#[tokio::test]
async fn row_46_and_48_rejects_cross_site_requests() {
    let (address, _stop) = serving(Options::new(), "127.0.0.1:0").await;
    for (headers, admitted) in [
        (&[SAME][..], true),
        (&[SAME, "Origin: http://localhost:1"], true),
        (&["Host: localhost", "Origin: http://localhost:80"], true),
        (&[SAME, "Origin: http://LOCALHOST:1"], true),
        (&[SAME, "Origin: http://localhost:1", "Sec-Fetch-Site: same-origin"], true),
        (&[SAME, "Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate"], true),
        (&[SAME, "Origin: null"], false),
        (&[SAME, "Origin: "], false),
        (&[SAME, "Origin: http://evil.example"], false),
        (&[SAME, "Origin: http://localhost"], false),
        (&[SAME, "Origin: http://localhost:2"], false),
        (&[SAME, "Origin: https://localhost:1"], false),
        (&[SAME, "Origin: http://127.0.0.1:1"], false),
        (&[SAME, "Origin: http://localhost:1", "Origin: http://evil.example"], false),
        (&[SAME, "Sec-Fetch-Site: cross-site"], false),
        (&[SAME, "Sec-Fetch-Site: same-site"], false),
        (&[SAME, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script"], false),
        (&[SAME, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"], false),
    ] {
        for line in ["GET /tools", "GET /nope", "POST /tools/add/call", "OPTIONS /tools"] {
            let answer = exchange(address, &request(line, headers, "")).await;
            let is_rejected = answer.body == r#"{"error":"requests from other sites are not accepted"}"#;
            assert_eq!(is_rejected, !admitted, "{line} {headers:?}: {}", answer.body);
            assert_eq!(answer.header("access-control-allow-origin"), "");
            if is_rejected {
                assert_eq!(answer.status, 403);
            }
        }
    }
    let link = [SAME, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]
        .as_slice();
    assert_eq!(exchange(address, &request("GET /tools", link, "")).await.status, 200);
    assert_eq!(exchange(address, &request("POST /tools/add/validate", link, "{}")).await.status, 403);
    // A link of another site does not run a tool; a bookmark does.
    let (address, _stop) = serving(Options::new().allow_execute(true), "127.0.0.1:0").await;
    for path in ["/tools/city/result", "/tools/c%69ty/result"] {
        let line = format!("GET {path}");
        assert_eq!(exchange(address, &request(&line, link, "")).await.status, 403, "{path}");
    }
    let frame =
        [SAME, "Origin: http://localhost:1", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"];
    assert_eq!(exchange(address, &request("GET /tools/city/result", &frame, "")).await.status, 403);
    let bookmark = [SAME, "Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"];
    assert_eq!(exchange(address, &request("GET /tools/city/result", &bookmark, "")).await.status, 200);
}

#[tokio::test]
async fn allows_configured_hosts_and_origins() {
    let options = ServerOptions::from(Options::new())
        .allow_host("Tools.Example.org")
        .allow_origin("https://tools.example.org");
    let (address, _stop) = serving(options, "127.0.0.1:0").await;
    for (headers, status) in [
        (&["Host: tools.example.org"][..], 200),
        (&["Host: tools.example.org:8443", "Origin: https://tools.example.org:443"], 200),
        (&["Host: tools.example.org", "Origin: https://tools.example.org:8443"], 403),
        (&["Host: example.org"], 403),
    ] {
        let answer = exchange(address, &request("GET /tools", headers, "")).await;
        assert_eq!(answer.status, status, "{headers:?}");
    }
    for host in ["a b", "", "http://localhost", "localhost:80"] {
        let server = Server::new(registry())
            .options(ServerOptions::default().allow_host(host))
            .bind("127.0.0.1:0")
            .await;
        assert!(matches!(server, Err(ServeError::Host(_))), "{host}");
    }
    for origin in ["null", "tools.example.org", "ftp://tools.example.org", "https://a b"] {
        let server = Server::new(registry())
            .options(ServerOptions::default().allow_origin(origin))
            .bind("127.0.0.1:0")
            .await;
        assert!(matches!(server, Err(ServeError::Origin(_))), "{origin}");
    }
}

#[tokio::test]
async fn accepts_any_address_but_no_name_when_bound_to_all() {
    let (address, _stop) = serving(Options::new(), "0.0.0.0:0").await;
    let local = SocketAddr::from(([127, 0, 0, 1], address.port()));
    for (host, status) in [("Host: 10.0.0.1:80", 200), ("Host: [::2]", 200), ("Host: evil.example", 403)] {
        assert_eq!(exchange(local, &request("GET /tools", &[host], "")).await.status, status, "{host}");
    }
}
