//! Large results, listings and details over both MCP transports, HTTP and the command line.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

use serde_json::{Value, json};
use tool_core::failure::Reason;
use tool_core::{DynamicTool, Failure, FailureKind, Operation, Output, Tool, ToolDefinition};
use tool_mcp::Server;

/// The MCP version of the requests.
const MODERN: &str = "2026-07-28";

/// A user directory and the server behind the gateway.
struct Fixture {
    folder: tempfile::TempDir,
    _runtime: tokio::runtime::Runtime,
}

impl Fixture {
    fn new() -> Self {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let url = runtime.block_on(super::serve(Server::new(tools()).name("far")));
        let folder = tempfile::tempdir().unwrap();
        let config = json!({"mcpServers": {"far": {"url": url}}});
        std::fs::write(folder.path().join("gateway.json"), config.to_string()).unwrap();
        Fixture { folder, _runtime: runtime }
    }

    fn state(&self) -> &Path {
        self.folder.path()
    }

    fn gateway(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gateway"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("XDG_STATE_HOME", self.state())
            .env("HOME", self.folder.path())
            .env_remove("GATEWAY_RESULTS")
            .env_remove("GATEWAY_CONFIG");
        command
    }
}

/// Returns a tool with large results, one with large details, and 298 more.
fn tools() -> Vec<Arc<dyn Tool>> {
    let tool = |name: String, schema: Value| -> Arc<dyn Tool> {
        let definition = ToolDefinition::builder(name, "Says it often.").operation(Operation::Read);
        let definition = definition.input_schema(schema).build().unwrap();
        Arc::new(DynamicTool::new(definition, |_, arguments: Value| async move {
            let text = "rain\n".repeat(usize::try_from(arguments["lines"].as_u64().unwrap_or(1)).unwrap());
            if arguments["fails"] == true {
                return Err(Failure::new(FailureKind::Failed(Reason::Other), text));
            }
            Ok(Output::text(text))
        }))
    };
    let description = "How often, and whether it fails then. ".repeat(4);
    let schema = |words: usize| {
        let mut schema = json!({"type": "object", "properties": {
            "lines": {"type": "integer", "description": description}, "fails": {"type": "boolean"},
        }});
        for word in 0..words {
            schema["properties"][format!("word_{word}")] =
                json!({"type": "string", "description": description});
        }
        schema
    };
    let mut tools = vec![tool("say".to_owned(), schema(0)), tool("wide".to_owned(), schema(400))];
    tools.extend((0..298).map(|number| tool(format!("other_{number:03}"), schema(0))));
    tools
}

/// An MCP client, over either transport.
trait Client {
    /// Sends a request with the id 1 and returns the response.
    fn response(&mut self, request: &Value) -> Value;

