//! What one writes by hand: a struct with derives a tool, and a table of closures.

use crate::sample::{self, ARGUMENTS, Sample};

const TYPES: &str = r"
use std::collections::HashMap;
use std::pin::Pin;

type Answer = Pin<Box<dyn Future<Output = Result<String, serde_json::Error>> + Send>>;

struct Tool {
    name: &'static str,
    description: &'static str,
    schema: fn() -> schemars::Schema,
    call: fn(&str) -> Answer,
}

";

pub(super) fn source(samples: &[Sample]) -> String {
    let structs: String = samples.iter().copied().map(arguments).collect();
    let functions: String = samples.iter().copied().map(super::plain::function).collect();
    let rows: String = samples.iter().copied().map(row).collect();
    let uses = match samples {
        [] => "",
        _ => "use schemars::JsonSchema;\nuse serde::Deserialize;\n",
    };
    format!("{uses}{TYPES}{structs}{functions}static TOOLS: &[Tool] = &[\n{rows}];\n\n{}", main(samples))
}

fn arguments(tool: Sample) -> String {
    let (name, fields) = (tool.arguments(), sample::described("    "));
    format!(
        "#[derive(Deserialize, JsonSchema)]\n#[serde(deny_unknown_fields)]\nstruct {name} {{\n{fields}}}\n\n"
    )
}

fn row(tool: Sample) -> String {
    let (name, description, arguments) = (tool.name(), tool.description(), tool.arguments());
    let values = sample::INPUTS.map(|(name, _, _)| format!("given.{name}")).join(", ");
    let wait = if tool.is_async() { ".await" } else { "" };
    format!(
        "\x20   Tool {{\n\
         \x20       name: {name:?},\n\
         \x20       description: {description:?},\n\
         \x20       schema: || schemars::schema_for!({arguments}),\n\
         \x20       call: |arguments| {{\n\
         \x20           let given = serde_json::from_str::<{arguments}>(arguments);\n\
         \x20           Box::pin(async move {{\n\
         \x20               let given = given?;\n\
         \x20               Ok({name}({values}){wait})\n\
         \x20           }})\n\
         \x20       }},\n\
         \x20   }},\n"
    )
}

fn main(samples: &[Sample]) -> String {
    let name = super::called_name(samples);
    let answer = format!(
        "runtime::block_on(Box::pin(async {{\n\
         \x20       match tools.get({name:?}) {{\n\
         \x20           Some(tool) => (tool.call)(r#\"{ARGUMENTS}\"#).await.unwrap(),\n\
         \x20           None => String::new(),\n\
         \x20       }}\n\
         \x20   }}))"
    );
    format!(
        "fn main() {{\n\
         \x20   let tools: HashMap<_, _> = TOOLS.iter().map(|tool| (tool.name, tool)).collect();\n\
         \x20   for tool in TOOLS {{\n\
         \x20       std::hint::black_box((tool.description, tool.schema, tool.call));\n\
         \x20   }}\n\
         \x20   let answer = {answer};\n\
         \x20   println!(\"{{}} {{answer}}\", tools.len());\n\
         }}\n"
    )
}
