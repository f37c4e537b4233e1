//! Elicitation, sampling and roots in both eras.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::authentication::Bearer;
use tool_core::elicitation::{AskKind, Elicited, Sample};
use tool_core::{
    Context, Failure, Principal, Prompt, PromptMessage, Registry, Resource, WritePass, Writer, prompt, tool,
};

use crate::stdio::StdioClient;
use crate::support::{Answer, MODERN, TIMEOUT, TestServer, modern_body, request};

/// Counts writes.
#[derive(Default)]
struct Book(AtomicUsize);

impl Resource for Book {
    type Reader = AtomicUsize;
    type Writer = AtomicUsize;

    fn reader(&self) -> &AtomicUsize {
        &self.0
    }

    fn writer(&self, _: WritePass<'_>) -> &AtomicUsize {
        &self.0
    }
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Color {
    /// Which one.
    colour: Hue,
    #[schemars(range(min = 1, max = 9))]
    shade: Option<u8>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Hue {
    #[schemars(title = "As a rose")]
    Red,
    #[schemars(title = "As the sky")]
    Blue,
}

/// Greets by name.
#[tool(operation = Read)]
async fn greet_by_name(#[inject] context: Context, greeting: Option<String>) -> Result<String, Failure> {
    let name = context.elicit::<Name>("What is your name?").key("user_name").await?;
    let greeting = greeting.unwrap_or_else(|| "Hello".to_owned());
    Ok(match name {
        Elicited::Accepted(Name { name }) => format!("{greeting}, {name}!"),
        Elicited::Declined => format!("{greeting}, stranger!"),
        Elicited::Cancelled => "Nobody is there.".to_owned(),
    })
}

/// Asks in two rounds, and writes then.
#[tool(operation = Write, destructive = false)]
async fn enrol(#[inject] context: Context, #[inject] book: Writer<Book>) -> Result<String, Failure> {
    let Name { name } = context.elicit("Step 1: What is your name?").key("step1").await?.required()?;
    let Color { colour, shade } = context.elicit("Step 2: Which colour?").key("step2").await?.required()?;
    let count = book.fetch_add(1, Ordering::Relaxed) + 1;
    Ok(format!("{name} {colour:?} {shade:?} {count}"))
}

/// Asks everything at once.
#[tool(operation = Read)]
async fn everything(#[inject] context: Context) -> Result<String, Failure> {
    let (name, sample, roots, signed) = tokio::join!(
        context.elicit::<Name>("What is your name?").key("user_name"),
        context.sample(Sample::new(50).system("Be kind.").user("Generate a greeting")).key("greeting"),
        context.roots().key("client_roots"),
        context.elicit_url("Sign in", "https://example.com/in").key("sign_in"),
    );
    let roots: Vec<String> = roots?.into_iter().map(|root| root.name.unwrap_or(root.uri)).collect();
    let (name, sample) = (name?.required()?.name, sample?);
    let signed = signed?.accepted().is_some();
    Ok(format!("{name} {} ({}) {} {signed}", sample.as_text(), sample.model, roots.join(",")))
}

/// Asks what the client can answer.
#[tool(operation = Read)]
async fn whatever(#[inject] context: Context) -> Result<String, Failure> {
    if context.supports(AskKind::Form) {
        return Ok(context.elicit::<Name>("What is your name?").await?.required()?.name);
    }
    Ok(context.sample(Sample::new(50).user("A name, please")).await?.as_text())
}

/// Asks for a secret.
#[tool(operation = Read)]
async fn ask_secret(#[inject] context: Context) -> Result<(), Failure> {
    #[derive(Deserialize, JsonSchema)]
    struct Secret {
        #[expect(dead_code, reason = "never read")]
        #[schemars(extend("writeOnly" = true))]
        password: String,
    }
    context.elicit::<Secret>("What is your password?").await?;
    Ok(())
}

/// Writes before it asks.
#[tool(operation = Write, destructive = false)]
async fn write_and_ask(#[inject] context: Context, #[inject] book: Writer<Book>) -> Result<(), Failure> {
    book.fetch_add(1, Ordering::Relaxed);
    context.elicit::<Name>("What is your name?").await?.required()?;
    Ok(())
}

/// Asks something else each time.
#[tool(operation = Read)]
async fn ask_anew(#[inject] context: Context) -> Result<String, Failure> {
    static COUNT: AtomicUsize = AtomicUsize::new(1);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let Name { name } = context.elicit(format!("Who is number {count}?")).key("who").await?.required()?;
    Ok(format!("{name} is number {count}"))
}

/// A page that asks who reads it.
#[tool(operation = Read, path = "page/{page}")]
async fn page_of(#[inject] context: Context, #[arg(locator)] page: u32) -> Result<String, Failure> {
    let Name { name } = context.elicit("Who reads?").key("reader").await?.required()?;
    Ok(format!("{name} reads page {page}"))
}

/// Asks what it is about.
#[prompt]
async fn about(#[inject] context: Context, tone: Option<String>) -> Result<Prompt, Failure> {
    let Name { name } = context.elicit("Of whom?").key("user_context").await?.required()?;
    Ok(Prompt::new([PromptMessage::user(format!("Write of {name}, {}", tone.unwrap_or_default()))]))
}

pub(crate) fn registry() -> Registry {
    let here = |module: &str| module == module_path!();
    let builder = Registry::builder().linked().select(move |tool| here(tool.source().module));
    builder
        .select_prompts(move |prompt| here(prompt.source().module))
        .shared_state(Arc::new(Book::default()))
        .build()
        .unwrap()
}

fn server() -> TestServer {
    TestServer::with_registry(registry(), |server| server.answer_within(std::time::Duration::from_secs(60)))
}

fn all_capabilities() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}})
}

