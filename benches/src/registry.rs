//! What a registry of very many tools takes: seconds to build, check and list it, and memory.

use std::process::Command;

use crate::cost;
use crate::error::Error;
use crate::flavor;
use crate::leaf::Step;
use crate::sample::Sample;
use crate::workspace::Workspace;

/// The goals, for 10,000 tools.
const SECONDS: f64 = 1.0;
const MEBIBYTES: f64 = 100.0;

/// Builds a program with this many tools, and lets it report.
pub(crate) fn measure(workspace: &Workspace, tools: usize) -> Result<String, Error> {
    let dependencies = "serde_json.workspace = true\n\
                        tool-core = { workspace = true, features = [\"default\"] }\n";
    let samples: Vec<_> = (0..tools).map(|number| Sample::new(number, 0)).collect();
    let leaf = workspace.leaf("registry", dependencies, &source(&samples))?;
    workspace.lock()?;
    eprintln!("building a program with {tools} tools, which takes minutes");
    leaf.prepare(workspace, Step::Release)?;
    let mut program = Command::new(leaf.program(workspace));
    let (output, _) = cost::run(&mut program)?;
    let figures = String::from_utf8_lossy(&output.stdout);
    table(&figures, tools).ok_or_else(|| Error::Unreadable {
        command: cost::line(&program),
        expected: "`build`, `check`, `list`, `memory`",
    })
}

fn source(samples: &[Sample]) -> String {
    let count = format!("\nconst TOOLS: usize = {};\n\n", samples.len());
    include_str!("../support/registry.rs").to_owned() + &count + &flavor::declared(samples)
}

/// The program's report as Markdown.
fn table(figures: &str, tools: usize) -> Option<String> {
    let figure = |name| {
        figures
            .lines()
            .find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse::<f64>().ok())
    };
    let steps = ["build", "check", "list"].map(figure);
    let [build, check, list] = steps.map(Option::unwrap_or_default);
    let memory = figure("memory")? / 1024.0;
    let seconds = steps.into_iter().sum::<Option<f64>>()?;
    let met = |met| if met { "met" } else { "**missed**" };
    Some(format!(
        "| {tools} tools | |\n\
         |---|--:|\n\
         | build | {build:.3} s |\n\
         | check: every schema made and compiled | {check:.3} s |\n\
         | list, as a server answers | {list:.3} s |\n\
         | together | {seconds:.3} s |\n\
         | most memory | {memory:.0} MiB |\n\n\
         Goals for 10,000 tools: {SECONDS:.0} second, {}; {MEBIBYTES:.0} MiB, {}.\n",
        met(seconds <= SECONDS),
        met(memory <= MEBIBYTES),
    ))
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn compares_the_report_with_the_goals() {
        let text = |memory| {
            format!("build 0.100 seconds\ncheck 0.700 seconds\nlist 0.150 seconds\nmemory {memory} kB\n")
        };
        let section = table(&text("204800"), 10_000).unwrap();
        assert!(
            section.contains("| together | 0.950 s |") && section.contains("| most memory | 200 MiB |"),
            "{section}"
        );
        assert!(section.contains("1 second, met; 100 MiB, **missed**."), "{section}");
        assert_eq!(table("build 0.1 seconds\n", 10_000), None);
    }
}
