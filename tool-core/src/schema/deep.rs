//! Limited error reports for deeply nested values of recursive types.
//!
//! To explain why no alternative of a choice matches, the validator checks each of them. If an alternative contains the
//! choice again, the work doubles with every level: explaining thirty levels would take hours.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use crate::schema::json::children::children;
use crate::schema::json::pointer::{pointer, push_token};
use crate::schema::problem::Problem;
use crate::schema::reference::{fragment, pointed, target};
use crate::schema::validator::{MAX_PROBLEMS, Validator};

/// The maximum number of alternatives to check, over all levels.
const MAX_EXPLAINED: usize = 10_000;

/// Returns how deeply a value may be nested to be explained: less for choices with more alternatives. Types that are
/// not recursive are limited by themselves.
pub(super) fn explained_depth(schema: &Value) -> usize {
    let most = recursive(schema).into_iter().map(widest).max().unwrap_or(0);
    let (mut depth, mut explained) = (0, 1);
    while most > 1 && explained * most <= MAX_EXPLAINED {
        explained *= most;
        depth += 1;
    }
    if most > 1 { depth } else { usize::MAX }
}

/// Returns the targets of `$ref`s that are recursive.
fn recursive(root: &Value) -> Vec<&Value> {
    let mut graph: HashMap<*const Value, Vec<&Value>> = HashMap::new();
    let mut open: Vec<&Value> = targets(root, root);
    while let Some(schema) = open.pop() {
        if !graph.contains_key(&std::ptr::from_ref(schema)) {
            let next = targets(schema, root);
            open.extend(&next);
            graph.insert(schema, next);
        }
    }
    let schemas: Vec<&Value> = graph.values().flatten().copied().collect();
    let mut seen: HashSet<*const Value> = HashSet::new();
    let schemas = schemas.into_iter().filter(|schema| seen.insert(std::ptr::from_ref(*schema)));
    schemas.filter(|schema| leads_to_itself(schema, &graph)).collect()
}

fn leads_to_itself(schema: &Value, next: &HashMap<*const Value, Vec<&Value>>) -> bool {
    let of = |schema: &Value| next.get(&std::ptr::from_ref(schema)).map_or(&[][..], Vec::as_slice);
    let mut seen: HashSet<*const Value> = HashSet::new();
    let mut open: Vec<&Value> = of(schema).to_vec();
    while let Some(other) = open.pop() {
        if std::ptr::eq(other, schema) {
            return true;
        }
        if seen.insert(std::ptr::from_ref(other)) {
            open.extend(of(other));
        }
    }
    false
}

/// Returns the distinct targets of the references in a schema.
fn targets<'s>(schema: &Value, root: &'s Value) -> Vec<&'s Value> {
    let mut found: Vec<&Value> = Vec::new();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str)
            && seen.insert(reference)
        {
            found.extend(target(reference, root));
        }
        open.extend(children(value));
    }
    found
}

/// Returns the number of alternatives of the widest choice.
fn widest(schema: &Value) -> usize {
    let own = ["anyOf", "oneOf"].into_iter().filter_map(|key| schema.get(key)?.as_array().map(Vec::len));
    own.chain(children(schema).map(widest)).max().unwrap_or(0)
}

/// Returns `true` if a value is nested more deeply than `depth` levels.
pub(super) fn is_deeper(value: &Value, levels: usize) -> bool {
    children(value).any(|inner| levels == 0 || is_deeper(inner, levels - 1))
}

/// Reports missing, unknown and invalid inputs, without the location inside of them. It need not find every problem.
pub(super) fn problems(validator: &Validator, arguments: &Value) -> Vec<Problem> {
    let mut problems: Vec<Problem> = Vec::new();
    let parts = parts(&validator.schema);
    for (_, part) in &parts {
        if let Some(Ok(names)) = names(part).as_ref().map(Validator::new)
            && let Err(found) = names.check(arguments)
        {
            problems.extend(found.into_iter().map(|problem| wanted(validator, problem)));
        }
    }
    for (name, value) in unfit(validator, &parts, arguments) {
        let mut problem = validator.undecoded(&pointer(name), value);
        if value.is_array() || value.is_object() {
            let expected = validator.expected(&pointer(name));
            problem.message =
                format!("expected {expected}; the invalid part is nested too deeply to be explained");
        }
        problems.push(Problem { keyword: "type".to_owned(), ..problem });
    }
    let mut seen: HashSet<(String, String)> = HashSet::new();
    problems.retain(|problem| seen.insert((problem.path.clone(), problem.keyword.clone())));
    problems.truncate(MAX_PROBLEMS);
    problems
}

