//! A catalog of each tenant: a tenant gets the same answers as if it were the only one, by every route of HTTP and method of
//! MCP. So no name, digest, search hit, completion or error text of one tenant reaches another.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Request};
use proptest::prelude::*;
use serde_json::{Value, json};
use tool_core::authentication::{AuthenticationError, Authenticator};
use tool_core::definition::DefinitionError;
use tool_core::provider::{Cached, Keyed, Provider, Providers};
use tool_core::results::ResultStore;
use tool_core::{
    BoxFuture, DynamicTool, Operation, Output, Permission, Principal, Registry, Tool, ToolDefinition,
    ToolError,
};
use tool_mcp::Discovery;
use tower::ServiceExt as _;

/// The users, each with its tenant. The last caller is anonymous.
const USERS: [(&str, usize); 3] = [("ada", 0), ("grace", 0), ("edsger", 1)];

/// The position of a tenant, attached to its users.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Tenant(usize);

/// What a tenant has: a word that is in all its texts, and a kind for each of its tools.
#[derive(Clone, Debug)]
struct Data {
    word: String,
    tools: Vec<u8>,
}

const KINDS: u8 = 7;

/// One request: its kind, its caller, the tenant whose word it mentions, and which of the tools it is about.
#[derive(Clone, Debug)]
struct Step {
    kind: u8,
    caller: usize,
    mentioned: usize,
    tool: usize,
}

const REQUESTS: u8 = 27;

fn data() -> impl Strategy<Value = [Data; 2]> {
    let one = || ("[a-z]{8}", prop::collection::vec(0..KINDS, 1..6));
    (one(), one()).prop_map(|((first, one), (second, other))| {
        [Data { word: format!("x{first}"), tools: one }, Data { word: format!("y{second}"), tools: other }]
    })
}

fn step() -> impl Strategy<Value = Step> {
    (0..REQUESTS, 0..=USERS.len(), 0..2_usize, 0..5_usize).prop_map(|(kind, caller, mentioned, tool)| Step {
        kind,
        caller,
        mentioned,
        tool,
    })
}

/// Returns the name of a tool: tools of kind 1 have the same name at every tenant.
fn name_of(data: &Data, position: usize) -> String {
    match data.tools[position] {
        1 => format!("report_{position}"),
        kind => format!("{}_{kind}_{position}", data.word),
    }
}

fn tool_of(data: &Data, position: usize) -> Result<Arc<dyn Tool>, DefinitionError> {
    let (word, kind) = (data.word.clone(), data.tools[position]);
    let builder = ToolDefinition::builder(name_of(data, position), format!("Tells about {word}."));
    let builder = match kind {
        3 => builder.path(format!("{word}/{position}")).operation(Operation::Read),
        4 => builder.operation(Operation::Write),
        5 => builder.permission(Permission::from(format!("{word}.read"))),
        _ => builder.operation(Operation::Read),
    };
    let mut properties = json!({"topic": {"type": "string", "enum": [word, "all"], "description": word}});
    if kind == 0 {
        properties["topic"]["x-mcp-header"] = json!("Topic");
    }
    let builder = match kind {
        3 => builder,
        _ => builder.input_schema(json!({"type": "object", "properties": properties})),
    };
    let definition = builder.build()?;
    Ok(Arc::new(DynamicTool::new(definition, move |_, _: Value| {
        let word = word.clone();
        async move {
            match kind {
                2 => Err(ToolError::not_found(format!("there is nothing about {word}")).into()),
                6 => Ok(Output::text(word.repeat(2_000))),
                _ => Ok(Output::text(word)),
            }
        }
    })))
}

