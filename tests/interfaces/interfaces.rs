//! Four ways to call a tool: directly, through real HTTP and MCP servers, and on the command line.
//!
//! Each has its own registry and reports file, so that the same calls in the same order meet the same state.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tool_cli::{App, Buffer, Streams};
use tool_core::failure::Reason;
use tool_core::{CallOptions, Failure, FailureKind, Output, Principal, Registry, RegistryBuilder};

use crate::mcp::Client;

/// The result of a call in a form that all interfaces share.
#[derive(Debug, PartialEq)]
pub(crate) enum Answer {
    /// The structured output, or else the content.
    Success { output: String },
    /// The kind as in `error_type`, and the full message.
    Failure { kind: String, text: String },
}

impl Answer {
    /// Converts an MCP result. Invalid inputs and failures look alike over MCP: the kind is that of the direct call, and the text
    /// must be equal.
    pub(crate) fn of_mcp(answer: &Value, direct: &Answer) -> Self {
        let result = &answer["result"];
        match result["isError"] {
            Value::Bool(true) => Answer::Failure {
                kind: direct.verdict(),
                text: result["content"][0]["text"].as_str().unwrap().to_owned(),
            },
            _ => Answer::Success { output: result["structuredContent"].to_string() },
        }
    }

    pub(crate) fn verdict(&self) -> String {
        match self {
            Answer::Success { .. } => "success".to_owned(),
            Answer::Failure { kind, .. } => kind.clone(),
        }
    }
}

impl From<Result<Output, Failure>> for Answer {
    fn from(result: Result<Output, Failure>) -> Self {
        match result {
            Ok(output) => Answer::Success { output: output.structured().unwrap().get().to_owned() },
            Err(failure) => Answer::Failure {
                kind: failure.kind().codes().error_type.to_owned(),
                text: text_of(&serde_json::to_value(&failure).unwrap()),
            },
        }
    }
}

/// Returns the text of a failure, assembled from its JSON members.
fn text_of(failure: &Value) -> String {
    let mut text = failure["error"].as_str().unwrap().to_owned();
    for problem in failure["problems"].as_array().into_iter().flatten() {
        let problem: tool_core::Problem = serde_json::from_value(problem.clone()).unwrap();
        text += &format!("\n- {problem}");
    }
    if let Some(example) = failure.get("example") {
        text += &format!("\nexample of a valid call: {example}");
    }
    text
}

pub(crate) struct Interfaces {
    runtime: Runtime,
    /// Returns every status instead of an error.
    agent: ureq::Agent,
    direct: Registry,
    cli: Registry,
    http: SocketAddr,
    mcp: SocketAddr,
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
        let (http, mcp) = runtime.block_on(async {
            let mut options = tool_http::Options::new().allow_execute(true);
            let mut mcp = tool_mcp::Server::new(registry("mcp"));
            if let Some(caller) = caller.cloned() {
                let identify = move |_: &axum::http::request::Parts| Ok(caller.clone());
                options = options.authenticator(identify.clone());
                mcp = mcp.authenticator(identify);
            }
            let http = tool_http::Server::bind(registry("http"), "127.0.0.1:0", options).await.unwrap();
            let mcp = mcp.serve_http("127.0.0.1:0").await.unwrap();
            let addresses = (http.local_addr(), mcp.local_addr());
            tokio::spawn(http.run(std::future::pending()));
            tokio::spawn(mcp.run_until(std::future::pending()));
            addresses
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
        let mcp = self.mcp("tools/list", &json!({}))["result"]["tools"].as_array().unwrap().clone();
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
            ("MCP", names(&self.mcp("tools/list", &json!({}))["result"]["tools"])),
            ("the command line", names(&self.cli(&["list", "--format", "json"]).1)),
        ]
    }

    /// Calls a tool on every interface, directly first.
    pub(crate) fn call(&self, name: &str, arguments: &str) -> Each<Answer> {
        let mut answers = self.call_without_mcp(name, arguments);
        answers.push(("MCP", self.call_over_mcp(name, arguments, &answers[0].1)));
        answers
    }

    /// Like [`Interfaces::call`], with a text that MCP cannot carry: the whole request would be invalid.
    pub(crate) fn call_without_mcp(&self, name: &str, arguments: &str) -> Each<Answer> {
        self.call_with_bytes(name, arguments.as_bytes())
    }

    /// Like [`Interfaces::call_without_mcp`], with arguments that may not be UTF-8.
    pub(crate) fn call_with_bytes(&self, name: &str, arguments: &[u8]) -> Each<Answer> {
        let direct =
            self.runtime.block_on(self.direct.call_with(name, arguments, &CallOptions::new())).result;
        vec![
            ("a direct call", direct.into()),
            ("HTTP", self.call_over_http(name, arguments)),
            ("the command line", self.call_by_command(name, arguments)),
        ]
    }

