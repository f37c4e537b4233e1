//! What tools cost that are not compiled in: to find, list and search very many of them, from twenty providers.
//!
//! Each number of tools has a process of its own, several times over, so that none has another's memory. What is measured is
//! in `support/scale`: the program asks the providers, and servers of MCP without a network in between.

use std::fmt::Write as _;

use serde::Deserialize;

use crate::cost;
use crate::error::Error;
use crate::leaf::{Leaf, Step};
use crate::workspace::Workspace;

const TOOLS: [usize; 3] = [100, 1_000, 10_000];
/// How much faster than the number of tools a figure may seem to grow: what is more does not fit into the caches.
const TOLERANCE: f64 = 1.25;
/// What takes less than this is done in no time, however it grows.
const NO_TIME: f64 = 0.05;

/// The aims, for 10,000 tools.
const LIST: f64 = 50.0;
const SEARCH: f64 = 20.0;
const MEGABYTES: f64 = 200.0;

/// What was measured, and whether every aim is met.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) section: String,
    pub(crate) met: bool,
}

/// Milliseconds, kB and bytes, as the program reports them.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Report {
    first: f64,
    later: f64,
    changed: f64,
    last_changed: f64,
    list_first: f64,
    list_later: f64,
    list_changed: f64,
    bytes: f64,
    search_first: f64,
    search_later: f64,
    search_misspelt: f64,
    two_step_list: f64,
    two_step_server: f64,
    two_step_search: f64,
    empty: f64,
    found: f64,
    resident: f64,
    peak: f64,
}

/// Reads one figure off a report.
type Figure = fn(&Report) -> f64;

/// One line of the table: what it is called, its unit, how it is read off a report, and what it must not exceed.
struct Row {
    name: &'static str,
    unit: Unit,
    figure: Figure,
    aim: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Milliseconds,
    Megabytes,
}

const fn time(name: &'static str, figure: Figure, aim: Option<f64>) -> Row {
    Row { name, unit: Unit::Milliseconds, figure, aim }
}

const fn megabytes(name: &'static str, figure: Figure, aim: Option<f64>) -> Row {
    Row { name, unit: Unit::Megabytes, figure, aim }
}

const ROWS: [Row; 17] = [
    time("discovery, the first", |report| report.first, None),
    time("discovery, later", |report| report.later, None),
    time("discovery, after one provider has changed", |report| report.changed, None),
    time("`tools/list`, the first", |report| report.list_first, None),
    time("`tools/list`, later", |report| report.list_later, Some(LIST)),
    time("`tools/list`, after a provider has changed", |report| report.list_changed, None),
    time("`list_available_tools`", |report| report.two_step_list, Some(LIST)),
    time("`list_available_tools`, of one server", |report| report.two_step_server, Some(LIST)),
    time("`list_available_tools`, with a search", |report| report.two_step_search, Some(SEARCH)),
    time("`Registry::search`, the first", |report| report.search_first, None),
    time("`Registry::search`, later", |report| report.search_later, Some(SEARCH)),
    time("`Registry::search`, every word misspelt", |report| report.search_misspelt, Some(SEARCH)),
    megabytes("the answer to `tools/list`", |report| report.bytes / 1e6, None),
    megabytes("resident, before anything", |report| report.empty * KB, None),
    megabytes("resident, after discovery", |report| report.found * KB, None),
    megabytes("resident, after lists and searches", |report| report.resident * KB, Some(MEGABYTES)),
    megabytes("most that was ever resident", |report| report.peak * KB, None),
];

/// What Linux calls kB, in megabytes.
const KB: f64 = 1024.0 / 1e6;

/// The last provider: there, not there, or slow.
const LAST: [(&str, &str); 3] =
    [("all", "all there"), ("absent", "one absent"), ("slow", "one takes 500 ms for its list")];