/// Returns a provider of tools that everybody has, and of those of the tenant of the caller.
fn provider(tenants: [Option<Data>; 2]) -> Provider {
    let keyed = Keyed::new(
        |caller: &Principal| caller.extension::<Tenant>().copied(),
        move |tenant: &Option<Tenant>| {
            let data = tenant.and_then(|Tenant(position)| tenants[position].clone());
            Cached::new(Duration::from_secs(60), move || {
                let data = data.iter();
                data.flat_map(|data| (0..data.tools.len()).map(|position| tool_of(data, position)))
                    .collect::<Vec<_>>()
            })
        },
    );
    let common =
        ToolDefinition::builder("common", "Everybody has it.").operation(Operation::Read).build().unwrap();
    let common = DynamicTool::new(common, |_, _: Value| async { Ok(Output::text("common")) });
    let results = ResultStore::memory();
    let common = Registry::builder().tool(common).storing(results.clone()).build().unwrap();
    results.wrap(Providers::new().with("common", common).with("tenant", keyed))
}

/// Identifies a user by its name.
struct Users;

impl Authenticator for Users {
    fn authenticate<'a>(&'a self, head: &'a Parts) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
        let name = head.headers.get("authorization").and_then(|name| name.to_str().ok());
        let user = USERS.iter().find(|(user, _)| Some(*user) == name);
        let principal = user.map(|(user, tenant)| Principal::new(*user).with(Tenant(*tenant)));
        Box::pin(async move {
            principal.ok_or(AuthenticationError::Refused { challenge: HeaderValue::from_static("Name") })
        })
    }
}

/// Both servers for some tenants. Anonymous callers may list tools over HTTP.
struct App {
    http: Router,
    direct: Router,
    two_step: Router,
}

impl App {
    fn new(tenants: [Option<Data>; 2]) -> Self {
        let provider = provider(tenants);
        let options = tool_http::Options::new().allow_execute(true).authenticator(Arc::new(Users));
        let mcp = |discovery| {
            let server = tool_mcp::Server::new(provider.clone()).discovery(discovery);
            server.authenticator(Arc::new(Users)).into_axum_router().unwrap()
        };
        App {
            http: tool_http::router_with(provider.clone(), options),
            direct: mcp(Discovery::Direct),
            two_step: mcp(Discovery::TwoStep),
        }
    }

    /// Returns the answer to a request, without the identifier of the call.
    async fn answer(&self, tenants: &[Data; 2], step: &Step) -> String {
        let mentioned = &tenants[step.mentioned];
        let name = name_of(mentioned, step.tool % mentioned.tools.len());
        // A text that is nearly that name, for suggestions.
        let similar = format!("{name}x");
        let word = &mentioned.word;
        let get = |path: String| (&self.http, Request::get(path).body(Body::empty()).unwrap());
        let post = |path: String, body: Value| {
            let request = Request::post(path).header("content-type", "application/json");
            (&self.http, request.body(Body::from(body.to_string())).unwrap())
        };
        let (router, mut request) = match step.kind {
            0 => get("/tools".to_owned()),
            1 => get("/tools?detail=full".to_owned()),
            2 => get(format!("/tools?search={word}")),
            3 => get(format!("/tools/{name}")),
            4 => get(format!("/tools/{similar}")),
            5 => get(format!("/tools/{name}/inputs")),
            6 => get("/openapi.json".to_owned()),
            7 => get(format!("/tools/{name}/result")),
            8 => get("/mcp/tools/list".to_owned()),
            9 => post(format!("/tools/{name}/call"), json!({})),
            10 => post(format!("/tools/{name}/call"), json!({"topic": "x"})),
            11 => post(format!("/tools/{name}/validate"), json!({"topic": word})),
            12 => post(format!("/tools/{name}/complete"), json!({"input": "topic", "value": ""})),
            13 => post(format!("/tools/{similar}/call"), json!({})),
            14 => (&self.direct, rpc("tools/list", json!({}))),
            15 => (&self.direct, rpc("tools/call", json!({"name": name, "arguments": {}}))),
            16 => (&self.direct, rpc("tools/call", json!({"name": similar, "arguments": {}}))),
            17 => (&self.direct, rpc("resources/list", json!({}))),
            18 => (&self.direct, rpc("resources/templates/list", json!({}))),
            19 => (&self.direct, rpc("resources/read", json!({"uri": format!("tools://{word}/0")}))),
            20 => (&self.direct, rpc("prompts/list", json!({}))),
            21 => (&self.direct, rpc("server/discover", json!({}))),
            22 => {
                (&self.two_step, search("list_available_tools", &json!({"search": word, "detailed": true})))
            }
            23 => (&self.two_step, search("list_available_tools", &json!({}))),
            24 => {
                (&self.two_step, search("list_tool_details", &json!({"server": "tenant", "tool_name": name})))
            }
            25 => (&self.direct, rpc("tools/call", json!({"name": name, "arguments": {"topic": "all"}}))),
            _ => {
                let arguments = json!({"server": "tenant", "tool_name": name, "arguments": {}});
                (&self.two_step, search("call_tool", &arguments))
            }
        };
        if let Some((user, _)) = USERS.get(step.caller) {
            request.headers_mut().insert("authorization", HeaderValue::from_static(user));
        }
        let response = router.clone().oneshot(request).await.unwrap();
        let (head, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        let text = format!("{} {:?}\n{}", head.status, head.headers, String::from_utf8_lossy(&body));
        without_call_ids(&text)
    }
}

/// Returns a request of MCP 2026-07-28.
fn rpc(method: &str, mut params: Value) -> Request<Body> {
    let name = params.get("name").or(params.get("uri")).and_then(Value::as_str).map(str::to_owned);
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let mut request = Request::post("/")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method);
    if let Some(name) = name {
        request = request.header("mcp-name", name);
    }
    request.body(Body::from(message.to_string())).unwrap()
}

