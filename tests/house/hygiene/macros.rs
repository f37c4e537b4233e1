//! Tools that are declared by other macros.

use serde_json::json;
use tool_core::{Access, Principal, tool};

use super::{call, error_message, of, wire_names};

/// Types alone.
macro_rules! typed {
    ($name:ident($parameter:ident: $kind:ty = $default:expr) -> $returned:ty = $convert:expr) => {
        /// Takes a type, and returns one.
        #[tool(operation = Transform)]
        fn $name(#[arg(default = $default)] $parameter: $kind) -> $returned {
            $convert($parameter)
        }
    };
}

typed!(typed_number(number: u32 = 2 + 3) -> u64 = u64::from);
typed!(typed_option(text: Option<String> = Some(String::from("none"))) -> Option<String> = std::convert::identity);
typed!(typed_result(number: u8 = 7) -> Result<u8, std::fmt::Error> = Ok);

/// Everything.
macro_rules! declared {
    (
        $doc:literal $wire:literal $operation:ident $destructive:literal $title:expr;
        $vis:vis $name:ident($($(#[$attribute:meta])* $parameter:ident: $kind:ty),*) -> $returned:ty $body:block
    ) => {
        #[doc = $doc]
        #[tool(operation = $operation, destructive = $destructive, name = $wire, title = $title)]
        $vis fn $name($($(#[$attribute])* $parameter: $kind),*) -> $returned $body
    };
}

declared! {
    "Is written by a macro." "macros.declared" Write true "By a macro";
    pub(super) declared(
        /// The text.
        text: String,
        #[arg(default = 2, example = 3)] times: usize
    ) -> String {
        text.repeat(times)
    }
}

declared! {
    "Is written by a macro, too." "macros.private" Trigger false "Also by a macro";
    private() -> () {}
}

/// An expression where a doc comment is a text.
macro_rules! described {
    ($name:ident, $doc:expr, $crate_path:path) => {
        #[doc = $doc]
        #[tool(operation = Explain, crate = $crate_path)]
        fn $name(#[doc = $doc] _input: Option<u8>) {}
    };
}

described!(described_by_a_literal, "Says little.", ::tool_core);
described!(described_by_an_expression, concat!("Says ", "little."), tool_core);

/// The item as a whole.
macro_rules! whole {
    ($item:item) => {
        #[tool(operation = Transform)]
        $item
    };
}

whole! {
    /// Comes as one item.
    fn whole(number: u8) -> u8 {
        number
    }
}

/// Every option, of what a macro was given.
macro_rules! optional {
    (
        $name:ident($parameter:ident: $kind:ty) $permission:expr, $access:path, [$($requires:path),*],
        [$($tag:literal),*], $path:literal, $time:literal, $alias:literal, $complete:path, $least:literal, $most:expr,
        $pattern:literal, $header:literal, $note:literal
    ) => {
        /// Takes its options from elsewhere.
        #[tool(
            operation = Read,
            permission = $permission,
            access = $access($parameter),
            requires = [$($requires),*],
            tags = [$($tag),*],
            path = $path,
            timeout = $time,
            cache = $time,
            alias = $alias,
            blocking
        )]
        #[deprecated(note = $note)]
        fn $name(
            #[arg(
                locator,
                complete = $complete,
                length(min = $least, max = $most),
                pattern = $pattern,
                header = $header
            )]
            $parameter: $kind,
        ) -> $kind {
            $parameter
        }
    };
}

fn may_read(_: &Principal, id: &str) -> Access {
    if id == "no" { Access::deny("no") } else { Access::Allow }
}

mod rules {
    use tool_core::Unmet;

    pub(super) fn is_met() -> Result<(), Unmet> {
        Ok(())
    }

    pub(super) fn ids(_: &str) -> Vec<String> {
        Vec::new()
    }
}

const MOST: usize = 9;

optional! {
    optional(id: String) all("a", "b"), may_read, [rules::is_met], ["one", "two"], "optional/{id}", "1m", "old_optional",
    rules::ids, 1, MOST, "^[a-z]+$", "Id", "take another"
}

/// Limits of what a macro was given.
macro_rules! limited {
    ($name:ident($kind:ty: $least:literal, $most:expr)) => {
        /// Takes its limits from elsewhere.
        #[tool(operation = Transform)]
        fn $name(#[arg(range(min = $least, max = $most))] number: $kind) -> $kind {
            number
        }
    };
}

limited!(limited_integer(i8: -1, 2 + 3));
limited!(limited_number(f64: 0.5, -(-1.5)));
limited!(limited_constant(u8: 1, u8::MAX));

/// Names of the macro's own.
macro_rules! own_names {
    () => {
        /// Nothing of it was written by a user.
        #[tool(operation = Transform)]
        fn own(number: u8, __arg0: u8) -> u8 {
            number - __arg0
        }
    };
}

own_names!();

#[test]
fn accepts_parts_from_macros() {
    let registry = of(module_path!()).build().unwrap();
    assert_eq!(
        wire_names(&registry),
        [
            "described_by_a_literal(_input)",
            "described_by_an_expression(_input)",
            "limited_constant(number)",
            "limited_integer(number)",
            "limited_number(number)",
            "macros.declared(text, times)",
            "macros.private()",
            "optional(id)",
            "own(number, __arg0)",
            "typed_number(number)",
            "typed_option(text)",
            "typed_result(number)",
            "whole(number)",
        ]
    );
    registry.check().unwrap();
    let tool = registry.get("macros.declared").unwrap();
    assert_eq!((tool.title(), tool.description()), (Some("By a macro"), "Is written by a macro."));
    assert!(tool.destructive() && !registry.get("macros.private").unwrap().destructive());
    assert_eq!(tool.inputs()[0].description.as_deref(), Some("The text."));
    for name in ["described_by_a_literal", "described_by_an_expression"] {
        let tool = registry.get(name).unwrap();
        assert_eq!(tool.description(), "Says little.", "{name}");
        assert_eq!(tool.inputs()[0].description.as_deref(), Some("Says little."), "{name}");
    }
}

#[test]
fn calls_tools_from_macros() {
    let registry = of(module_path!()).build().unwrap();
    assert_eq!(call(&registry, "typed_number", json!({})), 5);
    assert_eq!(typed_number(5), 5);
    assert_eq!(call(&registry, "typed_option", json!({})), "none");
    assert_eq!(typed_option(None), None);
    assert_eq!(call(&registry, "typed_result", json!({"number": 1})), 1);
    assert_eq!(typed_result(1), Ok(1));
    assert_eq!(call(&registry, "macros.declared", json!({"text": "ab"})), "abab");
    assert_eq!(declared("ab".to_owned(), 2), "abab");
    assert_eq!(call(&registry, "macros.private", json!({})), json!(null));
    private();
    described_by_a_literal(None);
    described_by_an_expression(None);
    let ada = registry.as_principal(Principal::new("ada").grant("a").grant("b"));
    assert_eq!(call(&ada, "old_optional", json!({"id": "a"})), "a");
    assert_eq!(error_message(&ada, "optional", json!({"id": "no"})), "no");
    for id in ["", "abcdefghij", "A"] {
        assert!(error_message(&ada, "optional", json!({"id": id})).contains("invalid"), "{id}");
    }
    let deprecated = registry.get("optional").unwrap().deprecated().unwrap();
    assert_eq!(deprecated.note, Some("take another"));
    for (name, fits, exceeds) in
        [("limited_integer", 5.0, 6), ("limited_number", 1.5, 2), ("limited_constant", 255.0, 0)]
    {
        assert_eq!(call(&registry, name, json!({"number": fits})).as_f64(), Some(fits), "{name}");
        assert!(error_message(&registry, name, json!({"number": exceeds})).contains("invalid"), "{name}");
    }
    assert_eq!(call(&registry, "whole", json!({"number": 1})), 1);
    assert_eq!(whole(1), 1);
    assert_eq!(call(&registry, "own", json!({"number": 3, "__arg0": 1})), 2);
    assert_eq!(own(3, 1), 2);
}
