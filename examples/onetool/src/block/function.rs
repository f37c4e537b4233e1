//! Tools as functions of Starlark.

use std::collections::HashSet;

use serde_json::{Map, Value as Json};
use starlark::collections::SmallMap;
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::list::UnpackList;
use starlark::values::tuple::UnpackTuple;

use crate::block::{Callable, worker};

/// Keywords of Starlark, including reserved ones.
const KEYWORDS: &[&str] = &[
    "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
    "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "load", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// An alias of `partial` for the definitions of functions.
const PARTIAL: &str = "__partial";

/// Returns code that defines tools as functions: each is the calling function with its first arguments bound. No name shadows a
/// builtin.
pub(super) fn definitions<'n>(tools: &[Callable], builtins: impl Iterator<Item = &'n str>) -> String {
    let own = KEYWORDS.iter().copied().chain([PARTIAL, super::interpreter::RESULT]);
    let taken = builtins.chain(own).map(str::to_owned).collect();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let definition = |(function, Callable { name, inputs }): (String, &Callable)| {
        let (name, inputs) = (super::literal(name), super::list(inputs));
        format!("{function} = {PARTIAL}(__call, {name}, {inputs})\n")
    };
    let definitions: String = functions(&names, taken).into_iter().zip(tools).map(definition).collect();
    format!("{PARTIAL} = partial\n{definitions}")
}

/// Returns the names of tools in a block: invalid characters become `_`, and a taken name gets one more. A tool with a valid name
/// keeps it.
fn functions(tools: &[&str], mut taken: HashSet<String>) -> Vec<String> {
    let plain: Vec<bool> =
        tools.iter().map(|tool| function(tool) == *tool && taken.insert((*tool).to_owned())).collect();
    let mut name = |(tool, is_plain): (&&str, bool)| {
        let mut name = function(tool);
        while !is_plain && !taken.insert(name.clone()) {
            name.push('_');
        }
        name
    };
    tools.iter().zip(plain).map(&mut name).collect()
}

fn function(tool: &str) -> String {
    let mut name: String = tool.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    name
}

/// Defines the function that calls tools.
#[starlark_module]
pub(super) fn calls(builder: &mut GlobalsBuilder) {
    fn __call<'v>(
        #[starlark(require = pos)] tool: &str,
        #[starlark(require = pos)] inputs: UnpackList<&str>,
        #[starlark(args)] positional: UnpackTuple<Value<'v>>,
        #[starlark(kwargs)] named: SmallMap<&str, Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let arguments = arguments(tool, &inputs.items, &positional.items, named)?;
        match worker::call(tool, arguments) {
            Ok(output) => Ok(eval.heap().alloc(output)),
            Err(failure) => Err(anyhow::anyhow!("`{tool}` failed: {failure}")),
        }
    }
}

/// Maps arguments to inputs: by name, or by position.
fn arguments<'v>(
    tool: &str,
    inputs: &[&str],
    positional: &[Value<'v>],
    named: SmallMap<&str, Value<'v>>,
) -> anyhow::Result<Map<String, Json>> {
    if positional.len() > inputs.len() {
        return Err(anyhow::anyhow!("`{tool}` takes these inputs: {}", inputs.join(", ")));
    }
    let mut arguments = Map::new();
    let positional = inputs.iter().copied().zip(positional.iter().copied());
    for (name, value) in positional.chain(named) {
        let json = value.to_json_value().map_err(|_| {
            anyhow::anyhow!("`{name}` is a {}, which cannot be handed to a tool", value.get_type())
        })?;
        if arguments.insert(name.to_owned(), json).is_some() {
            return Err(anyhow::anyhow!("`{tool}` is given `{name}` twice"));
        }
    }
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_every_tool_a_unique_valid_name() {
        let cases = [
            ("web_fetch", "web_fetch"),
            ("books.list", "books_list_"),
            ("books-list", "books_list__"),
            ("books_list", "books_list"),
            ("1st-try", "_1st_try"),
            ("with", "with_"),
            ("len", "len__"),
            ("len_", "len_"),
        ];
        let taken = ["with", "len"].map(str::to_owned).into();
        assert_eq!(functions(&cases.map(|(tool, _)| tool), taken), cases.map(|(_, name)| name));
    }
}
