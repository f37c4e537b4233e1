//! The patterns of a schema that mean something else to a client than to the registry.

use serde_json::Value;

use crate::schema::defaults::{each, named};
use crate::schema::portable::{Fault, portable};

/// Returns the patterns outside of the common subset of ECMA-262 and Rust: the place of each by names, and what is wrong with it.
pub(crate) fn refused(root: &Value) -> Vec<(String, String)> {
    let mut refused = Vec::new();
    each(root, &mut String::new(), &mut |place, schema| {
        let own = schema.get("pattern").and_then(Value::as_str);
        let names = schema.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
        for pattern in own.into_iter().chain(names.map(|(pattern, _)| pattern.as_str())) {
            if let Err(Fault { fact, help }) = portable(pattern) {
                refused.push((named(place), format!("{fact}: {help}")));
            }
        }
    });
    refused
}
