//! Prompts, whose arguments come as texts.

use serde_json::{Value, json};

use crate::stdio::Spoken;
use crate::support::{Served, ask_both, modern_body};
use crate::surfaces::served;

fn get(served: &Served, name: &str, arguments: Value) -> Value {
    ask_both(served, "prompts/get", &json!({"name": name, "arguments": arguments})).0
}

#[test]
fn prompts_are_listed_with_their_arguments() {
    let (list, cached) = ask_both(&served(), "prompts/list", &json!({}));
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
                {"name": "wing", "description": "From which wing.", "required": false},
            ],
        }]})
    );
}

#[test]
fn arguments_are_texts_of_any_type() {
    let served = served();
    let text = |arguments: Value| {
        let answer = get(&served, "letter", arguments);
        answer["result"]["messages"][0]["content"]["text"].as_str().unwrap().to_owned()
    };
    let expected = "Write 50 words to Ada from the East wing about AI and ML.";
    for topics in [json!(r#"["AI","ML"]"#), json!("AI, ML"), json!(["AI", "ML"])] {
        let arguments = json!({"name": "Ada", "topics": topics, "words": "50", "wing": "east"});
        assert_eq!(text(arguments), expected);
    }
    assert_eq!(text(json!({"name": "5", "topics": "x"})), "Write 100 words to 5 about x.");
    let messages = get(&served, "letter", json!({"name": "Ada", "topics": "x"}))["result"]["messages"].take();
    assert_eq!(
        messages,
        json!([
            {"role": "user", "content": {"type": "text", "text": "Write 100 words to Ada about x."}},
            {"role": "assistant", "content": {"type": "image", "data": "AQ==", "mimeType": "image/png"}},
        ])
    );
}

#[test]
fn what_is_wrong_with_an_argument_is_told_by_its_name() {
    let served = served();
    let error = |arguments: Value| get(&served, "letter", arguments)["error"].take();
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

    let unknown = get(&served, "nope", json!({}))["error"].take();
    assert_eq!(unknown, json!({"code": -32602, "message": "Prompt not found: nope"}));
    let nobody = error(json!({"name": "nobody", "topics": "x"}));
    assert_eq!(nobody, json!({"code": -32602, "message": "nobody lives here"}));
    // The code of a resource that is not there is none of a prompt, in no era.
    for (name, arguments) in [("nope", json!({})), ("letter", json!({"name": "nobody", "topics": "x"}))] {
        let answer = served.session().request("prompts/get", json!({"name": name, "arguments": arguments}));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}

#[test]
fn a_request_without_a_name_is_a_protocol_error() {
    let served = served();
    for params in [json!({}), json!({"name": 5}), json!({"name": "letter", "arguments": "x"})] {
        let answer = served.session().request("prompts/get", params);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}

#[test]
fn a_completion_of_an_argument_knows_its_values() {
    let served = served();
    let complete = |name: &str, value: &str| {
        let reference = json!({"type": "ref/prompt", "name": "letter"});
        let params = json!({"ref": reference, "argument": {"name": name, "value": value}});
        ask_both(&served, "completion/complete", &params).0
    };
    let completion = complete("wing", "W")["result"].take();
    assert_eq!(completion, json!({"completion": {"values": ["west"], "total": 1, "hasMore": false}}));
    assert_eq!(complete("wing", "")["result"]["completion"]["values"], json!(["east", "west"]));
    assert_eq!(complete("words", "1")["result"]["completion"]["values"], json!([]));
    assert_eq!(complete("size", "A")["error"]["code"], -32602);
    assert_eq!(complete("name", "A")["result"]["completion"]["values"], json!(["Ada", "Alan"]));
}

#[test]
fn a_completion_of_an_argument_knows_the_others() {
    let params = json!({
        "ref": {"type": "ref/prompt", "name": "letter"},
        "argument": {"name": "name", "value": "A"},
        "context": {"arguments": {"wing": "west"}},
    });
    let answer = ask_both(&served(), "completion/complete", &params).0;
    assert_eq!(answer["result"]["completion"]["values"], json!(["Alan"]));
}

#[test]
fn prompts_are_there_on_stdio() {
    let mut spoken = Spoken::with("surfaces");
    let listed = spoken.ask(modern_body("prompts/list", json!({})));
    assert_eq!(listed["result"]["prompts"][0]["name"], "letter");
    let arguments = json!({"name": "Ada", "topics": "x"});
    let got = spoken.ask(modern_body("prompts/get", json!({"name": "letter", "arguments": arguments})));
    assert_eq!(got["result"]["messages"][0]["role"], "user");
    assert_eq!(spoken.end(), (vec![], true));
}
