//! Invalid arguments: validation and call agree, and the next call succeeds.

use tool_http::{Options, router_with};

use crate::client::post;
use crate::tools::registry;

#[tokio::test]
async fn accepts_and_rejects_each_input() {
    let router = router_with(registry(), Options::new().allow_execute(true));
    let deep =
        |levels: usize| format!(r#"{{"text":{}}}"#, "[".repeat(levels) + &"]".repeat(levels)).into_bytes();
    let rows: Vec<(&str, &str, Vec<u8>, u16, &str)> = vec![
        ("empty body", "echo", b"".into(), 200, "nothing None"),
        ("white space alone", "echo", b" \r\n\t".into(), 200, "nothing None"),
        ("truncated", "echo", br#"{"text":"#.into(), 400, "EOF"),
        ("invalid UTF-8", "echo", b"{\"text\":\"\xff\"}".into(), 400, "invalid UTF-8"),
        ("invalid UTF-8 in a name", "echo", b"{\"\xc3\x28\":1}".into(), 400, "invalid UTF-8"),
        ("lone surrogate", "echo", br#"{"text":"\ud800"}"#.into(), 400, "hex escape"),
        ("lone surrogate in an unknown input", "echo", br#"{"x":"\ud800"}"#.into(), 400, "hex escape"),
        ("byte order mark", "echo", "\u{feff}{}".into(), 400, "byte order mark"),
        ("NaN", "add", br#"{"a":NaN}"#.into(), 400, "expected"),
        ("Infinity", "add", br#"{"a":-Infinity}"#.into(), 400, "number"),
        ("1e400", "add", br#"{"a":1e400}"#.into(), 400, "out of range"),
        ("trailing bytes", "echo", b"{}{}".into(), 400, "trailing"),
        ("trailing comma", "echo", br#"{"loud":true,}"#.into(), 400, "trailing comma"),
        ("array", "echo", b"[]".into(), 422, "expected an object"),
        ("text", "echo", br#""x""#.into(), 422, "expected an object"),
        ("null", "echo", b"null".into(), 422, "expected an object"),
        ("number", "echo", b"5".into(), 422, "expected an object"),
        ("nested 100", "echo", deep(100), 422, "expected a string"),
        ("nested 128", "echo", deep(128), 400, "recursion limit"),
        ("nested 200", "echo", deep(200), 400, "recursion limit"),
        ("nested 100 000", "echo", deep(100_000), 400, "recursion limit"),
        ("duplicate", "echo", br#"{"loud":true,"loud":true}"#.into(), 400, "given twice"),
        ("duplicate, escaped", "echo", br#"{"loud":true,"\u006coud":true}"#.into(), 400, "given twice"),
        ("duplicate, nested", "echo", br#"{"text":{"a":1,"a":1}}"#.into(), 400, "given twice"),
        ("duplicate by case", "echo", br#"{"loud":true,"Loud":true}"#.into(), 422, "unknown input `Loud`"),
        ("__proto__", "echo", br#"{"__proto__":{}}"#.into(), 422, "unknown input `__proto__`"),
        ("constructor", "echo", br#"{"constructor":1}"#.into(), 422, "unknown input `constructor`"),
        ("unknown", "echo", br#"{"txt":"a"}"#.into(), 422, r#""suggestion":"text""#),
        ("missing", "add", b"{}".into(), 422, "/a"),
        ("null for optional", "echo", br#"{"text":null}"#.into(), 200, "nothing None"),
        ("null for a default", "echo", br#"{"loud":null}"#.into(), 200, "nothing None"),
        ("null for required", "add", br#"{"a":null}"#.into(), 422, "/a"),
        ("null kept apart", "echo", br#"{"note":null}"#.into(), 200, "nothing Some(None)"),
        ("empty text is a value", "echo", br#"{"text":"","note":""}"#.into(), 200, r#" Some(Some(\"\"))"#),
        ("1.0", "small", br#"{"n":1.0}"#.into(), 200, "1 0"),
        ("1.5", "small", br#"{"n":1.5}"#.into(), 422, "got `1.5`"),
        ("1e3", "small", br#"{"big":1e3}"#.into(), 200, "0 1000"),
        ("-0", "small", br#"{"n":-0}"#.into(), 200, "0 0"),
        ("1E0", "small", br#"{"n":1E0}"#.into(), 200, "1 0"),
        ("2^53+1", "small", br#"{"big":9007199254740993}"#.into(), 200, "0 9007199254740993"),
        ("u64 max", "small", br#"{"big":18446744073709551615}"#.into(), 200, "0 18446744073709551615"),
        (
            "u64 max+1",
            "small",
            br#"{"big":18446744073709551616}"#.into(),
            422,
            "out of range (0 to 18446744073709551615)",
        ),
        ("i64 max", "add", br#"{"a":9223372036854775807,"b":0}"#.into(), 200, "9223372036854775807"),
        (
            "i64 max+1",
            "add",
            br#"{"a":9223372036854775808}"#.into(),
            422,
            "out of range (-9223372036854775808 to 9223372036854775807)",
        ),
        ("-1 for unsigned", "small", br#"{"n":-1}"#.into(), 422, "at least 0"),
        ("256 for u8", "small", br#"{"n":256}"#.into(), 422, "at most 255"),
    ];
    for (row, tool, arguments, status, says) in rows {
        let called = post(&router, &format!("/tools/{tool}/call"), arguments.clone()).await;
        assert_eq!(called.status, status, "{row}: {}", called.body);
        assert!(called.body.contains(says), "{row}: {}", called.body);

        let checked = post(&router, &format!("/tools/{tool}/validate"), arguments).await;
        let verdict: serde_json::Value = serde_json::from_str(&checked.body).unwrap();
        assert_eq!(checked.status, if status == 400 { 400 } else { 200 }, "{row}: {}", checked.body);
        assert_eq!(verdict["valid"], status == 200, "{row}: {}", checked.body);
        if status == 400 {
            assert!(checked.body.len() <= 512, "{row}: {}", checked.body);
        }

        let next = post(&router, "/tools/add/call", r#"{"a":1}"#).await;
        assert_eq!(next.status, 200, "after {row}");
    }
}

#[tokio::test]
async fn reports_all_missing_inputs() {
    let router = router_with(registry(), Options::new().allow_execute(true));
    let answer = post(&router, "/tools/add/call", r#"{"b":[]}"#).await;
    let failure: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    let paths: Vec<_> =
        failure["problems"].as_array().unwrap().iter().map(|problem| &problem["path"]).collect();
    assert_eq!(paths.len(), 2);
    assert!(
        paths.iter().any(|path| *path == "/a") && paths.iter().any(|path| *path == "/b"),
        "{}",
        answer.body
    );
}
