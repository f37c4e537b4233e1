//! The same data as JSON, in YAML that readers of YAML 1.1 and 1.2 take for the same.

use serde_json::Value;

/// Returns a value as a YAML document. Every text that a reader of either version could take for something else is quoted.
pub(crate) fn text(value: &Value) -> String {
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    // A JSON value has nothing that YAML lacks.
    serde_saphyr::to_string_with_options(value, options).unwrap_or_default()
}
