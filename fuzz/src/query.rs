//! The query strings of lists.

use axum::http::Uri;
use tool_http::fuzzing::list_query;

const OPERATIONS: [&str; 5] = ["explain", "read", "transform", "trigger", "write"];

const PROFILES: [&str; 7] = ["mcp", "no-ref", "openai", "openai-strict", "anthropic", "gemini", "native"];

/// Reads a query string as that of a list of tools.
///
/// - It is accepted if its parameters are known, have one of their values, and are given once where that is asked.
/// - What is read is what a form has, decoded once and in its order.
pub fn query(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(uri) = format!("/tools?{text}").parse::<Uri>() else { return };
    let pairs = decoded(uri.query().unwrap_or_default());
    let read = list_query(&uri);
    let count = |name: &str| pairs.iter().filter(|(other, _)| other == name).count();
    let is_allowed = |(name, value): &(String, String)| match name.as_str() {
        "operation" => OPERATIONS.contains(&value.as_str()),
        "tag" => true,
        "q" | "cursor" => count(name) == 1,
        "unmet" => count(name) == 1 && ["show", "hide", "only"].contains(&value.as_str()),
        "detail" => count(name) == 1 && ["full", "summary"].contains(&value.as_str()),
        "profile" => count(name) == 1 && PROFILES.contains(&value.as_str()),
        "limit" => count(name) == 1 && value.parse().is_ok_and(|limit| (1..=1000_u64).contains(&limit)),
        _ => false,
    };
    assert_eq!(read.is_some(), pairs.iter().all(is_allowed), "{pairs:?} is read as {read:?}");
    let Some((others, cursor)) = read else { return };
    let is_cursor = |(name, _): &&(String, String)| name == "cursor";
    assert_eq!(pairs.iter().find(is_cursor).map(|(_, value)| value), cursor.as_ref());
    let expected: Vec<_> = pairs.iter().filter(|pair| !is_cursor(pair)).cloned().collect();
    assert_eq!(others, expected);
}

/// Returns the pairs of a form (URL standard, section 5.1).
fn decoded(query: &str) -> Vec<(String, String)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.map(|(name, value)| (unescaped(name), unescaped(value))).collect()
}

fn unescaped(text: &str) -> String {
    let text = text.as_bytes();
    let (mut bytes, mut at) = (Vec::new(), 0);
    while let Some(byte) = text.get(at) {
        let digits = text.get(at + 1..at + 3).filter(|it| it.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|it| u8::from_str_radix(std::str::from_utf8(it).ok()?, 16).ok());
        match (byte, digits) {
            (b'%', Some(escaped)) => {
                bytes.push(escaped);
                at += 2;
            }
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(*byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
