//! Tests with custom schemas, for keywords that declared types do not have; golden files cover declared types.

#![allow(clippy::needless_pass_by_value, reason = "what is tried is written where it is tried")]

use serde_json::{Value, json};

use super::{Profile, ProfileError, rendered};

const MODELS: [Profile; 4] = [Profile::OpenAi, Profile::OpenAiStrict, Profile::Anthropic, Profile::Gemini];

/// Renders the schema of one required input.
fn of_input(profile: Profile, schema: Value) -> Result<Value, ProfileError> {
    let root = json!({"type": "object", "properties": {"a": schema}, "required": ["a"], "additionalProperties": false});
    let mut rendered = rendered(&root, profile)?;
    assert!(jsonschema::draft202012::meta::is_valid(&rendered), "{profile}: {rendered}");
    Ok(rendered["properties"]["a"].take())
}

fn assert_becomes(profile: Profile, schema: Value, expected: Value) {
    assert_eq!(of_input(profile, schema.clone()), Ok(expected), "{profile}: {schema}");
}

#[test]
fn describes_unsupported_limits_in_words() {
    let limited = json!({
        "type": "string", "description": "A code", "minLength": 2, "maxLength": 64, "pattern": "^[a-z]+$", "format": "uri",
        "default": "ab", "examples": ["cd", "ef"], "deprecated": true,
    });
    let words = "A code\n2 to 64 characters.\nMatches the regular expression `^[a-z]+$`.\nIn the format `uri`.\n\
                 Deprecated.\nDefault: \"ab\"\nExample: \"cd\", \"ef\"";
    assert_becomes(Profile::Gemini, limited.clone(), json!({"type": "string", "description": words}));
    let words = "A code\n2 to 64 characters.\nIn the format `uri`.\nDeprecated.\nDefault: \"ab\"\nExample: \"cd\", \"ef\"";
    assert_becomes(
        Profile::OpenAiStrict,
        limited,
        json!({"type": "string", "description": words, "pattern": "^[a-z]+$"}),
    );
    let numbers =
        json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 9.5, "multipleOf": 0.5});
    let words = "More than 0.\nLess than 9.5.\nA multiple of 0.5.";
    assert_becomes(Profile::OpenAiStrict, numbers.clone(), numbers.clone());
    for profile in [Profile::Anthropic, Profile::Gemini] {
        assert_becomes(profile, numbers.clone(), json!({"type": "number", "description": words}));
    }
}

#[test]
fn describes_every_limit() {
    let cases = [
        (json!({"type": "integer", "minimum": 1}), "At least 1."),
        (json!({"type": "integer", "maximum": 9}), "At most 9."),
        (json!({"type": "string", "minLength": 1}), "At least 1 character."),
        (json!({"type": "string", "maxLength": 5}), "At most 5 characters."),
        (json!({"type": "object", "minProperties": 2}), "At least 2 properties."),
        (json!({"type": "object", "maxProperties": 1}), "At most 1 property."),
        (json!({"type": "object", "const": {}}), "Always {}."),
        (
            json!({"type": "string", "not": {"const": "x"}}),
            "Valid against the JSON Schema {\"not\":{\"const\":\"x\"}} too.",
        ),
    ];
    for (schema, words) in cases {
        let rendered = of_input(Profile::Anthropic, schema.clone()).unwrap();
        assert_eq!(rendered["description"], words, "{schema}");
    }
}

#[test]
fn ignores_limits_of_another_type() {
    let schema = json!({"type": "string", "minimum": 5, "uniqueItems": true, "x-order": 1, "$comment": "c"});
    assert_becomes(Profile::Anthropic, schema, json!({"type": "string"}));
}

#[test]
fn anthropic_accepts_two_min_items_values() {
    let list = |least: u8| json!({"type": "array", "items": {"type": "string"}, "minItems": least});
    assert_eq!(of_input(Profile::Anthropic, list(1)).unwrap()["minItems"], 1);
    let rendered = of_input(Profile::Anthropic, list(2)).unwrap();
    assert_eq!(
        (&rendered["minItems"], &rendered["description"]),
        (&Value::Null, &"At least 2 items.".into())
    );
}

