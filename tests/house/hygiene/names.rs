//! Names of functions and parameters, and where tools may be declared.

use serde_json::json;
use tool_core::tool;

use super::{call, of, wire_names};

/// Raw identifiers are a matter of Rust.
#[tool(operation = Transform)]
fn r#match(r#type: String, #[arg(rename = "fn")] function: Option<String>) -> String {
    r#type + &function.unwrap_or_default()
}

/// The raw name of a parameter that need not be raw.
#[tool(operation = Transform)]
async fn r#plain(r#number: u8) -> u8 {
    number
}

/// The names of function and parameter are one.
#[tool(operation = Transform)]
fn weather(weather: String) -> String {
    weather
}

/// The same, and the parameter is changed.
#[tool(operation = Transform)]
async fn count(mut count: u32, mut step: u32) -> u32 {
    step += 1;
    count += step;
    count
}

/// The names that generated code gives to what it binds.
#[tool(operation = Transform)]
fn generated(__arg1: u8, __arg0: u8, __call: u8, __inputs: u8) -> [u8; 4] {
    [__arg1, __arg0, __call, __inputs]
}

/// A name that Rust does not know.
#[tool(operation = Transform, name = "text.reverse-all")]
#[expect(non_snake_case, reason = "the name is of the author's choice")]
fn Reverse(Text: String) -> String {
    Text.chars().rev().collect()
}

mod first {
    use tool_core::tool;

    /// One of two functions of this name.
    #[tool(operation = Explain, name = "first.place")]
    pub(in crate::hygiene) fn place() -> &'static str {
        "first"
    }
}

mod second {
    use tool_core::tool;

    /// One of two functions of this name.
    #[tool(operation = Explain, name = "second.place")]
    pub(crate) fn place() -> &'static str {
        "second"
    }

    pub(super) mod third {
        use tool_core::tool;

        /// A third one, further in.
        #[tool(operation = Explain)]
        pub(in super::super) fn place() -> &'static str {
            super::place();
            "third"
        }
    }
}

/// Declares two tools with the same name in two function bodies.
fn bodies() -> (u8, u8) {
    /// Stands in a body.
    #[tool(operation = Explain)]
    fn inner() -> u8 {
        1
    }

    let deeper = || {
        /// Stands in a closure in a body.
        #[tool(operation = Explain, name = "inner.deeper")]
        fn inner() -> u8 {
            2
        }
        inner()
    };
    (inner(), deeper())
}

#[test]
fn uses_declared_names_on_the_wire() {
    let registry = of(module_path!()).build().unwrap();
    assert_eq!(
        wire_names(&registry),
        [
            "count(count, step)",
            "first.place()",
            "generated(__arg1, __arg0, __call, __inputs)",
            "inner()",
            "inner.deeper()",
            "match(type, fn)",
            "place()",
            "plain(number)",
            "second.place()",
            "text.reverse-all(Text)",
            "weather(weather)",
        ]
    );
    registry.check().unwrap();
}

#[tokio::test]
async fn keeps_named_functions_callable() {
    let registry = of(module_path!()).build().unwrap();
    assert_eq!(call(&registry, "match", json!({"type": "a", "fn": "b"})), "ab");
    assert_eq!(r#match("a".to_owned(), Some("b".to_owned())), "ab");
    assert_eq!(call(&registry, "plain", json!({"number": 1})), 1);
    assert_eq!(plain(1).await, 1);
    assert_eq!(call(&registry, "weather", json!({"weather": "fair"})), "fair");
    assert_eq!(weather("fair".to_owned()), "fair");
    assert_eq!(call(&registry, "count", json!({"count": 1, "step": 1})), 3);
    assert_eq!(count(1, 1).await, 3);
    let generated_values = json!({"__arg1": 1, "__arg0": 2, "__call": 3, "__inputs": 4});
    assert_eq!(call(&registry, "generated", generated_values), json!([1, 2, 3, 4]));
    assert_eq!(generated(1, 2, 3, 4), [1, 2, 3, 4]);
    assert_eq!(call(&registry, "text.reverse-all", json!({"Text": "abc"})), "cba");
    assert_eq!(Reverse("abc".to_owned()), "cba");
}

#[test]
fn accepts_tools_wherever_functions_are_allowed() {
    let registry = of(module_path!()).build().unwrap();
    let places = ["first.place", "second.place", "place"].map(|name| call(&registry, name, json!({})));
    assert_eq!(places, ["first", "second", "third"]);
    assert_eq!([first::place(), second::place(), second::third::place()], ["first", "second", "third"]);
    assert_eq!(call(&registry, "inner", json!({})), 1);
    assert_eq!(call(&registry, "inner.deeper", json!({})), 2);
    assert_eq!(bodies(), (1, 2));
    assert_eq!(registry.get("place").unwrap().source().module, "house::hygiene::names::second::third");
}
