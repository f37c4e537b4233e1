//! The constants of an enum and their descriptions.

use serde_json::{Map, Value};

use crate::schema::subschemas::branches;

/// The temporary key for descriptions of constants, until [`publish`]. No schema has this key.
pub(crate) const TEXTS: &str = "\u{0}texts";

/// Turns a choice of constants into an `enum`, in the order of `schemars`, which moves undocumented variants into the
/// first branch.
pub(crate) fn collapse(object: &mut Map<String, Value>) {
    let Some(Value::Array(branches)) = object.get("oneOf") else { return };
    let mut constants = Vec::new();
    let mut texts = Map::new();
    for branch in branches {
        let Some(branch) = branch.as_object() else { return };
        let is_plain = |key: &String| matches!(key.as_str(), "type" | "const" | "enum" | "description");
        if branch.get("type").is_none_or(|kind| kind != "string") || !branch.keys().all(is_plain) {
            return;
        }
        match (branch.get("const"), branch.get("enum")) {
            (Some(Value::String(constant)), None) => {
                if let Some(text) = branch.get("description") {
                    texts.insert(constant.clone(), text.clone());
                }
                constants.push(Value::from(constant.as_str()));
            }
            (None, Some(Value::Array(several))) => constants.extend(several.iter().cloned()),
            _ => return,
        }
    }
    object.shift_remove("oneOf");
    object.insert("type".to_owned(), "string".into());
    object.insert("enum".to_owned(), constants.into());
    if !texts.is_empty() {
        object.insert(TEXTS.to_owned(), texts.into());
    }
}

/// Moves the descriptions of constants into the description of their `enum`.
pub(crate) fn publish(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::Object(texts)) = object.shift_remove(TEXTS) {
                describe(object, &texts);
            }
            object.values_mut().for_each(publish);
        }
        Value::Array(items) => items.iter_mut().for_each(publish),
        _ => {}
    }
}

/// Adds a line per documented constant to the description, in order.
fn describe(object: &mut Map<String, Value>, texts: &Map<String, Value>) {
    let mut lines: Vec<String> = Vec::new();
    lines.extend(object.get("description").and_then(Value::as_str).map(str::to_owned));
    for constant in
        object.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    {
        if let Some(text) = texts.get(constant).and_then(Value::as_str) {
            let words: Vec<&str> = text.split_whitespace().collect();
            lines.push(format!("- `{constant}`: {}", words.join(" ")));
        }
    }
    object.insert("description".to_owned(), lines.join("\n").into());
}

/// Returns the lines of a description that say what single constants mean, as [`publish`] writes them.
pub(crate) fn descriptions(schema: &Value) -> impl Iterator<Item = &str> {
    let constants = schema["enum"].as_array().map_or(&[][..], Vec::as_slice);
    let is_of_one = move |line: &&str| {
        let constant = line.strip_prefix("- `").and_then(|rest| rest.split_once("`: "));
        constant.is_some_and(|(constant, _)| constants.iter().any(|value| value == constant))
    };
    schema["description"].as_str().unwrap_or_default().lines().filter(is_of_one)
}

/// Returns the branches of a choice, if each of them is one constant with annotations, and all are texts or all are integers.
pub(crate) fn choice(schema: &Value) -> Option<&[Value]> {
    let branches = branches(schema)?.as_slice();
    let all =
        |is: fn(&Value) -> bool| branches.iter().all(|branch| is_constant(branch) && is(&branch["const"]));
    let is_choice = all(Value::is_string) || all(|value| value.is_i64() || value.is_u64());
    (is_choice && !branches.is_empty()).then_some(branches)
}

fn is_constant(branch: &Value) -> bool {
    let keywords = branch.as_object().into_iter().flatten().map(|(keyword, _)| keyword.as_str());
    keywords.filter(|keyword| !matches!(*keyword, "type" | "title" | "description")).eq(["const"])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn choices_of_constants_have_one_type() {
        for (branches, is_choice) in [
            (
                json!([{"const": "a"}, {"const": "b", "type": "string", "title": "B", "description": "x"}]),
                true,
            ),
            (json!([{"const": 1}, {"const": 18_446_744_073_709_551_615_u64}]), true),
            (json!([{"const": -1}, {"const": 2}]), true),
            (json!([{"const": "a"}, {"const": 1}]), false),
            (json!([{"const": 1.5}]), false),
            (json!([{"const": "a", "minLength": 1}]), false),
            (json!([{"type": "string"}]), false),
            (json!([]), false),
        ] {
            assert_eq!(choice(&json!({ "oneOf": branches })).is_some(), is_choice, "{branches}");
        }
    }

    #[test]
    fn collapses_plain_constants_only() {
        for (branches, texts) in [
            (
                json!([{"type": "string", "const": "a"}, {"type": "string", "enum": ["b", "c"]}]),
                Some(json!(["a", "b", "c"])),
            ),
            (json!([{"type": "string", "const": "a"}, {"const": "b"}]), None),
            (json!([{"type": "integer", "const": "a"}]), None),
            (json!([{"type": "string", "const": "a", "deprecated": true}]), None),
            (json!([{"type": "string", "const": "a", "enum": ["a"]}]), None),
        ] {
            let mut object = Map::from_iter([("oneOf".to_owned(), branches.clone())]);
            collapse(&mut object);
            assert_eq!(object.get("enum"), texts.as_ref(), "{branches}");
        }
    }
}
