//! Tools under `cfg`: registered exactly where the function is compiled.

use serde_json::json;
use tool_core::tool;

use super::{call, of, wire_names};

/// Is compiled: said above.
#[cfg(test)]
#[tool(operation = Explain)]
fn above() -> u8 {
    1
}

/// Is compiled: said below.
#[tool(operation = Explain)]
#[cfg(test)]
fn below() -> u8 {
    2
}

/// Is compiled: said everywhere.
#[cfg(test)]
#[tool(operation = Explain)]
#[cfg(not(any()))]
#[cfg(not(doc))]
fn everywhere() -> u8 {
    3
}

/// Is a tool by a condition.
#[cfg_attr(test, tool(operation = Explain))]
fn conditional() -> u8 {
    4
}

/// Is no tool by a condition.
#[cfg_attr(not(test), tool(operation = Explain))]
fn plain() -> u8 {
    5
}

/// Is not compiled: said above.
#[cfg(not(test))]
#[tool(operation = Explain)]
fn absent_above() -> Nonsense {}

/// Is not compiled: said below.
#[tool(operation = Explain)]
#[cfg(not(test))]
fn absent_below(_: Nonsense) -> Nonsense {}

/// Is not compiled: one of two says so.
#[tool(operation = Explain)]
#[cfg(test)]
#[cfg(not(test))]
fn absent_by_one(nonsense: Nonsense) {}

/// One of two functions of one name, of which one is compiled.
#[tool(operation = Explain)]
#[cfg(test)]
fn either() -> &'static str {
    "tested"
}

/// One of two functions of one name, of which one is compiled.
#[tool(operation = Explain)]
#[cfg(not(test))]
fn either() -> &'static str {
    "not tested"
}

#[cfg(not(test))]
mod absent {
    /// Is not compiled, and neither is what is around it.
    #[tool(operation = Explain)]
    fn inside() {}
}

#[test]
fn registers_tools_that_are_compiled() {
    let registry = of(module_path!()).build().unwrap();
    assert_eq!(wire_names(&registry), ["above()", "below()", "conditional()", "either()", "everywhere()"]);
    registry.check().unwrap();
    let values = ["above", "below", "everywhere", "conditional", "either"]
        .map(|name| call(&registry, name, json!({})));
    assert_eq!(values, [json!(1), json!(2), json!(3), json!(4), json!("tested")]);
    assert_eq!((above(), below(), everywhere(), conditional(), either()), (1, 2, 3, 4, "tested"));
    assert_eq!(plain(), 5);
}
