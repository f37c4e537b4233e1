//! Four ways to call a tool: directly, over HTTP, over MCP, and on the command line, with what applications test with.
//!
//! Each has its own registry and reports file, so that the same calls in the same order meet the same state.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tool_cli::testing::CliCalls;
use tool_cli::{App, Buffer, Streams};
use tool_core::testing::{Interface as _, Response};
use tool_core::{CallOptions, Principal, Registry, RegistryBuilder};
use tool_http::testing::HttpCalls;
use tool_mcp::testing::Client;

use crate::mcp::RawClient;

/// Returns the response to a call over MCP, from its message.
pub(crate) fn response_of_mcp(message: &Value) -> Response {
    let result = &message["result"];
    if result["isError"] == true {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let (kind, text) = (text(&result["_meta"]["tool-core/kind"]), text(&result["content"][0]["text"]));
        return Response::failure(kind, text);
    }
    Response::success(&result["structuredContent"], &result["content"])
}

pub(crate) struct Interfaces {
    runtime: Runtime,
    /// Returns every status instead of an error.
    agent: ureq::Agent,
    direct: Registry,
    cli: Registry,
    /// The address of a server of HTTP, and the router that it serves.
    http: (SocketAddr, HttpCalls),
    /// The address of a server of MCP over HTTP, and a client of the same tools in this process.
    mcp: (SocketAddr, Client),
    folder: TempDir,
}

