//! Failure texts for invalid arguments: one snapshot per kind of mistake.

use std::collections::BTreeMap;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::{Failure, tool};

use crate::tools_of;

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Class {
    First,
    Second,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Passenger {
    name: String,
    born: Date,
    seats: Option<Vec<u8>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "by", rename_all = "lowercase")]
enum Payment {
    Card { number: String },
    Bill { days: u8 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Stop {
    Number(u32),
    Name(String),
}

/// Books a journey.
#[tool(operation = Transform)]
#[allow(clippy::too_many_arguments)]
fn book(
    #[arg(example = "Rome")] to: String,
    #[arg(range(min = 1, max = 9))] tickets: u8,
    #[arg(length(max = 5))] code: Option<String>,
    #[arg(pattern = "^[A-Z]{2}$", example = "IT")] country: Option<String>,
    class: Option<Class>,
    passengers: Option<Vec<Passenger>>,
    payment: Option<Payment>,
    via: Option<Vec<Stop>>,
    days: Option<Vec<Date>>,
    notes: Option<BTreeMap<String, Vec<bool>>>,
    large: Option<u128>,
) -> Value {
    json!([to, tickets, code, country, class, passengers, payment, via, days, notes, large.is_some()])
}

fn failure(arguments: &str) -> Failure {
    tools_of(module_path!()).validate("book", arguments.as_bytes()).unwrap_err()
}

/// Returns the problems of one argument, given next to the required ones.
fn problems(argument: &str) -> String {
    let failure = failure(&format!(r#"{{"to":"Rome","tickets":1,{argument}}}"#));
    assert_eq!(failure.example(), Some(&json!({"to": "Rome", "tickets": 1})));
    failure.problems().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn renders_the_full_failure() {
    insta::assert_snapshot!(failure(r#"{"tickets":"many","clas":"first"}"#).text(), @r#"
    invalid input for `book`: 3 problems
    - /to: missing required input: expected a string
    - /tickets: expected an integer from 1 to 9, got the string `many`
    - /clas: unknown input `clas`: the inputs are `to`, `tickets`, `code`, `country`, `class`, `passengers`, `payment`, `via`, `days`, `notes`, `large` (there is one with a similar name: `class`)
    example of a valid call: {"to":"Rome","tickets":1}
    "#);
    insta::assert_snapshot!(serde_json::to_string_pretty(&failure(r#"{"tickets":1,"clas":"first"}"#)).unwrap(), @r#"
    {
      "error": "invalid input for `book`: 2 problems",
      "kind": "invalid_input",
      "retryable": true,
      "problems": [
        {
          "path": "/to",
          "message": "missing required input: expected a string",
          "keyword": "required"
        },
        {
          "path": "/clas",
          "message": "unknown input `clas`: the inputs are `to`, `tickets`, `code`, `country`, `class`, `passengers`, `payment`, `via`, `days`, `notes`, `large`",
          "keyword": "additionalProperties",
          "suggestion": "class"
        }
      ],
      "example": {
        "to": "Rome",
        "tickets": 1
      }
    }
    "#);
}

#[test]
fn reports_wrong_types() {
    insta::assert_snapshot!(problems(r#""code":["a"]"#), @"/code: expected a string, got a list of 1 item");
    insta::assert_snapshot!(problems(r#""passengers":{}"#), @"/passengers: expected a list, got an object");
    insta::assert_snapshot!(problems(r#""large":{}"#), @"/large: expected an integer of at least 0, got an object");
    insta::assert_snapshot!(failure("[]").text(), @r#"
    invalid input for `book`: 1 problem
    - expected an object with `to`, `tickets`, got a list of 0 items
    example of a valid call: {"to":"Rome","tickets":1}
    "#);
}

#[test]
fn reports_missing_inputs() {
    insta::assert_snapshot!(failure("{}").text(), @r#"
    invalid input for `book`: 2 problems
    - /to: missing required input: expected a string
    - /tickets: missing required input: expected an integer from 1 to 9
    example of a valid call: {"to":"Rome","tickets":1}
    "#);
}

#[test]
fn reports_unknown_inputs() {
    insta::assert_snapshot!(problems(r#""passenger":[],"x":1,"Via":[]"#), @r"
    /passenger: unknown input `passenger`: the inputs are `to`, `tickets`, `code`, `country`, `class`, `passengers`, `payment`, `via`, `days`, `notes`, `large` (there is one with a similar name: `passengers`)
    /x: unknown input `x`: the inputs are `to`, `tickets`, `code`, `country`, `class`, `passengers`, `payment`, `via`, `days`, `notes`, `large`
    /Via: unknown input `Via`: the inputs are `to`, `tickets`, `code`, `country`, `class`, `passengers`, `payment`, `via`, `days`, `notes`, `large` (there is one with a similar name: `via`)
    ");
}

#[test]
fn reports_numbers_out_of_range() {
    insta::assert_snapshot!(failure(r#"{"to":"Rome","tickets":10}"#).text(), @r#"
    invalid input for `book`: 1 problem
    - /tickets: expected at most 9, got `10`
    example of a valid call: {"to":"Rome","tickets":1}
    "#);
    insta::assert_snapshot!(problems(r#""large":-1"#), @"/large: expected at least 0, got `-1`");
    insta::assert_snapshot!(problems(r#""large":1e40"#), @"/large: expected an integer of at least 0, got `1e+40`: out of range");
}

#[test]
fn reports_long_texts() {
    insta::assert_snapshot!(problems(r#""code":"123456""#), @"/code: expected at most 5 characters, got 6");
    let long = "x".repeat(1_000_000);
    insta::assert_snapshot!(problems(&format!(r#""code":["{long}"],"class":"{long}","country":"{long}","{long}":1"#)), @r"
    /code: expected a string, got a list of 1 item
    /country: expected a string that matches `^[A-Z]{2}$`, got the string `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…`
    /class: expected one of `first`, `second`, got the string `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…`
    /xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…: unknown input `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…`: the inputs are `to`, `tickets`, `code`, `country`, `class`, `passengers`, `payment`, `via`, `days`, `notes`, `large`
    ");
}

#[test]
fn reports_pattern_mismatches() {
    insta::assert_snapshot!(problems(r#""country":"Italy""#), @"/country: expected a string that matches `^[A-Z]{2}$`, got the string `Italy`");
}

#[test]
fn reports_unknown_constants() {
    insta::assert_snapshot!(problems(r#""class":"firts""#), @"/class: expected one of `first`, `second`, got the string `firts` (there is one with a similar name: `first`)");
    insta::assert_snapshot!(problems(r#""class":1"#), @"/class: expected one of `first`, `second`, got `1`");
}

#[test]
fn reports_nested_problems() {
    insta::assert_snapshot!(problems(r#""passengers":[{"nam":"Ada","born":"1815-12-10"}]"#), @r"
    /passengers/0/name: missing required property: expected a string
    /passengers/0/nam: unknown property `nam`: the properties are `name`, `born`, `seats` (there is one with a similar name: `name`)
    ");
    insta::assert_snapshot!(problems(r#""payment":{"by":"cash"}"#), @"/payment/by: expected one of `card`, `bill`, got the string `cash`");
    insta::assert_snapshot!(problems(r#""payment":{"by":"bill","number":"1"}"#), @r"
    /payment/days: missing required property: expected an integer from 0 to 255
    /payment/number: unknown property `number`: the properties are `by`, `days`
    ");
    insta::assert_snapshot!(problems(r#""notes":{"a/b":[true,"maybe"]}"#), @"/notes/a~1b/1: expected `true` or `false`, got the string `maybe`");
}

#[test]
fn reports_problems_of_list_items() {
    insta::assert_snapshot!(problems(r#""passengers":[{"name":"Ada","born":"1815-12-10","seats":[1,256,1.5]}]"#), @r"
    /passengers/0/seats/1: expected at most 255, got `256`
    /passengers/0/seats/2: expected an integer from 0 to 255, got `1.5`
    ");
    insta::assert_snapshot!(problems(r#""via":[1,"Pisa",true]"#), @"/via/2: expected an integer from 0 to 4294967295 or a string, got `true`");
}

#[test]
fn reports_invalid_formats() {
    insta::assert_snapshot!(problems(r#""days":["2014-07-04","2014-02-30"]"#), @"/days/1: expected a string in the format `date`, such as `2024-01-31`, got the string `2014-02-30`: there is no such day");
    insta::assert_snapshot!(problems(r#""passengers":[{"name":"Ada","born":"1815"}],"class":"third""#), @r"
    /class: expected one of `first`, `second`, got the string `third`
    /passengers/0/born: expected a string in the format `date`, such as `2024-01-31`, got the string `1815`
    ");
    insta::assert_snapshot!(problems(&format!(r#""days":["{}"]"#, "x".repeat(300))), @"/days/0: expected a string in the format `date`, such as `2024-01-31`, got the string `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…`");
}

#[test]
fn reports_duplicate_members() {
    insta::assert_snapshot!(failure(r#"{"to":"Rome","to":"Pisa"}"#).text(), @r"
    the arguments for `book` are not JSON
    - /to: the same member is given twice
    ");
}

#[test]
fn reports_invalid_json() {
    insta::assert_snapshot!(failure(r#"{"to":"Rome","#).text(), @r"
    the arguments for `book` are not JSON
    - EOF while parsing a value at line 1 column 13
    ");
}

#[test]
fn limits_the_number_of_problems() {
    for (item, count) in [("\"x\"", 1_000_000), ("{}", 100_000), ("{\"name\":\"a\",\"born\":\"x\"}", 100_000)]
    {
        let items = vec![item; count].join(",");
        let failure = failure(&format!(r#"{{"to":"Rome","tickets":0,"passengers":[{items}]}}"#));
        let problems = failure.problems();
        assert!((2..=20).contains(&problems.len()), "{item}: {}", problems.len());
        assert_eq!(problems[0].path, "/tickets");
    }
}
