//! The profiles over the type families of `schemas.rs`: golden files, validity, and calls in the shape of
//! each.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Map, Value, json};
use tool_core::profile::{Profile, ProfileError};
use tool_core::{CallOptions, Registry, ToolDefinition, tool};

use crate::schemas::CASES;
use crate::tools_of;

/// The profiles that make a schema of their own.
const VENDORS: [Profile; 5] =
    [Profile::NoRef, Profile::OpenAi, Profile::OpenAiStrict, Profile::Anthropic, Profile::Gemini];

/// The only unsupported combinations.
const UNSUPPORTED: [(&str, Profile); 8] = [
    ("any", Profile::OpenAiStrict),
    ("map", Profile::OpenAiStrict),
    ("map_by_number", Profile::OpenAiStrict),
    ("structure_empty", Profile::OpenAiStrict),
    ("structure_flattened_map", Profile::OpenAiStrict),
    ("structure_nested", Profile::OpenAiStrict),
    ("structure_recursive", Profile::Gemini),
    ("structure_recursive", Profile::NoRef),
];

fn families() -> Registry {
    tools_of("tools::schemas")
}

/// The families, and the tools of this module.
fn all() -> Registry {
    let modules = ["tools::schemas", module_path!()];
    Registry::builder().linked().select(move |tool| modules.contains(&tool.source().module)).build().unwrap()
}

/// Takes nothing.
#[tool(operation = Explain)]
fn without_inputs() {}

/// Has every limit.
#[tool(operation = Transform)]
fn limited(
    /// A code
    #[arg(length(min = 2, max = 8), pattern = "^[a-z]+$", example = "ab")]
    code: String,
    #[arg(range(min = -1.5, max = 2), default = 0.5)] share: f64,
    #[arg(length(max = 3))] words: Vec<String>,
    #[arg(secret)] token: String,
    #[arg(header = "Region")] region: Option<String>,
) -> usize {
    let _ = (share, words, token, region);
    code.len()
}

#[test]
fn matches_the_golden_files() {
    let mut differences = Vec::new();
    for tool in all().tools() {
        let profiles = VENDORS.into_iter().map(|profile| {
            let rendered =
                tool.tool_for(profile).unwrap_or_else(|refused| format!("refused: {refused}").into());
            (profile.to_string(), rendered)
        });
        let actual = serde_json::to_string_pretty(&profiles.collect::<Map<_, _>>()).unwrap() + "\n";
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join(format!("tests/tools/profiles/{}.json", tool.name()));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &actual).unwrap();
        }
        if std::fs::read_to_string(&path).unwrap_or_default() != actual {
            differences.push(tool.name().to_owned());
        }
    }
    assert!(differences.is_empty(), "these differ from their golden files: {differences:?}");
}

#[test]
fn renders_mcp_and_native_from_the_definition() {
    for tool in families().tools() {
        assert_eq!(tool.schema_for(Profile::Mcp).unwrap(), *tool.input_schema());
        assert_eq!(tool.schema_for(Profile::Native).unwrap(), serde_json::to_value(tool.inputs()).unwrap());
        let shown = tool.tool_for(Profile::Mcp).unwrap();
        assert_eq!(
            (&shown["inputSchema"], &shown["outputSchema"]),
            (tool.input_schema(), tool.output_schema().unwrap())
        );
        assert_eq!(shown["annotations"], serde_json::to_value(tool.annotations()).unwrap());
        let shown = tool.tool_for(Profile::Native).unwrap();
        assert_eq!(shown["outputs"], serde_json::to_value(tool.outputs().unwrap()).unwrap());
        let keys: Vec<&String> = shown.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["name", "description", "operation", "inputs", "outputs"]);
    }
}

