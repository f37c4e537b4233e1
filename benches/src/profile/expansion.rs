//! What `#[tool]` writes, written out, and the same with one part after another left out.
//!
//! A test compares it with the expansion that is checked in beside the macro.

use crate::profile::Variant;
use crate::sample::{self, Sample};

/// A function and its declaration as the macro writes it.
#[derive(Debug)]
pub(super) struct Expansion {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) operation: &'static str,
    pub(super) is_async: bool,
    pub(super) parameters: Vec<Parameter>,
    pub(super) returns: &'static str,
    /// The closure that decides about access, if there is one.
    pub(super) guard: &'static str,
    /// Options of the declaration.
    pub(super) options: String,
}

/// A parameter of a tool: how its place in the tuple is made, and its type.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) maker: Maker,
    pub(super) kind: &'static str,
}

/// How the place of a parameter in the tuple of inputs is made.
#[derive(Debug)]
pub(super) enum Maker {
    Injected,
    Input {
        name: &'static str,
        description: &'static str,
        /// Calls that add a default, an example or a limit.
        values: &'static str,
    },
}

impl Expansion {
    /// The declaration of a tool with inputs alone.
    pub(super) fn plain(tool: Sample) -> Self {
        let parameters = sample::INPUTS.map(|(name, kind, description)| input(name, description, "", kind));
        Expansion::new(tool, parameters.into(), "String", String::new())
    }

    /// The declaration of a tool with everything else too.
    pub(super) fn full(tool: Sample) -> Self {
        let [(city, _, city_text), (days, _, days_text), (metric, _, metric_text)] = sample::INPUTS;
        let parameters = vec![
            Parameter { maker: Maker::Injected, kind: "State<Store>" },
            Parameter { maker: Maker::Injected, kind: "Context" },
            input(
                city,
                city_text,
                ".examples(&[|| ::tool_core::private::json(\"Oslo\")])\
                 .length(::core::option::Option::Some(1), ::core::option::Option::Some(64))",
                "String",
            ),
            input(
                days,
                days_text,
                ".default(|| ::tool_core::private::json::<u32>(5)).range(::core::option::Option::None, \
                 ::core::option::Option::Some(::tool_core::private::Bound::Integer(16)))",
                "u32",
            ),
            input(metric, metric_text, "", "Option<bool>"),
        ];
        let guard =
            "|__principal, (_, _, __arg2, _, _)| ::tool_core::private::access(may_ask(__principal, __arg2))";
        let options = format!(
            ".open_world(false).guarded().options(const {{ &::tool_core::private::Options::new()\
             .title(\"Method {}\").permission(&[\"weather.view\"], true).tags(&[\"weather\"]) }})",
            tool.name()
        );
        Expansion { guard, ..Expansion::new(tool, parameters, "Result<String, ToolError>", options) }
    }

    fn new(tool: Sample, parameters: Vec<Parameter>, returns: &'static str, options: String) -> Self {
        Expansion {
            name: tool.name(),
            description: tool.description(),
            operation: "Read",
            is_async: tool.is_async(),
            parameters,
            returns,
            guard: "",
            options,
        }
    }

    /// The block behind the function.
    pub(super) fn block(&self, variant: Variant) -> String {
        let Expansion { name, operation, options, .. } = self;
        if variant >= Variant::NoDeclaration {
            return String::new();
        }
        let entry = self.entry(variant);
        let (used, register) = if variant >= Variant::NoRegistration {
            ("    #[used]\n", "")
        } else {
            ("", "    ::tool_core::private::register!(&__TOOL);\n")
        };
        format!(
            "#[doc(hidden)]\n\
             #[allow(dead_code, deprecated, non_upper_case_globals, unreachable_pub)]\n\
             const __tool_attribute_of_{name}: &'static ::tool_core::private::Declaration = {{\n{used}\
             \x20   static __TOOL: ::tool_core::private::Declaration = ::tool_core::private::Declaration::new(\n\
             \x20       {name:?},\n\
             \x20       ::tool_core::Operation::{operation},\n\
             \x20       {entry},\n\
             \x20   ){options};\n\
             {register}\
             \x20   &__TOOL\n\
             }};\n\n"
        )
    }

