//! The supported dialects of JSON Schema for untrusted schemas.
//!
//! All schemas are interpreted as JSON Schema 2020-12. Most schemas declare draft-07, which is nearly the same; they
//! are accepted unless they use a keyword that differs.

use serde_json::{Map, Value};

use crate::schema::bounds::fault::SchemaFault;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchemaDialect {
    Draft202012,
    Draft07,
}

impl SchemaDialect {
    /// Returns the dialect that the root of a schema names; the default is 2020-12, as in MCP.
    ///
    /// # Errors
    ///
    /// If it names an unsupported one.
    pub(super) fn of(root: &Value) -> Result<Self, SchemaFault> {
        let Some(name) = root.get("$schema") else { return Ok(SchemaDialect::Draft202012) };
        let name = name.as_str().unwrap_or_default();
        match name.strip_suffix('#').unwrap_or(name) {
            "https://json-schema.org/draft/2020-12/schema" => Ok(SchemaDialect::Draft202012),
            "http://json-schema.org/draft-07/schema" | "https://json-schema.org/draft-07/schema" => {
                Ok(SchemaDialect::Draft07)
            }
            _ => Err(SchemaFault::Dialect(name.to_owned())),
        }
    }

    /// Rejects keywords that the validator would interpret differently than the author.
    pub(super) fn check(self, schema: &Map<String, Value>, is_root: bool) -> Result<(), (&str, SchemaFault)> {
        for (keyword, value) in schema {
            let reason = match keyword.as_str() {
                "$schema" if !is_root => "only the root names its dialect",
                "$id" if !is_root => "a schema within a schema has no address of its own",
                "$dynamicRef" | "$recursiveRef" => "write `$ref`",
                "items" if value.is_array() => "a list of items by their positions is `prefixItems`",
                _ if self == SchemaDialect::Draft07 => match draft07(keyword, schema) {
                    Some(reason) => reason,
                    None => continue,
                },
                _ => continue,
            };
            return Err((keyword, SchemaFault::Keyword { keyword: keyword.clone(), reason }));
        }
        Ok(())
    }
}

/// Returns why a keyword is missing in draft-07 or differs.
fn draft07(keyword: &str, schema: &Map<String, Value>) -> Option<&'static str> {
    match keyword {
        "prefixItems"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "minContains"
        | "maxContains" => Some("draft-07 does not know it: name another `$schema`, or none"),
        "$ref" if !schema.keys().all(|keyword| ANNOTATIONS.contains(&keyword.as_str())) => {
            Some("draft-07 ignores what stands beside it: name another `$schema`, or none")
        }
        _ => None,
    }
}

/// Annotations that may appear beside a `$ref` of draft-07.
const ANNOTATIONS: [&str; 13] = [
    "$ref",
    "$schema",
    "$id",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
];
