//! Tools that ask the client that called them, in both eras.

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

use crate::stdio::Spoken;
use crate::support::{Answer, MODERN, PATIENCE, Served, modern_body, request};

/// Counts what is written.
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
struct Colour {
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
    let Colour { colour, shade } = context.elicit("Step 2: Which colour?").key("step2").await?.required()?;
    let count = book.fetch_add(1, Ordering::Relaxed) + 1;
    Ok(format!("{name} {colour:?} {shade:?} {count}"))
}

/// Asks everything at once.
#[tool(operation = Read)]
async fn everything(#[inject] context: Context) -> Result<String, Failure> {
    let (name, said, roots, signed) = tokio::join!(
        context.elicit::<Name>("What is your name?").key("user_name"),
        context.sample(Sample::new(50).system("Be kind.").user("Generate a greeting")).key("greeting"),
        context.roots().key("client_roots"),
        context.elicit_url("Sign in", "https://example.com/in").key("sign_in"),
    );
    let roots: Vec<String> = roots?.into_iter().map(|root| root.name.unwrap_or(root.uri)).collect();
    let (name, said) = (name?.required()?.name, said?);
    let signed = signed?.accepted().is_some();
    Ok(format!("{name} {} ({}) {} {signed}", said.as_text(), said.model, roots.join(",")))
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
        #[expect(dead_code, reason = "nobody tells it")]
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

fn served() -> Served {
    Served::serving(registry(), |server| server.answer_within(std::time::Duration::from_secs(60)))
}

fn all() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}})
}

/// A request of 2026-07-28 by a client that can be asked.
fn ask(served: &Served, method: &str, params: Value, capabilities: &Value) -> Answer {
    let name = params["name"].as_str().or(params["uri"].as_str()).unwrap().to_owned();
    let mut body = modern_body(method, params);
    body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", method), ("mcp-name", name.as_str())];
    served.post(&headers, &body.to_string())
}

fn call(served: &Served, params: Value) -> Value {
    ask(served, "tools/call", params, &all()).json()
}

