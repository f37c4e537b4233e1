//! Methods that are tools.

use serde_json::json;
use tool_core::{RegistryBuilder, tool, tools};

use super::{call, of, wire_names};

/// Returns the tools of this module with their state.
fn ours() -> RegistryBuilder {
    let keyword = r#type { text: "keyword".to_owned() };
    of(module_path!())
        .state(keyword)
        .state(ViaMacro(1))
        .state(Other(2))
        .state(body::Local(3))
        .state(Wrapped(4_u8))
}

/// Has names that are keywords.
#[expect(non_camel_case_types, reason = "that is what is tested")]
struct r#type {
    text: String,
}

#[tool]
#[cfg(test)]
impl r#type {
    #![expect(clippy::unused_self, reason = "inner attributes stay")]

    /// Has the name of a keyword.
    #[tool(operation = Read)]
    fn r#match(&self, r#fn: Option<String>) -> String {
        [&*self.text, r#fn.as_deref().unwrap_or_default()].concat()
    }

    /// Is known at compile time.
    #[must_use]
    #[tool(operation = Transform)]
    #[inline(always)]
    const fn twice(number: u32) -> u32 {
        2 * number
    }

    /// Is compiled.
    #[cfg(not(any()))]
    #[tool(operation = Explain)]
    #[deprecated]
    fn compiled(&self) -> bool {
        true
    }

    /// Is not compiled.
    #[tool(operation = Explain)]
    #[cfg(any())]
    fn absent(&self, nonsense: Nonsense) -> Nonsense {}

    fn is_no_tool(&self) -> usize {
        self.text.len()
    }
}

/// Is not compiled.
#[tool]
#[cfg(any())]
impl Nonsense {
    /// Is not compiled either.
    #[tool(operation = Explain)]
    fn absent(&self) {}
}

/// A second block of one type.
#[tool]
impl r#type {
    /// Has the names that generated code has.
    #[tool(operation = Read)]
    async fn names(&self, __arg0: u8, __arg1: u8, __call: u8, this: u8) -> Vec<u8> {
        vec![__arg0, __arg1, __call, this]
    }
}

macro_rules! by_macro {
    ($type:ident $other:ty, $name:ident, $self:ident, $default:expr) => {
        #[derive(Debug)]
        struct $type(u32);

        #[tool]
        impl $type {
            /// Is written by a macro.
            #[tool(operation = Read)]
            fn $name(&$self, #[arg(default = $default)] number: u32) -> u32 {
                $self.0 + number
            }
        }

        #[tool]
        impl $other {
            /// Is written for a type that was handed over.
            #[tool(operation = Read)]
            fn of_other(&self) -> u32 {
                self.0
            }
        }
    };
}
struct Other(u32);
by_macro!(ViaMacro Other, via_macro, self, Self(5).0);

/// Uses only imported names and paths that begin with `::`.
mod no_prelude {
    #![no_implicit_prelude]
    #![expect(dead_code, non_camel_case_types, reason = "they are there to be in the way")]

    struct Shop;
    struct Declaration;
    struct Step;
    struct Call;
    struct Owner;
    struct str;
    struct bool;

    #[::tool_core::tool]
    impl Shop {
        /// Has what it needs.
        #[::tool_core::tool(operation = Explain)]
        fn undisturbed() {}
    }
}

/// Blocks in a body.
mod body {
    use tool_core::{Registry, RegistryBuilder, tool, tools};

    pub(super) struct Local(pub(super) u32);

    pub(super) fn builder() -> RegistryBuilder {
        struct Inner;

        #[tool]
        impl Inner {
            /// Is in a body, as its type is.
            #[tool(operation = Explain)]
            fn inside() -> &'static str {
                "inside"
            }
        }

        // An `impl` of what stands outside is the author's to allow, with or without `#[tool]`.
        #[allow(non_local_definitions)]
        #[tool]
        impl Local {
            /// Is in a body, and its type is not.
            #[tool(operation = Read)]
            fn outside(&self) -> u32 {
                self.0
            }
        }
        Registry::builder().tools(tools![Inner::inside, Local::outside]).state(Local(7))
    }
}

struct Wrapped<T>(T);

#[tool]
impl Wrapped<u8> {
    /// Is one of two of its name.
    #[tool(operation = Read, name = "wrapped.number")]
    fn wrapped(&self) -> u8 {
        self.0
    }
}

#[tool]
impl Wrapped<&'static str> {
    /// Is one of two of its name.
    #[tool(operation = Explain, name = "wrapped.text")]
    fn wrapped(text: String) -> String {
        text
    }
}

#[test]
fn registers_methods_that_are_compiled() {
    let registry = ours().build().unwrap();
    assert_eq!(
        wire_names(&registry),
        [
            "compiled()",
            "inside()",
            "match(fn)",
            "names(__arg0, __arg1, __call, this)",
            "of_other()",
            "outside()",
            "twice(number)",
            "undisturbed()",
            "via_macro(number)",
            "wrapped.number()",
            "wrapped.text(text)",
        ]
    );
    registry.check().unwrap();
    for (name, arguments, expected) in [
        ("match", json!({"fn": "s"}), json!("keywords")),
        ("twice", json!({"number": 2}), json!(4)),
        ("names", json!({"__arg0": 1, "__arg1": 2, "__call": 3, "this": 4}), json!([1, 2, 3, 4])),
        ("via_macro", json!({}), json!(6)),
        ("of_other", json!({}), json!(2)),
        ("inside", json!({}), json!("inside")),
        ("outside", json!({}), json!(3)),
        ("wrapped.number", json!({}), json!(4)),
        ("wrapped.text", json!({"text": "a"}), json!("a")),
    ] {
        assert_eq!(call(&registry, name, arguments), expected, "{name}");
    }
}

#[test]
fn lists_methods_like_functions() {
    let listed =
        tools![r#type::r#match, crate::hygiene::methods::ViaMacro::via_macro, Wrapped::<u8>::wrapped];
    let registry = ours().tools(listed).build().unwrap();
    assert_eq!(registry.tools().len(), 11);
    let registry = body::builder().build().unwrap();
    assert_eq!(wire_names(&registry), ["inside()", "outside()"]);
    assert_eq!(call(&registry, "outside", json!({})), 7);
}

#[test]
#[expect(deprecated, reason = "a deprecated tool is still a method")]
fn keeps_methods_callable() {
    let keyword = r#type { text: "a".to_owned() };
    assert_eq!((keyword.r#match(None), r#type::twice(2), keyword.compiled()), ("a".to_owned(), 4, true));
    assert_eq!(keyword.is_no_tool(), 1);
    assert_eq!((ViaMacro(1).via_macro(2), Wrapped(1_u8).wrapped()), (3, 1));
}
