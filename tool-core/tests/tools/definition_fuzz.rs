//! Arbitrary definitions are rejected with a reason, or work in every way.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tool_core::address::Surface;
use tool_core::lock::Lock;
use tool_core::profile::Profile;
use tool_core::provider::IntoToolsProvider as _;
use tool_core::{CallOptions, DynamicTool, FailureKind, Output, Principal, Registry, Tool, ToolDefinition};

/// The keywords of JSON Schema whose values are schemas, or are made of schemas.
const SCHEMA_KEYWORDS: [&str; 18] = [
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "dependentSchemas",
    "$defs",
    "definitions",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "then",
    "unevaluatedProperties",
];

const OTHER_KEYWORDS: [&str; 34] = [
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$ref",
    "$schema",
    "$vocabulary",
    "const",
    "contentEncoding",
    "default",
    "dependentRequired",
    "deprecated",
    "description",
    "discriminator",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "multipleOf",
    "nullable",
    "pattern",
    "required",
    "title",
    "type",
    "uniqueItems",
];

/// Unusual values.
fn odd() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(vec![
            json!(0),
            json!(-0.0),
            json!(1e308),
            json!(5e-324),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(18_446_744_073_709_551_616_f64),
            json!(1e29),
        ]),
        prop::sample::select(vec![
            "",
            "a",
            "#",
            "#/properties/a",
            "#/$defs/a",
            "#/$defs/a/properties/%61",
            "#a",
            "~0~1",
            "/",
            "..",
            "date-time",
            "uuid",
            "regex",
            "string",
            "integer",
            "null",
            "array",
            "object",
            "^a{0,9999}$",
            "(a+)+$",
            "[",
            "\\p{L}",
            "(?=a)",
            "\u{202e}",
            "\u{0}",
            "\r\n",
            "http://json-schema.org/draft-07/schema#",
            "https://json-schema.org/draft/2020-12/schema",
            "file:///etc/passwd",
        ])
        .prop_map(Value::from),
        prop::collection::vec(prop::sample::select(vec!["a", "b", "string", "integer", "null", ""]), 0..3)
            .prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "$ref", "", "a/b", "~", "__proto__", "type", "ä", "a b", "%61"])
        .prop_map(str::to_owned)
}

fn schema() -> impl Strategy<Value = Value> {
    let others = prop::collection::btree_map(prop::sample::select(OTHER_KEYWORDS.to_vec()), odd(), 0..4);
    let object = |members: std::collections::BTreeMap<&'static str, Value>| {
        Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    };
    let leaf =
        prop_oneof![4 => others.prop_map(object), 1 => any::<bool>().prop_map(Value::from), 1 => odd()];
    leaf.prop_recursive(4, 40, 4, move |inner| {
        let named = prop::collection::btree_map(name(), inner.clone(), 0..4)
            .prop_map(|members| Value::Object(members.into_iter().collect()));
        let part = prop_oneof![
            1 => inner.clone(),
            1 => prop::collection::vec(inner, 0..4).prop_map(Value::from),
            2 => named,
        ];
        let keyword = prop_oneof![
            3 => prop::sample::select(SCHEMA_KEYWORDS.to_vec()),
            1 => prop::sample::select(OTHER_KEYWORDS.to_vec()),
        ];
        let simple = prop::collection::btree_map(prop::sample::select(OTHER_KEYWORDS.to_vec()), odd(), 0..3);
        (prop::collection::btree_map(keyword, part, 0..4), simple).prop_map(move |(members, simple)| {
            let mut members: Map<String, Value> =
                members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            members.extend(simple.into_iter().map(|(name, value)| (name.to_owned(), value)));
            Value::Object(members)
        })
    })
}

/// An object schema, so that more cases pass the first check.
fn object() -> impl Strategy<Value = Value> {
    let properties = prop::collection::btree_map(name(), schema(), 0..4);
    (properties, schema()).prop_map(|(properties, more)| {
        let mut schema = more.as_object().cloned().unwrap_or_default();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), Value::Object(properties.into_iter().collect()));
        Value::Object(schema)
    })
}

fn definition() -> impl Strategy<Value = Value> {
    let by_schema = (object(), prop::option::of(object()), prop::option::of(schema())).prop_map(
        |(input, output, example)| {
            let mut definition = json!({"name": "foreign", "description": "Does.", "inputSchema": input});
            definition
                .as_object_mut()
                .unwrap()
                .extend(output.map(|output| ("outputSchema".to_owned(), output)));
            if let Some(example) = example.filter(Value::is_object) {
                definition["examples"] = json!([example]);
            }
            definition
        },
    );
    let parameter = (name(), schema(), odd(), any::<bool>(), any::<bool>()).prop_map(
        |(name, schema, default, has_default, secret)| {
            let mut parameter = json!({"name": name, "schema": schema, "secret": secret});
            if has_default {
                parameter["default"] = default;
            }
            parameter
        },
    );
    let by_parameters =
        (prop::collection::vec(parameter, 0..4), "(/\\{?[ab]\\}?){0,3}").prop_map(|(parameters, path)| {
            let mut definition = json!({"name": "foreign", "description": "Does.", "parameters": parameters});
            if !path.is_empty() {
                definition["path"] = path.trim_start_matches('/').into();
            }
            definition
        });
    prop_oneof![by_schema, by_parameters]
}

/// Uses a tool in every way.
fn use_in_every_way(definition: ToolDefinition, arguments: &Value) {
    let echo =
        DynamicTool::new(
            definition,
            |_, arguments: Value| async move { Ok(Output::json(&arguments).unwrap()) },
        );
    let provider = vec![Arc::new(echo) as Arc<dyn Tool>].into_provider();
    let tools = tool_core::private::block_on(provider.tools(&Principal::anonymous())).unwrap();
    let registry: &Registry = tools.registry();
    let Some(tool) = registry.get("foreign") else { return };
    for profile in Profile::ALL {
        let _ = tool.schema_for(profile);
    }
    let _ = (tool.inputs(), tool.outputs(), tool.output_type(), tool.digest(), Surface::of(tool));
    let _ = (
        registry.check(),
        tool_core::lint::lint(registry),
        Lock::of(registry).to_string(),
        registry.search("does a"),
    );
    for arguments in [arguments, tool.example(), &json!({}), &json!({"a": arguments, "": 1})] {
        let text = arguments.to_string();
        let _ = registry.validate("foreign", text.as_bytes());
        let reply =
            tool_core::private::block_on(registry.call_with("foreign", text.as_bytes(), &CallOptions::new()));
        match &reply.result {
            Ok(output) => drop((tool.output_problems(output), output.value())),
            // An internal error is a panic, or an output that breaks its schema.
            Err(failure) => {
                assert!(
                    failure.kind() != FailureKind::Internal || tool.output_schema().is_some(),
                    "{failure}"
                );
            }
        }
    }
}

proptest! {
    #[test]
    fn rejects_or_serves_any_definition(definition in definition(), arguments in schema()) {
        match ToolDefinition::from_json(definition) {
            Ok(definition) => use_in_every_way(definition, &arguments),
            Err(error) => prop_assert!(error.to_string().starts_with("tool `foreign`: ")),
        }
    }
}
