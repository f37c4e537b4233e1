//! What the parts of an expansion cost, by leaving out one after another.
//!
//! The first variant is `#[tool]` itself, the second its expansion written out, and each further one lacks one more part,
//! down to the bare function. The difference between two neighbours is the part that the second lacks, so that the parts
//! add up to what a declaration costs.

mod expansion;

use crate::cost::{Seconds, median};
use crate::error::Error;
use crate::flavour::Flavour;
use crate::leaf::{Leaf, Step};
use crate::profile::expansion::Expansion;
use crate::sample::{self, Sample};
use crate::workspace::Workspace;

/// A declaration with less and less of what the macro writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Variant {
    Macro,
    WrittenOut,
    NoRegistration,
    NoValues,
    NoLadder,
    NoRun,
    NoInputs,
    NoDeclaration,
}

impl Variant {
    /// Those of a flavour, each lacking more than the one before.
    fn of(flavour: Flavour) -> Vec<Variant> {
        let all = [
            Variant::Macro,
            Variant::WrittenOut,
            Variant::NoRegistration,
            Variant::NoValues,
            Variant::NoLadder,
            Variant::NoRun,
            Variant::NoInputs,
            Variant::NoDeclaration,
        ];
        // Tools with inputs alone have no values to lack.
        all.into_iter()
            .filter(|variant| flavour == Flavour::OursFull || *variant != Variant::NoValues)
            .collect()
    }

    /// The part that this variant lacks and the one before has.
    fn lacks(self) -> &'static str {
        match self {
            Variant::Macro => "",
            Variant::WrittenOut => "the macro at work: reading the declaration, writing the expansion",
            Variant::NoRegistration => "registration: `register!`",
            Variant::NoValues => "defaults and examples: `|| json(…)`",
            Variant::NoLadder => "the return ladder: `Shape::<R>::new().split().value().error()`",
            Variant::NoRun => "`run` and `run_sync`: reading the inputs, the future with its output",
            Variant::NoInputs => "the tuple of inputs: `const { &(input(…), …) }`",
            Variant::NoDeclaration => "the declaration, and the closures in it that call the function",
        }
    }
}

/// Measures the variants of both flavours that are ours, and returns the section of the README.
pub(crate) fn measure(workspace: &Workspace, tools: usize, runs: usize) -> Result<String, Error> {
    let mut chains = Vec::new();
    for flavour in [Flavour::Ours, Flavour::OursFull] {
        let leaf = |variant| {
            let name = format!("profile-{}-{variant:?}", flavour.name()).to_lowercase();
            workspace.leaf(&name, flavour.dependencies(), &source(flavour, variant, tools))
        };
        let leaves: Vec<Leaf> = Variant::of(flavour).into_iter().map(leaf).collect::<Result<_, _>>()?;
        chains.push((flavour, leaves));
    }
    workspace.lock()?;
    let mut section = format!(
        "Each part of the expansion of {tools} tools: CPU milliseconds a tool, and its share of what the declaration adds \
         to the bare function. Median of {runs} runs.\n"
    );
    for (flavour, leaves) in &chains {
        eprintln!("building what {} depends on", flavour.name());
        if let Some(leaf) = leaves.last() {
            Step::ALL.iter().try_for_each(|step| leaf.prepare(workspace, *step))?;
        }
        let mut rows = Vec::new();
        for (variant, leaf) in Variant::of(*flavour).into_iter().zip(leaves) {
            rows.push(seconds(workspace, leaf, runs)?);
            eprintln!("{} {variant:?}: {:.3?} s", flavour.name(), rows[rows.len() - 1]);
        }
        section += &render(*flavour, tools, &rows);
    }
    Ok(section)
}

/// Check, debug and release build.
fn seconds(workspace: &Workspace, leaf: &Leaf, runs: usize) -> Result<[Seconds; 3], Error> {
    let mut medians = [0.0; 3];
    for (place, step) in medians.iter_mut().zip(Step::ALL) {
        let mut seconds = Vec::new();
        for _ in 0..runs {
            leaf.clean(workspace, step)?;
            seconds.push(leaf.build(workspace, step)?);
        }
        *place = median(seconds).unwrap_or_default();
    }
    Ok(medians)
}

