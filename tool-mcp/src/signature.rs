//! The signature of a tool in one line.

use std::fmt::Write as _;

use tool_core::ToolDefinition;
use tool_core::schema::NativeSchema;

/// Returns a signature such as `get_weather(location: string, date: string = "2014-07-04") -> Observation`. An optional input
/// without a default is marked `?`.
pub(crate) fn signature(tool: &ToolDefinition) -> String {
    let mut text = format!("{}(", tool.name());
    for (position, input) in tool.inputs().iter().enumerate() {
        let comma = if position == 0 { "" } else { ", " };
        let optional = if input.required == Some(false) && shown_default(input).is_none() { "?" } else { "" };
        let name = input.name.as_deref().unwrap_or_default();
        let _ = write!(text, "{comma}{name}{optional}: {}", type_name(input));
        if let Some(default) = shown_default(input) {
            let _ = write!(text, " = {default}");
        }
    }
    let _ = write!(text, ") -> {}", returned(tool));
    text
}

/// Returns the default of an input, unless the input is secret.
pub(crate) fn shown_default(input: &NativeSchema) -> Option<&serde_json::Value> {
    input.default.as_ref().filter(|_| !input.secret)
}

/// Returns the type of a value in a few words: `string`, `list[integer]`, `map[string, number]`.
pub(crate) fn type_name(native: &NativeSchema) -> String {
    let items = native.items.as_deref().map(type_name);
    match (native.kind, items) {
        ("list", Some(items)) => format!("list[{items}]"),
        ("map", Some(items)) if native.properties.is_empty() => format!("map[string, {items}]"),
        ("union", _) => {
            let mut variants: Vec<String> = native.variants.iter().map(type_name).collect();
            variants.dedup();
            variants.join(" | ")
        }
        (kind, _) => kind.to_owned(),
    }
}

/// Returns the output type: the name of a type of the application, else [`type_name`]; `content` without a schema.
fn returned(tool: &ToolDefinition) -> String {
    let Some(native) = tool.outputs() else { return "content".to_owned() };
    tool.output_type().and_then(|name| named(name, native)).unwrap_or_else(|| type_name(native))
}

/// Returns the name of a type of the application, or of a collection of such; `None` for other types.
fn named(name: &str, native: &NativeSchema) -> Option<String> {
    // schemars names collections of the standard library by their items.
    for (prefix, open, close) in
        [("Array_of_", "list[", "]"), ("Set_of_", "list[", "]"), ("Map_of_", "map[string, ", "]")]
    {
        if let Some(inner) = name.strip_prefix(prefix) {
            let inner = named(inner, native.items.as_deref()?)?;
            return Some(format!("{open}{inner}{close}"));
        }
    }
    let is_own = name.starts_with(|c: char| c.is_uppercase())
        && matches!(native.kind, "map" | "union" | "list")
        && !["Nullable_", "Tuple_", "Either_"].iter().any(|prefix| name.starts_with(prefix));
    is_own.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use tool_core::{Registry, ToolDefinition, tool};

    use super::*;

    #[derive(Serialize, schemars::JsonSchema)]
    struct Parcel {
        grams: u32,
    }

    /// Packs.
    #[tool(operation = Transform)]
    fn pack(
        /// What.
        things: Vec<String>,
        /// How tightly.
        #[arg(default = "well")]
        how: String,
        /// At most.
        limit: Option<u32>,
        /// To open it.
        #[arg(secret)]
        code: String,
    ) -> Parcel {
        Parcel { grams: (things.len() + how.len() + code.len()) as u32 + limit.unwrap_or(0) }
    }

    /// Packs all.
    #[tool(operation = Transform)]
    fn pack_all() -> Vec<Parcel> {
        Vec::new()
    }

    /// Weighs.
    #[tool(operation = Transform)]
    fn weigh(
        /** What. */
        by_name: std::collections::BTreeMap<String, f64>,
    ) -> f64 {
        by_name.values().sum()
    }

    /// Says.
    #[tool(operation = Explain)]
    fn say() -> String {
        String::new()
    }

    #[test]
    fn renders_signatures() {
        let here = |tool: &ToolDefinition| tool.source().module == module_path!();
        let registry = Registry::builder().linked().select(here).build().unwrap();
        assert_eq!(
            registry.tools().map(signature).collect::<Vec<_>>(),
            [
                r#"pack(things: list[string], how: string = "well", limit?: integer, code: string) -> Parcel"#,
                "pack_all() -> list[Parcel]",
                "say() -> content",
                "weigh(by_name: map[string, number]) -> number",
            ]
        );
    }
}