#[test]
fn gemini_turns_text_constants_into_enums() {
    assert_becomes(Profile::Gemini, json!({"const": "a"}), json!({"type": "string", "enum": ["a"]}));
    assert_becomes(
        Profile::Gemini,
        json!({"const": 5}),
        json!({"type": "integer", "description": "Always 5."}),
    );
    assert_becomes(
        Profile::Gemini,
        json!({"type": "integer", "enum": [1, 2]}),
        json!({"type": "integer", "description": "One of 1, 2."}),
    );
    assert_becomes(
        Profile::Gemini,
        json!({"enum": ["a", "b", null]}),
        json!({"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}]}),
    );
}

#[test]
fn splits_lists_of_types_into_choices() {
    let schema =
        json!({"type": ["string", "integer", "null"], "minimum": 1, "maxLength": 3, "description": "Which"});
    let branches = json!([
        {"type": "string", "description": "At most 3 characters."},
        {"type": "integer", "minimum": 1},
        {"type": "null"},
    ]);
    assert_becomes(Profile::OpenAiStrict, schema, json!({"description": "Which", "anyOf": branches}));
}

#[test]
fn gemini_choices_have_no_siblings() {
    let schema = json!({
        "description": "Which",
        "anyOf": [{"type": "string", "description": "By name"}, {"type": "integer"}],
        "default": 1,
    });
    let branches = json!([
        {"type": "string", "description": "Which\nDefault: 1\nBy name"},
        {"type": "integer", "description": "Which\nDefault: 1"},
    ]);
    assert_becomes(Profile::Gemini, schema, json!({"anyOf": branches}));
}

#[test]
fn copies_shared_keywords_into_branches() {
    let schema = json!({
        "type": "object",
        "properties": {"id": {"type": "string"}},
        "required": ["id"],
        "anyOf": [
            {"properties": {"kind": {"const": "a"}, "x": {"type": "integer"}}, "required": ["kind", "x"]},
            {"properties": {"kind": {"const": "b"}}, "required": ["kind"]},
        ],
        "unevaluatedProperties": false,
    });
    // The tag comes first, because branches must differ in their first property.
    let branches = json!([
        {
            "type": "object",
            "properties": {
                "kind": {"type": "string", "const": "a"}, "id": {"type": "string"}, "x": {"type": "integer"},
            },
            "required": ["kind", "id", "x"],
            "additionalProperties": false,
        },
        {
            "type": "object",
            "properties": {"kind": {"type": "string", "const": "b"}, "id": {"type": "string"}},
            "required": ["kind", "id"],
            "additionalProperties": false,
        },
    ]);
    assert_becomes(Profile::OpenAiStrict, schema, json!({"anyOf": branches}));
}

#[test]
fn merges_all_of() {
    let schema = json!({"allOf": [
        {"type": "number", "minimum": 1, "maximum": 9, "description": "One"},
        {"type": "integer", "minimum": 5, "maximum": 20, "description": "Two"},
        {"enum": [3, 6, 7]},
        {"enum": [7, 6]},
    ]});
    let expected =
        json!({"type": "integer", "description": "One\nTwo", "minimum": 5, "maximum": 9, "enum": [6, 7]});
    assert_becomes(Profile::OpenAiStrict, schema, expected);
    let twice = json!({"allOf": [{"type": "string", "pattern": "a"}, {"pattern": "b"}]});
    let words = "Valid against the JSON Schema {\"allOf\":[{\"pattern\":\"b\"}]} too.";
    assert_becomes(
        Profile::OpenAiStrict,
        twice,
        json!({"type": "string", "description": words, "pattern": "a"}),
    );
    let nothing = json!({"allOf": [{"type": "string"}, {"type": "integer"}]});
    assert_becomes(Profile::OpenAiStrict, nothing, json!({"not": {}}));
}

#[test]
fn merges_properties_of_all_of() {
    let schema = json!({"type": "object", "allOf": [
        {"properties": {"a": {"type": "integer", "minimum": 1}, "never": false}},
        {"properties": {"a": {"maximum": 5}, "b": {"type": "array", "items": true}}},
        {"additionalProperties": false},
    ]});
    let properties = json!({
        "a": {"type": "integer", "minimum": 1, "maximum": 5},
        "b": {"type": "array", "items": {}},
    });
    assert_becomes(
        Profile::Gemini,
        schema,
        json!({"type": "object", "properties": properties, "additionalProperties": false}),
    );
}

#[test]
fn describes_property_name_patterns() {
    let schema = json!({
        "type": "object",
        "patternProperties": {"^a": {"type": "string"}, "^b": {"type": "integer"}},
        "additionalProperties": false,
    });
    let expected = json!({
        "type": "object",
        "description": "Each name matches `^a` or `^b`.",
        "additionalProperties": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    });
    assert_becomes(Profile::Anthropic, schema, expected);
}

#[test]
fn closes_open_objects_where_required() {
    let open = json!({"type": "object", "properties": {"b": {"type": "string"}}});
    assert_becomes(Profile::Anthropic, open.clone(), open.clone());
    let expected = json!({
        "type": "object",
        "properties": {"b": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
        "required": ["b"],
        "additionalProperties": false,
    });
    assert_becomes(Profile::OpenAiStrict, open, expected);
    let nameless = of_input(Profile::OpenAiStrict, json!({"type": "object"})).unwrap_err();
    assert_eq!(
        nameless,
        ProfileError::FreeNames { profile: Profile::OpenAiStrict, path: "/properties/a".to_owned() }
    );
}

#[test]
fn arrays_have_items() {
    let tuple =
        json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "string"}], "items": false});
    let expected = json!({
        "type": "array",
        "description": "The items, in order: a string; a string.",
        "maxItems": 2,
        "items": {"type": "string"},
    });
    assert_becomes(Profile::Gemini, tuple, expected);
    let rest = json!({"prefixItems": [{"type": "string"}], "items": {"type": "boolean"}});
    let items = json!({"anyOf": [{"type": "string"}, {"type": "boolean"}]});
    assert_eq!(of_input(Profile::Gemini, rest).unwrap()["items"], items);
    assert_becomes(Profile::OpenAi, json!({"type": "array"}), json!({"type": "array", "items": {}}));
    let refused = of_input(Profile::OpenAiStrict, json!({"type": "array"})).unwrap_err();
    assert_eq!(
        refused,
        ProfileError::Untyped { profile: Profile::OpenAiStrict, path: "/properties/a/items".to_owned() }
    );
}