#[expect(clippy::cast_precision_loss, reason = "some hundred tools")]
fn render(flavour: Flavour, tools: usize, rows: &[[Seconds; 3]]) -> String {
    let name = flavour.name();
    let mut text = format!("\n### {name}\n\n| part | check | debug | release |\n|---|--:|--:|--:|\n");
    let mut parts: [Vec<(f64, &str)>; 3] = Default::default();
    let whole = |step: usize| rows[0][step] - rows[rows.len() - 1][step];
    for (variant, pair) in Variant::of(flavour).into_iter().skip(1).zip(rows.windows(2)) {
        text += &format!("| {} |", variant.lacks());
        for (step, parts) in parts.iter_mut().enumerate() {
            let part = pair[0][step] - pair[1][step];
            let share = 100.0 * part / whole(step);
            text += &format!(" {:.2} ({share:.0} %) |", 1e3 * part / tools as f64);
            parts.push((share, variant.lacks()));
        }
        text.push('\n');
    }
    text += "| **the declaration** |";
    (0..3).for_each(|step| text += &format!(" **{:.2}** |", 1e3 * whole(step) / tools as f64));
    text.push_str("\n\n");
    for (step, parts) in Step::ALL.into_iter().zip(&mut parts) {
        parts.sort_by(|one, other| other.0.total_cmp(&one.0));
        let costliest = parts.iter().take(3).map(|(share, part)| format!("{part} ({share:.0} %)"));
        text += &format!("- Costliest in {step:?}: {}.\n", costliest.collect::<Vec<_>>().join("; "));
    }
    text
}

/// The source of a variant.
fn source(flavour: Flavour, variant: Variant, tools: usize) -> String {
    let samples: Vec<_> = (0..tools).map(|number| Sample::new(number, 0)).collect();
    if variant == Variant::Macro {
        return flavour.source(&samples, 0);
    }
    let full = flavour == Flavour::OursFull;
    let mut text = helpers(full);
    let mut kept = String::new();
    for tool in samples {
        let expansion = if full { Expansion::full(tool) } else { Expansion::plain(tool) };
        text += &function(tool, &expansion, full);
        text += &expansion.block(variant);
        if variant >= Variant::NoDeclaration {
            kept += &keep(tool, &expansion);
        }
    }
    format!("{text}fn main() {{\n    println!(\"{{}}\", registry().tools().len());\n{kept}}}\n")
}

/// The function as it stands before the block.
fn function(tool: Sample, expansion: &Expansion, full: bool) -> String {
    let Expansion { description, name, returns, is_async, .. } = expansion;
    let allow = if *is_async { "" } else { "#[allow(clippy::needless_pass_by_value)]\n" };
    let keyword = tool.keyword();
    let (parameters, body) = if full {
        let inputs = "store: State<Store>, context: Context, city: String, days: u32, metric: Option<bool>";
        let body = format!(
            "    let metric = metric.unwrap_or(store.metric);\n\
             \x20   if context.is_cancelled() {{\n\
             \x20       return Err(ToolError::unavailable(\"nobody waits\"));\n\
             \x20   }}\n\
             \x20   Ok({{\n{}    }})\n",
            tool.body("        ")
        );
        (inputs.to_owned(), body)
    } else {
        (sample::plain(), tool.body("    "))
    };
    format!("/// {description}\n{allow}{keyword} {name}({parameters}) -> {returns} {{\n{body}}}\n\n")
}

/// A line of `main` that keeps a function without a declaration.
fn keep(tool: Sample, expansion: &Expansion) -> String {
    let name = &expansion.name;
    let arguments: Vec<_> = (0..expansion.parameters.len()).map(|place| format!("arg{place}")).collect();
    let arguments = arguments.join(", ");
    if tool.is_async() {
        format!("    keep_run(|({arguments})| Box::pin({name}({arguments})));\n")
    } else {
        format!("    keep_run_sync(|({arguments})| {name}({arguments}));\n")
    }
}

/// What stands in a leaf crate once, in the place of the parts that are left out.
fn helpers(full: bool) -> String {
    let (uses, values, returned, state) = if full {
        (
            "use tool_core::{Context, State, ToolError};\n\nstruct Store {\n    metric: bool,\n}\n",
            "(State<Store>, Context, String, u32, Option<bool>)",
            "Result<String, ToolError>",
            ".state(Store { metric: true })",
        )
    } else {
        ("", "(String, u32, bool)", "String", "")
    };
    format!(
        "#![allow(dead_code)]\n\n{uses}{}\n\
         type Values = {values};\n\
         type Returned = {returned};\n\n\
         fn registry() -> tool_core::Registry {{\n\
         \x20   tool_core::Registry::builder().linked().allow_empty(){state}.build().unwrap()\n\
         }}\n\n",
        include_str!("../support/parts.rs")
    )
}
