//! Large results in both eras: previews, links and reads of parts.

use serde_json::{Value, json};
use tool_core::authentication::Bearer;
use tool_core::results::{ResultLimits, ResultStore};
use tool_core::{
    CallOptions, Content, DynamicTool, Operation, Output, Principal, Registry, RegistryBuilder,
    ToolDefinition, ToolError, tool,
};
use tool_mcp::{Discovery, Surfaces};

use crate::support::{MODERN, TestServer, modern_body, request_both, take_call_id};

/// Counts to a number.
#[tool(operation = Read)]
fn count_to(
    /** How far. */
    n: usize,
) -> Vec<usize> {
    (1..=n).collect()
}

/// A long line.
#[tool(operation = Read)]
fn long_line() -> String {
    "é".repeat(1_000)
}

/// A list that is read as a resource.
#[tool(operation = Read)]
fn long_list() -> Vec<usize> {
    count_to(1_000)
}

/// Fails at length.
#[tool(operation = Read)]
fn fail_at_length() -> Result<(), ToolError> {
    Err(ToolError::failed("it rains ".repeat(200)))
}

/// Says how many there are.
#[tool(operation = Read)]
fn how_many() -> usize {
    3
}

/// A tree.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Tree {
    branches: Vec<Tree>,
}

/// Grows a tree.
#[tool(operation = Read)]
fn grow() -> Tree {
    Tree { branches: (0..500).map(|_| Tree { branches: Vec::new() }).collect() }
}

/// A text that takes twice as much as a string of JSON.
#[tool(operation = Read)]
fn quotes() -> String {
    "\"".repeat(700_000)
}

/// Spells a word out, at length.
#[tool(operation = Read, path = "spelled/{bytes}")]
fn spelled(#[arg(locator)] bytes: usize) -> String {
    "a".repeat(bytes)
}

/// A text that takes six times as much as a string of JSON.
#[tool(operation = Read)]
fn controls() -> String {
    "\u{1}".repeat(700_000)
}

/// A picture of a megabyte.
#[tool(operation = Read)]
fn large_picture() -> Vec<Content> {
    vec![Content::image(vec![1; 1_000_000], "image/png")]
}

/// A picture between two words.
#[tool(operation = Read)]
fn picture() -> Vec<Content> {
    vec![Content::text("before"), Content::image(vec![1; 3_000], "image/png"), Content::text("after")]
}

fn store() -> ResultStore {
    ResultStore::memory().limits(ResultLimits::new().threshold(1_000).media_above(2_000))
}

fn builder() -> RegistryBuilder {
    let here = |tool: &ToolDefinition| tool.source().module == module_path!() || tool.name() == "read_result";
    Registry::builder().linked().select(here)
}

fn registry(store: &ResultStore) -> Registry {
    builder().storing(store.clone()).build().unwrap()
}

fn server() -> TestServer {
    TestServer::with_registry(registry(&store()), |server| server)
}

fn call(server: &TestServer, name: &str, arguments: Value) -> Value {
    let (mut answer, _) = {
        let params = json!({"name": name, "arguments": arguments});
        let mut modern = server.request_modern("tools/call", params.clone()).json();
        let mut legacy = server.session().request("tools/call", params);
        take_call_id(&mut modern);
        take_call_id(&mut legacy);
        crate::support::take_modern(
            &mut modern,
            &json!({"name": "fixture", "title": "Fixture", "version": "1.0.0"}),
        );
        assert_eq!(modern, legacy);
        (legacy, ())
    };
    answer["result"].take()
}

fn read(server: &TestServer, uri: &str) -> Value {
    request_both(server, "resources/read", &json!({"uri": uri})).0
}

fn digest(result: &Value) -> String {
    let uri = result["content"].as_array().unwrap().iter().find_map(|block| block["uri"].as_str());
    uri.unwrap_or_else(|| panic!("{result}")).strip_prefix("fixture://result/").unwrap().to_owned()
}