    /// Returns an MCP client for each transport and era.
    pub(crate) fn clients(&self) -> Vec<Client> {
        Client::all(&self.agent, self.mcp, self.folder.path())
    }

    /// Returns the answer to such a client.
    pub(crate) fn call_of(
        &self,
        client: &mut Client,
        id: usize,
        name: &str,
        arguments: Option<&[u8]>,
    ) -> Value {
        client.call(&self.agent, id, name, arguments)
    }

    fn call_over_http(&self, name: &str, arguments: &[u8]) -> Answer {
        let (status, body) = self.http(&format!("/tools/{name}/call"), Some(arguments));
        match (status, &body["isError"]) {
            (200, Value::Bool(false)) => Answer::Success { output: body["structuredContent"].to_string() },
            (_, Value::Bool(true)) => Answer::Failure {
                kind: "execution_failed".to_owned(),
                text: body["content"][0]["text"].as_str().unwrap().to_owned(),
            },
            // A refusal for every caller has no details.
            (403, _) if body.get("kind").is_none() => {
                Answer::Failure { kind: "refused".to_owned(), text: text_of(&body) }
            }
            _ => {
                assert!([400, 422].contains(&status), "{status}: {body}");
                Answer::Failure { kind: body["kind"].as_str().unwrap().to_owned(), text: text_of(&body) }
            }
        }
    }

    fn call_over_mcp(&self, name: &str, arguments: &str, direct: &Answer) -> Answer {
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        Answer::of_mcp(&self.mcp("tools/call", &json!({"name": name, "arguments": arguments})), direct)
    }

    fn call_by_command(&self, name: &str, arguments: &[u8]) -> Answer {
        let words = ["run", name, "--yes", "--format", "json", "--input-json", "-"];
        let (code, mut body) = self.cli_with(&words, arguments);
        if body["success"] == true {
            assert_eq!(code, 0);
            let output = body["output"].take();
            let output = if output.is_object() { output } else { json!({"result": output}) };
            return Answer::Success { output: output.to_string() };
        }
        let kind = body["error_type"].as_str().unwrap().to_owned();
        let failed = [Reason::Other, Reason::NotFound, Reason::Conflict].map(FailureKind::Failed);
        let kinds = [FailureKind::Disabled, FailureKind::Input].into_iter().chain(failed);
        let mut codes = kinds.map(FailureKind::codes).filter(|codes| codes.error_type == kind);
        assert!(codes.any(|codes| codes.exit == code), "{code}: {body}");
        Answer::Failure { kind, text: text_of(&body) }
    }

    fn http(&self, path: &str, body: Option<&[u8]>) -> (u16, Value) {
        let (status, _, body) = self.http_with_wait(path, body);
        (status, body)
    }

    /// Returns the status, `Retry-After` and the body.
    pub(crate) fn http_with_wait(&self, path: &str, body: Option<&[u8]>) -> (u16, Option<String>, Value) {
        let url = format!("http://{}{path}", self.http);
        let answer = match body {
            None => self.agent.get(url).call(),
            Some(body) => self.agent.post(url).content_type("application/json").send(body),
        };
        let mut answer = answer.unwrap();
        let wait = answer.headers().get("retry-after").map(|wait| wait.to_str().unwrap().to_owned());
        (answer.status().as_u16(), wait, json_of(&answer.body_mut().read_to_string().unwrap()))
    }

    pub(crate) fn mcp(&self, method: &str, params: &Value) -> Value {
        let mut params = params.clone();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let mut request = self
            .agent
            .post(format!("http://{}/mcp", self.mcp))
            .content_type("application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method);
        if let Some(name) = params["name"].as_str() {
            request = request.header("mcp-name", name);
        }
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        json_of(&request.send(body.to_string()).unwrap().body_mut().read_to_string().unwrap())
    }

    pub(crate) fn cli(&self, arguments: &[&str]) -> (u8, Value) {
        self.cli_with(arguments, &[])
    }

    /// Returns the human-readable output of the command line.
    pub(crate) fn cli_text(&self, arguments: &[&str]) -> String {
        self.cli_output(arguments, &[]).1
    }

    fn cli_with(&self, arguments: &[&str], stdin: &[u8]) -> (u8, Value) {
        let (code, text) = self.cli_output(arguments, stdin);
        (code, json_of(&text))
    }

    fn cli_output(&self, arguments: &[&str], stdin: &[u8]) -> (u8, String) {
        let (stdout, stderr) = (Buffer::default(), Buffer::default());
        let streams = Streams::new(std::io::Cursor::new(stdin.to_vec()), stdout.clone(), stderr.clone());
        let app = App::new("weather", self.cli.clone());
        let code = self.runtime.block_on(app.run_with(arguments.iter().copied(), streams));
        (code, stdout.text())
    }
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