/// Rewrites a problem of a missing input with what is expected.
fn wanted(validator: &Validator, problem: Problem) -> Problem {
    if problem.keyword != "required" || problem.path.matches('/').count() != 1 {
        return problem;
    }
    let message = format!("missing required input: expected {}", validator.expected(&problem.path));
    Problem { message, ..problem }
}

/// Returns the root and the schemas that always apply with it, each once and with its path.
fn parts(root: &Value) -> Vec<(String, &Value)> {
    let mut parts: Vec<(String, &Value)> = Vec::new();
    let mut open = vec![(String::new(), root)];
    while let Some((location, schema)) = open.pop() {
        if parts.iter().any(|(_, seen)| std::ptr::eq(*seen, schema)) {
            continue;
        }
        for (position, part) in schema["allOf"].as_array().into_iter().flatten().enumerate() {
            open.push((format!("{location}/allOf/{position}"), part));
        }
        if let Some(reference) = schema["$ref"].as_str()
            && let (Some(location), Some(target)) = (pointed(reference), target(reference, root))
        {
            open.push((location, target));
        }
        parts.push((location, schema));
    }
    parts
}

/// Reduces a schema to its rules about member names, which can be explained in full; `None` if there are none.
fn names(schema: &Value) -> Option<Value> {
    let mut names = Map::new();
    for keyword in ["type", "required", "minProperties", "maxProperties", "dependentRequired"] {
        if let Some(value) = schema.get(keyword) {
            names.insert(keyword.to_owned(), value.clone());
        }
    }
    for keyword in ["properties", "patternProperties"] {
        if let Some(members) = schema[keyword].as_object() {
            let any = members.keys().map(|name| (name.clone(), Value::Bool(true)));
            names.insert(keyword.to_owned(), any.collect::<Map<_, _>>().into());
        }
    }
    if schema["additionalProperties"] == false {
        names.insert("additionalProperties".to_owned(), false.into());
    }
    (!names.is_empty()).then(|| names.into())
}

/// The identifier of the whole schema within a schema that checks its parts.
const WHOLE: &str = "urn:whole";

