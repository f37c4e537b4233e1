//! The OpenAPI document on the command line is the one over HTTP.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn weather(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_weather"));
    command.args(arguments).env_remove("WEATHER_TOKEN").env_remove("WEATHER_RESULTS").env_remove("RUST_LOG");
    command.env_remove("OTEL_EXPORTER_OTLP_ENDPOINT");
    command
}

#[test]
fn prints_what_http_serves() {
    let mut serve = weather(&["serve", "http", "--addr", "127.0.0.1:0", "--allow-execute"]);
    let mut server = Server(serve.stderr(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(server.0.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}"));
    for version in ["3.1", "3.0"] {
        let url = format!("{address}/openapi.json?version={version}");
        let served = ureq::get(&url).call().unwrap().body_mut().read_to_string().unwrap();
        let printed = weather(&["openapi", "--version", version]).output().unwrap();
        let printed: serde_json::Value = serde_json::from_slice(&printed.stdout).unwrap();
        assert_eq!(printed.to_string(), served, "{version}");
        assert!(served.starts_with(&format!("{{\"openapi\":\"{version}.")), "{version}");
    }
}
