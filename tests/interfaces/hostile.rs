//! Argument texts that could break a parser: every interface answers each of them in the same words.

use crate::interfaces::{Interfaces, response_of_mcp};

/// How a text behaves as a part of a larger JSON text, as in MCP.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Text {
    /// Valid JSON: every interface validates it as arguments.
    Json,
    /// Invalid JSON: over MCP the whole message is invalid.
    NotJson,
}

use Text::{Json, NotJson};

/// Returns values for one integer.
fn integers() -> Vec<(String, Text)> {
    let digits = |count| "9".repeat(count);
    let nested = |open: &str, close: &str, levels| open.repeat(levels) + "1" + &close.repeat(levels);
    let json = [
        "2014".into(),
        "2014.0".into(),
        "2014.000000000000000000000000000000001".into(),
        "2.014e3".into(),
        "20140E-1".into(),
        "2014e0".into(),
        "-0".into(),
        "-0.0".into(),
        "0e999999999999".into(),
        "1e400".into(),
        "-1E+400".into(),
        "1e-400".into(),
        "1e99999999999999999999".into(),
        digits(64),
        digits(65),
        digits(400),
        format!("-{}", digits(400)),
        format!("{}.{}e{}", digits(400), digits(400), digits(400)),
        u64::MAX.to_string(),
        i64::MIN.to_string(),
        u128::MAX.to_string(),
        "true".into(),
        "null".into(),
        r#""2014""#.into(),
        format!(r#""{}""#, digits(400)),
        r#""\ud800""#.into(),
        r#""\udc00\ud800""#.into(),
        r#""\ud83d\ude00""#.into(),
        r#""\u0000""#.into(),
        r#"{"a":1,"a":2}"#.into(),
        format!("[{}]", vec!["1e400"; 10_000].join(",")),
        nested("[", "]", 64),
        nested("[", "]", 127),
        nested("[", "]", 128),
        nested("[", "]", 200),
        nested("[", "]", 100_000),
        nested(r#"{"a":"#, "}", 200),
    ];
    let not_json = [
        "02014",
        "+2014",
        "2014.",
        ".5",
        "2014e",
        "0x7de",
        "2_014",
        "--1",
        "-",
        "NaN",
        "Infinity",
        "'2014'",
        "True",
        "2014/*y*/",
        "2014,",
        "2014,,",
        "",
        "[1,]",
        "[1",
        r#""\x""#,
        r#""\ud8""#,
        "\"\0\"",
        "\"\t\"",
        "\u{feff}2014",
        "\u{a0}2014",
    ];
    let json = json.into_iter().map(|text: String| (text, Json));
    json.chain(not_json.map(|text| (text.to_owned(), NotJson))).collect()
}

/// Returns whole arguments.
fn full_arguments() -> Vec<(Vec<u8>, Text)> {
    let keys = |count| (0..count).map(|n| format!(r#""k{n}":1"#)).collect::<Vec<_>>().join(",");
    let json = [
        "{}".into(),
        " { } ".into(),
        "[]".into(),
        "[1e400]".into(),
        "5".into(),
        "1e400".into(),
        "9".repeat(400),
        r#""text""#.into(),
        r#""\ud800""#.into(),
        "true".into(),
        r#"{"location":"Seattle","year":2014,"year":2014}"#.into(),
        r#"{"location":"Seattle","year":2014,"ye\u0061r":2014}"#.into(),
        r#"{"location":"Seattle","year":2014,"":1}"#.into(),
        r#"{"location":"Seattle","year":2014,"__proto__":{"a":1}}"#.into(),
        r#"{"location":"Seattle","year":2014,"\ud800":1}"#.into(),
        format!(r#"{{"location":"Seattle","year":2014,"other":{}}}"#, "9".repeat(400)),
        r#"{"location":"Seattle","year":2014,"other":"\udfff"}"#.into(),
        format!(r#"{{"location":"Seattle","year":2014,"other":{}{}}}"#, "[".repeat(200), "]".repeat(200)),
        format!("{{{}}}", keys(10)),
        format!("{{{}}}", keys(10_000)),
        format!(r#"{{"location":"{}","year":2014}}"#, "x".repeat(100_000)),
        "[".repeat(200) + &"]".repeat(200),
    ];
    let not_json: [&[u8]; 15] = [
        b"{",
        b"}",
        b"{}{}",
        b"{},",
        b"{,}",
        b"nul",
        b"{'location':'Seattle'}",
        b"{location:\"Seattle\"}",
        b"{\"location\":\"Seattle\",\"year\":2014,}",
        b"\xEF\xBB\xBF{}",
        b"{\"location\":\"\xff\"}",
        b"{\"location\":\"\xc0\x80\"}",
        b"{\"location\":\"\xed\xa0\x80\"}",
        b"{\"location\":\"Seattle\",\"\xff\":1}",
        b"{\"location\":\"Seattle\",\"other\":\"\xff\"}",
    ];
    let json = json.into_iter().map(|text: String| (text.into_bytes(), Json));
    json.chain(not_json.map(|text| (text.to_vec(), NotJson))).collect()
}

#[test]
fn answers_hostile_arguments_alike_everywhere() {
    let interfaces = Interfaces::start();
    let mut clients = interfaces.clients();
    let with_year = |year: &str| format!(r#"{{"location":"Seattle","year":{year}}}"#).into_bytes();
    let integers = integers().into_iter().map(|(year, text)| (with_year(&year), text));
    let (mut succeeded, mut unequal) = (0, Vec::new());
    for (id, (arguments, text)) in integers.chain(full_arguments()).enumerate() {
        let shown = String::from_utf8_lossy(&arguments[..arguments.len().min(100)]).into_owned();
        let answers = interfaces.call_without_mcp("monthly_summary", &arguments);
        let (_, direct) = &answers[0];
        succeeded += usize::from(direct.kind() == "success");
        for (interface, answer) in &answers[1..] {
            if answer != direct {
                unequal.push(format!("{interface}: {shown}\n  {answer:.400?}\n  {direct:.400?}"));
            }
        }
        for client in &mut clients {
            let answer = interfaces.call_of(client, id + 1, "monthly_summary", Some(&arguments));
            let error = &answer["error"];
            let is_answered = answer["id"] == id + 1;
            let is_expected = match text {
                Json => error.is_null() && response_of_mcp(&answer) == *direct,
                NotJson => error["code"] == -32700 && direct.kind() == "invalid_input",
            };
            if !is_answered || !is_expected {
                let mut answer = answer.to_string();
                answer.truncate(400);
                unequal.push(format!("{}: {shown}\n  {answer}\n  {direct:.400?}", client.name()));
            }
        }
    }
    assert!(unequal.is_empty(), "{} answers differ:\n{}", unequal.len(), unequal.join("\n"));
    assert!(succeeded > 5, "{succeeded}");
}