#[test]
fn returns_a_preview_and_a_link_for_large_values() {
    let server = server();
    let result = call(&server, "count_to", json!({"n": 1_000}));
    let digest = digest(&result);
    let text: String =
        format!("[\n{}\n]", (1..=1_000).map(|n| n.to_string()).collect::<Vec<_>>().join(",\n"));
    let preview = &text[..499];
    assert!(text.starts_with(preview));
    let note = format!(
        "[These are the first 499 bytes of {} bytes in 1002 lines (application/json). The rest is kept: read it with the \
         tool `read_result`, by lines or with a search. digest: {digest}]",
        text.len()
    );
    assert_eq!(
        result,
        json!({
            "content": [
                {"type": "text", "text": format!("{preview}{note}")},
                {
                    "type": "resource_link",
                    "uri": format!("fixture://result/{digest}"),
                    "name": "result",
                    "title": "The whole result",
                    "mimeType": "application/json",
                    "size": text.len(),
                },
            ],
            "structuredContent": {
                "preview": preview,
                "mediaType": "application/json",
                "bytes": text.len(),
                "lines": 1002,
                "digest": digest,
                "uri": format!("fixture://result/{digest}"),
            },
            "isError": false,
        })
    );
    let small = call(&server, "count_to", json!({"n": 3}));
    assert_eq!(small["structuredContent"], json!({"result": [1, 2, 3]}));
}

#[test]
fn truncates_texts_failures_and_images() {
    let server = server();
    let line = call(&server, "long_line", json!({}));
    assert!(
        line["content"][0]["text"].as_str().unwrap().starts_with(&format!("{}\n[", "é".repeat(250))),
        "{line}"
    );
    assert!(line.get("structuredContent").is_none());
    let failed = call(&server, "fail_at_length", json!({}));
    assert_eq!(failed["isError"], true);
    let text = read(&server, &format!("fixture://result/{}", digest(&failed)));
    assert_eq!(text["result"]["contents"][0]["text"], "it rains ".repeat(200));
    let picture = call(&server, "picture", json!({}));
    let kinds: Vec<_> = picture["content"].as_array().unwrap().iter().map(|block| &block["type"]).collect();
    assert_eq!(kinds, ["text", "text", "resource_link", "text"], "{picture}");
    let whole = read(&server, &format!("fixture://result/{}", digest(&picture)));
    let contents = &whole["result"]["contents"][0];
    assert_eq!(contents["mimeType"], "image/png");
    assert_eq!(contents["blob"].as_str().unwrap().len(), 4_000);
}

#[test]
fn reads_parts_by_uri() {
    let server = server();
    let digest = digest(&call(&server, "count_to", json!({"n": 1_000})));
    let part = |query: &str| read(&server, &format!("fixture://result/{digest}{query}"));
    let text = |query: &str| {
        let read = part(query);
        let contents = &read["result"]["contents"][0];
        assert_eq!(contents["uri"], format!("fixture://result/{digest}{query}"));
        (contents["mimeType"].as_str().unwrap().to_owned(), contents["text"].as_str().unwrap().to_owned())
    };
    let (mime_type, whole) = text("");
    assert_eq!(
        (&*mime_type, serde_json::from_str::<Vec<usize>>(&whole).unwrap().len()),
        ("application/json", 1_000)
    );
    let plain = |text: &str| ("text/plain".to_owned(), text.to_owned());
    assert_eq!(text("?lines=2-3"), plain("1,\n2,\n"));
    assert_eq!(text("?lines=-2"), plain("1000\n]"));
    assert_eq!(text("?bytes=0-2"), plain("[\n1"));
    assert_eq!(text("?bytes=-1"), plain("]"));
    let (_, found) = text("?search=99&lines=900-");
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!((&found["total"], &found["matches"][0]["text"]), (&json!(11), &json!("899,")), "{found}");
    for (query, message) in [
        ("?lines=1003", "there are 1002 lines"),
        ("?bytes=99999-", "there are 4895 bytes"),
        ("?line=1", "unknown parameter `line`: known are lines, bytes, search"),
        ("?bytes=0&search=a", "`bytes` goes neither with `lines` nor with `search`"),
    ] {
        let rejected = part(query);
        assert_eq!(
            (&rejected["error"]["code"], &rejected["error"]["message"]),
            (&json!(-32602), &json!(message))
        );
    }
    // A client may cache a part as long as the server stores it. The cache is private to the caller.
    let (_, cached) =
        request_both(&server, "resources/read", &json!({"uri": format!("fixture://result/{digest}")}));
    let (ttl, scope) = cached.unwrap();
    assert!(ttl > 86_000_000 && scope == "private", "{ttl} {scope}");
}

