//! The values directly below a value.

use serde_json::{Map, Value};

/// Returns the items of an array or the values of the members of an object; nothing for a scalar.
pub(crate) fn children(value: &Value) -> impl Iterator<Item = &Value> {
    let items = value.as_array().into_iter().flatten();
    items.chain(value.as_object().into_iter().flat_map(Map::values))
}
