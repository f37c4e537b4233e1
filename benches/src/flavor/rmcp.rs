//! rmcp's macros as its documentation has them: a struct of arguments a tool, and one `impl` block of methods.

use crate::sample::{self, ARGUMENTS, Sample};

pub(super) fn source(samples: &[Sample]) -> String {
    let structs: String = samples.iter().copied().map(arguments).collect();
    let methods: String = samples.iter().copied().map(method).collect();
    let (uses, options) = match samples {
        [] => ("use rmcp::tool_router;\n", "(allow_empty)"),
        _ => (
            "use rmcp::handler::server::wrapper::Parameters;\n\
             use rmcp::{tool, tool_router};\n\
             use schemars::JsonSchema;\n\
             use serde::Deserialize;\n",
            "",
        ),
    };
    format!(
        "{uses}\nstruct Server;\n\n{structs}#[tool_router{options}]\nimpl Server {{\n{methods}}}\n\n{}",
        main(samples)
    )
}

fn arguments(tool: Sample) -> String {
    let (name, fields) = (tool.arguments(), sample::described("    "));
    format!("#[derive(Deserialize, JsonSchema)]\nstruct {name} {{\n{fields}}}\n\n")
}

fn method(tool: Sample) -> String {
    let (description, keyword, name) = (tool.description(), tool.keyword(), tool.name());
    let (arguments, inputs, body) = (tool.arguments(), sample::names(), tool.body("        "));
    format!(
        "\x20   #[tool(description = {description:?})]\n\
         \x20   {keyword} {name}(\n\
         \x20       &self,\n\
         \x20       Parameters({arguments} {{ {inputs} }}): Parameters<{arguments}>,\n\
         \x20   ) -> String {{\n\
         {body}    }}\n\n"
    )
}

fn main(samples: &[Sample]) -> String {
    let name = super::called_name(samples);
    let answer = format!(
        "runtime::block_on(Box::pin(async {{\n\
         \x20       peer::text(router.call(peer::call(&Server, {name:?}, r#\"{ARGUMENTS}\"#)).await)\n\
         \x20   }}))"
    );
    format!(
        "fn main() {{\n\
         \x20   let router = Server::tool_router();\n\
         \x20   let answer = {answer};\n\
         \x20   println!(\"{{}} {{answer}}\", router.list_all().len());\n\
         }}\n"
    )
}
