//! The MCP surface of a tool, by operation and inputs, and the address of its result.

use tool_core::address::Surface;
use tool_core::{BuildError, Principal, Registry, adapter, tool};

use crate::{builder_of, tools_of};

macro_rules! tools {
    ($module:ident, $($option:tt)*) => {
        mod $module {
            use tool_core::{Context, tool};

            /// Takes nothing, but for what is injected.
            #[tool($($option)*)]
            fn nothing(#[inject] _context: Context) {}

            /// Takes what identifies something.
            #[tool($($option)*)]
            fn locators(#[arg(locator, rename = "on")] _day: String, #[arg(locator)] _hour: u8) {}

            /// Takes what identifies something, and something else.
            #[tool($($option)*)]
            fn both(#[arg(locator)] _day: String, _hour: u8) {}

            /// Takes something else.
            #[tool($($option)*)]
            fn others(_day: Option<String>) {}
        }
    };
}

tools!(explain, operation = Explain);
tools!(read, operation = Read);
tools!(transform, operation = Transform);
tools!(trigger, operation = Trigger, destructive = false);
tools!(write, operation = Write, destructive = false);

fn surface(registry: &Registry, tool: &str) -> String {
    let surface = Surface::of(registry.get(tool).unwrap());
    let address = surface.address().map(ToString::to_string).unwrap_or_default();
    match surface {
        Surface::Tool => "tool".to_owned(),
        Surface::Resource(_) => format!("resource {address}"),
        Surface::ResourceTemplate(_) => format!("template {address}"),
    }
}

#[test]
fn derives_the_surface_from_operation_and_inputs() {
    for (operation, inputs, expected) in [
        ("explain", "nothing", "resource nothing"),
        ("explain", "locators", "template locators/{on}/{_hour}"),
        ("explain", "both", "tool"),
        ("explain", "others", "tool"),
        ("read", "nothing", "resource nothing"),
        ("read", "locators", "template locators/{on}/{_hour}"),
        ("read", "both", "tool"),
        ("read", "others", "tool"),
        ("transform", "nothing", "tool"),
        ("transform", "locators", "tool"),
        ("transform", "both", "tool"),
        ("transform", "others", "tool"),
        ("trigger", "nothing", "tool"),
        ("trigger", "locators", "tool"),
        ("trigger", "both", "tool"),
        ("trigger", "others", "tool"),
        ("write", "nothing", "tool"),
        ("write", "locators", "tool"),
        ("write", "both", "tool"),
        ("write", "others", "tool"),
    ] {
        let module = format!("tools::surfaces::{operation}");
        let builder = Registry::builder().linked().select(move |tool| tool.source().module == module);
        assert_eq!(surface(&builder.build().unwrap(), inputs), expected, "{operation} with {inputs}");
    }
}

mod paths {
    use tool_core::tool;

    /// A node as it was.
    #[tool(operation = Read, path = "node/{id}/revision/{vid}")]
    fn revision(#[arg(locator)] vid: u32, #[arg(locator, rename = "id")] node: String) -> String {
        format!("{node}/{vid}")
    }

    /// The node that was written last.
    #[tool(operation = Explain, path = "node/latest/revision/latest")]
    fn latest() {}
}

#[test]
fn uses_declared_paths_as_addresses() {
    let registry = tools_of("tools::surfaces::paths");
    assert_eq!(surface(&registry, "revision"), "template node/{id}/revision/{vid}");
    assert_eq!(surface(&registry, "latest"), "resource node/latest/revision/latest");
    assert_eq!(registry.check(), Ok(()), "an exact address goes before a template");
}

mod overlapping {
    use tool_core::tool;

    /// A page by its number.
    #[tool(operation = Read, path = "page/{number}")]
    fn by_number(#[arg(locator)] number: u32) -> u32 {
        number
    }

    /// A page by its name.
    #[tool(operation = Read, path = "page/{name}")]
    fn by_name(#[arg(locator)] name: String) -> String {
        name
    }

    /// The first page.
    #[tool(operation = Read, path = "page/first")]
    fn first() {}

    /// The first page again.
    #[tool(operation = Explain, path = "page/first")]
    fn the_first() {}

    /// A page of any kind.
    #[tool(operation = Read, path = "{kind}/{number}")]
    fn of_kind(#[arg(locator)] kind: String, #[arg(locator)] number: u32) -> String {
        format!("{kind}/{number}")
    }

    /// Has an address of its own.
    #[tool(operation = Read)]
    fn page(#[arg(locator)] _a: u8, #[arg(locator)] _b: u8) {}
}

#[test]
fn rejects_overlapping_addresses() {
    let errors = builder_of("tools::surfaces::overlapping").build().unwrap_err();
    let here = file!();
    let described = |address: &str, tool: &str, line: u32| {
        format!("`{address}` of `{tool}`, {here}:{line}, module tools::surfaces::overlapping")
    };
    let line = |tool: &str| {
        let declaration = format!("    fn {tool}(");
        let position = include_str!("surfaces.rs").lines().position(|line| line.starts_with(&declaration));
        u32::try_from(position.unwrap() + 1).unwrap()
    };
    let pair = |(first, of_first): (&str, &str), (second, of_second): (&str, &str)| BuildError::Address {
        first: described(first, of_first, line(of_first)),
        second: described(second, of_second, line(of_second)),
    };
    let (name, number, kind) =
        (("page/{name}", "by_name"), ("page/{number}", "by_number"), ("{kind}/{number}", "of_kind"));
    assert_eq!(
        errors.iter().cloned().collect::<Vec<_>>(),
        [
            pair(name, number),
            pair(name, kind),
            pair(number, kind),
            pair(("page/first", "first"), ("page/first", "the_first")),
        ]
    );
    assert!(errors.to_string().starts_with("the addresses of two tools overlap\n  first:  `page/{name}` of"));
}

/// Has an address that an adapter reserves.
#[tool(operation = Read, path = "tool/{name}")]
fn reserved(#[arg(locator)] name: String) -> String {
    name
}

/// Has a variable with a reserved name.
#[tool(operation = Read, path = "{tool}")]
fn unreserved(#[arg(locator)] tool: String) -> String {
    tool
}

#[test]
fn reserves_segments_for_adapters() {
    let registry = tools_of(module_path!());
    assert_eq!(adapter::check_addresses(&registry, &["tools", "unreserved"]), Ok(()));
    let errors = adapter::check_addresses(&registry, &["tools", "tool"]).unwrap_err();
    let text = errors.to_string();
    assert!(
        text.starts_with("tool `reserved` lives at `tool/{name}`, and `tool` is reserved\n  declared: "),
        "{text}"
    );
    assert_eq!(errors.iter().count(), 1);
}

mod hidden {
    use tool_core::tool;

    /// Is the first page, for some.
    #[tool(operation = Read, path = "page/front", permission = "front.view")]
    fn front() {}

    /// Is any page.
    #[tool(operation = Read, path = "page/{id}")]
    fn any_page(#[arg(locator)] id: String) -> String {
        id
    }
}

#[test]
fn a_hidden_tool_hides_no_address() {
    let registry = builder_of("tools::surfaces::hidden").hide_denied().build().unwrap();
    let at = |registry: &Registry, path: &str| {
        adapter::tool_at(registry, path).map(|(tool, _)| tool.name().to_owned())
    };
    let editor = registry.as_principal(Principal::new("ada").grant("front.view"));
    assert_eq!(at(&editor, "page/front").as_deref(), Some("front"));
    assert_eq!(at(&registry, "page/front").as_deref(), Some("any_page"));
    assert_eq!(at(&registry, "page"), None);
}
