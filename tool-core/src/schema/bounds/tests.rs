//! Tests with hostile schemas; each takes milliseconds.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{SchemaFault, Untrusted, check};
use crate::schema::validator::Validator;

/// Takes milliseconds, or more on a busy machine; an unbounded check never ends.
const AT_MOST: Duration = Duration::from_secs(10);

/// Checks a schema, and returns its fault and path.
fn verdict(schema: &Value) -> Result<(), (String, SchemaFault)> {
    check(schema).map_err(|error| (error.pointer().to_owned(), error.fault().clone()))
}

/// Returns an object schema with one property.
fn with(property: &Value) -> Value {
    json!({"type": "object", "properties": {"a": property}})
}

fn refused(pointer: &str, fault: SchemaFault) -> Result<(), (String, SchemaFault)> {
    Err((pointer.to_owned(), fault))
}

/// Runs on a thread with a stack too small for recursion.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(128 * 1024).spawn(test);
    thread.expect("a thread").join().expect("no panic and no overflow");
}

/// Returns `depth` definitions, each a choice of twice the next one.
fn doubled(depth: usize) -> Value {
    let name = |level: usize| format!("#/$defs/d{level}");
    let level = |level: usize| {
        (format!("d{level}"), json!({"anyOf": [{"$ref": name(level + 1)}, {"$ref": name(level + 1)}]}))
    };
    let mut definitions: serde_json::Map<_, _> = (0..depth).map(level).collect();
    definitions.insert(format!("d{depth}"), json!({"type": "string"}));
    json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions})
}

/// Not built with `json!`, which would copy recursively.
fn nested(keyword: &str, depth: usize) -> Value {
    let mut schema = json!({"type": "object"});
    for _ in 0..depth {
        let list = Value::Array(vec![schema]);
        schema = Value::Object(
            [("type".to_owned(), "object".into()), (keyword.to_owned(), list)].into_iter().collect(),
        );
    }
    schema
}

#[test]
fn reference_must_stay_in_the_document() {
    let remote = |to: &str| refused("/properties/a/$ref", SchemaFault::RemoteReference(to.to_owned()));
    let unknown = |to: &str| refused("/properties/a/$ref", SchemaFault::UnknownReference(to.to_owned()));
    let to = |to: &str| verdict(&with(&json!({"$ref": to})));
    for address in
        ["http://example.com/a", "https://example.com/a#/b", "file:///etc/passwd", "a.json", "//host/a", ""]
    {
        assert_eq!(to(address), remote(address));
    }
    for address in ["#/$defs/nope", "#nope", "#/properties", "#/type", "#/properties/a/$ref", "#/%zz"] {
        assert_eq!(to(address), unknown(address));
    }
    assert_eq!(to("#"), Ok(()), "a recursive type");
    assert_eq!(
        verdict(&json!({
            "type": "object",
            "properties": {"a": {"$ref": "#/definitions/A~1B%3CC%3E"}, "b": {"$ref": "#/properties/a"}},
            "definitions": {"A/B<C>": {"type": "string"}},
        })),
        Ok(())
    );
}

#[test]
fn recursive_schema_must_consume_something() {
    let endless = |schema: Value| {
        let (pointer, fault) = verdict(&schema).unwrap_err();
        assert_eq!(fault, SchemaFault::EndlessReference, "{schema}");
        pointer
    };
    assert_eq!(endless(json!({"type": "object", "$ref": "#"})), "");
    assert_eq!(endless(with(&json!({"$ref": "#/properties/a"}))), "/properties/a");
    assert_eq!(endless(with(&json!({"allOf": [{"$ref": "#/properties/a"}]}))), "/properties/a/allOf/0");
    assert_eq!(endless(with(&json!({"not": {"$ref": "#/properties/a"}}))), "/properties/a/not");
    let two = json!({"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/a"}]}});
    assert_eq!(endless(json!({"type": "object", "$defs": two})), "/$defs/b/anyOf/1");
    // Each cycle consumes a level of the value.
    let node = json!({
        "type": "object",
        "properties": {
            "value": {"type": "string"},
            "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
            "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
            "named": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Node"}},
        },
        "required": ["value"],
    });
    let schema =
        json!({"type": "object", "properties": {"root": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}});
    assert_eq!(verdict(&schema), Ok(()));
    let validator = Validator::new(&schema).unwrap();
    let arguments = json!({"root": {"value": "a", "next": {"value": "b"}, "children": [{"value": 5}]}});
    let problems = validator.check(&arguments).unwrap_err();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].path, "/root/children/0/value");
}