/// Older clients reject a message of 1 MiB.
#[test]
fn limits_the_size_of_a_resource_read() {
    const LIMIT: usize = 768 * 1024;
    let with_store = server();
    let without_store = builder().build().unwrap();
    let without_store = TestServer::with_registry(without_store, |server| server);
    let exclusive = builder().build().unwrap();
    let exclusive = TestServer::with_registry(exclusive, |server| server.surfaces(Surfaces::Exclusive));
    for (server, remedy) in [
        (&with_store, "call the tool `spelled` instead, whose result is kept and can be read in parts"),
        (&without_store, "call the tool `spelled` instead, which is answered in full"),
        (&exclusive, "it cannot be read in parts"),
    ] {
        let read = |bytes: usize| read(server, &format!("fixture://spelled/{bytes}"));
        // A JSON string has two quotes.
        let whole = read(LIMIT - 2);
        assert_eq!(whole["result"]["contents"][0]["text"].as_str().map(str::len), Some(LIMIT - 2));
        let rejected = read(LIMIT - 1);
        let message = format!(
            "the resource has {} bytes as JSON, and one read gives at most {LIMIT}: {remedy}",
            LIMIT + 1
        );
        assert_eq!(
            (&rejected["error"]["code"], &rejected["error"]["message"]),
            (&json!(-32602), &json!(message))
        );
    }
}

/// Half a character is returned as bytes.
#[test]
fn reads_exact_bytes() {
    let server = server();
    let digest = digest(&call(&server, "long_line", json!({})));
    let part = read(&server, &format!("fixture://result/{digest}?bytes=1-1"));
    assert_eq!(part["result"]["contents"][0]["blob"], "qQ==", "{part}");
}

/// The listed output schema accepts every returned value.
#[test]
fn allows_previews_in_output_schemas() {
    let server = server();
    let (list, _) = request_both(&server, "tools/list", &json!({}));
    let schema = |name: &str| {
        let tools = list["result"]["tools"].as_array().unwrap();
        tools.iter().find(|tool| tool["name"] == name).unwrap()["outputSchema"].clone()
    };
    for (name, arguments) in
        [("count_to", json!({"n": 1_000})), ("count_to", json!({"n": 3})), ("grow", json!({}))]
    {
        let schema = schema(name);
        assert_eq!((&schema["type"], schema["anyOf"].as_array().unwrap().len()), (&json!("object"), 2));
        let value = call(&server, name, arguments)["structuredContent"].take();
        let tool = ToolDefinition::builder("any", "Any.").output_schema(schema.clone()).build().unwrap();
        let problems = tool.output_problems(&Output::json(&value).unwrap());
        assert!(problems.is_empty(), "{name}: {problems:?}\n{schema}\n{value}");
    }
    // A tool with small results has its plain schema.
    assert_eq!(schema("how_many")["properties"]["result"]["type"], "integer");
}

#[test]
fn returns_full_results_of_unselected_tools() {
    let chosen = store().for_tools(|tool| tool.name() == "count_to");
    let server = TestServer::with_registry(registry(&chosen), |server| server);
    let (list, _) = request_both(&server, "tools/list", &json!({}));
    let tools = list["result"]["tools"].as_array().unwrap();
    let schema = |name: &str| &tools.iter().find(|tool| tool["name"] == name).unwrap()["outputSchema"];
    assert!(schema("count_to")["anyOf"].is_array());
    assert_eq!(schema("long_list")["properties"]["result"]["type"], "array");
    let value = call(&server, "long_list", json!({}))["structuredContent"]["result"].take();
    assert_eq!(value.as_array().map(Vec::len), Some(1_000));
    digest(&call(&server, "count_to", json!({"n": 1_000})));
}

#[test]
fn limits_the_size_of_a_result_read() {
    let server = server();
    let uri = format!("fixture://result/{}", digest(&call(&server, "quotes", json!({}))));
    let rejected = read(&server, &uri);
    let next = rejected["error"]["data"]["next"].as_str().unwrap_or_else(|| panic!("{rejected}"));
    assert!(rejected["error"]["message"].as_str().unwrap().contains(next), "{rejected}");
    assert_eq!(rejected["error"]["data"]["bytes"], 700_000);
    let (mut text, mut next) = (String::new(), next.to_owned());
    while text.len() < 700_000 {
        let part = read(&server, &next);
        assert!(part.to_string().len() < 1 << 20);
        text.push_str(part["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{part}")));
        next = format!("{uri}?bytes={}-{}", text.len(), (text.len() + 300_000).min(700_000) - 1);
    }
    assert_eq!(text, "\"".repeat(700_000));
    // The limit of binary data applies to its base64.
    let uri = format!("fixture://result/{}", digest(&call(&server, "large_picture", json!({}))));
    let rejected = read(&server, &uri);
    assert_eq!(rejected["error"]["data"]["bytes"], 1_000_000, "{rejected:.200}");
    let part = read(&server, rejected["error"]["data"]["next"].as_str().unwrap());
    assert!(part["result"]["contents"][0]["blob"].is_string(), "{part:.200}");
}