    fn request(&mut self, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let mut response =
            self.response(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        response["result"].take()
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Value {
        self.request("tools/call", json!({"name": name, "arguments": arguments}))
    }

    fn call_say(&mut self, arguments: &Value) -> Value {
        self.call("call_tool", &json!({"server": "far", "tool_name": "say", "arguments": arguments}))
    }
}

/// A client over standard input and output.
struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Session {
    fn start(mut gateway: Command) -> Self {
        let mut child = gateway.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Session { child, input, output }
    }

    fn end(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Client for Session {
    fn response(&mut self, request: &Value) -> Value {
        writeln!(self.input.as_mut().unwrap(), "{request}").unwrap();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server ended");
            let response: Value = serde_json::from_str(&line).unwrap();
            if response["id"] == 1 {
                return response;
            }
        }
    }
}

fn link(result: &Value) -> String {
    let links = result["content"].as_array().unwrap().iter();
    links.filter_map(|block| block["uri"].as_str()).next().unwrap_or_else(|| panic!("{result}")).to_owned()
}

/// Checks large results and details, and returns the digest of a large result.
fn check_large_results(client: &mut impl Client) -> String {
    let large = json!({"lines": 40_000});
    let result = client.call_say(&large);
    assert!(result.to_string().len() < 6_000 && result["isError"] == false, "{result}");
    assert!(result["content"][0]["text"].as_str().unwrap().starts_with("rain\nrain\n"));
    assert_eq!(link(&result), link(&client.call_say(&large)), "the same result has the same link");
    let read = client.request("resources/read", json!({"uri": link(&result)}));
    assert_eq!(read["contents"][0]["text"].as_str().map(str::len), Some(200_000));
    let digest = link(&result).rsplit('/').next().unwrap().to_owned();
    let page = client.call("read_result", &json!({"digest": digest, "lines": "40000"}));
    assert!(page["content"][0]["text"].as_str().unwrap().starts_with("rain\n[lines 40000-40000"), "{page}");
    assert_eq!(
        client.call_say(&json!({"lines": 2}))["content"],
        json!([{"type": "text", "text": "rain\nrain\n"}])
    );
    // A failure stays a failure; it is truncated before the limit of the gateway.
    let failed = client.call_say(&json!({"lines": 40_000, "fails": true}));
    assert_eq!(failed["isError"], true);

    let plain = client.call("list_available_tools", &json!({}))["structuredContent"].take();
    assert_eq!((&plain["total"], plain.get("whole")), (&json!(300), None), "{plain}");
    let detailed = client.call("list_available_tools", &json!({"detailed": true}));
    assert!(detailed["structuredContent"]["whole"]["uri"].is_string(), "{detailed}");
    let again = client.call("list_available_tools", &json!({"detailed": true}));
    assert_eq!(link(&detailed), link(&again));
    let details = |name: &str| json!({"server": "far", "tool_name": name});
    let wide = client.call("list_tool_details", &details("wide"));
    assert!(wide.to_string().len() < 9_000 && wide["structuredContent"]["uri"].is_string(), "{wide}");
    let narrow = client.call("list_tool_details", &details("say"));
    assert!(narrow["structuredContent"]["inputSchema"].is_object(), "{narrow}");
    digest
}

#[test]
fn stores_large_results_over_stdio() {
    let fixture = Fixture::new();
    let mut session = Session::start(fixture.gateway(&["serve", "mcp"]));
    let digest = check_large_results(&mut session);
    session.end();

    // Another process reads the stored result on the command line.
    let page =
        fixture.gateway(&["run", "read_result", &format!("digest={digest}"), "lines=-1"]).output().unwrap();
    let page = String::from_utf8(page.stdout).unwrap();
    assert!(page.starts_with("rain\n[lines 40000-40000"), "{page}");
    assert!(fixture.state().join("gateway/results").is_dir());
}

#[test]
fn stores_large_results_over_mcp_on_http() {
    let fixture = Fixture::new();
    let mut server = HttpServer::start(fixture.gateway(&["serve", "mcp", "--addr", "127.0.0.1:0"]));
    check_large_results(&mut server);
}

#[test]
fn follows_the_results_variable() {
    let fixture = Fixture::new();
    let large = json!({"lines": 40_000});
    let elsewhere = fixture.folder.path().join("elsewhere");
    let mut gateway = fixture.gateway(&["serve", "mcp"]);
    gateway.env("GATEWAY_RESULTS", &elsewhere);
    let mut session = Session::start(gateway);
    link(&session.call_say(&large));
    session.end();
    assert!(elsewhere.is_dir());
    let mut gateway = fixture.gateway(&["serve", "mcp"]);
    gateway.env("GATEWAY_RESULTS", "off");
    let mut session = Session::start(gateway);
    assert_eq!(session.call_say(&large)["content"][0]["text"].as_str().map(str::len), Some(200_000));
    session.end();
    assert!(!fixture.state().join("gateway").exists());
    let mut gateway = fixture.gateway(&["list"]);
    let wrong = gateway.env("GATEWAY_RESULTS", "gateway.json").output().unwrap();
    let wrong = String::from_utf8(wrong.stderr).unwrap();
    assert!(wrong.contains("`GATEWAY_RESULTS` is \"gateway.json\": "), "{wrong}");
}

/// A running server, killed on drop.
struct HttpServer(Child, String);

impl HttpServer {
    fn start(mut gateway: Command) -> Self {
        let mut child = gateway.stderr(Stdio::piped()).spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let line = errors.find(|line| line.contains("listening on")).unwrap();
        // The log must be read, so that the pipe does not fill up.
        std::thread::spawn(move || errors.for_each(drop));
        let url = line.split_once("http://").unwrap().1.trim().to_owned();
        HttpServer(child, format!("http://{url}"))
    }
}

impl Client for HttpServer {
    fn response(&mut self, request: &Value) -> Value {
        let method = request["method"].as_str().unwrap();
        let name = request["params"]["name"].as_str().or(request["params"]["uri"].as_str());
        let mut post = ureq::post(format!("{}/mcp", self.1))
            .content_type("application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", MODERN)
            .header("mcp-method", method);
        if let Some(name) = name {
            post = post.header("mcp-name", name);
        }
        let text = post.send(request.to_string()).unwrap().body_mut().read_to_string().unwrap();
        let mut events = text.lines().filter_map(|line| line.strip_prefix("data:"));
        serde_json::from_str(events.find(|data| data.contains(r#""id":1"#)).unwrap_or(&text)).unwrap()
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn stores_large_results_over_http_and_prints_them() {
    let fixture = Fixture::new();
    let server =
        HttpServer::start(fixture.gateway(&["serve", "http", "--addr", "127.0.0.1:0", "--allow-execute"]));
    let post = |body: &Value| {
        let url = format!("{}/tools/far__say/call", server.1);
        let request = ureq::post(url).config().http_status_as_error(false).build();
        let response = request.content_type("application/json").send(body.to_string());
        let text = response.unwrap().body_mut().read_to_string().unwrap();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let result = post(&json!({"lines": 40_000}));
    assert!(result.to_string().len() < 6_000, "{result}");
    let location = link(&result);
    assert_eq!(location, link(&post(&json!({"lines": 40_000}))));
    let digest = location.strip_prefix("../../results/").unwrap();
    let full = ureq::get(format!("{}/results/{digest}", server.1)).call().unwrap();
    assert_eq!(full.into_body().read_to_string().unwrap().len(), 200_000);
    assert_eq!(post(&json!({"lines": 40_000, "fails": true}))["isError"], true);

    let printed = fixture.gateway(&["run", "far__say", "lines=40000"]).output().unwrap();
    assert!(printed.stdout.len() >= 200_000, "a pipe gets the full result");
}
