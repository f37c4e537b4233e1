//! What the parts of an expansion cost, by leaving out one after another.
//!
//! The first variant is `#[tool]` itself, the second its expansion written out, and each further one lacks one more part,
//! down to the bare function. The difference between two neighbors is the part that the second lacks, so that the parts
//! add up to what a declaration costs.

mod expansion;

use crate::compile::Measure;
use crate::cost::Seconds;
use crate::error::Error;
use crate::flavor::{self, FULL_ITEMS, FULL_NAMES, FULL_STATE, Flavor};
use crate::leaf::{Leaf, Step};
use crate::profile::expansion::Expansion;
use crate::sample::{self, Sample};
use crate::workspace::Workspace;

/// A declaration with less and less of what the macro writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Variant {
    Macro,
    Expansion,
    NoRegistration,
    NoValues,
    NoLadder,
    NoRun,
    NoInputs,
    NoDeclaration,
}

impl Variant {
    /// Those of a flavor, each lacking more than the one before.
    fn of(flavor: Flavor) -> Vec<Variant> {
        let all = [
            Variant::Macro,
            Variant::Expansion,
            Variant::NoRegistration,
            Variant::NoValues,
            Variant::NoLadder,
            Variant::NoRun,
            Variant::NoInputs,
            Variant::NoDeclaration,
        ];
        // Tools with inputs alone have no values to lack.
        all.into_iter()
            .filter(|variant| flavor == Flavor::OursFull || *variant != Variant::NoValues)
            .collect()
    }

    /// The part that this variant lacks and the one before has.
    fn lacks(self) -> &'static str {
        match self {
            Variant::Macro => "",
            Variant::Expansion => "the macro at work: reading the declaration, writing the expansion",
            Variant::NoRegistration => "registration: `register!`",
            Variant::NoValues => {
                "defaults, examples, limits, access: `|| json(…)`, `.range(…)`, `run_guarded`"
            }
            Variant::NoLadder => "the return ladder: `Shape::<R>::new().__split().__value().__error()`",
            Variant::NoRun => "`run` and `run_sync`: reading the inputs, the future with its output",
            Variant::NoInputs => "the tuple of inputs: `const { &(input(…), …) }`",
            Variant::NoDeclaration => "the declaration, and the closures in it that call the function",
        }
    }
}

/// So many tools pay what is paid once a crate: one of each kind of function.
const FEW: usize = 2;

/// What a variant costs in one step.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    /// Each tool after the first few.
    per_tool: Seconds,
    /// The rest.
    once: Seconds,
}

/// What is profiled: the full builds, and an edit of the first function, which moves all others.
const MEASURES: [Measure; 5] =
    [Measure::Check, Measure::Debug, Measure::Release, Measure::CheckFirst, Measure::DebugFirst];

/// In the order of [`MEASURES`].
type Costs = [Cost; 5];

/// Measures the variants of both flavors that are ours, and returns the section of the README.
pub(crate) fn measure(workspace: &Workspace, tools: usize, runs: usize) -> Result<String, Error> {
    let mut chains = Vec::new();
    for flavor in [Flavor::Ours, Flavor::OursFull] {
        let leaf = |variant| {
            let name = format!("profile-{}-{variant:?}", flavor.name()).to_lowercase();
            workspace.leaf(&name, flavor.dependencies(), &source(flavor, variant, FEW, 0))
        };
        let leaves: Vec<Leaf> = Variant::of(flavor).into_iter().map(leaf).collect::<Result<_, _>>()?;
        chains.push((flavor, leaves));
    }
    workspace.lock()?;
    let mut section = format!(
        "CPU milliseconds of each part for a tool, and its share of what the declaration adds to the bare function: the \
         difference between crates of {tools} and of {FEW} tools. The least of {runs} runs.\n"
    );
    for (flavor, leaves) in &chains {
        eprintln!("building what {} depends on", flavor.name());
        if let Some(leaf) = leaves.last() {
            Step::ALL.iter().try_for_each(|step| leaf.prepare(workspace, *step))?;
        }
        let mut rows = Vec::new();
        for (variant, leaf) in Variant::of(*flavor).into_iter().zip(leaves) {
            eprintln!("{}, {variant:?}", flavor.name());
            let few = seconds(workspace, leaf, |edits| source(*flavor, variant, FEW, edits), runs)?;
            let all = seconds(workspace, leaf, |edits| source(*flavor, variant, tools, edits), runs)?;
            rows.push(costs(few, all, tools));
        }
        section += &render(*flavor, &rows);
    }
    Ok(section)
}

/// What a leaf crate costs with a source that can be edited.
fn seconds(
    workspace: &Workspace,
    leaf: &Leaf,
    source: impl Fn(usize) -> String,
    runs: usize,
) -> Result<[Seconds; 5], Error> {
    // Whatever disturbs a run adds to it, and the parts are small: the least is nearer to the truth than the median.
    let full = |step| {
        leaf.write(&source(0))?;
        let run = || leaf.clean(workspace, step).and_then(|()| leaf.build(workspace, step));
        (0..runs).try_fold(Seconds::INFINITY, |least, _| Ok(run()?.min(least)))
    };
    let edited = |step| {
        let run = |edits| leaf.write(&source(edits)).and_then(|()| leaf.build(workspace, step));
        (1..=runs).try_fold(Seconds::INFINITY, |least, edits| Ok(run(edits)?.min(least)))
    };
    let (check, check_first) = (full(Step::Check)?, edited(Step::Check)?);
    let (debug, debug_first) = (full(Step::Debug)?, edited(Step::Debug)?);
    let least = [check, debug, full(Step::Release)?, check_first, debug_first];
    eprintln!("    {least:.3?} s");
    Ok(least)
}

