//! Custom resources, templates and prompts, and the prompts file.

use std::sync::Arc;

use serde_json::{Value, json};
use tool_core::{
    Content, DynamicTool, Output, PromptMessage, Registry, Tool, ToolDefinition, ToolError, prompt, prompts,
    tool,
};
use tool_mcp::{
    DynamicPrompt, DynamicResource, DynamicTemplate, Icon, IconTheme, PromptArgument, PromptsFile, Request,
    Server,
};

use crate::support::{TestServer, request_both};

/// Looks for a word.
///
/// ```tool
/// {"word": "rain"}
/// ```
#[tool(operation = Read, open_world = true)]
fn look_up(
    /// The word.
    word: String,
    /// In how many books.
    #[arg(default = 3)]
    books: u8,
) -> Vec<String> {
    vec![word; usize::from(books)]
}

fn registry() -> Registry {
    Registry::builder()
        .linked()
        .select(|tool| tool.name() == "look_up")
        .select_prompts(|_| false)
        .build()
        .unwrap()
}

const FILE: &str = r#"
instructions: Look up every word.
tools:
  look_up:
    description: Looks for a word in the books of the house.
    examples:
      - look_up(word = "rain")
      - word: rain
        books: 2
templates:
  define:
    description: Asks what a word means.
    template: |
      What does {word} mean in {language}? Answer as {"word": "{word}"}, not as {{word}}.
  greet:
    description: Greets.
    template: Hello!
"#;

fn picture() -> Icon {
    Icon::new("data:image/png;base64,iVBORw==")
        .mime_type("image/png")
        .size("48x48")
        .size("any")
        .theme(IconTheme::Dark)
}

fn picture_json() -> Value {
    json!([{
        "src": "data:image/png;base64,iVBORw==",
        "mimeType": "image/png",
        "sizes": ["48x48", "any"],
        "theme": "dark",
    }])
}

fn pages() -> DynamicTemplate {
    DynamicTemplate::new("docs://page/{id}", "page", async |request: Request| match request.get("id") {
        Some("panic") => panic!("a secret of the implementation"),
        Some("none") => Err(ToolError::not_found("there is no such page")),
        Some("busy") => Err(ToolError::unavailable("it is being written")),
        id => Ok(format!("{}: {id:?} for {:?}", request.name(), request.principal().id())),
    })
    .title("Page")
    .description("A page of the book.")
    .mime_type("text/markdown")
    .icon(picture())
    .complete("id", |typed| (0..120).map(|n| format!("{typed}{n}")).collect())
}

fn review() -> DynamicPrompt {
    DynamicPrompt::new("review", "Asks for a review.", async |request: Request| match request.get("text") {
        Some("panic") => panic!("a secret of the implementation"),
        Some("bad") => Err(ToolError::conflict("it is under review")),
        text => Ok(vec![
            PromptMessage::user(format!("{text:?} as {:?}", request.get("kind"))),
            PromptMessage::user(Content::link("docs://page/1", "page")),
        ]),
    })
    .title("Review")
    .icon(picture())
    .argument(PromptArgument::new("text").description("What to review."))
    .argument(PromptArgument::new("kind").optional().values(["Poem", "report", "postcard"]))
}

fn server() -> TestServer {
    TestServer::with_registry(registry(), |server| {
        server
            .prompts_file(PromptsFile::parse(FILE).unwrap())
            .resource(
                DynamicResource::text("urn:isbn:0451450523", "book", "A book.")
                    .title("Book")
                    .description("One."),
            )
            .resource(
                DynamicResource::new("docs://dot", "dot", async |_: Request| Ok(vec![0x89, 0x50]))
                    .icon(picture()),
            )
            .resource_template(pages())
            .prompt(review())
    })
}

fn contents(server: &TestServer, uri: &str) -> Value {
    request_both(server, "resources/read", &json!({"uri": uri})).0["result"]["contents"].take()
}

