//! Missing preludes and shadowed names.

use serde_json::json;
use tool_core::Principal;

use super::{call, error_message, of, wire_names};

/// Uses only imported names and paths that begin with `::`.
mod no_prelude {
    #![no_implicit_prelude]

    use ::tool_core::tool;

    /// Whether there is a text.
    #[tool(operation = Transform)]
    pub(super) fn given(
        text: ::std::option::Option<::std::string::String>,
        #[arg(default, example = true)] or: bool,
    ) -> bool {
        text.is_some() || or
    }

    /// Waits for a while, which is none.
    #[tool(operation = Trigger, destructive = true, idempotent = true, title = "Wait")]
    pub(super) async fn wait(
        #[inject] context: ::tool_core::Context,
        #[arg(default = 3)] times: u8,
    ) -> ::std::result::Result<::std::string::String, ::std::string::String> {
        let _ = context;
        ::std::result::Result::Ok(::std::string::ToString::to_string(&times))
    }

    /// Blocks.
    #[tool(operation = Explain, blocking)]
    pub(super) fn block() {}

    fn may_read(_: &::tool_core::Principal, id: &::core::primitive::str) -> ::tool_core::Access {
        if id.is_empty() { ::tool_core::Access::deny("it is empty") } else { ::tool_core::Access::Allow }
    }

    fn is_met() -> ::std::result::Result<(), ::tool_core::Unmet> {
        ::std::result::Result::Ok(())
    }

    fn proposed(_: &str) -> ::std::vec::Vec<::std::string::String> {
        ::std::vec::Vec::new()
    }

    const MOST: usize = 9;

    /// Says what can be said.
    #[tool(
        operation = Read,
        permission = "no.prelude",
        access = may_read(id),
        requires = [is_met],
        tags = ["prelude"],
        path = "given/{id}",
        timeout = "1s",
        cache = "1s",
        alias = "old_options"
    )]
    #[deprecated(since = "1.0.0", note = "nothing")]
    pub(super) async fn options(
        #[arg(locator, complete = proposed, length(max = MOST), pattern = "^[a-z]*$")]
        id: ::std::string::String,
    ) -> ::std::string::String {
        id
    }
}

/// A module that shadows every name that generated code might use.
#[expect(dead_code, unused_macros, non_camel_case_types, reason = "they are there to be in the way")]
mod taken {
    use ::tool_core::tool;

    macro_rules! taken {
        ($($name:ident)*) => {$(
            pub(super) struct $name;
        )*};
    }
    taken!(None Some Ok Err Box String Vec Option Result Fn FnOnce Send Sync Pin Default Into From Clone Iterator);
    taken!(In Injected Declaration Registered Operation Shape Context State Tool Registry Transform Read Write);
    taken!(u8 i64 bool str Bound Limit Access Guard Principal Requiring Completing Schema);

    macro_rules! concat {
        () => {
            compile_error!("not this one")
        };
    }
    macro_rules! module_path {
        () => {
            compile_error!("not this one")
        };
    }
    macro_rules! register {
        () => {
            compile_error!("not this one")
        };
    }
    macro_rules! submit {
        () => {
            compile_error!("not this one")
        };
    }

    mod core {}
    mod std {}
    mod tool_core {}
    mod inventory {}
    mod private {}
    mod op {}

    fn drop() {}
    fn input() {}
    fn injected() {}
    fn json() {}
    fn defaulted() {}
    fn run_sync() {}
    fn run_sync_guarded() {}
    fn access() {}
    fn locator() {}
    fn schema() {}

    static __INPUTS: () = ();
    static __TOOL: () = ();

    trait Extension {
        fn split(&self) {}
        fn value(&self) {}
        fn error(&self) {}
        fn default(&self) {}
        fn examples(&self) {}
        fn title(&self) {}
        fn by(&self) {}
        fn bound(&self) {}
        fn count(&self) {}
        fn range(&self) {}
        fn guarded(&self) {}
        fn secret(&self) {}
        fn deref(&self) {}
    }
    impl<T: ?Sized> Extension for T {}

    type Text = ::std::string::String;

