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

fn convert(status: u16, content_type: &str, body: &str) -> Result<Output, Failure> {
    let answer = Answer {
        status: StatusCode::from_u16(status).unwrap(),
        content_type: Some(content_type.to_owned()),
        retry_after: None,
        body: body.as_bytes().to_vec(),
    };
    output(&endpoint(), &answer, &Scrubber::of([KEY, "31415926"]))
}

#[test]
fn masks_keys_before_truncating_text() {
    for before in 270..310 {
        let body = format!("{}{KEY} and more", "x".repeat(before));
        let message = convert(400, "text/plain", &body).unwrap_err().to_string();
        assert!(!message.contains("k3y"), "{before}: {message}");
        assert!(message.chars().count() < 350, "{message}");
    }
    // Joining lines does not assemble a key either.
    let message = convert(400, "text/plain", &format!("your key: {}", KEY.replace("of", "\u{200b}of")));
    assert!(!message.unwrap_err().to_string().contains("shop/+="));
}

#[test]
fn masks_keys_in_duplicate_members() {
    let twice = format!(r#"{{"a": "{KEY}", "a": "fine"}}"#);
    let inside = format!(r#"{{"list": [{{"a": {{"{KEY}": 1}}, "a": 2}}]}}"#);
    for body in [twice, inside, r#"{"a": "k3y-of-the-shop\/\u002b=", "a": 1}"#.to_owned()] {
        let output = convert(200, "application/json", &body).unwrap();
        let shown = format!("{:?} {}", output.content(), output.value());
        assert!(!shown.contains("k3y-of"), "{shown}");
    }
    let unchanged = r#"{"a":1.50,"a":2}"#;
    let output = convert(200, "application/json", unchanged).unwrap();
    assert_eq!(output.content()[0], Content::text(unchanged), "text without secrets is passed on unchanged");
}

#[test]
fn masks_keys_in_media_types_numbers_and_bytes() {
    for (content_type, body) in [
        ("application/k3y-of-the-shop/+=", "x"),
        ("k3y-of-the-shop/+=", "x"),
        ("image/k3y-of-the-shop/+=", "x"),
        ("application/x-ndjson", "{\"key\":\"k3y-of-the-shop/+=\"}\n"),
        ("application/octet-stream", "\u{1}k3y-of-the-shop/+=\u{2}"),
        ("image/png", "k3y-of-the-shop/+="),
        ("application/json", r#"{"pin": 31415926, "pins": [31415926]}"#),
    ] {
        let output = convert(200, content_type, body).unwrap();
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
    let plain = convert(200, "application/octet-stream", "no key");
    assert_eq!(plain.unwrap().content().len(), 1);
}