#[test]
fn inlines_references() {
    let root = json!({
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/A", "description": "Here"},
            "b": {"$ref": "#/definitions/B", "minLength": 1},
        },
        "$defs": {"A": {"type": "array", "items": {"$ref": "#/properties/b"}, "description": "There"}},
        "definitions": {"B": {"type": "string"}},
    });
    let b = json!({"allOf": [{"type": "string"}, {"minLength": 1}]});
    let expected = json!({
        "type": "object",
        "properties": {"a": {"description": "Here", "type": "array", "items": b}, "b": b},
    });
    assert_eq!(rendered(&root, Profile::NoRef), Ok(expected));
    let lost = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/Gone"}}});
    for profile in MODELS {
        let error = rendered(&lost, profile).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the reference `#/$defs/Gone` at `/properties/a` leads nowhere in the schema"
        );
    }
}

#[test]
fn keeps_descriptions_of_constants_beside_references() {
    let mood = json!({
        "type": "string",
        "description": "How one feels.\n- `good`: All is well.\n- `bad`: It could be better.\n- `worse`: Never.",
        "enum": ["good", "bad", "unknown"],
    });
    let beside = json!({"$ref": "#/$defs/Mood", "description": "How it was."});
    let root = json!({
        "type": "object",
        "properties": {"mood": beside, "moods": {"type": "array", "items": {"$ref": "#/$defs/Mood"}}},
        "required": ["mood", "moods"],
        "additionalProperties": false,
        "$defs": {"Mood": mood},
    });
    for profile in MODELS.into_iter().chain([Profile::NoRef]) {
        let properties = &rendered(&root, profile).unwrap()["properties"];
        let expected = "How it was.\n- `good`: All is well.\n- `bad`: It could be better.";
        assert_eq!(properties["mood"]["description"], expected, "{profile}");
        assert_eq!(properties["moods"]["items"], mood, "{profile}");
    }
}

