//! Resources, resource templates, and the registry as a resource.

use jiff::civil::Date;
use serde_json::{Value, json};
use tool_core::address::Surface;
use tool_core::completion::CompletionRequest;
use tool_core::{
    Content, Locator, Principal, PromptMessage, Registry, RegistryBuilder, ToolDefinition, ToolError, prompt,
    tool,
};
use tool_mcp::{ServeError, Server, Surfaces};

use crate::stdio::StdioClient;
use crate::support::{TestServer, modern_body, request_both};

/// A wing of the house.
#[derive(Clone, Copy, Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Wing {
    /// Where the sun rises.
    East,
    /// Where it sets.
    West,
}

impl Locator for Wing {}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Room {
    wing: Wing,
    number: u32,
    night: Date,
}

/// A room of the house on one night.
///
/// ```tool
/// {"wing": "east", "number": 7, "night": "2026-03-01"}
/// ```
#[tool(operation = Read, open_world = false, title = "Room", path = "room/{wing}/{number}/on/{night}", cache = "90s")]
fn room(
    /// Which wing.
    #[arg(locator)]
    wing: Wing,
    /// Its number.
    #[arg(locator, example = 7)]
    number: u32,
    /// The night.
    #[arg(locator, example = "2026-03-01")]
    night: Date,
) -> Result<Room, ToolError> {
    if number == 404 {
        return Err(ToolError::not_found("there is no room 404"));
    }
    if number == 500 {
        return Err(ToolError::unavailable("it is being painted"));
    }
    Ok(Room { wing, number, night })
}

/// The wings.
#[tool(operation = Explain, open_world = false, cache = "2m", tags = ["house", "plan"])]
fn wings() -> Vec<Wing> {
    vec![Wing::East, Wing::West]
}

/// The rules of the house.
#[tool(operation = Explain, open_world = false)]
fn rules() -> &'static str {
    "No smoking."
}

/// A picture of the house.
#[tool(operation = Read, open_world = false)]
fn photo() -> Content {
    Content::image([0xff, 0xd8], "image/jpeg")
}

/// A guest by name.
#[tool(operation = Read, open_world = false)]
fn guest(
    /** The name. */
    #[arg(locator)]
    name: String,
) -> String {
    format!("Guest {name}")
}

/// A booking by its identifier.
#[tool(operation = Read, open_world = false)]
fn booking(
    /** The identifier. */
    #[arg(locator)]
    id: uuid::Uuid,
) -> String {
    id.to_string()
}

/// What lies in a box of the safe.
#[tool(operation = Read, open_world = false, permission = "money")]
fn safe(
    /// Which box.
    #[arg(locator)]
    number: u8,
) -> u8 {
    number
}

/// The takings.
#[tool(operation = Read, open_world = false, permission = "money")]
fn takings() -> i64 {
    5
}

/// The cellar.
#[tool(operation = Read, open_world = false)]
fn cellar() -> i64 {
    panic!("it is dark")
}

/// Finds rooms.
#[tool(operation = Read, open_world = false)]
fn find_rooms(
    /// Which wing.
    wing: Option<Wing>,
    /// How many at most.
    #[arg(default = 5)]
    limit: u8,
) -> Vec<u8> {
    let _ = wing;
    (0..limit).collect()
}

/// Books a room.
#[tool(operation = Write, destructive = false)]
#[deprecated(since = "2.0.0", note = "call the house")]
fn book(
    /** Its number. */
    #[arg(locator)]
    number: u32,
) -> u32 {
    number
}

/// Completes guests, of one wing if it is given, as if from a database.
async fn guests(request: &CompletionRequest<'_>) -> Vec<String> {
    tokio::task::yield_now().await;
    let of_wing = |(_, wing): &(&str, &str)| request.argument("wing").is_none_or(|other| other == *wing);
    let guests = [("Ada", "east"), ("Alan", "west"), ("Grace", "east")].into_iter().filter(of_wing);
    guests.map(|(name, _)| name.to_owned()).filter(|name| name.starts_with(request.text())).collect()
}

/// Asks for a letter to a guest.
#[prompt(title = "Letter")]
fn letter(
    /// To whom.
    #[arg(complete = guests)]
    name: String,
    /// What it is about.
    topics: Vec<String>,
    /// How long.
    #[arg(default = 100)]
    words: u32,
    /// From which wing.
    wing: Option<Wing>,
) -> Result<Vec<PromptMessage>, ToolError> {
    if name == "nobody" {
        return Err(ToolError::not_found("nobody lives here"));
    }
    let from = wing.map(|wing| format!(" from the {wing:?} wing")).unwrap_or_default();
    let request = format!("Write {words} words to {name}{from} about {}.", topics.join(" and "));
    Ok(vec![PromptMessage::user(request), PromptMessage::assistant(Content::image([1], "image/png"))])
}

