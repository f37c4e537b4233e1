//! Golden files: the schema of every family of types, as input and as output, and the same without JSON
//! Schema.
//!
//! `UPDATE_GOLDEN=1 cargo test -p tool-core --test tools schemas` writes the files anew; read the difference.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::{CallOptions, tool};

use crate::{strict_tools_of, tools_of};

/// A place on the map.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Place {
    /// Degrees north.
    latitude: f64,
    /// Degrees east.
    longitude: f64,
    name: Option<String>,
    #[serde(default)]
    visits: u16,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Journey {
    start: Place,
    stops: Vec<Place>,
    notes: BTreeMap<String, String>,
    mood: Option<Mood>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Empty {}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Number(u32);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Plain {
    Red,
    Green,
}

/// How one feels.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mood {
    /// All is well.
    Good,
    /// It could be better.
    Bad,
    Unknown,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum External {
    Nothing,
    One(u8),
    Two(u8, String),
    Named { place: Place },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Internal {
    Nothing,
    Named { x: i32 },
    Of(Place),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "value")]
enum Adjacent {
    Nothing,
    One(u8),
    Named { x: i32 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Number(i32),
    Text(String),
    Of(Place),
}

/// What became of a parcel.
#[derive(Serialize, Deserialize, JsonSchema)]
enum DescribedExternal {
    /// Nothing is known yet.
    Pending,
    Lost,
    /// Somebody took it
    /// at the door.
    Taken(Mood),
    /// It was left.
    Left {
        /// Where it lies.
        place: Place,
    },
}

/// What is done with a parcel.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum DescribedInternal {
    /// It stays.
    Nothing,
    /// It goes on.
    Sent { mood: Mood },
    /// It goes to a place.
    To(Place),
}

/// Who takes a parcel.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum DescribedUntagged {
    /// By number.
    Number(i32),
    /// By mood.
    Mood(Mood),
    /// By any of some moods.
    Moods(Vec<Mood>),
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Tree {
    label: String,
    children: Vec<Tree>,
    next: Option<Box<Tree>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Flattened {
    id: u32,
    #[serde(flatten)]
    place: Place,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlattenedChoice {
    id: u32,
    #[serde(flatten)]
    choice: Internal,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "tone", rename_all = "lowercase")]
enum Tone {
    High { hertz: u32 },
    Low {},
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlattenedTwice {
    id: u32,
    #[serde(flatten)]
    choice: Internal,
    #[serde(flatten)]
    tone: Tone,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlattenedMap {
    id: u32,
    #[serde(flatten)]
    rest: HashMap<String, i64>,
}

/// Declares a tool for each type, which takes it and returns it.
macro_rules! family {
    ($($name:ident: $kind:ty;)*) => {
        $(
            /// Repeats its input.
            #[tool(operation = Transform)]
            fn $name(value: $kind, optional: Option<$kind>) -> $kind {
                let _ = optional;
                value
            }
        )*

        const FAMILIES: &[&str] = &[$(stringify!($name)),*];
    };
}

family! {
    integer_i8: i8;
    integer_i16: i16;
    integer_i32: i32;
    integer_i64: i64;
    integer_i128: i128;
    integer_isize: isize;
    integer_u8: u8;
    integer_u16: u16;
    integer_u32: u32;
    integer_u64: u64;
    integer_u128: u128;
    integer_usize: usize;
    integer_nonzero: std::num::NonZeroU8;
    float_f32: f32;
    float_f64: f64;
    boolean: bool;
    character: char;
    path: PathBuf;
    list: Vec<u8>;
    list_of_optional: Vec<Option<u8>>;
    list_of_lists: Vec<Vec<String>>;
    array: [u8; 3];
    set: BTreeSet<String>;
    map: BTreeMap<String, u8>;
    map_by_number: BTreeMap<i32, u8>;
    tuple: (u8, String);
    nullable: Option<Option<u8>>;
    newtype: Number;
    enum_plain: Plain;
    enum_documented: Mood;
    enum_external: External;
    enum_internal: Internal;
    enum_adjacent: Adjacent;
    enum_untagged: Untagged;
    enum_external_described: DescribedExternal;
    enum_internal_described: DescribedInternal;
    enum_untagged_described: DescribedUntagged;
    structure: Place;
    structure_empty: Empty;
    structure_nested: Journey;
    structure_recursive: Tree;
    structure_flattened: Flattened;
    structure_flattened_choice: FlattenedChoice;
    structure_flattened_twice: FlattenedTwice;
    structure_flattened_map: FlattenedMap;
    date: Date;
    time: Time;
    date_time: DateTime;
    timestamp: Timestamp;
    any: Value;
}

/// Repeats a text.
#[tool(operation = Transform)]
fn string(
    value: String,
    optional: Option<String>,
    #[arg(default = "a", example = "b")] with_default: String,
) -> Vec<String> {
    vec![value, optional.unwrap_or_default(), with_default]
}

#[test]
fn matches_the_golden_files() {
    let registry = tools_of(module_path!());
    registry.check().unwrap();
    let mut differences = Vec::new();
    for name in FAMILIES.iter().copied().chain(["string"]) {
        let tool = registry.get(name).unwrap();
        let actual = json!({
            "input": tool.input_schema(),
            "output": tool.output_schema(),
            "inputs": tool.inputs(),
            "outputs": tool.outputs(),
        });
        let actual = serde_json::to_string_pretty(&actual).unwrap() + "\n";
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/tools/schemas/{name}.json"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &actual).unwrap();
        }
        if std::fs::read_to_string(&path).unwrap_or_default() != actual {
            differences.push(name);
        }
    }
    assert!(differences.is_empty(), "these differ from their golden files: {differences:?}");
}

#[test]
fn normalizes_every_schema() {
    for tool in tools_of(module_path!()).tools() {
        let schema = tool.input_schema();
        assert_eq!(schema["type"], "object");
        assert_eq!(schema["additionalProperties"], false);
        walk(schema, &mut |schema| {
            let place = tool.name();
            assert!(schema.get("$schema").is_none() && schema.get("title").is_none(), "{place}");
            assert!(schema.get("required").is_none_or(|required| required != &json!([])), "{place}");
            if let Some(format) = schema["format"].as_str() {
                assert!(["date", "time", "date-time"].contains(&format), "{place}: {format}");
            }
            assert!(!schema["type"].is_array(), "{place} has a list of types: {schema}");
            if schema.get("properties").is_some() && !place.contains("twice") {
                assert!(schema.get("additionalProperties").is_some(), "{place} has an open object: {schema}");
            }
            if let Some(reference) = schema["$ref"].as_str() {
                assert!(place.contains("recursive"), "{place}: {reference}");
            }
        });
        assert_eq!(tool.output_schema().unwrap()["type"], "object", "{}", tool.name());
    }
}

/// Visits a schema and everything below it.
fn walk(schema: &Value, visit: &mut impl FnMut(&Value)) {
    assert_ne!(*schema, Value::Bool(true), "the normal form has no bare `true`");
    visit(schema);
    for keyword in ["properties", "$defs", "patternProperties"] {
        schema[keyword].as_object().into_iter().flatten().for_each(|(_, schema)| walk(schema, visit));
    }
    for keyword in ["oneOf", "anyOf", "allOf", "prefixItems"] {
        schema[keyword].as_array().into_iter().flatten().for_each(|schema| walk(schema, visit));
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(schema) = schema.get(keyword).filter(|schema| schema.is_object()) {
            walk(schema, visit);
        }
    }
}

/// Arguments for a family, and whether they are valid; what is accepted comes back as the same value.
pub(crate) const CASES: &[(&str, &str, bool)] = &[
    ("integer_i8", "-128", true),
    ("integer_i8", "-129", false),
    ("integer_i16", "-32768", true),
    ("integer_i32", "2147483647", true),
    ("integer_i64", "9223372036854775807", true),
    ("integer_i64", "9223372036854775808", false),
    ("integer_i128", "-5", true),
    ("integer_isize", "-1", true),
    ("integer_u8", "255", true),
    ("integer_u16", "65535", true),
    ("integer_u32", "0", true),
    ("integer_u128", "7", true),
    ("integer_u64", "18446744073709551615", true),
    ("integer_u64", "18446744073709551616", false),
    ("integer_u64", "-1", false),
    ("integer_usize", "1.0", true),
    ("integer_usize", "1.5", false),
    ("integer_nonzero", "0", false),
    ("integer_nonzero", "1", true),
    ("float_f32", "0.5", true),
    ("float_f64", "1", true),
    ("float_f64", "\"1\"", false),
    ("boolean", "true", true),
    ("boolean", "1", false),
    ("character", "\"\u{1f600}\"", true),
    ("character", "\"ab\"", false),
    ("character", "\"\"", false),
    ("path", "\"a/b\"", true),
    ("list", "[1,2]", true),
    ("list", "[1,256]", false),
    ("list", "{}", false),
    ("list_of_optional", "[1,null]", true),
    ("list_of_lists", "[[\"a\"],[]]", true),
    ("array", "[1,2,3]", true),
    ("array", "[1,2]", false),
    ("set", "[\"a\",\"b\"]", true),
    ("set", "[\"a\",\"a\"]", false),
    ("map", "{\"a\":1}", true),
    ("map", "{\"a\":\"1\"}", false),
    ("map_by_number", "{\"-1\":1}", true),
    ("map_by_number", "{\"a\":1}", false),
    ("tuple", "[1,\"a\"]", true),
    ("tuple", "[1]", false),
    ("tuple", "[1,\"a\",2]", false),
    ("nullable", "null", true),
    ("nullable", "5", true),
    ("newtype", "5", true),
    ("enum_plain", "\"red\"", true),
    ("enum_plain", "\"Red\"", false),
    ("enum_documented", "\"unknown\"", true),
    ("enum_documented", "\"?\"", false),
    ("enum_external", "\"Nothing\"", true),
    ("enum_external", "{\"Two\":[1,\"a\"]}", true),
    ("enum_external", "{\"Two\":[1,\"a\"],\"One\":1}", false),
    ("enum_external", "{\"Three\":1}", false),
    ("enum_internal", "{\"kind\":\"Named\",\"x\":1}", true),
    ("enum_internal", "{\"kind\":\"Named\",\"x\":1,\"y\":2}", false),
    (
        "enum_internal",
        "{\"kind\":\"Of\",\"latitude\":1.0,\"longitude\":2.5,\"name\":null,\"visits\":0}",
        true,
    ),
    ("enum_internal", "{\"x\":1}", false),
    ("enum_adjacent", "{\"kind\":\"Named\",\"value\":{\"x\":1}}", true),
    ("enum_adjacent", "{\"kind\":\"Named\",\"value\":{\"x\":1,\"y\":1}}", false),
    ("enum_untagged", "\"a\"", true),
    ("enum_untagged", "1", true),
    ("enum_untagged", "1.5", false),
    ("enum_external_described", "\"Pending\"", true),
    ("enum_external_described", "{\"Taken\":\"good\"}", true),
    ("enum_external_described", "{\"Taken\":\"Good\"}", false),
    ("enum_internal_described", "{\"kind\":\"Sent\",\"mood\":\"bad\"}", true),
    ("enum_internal_described", "{\"kind\":\"Sent\"}", false),
    ("enum_untagged_described", "\"good\"", true),
    ("enum_untagged_described", "[\"good\",\"bad\"]", true),
    ("enum_untagged_described", "\"worse\"", false),
    ("structure", "{\"latitude\":1.5,\"longitude\":2.5,\"name\":null,\"visits\":0}", true),
    ("structure", "[1.0,2.0]", false),
    ("structure", "{\"latitude\":1.0}", false),
    ("structure_empty", "{}", true),
    ("structure_empty", "[]", false),
    (
        "structure_nested",
        "{\"start\":{\"latitude\":1.5,\"longitude\":2.5,\"name\":null,\"visits\":0},\"stops\":[{\"latitude\":0.5,\
         \"longitude\":0.5,\"name\":\"x\",\"visits\":1}],\"notes\":{\"a\":\"b\"},\"mood\":\"good\"}",
        true,
    ),
    (
        "structure_recursive",
        "{\"label\":\"a\",\"children\":[{\"label\":\"b\",\"children\":[],\"next\":null}],\"next\":null}",
        true,
    ),
    (
        "structure_recursive",
        "{\"label\":\"a\",\"children\":[{\"label\":\"b\",\"children\":[],\"more\":1}]}",
        false,
    ),
    (
        "structure_flattened",
        "{\"id\":1,\"latitude\":1.5,\"longitude\":2.5,\"name\":\"x\",\"visits\":3}",
        true,
    ),
    ("structure_flattened", "{\"id\":1,\"latitude\":1.0,\"longitude\":2.0,\"other\":1}", false),
    ("structure_flattened_choice", "{\"id\":1,\"kind\":\"Named\",\"x\":1}", true),
    ("structure_flattened_choice", "{\"id\":1,\"kind\":\"Named\",\"x\":1,\"y\":1}", false),
    ("structure_flattened_map", "{\"id\":1,\"a\":5}", true),
    ("structure_flattened_map", "{\"id\":1,\"a\":\"5\"}", false),
    (
        "structure_flattened_twice",
        "{\"id\":1,\"kind\":\"Named\",\"x\":1,\"tone\":\"high\",\"hertz\":440}",
        true,
    ),
    (
        "structure_flattened_twice",
        "{\"id\":1,\"kind\":\"Named\",\"x\":1,\"tone\":\"high\",\"hertz\":440,\"y\":1}",
        false,
    ),
    ("structure_flattened_twice", "{\"id\":1,\"kind\":\"Named\",\"x\":1}", false),
    ("date", "\"2014-07-04\"", true),
    ("date", "\"2014-02-30\"", false),
    ("time", "\"12:30:00\"", true),
    ("date_time", "\"2014-07-04T12:30:00\"", true),
    ("timestamp", "\"2014-07-04T12:30:00Z\"", true),
    ("timestamp", "\"2014-07-04\"", false),
    ("any", "[1,{\"a\":null}]", true),
    ("any", "null", true),
    ("string", "\"\"", true),
    ("string", "null", false),
];

#[test]
fn covers_every_family_with_a_valid_case() {
    let has_case = |name: &&str| CASES.iter().any(|(family, _, valid)| family == name && *valid);
    let without: Vec<&str> = FAMILIES.iter().copied().filter(|name| !has_case(name)).collect();
    assert!(without.is_empty(), "{without:?}");
}

#[tokio::test]
async fn accepts_exactly_what_the_schema_admits() {
    let registry = strict_tools_of(module_path!());
    for (name, value, valid) in CASES {
        let arguments = format!("{{\"value\":{value}}}");
        let result = registry.call_with(name, arguments.as_bytes(), &CallOptions::new()).await.result;
        match result {
            Ok(output) if *valid => {
                let expected: Value = serde_json::from_str(value).unwrap();
                let returned = if *name == "string" { output.value()[0].clone() } else { output.value() };
                let same =
                    returned == expected || returned.as_f64() == expected.as_f64() && expected.is_number();
                assert!(same, "{name}: {value} came back as {returned}");
            }
            Err(failure) if !valid => {
                assert!(
                    failure.problems().iter().all(|problem| problem.path.starts_with("/value")),
                    "{name}: {value}: {}",
                    failure.text()
                );
            }
            Ok(output) => panic!("{name} accepted {value} as {}", output.value()),
            Err(failure) => panic!("{name} refused {value}: {}", failure.text()),
        }
    }
}

#[tokio::test]
async fn treats_null_as_missing_for_every_family() {
    let registry = tools_of(module_path!());
    for (name, value, _) in CASES.iter().filter(|(name, _, valid)| *valid && *name != "string") {
        let arguments = format!("{{\"value\":{value},\"optional\":null}}");
        let result = registry.call_with(name, arguments.as_bytes(), &CallOptions::new()).await.result;
        if let Err(failure) = result {
            panic!("{name} refused {arguments}: {}", failure.text());
        }
    }
}
