//! A result too large to show, with real data: four years of two cities.

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tool_core::results::ResultStore;

/// Returns arguments for all days of the archive.
fn all_days() -> Value {
    json!({"from": "2012-01-01", "to": "2015-12-31", "limit": 5000})
}

struct RunningServers {
    mcp: String,
    http: String,
    _runtime: Runtime,
}

impl RunningServers {
    /// Starts an MCP and an HTTP server with one store in a directory.
    fn start(directory: &std::path::Path) -> Self {
        let store = ResultStore::local(directory).unwrap();
        let registry = weather::builder("unused").storing(store).build().unwrap();
        let runtime = Runtime::new().unwrap();
        let (mcp, http) = runtime.block_on(async {
            let mcp = tool_mcp::Server::new(registry.clone())
                .name("weather")
                .serve_http("127.0.0.1:0")
                .await
                .unwrap();
            let options = tool_http::Options::new().allow_execute(true).excerpts(true);
            let http =
                tool_http::Server::new(registry).options(options).bind(("127.0.0.1", 0)).await.unwrap();
            let urls = (format!("http://{}/mcp", mcp.local_addr()), format!("http://{}", http.local_addr()));
            tokio::spawn(mcp.run());
            tokio::spawn(async move { http.run(std::future::pending::<()>()).await });
            urls
        });
        RunningServers { mcp, http, _runtime: runtime }
    }

    fn send_mcp(&self, method: &str, mut params: Value) -> Value {
        let name = params["name"].as_str().or(params["uri"].as_str()).unwrap().to_owned();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let request = ureq::post(&self.mcp)
            .content_type("application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method)
            .header("mcp-name", name);
        let text = request.send(body).unwrap().body_mut().read_to_string().unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["result"].take()
    }

    fn read_result(&self, arguments: &Value) -> String {
        let result = self.send_mcp("tools/call", json!({"name": "read_result", "arguments": arguments}));
        result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned()
    }
}

#[test]
fn stores_large_results_and_reads_parts() {
    let cache = tempfile::tempdir().unwrap();
    let running = RunningServers::start(&cache.path().join("results"));
    let result = running.send_mcp("tools/call", json!({"name": "find_days", "arguments": all_days()}));
    assert_eq!(result["isError"], false, "{result}");
    let [preview, link] = &result["content"].as_array().unwrap()[..] else { panic!("{result}") };
    assert!(result.to_string().len() < 6_000, "the preview is short");
    assert!(preview["text"].as_str().unwrap().starts_with("{\n\"days\":[\n{\"location\":"), "{preview}");
    let found = &result["structuredContent"];
    assert_eq!((&found["uri"], &found["bytes"]), (&link["uri"], &link["size"]));
    let digest = found["digest"].as_str().unwrap();
    assert_eq!(link["uri"], format!("weather://result/{digest}"));

    // A model searches the stored result.
    let page = running.read_result(&json!({"digest": digest, "search": "\"weather\":\"snow\""}));
    assert!(page.contains("lines with"), "{page}");
    let last = running.read_result(&json!({"digest": digest, "lines": "-4"}));
    assert!(last.contains("\"date\":\"2015-12-31\""), "{last}");

    // Another program gets the full result over HTTP; both callers are anonymous.
    let call = format!("{}/tools/find_days/call", running.http);
    let call = ureq::post(&call).content_type("application/json").send(all_days().to_string());
    let called: Value = serde_json::from_str(&call.unwrap().body_mut().read_to_string().unwrap()).unwrap();
    let location = called["structuredContent"]["location"].as_str().unwrap();
    assert_eq!(location, format!("../../results/{digest}"));
    let url = format!("{}/results/{digest}", running.http);
    let full = ureq::get(&url).call().unwrap().body_mut().read_to_string().unwrap();
    let read = running.send_mcp("resources/read", json!({"uri": link["uri"]}));
    assert_eq!(read["contents"][0]["text"], full);
    let days: Value = serde_json::from_str(&full).unwrap();
    assert_eq!(days["days"].as_array().unwrap().len(), 2 * 1461);
    let part = ureq::get(&url).header("range", "bytes=2-8").call().unwrap();
    assert_eq!(
        (part.status().as_u16(), part.headers()["content-range"].to_str().unwrap()),
        (206, &*format!("bytes 2-8/{}", full.len()))
    );
    assert_eq!(part.into_body().read_to_string().unwrap(), full[2..9]);
}