/// Builds the program, and runs it so many times for each number of tools.
pub(crate) fn measure(workspace: &Workspace, runs: usize) -> Result<Measured, Error> {
    let dependencies = "axum = { workspace = true }\n\
                        http-body-util.workspace = true\n\
                        serde_json.workspace = true\n\
                        tokio = { workspace = true, features = [\"macros\", \"rt\", \"time\"] }\n\
                        tool-core = { workspace = true, features = [\"default\"] }\n\
                        tool-mcp.workspace = true\n\
                        tower.workspace = true\n";
    let leaf = workspace.leaf("scale", dependencies, &source())?;
    workspace.lock()?;
    eprintln!("building the program, which takes minutes");
    leaf.prepare(workspace, Step::Release)?;
    let reports = |tools: usize, last| -> Result<Vec<Report>, Error> {
        eprintln!("{tools} tools, {last}");
        (0..runs).map(|_| report(workspace, &leaf, tools, last)).collect()
    };
    let [few, many, most] = TOOLS;
    let all = [reports(few, LAST[0].0)?, reports(many, LAST[0].0)?, reports(most, LAST[0].0)?];
    let absent = reports(most, LAST[1].0)?;
    let slow = reports(most, LAST[2].0)?;
    let (mut section, met) = table(&all);
    section += &beside([&all[2], &absent, &slow]);
    Ok(Measured { section, met })
}

fn source() -> String {
    let (program, catalogue) =
        (include_str!("../support/scale/program.rs"), include_str!("../support/scale/catalogue.rs"));
    format!("{program}\nmod catalogue {{\n{catalogue}}}\n")
}

fn report(workspace: &Workspace, leaf: &Leaf, tools: usize, last: &str) -> Result<Report, Error> {
    let answer = leaf.answer_to(workspace, &[&tools.to_string(), last])?;
    let unreadable = |_| Error::Unreadable { command: format!("scale {tools} {last}"), expected: "a report" };
    serde_json::from_str(&answer).map_err(unreadable)
}

fn middle(reports: &[Report], figure: Figure) -> f64 {
    cost::median(reports.iter().map(figure).collect()).unwrap_or_default()
}

/// Every figure for every number of tools, how it grows, and the aims; whether all is well.
fn table(reports: &[Vec<Report>; 3]) -> (String, bool) {
    let [few, many, most] = TOOLS;
    let (mut missed, mut fast) = (Vec::new(), Vec::new());
    let mut text = format!(
        "Milliseconds and megabytes; each figure is the median over {} processes.\n\n\
         | | {few} tools | {many} tools | {most} tools | aim | a tool more | times {many} |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
        reports[0].len()
    );
    for Row { name, unit, figure, aim } in ROWS {
        let figures = [0, 1, 2].map(|size: usize| middle(&reports[size], figure));
        let [one, two, three] = figures;
        let aimed = aim.map_or_else(|| "–".to_owned(), |aim| format!("{aim:.0}"));
        if aim.is_some_and(|aim| three > aim) {
            missed.push(format!("{name}: {}, and not {aimed}", shown(unit, three)));
        }
        let times = three / two;
        #[expect(clippy::cast_precision_loss, reason = "ten thousand tools")]
        let (added, factor) = ((most - many) as f64, most as f64 / many as f64);
        if times > factor * TOLERANCE && !(unit == Unit::Milliseconds && three < NO_TIME) {
            fast.push(format!("{name}: {times:.1} times as much for {factor:.0} times the tools"));
        }
        // Microseconds, or bytes.
        let more = (three - two) / added * if unit == Unit::Milliseconds { 1e3 } else { 1e6 };
        let more = if unit == Unit::Milliseconds { format!("{more:.2} µs") } else { format!("{more:.0} B") };
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {aimed} | {more} | {times:.1} |",
            shown(unit, one),
            shown(unit, two),
            shown(unit, three)
        );
    }
    let list = |title: &str, lines: &[String]| match lines {
        [] => String::new(),
        lines => format!("\n{title}:\n\n- {}\n", lines.join("\n- ")),
    };
    if missed.is_empty() {
        text += "\nEvery aim is met.";
    }
    if fast.is_empty() {
        text += "\nNo figure grows faster than the number of tools.";
    }
    text.push('\n');
    text += &list("**Missed**", &missed);
    text += &list("**Faster than the number of tools**", &fast);
    (text, missed.is_empty() && fast.is_empty())
}

fn shown(unit: Unit, figure: f64) -> String {
    match unit {
        Unit::Milliseconds if figure < 0.1 => format!("{figure:.3}"),
        Unit::Milliseconds if figure < 10.0 => format!("{figure:.2}"),
        Unit::Milliseconds | Unit::Megabytes => format!("{figure:.1}"),
    }
}

