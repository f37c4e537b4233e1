//! YAML output that parsers of YAML 1.1 and 1.2 read as the same data as JSON.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};
use tool_cli::{App, Streams};
use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition};

use crate::{Ran, cli, on};

/// Texts that some parser reads as another type if unquoted.
const HOSTILE: [&str; 49] = [
    "",
    "~",
    "null",
    "Null",
    "NULL",
    "yes",
    "Yes",
    "YES",
    "no",
    "No",
    "NO",
    "on",
    "On",
    "ON",
    "off",
    "Off",
    "OFF",
    "true",
    "True",
    "TRUE",
    "false",
    "False",
    "FALSE",
    "y",
    "n",
    "0x1",
    "0o17",
    "017",
    "0b1",
    "1_000",
    "12:30",
    "12:30:45",
    "2001-01-01",
    "2001-12-14t21:59:43.10-05:00",
    "1e3",
    "1.",
    ".5",
    ".inf",
    "-.INF",
    ".NaN",
    "=",
    "<<",
    "- a",
    "a: b",
    "a #b",
    "*a",
    "&a",
    "!!str a",
    "--- a",
];

/// Returns the type of a plain scalar in YAML 1.1 (<https://yaml.org/type/>), unless it is a text.
static RESOLVED_BY_1_1: LazyLock<Regex> = LazyLock::new(|| {
    let null = r"~|null|Null|NULL|";
    let boolean = "y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF";
    let integer = "[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+";
    let float = r"[-+]?(?:[0-9][0-9_]*)?\.[0-9.]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)";
    let time = r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}.*)?";
    Regex::new(&format!("^(?:{null}|{boolean}|{integer}|{float}|{time}|=|<<)$")).unwrap()
});

/// A tool that returns texts and numbers as they are, as keys and as values.
fn echoing(value: Value) -> App {
    let definition = ToolDefinition::builder("echo", "Returns what it was made with.")
        .operation(Operation::Read)
        .build()
        .unwrap();
    let tool = DynamicTool::new(definition, move |_, _: Value| {
        let value = value.clone();
        async move { Output::json(&value).map_err(|_| tool_core::Failure::internal()) }
    });
    App::new("demo", Registry::builder().tool(tool).build().unwrap())
}

async fn echoed(value: &Value, format: &str) -> Ran {
    let arguments = ["run", "echo", "--format", format];
    on(echoing(value.clone()), &arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr))
        .await
}

fn parsed(yaml: &str) -> Value {
    serde_saphyr::from_str(yaml).unwrap_or_else(|error| panic!("{error}\n{yaml}"))
}

#[tokio::test]
async fn row_120_quotes_ambiguous_values_for_yaml_1_2() {
    let map: serde_json::Map<String, Value> =
        HOSTILE.iter().map(|text| ((*text).to_owned(), json!(text))).collect();
    let value = json!({"values": HOSTILE.as_slice(), "keys": map, "nested": [[HOSTILE[5]], {"on": "off"}]});
    let ran = echoed(&value, "yaml").await;
    assert_eq!(parsed(&ran.stdout)["output"], value, "{}", ran.stdout);
}

#[tokio::test]
async fn row_120_quotes_ambiguous_values_for_yaml_1_1() {
    let map: serde_json::Map<String, Value> =
        HOSTILE.iter().map(|text| ((*text).to_owned(), json!(text))).collect();
    let value = json!({"values": HOSTILE.as_slice(), "keys": map});
    let yaml = echoed(&value, "yaml").await.stdout;
    let mut plain = 0;
    for line in yaml.lines().map(|line| line.trim_start_matches([' ', '-'])) {
        let (key, value) =
            line.split_once(": ").map_or((line.trim_end_matches(':'), ""), |(key, value)| (key, value));
        for scalar in
            [key, value].into_iter().filter(|scalar| !scalar.is_empty() && !scalar.starts_with(['"', '\'']))
        {
            plain += 1;
            let plain = matches!(scalar, "true" | "[]");
            assert!(
                plain || !RESOLVED_BY_1_1.is_match(scalar),
                "{scalar:?} stands without quotes in\n{yaml}"
            );
        }
    }
    assert!(plain > 3, "{yaml}");
    // The rule detects them.
    for text in ["yes", "0x1", "12:30", "2001-01-01", "~", ".5", "1_000", "=", "<<"] {
        assert!(RESOLVED_BY_1_1.is_match(text), "{text}");
    }
    assert!(!RESOLVED_BY_1_1.is_match("rain") && !RESOLVED_BY_1_1.is_match("a=b"));
}