#[test]
fn limits_the_size_of_a_read_result_page() {
    let store = ResultStore::memory().limits(ResultLimits::new().threshold(600_000));
    let server = TestServer::with_registry(registry(&store), |server| server);
    for name in ["quotes", "controls"] {
        let digest = digest(&call(&server, name, json!({})));
        let page = call(&server, "read_result", json!({"digest": digest}));
        assert!(page.to_string().len() < 1 << 20, "{name}: {} bytes", page.to_string().len());
        assert!(page["content"][0]["text"].as_str().unwrap().contains("next: {\"digest\""), "{name}");
    }
}

#[test]
fn lists_result_tools_and_templates() {
    let server = server();
    let (list, _) = request_both(&server, "tools/list", &json!({}));
    let tools = list["result"]["tools"].as_array().unwrap();
    assert!(
        tools.iter().any(|tool| tool["name"] == "read_result" && tool["annotations"]["readOnlyHint"] == true)
    );
    let (list, _) = request_both(&server, "resources/templates/list", &json!({}));
    let templates = list["result"]["resourceTemplates"].as_array().unwrap();
    let uris: Vec<_> = templates.iter().map(|template| template["uriTemplate"].as_str().unwrap()).collect();
    let own = ["fixture://result/{digest}", "fixture://result/{digest}{?lines,bytes,search}"];
    assert!(own.iter().all(|uri| uris.contains(uri)), "{uris:?}");
    for uri in own {
        let params = json!({"ref": {"type": "ref/resource", "uri": uri}, "argument": {"name": "digest", "value": "a"}});
        let (completed, _) = request_both(&server, "completion/complete", &params);
        assert_eq!(completed["result"]["completion"]["values"], json!([]), "{completed}");
    }
    // Without a store none of this is listed.
    let without_store = TestServer::with_registry(
        registry(&store()).with_options(&CallOptions::new().full_results()),
        |server| server,
    );
    let (list, _) = request_both(&without_store, "tools/list", &json!({}));
    assert!(
        list["result"]["tools"].as_array().unwrap().iter().any(|tool| tool.get("outputSchema").is_some())
    );
    let (list, _) = request_both(&without_store, "resources/templates/list", &json!({}));
    assert!(!list.to_string().contains("result/{digest}"));
    let unknown = read(&without_store, &format!("fixture://result/{}", "0".repeat(64)));
    assert_eq!(unknown["error"]["code"], -32602);
}

#[test]
fn returns_resources_in_full() {
    let server = server();
    let read = read(&server, "fixture://long_list");
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Vec<usize>>(text).unwrap().len(), 1_000);
}

#[test]
fn hides_results_of_other_callers() {
    let bearer = Bearer::new().token("swordfish-of-room-1", Principal::new("ada")).unwrap();
    let bearer = bearer.token("swordfish-of-room-2", Principal::new("bob")).unwrap();
    let server = TestServer::with_registry(registry(&store()), |server| server.authenticator(bearer));
    let request_as = |token: &str, method: &str, params: Value| {
        let name = params["name"].as_str().or(params["uri"].as_str()).unwrap().to_owned();
        let authorization = format!("Bearer {token}");
        let headers = [
            ("mcp-protocol-version", MODERN),
            ("mcp-method", method),
            ("mcp-name", &name),
            ("authorization", &authorization),
        ];
        server.post(&headers, &modern_body(method, params).to_string()).json()
    };
    let call = || json!({"name": "count_to", "arguments": {"n": 1_000}});
    let uri = format!(
        "fixture://result/{}",
        digest(&request_as("swordfish-of-room-1", "tools/call", call())["result"])
    );
    assert!(request_as("swordfish-of-room-1", "resources/read", json!({"uri": uri})).get("result").is_some());
    let other = request_as("swordfish-of-room-2", "resources/read", json!({"uri": uri}));
    let unknown = format!("fixture://result/{}", "0".repeat(64));
    let missing = request_as("swordfish-of-room-1", "resources/read", json!({"uri": unknown}));
    let masked = |answer: &Value, uri: &str| answer["error"].to_string().replace(uri, "…");
    assert_eq!(masked(&other, &uri), masked(&missing, &unknown));
    assert!(masked(&other, &uri).contains("Resource not found: …"), "{other}");
    // A caller who gets the same result can read it.
    request_as("swordfish-of-room-2", "tools/call", call());
    assert!(request_as("swordfish-of-room-2", "resources/read", json!({"uri": uri})).get("result").is_some());
}

