//! Inputs and outputs as rows of a table, one for each value.

use serde_json::Value;
use tool_core::schema::{Constraints, NativeSchema};

/// The path of a value, its type, whether it is required, and its description with constraints, line by line.
pub(crate) type Row = [String; 4];

/// Returns the rows of inputs and their parts.
pub(crate) fn inputs(inputs: &[NativeSchema]) -> Vec<Row> {
    let mut rows = Vec::new();
    inputs.iter().for_each(|input| push_member(&mut rows, "", input));
    rows
}

/// Returns the rows of an output and its parts.
pub(crate) fn output(output: &NativeSchema) -> Vec<Row> {
    let mut rows = Vec::new();
    push(&mut rows, ".", output);
    rows
}

/// Returns the rows of one part and its own parts.
pub(crate) fn part(path: &str, part: &NativeSchema) -> Vec<Row> {
    let mut rows = Vec::new();
    push(&mut rows, path, part);
    rows
}

/// Returns the steps from a value to its parts, as in a path.
pub(crate) fn parts(value: &NativeSchema) -> Vec<String> {
    let value = nullable(value).unwrap_or(value);
    let list = value.kind == "list";
    let name = |name: &String| if list { format!("[{name}]") } else { format!(".{name}") };
    let mut parts: Vec<_> =
        value.properties.iter().filter_map(|member| member.name.as_ref().map(name)).collect();
    parts.extend(value.items.iter().map(|_| if list { "[]" } else { ".*" }.to_owned()));
    parts.extend((1..=value.variants.len()).map(|position| format!("|{position}")));
    parts
}

fn push_member(rows: &mut Vec<Row>, parent: &str, member: &NativeSchema) {
    let name = member.name.as_deref().unwrap_or_default();
    let path = if matches!(parent, "" | ".") { name.to_owned() } else { format!("{parent}.{name}") };
    push(rows, &path, member);
}

fn push(rows: &mut Vec<Row>, path: &str, value: &NativeSchema) {
    let required = match value.required {
        Some(true) => "yes",
        Some(false) => "no",
        None => "",
    };
    let mut lines = details(value);
    let description = value.description.as_ref();
    lines.extend(nullable(value).into_iter().flat_map(details).filter(|line| Some(line) != description));
    rows.push([path.to_owned(), type_name(value), required.to_owned(), lines.join("\n")]);
    push_parts(rows, path, nullable(value).unwrap_or(value));
}

/// Adds the parts of a value, unless its type is enough.
fn push_parts(rows: &mut Vec<Row>, path: &str, value: &NativeSchema) {
    for member in &value.properties {
        match &member.name {
            Some(position) if value.kind == "list" => push(rows, &format!("{path}[{position}]"), member),
            _ => push_member(rows, path, member),
        }
    }
    if let Some(items) = &value.items {
        let place = if value.kind == "list" { "[]" } else { ".*" };
        push_unless_plain(rows, &format!("{path}{place}"), items);
    }
    for (position, variant) in value.variants.iter().enumerate() {
        push_unless_plain(rows, &format!("{path}|{}", position + 1), variant);
    }
}

/// Returns the alternative to `null`, if there is exactly one.
pub(crate) fn nullable(value: &NativeSchema) -> Option<&NativeSchema> {
    match value.variants.as_slice() {
        [one, null] | [null, one] if null.kind == "null" => Some(one),
        _ => None,
    }
}

fn push_unless_plain(rows: &mut Vec<Row>, path: &str, value: &NativeSchema) {
    let before = rows.len();
    push(rows, path, value);
    if rows.len() == before + 1 && rows[before][3].is_empty() {
        rows.pop();
    }
}

fn type_name(value: &NativeSchema) -> String {
    let mut name = match (value.kind, &value.items) {
        ("list", Some(items)) => format!("list of {}", type_name(items)),
        ("map", Some(items)) => format!("map of {}", type_name(items)),
        ("union", _) => {
            let mut names: Vec<_> = value.variants.iter().map(type_name).collect();
            names.dedup();
            match names.as_slice() {
                // Alternatives of the same type differ in their parts.
                [name] if value.variants.len() > 1 => format!("union of {name}"),
                _ => names.join(" or "),
            }
        }
        (kind, _) => kind.to_owned(),
    };
    if let Some(format) = &value.format {
        name = format!("{name} ({format})");
    }
    name
}

