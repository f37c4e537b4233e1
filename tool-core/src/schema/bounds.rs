//! Limits for untrusted schemas, checked before anything is computed from them.
//!
//! Validators, renderings and examples follow the structure of a schema, and a small schema can have a large one:
//! `anyOf` doubled thirty times is two kilobytes of text and a billion alternatives. So the structure is measured
//! first, in three steps, each of which makes the next one safe:
//!
//! 1. the JSON itself: bytes, values, nesting;
//! 2. the schemas in it as a graph ([`graph`]): the meaning of each keyword, the target of each `$ref`, and the size
//!    once every `$ref` is followed;
//! 3. a validator, which checks it against the meta-schema of JSON Schema 2020-12.
//!
//! Nothing here recurses, because the depth is not yet limited.

mod dialect;
mod fault;
mod graph;
mod header;
mod keywords;
mod reach;

use std::collections::HashSet;

use serde_json::Value;

use crate::schema::json::size;
use crate::schema::problem::Problem;
use crate::schema::validator::{Formats, Validator};

pub(crate) use fault::Escaped;
pub use fault::{SchemaError, SchemaFault};
pub(crate) use header::HEADER;
pub(crate) use header::check_headers;

/// The maximum size of the schema as compact JSON, in bytes.
const MAX_BYTES: usize = 256 * 1024;

/// The maximum number of JSON values.
const MAX_VALUES: usize = 20_000;

/// The maximum nesting of objects and lists.
const MAX_NESTED: usize = 64;

/// The maximum nesting of schemas, through `$ref`s.
const MAX_LEVELS: usize = 64;

/// The maximum number of schemas that apply to one value, through `$ref`s.
const MAX_ALTERNATIVES: u64 = 1_000;

/// The maximum number of schemas once every `$ref` is expanded, except recursive ones.
const MAX_SCHEMAS: u64 = 20_000;

/// The maximum size of all compiled patterns, in bytes.
const MAX_PATTERN_BYTES: usize = 32 * 1024 * 1024;

/// The size classes of compiled patterns, in bytes.
const PATTERN_BYTES: [usize; 3] = [32 * 1024, 256 * 1024, MAX_PATTERN_SIZE];

/// The maximum size of one compiled pattern, in bytes.
const MAX_PATTERN_SIZE: usize = 4 * 1024 * 1024;

/// The maximum size of a property name, in bytes.
const MAX_NAME_LENGTH: usize = 256;

/// Rejects a schema that is not an object schema or exceeds a limit.
///
/// # Errors
///
/// The first fault, with its path.
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
    // Compiled only as a check: most validators are never needed, and would use most of the memory of a registry.
    options(MAX_PATTERN_SIZE).build(schema).map(drop).map_err(|error| {
        SchemaError::new(error.instance_path().as_str(), SchemaFault::Invalid(error.to_string()))
    })
}

/// Checks the limits of the JSON itself.
fn measure(value: &Value) -> Result<(), SchemaError> {
    Measure::default().add(value, 0)
}

/// The size of a value so far.
#[derive(Default)]
struct Measure {
    values: usize,
    bytes: usize,
}

impl Measure {
    /// Adds a value and everything in it. The limits keep the recursion short.
    fn add(&mut self, value: &Value, depth: usize) -> Result<(), SchemaError> {
        self.values += 1;
        self.bytes += size::own(value);
        let fault = if self.values > MAX_VALUES {
            SchemaFault::TooManyValues { most: MAX_VALUES }
        } else if self.bytes > MAX_BYTES {
            SchemaFault::TooLarge { most: MAX_BYTES }
        } else if depth > MAX_NESTED {
            SchemaFault::TooDeep { most: MAX_NESTED }
        } else {
            let mut below = |value, name: &dyn ToString| {
                self.add(value, depth + 1).map_err(|error| error.within(&name.to_string()))
            };
            return match value {
                Value::Array(items) => items.iter().enumerate().try_for_each(|(at, item)| below(item, &at)),
                Value::Object(members) => members.iter().try_for_each(|(name, member)| below(member, name)),
                _ => Ok(()),
            };
        };
        Err(SchemaError::new("", fault))
    }
}

/// Compiles every distinct pattern, with a limit for each and for all.
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

/// An untrusted value, which may be nested deeper than the stack allows: it is dropped iteratively.
#[derive(Debug, Default)]
pub(crate) struct Untrusted(Value);

impl Untrusted {
    pub(crate) fn new(value: Value) -> Self {
        Untrusted(value)
    }

    /// Checks the value as a schema, and returns it.
    ///
    /// # Errors
    ///
    /// See [`check`].
    pub(crate) fn into_checked(mut self) -> Result<Value, SchemaError> {
        check(&self.0).map(|()| std::mem::take(&mut self.0))
    }

    /// Validates the value against a schema, and returns it.
    ///
    /// # Errors
    ///
    /// The first problem.
    pub(crate) fn into_valid(self, schema: &Value) -> Result<Value, Problem> {
        let validator =
            Validator::with(schema, Formats::Described).map_err(|error| Problem::new("", "", error))?;
        self.into_valid_by(&validator)
    }

    /// Validates the value with an existing validator, and returns it.
    ///
    /// # Errors
    ///
    /// The first problem.
    pub(crate) fn into_valid_by(mut self, validator: &Validator) -> Result<Value, Problem> {
        measure(&self.0).map_err(|error| Problem::new(error.pointer(), "", error.fault().to_string()))?;
        match validator.first_problem(&self.0) {
            None => Ok(std::mem::take(&mut self.0)),
            Some(problem) => Err(problem),
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
