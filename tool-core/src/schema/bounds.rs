//! Limits for a schema that somebody else wrote, checked before anything is computed from it.
//!
//! A validator, a rendering and an example all follow the structure of a schema, and a small schema can have a large one:
//! `anyOf` doubled thirty times is a text of two kilobytes and a thousand million alternatives. So the structure is
//! measured first, in three steps of which each makes the next one safe:
//!
//! 1. the JSON itself: bytes, values, nesting;
//! 2. the schemas in it as a graph ([`graph`]): what each keyword means, where each `$ref` leads, how much there is once
//!    every `$ref` is followed;
//! 3. a validator, which is made of it and holds it against the meta-schema of JSON Schema 2020-12.
//!
//! Nothing here recurses, since depth is one of the things that are measured.

mod dialect;
mod fault;
mod graph;
mod header;
mod keywords;
mod reach;

use std::collections::HashSet;

use serde_json::Value;

use crate::schema::json::pointer::push_escaped;
use crate::schema::problem::Problem;
use crate::schema::validator::{Formats, Validator};

pub(crate) use fault::Escaped;
pub use fault::{SchemaError, SchemaFault};
pub(crate) use header::HEADER;
pub(crate) use header::check_headers;

/// Bytes of the schema as compact JSON.
const MAX_BYTES: usize = 256 * 1024;

/// JSON values of any kind.
const MAX_VALUES: usize = 20_000;

/// Objects and lists inside of one another.
const MAX_NESTED: usize = 64;

/// Schemas inside of one another, counted through `$ref`s.
const MAX_LEVELS: usize = 64;

/// Schemas that apply to one value, counted through `$ref`s.
const MAX_ALTERNATIVES: u64 = 1_000;

/// Schemas in all when every `$ref` is replaced by what it refers to, except to one that is being replaced.
const MAX_SCHEMAS: u64 = 20_000;

/// Bytes of all patterns together, once they are compiled.
const MAX_PATTERN_BYTES: usize = 32 * 1024 * 1024;

/// What one compiled pattern is counted as: the smallest that it fits.
const PATTERN_BYTES: [usize; 3] = [32 * 1024, 256 * 1024, MAX_PATTERN_SIZE];

/// Bytes of one compiled pattern.
const MAX_PATTERN_SIZE: usize = 4 * 1024 * 1024;

/// Bytes of the name of a property.
const MAX_NAME_LENGTH: usize = 256;

/// Refuses a schema that is no object schema, or too much of one.
///
/// # Errors
///
/// The first fault, with its place.
pub(crate) fn check(schema: &Value) -> Result<(), SchemaError> {
    measure(schema)?;
    if schema.get("type").is_none_or(|kind| kind != "object") {
        return Err(SchemaError::new("", SchemaFault::NoObject));
    }
    let graph = graph::Graph::of(schema)?;
    graph.check()?;
    graph.check_headers()?;
    if keywords::is_certainly_valid(&graph) {
        return Ok(());
    }
    check_patterns(&graph)?;
    // Only tried out: most validators are never needed, and they would be the most memory of a registry.
    options(MAX_PATTERN_SIZE).build(schema).map(drop).map_err(|error| {
        SchemaError::new(error.instance_path().as_str(), SchemaFault::Invalid(error.to_string()))
    })
}

/// Measures the JSON, whatever it means.
fn measure(schema: &Value) -> Result<(), SchemaError> {
    let mut bytes = 0;
    let mut values = 0;
    let mut path = Path::default();
    let mut next = Some(schema);
    while let Some(value) = next {
        values += 1;
        bytes += own_bytes(value);
        let fault = if values > MAX_VALUES {
            SchemaFault::TooManyValues { most: MAX_VALUES }
        } else if bytes > MAX_BYTES {
            SchemaFault::TooLarge { most: MAX_BYTES }
        } else if path.0.len() > MAX_NESTED {
            SchemaFault::TooDeep { most: MAX_NESTED }
        } else {
            path.enter(value);
            next = path.next();
            continue;
        };
        return Err(SchemaError::new(path.pointer(), fault));
    }
    Ok(())
}

/// The bytes that a value takes as compact JSON, without those of its members but with their names and commas.
fn own_bytes(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(number) => number.to_string().len(),
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.len() + 2,
        Value::Object(members) => members.keys().map(|name| name.len() + 4).sum::<usize>() + 2,
    }
}

/// A walk through a value, as a stack of what is left to do on each level.
#[derive(Default)]
struct Path<'v>(Vec<Level<'v>>);

