//! Generated sequences of messages.

use serde_json::{Value, json};

use super::sequences::{
    INVALID_MESSAGES, MODERN, Sequence, Step, headers, initialize, initialized, request, requests, with_meta,
};
use super::tools::Kind;

/// A deterministic xorshift generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn choose<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }
}

pub(super) fn generated(count: usize) -> impl Iterator<Item = Sequence> {
    (0..count).map(|seed| {
        let mut random =
            Random(0x9E37_79B9_7F4A_7C15 ^ (seed as u64 + 1).wrapping_mul(0x2545_F491_4F6C_DD1D));
        let (over_http, is_modern) = (random.one_in(2), random.one_in(2));
        let server = if random.one_in(4) { Kind::Paged } else { Kind::Plain };
        let mut steps =
            if is_modern && !random.one_in(8) { Vec::new() } else { start(&mut random, over_http) };
        for _ in 0..=random.below(4) {
            let is_modern = is_modern != random.one_in(10);
            steps.push(step(&mut random, over_http, is_modern));
            if random.one_in(4) {
                steps.push(Step::Wait(3));
            }
        }
        Sequence { name: format!("generated {seed}"), server, steps }
    })
}

fn start(random: &mut Random, over_http: bool) -> Vec<Step> {
    let version =
        random.choose(&["2025-11-25", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2030-01-01"]);
    let capabilities = random.choose(&[
        json!({}),
        json!({"elicitation": {}}),
        json!({"elicitation": {"url": {}}, "sampling": {}, "roots": {}}),
    ]);
    let initialize = initialize(version, &capabilities).to_string();
    if !over_http {
        return vec![Step::Line(initialize), Step::Line(initialized().to_string())];
    }
    let session = headers(&[("mcp-session-id", "$SESSION")]);
    vec![
        Step::Http { method: "POST", headers: Vec::new(), body: initialize },
        Step::Http { method: "POST", headers: session, body: initialized().to_string() },
    ]
}

fn step(random: &mut Random, over_http: bool, is_modern: bool) -> Step {
    let (method, params) = random.choose(&requests());
    let id = random.choose(&[json!(1), json!(2), json!("a"), json!(-7)]);
    let body = match random.below(12) {
        0 => random.choose(&INVALID_MESSAGES).to_owned(),
        1 => json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}).to_string(),
        2 => json!({"jsonrpc": "2.0", "id": random.below(3), "result": {"action": "accept", "content": {"name": "Eve"}}}).to_string(),
        _ if is_modern && !params.is_array() => {
            let capabilities = random.choose(&[json!({}), json!({"elicitation": {}, "sampling": {}}), json!(5), Value::Null]);
            let mut body = request(id, method, &with_meta(&params, &capabilities));
            if random.one_in(8) {
                let version = random.choose(&["2025-11-25", "2099-01-01", ""]);
                body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = version.into();
            }
            body.to_string()
        }
        _ => request(id, method, &params).to_string(),
    };
    let body = if random.one_in(12) { corrupt_text(random, &body) } else { body };
    if !over_http {
        return Step::Line(body.replace('\n', " "));
    }
    let name = params["name"].as_str().or(params["uri"].as_str());
    let mut pairs = if is_modern {
        vec![("mcp-protocol-version", MODERN), ("mcp-method", method)]
    } else {
        vec![("mcp-session-id", "$SESSION"), ("mcp-protocol-version", "2025-11-25")]
    };
    if is_modern {
        pairs.extend(name.map(|name| ("mcp-name", name)));
    }
    let mut headers = headers(&pairs);
    if random.one_in(6) {
        corrupt_headers(random, &mut headers);
    }
    let http_method = random.choose(&[
        "POST", "POST", "POST", "POST", "POST", "POST", "POST", "POST", "POST", "POST", "POST", "GET",
    ]);
    let body = if http_method == "GET" { String::new() } else { body };
    Step::Http { method: http_method, headers, body }
}

/// A text with one character removed, inserted or replaced, or cut off.
fn corrupt_text(random: &mut Random, text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    if characters.is_empty() {
        return "}".to_owned();
    }
    let at = random.below(characters.len());
    let other = random.choose(&['{', '}', '"', ',', ':', '0', 'x', ' ', '\\', 'e', '[', ']']);
    match random.below(4) {
        0 => drop(characters.remove(at)),
        1 => characters.insert(at, other),
        2 => characters[at] = other,
        _ => characters.truncate(at),
    }
    characters.into_iter().collect()
}

fn corrupt_headers(random: &mut Random, headers: &mut Vec<(String, String)>) {
    let at = random.below(headers.len());
    let added = random.choose(&[
        ("mcp-protocol-version", "2099-01-01"),
        ("mcp-protocol-version", MODERN),
        ("mcp-protocol-version", "2025-06-18"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "add"),
        ("mcp-name", "=?base64?YWRk?="),
        ("mcp-param-region", "north"),
        ("mcp-param-region", "south"),
        ("mcp-session-id", "nope"),
        ("accept", "*/*"),
        ("accept", "text/event-stream"),
        ("content-type", "text/plain"),
        ("origin", "http://evil.example"),
        ("host", "evil.example"),
        ("last-event-id", "0"),
    ]);
    let added = (added.0.to_owned(), added.1.to_owned());
    match random.below(3) {
        0 => drop(headers.remove(at)),
        1 => headers[at] = added,
        _ => headers.push(added),
    }
}