fn error(server: &TestServer, method: &str, params: &Value) -> (i64, i64, String) {
    let mut modern = server.request_modern(method, params.clone()).json();
    let legacy = server.session().request(method, params.clone());
    let code = |answer: &Value| answer["error"]["code"].as_i64().unwrap();
    let codes = (code(&modern), code(&legacy));
    (codes.0, codes.1, modern["error"]["message"].take().as_str().unwrap().to_owned())
}

#[test]
fn lists_custom_resources_after_those_of_tools() {
    let server = server();
    let (list, _) = request_both(&server, "resources/list", &json!({}));
    assert_eq!(
        list["result"]["resources"].as_array().unwrap()[1..],
        [
            json!({"uri": "urn:isbn:0451450523", "name": "book", "title": "Book", "description": "One."}),
            json!({"uri": "docs://dot", "name": "dot", "icons": picture_json()}),
        ]
    );
    let (list, _) = request_both(&server, "resources/templates/list", &json!({}));
    assert_eq!(
        list["result"]["resourceTemplates"].as_array().unwrap()[1..],
        [json!({
            "uriTemplate": "docs://page/{id}",
            "name": "page",
            "title": "Page",
            "description": "A page of the book.",
            "mimeType": "text/markdown",
            "icons": picture_json(),
        })]
    );
}

#[test]
fn reads_custom_resources() {
    let server = server();
    let text = json!([{"uri": "urn:isbn:0451450523", "mimeType": "text/plain", "text": "A book."}]);
    assert_eq!(contents(&server, "urn:isbn:0451450523"), text);
    let blob = json!([{"uri": "docs://dot", "mimeType": "application/octet-stream", "blob": "iVA="}]);
    assert_eq!(contents(&server, "docs://dot"), blob);
    let text = r#"docs://page/a%20b: Some("a b") for None"#;
    let page = json!([{"uri": "docs://page/a%20b", "mimeType": "text/markdown", "text": text}]);
    assert_eq!(contents(&server, "docs://page/a%20b"), page);
}

#[test]
fn maps_failures_of_custom_handlers_to_codes() {
    let server = server();
    let of = |uri: &str| error(&server, "resources/read", &json!({"uri": uri}));
    assert_eq!(of("docs://page/none"), (-32602, -32002, "there is no such page".to_owned()));
    assert_eq!(of("docs://page/busy"), (-32603, -32603, "it is being written".to_owned()));
    assert_eq!(of("docs://page/panic"), (-32603, -32603, "internal error".to_owned()));
    assert_eq!(of("docs://page"), (-32602, -32002, "Resource not found: docs://page".to_owned()));
    assert_eq!(of("docs://page/..").0, -32602);
    let of =
        |text: &str| error(&server, "prompts/get", &json!({"name": "review", "arguments": {"text": text}}));
    assert_eq!(of("bad"), (-32603, -32603, "it is under review".to_owned()));
    assert_eq!(of("panic"), (-32603, -32603, "internal error".to_owned()));
    // Other requests still work.
    assert_eq!(contents(&server, "docs://page/1")[0]["mimeType"], "text/markdown");
}

#[test]
fn lists_prompts_by_name() {
    let (list, _) = request_both(&server(), "prompts/list", &json!({}));
    assert_eq!(
        list["result"]["prompts"],
        json!([
            {
                "name": "define",
                "description": "Asks what a word means.",
                "arguments": [{"name": "word", "required": true}, {"name": "language", "required": true}],
            },
            {"name": "greet", "description": "Greets."},
            {
                "name": "review",
                "title": "Review",
                "description": "Asks for a review.",
                "arguments": [
                    {"name": "text", "description": "What to review.", "required": true},
                    {"name": "kind", "required": false},
                ],
                "icons": picture_json(),
            },
        ])
    );
}