#[test]
fn counts_alternatives_as_often_as_they_are_tried() {
    for depth in [10, 20, 30, 60] {
        let begin = Instant::now();
        let (_, fault) = verdict(&doubled(depth)).unwrap_err();
        assert!(begin.elapsed() < AT_MOST, "{depth}: {:?}", begin.elapsed());
        assert_eq!(fault, SchemaFault::TooManyAlternatives { most: 1_000 }, "{depth}");
    }
    assert_eq!(verdict(&doubled(5)), Ok(()));
    // The same number of alternatives without references is fine.
    let countries: Vec<Value> = (0..900).map(|n| json!({"const": n})).collect();
    assert_eq!(verdict(&with(&json!({"oneOf": countries}))), Ok(()));
    // The same without references.
    let mut inline = json!({"type": "string"});
    for _ in 0..10 {
        inline = json!({"oneOf": [inline.clone(), inline]});
    }
    assert_eq!(verdict(&with(&inline)).unwrap_err().1, SchemaFault::TooManyAlternatives { most: 1_000 });
}

#[test]
fn counts_schemas_below_properties() {
    let level = |level: usize| {
        let next = json!({"properties": {"next": {"$ref": format!("#/$defs/d{}", level + 1)}}});
        (format!("d{level}"), json!({"anyOf": [next.clone(), next]}))
    };
    let mut definitions: serde_json::Map<_, _> = (0..15).map(level).collect();
    definitions.insert("d15".to_owned(), json!({"type": "string"}));
    let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
    assert_eq!(verdict(&schema).unwrap_err().1, SchemaFault::TooManySchemas { most: 20_000 });
}

#[test]
fn rejects_nesting_without_recursion() {
    on_a_small_stack(|| {
        for depth in [64, 500, 2_000, 20_000] {
            let begin = Instant::now();
            let error = Untrusted::new(nested("allOf", depth)).into_checked().unwrap_err();
            assert!(begin.elapsed() < AT_MOST, "{depth}: {:?}", begin.elapsed());
            assert_eq!(*error.fault(), SchemaFault::TooDeep { most: 64 }, "{depth}");
            assert!(error.to_string().len() < 512);
        }
        // Dropped without a check.
        drop(Untrusted::new(nested("not", 100_000)));
    });
    assert_eq!(verdict(&nested("allOf", 30)), Ok(()));
}

#[test]
fn counts_nesting_through_references() {
    let level =
        |level: usize| (format!("d{level}"), json!({"items": {"$ref": format!("#/$defs/d{}", level + 1)}}));
    let chain = move |depth: usize| {
        let mut definitions: serde_json::Map<_, _> = (0..depth).map(level).collect();
        definitions.insert(format!("d{depth}"), json!({"type": "string"}));
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions})
    };
    on_a_small_stack(move || {
        assert_eq!(verdict(&chain(1_000)).unwrap_err().1, SchemaFault::TooDeep { most: 64 });
    });
    assert_eq!(verdict(&chain(25)), Ok(()));
}

#[test]
fn compiles_within_the_limits_on_a_worker_stack() {
    // The deepest valid schemas, on a stack of two megabytes as in a runtime.
    let deep = nested("allOf", 31);
    assert_eq!(verdict(&deep), Ok(()));
    let thread = std::thread::Builder::new().stack_size(1024 * 1024).spawn(move || {
        let validator = Validator::new(&deep).unwrap();
        assert!(validator.check(&json!(5)).is_err());
    });
    thread.unwrap().join().unwrap();
}

#[test]
fn limits_the_size() {
    let text = "x".repeat(300_000);
    assert_eq!(
        verdict(&with(&json!({"description": text}))).unwrap_err().1,
        SchemaFault::TooLarge { most: 262_144 }
    );
    let values: Vec<u8> = vec![0; 30_000];
    assert_eq!(
        verdict(&with(&json!({"enum": values}))),
        refused("/properties/a/enum/19995", SchemaFault::TooManyValues { most: 20_000 })
    );
}

#[test]
fn accepts_2020_12_and_compatible_draft_07() {
    let named = |dialect: &str| verdict(&json!({"$schema": dialect, "type": "object"}));
    for dialect in [
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2020-12/schema#",
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-07/schema",
    ] {
        assert_eq!(named(dialect), Ok(()));
    }
    for dialect in [
        "http://json-schema.org/draft-04/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://example.com/mine",
        "",
    ] {
        assert_eq!(named(dialect), refused("/$schema", SchemaFault::Dialect(dialect.to_owned())));
    }
    let keyword = |schema: Value| match verdict(&schema) {
        Err((pointer, SchemaFault::Keyword { .. })) => pointer,
        other => panic!("{schema}: {other:?}"),
    };
    let old = |property: &Value| {
        let mut schema = with(property);
        schema["$schema"] = "http://json-schema.org/draft-07/schema#".into();
        schema
    };
    assert_eq!(
        verdict(&old(&json!({"type": "array", "items": {"type": "string"}, "contains": true}))),
        Ok(())
    );
    assert_eq!(verdict(&old(&json!({"$ref": "#", "description": "Again."}))), Ok(()));
    assert_eq!(keyword(old(&json!({"items": [true]}))), "/properties/a/items");
    assert_eq!(keyword(with(&json!({"items": [true]}))), "/properties/a/items");
    assert_eq!(keyword(old(&json!({"prefixItems": [true]}))), "/properties/a/prefixItems");
    assert_eq!(keyword(old(&json!({"$ref": "#", "minProperties": 1}))), "/properties/a/$ref");
    assert_eq!(keyword(with(&json!({"$dynamicRef": "#"}))), "/properties/a/$dynamicRef");
    assert_eq!(keyword(with(&json!({"$id": "https://example.com/a"}))), "/properties/a/$id");
    assert_eq!(
        keyword(with(&json!({"$schema": "https://json-schema.org/draft/2020-12/schema"}))),
        "/properties/a/$schema"
    );
}