#[test]
fn stores_full_listings() {
    let store = ResultStore::memory();
    let tools = crate::thousand::registry();
    let thousand = store.wrap(
        Registry::builder()
            .allow_empty()
            .storing(store.clone())
            .build()
            .unwrap()
            .providing(move || tools.clone()),
    );
    let server = TestServer::with_provider(thousand, |server| server.discovery(Discovery::TwoStep));
    let (list, _) = request_both(&server, "tools/list", &json!({}));
    let names: Vec<_> =
        list["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(
        names,
        ["list_available_tools", "list_tool_details", "call_read_only_tool", "call_tool", "read_result"]
    );

    let call_modern = |name: &str, arguments: Value| server.call_modern(name, arguments)["result"].take();
    let listing = call_modern("list_available_tools", json!({}));
    let whole = &listing["structuredContent"]["whole"];
    assert!(
        listing["structuredContent"]["tools"].as_array().unwrap().len() > 5,
        "the first page is its beginning"
    );
    assert_eq!(listing["content"][1]["uri"], whole["uri"]);
    assert_eq!(whole["lines"], 1000 + 2, "a line for each tool: {whole}");
    let again = call_modern("list_available_tools", json!({}));
    assert_eq!(again, listing);
    let next = call_modern("list_available_tools", json!({"page": 2}));
    assert!(next["structuredContent"].get("whole").is_none());
    // A different selection is a different listing.
    let few = call_modern("list_available_tools", json!({"search": "cancel a parcel"}));
    assert_ne!(few["structuredContent"]["whole"]["digest"], whole["digest"]);
    let found = call_modern(
        "read_result",
        json!({"digest": whole["digest"], "search": "\"tool\":\"cancel_parcel_3\""}),
    );
    assert!(
        found["content"][0]["text"]
            .as_str()
            .unwrap()
            .ends_with("[1 line with \"\\\"tool\\\":\\\"cancel_parcel_3\\\"\"]"),
        "{found}"
    );
    let detailed = call_modern("list_available_tools", json!({"detailed": true}));
    let read = server
        .request_modern("resources/read", json!({"uri": detailed["structuredContent"]["whole"]["uri"]}))
        .json();
    let rows: Value = serde_json::from_str(read["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert!(rows.as_array().unwrap().iter().all(|row| row["inputSchema"].is_object()));
}

#[test]
fn stores_large_tool_details() {
    let wide: serde_json::Map<String, Value> = (0..1_000)
        .map(|n| (format!("input_{n}"), json!({"type": "string", "description": "one of very many inputs"})))
        .collect();
    let schema = json!({"type": "object", "properties": wide, "additionalProperties": false});
    let definition = ToolDefinition::builder("wide", "Takes much.")
        .operation(Operation::Read)
        .input_schema(schema.clone());
    let tool = DynamicTool::new(definition.build().unwrap(), |_, _: Value| async { Ok(Output::empty()) });
    let registry = Registry::builder().tool(tool).storing(ResultStore::memory()).build().unwrap();
    let server = TestServer::with_registry(registry, |server| server.discovery(Discovery::TwoStep));
    let arguments = json!({"server": "fixture", "tool_name": "wide"});
    let (details, _) =
        request_both(&server, "tools/call", &json!({"name": "list_tool_details", "arguments": arguments}));
    let preview = &details["result"]["structuredContent"];
    assert_eq!((&preview["name"], &preview["server"]), (&json!("wide"), &json!("fixture")), "{details}");
    assert!(preview["preview"].as_str().unwrap().starts_with("{\n  \"name\": \"wide\","));
    assert_eq!(details["result"]["content"][1]["uri"], preview["uri"]);
    let whole = read(&server, preview["uri"].as_str().unwrap());
    let whole: Value =
        serde_json::from_str(whole["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(whole["inputSchema"], schema);
}
