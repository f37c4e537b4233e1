//! Tools that are listed by path.

use serde_json::json;
use tool_core::{Declared, Registry, tool, tools};

use super::{call, of, wire_names};

/// Has a name that no path may have without its `#`.
#[tool(operation = Explain)]
fn r#loop() -> &'static str {
    "loop"
}

/// Has the name of a type, and another on the wire.
#[tool(operation = Explain, name = "listed.type")]
#[expect(non_snake_case, reason = "that is what is tested")]
fn Type() -> &'static str {
    "type"
}

mod deep {
    pub(super) mod deeper {
        use tool_core::tool;

        /// Is seen by its grandparent.
        #[tool(operation = Explain)]
        pub(in crate::hygiene::listed) fn seen() -> &'static str {
            "seen"
        }
    }
}

macro_rules! by_macro {
    ($($name:ident)*) => {$(
        /// Is written by a macro.
        #[tool(operation = Explain)]
        fn $name() -> &'static str {
            stringify!($name)
        }
    )*

    fn listed() -> Declared {
        tools![$($name),*]
    }
    };
}
by_macro!(one two);

/// A module in which names are shadowed.
mod taken {
    #![no_implicit_prelude]
    #![expect(dead_code, unused_macros, reason = "they are there to be in the way")]

    mod tool_core {}
    mod private {}
    macro_rules! tools {
        () => {};
    }
    struct Declared;
    fn declared() {}

    /// Has what it needs.
    #[::tool_core::tool(operation = Explain)]
    fn undisturbed() {}

    pub(super) const TOOLS: ::tool_core::Declared = ::tool_core::tools![self::undisturbed,];
}

/// Returns the tools of a function body.
fn bodies() -> Declared {
    /// Is seen by this body alone.
    #[tool(operation = Explain)]
    fn hidden() -> &'static str {
        "hidden"
    }
    tools![hidden]
}

const MOST: Declared = tools![
    r#loop,
    Type,
    deep::deeper::seen,
    hygiene_strict::strict_add,
    #[cfg(not(test))]
    nonsense::absent,
    #[cfg(test)]
    crate::hygiene::listed::deep::deeper::seen,
];

#[test]
fn lists_tools_by_any_path() {
    let registry = Registry::builder().tools(MOST).tools(bodies()).tools(listed()).tools(taken::TOOLS);
    let registry = registry.tools(hygiene_renamed::TOOLS).tools(hygiene_strict::TOOLS);
    let registry = registry.state(hygiene_renamed::Step(1)).state(hygiene_strict::SHOP).build().unwrap();
    assert_eq!(
        wire_names(&registry),
        [
            "handed_on(number)",
            "hidden()",
            "listed.type()",
            "loop()",
            "named_from_below(number)",
            "one()",
            "seen()",
            "step_handed_on(number)",
            "strict_add(first, second)",
            "strict_few(number)",
            "strict_inner()",
            "strict_number(more)",
            "strict_private()",
            "two()",
            "undisturbed()",
        ]
    );
    for name in ["hidden", "loop", "one", "seen", "two"] {
        assert_eq!(call(&registry, name, json!({})), name);
    }
    assert_eq!(
        [r#loop(), Type(), deep::deeper::seen(), one(), two()],
        ["loop", "type", "seen", "one", "two"]
    );
}

#[test]
fn registers_linked_and_listed_tools_once() {
    let registry = of(module_path!()).tools(MOST).tools(MOST).build().unwrap();
    assert_eq!(wire_names(&registry).iter().filter(|tool| *tool == "loop()").count(), 1);
}

#[test]
fn rejects_empty_lists_and_formats_names() {
    assert!(Registry::builder().tools(tools![]).build().is_err());
    assert_eq!(format!("{:?}", tools![r#loop, Type]), r#"["loop", "listed.type"]"#);
}
