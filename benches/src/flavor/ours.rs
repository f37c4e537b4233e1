//! `#[tool]` of this repository.

use crate::sample::{self, ARGUMENTS, Sample};

/// The state of a registry with full tools, and what its caller may do, as calls of its builder.
pub(crate) const FULL_STATE: &str = ".state(Store { metric: true })\
     .local(tool_core::Principal::local().grant(\"weather.view\"))";

/// What full tools name beside the registry: their state, and who may call them.
pub(crate) const FULL_ITEMS: &str = "struct Store {\n    metric: bool,\n}\n\n\
     fn may_ask(_: &Principal, city: &str) -> Access {\n\
     \x20   if city.is_empty() { Access::deny(\"no city\") } else { Access::Allow }\n}\n\n";

/// What they use of the core.
pub(crate) const FULL_NAMES: &str = "Access, Context, Principal, State, ToolError";

/// Inputs and nothing else.
pub(super) fn source(samples: &[Sample]) -> String {
    declared(samples) + &main(samples, "")
}

/// The declarations alone.
pub(crate) fn declared(samples: &[Sample]) -> String {
    let tools: String = samples.iter().copied().map(plain_tool).collect();
    uses(samples, "tool") + &tools
}

/// Injected state and context, limits, a default, an example, an optional input, a permission, a function that decides
/// about access, and a result with an error.
pub(super) fn full_source(samples: &[Sample]) -> String {
    let tools: String = samples.iter().copied().map(full_tool).collect();
    // Without tools there is nothing to be used.
    let (allow, names) = if samples.is_empty() {
        ("#![allow(dead_code)]\n\n", FULL_NAMES.replace("Context, ", "").replace(", State, ToolError", ""))
    } else {
        ("", format!("{FULL_NAMES}, tool"))
    };
    format!("{allow}use tool_core::{{{names}}};\n\n{FULL_ITEMS}{tools}{}", main(samples, FULL_STATE))
}

fn uses(samples: &[Sample], names: &str) -> String {
    // Without tools nothing but the registry is used.
    if samples.is_empty() { String::new() } else { format!("use tool_core::{{{names}}};\n\n") }
}

fn plain_tool(tool: Sample) -> String {
    let (description, keyword, name) = (tool.description(), tool.keyword(), tool.name());
    let (parameters, body) = (sample::described("    "), tool.body("    "));
    format!(
        "/// {description}\n\
         #[tool(operation = Read)]\n\
         {keyword} {name}(\n\
         {parameters}) -> String {{\n\
         {body}}}\n\n"
    )
}

fn full_tool(tool: Sample) -> String {
    let (description, keyword, name) = (tool.description(), tool.keyword(), tool.name());
    let [(city, _, city_text), (days, _, days_text), (metric, _, metric_text)] = sample::INPUTS;
    let body = tool.body("        ");
    format!(
        "/// {description}\n\
         #[tool(operation = Read, title = \"Method {name}\", open_world = false, permission = \"weather.view\", \
             access = may_ask(city), tags = [\"weather\"])]\n\
         {keyword} {name}(\n\
         \x20   #[inject] store: State<Store>,\n\
         \x20   #[inject] context: Context,\n\
         \x20   /// {city_text}\n\
         \x20   #[arg(example = \"Oslo\", length(min = 1, max = 64))]\n\
         \x20   {city}: String,\n\
         \x20   /// {days_text}\n\
         \x20   #[arg(default = 5, range(max = 16))]\n\
         \x20   {days}: u32,\n\
         \x20   /// {metric_text}\n\
         \x20   {metric}: Option<bool>,\n\
         ) -> Result<String, ToolError> {{\n\
         \x20   let metric = metric.unwrap_or(store.metric);\n\
         \x20   if context.is_cancelled() {{\n\
         \x20       return Err(ToolError::unavailable(\"nobody waits\"));\n\
         \x20   }}\n\
         \x20   Ok({{\n\
         {body}    }})\n\
         }}\n\n"
    )
}

/// A `main` that calls the tool in the middle through a registry of all that are linked.
pub(crate) fn main(samples: &[Sample], state: &str) -> String {
    let name = super::called_name(samples);
    let answer = format!(
        "runtime::block_on(Box::pin(async {{\n\
         \x20       let reply = registry.call_with({name:?}, br#\"{ARGUMENTS}\"#, &Default::default()).await;\n\
         \x20       reply.result.map(|output| output.value().as_str().unwrap().to_owned()).unwrap_or_default()\n\
         \x20   }}))"
    );
    format!(
        "fn main() {{\n\
         \x20   let registry = tool_core::Registry::builder().linked().allow_empty(){state}.build().unwrap();\n\
         \x20   let answer = {answer};\n\
         \x20   println!(\"{{}} {{answer}}\", registry.tools().len());\n\
         }}\n"
    )
}