    /// The closure that the pipeline enters, without what the variant leaves out.
    fn entry(&self, variant: Variant) -> String {
        let Expansion { name, description, returns, is_async, .. } = self;
        let arguments: Vec<_> = (0..self.parameters.len()).map(|place| format!("__arg{place}")).collect();
        let arguments = arguments.join(", ");
        let function = format!("|({arguments})| {name}({arguments})");
        let run = if *is_async { "run" } else { "run_sync" };
        let call = format!("__call.of({description:?}, ::tool_core::private::here!())");
        if variant < Variant::NoLadder {
            let inputs = self.inputs(variant);
            let (variant_of_run, guard) = match self.guard {
                guard if variant < Variant::NoValues && !guard.is_empty() => {
                    ("_guarded", format!("{guard}, "))
                }
                _ if self.injects() => ("_injected", String::new()),
                _ => ("", String::new()),
            };
            return format!(
                "|__call| ::tool_core::private::{run}{variant_of_run}({call}, {inputs}, {function}, {guard}\
                 ::tool_core::private::Shape::<{returns}>::new().__split().__value().__error())"
            );
        }
        if variant < Variant::NoRun {
            return format!("|__call| enter_{run}({call}, {}, {function})", self.inputs(variant));
        }
        let function = if *is_async {
            format!("|({arguments})| ::std::boxed::Box::pin({name}({arguments}))")
        } else {
            function
        };
        let inputs = if variant < Variant::NoInputs {
            format!("keep({}); ", self.inputs(variant))
        } else {
            String::new()
        };
        format!("|_| {{ {inputs}keep_{run}({function}) }}")
    }

    fn injects(&self) -> bool {
        self.parameters.iter().any(|parameter| matches!(parameter.maker, Maker::Injected))
    }

    /// The tuple of inputs. Without `run` nothing tells their types, and they are written.
    fn inputs(&self, variant: Variant) -> String {
        let operation = self.operation;
        let typed = variant >= Variant::NoRun;
        let places = self.parameters.iter().map(|Parameter { maker, kind }| match maker {
            Maker::Injected => format!(
                "::tool_core::private::injected(&::tool_core::private::InjectedType::<{kind}, \
                 ::tool_core::inject::op::{operation}>::__PARAMETER)"
            ),
            Maker::Input { name, description, values } => {
                let kind = if typed { format!("::<{kind}>") } else { String::new() };
                let values = if variant >= Variant::NoValues { "" } else { values };
                format!("::tool_core::private::input{kind}({name:?}, {description:?}){values}")
            }
        });
        let places = places.collect::<Vec<_>>().join(", ");
        let fallback = if self.injects() {
            "#[allow(unused_imports)] use ::tool_core::private::InjectedAtOnce as _; "
        } else {
            ""
        };
        format!("const {{ {fallback}&({places},) }}")
    }
}

fn input(
    name: &'static str,
    description: &'static str,
    values: &'static str,
    kind: &'static str,
) -> Parameter {
    Parameter { maker: Maker::Input { name, description, values }, kind }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SNAPSHOT: &str =
        include_str!("../../../tool-macros/src/snapshots/tool_core_macros__tests__expands_a_plain_tool.snap");

    /// The tokens as text, without spaces and without commas that close a list.
    fn tight(text: &str) -> String {
        let text: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        text.replace(",)", ")").replace(",}", "}")
    }

    #[test]
    fn matches_the_expansion_of_the_macro() {
        let parameters = vec![input("a", "First.", "", "i64"), input("b", "Second.", "", "i64")];
        let add = Expansion {
            name: "add".to_owned(),
            description: "Adds two numbers.".to_owned(),
            operation: "Transform",
            is_async: false,
            parameters,
            returns: "i64",
            guard: "",
            options: String::new(),
        };
        let (_, block) = SNAPSHOT.split_once("\n}\n").unwrap();
        assert_eq!(tight(&add.block(Variant::Expansion)), tight(block));
    }
}
