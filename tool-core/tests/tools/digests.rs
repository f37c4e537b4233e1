//! The digest of a tool covers everything that it promises.

use std::collections::BTreeMap;

use tool_core::{Access, Digest, Principal, Registry, Unmet};

fn yes(_: &Principal) -> Access {
    Access::Allow
}

fn configured() -> Result<(), Unmet> {
    Ok(())
}

macro_rules! tools {
    ($($module:ident: [$($attribute:tt)*] ($($input:tt)*) $(-> $output:ty)?;)*) => {
        $(mod $module {
            $($attribute)*
            fn same($($input)*) $(-> $output)? {
                $(<$output>::default())?
            }

        })*

        const MODULES: &[&str] = &[$(concat!("tools::digests::", stringify!($module))),*];
    };
}

tools! {
    plain: [#[tool_core::tool(operation = Read, description = "Says it.")]] (_id: String);
    title: [#[tool_core::tool(operation = Read, description = "Says it.", title = "It")]] (_id: String);
    description: [#[tool_core::tool(operation = Read, description = "Says it")]] (_id: String);
    operation: [#[tool_core::tool(operation = Explain, description = "Says it.")]] (_id: String);
    open_world: [#[tool_core::tool(operation = Read, description = "Says it.", open_world = false)]] (_id: String);
    trigger: [#[tool_core::tool(operation = Trigger, description = "Says it.", destructive = false)]] (_id: String);
    destructive: [#[tool_core::tool(operation = Trigger, description = "Says it.", destructive = true)]] (_id: String);
    idempotent: [#[tool_core::tool(operation = Trigger, description = "Says it.", destructive = false, idempotent = true)]] (_id: String);
    all: [#[tool_core::tool(operation = Read, description = "Says it.", permission = all("a", "b"))]] (_id: String);
    any: [#[tool_core::tool(operation = Read, description = "Says it.", permission = any("a", "b"))]] (_id: String);
    guarded: [#[tool_core::tool(operation = Read, description = "Says it.", access = super::yes())]] (_id: String);
    tags: [#[tool_core::tool(operation = Read, description = "Says it.", tags = ["a"])]] (_id: String);
    locator: [#[tool_core::tool(operation = Read, description = "Says it.")]] (#[arg(locator)] _id: String);
    path: [#[tool_core::tool(operation = Read, description = "Says it.", path = "it/{_id}")]] (#[arg(locator)] _id: String);
    alias: [#[tool_core::tool(operation = Read, description = "Says it.", alias = "it")]] (_id: String);
    deprecated: [#[tool_core::tool(operation = Read, description = "Says it.")] #[deprecated]] (_id: String);
    note: [#[tool_core::tool(operation = Read, description = "Says it.")] #[deprecated(note = "no")]] (_id: String);
    input: [#[tool_core::tool(operation = Read, description = "Says it.")]] (_id: u8);
    documented: [#[tool_core::tool(operation = Read, description = "Says it.")]] (/** Which. */ _id: String);
    output: [#[tool_core::tool(operation = Read, description = "Says it.")]] (_id: String) -> u8;
    text: [#[tool_core::tool(operation = Read, description = "Says it.")]] (_id: String) -> String;
    content: [#[tool_core::tool(operation = Read, description = "Says it.")]] (_id: String) -> Vec<tool_core::Content>;
    meta: [#[tool_core::tool(operation = Read, description = "Says it.", meta = serde_json::json!({"owner": "a"}))]] (_id: String);
    other_meta: [#[tool_core::tool(operation = Read, description = "Says it.", meta = serde_json::json!({"owner": "b"}))]] (_id: String);
    ui: [#[tool_core::tool(operation = Read, description = "Says it.", ui = tool_core::ui::Ui::new("<p>"))]] (_id: String);
    other_ui: [#[tool_core::tool(operation = Read, description = "Says it.", ui = tool_core::ui::Ui::new("<b>"))]] (_id: String);
    requires: [#[tool_core::tool(operation = Read, description = "Says it.", requires = [super::configured])]] (_id: String);
}

fn digest(module: &'static str) -> Digest {
    let builder = Registry::builder().linked().select(move |tool| tool.source().module == module);
    builder.build().unwrap().get("same").unwrap().digest()
}

#[test]
fn includes_every_option() {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for module in MODULES {
        let digest = digest(module);
        if let Some(other) = seen.insert(digest.to_string(), module) {
            panic!("{module} has the digest of {other}");
        }
    }
    assert_eq!(seen.len(), 27);
}

/// Says it.
#[tool_core::tool(operation = Read, name = "same", timeout = "5s", cache = "1m")]
async fn limited(_id: String) {}

#[test]
fn ignores_timeout_and_cache() {
    assert_eq!(digest(module_path!()), digest("tools::digests::plain"));
}