/// Sends a request of 2026-07-28 with these client capabilities.
fn request_as_client(server: &TestServer, method: &str, params: Value, capabilities: &Value) -> Answer {
    let name = params["name"].as_str().or(params["uri"].as_str()).unwrap().to_owned();
    let mut body = modern_body(method, params);
    body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", method), ("mcp-name", name.as_str())];
    server.post(&headers, &body.to_string())
}

fn call(server: &TestServer, params: Value) -> Value {
    request_as_client(server, "tools/call", params, &all_capabilities()).json()
}

/// The input requests of an answer, and its request state.
fn input_required(answer: &Value) -> (&Value, &str) {
    let result = &answer["result"];
    assert_eq!(result["resultType"], "input_required", "{answer}");
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "fixture");
    (&result["inputRequests"], result["requestState"].as_str().expect("a state"))
}

fn text(answer: &Value) -> &str {
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

fn accept(fields: Value) -> Value {
    json!({"action": "accept", "content": fields})
}

fn ada() -> Value {
    accept(json!({"name": "Ada"}))
}

#[test]
fn completes_a_call_with_the_answer() {
    let server = server();
    let first = call(&server, json!({"name": "greet_by_name", "arguments": {"greeting": "Hi"}}));
    let (requests, state) = input_required(&first);
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    let params = json!({"mode": "form", "message": "What is your name?", "requestedSchema": schema});
    assert_eq!(*requests, json!({"user_name": {"method": "elicitation/create", "params": params}}));
    for (answer, expected) in [
        (ada(), "Hi, Ada!"),
        (json!({"action": "decline"}), "Hi, stranger!"),
        (json!({"action": "cancel"}), "Nobody is there."),
    ] {
        // The order of members does not matter.
        let params = json!({
            "name": "greet_by_name", "requestState": state, "inputResponses": {"user_name": answer, "other": 5},
            "arguments": {"greeting": "Hi"},
        });
        assert_eq!(text(&call(&server, params)), expected);
    }
}

#[test]
fn keeps_answers_across_rounds() {
    let server = server();
    let first = call(&server, json!({"name": "enrol", "arguments": {}}));
    let (requests, first_state) = input_required(&first);
    assert_eq!(requests.as_object().unwrap().keys().collect::<Vec<_>>(), ["step1"]);
    let params = json!({"name": "enrol", "requestState": first_state, "inputResponses": {"step1": ada()}});
    let second = call(&server, params);
    let (requests, state) = input_required(&second);
    assert_ne!(state, first_state);
    let colors = json!([{"const": "red", "title": "As a rose"}, {"const": "blue", "title": "As the sky"}]);
    assert_eq!(
        requests["step2"]["params"]["requestedSchema"],
        json!({
            "type": "object",
            "properties": {
                "colour": {"type": "string", "description": "Which one.", "oneOf": colors},
                "shade": {"type": "integer", "minimum": 1, "maximum": 9},
            },
            "required": ["colour"],
        })
    );
    // An invalid value, values of the wrong shape, and no answer.
    for (answer, wrong) in [
        (json!({"step2": accept(json!({"colour": "green"}))}), "- /colour: "),
        (json!({"step2": 12_345}), "- invalid type: integer `12345`"),
        (json!({"step2": null}), "- "),
        (json!({"step1": ada()}), ""),
        (json!({}), ""),
    ] {
        let params = json!({"name": "enrol", "requestState": state, "inputResponses": answer});
        let again = call(&server, params);
        let (requests, _) = input_required(&again);
        let message = requests["step2"]["params"]["message"].as_str().unwrap();
        let rest = message.strip_prefix("Step 2: Which colour?").unwrap();
        assert!(rest.trim_start().starts_with(wrong) && rest.is_empty() == wrong.is_empty(), "{message}");
    }
    let answer = json!({"step2": accept(json!({"colour": "blue", "shade": 3}))});
    let params = json!({"name": "enrol", "requestState": state, "inputResponses": answer});
    assert_eq!(text(&call(&server, params)), "Ada Blue Some(3) 1");
}

#[test]
fn asks_again_when_the_question_changes() {
    let server = server();
    let first = call(&server, json!({"name": "ask_anew", "arguments": {}}));
    let (requests, state) = input_required(&first);
    assert_eq!(requests["who"]["params"]["message"], "Who is number 1?");
    let answered = json!({"name": "ask_anew", "requestState": state, "inputResponses": {"who": ada()}});
    let second = call(&server, answered);
    assert_eq!(input_required(&second).0["who"]["params"]["message"], "Who is number 2?");
}

#[test]
fn rejects_answers_too_large_for_the_state() {
    let server = server();
    let first = call(&server, json!({"name": "enrol", "arguments": {}}));
    let long = json!({"step1": accept(json!({"name": "A".repeat(300_000)}))});
    let params = json!({"name": "enrol", "requestState": input_required(&first).1, "inputResponses": long});
    let second = call(&server, params);
    assert_eq!(second["error"]["code"], -32603, "{second}");
    let message = second["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("the answers so far take ") && message.len() < 200, "{message}");
}

#[test]
fn sends_several_requests_at_once() {
    let server = server();
    let first = call(&server, json!({"name": "everything", "arguments": {}}));
    let (requests, state) = input_required(&first);
    assert_eq!(
        requests["greeting"],
        json!({"method": "sampling/createMessage", "params": {
            "messages": [{"role": "user", "content": {"type": "text", "text": "Generate a greeting"}}],
            "systemPrompt": "Be kind.", "maxTokens": 50,
        }})
    );
    assert_eq!(requests["client_roots"]["method"], "roots/list");
    let sign_in = &requests["sign_in"];
    assert_eq!(
        (&sign_in["method"], &sign_in["params"]["mode"]),
        (&json!("elicitation/create"), &json!("url"))
    );
    assert_eq!(sign_in["params"]["url"], "https://example.com/in");
    let message = json!({
        "role": "assistant", "content": {"type": "text", "text": "Hello!"}, "model": "m1", "stopReason": "endTurn",
    });
    let some = json!({"greeting": message, "client_roots": {"roots": [{"uri": "file:///a", "name": "A"}]}});
    let second = call(&server, json!({"name": "everything", "requestState": state, "inputResponses": some}));
    let (requests, state) = input_required(&second);
    assert_eq!(requests.as_object().unwrap().keys().collect::<Vec<_>>(), ["sign_in", "user_name"]);
    let rest = json!({"user_name": ada(), "sign_in": {"action": "accept"}});
    let third = call(&server, json!({"name": "everything", "requestState": state, "inputResponses": rest}));
    assert_eq!(text(&third), "Ada Hello! (m1) A true");
}

#[test]
fn accepts_answers_in_the_first_request() {
    let server = server();
    let answers = json!({"user_name": ada(), "unknown": {"action": "accept"}});
    let params = json!({"name": "greet_by_name", "arguments": {}, "inputResponses": answers});
    assert_eq!(text(&call(&server, params)), "Hello, Ada!");
    for responses in [json!(null), json!({"wrong": ada()}), json!({"user_name": 12_345}), json!(5), json!([])]
    {
        let params = json!({"name": "greet_by_name", "arguments": {}, "inputResponses": responses});
        let answer = call(&server, params);
        assert!(input_required(&answer).0.get("user_name").is_some(), "{answer}");
    }
}

#[test]
fn checks_client_capabilities() {
    let server = server();
    let attempt = |tool: &str, capabilities: Value| {
        let answer =
            request_as_client(&server, "tools/call", json!({"name": tool, "arguments": {}}), &capabilities);
        (answer.status, answer.json())
    };
    for (tool, capabilities, required, named) in [
        ("greet_by_name", json!({}), json!({"elicitation": {}}), "elicitation"),
        ("greet_by_name", json!({"sampling": {}}), json!({"elicitation": {}}), "elicitation"),
        ("greet_by_name", json!({"elicitation": {"url": {}}}), json!({"elicitation": {}}), "elicitation"),
        ("whatever", json!({}), json!({"sampling": {}}), "sampling"),
    ] {
        let (status, answer) = attempt(tool, capabilities);
        assert_eq!(status, 400, "{tool}");
        assert_eq!(answer["error"]["code"], -32021, "{answer}");
        assert_eq!(answer["error"]["data"], json!({"requiredCapabilities": required}));
        let message =
            format!("this caller cannot be asked: the client does not declare the capability `{named}`");
        assert_eq!(answer["error"]["message"], message);
    }
    let (_, answer) = attempt("whatever", json!({"sampling": {}}));
    assert_eq!(
        input_required(&answer).0.as_object().unwrap().values().next().unwrap()["method"],
        "sampling/createMessage"
    );
    let (status, answer) = attempt("ask_secret", all_capabilities());
    assert_eq!((status, &answer["result"]["isError"]), (200, &json!(true)));
    let expected =
        "this caller cannot be asked for `password`: MCP forbids secrets in a form; ask with an address";
    assert_eq!(text(&answer), expected);
}

#[test]
fn rejects_elicitation_after_a_write() {
    let server = server();
    let answer = call(&server, json!({"name": "write_and_ask", "arguments": {}}));
    assert_eq!(answer["result"]["isError"], true);
    assert!(text(&answer).starts_with("`write_and_ask` asks after using its `Writer`"), "{answer}");
}

#[test]
fn elicits_from_resources_and_prompts() {
    let server = server();
    for (method, params, key, expected) in [
        ("resources/read", json!({"uri": "fixture://page/8"}), "reader", "Ada reads page 8"),
        (
            "prompts/get",
            json!({"name": "about", "arguments": {"tone": "kindly"}}),
            "user_context",
            "Write of Ada, kindly",
        ),
    ] {
        let first = request_as_client(&server, method, params.clone(), &all_capabilities()).json();
        let (requests, state) = input_required(&first);
        assert_eq!(requests.as_object().unwrap().keys().collect::<Vec<_>>(), [key]);
        let mut params = params;
        params["requestState"] = state.into();
        params["inputResponses"] = json!({key: ada()});
        let second = request_as_client(&server, method, params.clone(), &all_capabilities()).json();
        assert!(second["result"].to_string().contains(expected), "{second}");
        params["inputResponses"] = json!({});
        input_required(&request_as_client(&server, method, params.clone(), &all_capabilities()).json());
        let lacking = request_as_client(&server, method, params.clone(), &json!({}));
        params["requestState"] = format!("{state}x").into();
        assert_eq!(
            request_as_client(&server, method, params, &all_capabilities()).json()["error"]["code"],
            -32602
        );
        assert_eq!((lacking.status, &lacking.json()["error"]["code"]), (400, &json!(-32021)));
    }
}

/// Why the request state was rejected.
fn rejection(answer: &Value) -> &str {
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    message.strip_prefix("the `requestState` ").and_then(|rest| rest.split(':').next()).unwrap_or(message)
}

#[test]
fn rejects_forged_states_and_those_of_other_calls() {
    let server = server();
    let params = |tool: &str, arguments: Value, state: &str| json!({"name": tool, "arguments": arguments, "requestState": state, "inputResponses": {"user_name": ada()}});
    let first = call(&server, json!({"name": "greet_by_name", "arguments": {"greeting": "Hi"}}));
    let (_, state) = input_required(&first);
    let hi = json!({"greeting": "Hi"});
    assert_eq!(text(&call(&server, params("greet_by_name", hi.clone(), state))), "Hi, Ada!");
    // Any change of the state is detected, truncation included.
    let flipped = |at: usize| {
        let mut bytes = state.as_bytes().to_vec();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        String::from_utf8(bytes).unwrap()
    };
    let tampered = (0..state.len()).step_by(7).map(flipped);
    let cut = [state.len() - 1, state.len() / 2, 4, 0].map(|end| state[..end].to_owned());
    let others = ["x", "rs1..", "rs1.AAAA.AAAA", "\u{0}", "💥"].map(str::to_owned);
    for forged in tampered.chain(cut).chain(others).chain([format!("{state}-TAMPERED"), format!("{state}A")])
    {
        let answer = call(&server, params("greet_by_name", hi.clone(), &forged));
        assert_eq!(rejection(&answer), "was not made by this server", "{forged}");
    }
    let long = call(&server, params("greet_by_name", hi.clone(), &"A".repeat(300_000)));
    assert_eq!(rejection(&long), "is too long");
    let number = json!({"name": "greet_by_name", "arguments": {}, "requestState": 5});
    assert_eq!(rejection(&call(&server, number)), "`requestState` must be a string");
    for arguments in [json!({}), json!({"greeting": "Hello"}), json!({"greeting": "Hi", "more": 1})] {
        let answer = call(&server, params("greet_by_name", arguments, state));
        assert_eq!(rejection(&answer), "belongs to other arguments");
    }
    let other = call(&server, params("whatever", hi.clone(), state));
    assert_eq!(rejection(&other), "belongs to another call");
    // A state of `tools/call` is not valid for `resources/read`.
    let page = call(&server, json!({"name": "page_of", "arguments": {"page": 8}}));
    let answers = json!({"reader": ada()});
    let read = json!({"uri": "fixture://page/8", "requestState": input_required(&page).1, "inputResponses": answers});
    let read = request_as_client(&server, "resources/read", read, &all_capabilities()).json();
    assert_eq!(rejection(&read), "belongs to another call");
    // An unknown tool rejects it, too.
    assert_eq!(rejection(&call(&server, params("nope", hi.clone(), state))), "belongs to another call");
    // Another server rejects the state unless both have the same key.
    let other_server = TestServer::with_registry(registry(), |server| server);
    let answer = call(&other_server, params("greet_by_name", hi.clone(), state));
    assert_eq!(rejection(&answer), "was not made by this server");
    let shared = || TestServer::with_registry(registry(), |server| server.request_state_keys([[7; 32]]));
    let (one, another) = (shared(), shared());
    let first = call(&one, json!({"name": "greet_by_name", "arguments": {}}));
    let answer = call(&another, params("greet_by_name", json!({}), input_required(&first).1));
    assert_eq!(text(&answer), "Hello, Ada!");
}

#[test]
fn replicas_accept_the_states_of_each_other_while_a_key_is_rotated() {
    let replica = |keys: &[u8]| {
        let keys: Vec<[u8; 32]> = keys.iter().map(|key| [*key; 32]).collect();
        TestServer::with_registry(registry(), |server| server.request_state_keys(keys))
    };
    let (before, after, done) = (replica(&[1, 2]), replica(&[2, 1]), replica(&[2]));
    let params = |state: &str| json!({"name": "greet_by_name", "requestState": state, "inputResponses": {"user_name": ada()}});
    let ask = |server: &TestServer| {
        input_required(&call(server, json!({"name": "greet_by_name", "arguments": {}}))).1.to_owned()
    };
    for (sealed, opened) in [(&before, &after), (&after, &before), (&after, &done), (&done, &after)] {
        assert_eq!(text(&call(opened, params(&ask(sealed)))), "Hello, Ada!");
    }
    let retired = call(&done, params(&ask(&before)));
    assert_eq!(rejection(&retired), "was not made by this server");
}

#[test]
fn a_server_without_a_key_does_not_start() {
    let server = tool_mcp::Server::new(registry()).request_state_keys([]);
    let error = server.into_axum_router().unwrap_err();
    assert!(error.to_string().contains("`request_state_keys` needs at least one key"), "{error}");
}

#[test]
fn rejects_expired_states_and_those_of_other_callers() {
    let expiring =
        TestServer::with_registry(registry(), |server| server.answer_within(std::time::Duration::ZERO));
    let first = call(&expiring, json!({"name": "greet_by_name", "arguments": {}}));
    let params = |state: &str| json!({"name": "greet_by_name", "requestState": state, "inputResponses": {"user_name": ada()}});
    // The state expires with the next millisecond.
    let mut answer = call(&expiring, params(input_required(&first).1));
    let started = std::time::Instant::now();
    while answer.get("error").is_none() && started.elapsed() < TIMEOUT {
        answer = call(&expiring, params(input_required(&first).1));
    }
    assert_eq!(rejection(&answer), "has expired");

    let bearer = Bearer::new().token("adas-long-token-0123", Principal::new("ada")).unwrap();
    let bearer = bearer.token("bobs-long-token-0123", Principal::new("bob")).unwrap();
    let server = TestServer::with_registry(registry(), |server| server.authenticator(bearer));
    let request_as = |token: &str, method: &str, params: Value| {
        let name = params["name"].as_str().unwrap().to_owned();
        let mut body = modern_body(method, params);
        body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = all_capabilities();
        let bearer = format!("Bearer {token}");
        let headers = [
            ("mcp-protocol-version", MODERN),
            ("mcp-method", method),
            ("mcp-name", &name),
            ("authorization", bearer.as_str()),
        ];
        server.post(&headers, &body.to_string()).json()
    };
    let call_as = |token: &str, params: Value| request_as(token, "tools/call", params);
    let first = call_as("adas-long-token-0123", json!({"name": "greet_by_name", "arguments": {}}));
    let state = input_required(&first).1;
    assert_eq!(rejection(&call_as("bobs-long-token-0123", params(state))), "belongs to another caller");
    assert_eq!(text(&call_as("adas-long-token-0123", params(state))), "Hello, Ada!");

    let prompt = |token: &str, params: Value| request_as(token, "prompts/get", params);
    let first = prompt("adas-long-token-0123", json!({"name": "about"}));
    let answers = json!({"user_context": ada()});
    let again = json!({"name": "about", "requestState": input_required(&first).1, "inputResponses": answers});
    assert_eq!(rejection(&prompt("bobs-long-token-0123", again.clone())), "belongs to another caller");
    assert!(prompt("adas-long-token-0123", again)["result"]["messages"].is_array());
}

/// Opens a session over stdio with these client capabilities.
fn legacy_client(capabilities: Value) -> StdioClient {
    let mut client = StdioClient::start_with("elicitation");
    client.initialize(capabilities);
    client
}

fn call_request(tool: &str) -> Value {
    request(7, "tools/call", json!({"name": tool, "arguments": {}}))
}

fn response(to: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": to["id"], "result": result})
}

fn legacy_text(answer: &Value) -> &str {
    assert_eq!(answer["id"], 7, "{answer}");
    assert!(answer["result"].get("resultType").is_none(), "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

#[test]
fn sends_requests_to_a_legacy_client() {
    let mut client = legacy_client(all_capabilities());
    let first = client.exchange(call_request("enrol"));
    assert_eq!(first["method"], "elicitation/create");
    assert_eq!(first["params"]["message"], "Step 1: What is your name?");
    assert_eq!(first["params"]["requestedSchema"]["required"], json!(["name"]));
    let again = client.exchange(response(&first, accept(json!({"name": 5}))));
    let message = again["params"]["message"].as_str().unwrap();
    assert!(message.starts_with("Step 1: What is your name?\n- /name: "), "{message}");
    let again = client.exchange(response(&again, json!({"roots": []})));
    assert!(again["params"]["message"].as_str().unwrap().contains("\n- "), "{again}");
    let second = client.exchange(response(&again, ada()));
    assert_eq!(second["params"]["message"], "Step 2: Which colour?");
    let answer = client.exchange(response(&second, accept(json!({"colour": "red"}))));
    assert_eq!(legacy_text(&answer), "Ada Red None 1");
}

#[test]
fn accepts_answers_in_any_order() {
    let mut client = legacy_client(all_capabilities());
    client.send(call_request("everything"));
    let mut requests: Vec<Value> = (0..4).map(|_| client.receive()).collect();
    requests.reverse();
    for request in requests {
        let answer = match (request["method"].as_str().unwrap(), request["params"]["mode"].as_str()) {
            ("elicitation/create", Some("url")) => json!({"action": "accept"}),
            ("elicitation/create", _) => ada(),
            ("sampling/createMessage", _) => {
                assert_eq!(request["params"]["maxTokens"], 50);
                let text = |text: &str| json!({"type": "text", "text": text});
                json!({"role": "assistant", "content": [text("Hel"), text("lo!")], "model": "m1"})
            }
            ("roots/list", _) => json!({"roots": [{"uri": "file:///a"}]}),
            (other, _) => panic!("{other}"),
        };
        client.send(response(&request, answer));
    }
    assert_eq!(legacy_text(&client.receive()), "Ada Hello! (m1) file:///a true");
}

#[test]
fn cancels_open_requests_with_their_call() {
    let mut client = legacy_client(all_capabilities());
    // Distinct ids: rmcp could take the answer to the first call for that of the second.
    for (id, tool) in [(7, "greet_by_name"), (8, "enrol")] {
        let mut call: Value = call_request(tool);
        call["id"] = id.into();
        let elicitation = client.exchange(call);
        let cancel = json!({"requestId": id});
        let canceled =
            client.exchange(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel}));
        assert_eq!(canceled["method"], "notifications/cancelled", "{canceled}");
        assert_eq!(canceled["params"]["requestId"], elicitation["id"], "{canceled}");
    }
    // A write that did not start does not delay the shutdown.
    assert_eq!(client.close(), (vec![], true));
}

#[test]
fn reports_missing_capabilities_and_client_errors() {
    let mut client = legacy_client(json!({"sampling": {}}));
    let answer = client.exchange(call_request("greet_by_name"));
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(
        legacy_text(&answer),
        "this caller cannot be asked: the client does not declare the capability `elicitation`"
    );
    let sampling = client.exchange(call_request("whatever"));
    let error = json!({"code": -1, "message": "the user rejected it"});
    let answer = client.exchange(json!({"jsonrpc": "2.0", "id": sampling["id"], "error": error}));
    assert_eq!(answer["result"]["isError"], true);
    let text = legacy_text(&answer);
    assert!(text.starts_with("the client did not answer the question `sample-"), "{text}");
    assert!(text.ends_with(": the user rejected it"), "{text}");
    let answer = client.exchange(request(7, "resources/read", json!({"uri": "fixture://page/8"})));
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
}

/// Reads the next message of an event stream.
fn next_message(stream: &mut BufReader<TcpStream>) -> Value {
    loop {
        let mut line = String::new();
        assert_ne!(stream.read_line(&mut line).unwrap(), 0, "the stream ended");
        let data = line.strip_prefix("data:").map(str::trim).filter(|data| !data.is_empty());
        if let Some(data) = data {
            return serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {line}"));
        }
    }
}

#[test]
fn sends_requests_on_the_stream_of_the_call() {
    let server = server();
    // One tool runs in the task of its request, the other in its own task.
    for (tool, expected) in [("greet_by_name", "Hello, Ada!"), ("enrol", "Ada Blue None 1")] {
        // A new session each time: the id of the first call is in use until its stream ends.
        let session = server.session_with(all_capabilities());
        let mut stream = BufReader::new(session.send(&call_request(tool).to_string()));
        loop {
            let message = next_message(&mut stream);
            if message.get("method").is_none() {
                assert_eq!(legacy_text(&message), expected);
                break;
            }
            let is_color = message["params"]["message"].as_str().unwrap().contains("colour");
            let answer = if is_color { accept(json!({"colour": "blue"})) } else { ada() };
            assert_eq!(session.post(&response(&message, answer).to_string()).status, 202);
        }
    }
}

#[test]
fn times_out_waiting_for_an_answer() {
    let server = TestServer::with_registry(registry(), |server| {
        server.answer_within(std::time::Duration::from_millis(20))
    });
    let session = server.session_with(all_capabilities());
    let mut stream = BufReader::new(session.send(&call_request("greet_by_name").to_string()));
    assert_eq!(next_message(&mut stream)["method"], "elicitation/create");
    assert_eq!(legacy_text(&next_message(&mut stream)), "Nobody is there.");
}

#[test]
fn shuts_down_with_an_open_request() {
    for tool in ["greet_by_name", "enrol"] {
        let mut client = legacy_client(all_capabilities());
        assert_eq!(client.exchange(call_request(tool))["method"], "elicitation/create");
        let (_, succeeded) = client.close();
        assert!(succeeded, "{tool}");
    }
}

#[test]
fn requires_client_capabilities_in_a_modern_request() {
    let server = server();
    let mut body = modern_body("tools/call", json!({"name": "greet_by_name", "arguments": {}}));
    body["params"]["_meta"]
        .as_object_mut()
        .unwrap()
        .shift_remove("io.modelcontextprotocol/clientCapabilities");
    let headers =
        [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "greet_by_name")];
    let answer = server.post(&headers, &body.to_string());
    assert_eq!((answer.status, &answer.json()["error"]["code"]), (400, &json!(-32602)));
}