#[expect(clippy::cast_precision_loss, reason = "some hundred tools")]
fn costs(few: [Seconds; 5], all: [Seconds; 5], tools: usize) -> Costs {
    std::array::from_fn(|place| {
        let per_tool = (all[place] - few[place]) / tools.saturating_sub(FEW).max(1) as f64;
        Cost { per_tool, once: few[place] - FEW as f64 * per_tool }
    })
}

fn render(flavor: Flavor, rows: &[Costs]) -> String {
    let (Some(declared), Some(bare)) = (rows.first(), rows.last()) else { return String::new() };
    let titles = MEASURES.map(Measure::name).join(" | ");
    let mut text = format!("\n### {}\n\n| part | {titles} |\n|---|--:|--:|--:|--:|--:|\n", flavor.name());
    let whole = |place: usize| declared[place].per_tool - bare[place].per_tool;
    let mut parts: [Vec<(f64, &str)>; 5] = Default::default();
    for (variant, pair) in Variant::of(flavor).into_iter().skip(1).zip(rows.windows(2)) {
        text += &format!("| {} |", variant.lacks());
        for (place, parts) in parts.iter_mut().enumerate() {
            let part = pair[0][place].per_tool - pair[1][place].per_tool;
            let share = 100.0 * part / whole(place);
            text += &format!(" {:.2} ({share:.0} %) |", 1e3 * part);
            parts.push((share, variant.lacks()));
        }
        text.push('\n');
    }
    text += "| **the declaration of a tool** |";
    (0..5).for_each(|place| text += &format!(" **{:.2}** |", 1e3 * whole(place)));
    text += "\n| paid once a crate, for the types of inputs and outputs |";
    (0..5).for_each(|place| text += &format!(" {:.0} |", 1e3 * (declared[place].once - bare[place].once)));
    text.push_str("\n\nThe three costliest:\n\n");
    for (measure, parts) in MEASURES.into_iter().zip(&mut parts) {
        parts.sort_by(|one, other| other.0.total_cmp(&one.0));
        let costliest = parts.iter().take(3).map(|(share, part)| format!("{part} ({share:.0} %)"));
        text += &format!("- {}: {}\n", measure.name(), costliest.collect::<Vec<_>>().join("; "));
    }
    text
}

/// The source of a variant, with so many lines added to the first function.
fn source(flavor: Flavor, variant: Variant, tools: usize, edits: usize) -> String {
    let sample = |number| Sample::new(number, if number == 0 { edits } else { 0 });
    let samples: Vec<_> = (0..tools).map(sample).collect();
    if variant == Variant::Macro {
        return flavor.source(&samples, 0);
    }
    let full = flavor == Flavor::OursFull;
    let mut text = helpers(full);
    let mut kept = String::new();
    for tool in samples.iter().copied() {
        let expansion = if full { Expansion::full(tool) } else { Expansion::plain(tool) };
        text += &function(tool, &expansion, full);
        text += &expansion.block(variant);
        if variant >= Variant::NoDeclaration {
            kept += &keep(tool, &expansion);
        }
    }
    let main = flavor::registry_main(&samples, if full { FULL_STATE } else { "" });
    text + &main.replacen("fn main() {\n", &format!("fn main() {{\n{kept}"), 1)
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
    let (uses, values, returned) = if full {
        (
            format!("use tool_core::{{{FULL_NAMES}}};\n\n{FULL_ITEMS}"),
            "(State<Store>, Context, String, u32, Option<bool>)",
            "Result<String, ToolError>",
        )
    } else {
        (String::new(), "(String, u32, bool)", "String")
    };
    format!(
        "#![allow(dead_code)]\n\n{uses}{}\n\
         type Values = {values};\n\
         type Returned = {returned};\n\n",
        include_str!("../support/parts.rs")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_the_parts_to_the_declaration() {
        let rows: Vec<_> =
            (0..7).map(|lost| costs([1.0; 5], [2.0 - 0.1 * f64::from(lost); 5], 102)).collect();
        let text = render(Flavor::Ours, &rows);
        assert_eq!(text.matches(&" 1.00 (17 %) |".repeat(5)).count(), 6, "{text}");
        assert!(text.contains(&" **6.00** |".repeat(5)), "{text}");
    }

    #[test]
    fn separates_fixed_costs_from_costs_per_tool() {
        let [cost, ..] = costs([1.0; 5], [2.0; 5], 102);
        assert!((cost.per_tool - 0.01).abs() < 1e-9 && (cost.once - 0.98).abs() < 1e-9, "{cost:?}");
    }

    #[test]
    fn includes_functions_and_calls_in_every_variant() {
        for flavor in [Flavor::Ours, Flavor::OursFull] {
            for variant in Variant::of(flavor) {
                let source = source(flavor, variant, 3, 0);
                for text in ["forecast_rain_0(", "compare_wind_1(", "report_frost_2(", "registry.call_with("]
                {
                    assert!(source.contains(text), "{flavor:?} {variant:?} {text}");
                }
            }
        }
    }
}
