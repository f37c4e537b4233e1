//! Compile times as Markdown: the seconds, what a tool costs, and whether the goals are met.

use crate::compile::{Measure, Row};
use crate::flavor::Flavor;

/// The seconds of every leaf crate, and a table for each number of tools.
pub(crate) fn render(rows: &[Row]) -> String {
    let titles = Measure::ALL.map(Measure::name).join(" | ");
    let mut text = format!(
        "### CPU seconds of the leaf crate\n\n\
         | tools | flavor | {titles} | program, KiB | stripped, KiB |\n\
         |--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
    );
    let mut ordered: Vec<_> = rows.iter().collect();
    ordered.sort_by_key(|row| row.tools);
    for row in &ordered {
        text += &format!("| {} | {} |", row.tools, row.flavor.name());
        row.seconds.iter().for_each(|seconds| text += &format!(" {seconds:.2} |"));
        text += &format!(" {} | {} |\n", row.size / 1024, row.stripped / 1024);
    }
    let mut missed = Vec::new();
    let mut counts: Vec<_> = ordered.iter().map(|row| row.tools).filter(|tools| *tools > 0).collect();
    counts.dedup();
    for tools in counts {
        text += &format!(
            "\n### A tool of {tools}: CPU milliseconds, and parts of rmcp's\n\n\
             | flavor | {titles} | KiB |\n\
             |---|--:|--:|--:|--:|--:|--:|--:|--:|\n"
        );
        for row in ordered.iter().filter(|row| row.tools == tools) {
            text += &line(rows, row, &mut missed);
        }
    }
    text + &verdict(&missed)
}

fn line(rows: &[Row], row: &Row, missed: &mut Vec<String>) -> String {
    let mut text = format!("| {} |", row.flavor.name());
    for (index, measure) in Measure::ALL.into_iter().enumerate() {
        let own =
            per_tool(rows, row.flavor, row.tools, |row| row.seconds[index]).map(|seconds| 1e3 * seconds);
        let peer =
            per_tool(rows, Flavor::Rmcp, row.tools, |row| row.seconds[index]).map(|seconds| 1e3 * seconds);
        let (Some(own), Some(peer)) = (own, peer) else { continue };
        let part = own / peer;
        text += &match goal(row.flavor, measure) {
            Some(goal) if part > goal => {
                let (flavor, measure) = (row.flavor.name(), measure.name());
                missed
                    .push(format!("{flavor}, {} tools, {measure}: {part:.2}, and not {goal:.2}", row.tools));
                format!(" {own:.2} (**{part:.2}**) |")
            }
            _ => format!(" {own:.2} ({part:.2}) |"),
        };
    }
    #[expect(clippy::cast_precision_loss, reason = "the size of a program is far below 2^53")]
    let size = per_tool(rows, row.flavor, row.tools, |row| row.stripped as f64 / 1024.0).unwrap_or_default();
    text + &format!(" {size:.1} |\n")
}

/// What one tool adds: the crate less the same without tools, over the number of tools.
#[expect(clippy::cast_precision_loss, reason = "some hundred tools")]
fn per_tool(rows: &[Row], flavor: Flavor, tools: usize, value: impl Fn(&Row) -> f64) -> Option<f64> {
    let row = |tools| rows.iter().find(|row| row.flavor == flavor && row.tools == tools);
    Some((value(row(tools)?) - value(row(0)?)) / tools as f64)
}

/// The part of rmcp's seconds that a tool may cost.
fn goal(flavor: Flavor, measure: Measure) -> Option<f64> {
    match (flavor, measure) {
        (Flavor::Ours, _) | (Flavor::OursFull, Measure::Release) => Some(0.25),
        (Flavor::OursFull, Measure::Check | Measure::CheckFirst | Measure::CheckLast) => Some(0.5),
        (Flavor::OursFull, Measure::Debug | Measure::DebugFirst | Measure::DebugLast) => Some(1.0 / 3.0),
        (Flavor::Plain | Flavor::Derived | Flavor::Rmcp, _) => None,
    }
}

fn verdict(missed: &[String]) -> String {
    if missed.is_empty() {
        return "\nEvery goal is met.\n".to_owned();
    }
    let lines: String = missed.iter().map(|line| format!("- {line}\n")).collect();
    format!("\nMissed (bold above):\n\n{lines}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(flavor: Flavor, tools: usize, seconds: f64) -> Row {
        Row { flavor, tools, seconds: [seconds; 7], size: 4096, stripped: 2048 }
    }

    fn rendered(ours: f64) -> String {
        render(&[
            row(Flavor::Ours, 0, 0.5),
            row(Flavor::Rmcp, 0, 1.0),
            row(Flavor::Ours, 10, ours),
            row(Flavor::Rmcp, 10, 2.0),
        ])
    }

    #[test]
    fn subtracts_the_cost_of_a_crate_without_tools() {
        let text = rendered(0.7);
        assert!(text.contains("| ours-plain | 20.00 (0.20) |"), "{text}");
        assert!(text.contains("Every goal is met."), "{text}");
    }

    #[test]
    fn names_a_missed_goal() {
        let text = rendered(0.8);
        assert!(text.contains("30.00 (**0.30**)"), "{text}");
        assert!(text.contains("- ours-plain, 10 tools, release: 0.30, and not 0.25"), "{text}");
    }
}