/// The tools and prompts of this module.
pub(crate) fn registry(settings: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Registry {
    let builder = Registry::builder()
        .linked()
        .select(|tool| tool.source().module == module_path!() && tool.name() != "result")
        .select_prompts(|prompt| prompt.source().module == module_path!());
    settings(builder).build().unwrap()
}

pub(crate) fn server() -> TestServer {
    TestServer::with_registry(registry(|builder| builder), |server| server.tool_meta(true))
}

fn digest(server: &TestServer, name: &str) -> String {
    server.registry.get(name).unwrap().digest().to_string()
}

fn listed<'l>(list: &'l Value, member: &str, key: &str) -> Vec<&'l str> {
    list["result"][member].as_array().unwrap().iter().map(|item| item[key].as_str().unwrap()).collect()
}

/// The contents of a URI, and their cache metadata.
fn read(server: &TestServer, uri: &str) -> (Value, (u64, String)) {
    let (mut answer, cached) = request_both(server, "resources/read", &json!({"uri": uri}));
    (answer["result"]["contents"].take(), cached.expect("a read has cache metadata"))
}

fn read_json(server: &TestServer, uri: &str) -> Value {
    let (contents, _) = read(server, uri);
    assert_eq!(contents.as_array().unwrap().len(), 1);
    assert_eq!((&contents[0]["uri"], &contents[0]["mimeType"]), (&json!(uri), &json!("application/json")));
    serde_json::from_str(contents[0]["text"].as_str().unwrap()).unwrap()
}

/// The error of a URI, and its code for legacy clients.
fn error(server: &TestServer, uri: &str) -> (Value, Value) {
    let modern = server.request_modern("resources/read", json!({"uri": uri})).json()["error"].take();
    let legacy = server.session().request("resources/read", json!({"uri": uri}))["error"].take();
    assert_eq!((&modern["message"], &modern["data"]), (&legacy["message"], &legacy["data"]), "{uri}");
    (modern, legacy["code"].clone())
}

#[test]
fn lists_reads_without_inputs_as_resources() {
    let server = server();
    let (list, cached) = request_both(&server, "resources/list", &json!({}));
    assert_eq!(cached, Some((60_000, "public".to_owned())));
    let uris =
        ["fixture://tools", "fixture://cellar", "fixture://photo", "fixture://rules", "fixture://wings"];
    assert_eq!(listed(&list, "resources", "uri"), uris);
    assert_eq!(
        list["result"]["resources"][0],
        json!({
            "uri": "fixture://tools",
            "name": "tools",
            "title": "Tools",
            "description": "Every tool that can be called here, with its signature.",
            "mimeType": "application/json",
        })
    );
    let expected = json!({
        "uri": "fixture://wings",
        "name": "wings",
        "description": "The wings.",
        "mimeType": "application/json",
        "_meta": {
            "tool-core/operation": "explain",
            "tool-core/digest": digest(&server, "wings"),
            "tool-core/tags": ["house", "plan"],
        },
    });
    assert_eq!(list["result"]["resources"][4], expected);
}

#[test]
fn lists_reads_with_locators_as_templates() {
    let server = server();
    let (list, cached) = request_both(&server, "resources/templates/list", &json!({}));
    assert_eq!(cached, Some((60_000, "public".to_owned())));
    let uris = [
        "fixture://tool/{name}",
        "fixture://booking/{id}",
        "fixture://guest/{name}",
        "fixture://room/{wing}/{number}/on/{night}",
    ];
    assert_eq!(listed(&list, "resourceTemplates", "uriTemplate"), uris);
    assert_eq!(
        list["result"]["resourceTemplates"][3],
        json!({
            "uriTemplate": "fixture://room/{wing}/{number}/on/{night}",
            "name": "room",
            "title": "Room",
            "description": "A room of the house on one night.",
            "mimeType": "application/json",
            "_meta": {"tool-core/operation": "read", "tool-core/digest": digest(&server, "room")},
        })
    );
}

const NAMES: [&str; 9] =
    ["book", "booking", "cellar", "find_rooms", "guest", "photo", "room", "rules", "wings"];

