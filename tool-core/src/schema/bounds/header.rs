//! Inputs that MCP clients repeat as a request header, so that gateways can read them.

use std::collections::HashSet;

use serde_json::Value;

use crate::schema::bounds::fault::{SchemaError, SchemaFault};
use crate::schema::bounds::graph::Graph;

pub(crate) const HEADER: &str = "x-mcp-header";

/// Rejects invalid headers in a schema.
///
/// # Errors
///
/// The first fault, with its path.
pub(crate) fn check_headers(schema: &Value) -> Result<(), SchemaError> {
    Graph::of(schema)?.check_headers()
}

impl Graph<'_> {
    /// Rejects headers for which clients would skip the whole tool (MCP 2026-07-28, Transports, custom headers from
    /// tool parameters).
    ///
    /// # Errors
    ///
    /// The first invalid header.
    pub(crate) fn check_headers(&self) -> Result<(), SchemaError> {
        let mut seen = HashSet::new();
        for (at, schema) in self.schemas() {
            let Some(header) = schema.get(HEADER) else { continue };
            let fault = match header.as_str() {
                Some(name) if !is_token(name) => {
                    "is no name of a header: letters, digits and any of !#$%&'*+-.^_`|~"
                }
                Some(name) if !seen.insert(name.to_ascii_lowercase()) => {
                    "occurs twice: names of headers are equal whatever their case"
                }
                Some(_) if !self.is_property(at) => {
                    "stands on something else than a property of the root or of its properties"
                }
                Some(_) if !is_scalar(schema) => "stands on something else than a string, integer or boolean",
                Some(_) => continue,
                None => "is not a string",
            };
            return Err(SchemaError::new(self.pointer(at, HEADER), SchemaFault::Header(fault)));
        }
        Ok(())
    }
}

/// Returns `true` for a token of RFC 9110, section 5.6.2.
fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

fn is_scalar(schema: &Value) -> bool {
    schema["type"].as_str().is_some_and(|kind| matches!(kind, "string" | "integer" | "boolean"))
}