enum Level<'v> {
    Items { items: std::slice::Iter<'v, Value>, position: usize },
    Members { members: serde_json::map::Iter<'v>, name: &'v str },
}

impl<'v> Path<'v> {
    fn enter(&mut self, value: &'v Value) {
        match value {
            Value::Array(items) => self.0.push(Level::Items { items: items.iter(), position: 0 }),
            Value::Object(members) => self.0.push(Level::Members { members: members.iter(), name: "" }),
            _ => {}
        }
    }

    fn next(&mut self) -> Option<&'v Value> {
        loop {
            match self.0.last_mut()? {
                Level::Items { items, position } => {
                    if let Some(item) = items.next() {
                        *position += 1;
                        return Some(item);
                    }
                }
                Level::Members { members, name } => {
                    if let Some((of, member)) = members.next() {
                        *name = of;
                        return Some(member);
                    }
                }
            }
            self.0.pop();
        }
    }

    /// Where the value is that was handed out last.
    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for level in &self.0 {
            pointer.push('/');
            match level {
                Level::Items { position, .. } => pointer.push_str(&(position - 1).to_string()),
                Level::Members { name, .. } => push_escaped(&mut pointer, name),
            }
        }
        pointer
    }
}

/// Compiles every pattern once, with a limit for each and for all.
fn check_patterns(graph: &graph::Graph<'_>) -> Result<(), SchemaError> {
    let mut seen = HashSet::new();
    let mut total = 0;
    for (at, schema) in graph.schemas() {
        let own = schema.get("pattern").and_then(Value::as_str).map(|pattern| ("pattern", pattern));
        let names = schema.get("patternProperties").and_then(Value::as_object).into_iter();
        let names = names.flat_map(|names| names.keys().map(|name| ("patternProperties", name.as_str())));
        for (keyword, pattern) in own.into_iter().chain(names) {
            if !seen.insert(pattern) {
                continue;
            }
            let bytes = PATTERN_BYTES.into_iter().find(|limit| compiles(pattern, *limit));
            total += bytes.unwrap_or(0);
            let fault = if bytes.is_none() {
                SchemaFault::Pattern(pattern.to_owned())
            } else if total > MAX_PATTERN_BYTES {
                SchemaFault::TooManyPatterns { most: MAX_PATTERN_BYTES }
            } else {
                continue;
            };
            return Err(SchemaError::new(graph.pointer(at, keyword), fault));
        }
    }
    Ok(())
}

fn compiles(pattern: &str, limit: usize) -> bool {
    options(limit).build(&serde_json::json!({ "pattern": pattern })).is_ok()
}

fn options(largest_pattern: usize) -> jsonschema::ValidationOptions<'static> {
    let patterns = jsonschema::PatternOptions::regex().size_limit(largest_pattern);
    jsonschema::draft202012::options().should_validate_formats(false).with_pattern_options(patterns)
}

/// A value from somewhere else, which may be nested deeper than the stack of a thread: it is taken apart before it is
/// dropped.
#[derive(Debug, Default)]
pub(crate) struct Untrusted(Value);

impl Untrusted {
    pub(crate) fn new(value: Value) -> Self {
        Untrusted(value)
    }

    /// The value as a schema that is within the limits.
    ///
    /// # Errors
    ///
    /// As [`check`].
    pub(crate) fn into_checked(mut self) -> Result<Value, SchemaError> {
        check(&self.0).map(|()| std::mem::take(&mut self.0))
    }

    /// The value as one that a schema within the limits admits.
    ///
    /// # Errors
    ///
    /// The first problem.
    pub(crate) fn into_valid(self, schema: &Value) -> Result<Value, Problem> {
        let validator =
            Validator::with(schema, Formats::Described).map_err(|error| Problem::new("", "", error))?;
        self.into_valid_by(&validator)
    }

    /// The same by a validator that is there already.
    ///
    /// # Errors
    ///
    /// The first problem.
    pub(crate) fn into_valid_by(mut self, validator: &Validator) -> Result<Value, Problem> {
        measure(&self.0).map_err(|error| Problem::new(error.pointer(), "", error.fault().to_string()))?;
        match validator.check(&self.0) {
            Ok(()) => Ok(std::mem::take(&mut self.0)),
            Err(problems) => Err(problems.into_iter().next().unwrap_or_else(Problem::unexplained)),
        }
    }
}

impl Drop for Untrusted {
    fn drop(&mut self) {
        let mut values = vec![std::mem::take(&mut self.0)];
        while let Some(value) = values.pop() {
            match value {
                Value::Array(items) => values.extend(items),
                Value::Object(members) => values.extend(members.into_iter().map(|(_, member)| member)),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
