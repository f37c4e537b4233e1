//! Arguments that come as the pairs of a query.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::{Registry, adapter, tool, tools};

#[derive(Deserialize, Serialize, schemars::JsonSchema)]
struct Place {
    lat: f64,
    lon: f64,
}

#[derive(Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Metric,
    Imperial,
}

#[derive(Deserialize, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
enum Amount {
    Count(u64),
    In(Unit),
}

/// Takes everything.
#[tool(operation = Read)]
#[expect(clippy::too_many_arguments, reason = "one input of each kind")]
fn take_everything(
    text: Option<String>,
    number: Option<u64>,
    exact: Option<f64>,
    is_so: Option<bool>,
    unit: Option<Unit>,
    amount: Option<Amount>,
    words: Option<Vec<String>>,
    numbers: Option<Vec<i64>>,
    place: Option<Place>,
    places: Option<Vec<Place>>,
    counts: Option<BTreeMap<String, u32>>,
    any: Option<Value>,
) -> Value {
    json!({
        "text": text, "number": number, "exact": exact, "is_so": is_so, "unit": unit, "amount": amount, "words": words,
        "numbers": numbers, "place": place, "places": places, "counts": counts, "any": any,
    })
}

type Query = &'static [(&'static str, &'static str)];

/// A query, and the arguments.
const VALID: [(Query, &str); 24] = [
    (&[], "{}"),
    (&[("text", "a b")], r#"{"text":"a b"}"#),
    (&[("text", "")], r#"{"text":""}"#),
    // A text stays a text, whatever it looks like.
    (&[("text", "5")], r#"{"text":"5"}"#),
    (&[("text", "null")], r#"{"text":"null"}"#),
    (&[("text", "[1]")], r#"{"text":"[1]"}"#),
    (&[("number", "5")], r#"{"number":5}"#),
    (&[("number", "18446744073709551615")], r#"{"number":18446744073709551615}"#),
    (&[("exact", "0.1"), ("is_so", "true")], r#"{"exact":0.1,"is_so":true}"#),
    (&[("unit", "metric")], r#"{"unit":"metric"}"#),
    (&[("amount", "metric")], r#"{"amount":"metric"}"#),
    (&[("amount", "5")], r#"{"amount":5}"#),
    (&[("words", "a")], r#"{"words":["a"]}"#),
    // A comma separates nothing: an item may contain one.
    (&[("words", "a,b")], r#"{"words":["a,b"]}"#),
    (&[("words", "1"), ("text", "x"), ("words", "2")], r#"{"words":["1","2"],"text":"x"}"#),
    (&[("words", r#"["a","b"]"#)], r#"{"words":["a","b"]}"#),
    (&[("words", "[]")], r#"{"words":[]}"#),
    (&[("numbers", "1"), ("numbers", "-2")], r#"{"numbers":[1,-2]}"#),
    (&[("numbers", "7")], r#"{"numbers":[7]}"#),
    (&[("place", r#"{"lat":1,"lon":2.5}"#)], r#"{"place":{"lat":1,"lon":2.5}}"#),
    (&[("places", r#"{"lat":1,"lon":2}"#)], r#"{"places":[{"lat":1,"lon":2}]}"#),
    (&[("counts", r#"{"a":1}"#)], r#"{"counts":{"a":1}}"#),
    (&[("any", "word")], r#"{"any":"word"}"#),
    (&[("number", "null")], r#"{"number":null}"#),
];

/// A query, and where its problem is.
const INVALID: [(Query, &str, &str); 12] = [
    (&[("number", "five")], r#"{"number":"five"}"#, "/number"),
    (&[("number", "-1")], r#"{"number":-1}"#, "/number"),
    (&[("number", "1"), ("number", "2")], r#"{"number":[1,2]}"#, "/number"),
    (&[("unit", "metrical")], r#"{"unit":"metrical"}"#, "/unit"),
    // Not a number, which would be no closer.
    (&[("unit", "5")], r#"{"unit":"5"}"#, "/unit"),
    (&[("unit", "[1]")], r#"{"unit":"[1]"}"#, "/unit"),
    (&[("numbers", r#"["x"]"#)], r#"{"numbers":["x"]}"#, "/numbers/0"),
    (&[("numbers", "1"), ("numbers", "x")], r#"{"numbers":[1,"x"]}"#, "/numbers/1"),
    (&[("place", r#"{"lat":1}"#)], r#"{"place":{"lat":1}}"#, "/place/lon"),
    (&[("place", "here")], r#"{"place":"here"}"#, "/place"),
    (&[("nothing", "1")], r#"{"nothing":"1"}"#, "/nothing"),
    (&[("counts", r#"{"a":1,"a":2}"#)], r#"{"counts":"{\"a\":1,\"a\":2}"}"#, "/counts"),
];

fn arguments(registry: &Registry, query: &[(&str, &str)]) -> String {
    let pairs: Vec<(String, String)> =
        query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    adapter::arguments_of_query(registry.get("take_everything").unwrap(), &pairs)
}

#[test]
fn reads_valid_arguments_of_a_query() {
    let registry = Registry::builder().tools(tools![take_everything]).build().unwrap();
    for (query, expected) in VALID {
        let text = arguments(&registry, query);
        assert_eq!(text, expected, "{query:?}");
        let validation = registry.validate("take_everything", text.as_bytes());
        assert!(validation.unwrap().coercions.is_empty(), "{query:?}");
    }
}

#[test]
fn reports_invalid_arguments_of_a_query() {
    let registry = Registry::builder().tools(tools![take_everything]).build().unwrap();
    for (query, expected, path) in INVALID {
        let text = arguments(&registry, query);
        assert_eq!(text, expected, "{query:?}");
        let failure = registry.validate("take_everything", text.as_bytes()).unwrap_err();
        let paths: Vec<&str> = failure.problems().iter().map(|problem| &*problem.path).collect();
        assert_eq!(paths, [path], "{query:?}");
    }
}