/// What a call asks, by its keys, and the state that goes along with the answers.
fn asked(answer: &Value) -> (&Value, &str) {
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
fn a_call_is_made_again_with_the_answer() {
    let served = served();
    let first = call(&served, json!({"name": "greet_by_name", "arguments": {"greeting": "Hi"}}));
    let (requests, state) = asked(&first);
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    let params = json!({"mode": "form", "message": "What is your name?", "requestedSchema": schema});
    assert_eq!(*requests, json!({"user_name": {"method": "elicitation/create", "params": params}}));
    for (answer, expected) in [
        (ada(), "Hi, Ada!"),
        (json!({"action": "decline"}), "Hi, stranger!"),
        (json!({"action": "cancel"}), "Nobody is there."),
    ] {
        // The arguments mean the same, however they are written.
        let params = json!({
            "name": "greet_by_name", "requestState": state, "inputResponses": {"user_name": answer, "other": 5},
            "arguments": {"greeting": "Hi"},
        });
        assert_eq!(text(&call(&served, params)), expected);
    }
}

#[test]
fn answers_are_kept_from_round_to_round() {
    let served = served();
    let first = call(&served, json!({"name": "enrol", "arguments": {}}));
    let (requests, first_state) = asked(&first);
    assert_eq!(requests.as_object().unwrap().keys().collect::<Vec<_>>(), ["step1"]);
    let params = json!({"name": "enrol", "requestState": first_state, "inputResponses": {"step1": ada()}});
    let second = call(&served, params);
    let (requests, state) = asked(&second);
    assert_ne!(state, first_state);
    let colours = json!([{"const": "red", "title": "As a rose"}, {"const": "blue", "title": "As the sky"}]);
    assert_eq!(
        requests["step2"]["params"]["requestedSchema"],
        json!({
            "type": "object",
            "properties": {
                "colour": {"type": "string", "description": "Which one.", "oneOf": colours},
                "shade": {"type": "integer", "minimum": 1, "maximum": 9},
            },
            "required": ["colour"],
        })
    );
    // A wrong answer, one of the wrong shape, and none.
    for (answer, wrong) in [
        (json!({"step2": accept(json!({"colour": "green"}))}), "- /colour: "),
        (json!({"step2": 12_345}), "- invalid type: integer `12345`"),
        (json!({"step2": null}), "- "),
        (json!({"step1": ada()}), ""),
        (json!({}), ""),
    ] {
        let params = json!({"name": "enrol", "requestState": state, "inputResponses": answer});
        let again = call(&served, params);
        let (requests, _) = asked(&again);
        let message = requests["step2"]["params"]["message"].as_str().unwrap();
        let rest = message.strip_prefix("Step 2: Which colour?").unwrap();
        assert!(rest.trim_start().starts_with(wrong) && rest.is_empty() == wrong.is_empty(), "{message}");
    }
    let answer = json!({"step2": accept(json!({"colour": "blue", "shade": 3}))});
    let params = json!({"name": "enrol", "requestState": state, "inputResponses": answer});
    assert_eq!(text(&call(&served, params)), "Ada Blue Some(3) 1");
}

#[test]
fn an_answer_is_one_to_the_words_that_were_asked() {
    let served = served();
    let first = call(&served, json!({"name": "ask_anew", "arguments": {}}));
    let (requests, state) = asked(&first);
    assert_eq!(requests["who"]["params"]["message"], "Who is number 1?");
    let answered = json!({"name": "ask_anew", "requestState": state, "inputResponses": {"who": ada()}});
    let second = call(&served, answered);
    assert_eq!(asked(&second).0["who"]["params"]["message"], "Who is number 2?");
}

#[test]
fn answers_that_are_too_much_to_keep_are_refused() {
    let served = served();
    let first = call(&served, json!({"name": "enrol", "arguments": {}}));
    let long = json!({"step1": accept(json!({"name": "A".repeat(300_000)}))});
    let params = json!({"name": "enrol", "requestState": asked(&first).1, "inputResponses": long});
    let second = call(&served, params);
    assert_eq!(second["error"]["code"], -32603, "{second}");
    let message = second["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("the answers so far take ") && message.len() < 200, "{message}");
}

#[test]
fn several_questions_are_asked_at_once() {
    let served = served();
    let first = call(&served, json!({"name": "everything", "arguments": {}}));
    let (requests, state) = asked(&first);
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
    let second = call(&served, json!({"name": "everything", "requestState": state, "inputResponses": some}));
    let (requests, state) = asked(&second);
    assert_eq!(requests.as_object().unwrap().keys().collect::<Vec<_>>(), ["sign_in", "user_name"]);
    let rest = json!({"user_name": ada(), "sign_in": {"action": "accept"}});
    let third = call(&served, json!({"name": "everything", "requestState": state, "inputResponses": rest}));
    assert_eq!(text(&third), "Ada Hello! (m1) A true");
}

#[test]
fn who_knows_the_question_may_answer_before_it_is_asked() {
    let served = served();
    let answers = json!({"user_name": ada(), "unknown": {"action": "accept"}});
    let params = json!({"name": "greet_by_name", "arguments": {}, "inputResponses": answers});
    assert_eq!(text(&call(&served, params)), "Hello, Ada!");
    for responses in [json!(null), json!({"wrong": ada()}), json!({"user_name": 12_345}), json!(5), json!([])]
    {
        let params = json!({"name": "greet_by_name", "arguments": {}, "inputResponses": responses});
        let answer = call(&served, params);
        assert!(asked(&answer).0.get("user_name").is_some(), "{answer}");
    }
}

#[test]
fn a_client_is_asked_what_it_can_answer() {
    let served = served();
    let tries = |tool: &str, capabilities: Value| {
        let answer = ask(&served, "tools/call", json!({"name": tool, "arguments": {}}), &capabilities);
        (answer.status, answer.json())
    };
    for (tool, capabilities, required, named) in [
        ("greet_by_name", json!({}), json!({"elicitation": {}}), "elicitation"),
        ("greet_by_name", json!({"sampling": {}}), json!({"elicitation": {}}), "elicitation"),
        ("greet_by_name", json!({"elicitation": {"url": {}}}), json!({"elicitation": {}}), "elicitation"),
        ("whatever", json!({}), json!({"sampling": {}}), "sampling"),
    ] {
        let (status, answer) = tries(tool, capabilities);
        assert_eq!(status, 400, "{tool}");
        assert_eq!(answer["error"]["code"], -32021, "{answer}");
        assert_eq!(answer["error"]["data"], json!({"requiredCapabilities": required}));
        let message =
            format!("this caller cannot be asked: the client does not declare the capability `{named}`");
        assert_eq!(answer["error"]["message"], message);
    }
    let (_, answer) = tries("whatever", json!({"sampling": {}}));
    assert_eq!(
        asked(&answer).0.as_object().unwrap().values().next().unwrap()["method"],
        "sampling/createMessage"
    );
    let (status, answer) = tries("ask_secret", all());
    assert_eq!((status, &answer["result"]["isError"]), (200, &json!(true)));
    let expected =
        "this caller cannot be asked for `password`: MCP forbids secrets in a form; ask with an address";
    assert_eq!(text(&answer), expected);
}

#[test]
fn who_has_written_is_refused() {
    let served = served();
    let answer = call(&served, json!({"name": "write_and_ask", "arguments": {}}));
    assert_eq!(answer["result"]["isError"], true);
    assert!(text(&answer).starts_with("`write_and_ask` asks after using its `Writer`"), "{answer}");
}

#[test]
fn resources_and_prompts_ask_too() {
    let served = served();
    for (method, params, key, expected) in [
        ("resources/read", json!({"uri": "fixture://page/8"}), "reader", "Ada reads page 8"),
        (
            "prompts/get",
            json!({"name": "about", "arguments": {"tone": "kindly"}}),
            "user_context",
            "Write of Ada, kindly",
        ),
    ] {
        let first = ask(&served, method, params.clone(), &all()).json();
        let (requests, state) = asked(&first);
        assert_eq!(requests.as_object().unwrap().keys().collect::<Vec<_>>(), [key]);
        let mut params = params;
        params["requestState"] = state.into();
        params["inputResponses"] = json!({key: ada()});
        let second = ask(&served, method, params.clone(), &all()).json();
        assert!(second["result"].to_string().contains(expected), "{second}");
        params["inputResponses"] = json!({});
        asked(&ask(&served, method, params.clone(), &all()).json());
        let lacking = ask(&served, method, params.clone(), &json!({}));
        params["requestState"] = format!("{state}x").into();
        assert_eq!(ask(&served, method, params, &all()).json()["error"]["code"], -32602);
        assert_eq!((lacking.status, &lacking.json()["error"]["code"]), (400, &json!(-32021)));
    }
}

/// What a state that is refused is refused for.
fn refused(answer: &Value) -> &str {
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    message.strip_prefix("the `requestState` ").and_then(|rest| rest.split(':').next()).unwrap_or(message)
}

#[test]
fn a_state_is_that_of_its_call_and_of_no_other() {
    let served = served();
    let params = |tool: &str, arguments: Value, state: &str| json!({"name": tool, "arguments": arguments, "requestState": state, "inputResponses": {"user_name": ada()}});
    let first = call(&served, json!({"name": "greet_by_name", "arguments": {"greeting": "Hi"}}));
    let (_, state) = asked(&first);
    let hi = json!({"greeting": "Hi"});
    assert_eq!(text(&call(&served, params("greet_by_name", hi.clone(), state))), "Hi, Ada!");
    // Every bit of it counts, and so does its end.
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
        let answer = call(&served, params("greet_by_name", hi.clone(), &forged));
        assert_eq!(refused(&answer), "was not made by this server", "{forged}");
    }
    let long = call(&served, params("greet_by_name", hi.clone(), &"A".repeat(300_000)));
    assert_eq!(refused(&long), "is too long");
    let number = json!({"name": "greet_by_name", "arguments": {}, "requestState": 5});
    assert_eq!(refused(&call(&served, number)), "`requestState` must be a string");
    for arguments in [json!({}), json!({"greeting": "Hello"}), json!({"greeting": "Hi", "more": 1})] {
        let answer = call(&served, params("greet_by_name", arguments, state));
        assert_eq!(refused(&answer), "belongs to other arguments");
    }
    let other = call(&served, params("whatever", hi.clone(), state));
    assert_eq!(refused(&other), "belongs to another call");
    // Called or read: each has a way of its own.
    let page = call(&served, json!({"name": "page_of", "arguments": {"page": 8}}));
    let answers = json!({"reader": ada()});
    let read = json!({"uri": "fixture://page/8", "requestState": asked(&page).1, "inputResponses": answers});
    let read = ask(&served, "resources/read", read, &all()).json();
    assert_eq!(refused(&read), "belongs to another call");
    // A tool that asks nothing, and one that is not there, take it no more than others.
    assert_eq!(refused(&call(&served, params("nope", hi.clone(), state))), "belongs to another call");
    // Another process has another key, unless the application gives both the same.
    let elsewhere = Served::serving(registry(), |server| server);
    let answer = call(&elsewhere, params("greet_by_name", hi.clone(), state));
    assert_eq!(refused(&answer), "was not made by this server");
    let shared = || Served::serving(registry(), |server| server.request_state_key([7; 32]));
    let (one, another) = (shared(), shared());
    let first = call(&one, json!({"name": "greet_by_name", "arguments": {}}));
    let answer = call(&another, params("greet_by_name", json!({}), asked(&first).1));
    assert_eq!(text(&answer), "Hello, Ada!");
}

#[test]
fn a_state_is_that_of_its_caller_and_grows_old() {
    let late = Served::serving(registry(), |server| server.answer_within(std::time::Duration::ZERO));
    let first = call(&late, json!({"name": "greet_by_name", "arguments": {}}));
    let params = |state: &str| json!({"name": "greet_by_name", "requestState": state, "inputResponses": {"user_name": ada()}});
    // It was good for no time at all, which is over with the next millisecond.
    let mut answer = call(&late, params(asked(&first).1));
    let begun = std::time::Instant::now();
    while answer.get("error").is_none() && begun.elapsed() < PATIENCE {
        answer = call(&late, params(asked(&first).1));
    }
    assert_eq!(refused(&answer), "has expired");

    let bearer = Bearer::new().token("adas-long-token-0123", Principal::new("ada")).unwrap();
    let bearer = bearer.token("bobs-long-token-0123", Principal::new("bob")).unwrap();
    let served = Served::serving(registry(), |server| server.authenticator(bearer));
    let asks = |token: &str, method: &str, params: Value| {
        let name = params["name"].as_str().unwrap().to_owned();
        let mut body = modern_body(method, params);
        body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = all();
        let bearer = format!("Bearer {token}");
        let headers = [
            ("mcp-protocol-version", MODERN),
            ("mcp-method", method),
            ("mcp-name", &name),
            ("authorization", bearer.as_str()),
        ];
        served.post(&headers, &body.to_string()).json()
    };
    let as_whom = |token: &str, params: Value| asks(token, "tools/call", params);
    let first = as_whom("adas-long-token-0123", json!({"name": "greet_by_name", "arguments": {}}));
    let state = asked(&first).1;
    assert_eq!(refused(&as_whom("bobs-long-token-0123", params(state))), "belongs to another caller");
    assert_eq!(text(&as_whom("adas-long-token-0123", params(state))), "Hello, Ada!");

    let prompt = |token: &str, params: Value| asks(token, "prompts/get", params);
    let first = prompt("adas-long-token-0123", json!({"name": "about"}));
    let answers = json!({"user_context": ada()});
    let again = json!({"name": "about", "requestState": asked(&first).1, "inputResponses": answers});
    assert_eq!(refused(&prompt("bobs-long-token-0123", again.clone())), "belongs to another caller");
    assert!(prompt("adas-long-token-0123", again)["result"]["messages"].is_array());
}

/// A client on stdio that opens a session and can be asked.
fn spoken(capabilities: Value) -> Spoken {
    let mut server = Spoken::with("asking");
    server.open(capabilities);
    server
}

fn call_body(tool: &str) -> Value {
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
fn a_client_of_a_session_is_sent_requests() {
    let mut server = spoken(all());
    let first = server.ask(call_body("enrol"));
    assert_eq!(first["method"], "elicitation/create");
    assert_eq!(first["params"]["message"], "Step 1: What is your name?");
    assert_eq!(first["params"]["requestedSchema"]["required"], json!(["name"]));
    let again = server.ask(response(&first, accept(json!({"name": 5}))));
    let message = again["params"]["message"].as_str().unwrap();
    assert!(message.starts_with("Step 1: What is your name?\n- /name: "), "{message}");
    let again = server.ask(response(&again, json!({"roots": []})));
    assert!(again["params"]["message"].as_str().unwrap().contains("\n- "), "{again}");
    let second = server.ask(response(&again, ada()));
    assert_eq!(second["params"]["message"], "Step 2: Which colour?");
    let answer = server.ask(response(&second, accept(json!({"colour": "red"}))));
    assert_eq!(legacy_text(&answer), "Ada Red None 1");
}

#[test]
fn requests_of_one_call_are_answered_in_any_order() {
    let mut server = spoken(all());
    server.say(call_body("everything"));
    let mut asked: Vec<Value> = (0..4).map(|_| server.hear()).collect();
    asked.reverse();
    for request in asked {
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
        server.say(response(&request, answer));
    }
    assert_eq!(legacy_text(&server.hear()), "Ada Hello! (m1) file:///a true");
}

#[test]
fn a_call_that_is_taken_back_takes_back_its_questions() {
    let mut server = spoken(all());
    // Each under a name of its own: rmcp may take what the first comes to for the answer to the second.
    for (id, tool) in [(7, "greet_by_name"), (8, "enrol")] {
        let mut call: Value = call_body(tool);
        call["id"] = id.into();
        let asked = server.ask(call);
        let cancel = json!({"requestId": id});
        let told =
            server.ask(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel}));
        assert_eq!(told["method"], "notifications/cancelled", "{told}");
        assert_eq!(told["params"]["requestId"], asked["id"], "{told}");
    }
    // A change that was not begun does not keep the server.
    assert_eq!(server.end(), (vec![], true));
}

