//! A server of MCP that does whatever a server must not do. It writes its messages by hand, and is started by the tests as
//! a process of its own.

#![expect(clippy::needless_pass_by_value, reason = "a literal of JSON reads better without a borrow")]

use std::io::{BufRead as _, Write as _};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tool_mcp::upstream::Upstream;

/// Set where [`serve`] is to be the server: words that say how it behaves.
const SERVE: &str = "TOOL_MCP_TEST_HOSTILE";

/// No test, but the server that the tests start.
#[test]
fn serve() {
    let Ok(ways) = std::env::var(SERVE) else { return };
    Hostile::new(&ways).run();
    // Not back to the harness, which would have its say on standard output.
    std::process::exit(0);
}

/// The server that behaves in these ways: this very program again, whose test harness writes some lines of its own first.
pub(crate) fn server(name: &str, ways: &str) -> Upstream {
    let program = std::env::current_exe().unwrap();
    Upstream::command(name, program.to_str().unwrap())
        .args(["--exact", "hostile::serve", "--nocapture"])
        .env(SERVE, ways)
}

/// A message with what no value of ours can hold in the place of a text that names it.
pub(crate) fn odd_text(message: &Value) -> String {
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
    ways: Vec<String>,
    /// Requests that were taken back.
    cancelled: Vec<Value>,
    /// Requests that are never answered.
    waiting: Vec<Value>,
    changed: bool,
    listens: Option<Value>,
    probe: Option<Value>,
}

impl Hostile {
    fn new(ways: &str) -> Self {
        let ways = ways.split(' ').map(str::to_owned).collect();
        Hostile { ways, cancelled: vec![], waiting: vec![], changed: false, listens: None, probe: None }
    }

    fn is(&self, way: &str) -> bool {
        self.ways.iter().any(|is| is == way)
    }

    fn modern(&self) -> bool {
        self.is("modern")
    }

    fn run(&mut self) {
        if self.is("exits") {
            eprintln!("the key is {}", std::env::var("HOSTILE_KEY").unwrap_or_default());
            std::process::exit(7);
        }
        if self.is("floods") {
            loop {
                println!("this is no message");
            }
        }
        // A file that is there says whether this is the first start.
        if let Ok(file) = std::env::var("HOSTILE_ONCE")
            && std::fs::remove_file(&file).is_ok()
        {
            std::process::exit(9);
        }
        for line in std::io::stdin().lock().lines() {
            let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
            self.take(&message);
        }
        if self.is("stays") {
            // Deaf to the end of its input, and to being asked.
            // A shell can do what needs `unsafe` here.
            let _ = std::os::unix::process::CommandExt::exec(
                Command::new("sh").args(["-c", "trap '' TERM; while :; do sleep 1; done"]),
            );
        }
    }

    fn take(&mut self, message: &Value) {
        let (id, params) = (&message["id"], &message["params"]);
        if self.is("mute") {
            return;
        }
        match message["method"].as_str().unwrap_or_default() {
            "server/discover" if self.is("late") => self.probe = Some(id.clone()),
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
            "notifications/cancelled" => self.cancelled.push(params["requestId"].clone()),
            "subscriptions/listen" => {
                self.listens = Some(id.clone());
                self.write(&json!({
                    "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                    "params": {"notifications": {"toolsListChanged": true}, "_meta": {"io.modelcontextprotocol/subscriptionId": id}},
                }));
            }
            // Once it was listed, it does not listen any more.
            "tools/list" if self.is("deaf") && self.changed => self.waiting.push(id.clone()),
            "tools/list" => self.list(id, params),
            "tools/call" => self.call(id, params),
            _ if message.get("method").is_none() => {
                // The answer to what we asked: so the call that asked goes on.
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
        let reads = || json!({"readOnlyHint": true});
        let tools = if self.is("endless") {
            vec![tool(&format!("page_{page}"), json!({}))]
        } else if page == 0 {
            let text =
                json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
            vec![
                json!({"name": "echo", "title": "Echo", "description": "Says it again.", "inputSchema": text, "annotations": reads()}),
                tool("slow", reads()),
                tool("slow_write", json!({})),
                tool("die", reads()),
                tool("die_writing", json!({})),
                tool("giant", reads()),
                tool("garbage", reads()),
                tool("change", json!({})),
                tool("cancelled", reads()),
                tool("progress", reads()),
            ]
        } else {
            let number =
                json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
            let mut tools = vec![
                tool("environment", reads()),
                tool("family", reads()),
                tool("refuse", reads()),
                tool("error", reads()),
                tool("rich", reads()),
                json!({"name": "lie", "inputSchema": empty, "outputSchema": number, "annotations": reads()}),
                json!({"name": "truth", "inputSchema": empty, "outputSchema": number, "annotations": reads()}),
                tool("ask", json!({})),
                tool("nonsense", reads()),
                tool("trace", reads()),
            ];
            if self.is("malformed") {
                let recursive =
                    json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/a"}}});
                tools.extend([
                    json!({"name": 5, "inputSchema": empty}),
                    json!({"name": "echo", "inputSchema": empty}),
                    json!({"name": "no schema"}),
                    json!({"name": "elsewhere", "inputSchema": recursive}),
                    json!("a tool"),
                    tool("last", reads()),
                ]);
            }
            if self.is("unreadable") {
                tools.extend([
                    json!({"name": "lone", "description": "@lone", "inputSchema": empty}),
                    json!({"name": "deep", "inputSchema": {"type": "object", "x": "@deep"}}),
                    json!({"name": "long", "inputSchema": {"type": "object", "x": "@long"}}),
                ]);
            }
            if self.is("vast") {
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
                tools.push(tool("extra", reads()));
            }
            tools
        };
        let next = match page {
            _ if self.is("endless") => Some(page + 1),
            1 if self.is("circles") => Some(1),
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
        if self.is("clogs") {
            // It is there, and reads no more.
            loop {
                std::thread::park();
            }
        }
        if self.is("asks") {
            for id in 0.. {
                self.write(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
            }
        }
        match params["name"].as_str().unwrap() {
            "echo" => self.text(id, params["arguments"]["text"].as_str().unwrap()),
            "slow" | "slow_write" => self.waiting.push(id.clone()),
            "die" | "die_writing" => std::process::exit(3),
            "giant" => {
                let mut out = std::io::stdout().lock();
                // Whoever reads it leaves before its end.
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
                let meta = self.listens.as_ref().map(|id| json!({"io.modelcontextprotocol/subscriptionId": id}));
                self.write(&json!({
                    "jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {"_meta": meta},
                }));
                self.text(id, "changed");
            }
            "cancelled" => self.text(id, &self.cancelled.len().to_string()),
            "progress" => {
                let token = &params["_meta"]["progressToken"];
                for (done, message) in [(0.25, "a quarter"), (0.5, "half"), (1.0, "all")] {
                    self.write(&json!({
                        "jsonrpc": "2.0", "method": "notifications/progress",
                        "params": {"progressToken": token, "progress": done, "total": 1.0, "message": message},
                    }));
                }
                self.text(id, "done");
            }
            "environment" => {
                let names: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
                self.text(id, &names.join(" "));
            }
            "family" => {
                // A child that outlives us unless somebody sees to it.
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

    /// A result, as the version that is spoken wants it.
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
        // Whoever reads may have left.
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{}", odd_text(message)).and_then(|()| out.flush());
    }
}