#[test]
fn places_the_schema_under_the_key_of_the_vendor() {
    for tool in families().tools() {
        let places = [
            (Profile::OpenAi, "parameters"),
            (Profile::OpenAiStrict, "parameters"),
            (Profile::Anthropic, "input_schema"),
            (Profile::Gemini, "parametersJsonSchema"),
        ];
        for (profile, path) in places {
            let (Ok(shown), Ok(schema)) = (tool.tool_for(profile), tool.schema_for(profile)) else {
                continue;
            };
            assert_eq!((&shown["name"], &shown[path]), (&tool.name().into(), &schema), "{profile}");
        }
    }
}

#[test]
fn rejects_only_documented_combinations() {
    let mut refused = Vec::new();
    for tool in families().tools() {
        for profile in Profile::ALL {
            match tool.schema_for(profile) {
                Ok(_) => {}
                Err(
                    ProfileError::Recursive { .. }
                    | ProfileError::FreeNames { .. }
                    | ProfileError::Untyped { .. },
                ) => {
                    refused.push((tool.name().to_owned(), profile));
                }
                Err(other) => panic!("{}: {other}", tool.name()),
            }
        }
    }
    refused.sort_by_key(|(name, profile)| (name.clone(), profile.to_string()));
    assert_eq!(refused, UNSUPPORTED.map(|(name, profile)| (name.to_owned(), profile)));
}

#[test]
fn renders_valid_json_schemas() {
    for tool in all().tools() {
        for profile in Profile::ALL.into_iter().filter(|profile| *profile != Profile::Native) {
            let Ok(schema) = tool.schema_for(profile) else { continue };
            if let Err(error) = jsonschema::draft202012::meta::validate(&schema) {
                panic!("{} in {profile}: {error}\n{schema}", tool.name());
            }
        }
    }
}

/// Profiles may drop limits, but reject no valid value.
#[test]
fn admits_every_valid_argument() {
    let registry = families();
    for (name, value, _) in CASES.iter().filter(|(_, _, valid)| *valid) {
        let tool = registry.get(name).unwrap();
        let arguments: Value = serde_json::from_str(&format!("{{\"value\":{value}}}")).unwrap();
        for profile in [Profile::NoRef, Profile::OpenAi, Profile::Anthropic, Profile::Gemini] {
            let Ok(schema) = tool.schema_for(profile) else { continue };
            let arguments = without_nulls(&arguments, tool);
            assert!(
                jsonschema::draft202012::is_valid(&schema, &arguments),
                "{name} in {profile}: {arguments}"
            );
        }
    }
}

/// Removes `null` of optional members, which only the strict schema admits.
fn without_nulls(arguments: &Value, tool: &ToolDefinition) -> Value {
    if jsonschema::draft202012::is_valid(tool.input_schema(), arguments) {
        return arguments.clone();
    }
    fn dropped(value: &Value) -> Value {
        match value {
            Value::Object(members) => members
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name.clone(), dropped(value)))
                .collect(),
            Value::Array(items) => items.iter().map(dropped).collect(),
            other => other.clone(),
        }
    }
    dropped(arguments)
}

#[test]
fn closes_objects_and_requires_all_members_when_strict() {
    for tool in families().tools() {
        let Ok(schema) = tool.schema_for(Profile::OpenAiStrict) else { continue };
        let mut waiting = vec![&schema];
        while let Some(value) = waiting.pop() {
            if let Some(properties) = value["properties"].as_object() {
                let names: Vec<&String> = properties.keys().collect();
                assert_eq!(value["required"], json!(names), "{}", tool.name());
                assert_eq!(value["additionalProperties"], false, "{}", tool.name());
                assert_eq!(value["type"], "object");
            }
            waiting.extend(value.as_object().into_iter().flat_map(Map::values));
            waiting.extend(value.as_array().into_iter().flatten());
        }
    }
}