#[test]
fn a_client_of_a_session_that_cannot_answer_is_told_so() {
    let mut server = spoken(json!({"sampling": {}}));
    let answer = server.ask(call_body("greet_by_name"));
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(
        legacy_text(&answer),
        "this caller cannot be asked: the client does not declare the capability `elicitation`"
    );
    let asked = server.ask(call_body("whatever"));
    let error = json!({"code": -1, "message": "the user rejected it"});
    let answer = server.ask(json!({"jsonrpc": "2.0", "id": asked["id"], "error": error}));
    assert_eq!(answer["result"]["isError"], true);
    let text = legacy_text(&answer);
    assert!(text.starts_with("the client did not answer the question `sample-"), "{text}");
    assert!(text.ends_with(": the user rejected it"), "{text}");
    let answer = server.ask(request(7, "resources/read", json!({"uri": "fixture://page/8"})));
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
}

/// The messages of a stream of events, as they come.
fn heard(stream: &mut BufReader<TcpStream>) -> Value {
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
fn over_http_requests_come_on_the_stream_of_their_call() {
    let served = served();
    // One tool that is driven where its caller is, and one that has a task of its own.
    for (tool, expected) in [("greet_by_name", "Hello, Ada!"), ("enrol", "Ada Blue None 1")] {
        // In one session the name of the first call would be taken until its stream has ended.
        let session = served.session_with(all());
        let mut stream = BufReader::new(session.send(&call_body(tool).to_string()));
        loop {
            let message = heard(&mut stream);
            if message.get("method").is_none() {
                assert_eq!(legacy_text(&message), expected);
                break;
            }
            let colour = message["params"]["message"].as_str().unwrap().contains("colour");
            let answer = if colour { accept(json!({"colour": "blue"})) } else { ada() };
            assert_eq!(session.post(&response(&message, answer).to_string()).status, 202);
        }
    }
}

#[test]
fn nobody_is_waited_for_for_ever() {
    let served =
        Served::serving(registry(), |server| server.answer_within(std::time::Duration::from_millis(20)));
    let session = served.session_with(all());
    let mut stream = BufReader::new(session.send(&call_body("greet_by_name").to_string()));
    assert_eq!(heard(&mut stream)["method"], "elicitation/create");
    assert_eq!(legacy_text(&heard(&mut stream)), "Nobody is there.");
}

#[test]
fn an_open_question_does_not_keep_the_server() {
    for tool in ["greet_by_name", "enrol"] {
        let mut server = spoken(all());
        assert_eq!(server.ask(call_body(tool))["method"], "elicitation/create");
        let (_, well) = server.end();
        assert!(well, "{tool}");
    }
}

#[test]
fn a_request_says_what_its_client_can_answer() {
    let served = served();
    let mut body = modern_body("tools/call", json!({"name": "greet_by_name", "arguments": {}}));
    body["params"]["_meta"]
        .as_object_mut()
        .unwrap()
        .shift_remove("io.modelcontextprotocol/clientCapabilities");
    let headers =
        [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "greet_by_name")];
    let answer = served.post(&headers, &body.to_string());
    assert_eq!((answer.status, &answer.json()["error"]["code"]), (400, &json!(-32602)));
}