    /// Names are of no importance.
    #[doc = ::core::concat!("They are ", "texts.")]
    #[tool(operation = Transform, destructive = false, idempotent = true, open_world = false, title = "T")]
    pub(super) fn shadowed(
        /// A number,
        #[doc = ::core::concat!("or ", "none.")]
        #[arg(default = 1, example = 2)]
        number: ::core::primitive::i64,
        #[arg(default)] other: ::core::primitive::i64,
        text: ::core::option::Option<Text>,
    ) -> ::core::result::Result<::core::primitive::i64, Text> {
        text.map_or(::core::result::Result::Ok(number + other), ::core::result::Result::Err)
    }

    fn may_compute(_: &::tool_core::Principal, number: &::core::primitive::u8) -> ::tool_core::Access {
        if *number == 0 { ::tool_core::Access::deny("it is nothing") } else { ::tool_core::Access::Allow }
    }

    fn is_met() -> ::core::result::Result<(), ::tool_core::Unmet> {
        ::core::result::Result::Ok(())
    }

    const MOST: ::core::primitive::u16 = 300;

    /// Says what can be said.
    #[tool(
        operation = Transform,
        permission = any("a", "b"),
        access = may_compute(number),
        requires = [is_met],
        tags = ["taken"],
        alias = "old_options"
    )]
    #[deprecated = "nothing"]
    pub(super) fn options(
        #[arg(range(min = 0, max = MOST), header = "Number")] number: ::core::primitive::u8,
        #[arg(secret, length(max = 9))] _text: ::core::option::Option<Text>,
    ) -> ::core::primitive::u8 {
        number
    }

    /// The word `run`.
    #[tool(operation = Explain)]
    pub(super) async fn run(#[inject] _context: ::tool_core::Context) -> Text {
        ::std::borrow::ToOwned::to_owned("run")
    }
}

/// A `Result` of this module.
mod alias {
    use tool_core::{ToolError, tool};

    type Result<T> = ::core::result::Result<T, ToolError>;

    /// Half of it.
    #[tool(operation = Transform)]
    pub(super) fn half(number: u32) -> Result<u32> {
        if number.is_multiple_of(2) { Ok(number / 2) } else { Err(ToolError::conflict("it is odd")) }
    }
}

#[test]
fn compiles_without_the_prelude() {
    let registry = of("house::hygiene::shadowed::no_prelude").build().unwrap();
    assert_eq!(wire_names(&registry), ["block()", "given(text, or)", "options(id)", "wait(times)"]);
    registry.check().unwrap();
    assert_eq!(call(&registry, "given", json!({"text": "a"})), true);
    assert!(no_prelude::given(Some("a".to_owned()), false));
    assert_eq!(call(&registry, "wait", json!({})), "3");
    assert_eq!(call(&registry, "block", json!({})), json!(null));
    no_prelude::block();
    let ada = registry.as_principal(Principal::new("ada").grant("no.prelude"));
    assert_eq!(call(&ada, "old_options", json!({"id": "a"})), "a");
    assert_eq!(error_message(&ada, "options", json!({"id": ""})), "it is empty");
}

#[test]
fn compiles_with_shadowed_names() {
    let registry = of("house::hygiene::shadowed::taken").build().unwrap();
    assert_eq!(wire_names(&registry), ["options(number, _text)", "run()", "shadowed(number, other, text)"]);
    registry.check().unwrap();
    let tool = registry.get("shadowed").unwrap();
    assert_eq!(tool.description(), "Names are of no importance.\nThey are texts.");
    assert_eq!(tool.inputs()[0].description.as_deref(), Some("A number,\nor none."));
    assert_eq!(call(&registry, "shadowed", json!({"other": 4})), 5);
    assert_eq!(taken::shadowed(1, 4, None), Ok(5));
    assert_eq!(call(&registry, "run", json!({})), "run");
    let ada = registry.as_principal(Principal::new("ada").grant("b"));
    assert_eq!(call(&ada, "old_options", json!({"number": 1})), 1);
    assert_eq!(error_message(&ada, "options", json!({"number": 0})), "it is nothing");
}

#[test]
fn recognizes_a_return_type_by_its_shape() {
    let registry = of("house::hygiene::shadowed::alias").build().unwrap();
    assert_eq!(call(&registry, "half", json!({"number": 4})), 2);
    assert_eq!(alias::half(4).unwrap(), 2);
    assert_eq!(error_message(&registry, "half", json!({"number": 3})), "it is odd");
}