#[test]
fn root_must_be_an_object_schema() {
    for schema in [
        json!(true),
        json!({}),
        json!({"type": "string"}),
        json!({"type": ["object"]}),
        json!(null),
        json!([]),
    ] {
        assert_eq!(verdict(&schema), refused("", SchemaFault::NoObject), "{schema}");
    }
}

#[test]
fn limits_the_size_of_patterns() {
    for pattern in ["(", "(?=a)b", r"(a)\1", "(a{1000}){1000}"] {
        let begin = Instant::now();
        assert_eq!(
            verdict(&with(&json!({"pattern": pattern}))),
            refused("/properties/a/pattern", SchemaFault::Pattern(pattern.to_owned()))
        );
        assert_eq!(
            verdict(&with(&json!({"patternProperties": {pattern: true}}))),
            refused("/properties/a/patternProperties", SchemaFault::Pattern(pattern.to_owned()))
        );
        assert!(begin.elapsed() < AT_MOST, "{pattern}: {:?}", begin.elapsed());
    }
    for pattern in ["^[0-9]{3}$", "(a+)+$", r"^\d+\.\w*$", "^\\p{L}{1,64}$"] {
        assert_eq!(verdict(&with(&json!({"pattern": pattern}))), Ok(()));
    }
    let many: serde_json::Map<_, _> =
        (0..10).map(|n| (format!(r"\p{{L}}{{{}}}", 50 + n), json!(true))).collect();
    assert_eq!(
        verdict(&with(&json!({"patternProperties": many}))).unwrap_err().1,
        SchemaFault::TooManyPatterns { most: 33_554_432 }
    );
}

#[test]
fn rejects_unprintable_property_names() {
    let named = |name: &str| verdict(&json!({"type": "object", "properties": {name: {"type": "string"}}}));
    for name in ["help", "format", "-x", "a b", "0", "", "__proto__", "constructor", "größe", "名前"] {
        assert_eq!(named(name), Ok(()), "{name}");
    }
    for name in ["a\u{0}", "\u{1b}[31m", "a\nb", "\u{85}", &"x".repeat(257)] {
        assert_eq!(named(name), refused("/properties", SchemaFault::PropertyName(name.to_owned())));
    }
}

#[test]
fn rejects_headers_that_cannot_be_sent() {
    let is_refused = |property: Value| match verdict(&with(&property)) {
        Ok(()) => false,
        Err((_, SchemaFault::Header(_))) => true,
        Err(other) => panic!("{other:?}"),
    };
    assert!(!is_refused(json!({"type": "string", "x-mcp-header": "Region"})));
    for header in ["", "a\r\nb", "a b"] {
        assert!(is_refused(json!({"type": "string", "x-mcp-header": header})), "{header}");
    }
    assert!(is_refused(json!({"type": "number", "x-mcp-header": "A"})));
    assert!(is_refused(json!({"type": "array", "items": {"type": "string", "x-mcp-header": "A"}})));
    let region = json!({"type": "string", "x-mcp-header": "Region"});
    let shouted = json!({"type": "string", "x-mcp-header": "REGION"});
    assert!(is_refused(json!({"type": "object", "properties": {"a": region, "b": shouted}})));
}

#[test]
fn invalid_schema_error_has_a_path() {
    for (property, path) in [
        (json!({"type": "objekt"}), "/properties/a/type"),
        (json!({"required": "a"}), "/properties/a/required"),
        (json!({"properties": []}), "/properties/a/properties"),
        (json!({"anyOf": {}}), "/properties/a/anyOf"),
        (json!({"$ref": 5}), "/properties/a/$ref"),
        (json!({"minLength": -1}), "/properties/a/minLength"),
        (json!(5), "/properties/a"),
    ] {
        let (pointer, fault) = verdict(&with(&property)).unwrap_err();
        assert_eq!(pointer, path);
        assert!(matches!(fault, SchemaFault::Invalid(_)), "{fault}");
    }
}

#[test]
fn message_escapes_control_characters() {
    let schema = with(&json!({"$ref": format!("\u{1b}[2J\u{202e}{}", "x".repeat(1_000))}));
    let text = check(&schema).unwrap_err().to_string();
    assert!(text.contains(r"leads to another document, `\u{1b}[2J\u{202e}xxx"), "{text}");
    assert!(text.len() < 512 && text.chars().all(|c| !c.is_control()), "{text}");
}
