//! Bare functions: what every flavor pays before it declares anything.

use crate::sample::{self, Sample, VALUES};

pub(super) fn source(samples: &[Sample]) -> String {
    let functions: String = samples.iter().copied().map(function).collect();
    let kept: String = samples.iter().copied().map(kept).collect();
    let answer = match super::called(samples) {
        Some(tool) if tool.is_async() => format!("{}({VALUES})", tool.name()),
        Some(tool) => format!("async {{ {}({VALUES}) }}", tool.name()),
        None => "async { String::new() }".to_owned(),
    };
    format!(
        "{functions}\
         fn main() {{\n\
         {kept}    println!(\"{} {{}}\", runtime::block_on(Box::pin({answer})));\n\
         }}\n",
        samples.len(),
    )
}

/// The function as it stands in every flavor.
pub(super) fn function(tool: Sample) -> String {
    let (description, keyword, name) = (tool.description(), tool.keyword(), tool.name());
    let (parameters, body) = (sample::plain(), tool.body("    "));
    format!("/// {description}\n{keyword} {name}({parameters}) -> String {{\n{body}}}\n\n")
}

/// Nothing names the function otherwise, and it would not be compiled.
fn kept(tool: Sample) -> String {
    let name = tool.name();
    if tool.is_async() {
        format!("    runtime::keep_future(Box::pin({name}(String::new(), 0, false)));\n")
    } else {
        format!("    runtime::keep_function({name});\n")
    }
}
