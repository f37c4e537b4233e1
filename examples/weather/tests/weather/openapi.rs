//! The OpenAPI document on the command line is the one over HTTP.

use crate::program::{Server, weather};

#[test]
fn prints_what_http_serves() {
    let mut serve = weather(&["serve", "http", "--addr", "127.0.0.1:0", "--allow-execute"]);
    let server = Server::start(&mut serve);
    for version in ["3.1", "3.0"] {
        let url = format!("{}/openapi.json?version={version}", server.address);
        let served = ureq::get(&url).call().unwrap().body_mut().read_to_string().unwrap();
        let printed = weather(&["openapi", "--version", version]).output().unwrap();
        let printed: serde_json::Value = serde_json::from_slice(&printed.stdout).unwrap();
        assert_eq!(printed.to_string(), served, "{version}");
        assert!(served.starts_with(&format!("{{\"openapi\":\"{version}.")), "{version}");
    }
}