#[test]
fn fills_in_prompts() {
    let server = server();
    let get = |name: &str, arguments: Value| {
        request_both(&server, "prompts/get", &json!({"name": name, "arguments": arguments})).0
    };
    let messages =
        get("define", json!({"word": "{language}", "language": "Dutch"}))["result"]["messages"].take();
    let text = "What does {language} mean in Dutch? Answer as {\"word\": \"{language}\"}, not as {word}.\n";
    assert_eq!(messages, json!([{"role": "user", "content": {"type": "text", "text": text}}]));
    let messages = get("review", json!({"text": "x", "kind": 5}))["result"]["messages"].take();
    assert_eq!(messages[0]["content"]["text"], r#"Some("x") as Some("5")"#);
    assert_eq!(
        messages[1]["content"],
        json!({"type": "resource_link", "uri": "docs://page/1", "name": "page"})
    );

    let faults = "`word`: missing required argument\n\
                  `wrod`: unknown argument: the arguments are `word`, `language`";
    let error = get("define", json!({"wrod": "x", "language": "y"}))["error"].take();
    assert_eq!(error, json!({"code": -32602, "message": faults}));
    let error = get("greet", json!({"word": "x"}))["error"].take();
    assert_eq!(error["message"], "`word`: unknown argument: there are none");
}

#[test]
fn returns_at_most_100_completions() {
    let server = server();
    let complete = |reference: Value, name: &str, value: &str| {
        let params = json!({"ref": reference, "argument": {"name": name, "value": value}});
        request_both(&server, "completion/complete", &params).0
    };
    let page = || json!({"type": "ref/resource", "uri": "docs://page/{id}"});
    let completion = complete(page(), "id", "x")["result"]["completion"].take();
    assert_eq!(completion["values"].as_array().unwrap().len(), 100);
    assert_eq!((&completion["values"][99], &completion["total"]), (&json!("x99"), &json!(120)));
    assert_eq!(completion["hasMore"], true);

    let review = || json!({"type": "ref/prompt", "name": "review"});
    let completion = complete(review(), "kind", "p")["result"]["completion"].take();
    assert_eq!(completion, json!({"values": ["Poem", "postcard"], "total": 2, "hasMore": false}));
    let completion = complete(review(), "text", "p")["result"]["completion"].take();
    assert_eq!(completion, json!({"values": [], "total": 0, "hasMore": false}));
    assert_eq!(complete(review(), "size", "")["error"]["code"], -32602);
    assert_eq!(complete(json!({"type": "ref/prompt", "name": "nope"}), "size", "")["error"]["code"], -32602);
}

#[test]
fn applies_the_prompts_file() {
    let server = server();
    let discovered = server.request_modern("server/discover", json!({})).json();
    assert_eq!(discovered["result"]["instructions"], "Look up every word.");
    let description = "Looks for a word in the books of the house.";
    let (list, _) = request_both(&server, "tools/list", &json!({}));
    assert_eq!(list["result"]["tools"][0]["description"], description);
    let page: Value =
        serde_json::from_str(contents(&server, "fixture://tool/look_up")[0]["text"].as_str().unwrap())
            .unwrap();
    assert_eq!(page["description"], description);
    let examples = json!([{"word": "rain"}, r#"look_up(word = "rain")"#, {"word": "rain", "books": 2}]);
    assert_eq!(page["examples"], examples);
    let rows = contents(&server, "fixture://tools");
    assert!(rows[0]["text"].as_str().unwrap().contains(description));

    let overridden = TestServer::with_registry(registry(), |server| {
        server.prompts_file(PromptsFile::parse(FILE).unwrap()).instructions("Mine.").icon(picture())
    });
    let discovered = overridden.request_modern("server/discover", json!({})).json()["result"].take();
    assert_eq!(discovered["instructions"], "Mine.");
    assert_eq!(discovered["_meta"]["io.modelcontextprotocol/serverInfo"]["icons"], picture_json());
}

/// Asks what a word means.
#[prompt]
fn define(
    /** The word. */
    word: String,
) -> String {
    word
}

#[test]
fn rejects_conflicting_definitions() {
    let file = "tools: {look_upp: {}, look_up: {examples: [{word: 5, buks: 1}]}}";
    let setup_error = |server: Server| server.into_axum_router().unwrap_err().to_string();
    let error = setup_error(
        Server::new(registry())
            .name("fixture")
            .prompts_file(PromptsFile::parse(file).unwrap())
            .resource(DynamicResource::text("not a uri", "a", ""))
            .resource(DynamicResource::text("fixture://tools", "b", ""))
            .resource(DynamicResource::text("a://b", "c", ""))
            .resource(DynamicResource::text("a://b", "d", ""))
            .resource_template(DynamicTemplate::new("a://b/{c}d", "e", async |_: Request| Ok("")))
            .resource_template(DynamicTemplate::new("a://b", "f", async |_: Request| Ok("")))
            .resource_template(
                DynamicTemplate::new("a://{g}", "g", async |_: Request| Ok("")).values("h", ["i"]),
            )
            .resource_template(DynamicTemplate::new("a://{j}", "j", async |_: Request| Ok("")))
            .resource(DynamicResource::text("fixture://tool/look_up", "k", ""))
            .resource_template(DynamicTemplate::new("fixture://result/{l}", "l", async |_: Request| Ok(""))),
    );
    for fault in [
        "`not a uri` is not a URI",
        "`fixture://tools` begins with `tools`, which is reserved",
        "`fixture://tool/look_up` begins with `tool`, which is reserved",
        "`fixture://result/{l}` begins with `result`, which is reserved",
        "two resources have the URI `a://b`",
        "`a://b/{c}d` is not a URI template: `{c}d` is neither a name nor a variable",
        "`a://b` has no variable: add it as a resource",
        "`a://{g}` has no variable `h` to complete",
        "`a://{j}` conflicts with `a://{g}`",
        "there is no tool `look_upp`; did you mean `look_up`?",
        "an example of `look_up` in the prompts file: invalid input for `look_up`: 2 problems",
        "/buks: unknown input `buks`",
    ] {
        assert!(error.contains(fault), "{fault} in {error}");
    }

    let same = Server::new(registry()).prompts_file(PromptsFile::parse(FILE).unwrap());
    let same = same.prompt(DynamicPrompt::template("greet", "Greets.", "Hi!"));
    assert_eq!(setup_error(same), "the server is set up wrongly:\ntwo prompts are named `greet`");
    let declared = Registry::builder().prompts(prompts![define]).allow_empty().build().unwrap();
    let declared = Server::new(declared).prompt(DynamicPrompt::template("define", "Defines.", "What?"));
    let error = setup_error(declared);
    assert!(
        error.contains("two prompts are named `define`: one is declared at tool-mcp/tests/mcp/custom.rs:"),
        "{error}"
    );
}

#[test]
fn reports_errors_of_a_prompts_file() {
    for (yaml, fault) in [
        ("tools: [", "line 1"),
        ("instruction: x", "unknown field `instruction`"),
        ("templates: {a: {template: x}}", "missing field `description`"),
        ("tools: {a: {example: [x]}}", "unknown field `example`"),
        ("instructions: a\ninstructions: b", "duplicate"),
    ] {
        let error = PromptsFile::parse(yaml).unwrap_err().to_string();
        assert!(error.starts_with("invalid prompts file: ") && error.contains(fault), "{fault} in {error}");
    }
    assert!(PromptsFile::parse("{}").is_ok());
}

#[test]
fn lists_dynamic_tools_without_hints() {
    let schema = json!({"type": "object", "properties": {}});
    let definition = ToolDefinition::builder("plugin", "Does what a plugin does.").input_schema(schema);
    let plugin =
        DynamicTool::new(definition.build().unwrap(), |_, _: Value| async { Ok(Output::text("done")) });
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(plugin)];
    // A list of tools is a provider, too.
    let router = Server::new(tools.clone()).name("plugins").into_axum_router();
    assert!(router.is_ok());
    let mut builder = Registry::builder();
    for tool in tools {
        builder = builder.tool(tool);
    }
    let server = TestServer::with_registry(builder.build().unwrap(), |server| server);
    let (list, _) = request_both(&server, "tools/list", &json!({}));
    assert_eq!(
        list["result"]["tools"],
        json!([{
            "name": "plugin",
            "description": "Does what a plugin does.",
            "inputSchema": {"type": "object", "properties": {}},
        }])
    );
}