fn details(value: &NativeSchema) -> Vec<String> {
    let mut lines: Vec<String> = value.description.iter().map(|text| crate::style::summary(text)).collect();
    if let Some(default) = default(value) {
        lines.push(format!("default: {default}"));
    }
    if !value.allowed.is_empty() && !value.secret {
        if value.allowed.iter().all(|allowed| allowed.description.is_none()) {
            lines.push(format!("allowed: {}", listed(value.allowed.iter().map(|allowed| &allowed.value))));
        } else {
            lines.push("allowed:".to_owned());
            lines.extend(value.allowed.iter().map(|allowed| match &allowed.description {
                Some(text) => format!("  {}: {}", plain(&allowed.value), crate::style::summary(text)),
                None => format!("  {}", plain(&allowed.value)),
            }));
        }
    }
    lines.extend(value.constraints.iter().flat_map(|limits| limit_lines(value.kind, limits)));
    match examples(value) {
        [] => {}
        [example] => lines.push(format!("example: {}", plain(example))),
        examples => lines.push(format!("examples: {}", listed(examples))),
    }
    if value.locator {
        lines.push("locator: identifies a resource".to_owned());
    }
    if value.secret {
        lines.push("secret: not shown".to_owned());
    }
    if let Some(name) = &value.recursive {
        lines.push(format!("a {name} again, as described above"));
    }
    lines
}

/// Returns the default of a value, unless it contains a secret.
pub(crate) fn default(value: &NativeSchema) -> Option<&Value> {
    value.default.as_ref().filter(|_| !holds_secret(value))
}

/// Returns the examples of a value, unless they contain secrets.
pub(crate) fn examples(value: &NativeSchema) -> &[Value] {
    if holds_secret(value) { &[] } else { &value.examples }
}

/// Returns `true` if a value is or contains a secret.
pub(crate) fn holds_secret(schema: &NativeSchema) -> bool {
    schema.secret
        || schema.properties.iter().chain(&schema.variants).any(holds_secret)
        || schema.items.as_deref().is_some_and(holds_secret)
}

/// Returns the constraints of a value.
pub(crate) fn limits(value: &NativeSchema) -> Vec<String> {
    let value = nullable(value).unwrap_or(value);
    value.constraints.iter().flat_map(|limits| limit_lines(value.kind, limits)).collect()
}

fn limit_lines(kind: &str, limits: &Constraints) -> Vec<String> {
    // The range of a 64-bit integer is not worth showing.
    let is_informative = |limit: &&Value| {
        !(limit.as_i64().is_some_and(|limit| limit == i64::MIN || limit == i64::MAX)
            || limit.as_u64() == Some(u64::MAX))
    };
    let unit = if kind == "list" { "items" } else { "characters" };
    let mut lines = Vec::new();
    match (limits.min.as_ref().filter(is_informative), limits.max.as_ref().filter(is_informative)) {
        (Some(min), Some(max)) => lines.push(format!("from {min} to {max}")),
        (Some(min), None) => lines.push(format!("at least {min}")),
        (None, Some(max)) => lines.push(format!("at most {max}")),
        (None, None) => {}
    }
    match (&limits.min_length, &limits.max_length) {
        (Some(min), Some(max)) => lines.push(format!("from {min} to {max} {unit}")),
        (Some(min), None) => lines.push(format!("at least {min} {unit}")),
        (None, Some(max)) => lines.push(format!("at most {max} {unit}")),
        (None, None) => {}
    }
    lines.extend(limits.pattern.iter().map(|pattern| format!("pattern: {}", plain(pattern))));
    lines
}

fn listed<'v>(values: impl IntoIterator<Item = &'v Value>) -> String {
    values.into_iter().map(plain).collect::<Vec<_>>().join(", ")
}

/// Returns a value as it would be typed: strings without quotes.
pub(crate) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