type Each<T> = Vec<(&'static str, T)>;

impl Interfaces {
    pub(crate) fn start() -> Self {
        Interfaces::start_as(|builder| builder)
    }

    pub(crate) fn start_as(settings: impl Fn(RegistryBuilder) -> RegistryBuilder) -> Self {
        Interfaces::of(|file| settings(weather::builder(file)))
    }

    /// Starts all interfaces for registries built by `builder`, each with its own file.
    pub(crate) fn of(builder: impl Fn(PathBuf) -> RegistryBuilder) -> Self {
        Interfaces::with(builder, None)
    }

    /// Like [`Interfaces::of`], with every call by this caller.
    pub(crate) fn for_caller(builder: impl Fn(PathBuf) -> RegistryBuilder, caller: &Principal) -> Self {
        Interfaces::with(builder, Some(caller))
    }

    fn with(builder: impl Fn(PathBuf) -> RegistryBuilder, caller: Option<&Principal>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let registry = |name: &str| {
            let registry = builder(folder.path().join(name)).build().unwrap();
            match caller {
                Some(caller) => registry.as_principal(caller.clone()),
                None => registry,
            }
        };
        let runtime = Runtime::new().unwrap();
        let (over_http, over_mcp) = (registry("http"), tool_mcp::Server::new(registry("mcp")));
        let mut options = tool_http::Options::new().allow_execute(true);
        let mut client = Client::builder(over_mcp.clone());
        if let Some(caller) = caller.cloned() {
            client = client.principal(caller.clone());
            options = options.authenticator(move |_: &axum::http::request::Parts| Ok(caller.clone()));
        }
        let calls = HttpCalls::new(tool_http::router_with(over_http.clone(), options.clone()));
        let (http, mcp) = runtime.block_on(async {
            let http = tool_http::Server::new(over_http).options(options).bind("127.0.0.1:0").await.unwrap();
            let mcp = over_mcp.serve_http("127.0.0.1:0").await.unwrap();
            let addresses = (http.local_addr(), mcp.local_addr());
            tokio::spawn(http.run(std::future::pending()));
            tokio::spawn(mcp.run_until(std::future::pending()));
            ((addresses.0, calls), (addresses.1, client.connect().await.unwrap()))
        });
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        Interfaces { agent, direct: registry("direct"), cli: registry("cli"), runtime, http, mcp, folder }
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.direct
    }

    /// Returns the schemas of a tool, as `{"input", "output"}`.
    pub(crate) fn schemas(&self, name: &str) -> Each<Value> {
        let pick =
            |tool: &Value, input: &str, output: &str| json!({"input": tool[input], "output": tool[output]});
        let (_, http) = self.http(&format!("/tools/{name}"), None);
        let mcp = self.mcp("tools/list", json!({}))["tools"].as_array().unwrap().clone();
        let mcp = mcp.into_iter().find(|tool| tool["name"] == name).unwrap();
        let (_, cli) = self.cli(&["info", name, "--format", "json"]);
        vec![
            ("HTTP", pick(&http, "inputSchema", "outputSchema")),
            ("MCP", pick(&mcp, "inputSchema", "outputSchema")),
            ("the command line", pick(&cli, "input_schema", "output_schema")),
        ]
    }

    /// Returns the names of all tools, in listing order.
    pub(crate) fn names(&self) -> Each<Vec<String>> {
        let names = |list: &Value| -> Vec<String> {
            list.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
        };
        vec![
            ("HTTP", names(&self.http("/tools", None).1)),
            ("MCP", names(&self.mcp("tools/list", json!({}))["tools"])),
            ("the command line", names(&self.cli(&["list", "--format", "json"]).1)),
        ]
    }

    /// Calls a tool on every interface, directly first.
    pub(crate) fn call(&self, name: &str, arguments: &str) -> Each<Response> {
        let mut responses = self.call_without_mcp(name, arguments.as_bytes());
        let response = self.runtime.block_on(tool_core::testing::Interface::call(
            &self.mcp.1,
            name,
            arguments.as_bytes(),
        ));
        responses.push(("MCP", response));
        responses
    }

    /// Like [`Interfaces::call`], with arguments that MCP may not be able to carry: the whole request would be invalid.
    pub(crate) fn call_without_mcp(&self, name: &str, arguments: &[u8]) -> Each<Response> {
        self.runtime.block_on(async {
            let direct = self.direct.call_with(name, arguments, &CallOptions::new()).await.result;
            let registry = self.cli.clone();
            let cli = CliCalls::new(move || App::new("weather", registry.clone()));
            vec![
                ("a direct call", direct.into()),
                ("HTTP", self.http.1.call(name, arguments).await),
                ("the command line", cli.call(name, arguments).await),
            ]
        })
    }

    /// Returns an MCP client for each transport and era.
    pub(crate) fn clients(&self) -> Vec<RawClient> {
        RawClient::all(&self.agent, self.mcp.0, self.folder.path())
    }

    /// Returns the answer to such a client.
    pub(crate) fn call_of(
        &self,
        client: &mut RawClient,
        id: usize,
        name: &str,
        arguments: Option<&[u8]>,
    ) -> Value {
        client.call(&self.agent, id, name, arguments)
    }

    fn http(&self, path: &str, body: Option<&[u8]>) -> (u16, Value) {
        let (status, _, body) = self.http_with_wait(path, body);
        (status, body)
    }

    /// Returns the status, `Retry-After` and the body.
    pub(crate) fn http_with_wait(&self, path: &str, body: Option<&[u8]>) -> (u16, Option<String>, Value) {
        let url = format!("http://{}{path}", self.http.0);
        let answer = match body {
            None => self.agent.get(url).call(),
            Some(body) => self.agent.post(url).content_type("application/json").send(body),
        };
        let mut answer = answer.unwrap();
        let wait = answer.headers().get("retry-after").map(|wait| wait.to_str().unwrap().to_owned());
        (answer.status().as_u16(), wait, json_of(&answer.body_mut().read_to_string().unwrap()))
    }

    /// Sends a request over MCP, and returns its result.
    pub(crate) fn mcp(&self, method: &str, params: Value) -> Value {
        self.runtime.block_on(self.mcp.1.request(method, params)).unwrap()
    }

    pub(crate) fn cli(&self, arguments: &[&str]) -> (u8, Value) {
        let (code, text) = self.cli_output(arguments);
        (code, json_of(&text))
    }

    /// Returns the human-readable output of the command line.
    pub(crate) fn cli_text(&self, arguments: &[&str]) -> String {
        self.cli_output(arguments).1
    }

    fn cli_output(&self, arguments: &[&str]) -> (u8, String) {
        let stdout = Buffer::default();
        let streams = Streams::new(std::io::empty(), stdout.clone(), std::io::sink());
        let app = App::new("weather", self.cli.clone());
        let code = self.runtime.block_on(app.run_with(arguments.iter().copied(), streams));
        (code, stdout.text())
    }
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
