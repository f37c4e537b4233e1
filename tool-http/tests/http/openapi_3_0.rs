//! `openapi.json?version=3.0`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::{Registry, tool, tools};
use tool_http::{OpenApiVersion, Options, openapi, router_with};

use crate::client::get;
use crate::tools::registry;

/// A tree.
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
struct Tree {
    name: String,
    pair: (String, u8),
    left: Option<Box<Tree>>,
    children: Vec<Tree>,
}

/// Grows a tree.
#[tool(operation = Transform)]
fn grow(
    /// The tree to begin with.
    tree: Tree,
    /// How far.
    by: Option<u16>,
) -> Tree {
    let _ = by;
    tree
}

fn grow_registry() -> Registry {
    Registry::builder().tools(tools![grow]).build().unwrap()
}

#[tokio::test]
async fn converts_a_document_on_request() {
    let router = router_with(grow_registry(), Options::new().allow_execute(true));
    let newest = get(&router, "/openapi.json").await.body;
    let answer = get(&router, "/openapi.json?version=3.0").await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    let document: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(document["openapi"], "3.0.3");
    // Both are cached, each under its version.
    assert_eq!(get(&router, "/openapi.json?version=3.1").await.body, newest);
    assert_eq!(get(&router, "/openapi.json?version=3.0").await.body, answer.body);
    assert_ne!(newest, answer.body);

    let options = Options::new().allow_execute(true);
    assert_eq!(openapi(&grow_registry(), OpenApiVersion::V3_0, &options), document);
    assert_eq!(openapi(&grow_registry(), OpenApiVersion::V3_1, &options).to_string(), newest);
}

#[tokio::test]
async fn refuses_other_versions_and_parameters() {
    let router = router_with(grow_registry(), Options::new());
    for (query, error) in [
        ("version=2.0", "unknown value `2.0` of `version`: known are 3.1, 3.0"),
        ("version=3.0&version=3.0", "the query parameter `version` is given twice"),
        ("format=yaml", "unknown query parameter `format`: known is version"),
    ] {
        let answer = get(&router, &format!("/openapi.json?{query}")).await;
        assert_eq!((answer.status, answer.body), (400, json!({"error": error}).to_string()), "{query}");
    }
}

#[test]
fn renders_the_schemas_of_a_tool_exactly() {
    let document = openapi(&grow_registry(), OpenApiVersion::V3_0, &Options::new());
    let schemas = &document["components"]["schemas"];
    let reference = json!({"$ref": "#/components/schemas/grow.input.Tree"});
    let tree = |description: &str| {
        json!({
            "type": "object",
            "description": description,
            "properties": {
                "name": {"type": "string"},
                "pair": {
                    "type": "array",
                    "items": {"anyOf": [
                        {"type": "string"},
                        {"type": "integer", "minimum": 0, "maximum": 255},
                    ]},
                    "minItems": 2,
                    "maxItems": 2,
                },
                "left": {"allOf": [reference], "nullable": true},
                "children": {"type": "array", "items": reference},
            },
            "required": ["name", "pair", "children"],
            "additionalProperties": false,
        })
    };
    assert_eq!(schemas["grow.input.Tree"], tree("A tree."));
    let by = json!({"type": "integer", "minimum": 0, "maximum": 65535, "description": "How far.", "nullable": true});
    assert_eq!(
        schemas["grow.input"],
        json!({
            "type": "object",
            "properties": {"tree": tree("The tree to begin with."), "by": by},
            "required": ["tree"],
            "additionalProperties": false,
        })
    );
    // An output has `null` in the place of a tree that is not there.
    assert_eq!(
        schemas["grow.output.Tree"]["properties"]["left"],
        json!({"allOf": [{"$ref": "#/components/schemas/grow.output.Tree"}], "nullable": true})
    );
}

#[test]
fn gives_an_operation_one_type_of_errors() {
    let document = openapi(&registry(), OpenApiVersion::V3_0, &Options::new().allow_execute(true));
    let paths = document["paths"].as_object().unwrap();
    for (path, item) in paths {
        for (method, operation) in item.as_object().unwrap().iter().filter(|(key, _)| *key != "parameters") {
            for first in ["2", "45"] {
                let responses = operation["responses"].as_object().unwrap().iter();
                let mut bodies: Vec<&Value> = responses
                    .filter(|(status, _)| first.contains(&status[..1]))
                    .filter_map(|(_, response)| response.pointer("/content/application~1json/schema"))
                    .collect();
                bodies.dedup();
                assert!(bodies.len() <= 1, "{method} {path}: {bodies:?}");
            }
        }
    }
    let errors = &document["paths"]["/tools/{name}/validate"]["post"]["responses"]["404"]["content"];
    let reference = json!({"$ref": "#/components/schemas/discovery.validateArguments.error"});
    assert_eq!(errors["application/json"]["schema"], reference);
    let call = paths.iter().find(|(path, _)| path.ends_with("/call")).unwrap().1;
    let refused = &call["post"]["responses"]["422"]["content"]["application/json"]["schema"];
    assert_eq!(*refused, json!({"$ref": "#/components/schemas/CallError"}));
}

/// Finds keywords that only later versions have.
fn later(value: &Value, path: &str, found: &mut Vec<String>) {
    const LATER: [&str; 10] = [
        "const",
        "prefixItems",
        "$defs",
        "unevaluatedProperties",
        "patternProperties",
        "contentSchema",
        "contentMediaType",
        "propertyNames",
        "if",
        "dependentRequired",
    ];
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let is_type = name == "type" && (member.is_array() || member == "null");
                let is_sibling = name == "$ref" && members.len() > 1 && member.is_string();
                // A property or a component may have any name.
                let is_name = path.ends_with("/properties") || path.ends_with("/schemas");
                if !is_name && (is_type || is_sibling || LATER.contains(&name.as_str())) {
                    found.push(format!("{path}/{name}"));
                }
                later(member, &format!("{path}/{name}"), found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| later(item, path, found)),
        _ => {}
    }
}

#[test]
fn has_no_keyword_of_later_versions() {
    for registry in [registry(), grow_registry()] {
        let options = Options::new().allow_execute(true);
        let newest = openapi(&registry, OpenApiVersion::V3_1, &options);
        let mut found = Vec::new();
        later(&newest, "", &mut found);
        assert!(!found.is_empty());
        found.clear();
        later(&openapi(&registry, OpenApiVersion::V3_0, &options), "", &mut found);
        assert_eq!(found, [""; 0]);
    }
}
