//! A key that a service echoes is masked in every kind of content.

use reqwest::StatusCode;
use serde_json::json;

use super::*;
use crate::endpoint::Service;
use crate::model::Provider;

const KEY: &str = "k3y-of-the-shop/+=";

fn endpoint() -> Endpoint {
    let provider: Provider =
        serde_json::from_value(json!({"code": "shop", "base_url": "https://shop.example.org"})).unwrap();
    let tool = json!({"code": "look", "provider": "shop", "description": "Looks.", "path": "/things"});
    let service = std::sync::Arc::new(Service::new(provider).unwrap());
    Endpoint::new(service, serde_json::from_value(tool).unwrap()).unwrap()
}

fn answered(status: u16, content_type: &str, body: &str) -> Result<Output, Failure> {
    let answer = Answer {
        status: StatusCode::from_u16(status).unwrap(),
        content_type: Some(content_type.to_owned()),
        retry_after: None,
        body: body.as_bytes().to_vec(),
    };
    output(&endpoint(), &answer, &Scrubber::of([KEY, "31415926"]))
}

#[test]
fn no_part_of_a_key_is_left_where_a_text_is_cut() {
    for before in 270..310 {
        let said = format!("{}{KEY} and more", "x".repeat(before));
        let message = answered(400, "text/plain", &said).unwrap_err().to_string();
        assert!(!message.contains("k3y"), "{before}: {message}");
        assert!(message.chars().count() < 350, "{message}");
    }
    // Joining lines does not assemble a key either.
    let message = answered(400, "text/plain", &format!("your key: {}", KEY.replace("of", "\u{200b}of")));
    assert!(!message.unwrap_err().to_string().contains("shop/+="));
}

#[test]
fn a_member_that_is_there_twice_hides_nothing() {
    let twice = format!(r#"{{"a": "{KEY}", "a": "fine"}}"#);
    let inside = format!(r#"{{"list": [{{"a": {{"{KEY}": 1}}, "a": 2}}]}}"#);
    for body in [twice, inside, r#"{"a": "k3y-of-the-shop\/\u002b=", "a": 1}"#.to_owned()] {
        let output = answered(200, "application/json", &body).unwrap();
        let shown = format!("{:?} {}", output.content(), output.value());
        assert!(!shown.contains("k3y-of"), "{shown}");
    }
    let as_it_was = r#"{"a":1.50,"a":2}"#;
    let output = answered(200, "application/json", as_it_was).unwrap();
    assert_eq!(output.content()[0], Content::text(as_it_was), "what hides nothing is passed on as it was");
}

#[test]
fn a_key_is_taken_out_of_types_numbers_and_bytes() {
    for (content_type, body) in [
        ("application/k3y-of-the-shop/+=", "x"),
        ("k3y-of-the-shop/+=", "x"),
        ("image/k3y-of-the-shop/+=", "x"),
        ("application/x-ndjson", "{\"key\":\"k3y-of-the-shop/+=\"}\n"),
        ("application/octet-stream", "\u{1}k3y-of-the-shop/+=\u{2}"),
        ("image/png", "k3y-of-the-shop/+="),
        ("application/json", r#"{"pin": 31415926, "pins": [31415926]}"#),
    ] {
        let output = answered(200, content_type, body).unwrap();
        let content = format!("{:?}", output.content());
        assert!(!content.contains("k3y-of") && !content.contains("31415926"), "{content_type}: {content}");
        let bytes: Vec<u8> = output
            .content()
            .iter()
            .flat_map(|content| match content {
                Content::Image { data, .. } => data.to_vec(),
                Content::Resource { body: tool_core::ResourceBody::Blob(data), .. } => data.to_vec(),
                _ => Vec::new(),
            })
            .collect();
        assert!(!String::from_utf8_lossy(&bytes).contains(KEY), "{content_type}");
    }
    let error = answered(200, "application/octet-stream", "no key");
    assert_eq!(error.unwrap().content().len(), 1);
}