fn search(tool: &str, arguments: &Value) -> Request<Body> {
    rpc("tools/call", json!({"name": tool, "arguments": arguments}))
}

/// Replaces the identifiers of calls, which have 16 hexadecimal digits.
fn without_call_ids(text: &str) -> String {
    let words = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
    words
        .map(|word| {
            let id = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            if id.len() == 16 && id.chars().all(|c| c.is_ascii_hexdigit()) {
                word.replace(id, "ID")
            } else {
                word.to_owned()
            }
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn answers_a_tenant_as_if_it_were_the_only_one(
        tenants in data(),
        steps in prop::collection::vec(step(), 1..80),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let [first, second] = tenants.clone();
            let both = App::new([Some(first.clone()), Some(second.clone())]);
            let alone = [App::new([Some(first), None]), App::new([None, Some(second)]), App::new([None, None])];
            for step in &steps {
                let tenant = USERS.get(step.caller).map_or(2, |(_, tenant)| *tenant);
                let expected = alone[tenant].answer(&tenants, step).await;
                prop_assert_eq!(both.answer(&tenants, step).await, expected, "{:?}", step);
            }
            Ok(())
        })?;
    }
}

/// The property would hold if nothing was served at all.
#[tokio::test]
async fn serves_each_tenant_its_own_tools() {
    let data = |word: &str| Data { word: word.to_owned(), tools: (0..KINDS).collect() };
    let tenants = [data("acme"), data("globex")];
    let [first, second] = tenants.clone();
    let app = App::new([Some(first), Some(second)]);
    for (caller, own, other) in [(0, "acme", "globex"), (2, "globex", "acme")] {
        // The documents and lists that name tools, and a search.
        for kind in [0, 1, 6, 8, 14, 18, 22] {
            let mentioned = USERS[caller].1;
            let step = Step { kind, caller, mentioned, tool: 0 };
            let answer = app.answer(&tenants, &step).await;
            let has_own = kind == 18 || answer.contains(own);
            assert!(has_own && !answer.contains(other), "request {kind}: {answer}");
        }
        // A call, and a call without the header that has to repeat its argument.
        for (kind, own, other) in [(9, "200 OK", "404 Not Found"), (25, "400 Bad Request", "200 OK")] {
            let step = |mentioned| Step { kind, caller, mentioned, tool: 0 };
            let answer = app.answer(&tenants, &step(USERS[caller].1)).await;
            assert!(answer.starts_with(own), "request {kind}: {answer}");
            let answer = app.answer(&tenants, &step(1 - USERS[caller].1)).await;
            assert!(answer.starts_with(other), "request {kind}: {answer}");
        }
    }
}