#[test]
fn keeps_one_definition_of_a_recursive_type() {
    let root = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/x~1Node", "description": "First"}},
        "additionalProperties": false,
        "$defs": {"x/Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/x~1Node"}}}},
    });
    let reference = json!({"$ref": "#/$defs/x~1Node"});
    let strict = rendered(&root, Profile::OpenAiStrict).unwrap();
    assert_eq!(
        strict["properties"]["a"],
        json!({"description": "First", "anyOf": [reference, {"type": "null"}]})
    );
    let definition = json!({
        "type": "object",
        "properties": {"next": {"anyOf": [reference, {"type": "null"}]}},
        "required": ["next"],
        "additionalProperties": false,
    });
    assert_eq!(strict["$defs"], json!({"x/Node": definition}));
    for profile in [Profile::NoRef, Profile::Gemini] {
        let error = rendered(&root, profile).unwrap_err();
        assert!(matches!(error, ProfileError::Recursive { .. }), "{error}");
    }
}

#[test]
fn root_may_be_recursive() {
    let root =
        json!({"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": false});
    assert_eq!(rendered(&root, Profile::Anthropic), Ok(root.clone()));
    let error = rendered(&root, Profile::NoRef).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`no-ref` does not support recursive types: there is one at `/properties/next`"
    );
}

#[test]
fn renames_definitions_with_the_same_name() {
    let node = |path: &str| json!({"type": "object", "properties": {"next": {"$ref": path}}});
    let root = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/N"}, "b": {"$ref": "#/definitions/N"}},
        "$defs": {"N": node("#/$defs/N")},
        "definitions": {"N": node("#/definitions/N")},
    });
    let rendered = rendered(&root, Profile::OpenAi).unwrap();
    assert_eq!(rendered["properties"]["b"], json!({"$ref": "#/$defs/N2"}));
    assert_eq!(rendered["$defs"]["N2"]["properties"]["next"], json!({"$ref": "#/$defs/N2"}));
}

#[test]
fn rejects_exponential_schemas_early() {
    let doubled = |step: usize| {
        let next = json!({"$ref": format!("#/$defs/D{}", step + 1)});
        (format!("D{step}"), json!({"type": "object", "properties": {"a": next, "b": next}}))
    };
    let mut definitions: serde_json::Map<_, _> = (0..40).map(doubled).collect();
    definitions.insert("D40".to_owned(), json!({"type": "string"}));
    let root = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/D0"}}, "$defs": definitions});
    let choice = json!({"oneOf": (0..20).map(|n| json!({"const": n})).collect::<Vec<_>>()});
    let parts: Vec<Value> =
        (0..6).map(|n| json!({"anyOf": [{"properties": {format!("p{n}"): choice}}, {"title": n.to_string()}, {"minimum": n}]})).collect();
    let choices = json!({"type": "object", "properties": {"a": {"allOf": parts}}});
    let mut deep = json!({"type": "string"});
    for _ in 0..300 {
        deep = json!({"allOf": [deep]});
    }
    let deep = json!({"type": "object", "properties": {"a": deep}});
    for profile in
        [Profile::NoRef, Profile::OpenAi, Profile::OpenAiStrict, Profile::Anthropic, Profile::Gemini]
    {
        assert_eq!(rendered(&root, profile), Err(ProfileError::TooLarge { profile }));
        assert_eq!(rendered(&deep, profile), Err(ProfileError::TooLarge { profile }));
    }
    for profile in [Profile::OpenAiStrict, Profile::Anthropic, Profile::Gemini] {
        assert_eq!(rendered(&choices, profile), Err(ProfileError::TooLarge { profile }));
    }
}