#[tokio::test]
async fn round_trips_texts_and_numbers() {
    let texts = [
        "a\nb",
        "a\n",
        "\n",
        "\ta",
        " a ",
        "a\r\nb",
        "\u{1b}[2J",
        "\u{9b}",
        "\u{202e}x",
        "\u{feff}",
        "\u{2028}",
        "'",
        "\"",
        "\\",
        "é漢🌧",
        "# a",
        "@a",
        "%a",
        "`a",
        "{a",
        "[a",
        "a]",
        "a,b",
        "?",
        "-",
        "...",
        "---",
        "| a",
        "> a",
    ];
    let long = "word ".repeat(60);
    let value = json!({"texts": texts, "long": long, "numbers": [0, -1, 18446744073709551615u64, i64::MIN, 0.5, -1e-7, 1e21, 123456.789], "null": null, "yes": true, "empty": [{}, []]});
    let ran = echoed(&value, "yaml").await;
    assert_eq!(parsed(&ran.stdout)["output"], value, "{}", ran.stdout);
    // A YAML 1.1 float has a decimal point and a signed exponent.
    let floats = ran.stdout.lines().filter(|line| line.contains("e+21") && !line.contains("text:"));
    assert!(floats.map(|line| line.trim_start_matches(['-', ' '])).eq(["1.0e+21"]), "{}", ran.stdout);
}

#[tokio::test]
async fn keeps_all_digits_of_numbers() {
    let definition = ToolDefinition::builder("count", "Counts grains of sand.").build().unwrap();
    let tool = DynamicTool::new(definition, |_, _: Value| async {
        Output::json(&[i128::MAX]).map_err(|_| tool_core::Failure::internal())
    });
    let app = App::new("demo", Registry::builder().tool(tool).build().unwrap());
    let arguments = ["run", "count", "--yes", "--format", "yaml"];
    let ran = on(app, &arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await;
    assert!(ran.stdout.contains(&format!("[{}]", i128::MAX)), "{ran:?}");
    // The parser may round so many digits, but accepts them.
    assert_eq!(parsed(&ran.stdout)["success"], true);
}

#[tokio::test]
async fn prints_the_same_data_as_json_and_yaml() {
    for arguments in [
        &["list"][..],
        &["list", "--operation", "trigger"],
        &["search", "numbers"],
        &["info", "parts"],
        &["info", "hostile"],
        &["info", "parts", "places[].floor"],
        &["schema", "parts"],
        &["validate", "add", "a=x"],
        &["validate", "add", "--input-json", r#"{"a":"1"}"#],
        &["run", "parts", "sky=sun", "places=[]"],
        &["run", "blocks"],
        &["run", "nothing"],
        &["run", "locked"],
        &["run", "nope"],
        &["run", "add", "--a=1", "--dry-run"],
        &["lint"],
    ] {
        let json = cli(&[arguments, &["--format", "json"]].concat()).await;
        let yaml = cli(&[arguments, &["--format", "yaml"]].concat()).await;
        assert_eq!((json.code, &json.stderr), (yaml.code, &yaml.stderr), "{arguments:?}");
        assert_eq!(json.json(), parsed(&yaml.stdout), "{arguments:?}");
    }
}