/// Values that omit a member at some depth, in addition to [`CASES`].
const PLACES: [(&str, &str); 5] = [
    ("enum_external", "{\"Named\":{\"place\":{\"latitude\":1.5,\"longitude\":2.5}}}"),
    ("enum_untagged", "{\"latitude\":1.5,\"longitude\":2.5}"),
    ("structure_flattened", "{\"id\":1,\"latitude\":1.5,\"longitude\":2.5}"),
    ("structure_flattened_choice", "{\"id\":1,\"kind\":\"Of\",\"latitude\":1.5,\"longitude\":2.5}"),
    (
        "structure_flattened_twice",
        "{\"id\":1,\"kind\":\"Of\",\"latitude\":1.5,\"longitude\":2.5,\"tone\":\"low\"}",
    ),
];

/// Models with a strict schema send `null` for omitted members at every depth.
#[tokio::test]
async fn accepts_calls_in_the_strict_shape() {
    let registry = families();
    let mut nested = BTreeSet::new();
    let cases = CASES.iter().filter(|(_, _, valid)| *valid).map(|(name, value, _)| (*name, *value));
    for (name, value) in cases.chain(PLACES) {
        let Ok(schema) = registry.get(name).unwrap().schema_for(Profile::OpenAiStrict) else { continue };
        let value: Value = serde_json::from_str(value).unwrap();
        for arguments in [json!({"value": value}), json!({"value": value, "optional": value})] {
            // Without the nulls of the case, so that only the schema adds them.
            let arguments = without_nulls(&arguments, registry.get(name).unwrap());
            let Some(strict) = in_strict_shape(&arguments, &schema, &schema) else {
                panic!("{name}: {arguments} has no strict shape");
            };
            assert!(jsonschema::draft202012::is_valid(&schema, &strict), "{name}: {strict}");
            let plain =
                registry.call_with(name, arguments.to_string().as_bytes(), &CallOptions::new()).await.result;
            let result =
                registry.call_with(name, strict.to_string().as_bytes(), &CallOptions::new()).await.result;
            match (plain, result) {
                (Ok(plain), Ok(output)) => assert_eq!(output.value(), plain.value(), "{name}: {strict}"),
                (plain, result) => panic!("{name}: {strict}: {plain:?} and {result:?}"),
            }
            if strict["value"] != arguments["value"] {
                nested.insert(name);
            }
        }
    }
    let structures = [
        "enum_external",
        "enum_internal",
        "enum_untagged",
        "structure",
        "structure_flattened",
        "structure_flattened_choice",
        "structure_flattened_twice",
        "structure_recursive",
    ];
    assert!(nested.iter().eq(&structures), "these have `null`s below the outermost level: {nested:?}");
}

/// Returns the value with `null` for every missing property, or `None` if the schema does not admit it.
fn in_strict_shape(value: &Value, schema: &Value, root: &Value) -> Option<Value> {
    if let Some(reference) = schema["$ref"].as_str() {
        return in_strict_shape(value, root.pointer(reference.strip_prefix('#')?)?, root);
    }
    if let Some(branches) = schema["anyOf"].as_array() {
        return branches.iter().find_map(|branch| in_strict_shape(value, branch, root));
    }
    match value {
        Value::Object(members) => {
            let properties = schema["properties"].as_object()?;
            if members.keys().any(|name| !properties.contains_key(name)) {
                return None;
            }
            let member = |(name, property): (&String, &Value)| {
                let value = members.get(name).unwrap_or(&Value::Null);
                Some((name.clone(), in_strict_shape(value, property, root)?))
            };
            properties.iter().map(member).collect::<Option<Map<_, _>>>().map(Value::from)
        }
        Value::Array(items) if schema["type"] == "array" => {
            items.iter().map(|item| in_strict_shape(item, &schema["items"], root)).collect()
        }
        // A schema with a reference needs its root.
        scalar => {
            let fits = !matches!(schema["type"].as_str(), Some("object" | "array"))
                && jsonschema::draft202012::is_valid(schema, scalar);
            fits.then(|| scalar.clone())
        }
    }
}
