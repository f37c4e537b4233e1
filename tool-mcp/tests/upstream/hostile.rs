//! An MCP server that violates the protocol in many ways. The tests start it as a child process.

#![expect(clippy::needless_pass_by_value, reason = "a literal of JSON reads better without a borrow")]

use std::io::{BufRead as _, Write as _};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tool_mcp::upstream::Upstream;

/// Selects the modes of [`serve`], separated by spaces.
const SERVE: &str = "TOOL_MCP_TEST_HOSTILE";

/// Not a test: the server process of the tests.
#[test]
fn serve() {
    let Ok(modes) = std::env::var(SERVE) else { return };
    Hostile::new(&modes).run();
    // The test harness must not write to standard output.
    std::process::exit(0);
}

/// Starts this binary as a server with these modes. The test harness writes some lines first.
pub(crate) fn server(name: &str, modes: &str) -> Upstream {
    let program = std::env::current_exe().unwrap();
    Upstream::command(name, program.to_str().unwrap())
        .args(["--exact", "hostile::serve", "--nocapture"])
        .env(SERVE, modes)
}

/// Renders a message, with placeholders replaced by JSON that `Value` cannot hold.
pub(crate) fn render(message: &Value) -> String {
    let mut text = message.to_string();
    if !text.contains('@') {
        return text;
    }
    text.truncate(text.find("@cut").unwrap_or(text.len()));
    let nested = "[".repeat(200) + &"]".repeat(200);
    text.replace("\"@lone\"", r#""\ud800""#)
        .replace("\"@deep\"", &nested)
        .replace("\"@long\"", &"9".repeat(400))
}

struct Hostile {
    modes: Vec<String>,
    /// Canceled requests.
    canceled: Vec<Value>,
    /// Requests that are never answered.
    waiting: Vec<Value>,
    changed: bool,
    subscription: Option<Value>,
    probe: Option<Value>,
}

impl Hostile {
    fn new(modes: &str) -> Self {
        let modes = modes.split(' ').map(str::to_owned).collect();
        Hostile { modes, canceled: vec![], waiting: vec![], changed: false, subscription: None, probe: None }
    }

    fn has(&self, mode: &str) -> bool {
        self.modes.iter().any(|other| other == mode)
    }

    fn modern(&self) -> bool {
        self.has("modern")
    }

    fn run(&mut self) {
        if self.has("exits") {
            eprintln!("the key is {}", std::env::var("HOSTILE_KEY").unwrap_or_default());
            std::process::exit(7);
        }
        if self.has("floods") {
            loop {
                println!("this is no message");
            }
        }
        if self.has("heir") {
            // A child that keeps the output open after the end of this process.
            #[expect(clippy::zombie_processes, reason = "that is the point")]
            let _heir = Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn().unwrap();
        }
        // The file exists only at the first start.
        if let Ok(file) = std::env::var("HOSTILE_ONCE")
            && std::fs::remove_file(&file).is_ok()
        {
            std::process::exit(9);
        }
        for line in std::io::stdin().lock().lines() {
            let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
            self.handle(&message);
        }
        if self.has("stays") {
            // Ignores the end of its input and SIGTERM.
            // A shell ignores the signal without `unsafe`.
            let _ = std::os::unix::process::CommandExt::exec(
                Command::new("sh").args(["-c", "trap '' TERM; while :; do sleep 1; done"]),
            );
        }
    }

    fn handle(&mut self, message: &Value) {
        let (id, params) = (&message["id"], &message["params"]);
        if self.has("mute") {
            return;
        }
        match message["method"].as_str().unwrap_or_default() {
            "server/discover" if self.has("late") => self.probe = Some(id.clone()),
            "server/discover" if self.modern() => self.answer(id, json!({
                "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "public",
                "capabilities": {"tools": {"listChanged": true}},
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "hostile", "version": "1.0.0"}},
            })),
            "initialize" => {
                if let Some(probe) = self.probe.take() {
                    self.error(&probe, -32601, "Method not found");
                }
                self.answer(id, json!({
                    "protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": true}},
                    "serverInfo": {"name": "hostile", "version": "1.0.0"},
                }));
            }
            "notifications/initialized" => {}
            "notifications/cancelled" => self.canceled.push(params["requestId"].clone()),
            "subscriptions/listen" => {
                self.subscription = Some(id.clone());
                self.write(&json!({
                    "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                    "params": {"notifications": {"toolsListChanged": true}, "_meta": {"io.modelcontextprotocol/subscriptionId": id}},
                }));
            }
            // Does not answer after a change.
            "tools/list" if self.has("deaf") && self.changed => self.waiting.push(id.clone()),
            "tools/list" => self.list(id, params),
            "tools/call" => self.call(id, params),
            _ if message.get("method").is_none() => {
                // The answer to a request of this server completes the call that sent it.
                let waiting = self.waiting.pop().unwrap();
                self.text(&waiting, &json!({"result": message["result"], "error": message["error"]["message"]}).to_string());
            }
            _ => self.error(id, -32601, "Method not found"),
        }
    }

    fn list(&mut self, id: &Value, params: &Value) {
        let page: usize = params["cursor"].as_str().map_or(0, |cursor| cursor.parse().unwrap());
        let empty = json!({"type": "object"});
        let tool = |name: &str, hints: Value| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": hints});
        let read_only = || json!({"readOnlyHint": true});
        let tools = if self.has("endless") {
            vec![tool(&format!("page_{page}"), json!({}))]
        } else if page == 0 {
            let text =
                json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
            vec![
                json!({"name": "echo", "title": "Echo", "description": "Says it again.", "inputSchema": text, "annotations": read_only()}),
                tool("slow", read_only()),
                tool("slow_write", json!({})),
                tool("die", read_only()),
                tool("die_writing", json!({})),
                tool("giant", read_only()),
                tool("garbage", read_only()),
                tool("change", json!({})),
                tool("cancelled", read_only()),
                tool("progress", read_only()),
            ]
        } else {
            let number =
                json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
            let mut tools = vec![
                tool("environment", read_only()),
                tool("family", read_only()),
                tool("refuse", read_only()),
                tool("error", read_only()),
                tool("rich", read_only()),
                json!({"name": "lie", "inputSchema": empty, "outputSchema": number, "annotations": read_only()}),
                json!({"name": "truth", "inputSchema": empty, "outputSchema": number, "annotations": read_only()}),
                tool("ask", json!({})),
                tool("nonsense", read_only()),
                tool("trace", read_only()),
            ];
            if self.has("heir") {
                tools.push(tool("last_words", read_only()));
            }
            if self.has("malformed") {
                let recursive =
                    json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/a"}}});
                tools.extend([
                    json!({"name": 5, "inputSchema": empty}),
                    json!({"name": "echo", "inputSchema": empty}),
                    json!({"name": "no schema"}),
                    json!({"name": "elsewhere", "inputSchema": recursive}),
                    json!("a tool"),
                    tool("last", read_only()),
                ]);
            }
            if self.has("unreadable") {
                tools.extend([
                    json!({"name": "lone", "description": "@lone", "inputSchema": empty}),
                    json!({"name": "deep", "inputSchema": {"type": "object", "x": "@deep"}}),
                    json!({"name": "long", "inputSchema": {"type": "object", "x": "@long"}}),
                ]);
            }
            if self.has("vast") {
                let properties: serde_json::Map<String, Value> = (0..200_000)
                    .map(|n| {
                        (
                            format!("property_{n}"),
                            json!({"type": "string", "description": "Something of it."}),
                        )
                    })
                    .collect();
                tools.push(
                    json!({"name": "vast", "inputSchema": {"type": "object", "properties": properties}}),
                );
            }
            if self.changed {
                tools.push(tool("extra", read_only()));
            }
            tools
        };
        let next = match page {
            _ if self.has("endless") => Some(page + 1),
            1 if self.has("circles") => Some(1),
            0 => Some(1),
            _ => None,
        };
        let mut list = json!({"tools": tools});
        if self.modern() {
            list = json!({"resultType": "complete", "ttlMs": 60_000, "cacheScope": "public", "tools": tools});
        }
        if let Some(next) = next {
            list["nextCursor"] = next.to_string().into();
        }
        self.answer(id, list);
    }

    fn call(&mut self, id: &Value, params: &Value) {
        if self.has("clogs") {
            // Stays alive, but stops reading.
            loop {
                std::thread::park();
            }
        }
        if self.has("asks") {
            for id in 0.. {
                self.write(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
            }
        }
        match params["name"].as_str().unwrap() {
            "echo" => self.text(id, params["arguments"]["text"].as_str().unwrap()),
            "slow" | "slow_write" => self.waiting.push(id.clone()),
            "die" | "die_writing" => std::process::exit(3),
            "last_words" => {
                self.text(id, "farewell");
                std::process::exit(3);
            }
            "giant" => {
                let mut out = std::io::stdout().lock();
                // The client disconnects before the end.
                while out.write_all(&[b'x'; 1 << 16]).is_ok() {}
            }
            "garbage" => {
                println!("\u{1b}[31mwarning\u{1b}[0m: this is no message");
                println!("{{\"jsonrpc\": \"2.0\", \"id\": 10000, \"result\": {{}}}}");
                println!("{{\"jsonrpc\": \"2.0\", \"method\": \"notifications/who_knows\"}}");
                std::io::stdout().write_all(b"\xff\xfe\n\n[]\n").unwrap();
                self.text(id, "after the garbage");
            }
            "change" => {
                self.changed = !self.changed;
                let meta = self.subscription.as_ref().map(|id| json!({"io.modelcontextprotocol/subscriptionId": id}));
                self.write(&json!({
                    "jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {"_meta": meta},
                }));
                self.text(id, "changed");
            }
            "cancelled" => self.text(id, &self.canceled.len().to_string()),
            "progress" => {
                let token = &params["_meta"]["progressToken"];
                for (progress, message) in [(0.25, "a quarter"), (0.5, "half"), (1.0, "all")] {
                    self.write(&json!({
                        "jsonrpc": "2.0", "method": "notifications/progress",
                        "params": {"progressToken": token, "progress": progress, "total": 1.0, "message": message},
                    }));
                }
                self.text(id, "done");
            }
            "environment" => {
                let names: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
                self.text(id, &names.join(" "));
            }
            "family" => {
                // A child that outlives this process unless it is killed.
                #[expect(clippy::zombie_processes, reason = "that is the point")]
                let child = Command::new("sleep").arg("1000").stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
                self.text(id, &format!("{} {}", std::process::id(), child.id()));
            }
            "refuse" => self.error(id, -32602, "Unknown tool: refuse"),
            "error" => self.answer(id, self.complete(json!({
                "content": [
                    {"type": "text", "text": "the disk is full"},
                    {"type": "image", "data": "AQID", "mimeType": "image/png"},
                ],
                "isError": true,
            }))),
            "rich" => self.answer(id, self.complete(json!({
                "content": [
                    {"type": "text", "text": "three rows", "annotations": {"audience": ["user"]}},
                    {"type": "image", "data": "AQID", "mimeType": "image/png"},
                    {"type": "audio", "data": "AQ==", "mimeType": "audio/wav"},
                    {"type": "resource_link", "uri": "file:///a", "name": "a", "mimeType": "text/plain"},
                    {"type": "resource", "resource": {"uri": "file:///b", "text": "b"}},
                    {"type": "hologram", "depth": 3},
                ],
                "structuredContent": {"rows": 3},
            }))),
            "lie" => self.answer(id, self.complete(json!({"content": [], "structuredContent": {"n": "three"}}))),
            "truth" => self.answer(id, self.complete(json!({"content": [], "structuredContent": {"n": 3}}))),
            "ask" if self.modern() => self.answer(id, json!({
                "resultType": "input_required", "requestState": "x",
                "inputRequests": {"a": {"method": "elicitation/create", "params": {
                    "mode": "form", "message": "Who?", "requestedSchema": {"type": "object", "properties": {}},
                }}},
            })),
            "ask" => {
                self.waiting.push(id.clone());
                self.write(&json!({"jsonrpc": "2.0", "id": "q", "method": "sampling/createMessage", "params": {
                    "messages": [{"role": "user", "content": {"type": "text", "text": "Who?"}}], "maxTokens": 5,
                }}));
            }
            "nonsense" => self.answer(id, json!({"whatever": true})),
            "trace" => self.text(id, params["_meta"]["traceparent"].as_str().unwrap_or("none")),
            "extra" => self.text(id, "extra"),
            other => self.error(id, -32602, &format!("Unknown tool: {other}")),
        }
    }

    /// A result in the shape of the protocol version.
    fn complete(&self, mut result: Value) -> Value {
        if self.modern() {
            result["resultType"] = "complete".into();
        }
        result
    }

    fn text(&self, id: &Value, text: &str) {
        self.answer(id, self.complete(json!({"content": [{"type": "text", "text": text}]})));
    }

    fn answer(&self, id: &Value, result: Value) {
        self.write(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    fn error(&self, id: &Value, code: i64, message: &str) {
        self.write(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}));
    }

    fn write(&self, message: &Value) {
        // The client may have disconnected.
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{}", render(message)).and_then(|()| out.flush());
    }
}
