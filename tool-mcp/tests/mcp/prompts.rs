//! Prompts and their text arguments.

use serde_json::{Value, json};

use crate::stdio::StdioClient;
use crate::support::{TestServer, modern_body, request_both};
use crate::surfaces::server;

fn get(server: &TestServer, name: &str, arguments: Value) -> Value {
    request_both(server, "prompts/get", &json!({"name": name, "arguments": arguments})).0
}

#[test]
fn lists_prompts_with_their_arguments() {
    let (list, cached) = request_both(&server(), "prompts/list", &json!({}));
    assert_eq!(cached, Some((60_000, "public".to_owned())));
    assert_eq!(
        list["result"],
        json!({"prompts": [{
            "name": "letter",
            "title": "Letter",
            "description": "Asks for a letter to a guest.",
            "arguments": [
                {"name": "name", "description": "To whom.", "required": true},
                {
                    "name": "topics",
                    "description": "What it is about. (list[string]: JSON, or separated by commas)",
                    "required": true,
                },
                {"name": "words", "description": "How long. (integer; default 100)", "required": false},
                {
                    "name": "wing",
                    "description": "From which wing.\n- `east`: Where the sun rises.\n- `west`: Where it sets.",
                    "required": false,
                },
            ],
        }]})
    );
}

#[test]
fn parses_text_arguments_of_any_type() {
    let server = server();
    let text = |arguments: Value| {
        let answer = get(&server, "letter", arguments);
        answer["result"]["messages"][0]["content"]["text"].as_str().unwrap().to_owned()
    };
    let expected = "Write 50 words to Ada from the East wing about AI and ML.";
    for topics in [json!(r#"["AI","ML"]"#), json!("AI, ML"), json!(["AI", "ML"])] {
        let arguments = json!({"name": "Ada", "topics": topics, "words": "50", "wing": "east"});
        assert_eq!(text(arguments), expected);
    }
    assert_eq!(text(json!({"name": "5", "topics": "x"})), "Write 100 words to 5 about x.");
    let messages = get(&server, "letter", json!({"name": "Ada", "topics": "x"}))["result"]["messages"].take();
    assert_eq!(
        messages,
        json!([
            {"role": "user", "content": {"type": "text", "text": "Write 100 words to Ada about x."}},
            {"role": "assistant", "content": {"type": "image", "data": "AQ==", "mimeType": "image/png"}},
        ])
    );
}

#[test]
fn reports_invalid_arguments_by_name() {
    let server = server();
    let error = |arguments: Value| get(&server, "letter", arguments)["error"].take();
    let missing = error(json!({"topics": "x"}));
    assert_eq!(missing["code"], -32602);
    assert_eq!(missing["message"], "`name`: missing required input: expected a string");
    assert_eq!(missing["data"]["problems"][0]["path"], "/name");

    let wrong = error(json!({"name": "Ada", "topics": "x", "words": "many", "size": "A4"}));
    assert_eq!(wrong["code"], -32602);
    let message = wrong["message"].as_str().unwrap();
    assert!(
        message.contains("`words`: expected an integer") && message.contains("`size`: unknown input"),
        "{message}"
    );

    let unknown = get(&server, "nope", json!({}))["error"].take();
    assert_eq!(unknown, json!({"code": -32602, "message": "Prompt not found: nope"}));
    let not_found = error(json!({"name": "nobody", "topics": "x"}));
    assert_eq!(not_found, json!({"code": -32602, "message": "nobody lives here"}));
    // A missing prompt never has the error code of a missing resource.
    for (name, arguments) in [("nope", json!({})), ("letter", json!({"name": "nobody", "topics": "x"}))] {
        let answer = server.session().request("prompts/get", json!({"name": name, "arguments": arguments}));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}

#[test]
fn rejects_invalid_parameters() {
    let server = server();
    for params in [json!({}), json!({"name": 5}), json!({"name": "letter", "arguments": "x"})] {
        let answer = server.session().request("prompts/get", params);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}

#[test]
fn completes_argument_values() {
    let server = server();
    let complete = |name: &str, value: &str| {
        let reference = json!({"type": "ref/prompt", "name": "letter"});
        let params = json!({"ref": reference, "argument": {"name": name, "value": value}});
        request_both(&server, "completion/complete", &params).0
    };
    let completion = complete("wing", "W")["result"].take();
    assert_eq!(completion, json!({"completion": {"values": ["west"], "total": 1, "hasMore": false}}));
    assert_eq!(complete("wing", "")["result"]["completion"]["values"], json!(["east", "west"]));
    assert_eq!(complete("words", "1")["result"]["completion"]["values"], json!([]));
    assert_eq!(complete("size", "A")["error"]["code"], -32602);
    assert_eq!(complete("name", "A")["result"]["completion"]["values"], json!(["Ada", "Alan"]));
}

#[test]
fn completes_with_the_other_arguments() {
    let params = json!({
        "ref": {"type": "ref/prompt", "name": "letter"},
        "argument": {"name": "name", "value": "A"},
        "context": {"arguments": {"wing": "west"}},
    });
    let answer = request_both(&server(), "completion/complete", &params).0;
    assert_eq!(answer["result"]["completion"]["values"], json!(["Alan"]));
}

#[test]
fn serves_prompts_over_stdio() {
    let mut client = StdioClient::start_with("surfaces");
    let listed = client.exchange(modern_body("prompts/list", json!({})));
    assert_eq!(listed["result"]["prompts"][0]["name"], "letter");
    let arguments = json!({"name": "Ada", "topics": "x"});
    let got = client.exchange(modern_body("prompts/get", json!({"name": "letter", "arguments": arguments})));
    assert_eq!(got["result"]["messages"][0]["role"], "user");
    assert_eq!(client.close(), (vec![], true));
}