/// What one provider that is not as the others does to these.
fn beside(reports: [&[Report]; 3]) -> String {
    let titles = LAST.map(|(_, title)| title).join(" | ");
    let mut text = format!(
        "\nOf the twenty providers of {} tools:\n\n| | {titles} |\n|---|--:|--:|--:|\n",
        TOOLS[TOOLS.len() - 1]
    );
    let rows: [(&str, Figure); 6] = [
        ("discovery, the first", |report| report.first),
        ("discovery, later", |report| report.later),
        ("discovery, after another one has changed", |report| report.changed),
        ("discovery, after this one has changed", |report| report.last_changed),
        ("`tools/list`, later", |report| report.list_later),
        ("`list_available_tools`, with a search", |report| report.two_step_search),
    ];
    for (name, figure) in rows {
        let [all, absent, slow] = reports.map(|reports| shown(Unit::Milliseconds, middle(reports, figure)));
        let _ = writeln!(text, "| {name} | {all} | {absent} | {slow} |");
    }
    text
}

#[cfg(test)]
#[path = "../support/scale/catalogue.rs"]
mod catalogue;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn generates_the_given_number_of_tools() {
        for tools in TOOLS {
            let of = |provider| catalogue::of(provider, tools).collect::<Vec<Value>>();
            let parts: Vec<Vec<Value>> = (0..catalogue::PROVIDERS.len()).map(of).collect();
            assert_eq!(parts.len(), 20);
            for (name, part) in catalogue::PROVIDERS.iter().zip(&parts) {
                assert_eq!(part.len(), tools / parts.len(), "{name}");
            }
            let text = |tool: &Value, member: &str| tool[member].as_str().unwrap().to_owned();
            let names: HashSet<_> = parts.iter().flatten().map(|tool| text(tool, "name")).collect();
            assert_eq!(names.len(), tools, "every name once");
            for tool in parts.iter().flatten() {
                let description = text(tool, "description");
                assert!((80..=130).contains(&description.len()), "{description}");
                let inputs = tool["inputSchema"]["properties"].as_object().unwrap();
                assert_eq!(inputs.len(), 4);
                assert!(inputs["status"]["enum"].is_array() && inputs["filter"]["properties"].is_object());
                assert_eq!(inputs["labels"]["type"], "array");
            }
        }
    }

    fn reported(milliseconds: f64) -> Report {
        let names = ["first", "later", "changed", "last_changed", "list_first", "list_later", "list_changed"];
        let searches = ["search_first", "search_later", "search_misspelt"];
        let two_step = ["two_step_list", "two_step_server", "two_step_search"];
        let times = names.into_iter().chain(searches).chain(two_step);
        let memory = ["bytes", "empty", "found", "resident", "peak"].map(|name| (name, 50_000.0));
        let figures = times.map(|name| (name, milliseconds)).chain(memory);
        let figures: serde_json::Map<_, _> =
            figures.map(|(name, figure)| (name.to_owned(), json!(figure))).collect();
        serde_json::from_value(figures.into()).unwrap()
    }

    #[test]
    fn names_missed_goals_and_fast_growth() {
        let table = |figures: [f64; 3]| table(&figures.map(|figure| vec![reported(figure)]));
        let (text, met) = table([0.1, 1.0, 10.0]);
        assert!(met && text.contains("Every aim is met.\nNo figure grows faster"), "{text}");
        assert!(
            text.contains("| `tools/list`, later | 0.10 | 1.00 | 10.0 | 50 | 1.00 µs | 10.0 |"),
            "{text}"
        );
        let (text, met) = table([2.5, 25.0, 25.0]);
        assert!(!met && text.contains("- `Registry::search`, later: 25.0, and not 20"), "{text}");
        assert!(!text.contains("- `tools/list`, later"), "{text}");
        let (text, met) = table([0.1, 1.0, 15.0]);
        assert!(!met && text.contains("- `tools/list`, later: 15.0 times as much for 10 times"), "{text}");
        // Growth of a few microseconds is ignored.
        assert!(table([0.001, 0.001, 0.04]).1);
    }

    #[test]
    fn shows_a_provider_beside_the_others() {
        let [all, slow] = [vec![reported(1.0)], vec![reported(500.0)]];
        let text = beside([&all, &all, &slow]);
        assert!(text.contains("| discovery, the first | 1.00 | 1.00 | 500.0 |"), "{text}");
    }
}
