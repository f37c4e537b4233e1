//! Compile time and binary size of leaf crates that declare the same tools in each flavor.

use std::collections::BTreeSet;
use std::process::Command;

use crate::cost::{self, Seconds, median};
use crate::error::Error;
use crate::flavor::Flavor;
use crate::leaf::{Leaf, Step};
use crate::sample::Sample;
use crate::table;
use crate::workspace::Workspace;

/// What is measured of a leaf crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    Check,
    Debug,
    Release,
    /// `cargo check` after an edit of the first function.
    CheckFirst,
    /// `cargo check` after an edit of the last function.
    CheckLast,
    DebugFirst,
    DebugLast,
}

impl Measure {
    pub(crate) const ALL: [Measure; 7] = [
        Measure::Check,
        Measure::Debug,
        Measure::Release,
        Measure::CheckFirst,
        Measure::CheckLast,
        Measure::DebugFirst,
        Measure::DebugLast,
    ];

    /// The name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Measure::Check => "check",
            Measure::Debug => "debug",
            Measure::Release => "release",
            Measure::CheckFirst => "check, first edited",
            Measure::CheckLast => "check, last edited",
            Measure::DebugFirst => "debug, first edited",
            Measure::DebugLast => "debug, last edited",
        }
    }
}

/// What a leaf crate costs: the median of each measure.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) flavor: Flavor,
    pub(crate) tools: usize,
    /// In the order of [`Measure::ALL`].
    pub(crate) seconds: [Seconds; 7],
    /// Bytes of the release program.
    pub(crate) size: u64,
    /// The same without symbols.
    pub(crate) stripped: u64,
}

/// Measures every flavor with these numbers of tools, and with none as the base, and returns the section of the README.
pub(crate) fn measure(workspace: &Workspace, counts: &[usize], runs: usize) -> Result<String, Error> {
    let counts: BTreeSet<usize> = counts.iter().copied().chain([0]).collect();
    let mut leaves = Vec::new();
    for flavor in Flavor::ALL {
        for tools in counts.iter().copied() {
            leaves.push(Crate::new(workspace, flavor, tools)?);
        }
    }
    workspace.lock()?;
    for empty in leaves.iter().filter(|leaf| leaf.tools == 0) {
        eprintln!("building what {} depends on", empty.flavor.name());
        Step::ALL.iter().try_for_each(|step| empty.leaf.prepare(workspace, *step))?;
    }
    let mut rows = Vec::new();
    for (done, leaf) in leaves.iter().enumerate() {
        eprintln!("{} of {}: {}, {} tools", done + 1, leaves.len(), leaf.flavor.name(), leaf.tools);
        rows.push(leaf.measure(workspace, runs)?);
    }
    leaves.iter().try_for_each(|leaf| leaf.agrees(workspace))?;
    Ok(format!("{}\n{}", preface(workspace, runs)?, table::render(&rows)))
}

/// The leaf crate of a flavor.
struct Crate {
    flavor: Flavor,
    tools: usize,
    leaf: Leaf,
}

impl Crate {
    fn new(workspace: &Workspace, flavor: Flavor, tools: usize) -> Result<Self, Error> {
        let name = format!("{}-{tools}", flavor.name());
        let leaf = workspace.leaf(&name, flavor.dependencies(), &source(flavor, tools, 0, 0))?;
        Ok(Crate { flavor, tools, leaf })
    }

    fn measure(&self, workspace: &Workspace, runs: usize) -> Result<Row, Error> {
        let runs = if self.tools < 100 { 2 * runs - 1 } else { runs };
        let [check, check_first, check_last] = self.edited(workspace, Step::Check, runs)?;
        let [debug, debug_first, debug_last] = self.edited(workspace, Step::Debug, runs)?;
        let release = self.full(workspace, Step::Release, runs)?;
        let (size, stripped) = self.leaf.sizes(workspace)?;
        let seconds = [check, debug, release, check_first, check_last, debug_first, debug_last];
        Ok(Row { flavor: self.flavor, tools: self.tools, seconds, size, stripped })
    }

    /// Full builds, and then builds after an edit of the first and of the last function.
    fn edited(&self, workspace: &Workspace, step: Step, runs: usize) -> Result<[Seconds; 3], Error> {
        let full = self.full(workspace, step, runs)?;
        let (mut first, mut last) = (Vec::new(), Vec::new());
        for run in 1..=runs {
            self.leaf.write(&source(self.flavor, self.tools, run, run - 1))?;
            first.push(self.leaf.build(workspace, step)?);
            self.leaf.write(&source(self.flavor, self.tools, run, run))?;
            last.push(self.leaf.build(workspace, step)?);
        }
        self.leaf.write(&source(self.flavor, self.tools, 0, 0))?;
        let [first, last] = [first, last].map(|seconds| median(seconds).unwrap_or_default());
        eprintln!("    {}, first function edited {first:.3} s, last {last:.3} s", step.name());
        Ok([full, first, last])
    }

    fn full(&self, workspace: &Workspace, step: Step, runs: usize) -> Result<Seconds, Error> {
        let mut seconds = Vec::new();
        for _ in 0..runs {
            self.leaf.clean(workspace, step)?;
            seconds.push(self.leaf.build(workspace, step)?);
        }
        let spread = seconds.iter().map(|seconds| format!("{seconds:.3}")).collect::<Vec<_>>().join(", ");
        let full = median(seconds).unwrap_or_default();
        eprintln!("    {} {full:.3} s, the median of {spread}", step.name());
        Ok(full)
    }

    /// Every flavor answers like the bare functions, which shows that they do the same and that no tool is lost.
    fn agrees(&self, workspace: &Workspace) -> Result<(), Error> {
        let floor = Crate::new(workspace, Flavor::Plain, self.tools)?;
        let (answer, expected) = (self.leaf.answer(workspace)?, floor.leaf.answer(workspace)?);
        let leaf = format!("{}-{}", self.flavor.name(), self.tools);
        if answer == expected { Ok(()) } else { Err(Error::OtherAnswer { leaf, answer, expected }) }
    }
}

/// The source, with so many lines added to the first and to the last function, or to `main` where there is none.
fn source(flavor: Flavor, tools: usize, first: usize, last: usize) -> String {
    let edits = |number| {
        let here = |place, edits| if number == place { edits } else { 0 };
        here(0, first) + here(tools - 1, last)
    };
    let samples: Vec<_> = (0..tools).map(|number| Sample::new(number, edits(number))).collect();
    flavor.source(&samples, if tools == 0 { first + last } else { 0 })
}

/// What was measured with what.
fn preface(workspace: &Workspace, runs: usize) -> Result<String, Error> {
    let (output, _) = cost::run(Command::new("rustc").arg("--version"))?;
    let rustc = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(format!(
        "Measured with {rustc}, rmcp {}, schemars {}, serde {}, on {cores} cores. Each figure is the median of {} runs; \
         below 100 tools of {}.\n",
        workspace.version("rmcp")?,
        workspace.version("schemars")?,
        workspace.version("serde")?,
        runs,
        2 * runs - 1,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_the_first_and_last_function() {
        let lines = |tools, first, last| source(Flavor::Plain, tools, first, last).lines().count();
        assert_eq!(lines(3, 2, 1), lines(3, 0, 0) + 3);
        assert_eq!(lines(1, 1, 1), lines(1, 0, 0) + 2);
        assert_eq!(lines(0, 1, 1), lines(0, 0, 0) + 2);
    }
}
