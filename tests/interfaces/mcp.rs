//! MCP over both transports in both eras, with arguments that client libraries would not send.

use std::io::{BufReader, Lines, Write as _};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, ChildStdout};

use serde_json::{Value, json};

use crate::child::start_server;

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";

/// The variable with the folder in which [`serve`] keeps its reports.
const FOLDER: &str = "FACES_STDIO_FOLDER";

/// Not a test, but the stdio server that the tests start.
#[test]
fn serve() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let registry = weather::registry(std::path::Path::new(&folder).join("stdio")).unwrap();
    let serving = tool_mcp::Server::new(registry).serve_stdio();
    let served = tokio::runtime::Runtime::new().unwrap().block_on(serving);
    // Exits here, as the harness would write to standard output.
    std::process::exit(i32::from(served.is_err()));
}

/// A client for one transport and era.
pub(crate) enum RawClient {
    Modern { addr: SocketAddr },
    Session { addr: SocketAddr, session: String },
    Stdio { modern: bool, server: Box<Stdin> },
}

/// A server behind a pair of pipes.
pub(crate) struct Stdin {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl RawClient {
    /// Returns a client of each kind.
    pub(crate) fn all(agent: &ureq::Agent, addr: SocketAddr, folder: &std::path::Path) -> Vec<RawClient> {
        let session = RawClient::open_session(agent, addr);
        let stdio = |modern| RawClient::Stdio { modern, server: Box::new(Stdin::start(folder, !modern)) };
        vec![RawClient::Modern { addr }, RawClient::Session { addr, session }, stdio(true), stdio(false)]
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            RawClient::Modern { .. } => "MCP of 2026-07-28 over HTTP",
            RawClient::Session { .. } => "MCP of 2025-11-25 over HTTP",
            RawClient::Stdio { modern: true, .. } => "MCP of 2026-07-28 on stdio",
            RawClient::Stdio { modern: false, .. } => "MCP of 2025-11-25 on stdio",
        }
    }

    fn open_session(agent: &ureq::Agent, addr: SocketAddr) -> String {
        let answer = agent
            .post(format!("http://{addr}/mcp"))
            .content_type("application/json")
            .header("accept", "application/json, text/event-stream")
            .send(initialize())
            .unwrap();
        answer.headers()["mcp-session-id"].to_str().unwrap().to_owned()
    }

    /// Calls a tool with these bytes as arguments; `None` for no arguments.
    pub(crate) fn call(
        &mut self,
        agent: &ureq::Agent,
        id: usize,
        name: &str,
        arguments: Option<&[u8]>,
    ) -> Value {
        let is_modern = matches!(self, RawClient::Modern { .. } | RawClient::Stdio { modern: true, .. });
        let message = message(is_modern, id, name, arguments);
        match self {
            RawClient::Modern { addr } => {
                let headers =
                    [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", name)];
                post(agent, *addr, &headers, &message)
            }
            RawClient::Session { addr, session } => {
                let headers = [("mcp-protocol-version", LEGACY), ("mcp-session-id", session)];
                post(agent, *addr, &headers, &message)
            }
            RawClient::Stdio { server, .. } => server.request(&message),
        }
    }
}

impl Stdin {
    fn start(folder: &std::path::Path, initializes: bool) -> Self {
        let (child, input, output) = start_server("mcp::serve", FOLDER, folder);
        let mut server = Stdin { child, input, output };
        if initializes {
            assert_eq!(server.request(initialize().as_bytes())["result"]["protocolVersion"], LEGACY);
        }
        server
    }

    fn request(&mut self, message: &[u8]) -> Value {
        self.input.write_all(message).unwrap();
        self.input.write_all(b"\n").unwrap();
        json_of(&self.output.next().expect("the server ended").unwrap())
    }
}

impl Drop for Stdin {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn initialize() -> String {
    let params = json!({
        "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "interfaces", "version": "1.0.0"},
    });
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).to_string()
}

fn message(is_modern: bool, id: usize, name: &str, arguments: Option<&[u8]>) -> Vec<u8> {
    let mut text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}""#)
        .into_bytes();
    if is_modern {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        text.extend_from_slice(format!(r#","_meta":{meta}"#).as_bytes());
    }
    if let Some(arguments) = arguments {
        text.extend_from_slice(br#","arguments":"#);
        text.extend_from_slice(arguments);
    }
    text.extend_from_slice(b"}}");
    text
}

fn post(agent: &ureq::Agent, addr: SocketAddr, headers: &[(&str, &str)], message: &[u8]) -> Value {
    let mut request = agent
        .post(format!("http://{addr}/mcp"))
        .content_type("application/json")
        .header("accept", "application/json, text/event-stream");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let text = request.send(message).unwrap().body_mut().read_to_string().unwrap();
    let event = text.lines().filter_map(|line| line.strip_prefix("data:")).find(|data| data.contains('{'));
    json_of(event.unwrap_or(&text))
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text:.200}"))
}