#[test]
fn deepest_schema_fits_on_the_stack() {
    let mut deep = json!({"type": "string"});
    for _ in 0..49 {
        deep = json!({"type": "array", "items": {"type": "object", "properties": {"a": deep}}});
    }
    let root = json!({"type": "object", "properties": {"a": deep}, "additionalProperties": false});
    for profile in MODELS {
        assert!(rendered(&root, profile).is_ok(), "{profile}");
    }
}

#[test]
fn root_is_one_object() {
    let choices = [
        json!({"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        json!({"type": "string"}),
        json!({"type": "object", "enum": [{}]}),
        json!(true),
    ];
    for schema in choices {
        for profile in MODELS {
            assert_eq!(rendered(&schema, profile), Err(ProfileError::Root { profile }), "{schema}");
        }
    }
    // Choices that merge to one object are supported.
    let parts = json!({"type": "object", "allOf": [{"properties": {"a": {"type": "string"}}}], "unevaluatedProperties": false});
    let expected =
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false});
    assert_eq!(rendered(&parts, Profile::Anthropic), Ok(expected));
}

#[test]
fn rejects_names_that_a_vendor_rejects() {
    let named = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "additionalProperties": false});
    let nested = |name: &str| json!({"type": "object", "properties": {"a": named(name)}, "additionalProperties": false});
    let refuses =
        |profile, schema: Value| matches!(rendered(&schema, profile), Err(ProfileError::PropertyName { .. }));
    let long = "a".repeat(65);
    for name in ["a b", "ü", "", &long] {
        assert!(refuses(Profile::Anthropic, named(name)) && refuses(Profile::Gemini, named(name)), "{name}");
        // Anthropic does not check nested names.
        assert!(
            !refuses(Profile::Anthropic, nested(name)) && refuses(Profile::Gemini, nested(name)),
            "{name}"
        );
    }
    for name in ["max-age", "a.b", "1st"] {
        assert!(!refuses(Profile::Anthropic, named(name)) && refuses(Profile::Gemini, named(name)), "{name}");
    }
    assert!(!refuses(Profile::Gemini, nested("_a1")) && !refuses(Profile::OpenAiStrict, named("a b")));
    let error = rendered(&named("max-age"), Profile::Gemini).unwrap_err().to_string();
    assert_eq!(
        error,
        "`gemini` does not support the property name `max-age`: it supports a letter or `_`, then up to 63 of `A-Za-z0-9_`"
    );
}

#[test]
fn checks_tool_names_of_the_vendor() {
    use super::takes_tool_name as takes;
    for profile in [Profile::OpenAi, Profile::OpenAiStrict, Profile::Anthropic] {
        assert!(takes(profile, "get-weather_2") && takes(profile, "2nd") && takes(profile, &"a".repeat(64)));
        assert!(!takes(profile, "get.weather") && !takes(profile, &"a".repeat(65)));
    }
    assert!(takes(Profile::Gemini, "get.weather") && !takes(Profile::Gemini, "2nd"));
    assert!(takes(Profile::Mcp, "get.weather") && takes(Profile::Native, &"a".repeat(128)));
}

#[test]
fn parses_every_profile_name() {
    for profile in Profile::ALL {
        assert_eq!(profile.as_str().parse(), Ok(profile));
    }
    let error = "opnai".parse::<Profile>().unwrap_err().to_string();
    assert_eq!(
        error,
        "unknown profile `opnai`: expected one of mcp, no-ref, openai, openai-strict, anthropic, gemini, native"
    );
}