/// Returns the members that are invalid for one of these parts.
fn unfit<'a>(
    validator: &Validator,
    parts: &[(String, &Value)],
    arguments: &'a Value,
) -> Vec<(&'a str, &'a Value)> {
    let mut properties_checked: Vec<(&str, &Value)> = Vec::new();
    let mut properties = Map::new();
    for (location, part) in parts {
        for (name, value) in arguments.as_object().into_iter().flatten() {
            let mut at = format!("{location}/properties");
            push_token(&mut at, name);
            if part["properties"].get(name).is_none() {
                // Patterns are left to the check of the whole.
                if part.get("patternProperties").is_some() || !part["additionalProperties"].is_object() {
                    continue;
                }
                at = format!("{location}/additionalProperties");
            }
            let reference = format!("{WHOLE}#{}", fragment(&at));
            properties.insert(properties_checked.len().to_string(), json!({ "$ref": reference }));
            properties_checked.push((name, value));
        }
    }
    // Unchanged, so that its references still work, under its own identifier.
    let mut whole = validator.schema.clone();
    whole["$id"] = WHOLE.into();
    whole.as_object_mut().and_then(|whole| whole.remove("$schema"));
    let single = json!({"properties": properties, "$defs": {"whole": whole}});
    let Ok(single) = Validator::with(&single, validator.formats) else { return Vec::new() };
    let does_not_fit = |(position, (_, value)): &(usize, (&str, &Value))| {
        !single.is_valid(&Map::from_iter([(position.to_string(), (*value).clone())]).into())
    };
    properties_checked
        .into_iter()
        .enumerate()
        .filter(does_not_fit)
        .map(|(_, properties_checked)| properties_checked)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{explained_depth, is_deeper};
    use crate::schema::validator::Validator;
    use serde_json::{Value, json};
    use std::time::{Duration, Instant};

    fn either() -> Value {
        json!({"Either": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/Either/anyOf/2"}, {"type": "array", "items": {"$ref": "#/$defs/Either"}}]}})
    }

    fn nested(levels: usize) -> Value {
        (0..levels).fold(json!("x"), |inner, _| json!([inner]))
    }

    /// Returns the problems of an invalid value: path and message.
    fn problems_of(schema: &Value, arguments: &Value) -> Vec<(String, String)> {
        let validator = Validator::new(schema).unwrap();
        let problems = validator.check(arguments).expect_err(&schema.to_string());
        problems.into_iter().map(|problem| (problem.path, problem.message)).collect()
    }

    #[test]
    fn invalid_arguments_always_have_a_problem() {
        let base = json!({"properties": {"n": {"type": "integer"}}, "required": ["n"]});
        let with = |keyword: &str, value: Value, more: Value| {
            let mut schema = json!({"type": "object", "$defs": either()});
            schema["$defs"]["Base"] = base.clone();
            schema[keyword] = value;
            if let Value::Object(more) = more {
                more.into_iter().for_each(|(keyword, value)| schema[keyword] = value);
            }
            schema
        };
        let deep = nested(20);
        let all_of = with("allOf", json!([{"$ref": "#/$defs/Base"}]), json!({}));
        let (wrong, missing) =
            ("expected an integer, got the string `x`", "missing required input: expected an integer");
        assert_eq!(
            problems_of(&all_of, &json!({"n": "x", "deep": deep})),
            [("/n".to_owned(), wrong.to_owned())]
        );
        assert_eq!(problems_of(&all_of, &json!({ "deep": deep })), [("/n".to_owned(), missing.to_owned())]);
        let others = with("additionalProperties", json!({"$ref": "#/$defs/Either"}), base.clone());
        assert_eq!(problems_of(&others, &json!({"n": 1, "deep": deep}))[0].0, "/deep");
        // A property that refers to another one, or to the root.
        let both = json!({"a": {"type": "string"}, "b": {"$ref": "#/properties/a"}, "deep": {}});
        let beside = with("properties", both, json!({}));
        let found = problems_of(&beside, &json!({"a": 5, "b": "fine", "deep": deep}));
        assert_eq!(found, [("/a".to_owned(), "expected a string, got `5`".to_owned())]);
        // A problem without details is reported as such.
        let odd = with("not", json!({"required": ["deep"]}), json!({}));
        let found = problems_of(&odd, &json!({ "deep": deep }));
        assert_eq!((found.len(), found[0].0.as_str()), (1, ""));
    }

    #[test]
    fn explains_recursive_choices_to_a_limited_depth() {
        let choice = |to: &str| {
            let branch = |own: &str| json!({"type": "object", "properties": {"left": {"$ref": to}, own: {"type": "integer"}}, "required": ["left", own], "additionalProperties": false});
            json!({"anyOf": [branch("and"), branch("or"), {"type": "integer"}]})
        };
        let refers = |to: &str| json!({"type": "object", "properties": {"e": {"$ref": to}}});
        let mut by_definition = refers("#/definitions/E");
        by_definition["definitions"] = json!({"E": choice("#/definitions/E")});
        let by_property = json!({"type": "object", "properties": {"e": choice("#/properties/e")}});
        let mut by_root = choice("#");
        by_root["type"] = "object".into();
        let chain = (0..60).fold(json!("bad"), |inner, _| json!({"left": inner, "or": 1}));
        for (schema, arguments) in [
            (&by_definition, json!({ "e": chain })),
            (&by_property, json!({ "e": chain })),
            (&by_root, chain.clone()),
        ] {
            assert_eq!(explained_depth(schema), 8, "{schema}");
            let begin = Instant::now();
            assert!(!problems_of(schema, &arguments).is_empty());
            assert!(begin.elapsed() < Duration::from_secs(5), "{schema}: {:?}", begin.elapsed());
        }
        // A wide choice that is not recursive is limited by itself.
        let wide: Vec<Value> = (0..50).map(|n| json!({ "const": n })).collect();
        let mut flat = refers("#/$defs/Wide");
        flat["$defs"] =
            json!({"Wide": {"anyOf": wide}, "List": {"properties": {"next": {"$ref": "#/$defs/List"}}}});
        assert_eq!(explained_depth(&flat), usize::MAX);
        assert!(is_deeper(&chain, 59) && !is_deeper(&chain, 60));
    }
}