#[test]
fn lists_resources_as_tools_unless_exclusive() {
    let (list, _) = request_both(&server(), "tools/list", &json!({}));
    assert_eq!(listed(&list, "tools", "name"), NAMES);

    let exclusive =
        TestServer::with_registry(registry(|builder| builder), |server| server.surfaces(Surfaces::Exclusive));
    let (list, _) = request_both(&exclusive, "tools/list", &json!({}));
    assert_eq!(listed(&list, "tools", "name"), ["book", "find_rooms"]);
    for tool in exclusive.registry.tools() {
        let params = json!({"name": tool.name(), "arguments": tool.example()});
        let mut called = exclusive.request_modern("tools/call", params).json();
        match Surface::of(tool) {
            Surface::Tool => assert_eq!(called["result"]["isError"], false, "{called}"),
            _ => assert_eq!(called["error"].take()["code"], -32602, "{called}"),
        }
    }
    let (answer, _) = request_both(&exclusive, "tools/call", &json!({"name": "wings", "arguments": {}}));
    let message = "Tool not found: wings; read it at fixture://wings";
    assert_eq!(answer["error"], json!({"code": -32602, "message": message}));
    assert_eq!(read_json(&exclusive, "fixture://wings"), json!(["east", "west"]));
}

#[test]
fn returns_json_text_or_bytes() {
    let server = server();
    let one = |uri: &str, mime_type: &str, key: &str, value: &str| json!([{"uri": uri, "mimeType": mime_type, key: value}]);
    let none = || (0, "private".to_owned());
    let uri = "fixture://wings";
    let wings = one(uri, "application/json", "text", r#"["east","west"]"#);
    assert_eq!(read(&server, uri), (wings, (120_000, "public".to_owned())));
    let uri = "fixture://rules";
    assert_eq!(read(&server, uri), (one(uri, "text/plain", "text", "No smoking."), none()));
    let uri = "fixture://photo";
    assert_eq!(read(&server, uri), (one(uri, "image/jpeg", "blob", "/9g="), none()));
    let uri = "fixture://room/west/12/on/2026-03-01";
    let room = one(uri, "application/json", "text", r#"{"wing":"west","number":12,"night":"2026-03-01"}"#);
    assert_eq!(read(&server, uri), (room, (90_000, "public".to_owned())));
    let uri = "fixture://guest/S%C3%A3o%20%25%20%7Bx%7D";
    assert_eq!(read(&server, uri), (one(uri, "text/plain", "text", "Guest São % {x}"), none()));
    let uri = "fixture://booking/67e55044-10b1-426f-9247-bb680e5fe0c8";
    assert_eq!(read(&server, uri).0[0]["text"], "67e55044-10b1-426f-9247-bb680e5fe0c8");
}

#[test]
fn reports_invalid_variables_by_name() {
    let server = server();
    let uri = "fixture://room/north/twelve/on/2026-02-30";
    let (modern, legacy) = error(&server, uri);
    assert_eq!((&modern["code"], &legacy), (&json!(-32602), &json!(-32602)));
    let message = modern["message"].as_str().unwrap();
    for line in [
        "`wing`: expected",
        "`number`: expected an integer",
        "`night`: ",
        "fixture://room/east/7/on/2026-03-01",
    ] {
        assert!(message.contains(line), "{line} in {message}");
    }
    assert_eq!(modern["data"]["uri"], uri);
    assert_eq!(modern["data"]["problems"].as_array().unwrap().len(), 3, "{modern}");

    for segment in ["a%2Fb", "%2e%2e", "..", "%00", "%ff", "%"] {
        let uri = format!("fixture://guest/{segment}");
        let (modern, legacy) = error(&server, &uri);
        assert_eq!((&modern["code"], &legacy), (&json!(-32602), &json!(-32602)), "{uri}");
        assert_eq!(modern["data"], json!({"uri": uri, "variable": "name"}));
        assert!(modern["message"].as_str().unwrap().starts_with("the value of `name` "), "{modern}");
    }
}

#[test]
fn reports_missing_resources_in_both_eras() {
    let server = server();
    for uri in [
        "fixture://nope",
        "fixture://guest",
        "fixture://guest/a/b",
        "fixture://find_rooms",
        "fixture://book/7",
        "fixture://tool/nope",
        "fixture://tools/",
        "fixture://tools?all",
        "other://tools",
        "nonsense",
        "",
    ] {
        let (modern, legacy) = error(&server, uri);
        assert_eq!((&modern["code"], &legacy), (&json!(-32602), &json!(-32002)), "{uri}");
        assert_eq!(modern["message"], format!("Resource not found: {uri}"));
        assert_eq!(modern["data"], json!({"uri": uri}));
    }
    let (modern, legacy) = error(&server, "fixture://room/east/404/on/2026-03-01");
    assert_eq!((&modern["code"], &legacy), (&json!(-32602), &json!(-32002)));
    assert_eq!(modern["message"], "there is no room 404");
}

#[test]
fn maps_failures_to_error_codes() {
    let server = server();
    let (modern, legacy) = error(&server, "fixture://room/east/500/on/2026-03-01");
    assert_eq!((&modern["code"], &legacy), (&json!(-32603), &json!(-32603)));
    assert_eq!(modern["message"], "it is being painted");
    let (modern, _) = error(&server, "fixture://takings");
    let message = "`takings` needs the permission `money`, which the caller does not have";
    assert_eq!((&modern["code"], &modern["message"]), (&json!(-32603), &json!(message)));

    let uri = json!({"uri": "fixture://cellar"});
    let panicked = server.request_modern("resources/read", uri.clone()).json()["error"].take();
    let message = panicked["message"].as_str().unwrap();
    assert!(message.starts_with("internal error (call ") && !message.contains("dark"), "{panicked}");
    assert_eq!((&panicked["code"], &panicked["data"]), (&json!(-32603), &uri));
}

#[test]
fn requires_a_uri_string() {
    let server = server();
    for params in [json!({}), json!({"uri": 5})] {
        let answer = server.session().request("resources/read", params);
        assert_eq!(answer["error"], json!({"code": -32602, "message": "`uri` must be a string"}));
    }
}

#[test]
fn serves_the_registry_as_a_resource() {
    let server = server();
    let rows = read_json(&server, "fixture://tools");
    let names: Vec<_> = rows.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, NAMES);
    assert_eq!(
        rows[6].to_string(),
        json!({
            "name": "room",
            "signature": "room(wing: string, number: integer, night: string) -> Room",
            "description": "A room of the house on one night.",
            "operation": "read",
        })
        .to_string(),
        "keys have an order too"
    );
    let signatures: Vec<_> =
        rows.as_array().unwrap().iter().map(|row| row["signature"].as_str().unwrap()).collect();
    assert!(signatures.contains(&"find_rooms(wing?: string, limit: integer = 5) -> list[integer]"));
    assert!(signatures.contains(&"wings() -> list[string]"), "{signatures:?}");
}

#[test]
fn serves_a_page_for_each_tool() {
    let server = server();
    let page = read_json(&server, "fixture://tool/room");
    let wings = json!([
        {"value": "east", "description": "Where the sun rises."},
        {"value": "west", "description": "Where it sets."},
    ]);
    assert_eq!(
        page.to_string(),
        json!({
            "name": "room",
            "signature": "room(wing: string, number: integer, night: string) -> Room",
            "description": "A room of the house on one night.",
            "args": [
                {"name": "wing", "type": "string", "required": true, "description": "Which wing.", "locator": true, "allowed": wings},
                {"name": "number", "type": "integer", "required": true, "description": "Its number.", "locator": true},
                {"name": "night", "type": "string", "required": true, "description": "The night.", "locator": true},
            ],
            "examples": [{"wing": "east", "number": 7, "night": "2026-03-01"}],
            "operation": "read",
            "annotations": {
                "readOnlyHint": true,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": false,
            },
            "returns": server.registry.get("room").unwrap().outputs(),
        })
        .to_string()
    );
    let page = read_json(&server, "fixture://tool/find_rooms");
    assert_eq!(
        page["args"][1],
        json!({"name": "limit", "type": "integer", "required": false, "default": 5, "description": "How many at most."})
    );
    assert_eq!(read_json(&server, "fixture://tool/wings")["tags"], json!(["house", "plan"]));
    assert_eq!(read_json(&server, "fixture://tool/rules")["returns"], json!({"type": "content"}));
    let deprecated = json!({"since": "2.0.0", "note": "call the house"});
    assert_eq!(read_json(&server, "fixture://tool/book")["deprecated"], deprecated);
}

#[test]
fn serves_an_empty_registry() {
    let registry = Registry::builder().allow_empty().build().unwrap();
    let server = TestServer::with_registry(registry, |server| server);
    assert_eq!(read(&server, "fixture://tools").0[0]["text"], "[]");
    let (list, _) = request_both(&server, "resources/list", &json!({}));
    assert_eq!(listed(&list, "resources", "uri"), ["fixture://tools"]);
    let (list, _) = request_both(&server, "prompts/list", &json!({}));
    assert_eq!(list["result"], json!({"prompts": []}));
}

#[test]
fn lists_only_callable_tools() {
    // Anonymous callers lack the permission `money`.
    let server = server();
    assert!(server.registry.get("takings").is_some());
    assert_eq!(
        error(&server, "fixture://tool/takings").0["message"],
        "Resource not found: fixture://tool/takings"
    );

    let hidden = TestServer::with_registry(registry(RegistryBuilder::hide_denied), |server| server);
    let (modern, legacy) = error(&hidden, "fixture://takings");
    assert_eq!((&modern["code"], &legacy), (&json!(-32602), &json!(-32002)));
    assert_eq!(modern["message"], "Resource not found: fixture://takings");
    // An invalid variable does not reveal the hidden resource.
    let (bad, _) = error(&hidden, "fixture://safe/%ff");
    assert_eq!(bad["message"], "Resource not found: fixture://safe/%ff");
    let reference = json!({"type": "ref/resource", "uri": "fixture://safe/{number}"});
    let params = json!({"ref": reference, "argument": {"name": "nope", "value": ""}});
    let (bad, _) = request_both(&hidden, "completion/complete", &params);
    assert_eq!(bad["error"]["message"], "Resource not found: fixture://safe/{number}");

    let read_only = TestServer::with_registry(registry(RegistryBuilder::read_only), |server| server);
    let rows = read_json(&read_only, "fixture://tools");
    assert!(!rows.to_string().contains(r#""name":"book""#), "{rows}");
}

#[test]
fn applies_local_grants_over_stdio() {
    let mut client = StdioClient::start_with("surfaces");
    let listed = client.exchange(modern_body("resources/list", json!({})));
    assert_eq!(listed["result"]["resources"][0]["uri"], "fixture://tools");
    assert_eq!(listed["result"]["ttlMs"], 60_000);
    let read = client.exchange(modern_body("resources/read", json!({"uri": "fixture://wings"})));
    assert_eq!(read["result"]["contents"][0]["text"], r#"["east","west"]"#);
    let unknown = client.exchange(modern_body("resources/read", json!({"uri": "fixture://nope"})));
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(client.close(), (vec![], true));

    let granted = registry(|builder| builder.local(Principal::local().grant("money")));
    assert!(granted.callable().map(ToolDefinition::name).any(|name| name == "takings"));
}

#[test]
fn completes_variable_values() {
    let server = server();
    let complete = |uri: &str, name: &str, value: &str| {
        let params =
            json!({"ref": {"type": "ref/resource", "uri": uri}, "argument": {"name": name, "value": value}});
        request_both(&server, "completion/complete", &params).0
    };
    let room = "fixture://room/{wing}/{number}/on/{night}";
    assert_eq!(
        complete(room, "wing", "E")["result"],
        json!({"completion": {"values": ["east"], "total": 1, "hasMore": false}})
    );
    assert_eq!(complete(room, "number", "1")["result"]["completion"]["values"], json!([]));
    assert_eq!(
        complete("fixture://tool/{name}", "name", "ro")["result"]["completion"]["values"],
        json!(["room"])
    );
    for (uri, name, message) in [
        (
            room,
            "floor",
            "`floor` is not a variable of fixture://room/{wing}/{number}/on/{night}: it has `wing`, `number`, `night`",
        ),
        ("fixture://attic/{name}", "name", "Resource not found: fixture://attic/{name}"),
    ] {
        let error = complete(uri, name, "")["error"].take();
        assert_eq!((&error["code"], &error["message"]), (&json!(-32602), &json!(message)));
    }
    let nonsense = server.session().request("completion/complete", json!({"ref": {"type": "ref/page"}}));
    assert_eq!(nonsense["error"]["code"], -32602, "{nonsense}");
}

#[test]
fn rejects_reserved_paths_and_invalid_schemes() {
    /// What was last.
    #[tool(operation = Read, name = "result")]
    fn last() {}

    let builder = || Registry::builder().linked();
    let reserved = builder().select(|tool| tool.name() == "result").build().unwrap();
    let rejection = |server: Server| {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let error = runtime.block_on(server.clone().serve_http("127.0.0.1:0")).unwrap_err();
        assert_eq!(server.into_axum_router().unwrap_err().to_string(), error.to_string());
        error
    };
    let error = rejection(Server::new(reserved)).to_string();
    assert!(error.contains("tool `result` lives at `result`, and `result` is reserved"), "{error}");

    let error = rejection(Server::new(registry(|builder| builder)).scheme("no scheme"));
    assert!(
        matches!(&error, ServeError::Setup(fault) if fault.starts_with("`no scheme` is not a URI scheme")),
        "{error}"
    );
}

#[test]
fn uses_the_configured_scheme() {
    let server =
        TestServer::with_registry(registry(|builder| builder), |server| server.scheme("Grand.Hotel"));
    assert_eq!(read_json(&server, "grand.hotel://wings"), json!(["east", "west"]));
    assert_eq!(error(&server, "fixture://wings").1, -32002);
}
